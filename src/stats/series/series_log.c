/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_log.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "stats/series/series.h"
#include "stats/series/series_columns.h"
#include "stats/series/series_weights.h"

#include <math.h>
#include <stdlib.h>

/* What one row says. */
struct log_row {
	double n;
	double time;	  /* or the number of the row */
	double duration;  /* since the row before; 1 without a clock */
	double value;	  /* as it is in the table */
	double completed; /* in the duration */
	double rate;	  /* the throughput */
	bool starts;	  /* a run: N is another than in the row before */
	bool counts;	  /* the rate is known, and of one N */
};

struct log_reader {
	const struct csv_table *table;
	const struct series_columns *columns;
	struct log_row *rows;
	size_t count;
	struct err *err;
};

static int fail_at(const struct log_reader *reader, size_t row, int column)
{
	return csv_table_wrap(reader->table, row, (size_t)column, reader->err);
}

/* --- Rows ----------------------------------------------------------------------------------- */

/* A time stamp in milliseconds or less, whose name says no unit: now is 1.8e9 s. */
static const double NO_SECONDS = 1e11;

static int read_time(const struct log_reader *reader, size_t row)
{
	const struct series_columns *columns = reader->columns;
	struct log_row *at = &reader->rows[row];

	at->time = (double)row + 1;
	at->duration = 1;
	if (columns->clock < 0)
		return 0;
	if (csv_table_number(reader->table, &at->time, row, (size_t)columns->clock, reader->err))
		return -1;
	if (at->time > NO_SECONDS && columns->clock_scale == 1 &&
	    columns->quantity != QUANTITY_THROUGHPUT) {
		err_set(reader->err,
			"%.17g s would be the year %.0f: put the unit into the header, as "
			"'time_ms'",
			at->time, 1970 + at->time / (365.2425 * 86400));
		return fail_at(reader, row, columns->clock);
	}
	at->time *= columns->clock_scale;
	at->duration = row ? at->time - reader->rows[row - 1].time : 0;
	if (!row || at->duration > 0 ||
	    (at->duration == 0 && columns->quantity == QUANTITY_THROUGHPUT))
		return 0;
	err_set(reader->err,
		"the time does not grow from the row before to this one; sort the log by time");
	return fail_at(reader, row, columns->clock);
}

static int read_value(const struct log_reader *reader, size_t row)
{
	int column = reader->columns->value;
	struct log_row *at = &reader->rows[row];

	if (csv_table_number(reader->table, &at->value, row, (size_t)column, reader->err))
		return -1;
	if (at->value >= 0)
		return 0;
	err_set(reader->err, "the %s must not be below 0, as %g is",
		quantity_name(reader->columns->quantity), at->value);
	return fail_at(reader, row, column);
}

/* Of a row that has read its time and its value. */
static int find_rate(const struct log_reader *reader, size_t row)
{
	struct log_row *at = &reader->rows[row];
	bool throughput = reader->columns->quantity == QUANTITY_THROUGHPUT;

	at->starts = row == 0 || at->n != at[-1].n;
	at->counts = throughput || !at->starts;
	if (!at->counts)
		return 0;
	at->completed = at->value;
	if (reader->columns->quantity == QUANTITY_TOTAL)
		at->completed = at->value - at[-1].value;
	at->rate = throughput ? at->value : at->completed / at->duration;
	if (at->completed >= 0 && isfinite(at->rate))
		return 0;
	if (at->completed < 0)
		err_set(reader->err,
			"the total falls from %g to %g; if each row has its own count, say "
			"--columns time:T,n:N,count:%d",
			at[-1].value, at->value, reader->columns->value + 1);
	else
		err_set(reader->err, "its throughput is larger than a number can be");
	return fail_at(reader, row, reader->columns->value);
}

static int read_rows(const struct log_reader *reader)
{
	for (size_t row = 0; row < reader->count; row++)
		if (series_positive(&reader->rows[row].n, reader->table, row, reader->columns->n,
				    "N", reader->err) ||
		    read_time(reader, row) || read_value(reader, row) || find_rate(reader, row))
			return -1;
	return 0;
}

