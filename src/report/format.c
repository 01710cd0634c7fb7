/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/format.h"

#include "base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void format_bar(char *out, size_t size, double share)
{
	long width = lround(fmin(fmax(share, 0), 1) * FORMAT_BAR_WIDTH);

	if ((size_t)width >= size)
		width = (long)size - 1;
	memset(out, '#', (size_t)width);
	out[width] = '\0';
}

/* Three digits; a time is measured in nanoseconds, so there are none behind these. */
static void format_span(char *out, size_t size, double seconds)
{
	static const struct {
		double from_s, scale;
		const char *unit;
	} units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0.9995e-6, 1e6, "us"}};
	double magnitude = fabs(seconds);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double scaled = seconds * units[i].scale;
		int digits = fabs(scaled) < 9.995 ? 2 : fabs(scaled) < 99.95 ? 1 : 0;

		if (magnitude < units[i].from_s)
			continue;
		snprintf(out, size, "%.*f %s", digits, scaled, units[i].unit);
		return;
	}
	snprintf(out, size, "%.0f ns", seconds * 1e9);
}

/* What is rounded to nothing has no sign. */
static void drop_sign_of_zero(char *out)
{
	if (*out == '-' && !strpbrk(out, "123456789"))
		memmove(out, out + 1, strlen(out));
}

static void format_number(char *out, size_t size, double number, enum unit unit)
{
	switch (unit) {
	case UNIT_SECONDS:
		snprintf(out, size, "%.4f s", number);
		break;
	case UNIT_SPAN:
		format_span(out, size, number);
		break;
	case UNIT_STAMP:
		snprintf(out, size, "%.9f", number);
		break;
	case UNIT_SHARE:
		snprintf(out, size, "%.1f %%", 100 * number);
		break;
	case UNIT_BAR:
		format_bar(out, size, number);
		break;
	case UNIT_FACTOR:
		snprintf(out, size, "%.2fx", number);
		break;
	case UNIT_NONE:
	case UNIT_DECIMAL:
		snprintf(out, size, "%.6g", number);
		break;
	}
}

static void format_list(char *out, size_t size, const struct cell *cell)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < cell->list.count && used < size; i++) {
		used += (size_t)snprintf(out + used, size - used, "%s", i ? " " : "");
		if (used < size)
			used += strlen(printable_copy(out + used, size - used, PRINTABLE_TEXT,
						      cell->list.texts[i]));
	}
}

const char *format_cell(char *out, size_t size, const struct cell *cell, enum unit unit)
{
	snprintf(out, size, "-");
	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_NUMBER:
		if (!isfinite(cell->number))
			break;
		format_number(out, size, cell->number, unit);
		drop_sign_of_zero(out);
		break;
	case CELL_COUNT:
		snprintf(out, size, "%" PRId64, cell->count);
		break;
	case CELL_BOOL:
		snprintf(out, size, "%s", cell->count ? "yes" : "no");
		break;
	case CELL_TEXT:
		printable_copy(out, size, PRINTABLE_TEXT, cell->text);
		break;
	case CELL_LIST:
		format_list(out, size, cell);
		break;
	}
	return out;
}
