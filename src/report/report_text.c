/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_text.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "base/printable.h"
#include "report/report_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { LINE_WIDTH = 80, LINE_COUNT = 24 };

/* --- Paragraphs ---------------------------------------------------------------------------- */

void report_text_next(struct report *report)
{
	if (report->started)
		fputc('\n', report->out);
	else if (report->redraws)
		fputs("\033[H\033[2J", report->out);
	report->started = true;
}

static bool begins_with_unit(const char *text)
{
	static const char *const units[] = {"%", "s", "ms", "us", "ns"};
	size_t length = strcspn(text, " .,;:)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == length && strncmp(text, units[i], length) == 0)
			return true;
	return false;
}

/* Cuts off a word, or a number with its unit: no line begins with that. NULL: there is none. */
static char *take_word(char **text)
{
	char *word = *text, *blank = word ? strchr(word, ' ') : NULL;

	while (blank && blank > word && isdigit((unsigned char)blank[-1]) &&
	       begins_with_unit(blank + 1))
		blank = strchr(blank + 1, ' ');
	*text = blank ? blank + 1 : NULL;
	if (blank)
		*blank = '\0';
	return word;
}

/* Breaks at blanks so that no line is wider than LINE_WIDTH. */
static void print_wrapped(FILE *out, char *text)
{
	int column = 0;

	for (char *word; (word = take_word(&text));) {
		int length = (int)printable_length(word);

		if (column && column + 1 + length > LINE_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%s", column ? " " : "", word) > 0 ? length + !!column : 0;
	}
	fputc('\n', out);
}

static void print_note(struct report *report, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void print_note(struct report *report, const char *format, va_list args)
{
	char *text = NULL, *shown;

	if (report->format != REPORT_TEXT || vasprintf(&text, format, args) < 0)
		return;
	shown = printable(PRINTABLE_TEXT, text, PRINTABLE_WHOLE);
	report_text_next(report);
	print_wrapped(report->out, shown);
	free(shown);
	free(text);
}

void report_note_if(struct report *report, bool holds, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (holds)
		print_note(report, format, args);
	va_end(args);
}

void report_warning_if(struct report *report, bool holds, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (holds && !report->quiet)
		print_note(report, format, args);
	va_end(args);
}

void report_line(struct report *report, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	if (report->format != REPORT_TEXT)
		return;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	printable_put(report->out, PRINTABLE_LINES, text);
	free(text);
	fputc('\n', report->out);
	report->started = true;
}

void report_drawing(struct report *report, const char *lines)
{
	if (report->format != REPORT_TEXT)
		return;
	report_text_next(report);
	printable_put(report->out, PRINTABLE_LINES, lines);
}

/* A number from the environment, or what is usual. */
static int environment_number(const char *name, int usual)
{
	const char *text = getenv(name);
	uint64_t value;

	return text && !parse_u64(&value, text, 10000) && value ? (int)value : usual;
}

void report_size(const struct report *report, int *columns, int *rows)
{
	struct winsize size;

	if (ioctl(fileno(report->out), TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*columns = size.ws_col;
		*rows = size.ws_row;
		return;
	}
	*columns = environment_number("COLUMNS", LINE_WIDTH);
	*rows = environment_number("LINES", LINE_COUNT);
}

/* --- Parts of sentences -------------------------------------------------------------------- */

void append_text(char **text, const char *format, ...)
{
	char *more = NULL, *longer;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&more, format, args);
	va_end(args);
	if (length < 0)
		return;
	longer = xasprintf("%s%s", *text, more);
	free(more);
	free(*text);
	*text = longer;
}

const char *plural(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}

/* --- Values -------------------------------------------------------------------------------- */

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
	for (size_t i = 0; i < cell->values.count && used < size; i++) {
		used += (size_t)snprintf(out + used, size - used, "%s", i ? " " : "");
		if (used < size)
			used += strlen(printable_copy(out + used, size - used, PRINTABLE_TEXT,
						      cell->values.texts[i]));
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
	case CELL_VALUES:
		format_list(out, size, cell);
		break;
	}
	return out;
}

const char *format_value(char out[VALUE_SIZE], double value, enum unit unit)
{
	struct cell cell = cell_number(value);

	return format_cell(out, VALUE_SIZE, &cell, unit);
}