/*
 * Counts never fall in many rows only if they are totals, or if nothing happens: which, is not
 * guessed.
 */
static int check_count(const struct log_reader *reader)
{
	enum { MANY = 20 };
	const struct log_row *rows = reader->rows;
	size_t rises = 0;

	if (reader->columns->quantity != QUANTITY_COUNT || reader->count < MANY)
		return 0;
	for (size_t row = 1; row < reader->count; row++) {
		if (rows[row].value < rows[row - 1].value)
			return 0;
		rises += rows[row].value > rows[row - 1].value;
	}
	if (rises < reader->count / 2)
		return 0;
	return err_set(reader->err,
		       "%s: column %d looks like a total, as it never falls; say --columns "
		       "time:T,n:N,total:%d",
		       csv_table_source(reader->table), reader->columns->value + 1,
		       reader->columns->value + 1);
}

/* --- Runs ----------------------------------------------------------------------------------- */

/* The mean over the window: of completions by the time it took. */
static double window_mean(const struct log_reader *reader, const struct log_row *rows,
			  const struct steady *steady)
{
	double sum = 0, time = 0;

	for (size_t i = steady->begin; i < steady->end; i++) {
		bool throughput = reader->columns->quantity == QUANTITY_THROUGHPUT;
		double duration = throughput ? 1 : rows[i].duration;

		time += duration;
		sum += (rows[i].rate - sum) * (duration / time);
	}
	return sum;
}

/* Rows [begin, end), the first of which may not count. */
static int add_run(struct series *series, const struct log_reader *reader, size_t begin, size_t end,
		   bool cut_end)
{
	size_t skipped = !reader->rows[begin].counts;
	const struct log_row *rows = &reader->rows[begin + skipped];
	size_t count = end - begin - skipped;
	struct series_window *window = &series->windows[series->count];
	double *rates;

	window->n = reader->rows[begin].n;
	if (!count) {
		err_set(reader->err,
			"the log is at N = %g for one row only, which shows no "
			"throughput; give it more rows",
			window->n);
		return fail_at(reader, begin, reader->columns->n);
	}
	rates = xcalloc(count, sizeof(*rates));
	for (size_t i = 0; i < count; i++)
		rates[i] = rows[i].rate;
	steady_find(&window->steady, rates, count, cut_end);
	free(rates);
	window->from = rows[window->steady.begin].time;
	window->to = rows[window->steady.end - 1].time;
	window->rows = end - begin;
	window->cut_start = window->steady.begin + skipped;
	window->cut_end = count - window->steady.end;
	window->mean = window_mean(reader, rows, &window->steady);
	series->points[series->count++] = (struct series_point){window->n, window->mean};
	if (window->mean > 0)
		return series_check_range(&series->points[series->count - 1], reader->table, begin,
					  reader->columns, reader->err);
	err_set(reader->err,
		"nothing was completed in the steady window at N = %g, which ends here", window->n);
	return fail_at(reader, begin + skipped + window->steady.end - 1, reader->columns->value);
}

static int add_runs(struct series *series, const struct log_reader *reader, bool cut_end)
{
	size_t begin = 0, runs = 0;

	for (size_t row = 0; row < reader->count; row++)
		runs += reader->rows[row].starts;
	series->points = xcalloc(runs, sizeof(*series->points));
	series->windows = xcalloc(runs, sizeof(*series->windows));
	for (size_t row = 1; row <= reader->count; row++) {
		if (row < reader->count && !reader->rows[row].starts)
			continue;
		if (add_run(series, reader, begin, row, cut_end))
			return -1;
		begin = row;
	}
	return 0;
}

int series_log_read(struct series *series, const struct csv_table *table,
		    const struct series_columns *columns, bool cut_end, struct err *err)
{
	struct log_reader reader = {table, columns, NULL, csv_table_rows(table), err};
	int rc;

	reader.rows = xcalloc(reader.count, sizeof(*reader.rows));
	rc = read_rows(&reader) || check_count(&reader) || add_runs(series, &reader, cut_end);
	free(reader.rows);
	return rc ? -1 : 0;
}
