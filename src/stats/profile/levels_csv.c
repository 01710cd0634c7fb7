/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/levels_csv.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/io/input.h"
#include "stats/profile/levels.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Linux has no more numbers of threads; 64 bits hold no more nanoseconds. */
enum { ACTIVE_MAX = 1 << 22 };
static const double WALL_MAX_S = 1e10;

bool levels_csv_matches(struct input *input)
{
	const char *text;
	const void *bytes;
	size_t length = input_peek(input, &bytes, 16);

	text = bytes;
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		length -= 3;
	}
	if (length && *text == '"') {
		text++;
		length--;
	}
	return (length >= 6 && strncasecmp(text, "active", 6) == 0) ||
	       (length >= 6 && strncasecmp(text, "ready,", 6) == 0) ||
	       (length >= 6 && strncasecmp(text, "ready\"", 6) == 0);
}

static int add_row(struct level_times *times, size_t *capacity, const struct csv_table *table,
		   size_t row, size_t active_column, size_t wall_column, struct err *err)
{
	const char *name = csv_table_cell(table, row, active_column);
	double active, wall_s;
	uint64_t wall_ns;

	if (csv_table_number(table, &wall_s, row, wall_column, err))
		return -1;
	if (wall_s < 0 || wall_s > WALL_MAX_S) {
		err_set(err, "%g is not a wall time in seconds", wall_s);
		return csv_table_wrap(table, row, CSV_WHOLE_ROW, err);
	}
	wall_ns = (uint64_t)llround(wall_s * 1e9);
	times->total_ns += wall_ns;
	if (name && strcasecmp(name, "unknown") == 0) {
		times->unknown_ns += wall_ns;
		return 0;
	}
	if (csv_table_number(table, &active, row, active_column, err))
		return -1;
	if (active < 0 || active > ACTIVE_MAX || active != floor(active)) {
		err_set(err, "%g is not a number of ready threads", active);
		return csv_table_wrap(table, row, CSV_WHOLE_ROW, err);
	}
	array_reserve(&times->wall_ns, capacity, (size_t)active + 1);
	times->wall_ns[(size_t)active] += wall_ns;
	if (wall_ns && (size_t)active > times->max_active)
		times->max_active = (size_t)active;
	return 0;
}

static int add_rows(struct level_times *times, const struct csv_table *table, struct err *err)
{
	int ready_column = csv_table_find(table, "ready");
	int active_column = ready_column >= 0 ? ready_column : csv_table_find(table, "active");
	int wall_column = csv_table_find(table, "wall_s");
	size_t capacity = 0;

	if (active_column < 0 || wall_column < 0)
		return err_set(err, "%s: a profile has the columns ready and wall_s",
			       csv_table_source(table));
	array_reserve(&times->wall_ns, &capacity, 1);
	for (size_t row = 0; row < csv_table_rows(table); row++)
		if (add_row(times, &capacity, table, row, (size_t)active_column,
			    (size_t)wall_column, err))
			return -1;
	if (!times->total_ns)
		return err_set(err, "%s: the profile holds no time", csv_table_source(table));
	return 0;
}

int levels_csv_read(struct level_times *times, struct input *input, struct err *err)
{
	struct csv_table *table = csv_table_read(input, err);
	int rc;

	*times = (struct level_times){0};
	if (!table)
		return -1;
	rc = add_rows(times, table, err);
	if (rc)
		level_times_release(times);
	csv_table_free(table);
	return rc;
}
