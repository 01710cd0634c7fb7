/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/wall_times.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/sorted.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

/* The first name is exact; of the other names one column is allowed. */
static const char *const cores_names[] = {"cores", "k", "n", "threads", "cpus", "processors", NULL};
static const char *const wall_names[] = {"wall_s",  "wall",    "time_s", "time",
					 "seconds", "elapsed", NULL};

/* 64 bits hold no more nanoseconds. */
static const double WALL_MAX_S = 1e10;

struct columns {
	int cores, wall;
};

static bool is_named(const struct csv_table *table, size_t column, const char *const *names)
{
	for (; *names; names++)
		if (strcasecmp(csv_table_heading(table, column), *names) == 0)
			return true;
	return false;
}

/* Sets *column, -1 if there is none. Two columns that match are an error, not a guess. */
static int find_column(int *column, const struct csv_table *table, const char *const *names,
		       struct err *err)
{
	const char *const exact[] = {names[0], NULL};
	bool has_exact = csv_table_find(table, names[0]) >= 0;

	char one[CSV_NAME_BYTES], other[CSV_NAME_BYTES];

	*column = -1;
	for (size_t i = 0; csv_table_heading(table, 0) && i < csv_table_columns(table); i++) {
		if (!is_named(table, i, has_exact ? exact : names))
			continue;
		if (*column < 0) {
			*column = (int)i;
			continue;
		}
		csv_table_column_name(one, table, (size_t)*column);
		csv_table_column_name(other, table, i);
		return err_set(err, "%s: %s and %s may both be '%s'; leave one of them",
			       csv_table_source(table), one, other, names[0]);
	}
	return 0;
}

static int find_columns(struct columns *columns, const struct csv_table *table, struct err *err)
{
	if (find_column(&columns->cores, table, cores_names, err) ||
	    find_column(&columns->wall, table, wall_names, err))
		return -1;
	if (columns->cores >= 0 && columns->wall >= 0)
		return 0;
	*columns = (struct columns){0, 1};
	if (csv_table_columns(table) == 2 && !csv_table_heading(table, 0))
		return 0;
	return err_set(err,
		       "%s: the measured wall times need a column 'cores' and a column 'wall_s', "
		       "in seconds",
		       csv_table_source(table));
}

/* By cores, then by time: the mean must not depend on the order of equals. */
static int compare_runs(const void *left, const void *right)
{
	const struct wall_time *a = left, *b = right;

	return compare_values(a->cores, b->cores) ?: compare_values(a->mean_s, b->mean_s);
}

void wall_times_merge(struct wall_times *times)
{
	size_t count = 0;

	sort_items(times->items, times->count, compare_runs);
	for (size_t i = 0; i < times->count; i++) {
		struct wall_time *run = &times->items[i], *into = &times->items[count - !!count];

		if (!count || into->cores != run->cores) {
			times->items[count++] = *run;
			continue;
		}
		into->runs++;
		into->mean_s += (run->mean_s - into->mean_s) / (double)into->runs;
		into->most_s = run->mean_s;
	}
	times->count = count;
}

static int add_row(struct wall_times *times, const struct csv_table *table, size_t row,
		   const struct columns *columns, struct err *err)
{
	double cores, wall_s;

	if (csv_table_number(table, &cores, row, (size_t)columns->cores, err) ||
	    csv_table_number(table, &wall_s, row, (size_t)columns->wall, err))
		return -1;
	if (cores < 1 || cores > WALL_TIMES_CORES_MAX || cores != floor(cores)) {
		err_set(err, "column %d: %g is not a number of cores", columns->cores + 1, cores);
		return csv_table_wrap(table, row, CSV_WHOLE_ROW, err);
	}
	if (!(wall_s > 0) || wall_s > WALL_MAX_S) {
		err_set(err, "column %d: %g is not a wall time in seconds", columns->wall + 1,
			wall_s);
		return csv_table_wrap(table, row, CSV_WHOLE_ROW, err);
	}
	times->items[times->count++] =
		(struct wall_time){(uint64_t)cores, 1, wall_s, wall_s, wall_s};
	return 0;
}

int wall_times_read(struct wall_times *times, const struct csv_table *table, struct err *err)
{
	size_t rows = csv_table_rows(table);
	struct columns columns;

	*times = (struct wall_times){0};
	if (!rows)
		return err_set(err, "%s: holds no measured wall times", csv_table_source(table));
	if (find_columns(&columns, table, err))
		return -1;
	times->items = xcalloc(rows, sizeof(*times->items));
	for (size_t row = 0; row < rows; row++)
		if (add_row(times, table, row, &columns, err))
			return -1;
	wall_times_merge(times);
	return 0;
}

void wall_times_release(struct wall_times *times)
{
	free(times->items);
	*times = (struct wall_times){0};
}

const struct wall_time *wall_times_find(const struct wall_times *times, uint64_t cores)
{
	size_t i = find_first(at, 0, times->count, times->items[at].cores >= cores);

	return i < times->count && times->items[i].cores == cores ? &times->items[i] : NULL;
}
