/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/map.h"
#include "stats/series/series_columns.h"
#include "stats/series/series_sweep.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Cells --------------------------------------------------------------------------------- */

/* The rows of one series. */
struct reading {
	const struct csv_table *table;
	const struct series_columns *columns;
	const struct series_request *request;
	const size_t *rows; /* rows of the table; NULL: all */
	size_t count;
	struct err *err;
};

static size_t table_row(const struct reading *reading, size_t row)
{
	return reading->rows ? reading->rows[row] : row;
}

static int reading_number(double *value, const struct reading *reading, size_t row, int column)
{
	return csv_table_number(reading->table, value, table_row(reading, row), (size_t)column,
				reading->err);
}

/* Puts the place of the cell in front of the error. Returns -1. */
static int reading_wrap(const struct reading *reading, size_t row, int column)
{
	return csv_table_wrap(reading->table, table_row(reading, row), (size_t)column,
			      reading->err);
}

/* Reads a cell that must be above 0; `what` names the quantity in an error. */
static int read_positive(double *value, const struct reading *reading, size_t row, int column,
			 const char *what)
{
	if (reading_number(value, reading, row, column))
		return -1;
	if (*value > 0)
		return 0;
	err_set(reading->err, "%s must be above 0, not %g", what, *value);
	return reading_wrap(reading, row, column);
}

/* Returns false also for NaN. */
static bool is_in_range(double value)
{
	return value >= SERIES_LEAST && value <= SERIES_MOST;
}

static int check_range(const struct series_point *point, const struct reading *reading, size_t row)
{
	bool n = is_in_range(point->n);

	if (n && is_in_range(point->throughput))
		return 0;
	err_set(reading->err, "%s of %g is too %s; give it in another unit",
		n ? "a throughput" : "an N", n ? point->throughput : point->n,
		(n ? point->throughput : point->n) < 1 ? "small" : "large");
	return reading_wrap(reading, row, n ? reading->columns->value : reading->columns->n);
}

/* --- Points, a row each -------------------------------------------------------------------- */

/* Returns X(N) from the measured value. */
static double throughput_of(const struct series_columns *columns, double n, double value,
			    double work)
{
	double measured = value * columns->scale;

	if (columns->quantity == QUANTITY_TIME)
		return work / measured;
	if (columns->quantity == QUANTITY_LATENCY)
		return n / measured;
	return value;
}

static int read_point(struct series_point *point, const struct reading *reading, size_t row,
		      const char *what)
{
	const struct series_columns *columns = reading->columns;
	double work = reading->request->work > 0 ? reading->request->work : 1, value;

	if (read_positive(&point->n, reading, row, columns->n, "N") ||
	    read_positive(&value, reading, row, columns->value, what))
		return -1;
	if (columns->work >= 0 && read_positive(&work, reading, row, columns->work, "the work"))
		return -1;
	point->throughput = throughput_of(columns, point->n, value, work);
	return check_range(point, reading, row);
}

static int read_points(struct series *series, const struct reading *reading)
{
	char what[40];

	snprintf(what, sizeof(what), "the %s", quantity_name(reading->columns->quantity));
	series->points = xcalloc(reading->count, sizeof(*series->points));
	for (; series->count < reading->count; series->count++)
		if (read_point(&series->points[series->count], reading, series->count, what))
			return -1;
	return 0;
}

/* --- The log of a run ------------------------------------------------------------------------
 * With completions, the throughput of a row is the number completed since the row before, divided
 * by the time since then; the mean over a window is the number completed in it, divided by its
 * time. An interval in which N changed belongs to no run, nor does the time before the first row.
 */

/* The contents of one row. */
struct log_row {
	double n;
	double time;	  /* the time, or the number of the row */
	double duration;  /* since the row before; 1 without a clock */
	double value;	  /* the value in the table */
	double completed; /* the work completed in `duration` */
	double rate;	  /* the throughput */
	bool starts;	  /* the first row of a run: N differs from the row before */
	bool counts;	  /* `rate` is known, and of one N */
};

struct log_reader {
	struct reading of;
	struct log_row *rows;
};

/* The least time in s that is taken for a time stamp in ms or less: now is 1.8e9 s. */
static const double NO_SECONDS = 1e11;

static int log_read_time(const struct log_reader *reader, size_t row)
{
	const struct series_columns *columns = reader->of.columns;
	struct log_row *at = &reader->rows[row];

	at->time = (double)row + 1;
	at->duration = 1;
	if (columns->clock < 0)
		return 0;
	if (reading_number(&at->time, &reader->of, row, columns->clock))
		return -1;
	if (at->time > NO_SECONDS && columns->clock_scale == 1 &&
	    columns->quantity != QUANTITY_THROUGHPUT) {
		err_set(reader->of.err,
			"%.17g s is the year %.0f; name the unit in the header, as 'time_ms'",
			at->time, 1970 + at->time / (365.2425 * 86400));
		return reading_wrap(&reader->of, row, columns->clock);
	}
	at->time *= columns->clock_scale;
	at->duration = row ? at->time - reader->rows[row - 1].time : 0;
	if (!row || at->duration > 0 ||
	    (at->duration == 0 && columns->quantity == QUANTITY_THROUGHPUT))
		return 0;
	err_set(reader->of.err, "the time does not grow; sort the log by time");
	return reading_wrap(&reader->of, row, columns->clock);
}

static int log_read_value(const struct log_reader *reader, size_t row)
{
	int column = reader->of.columns->value;
	struct log_row *at = &reader->rows[row];

	if (reading_number(&at->value, &reader->of, row, column))
		return -1;
	if (at->value >= 0)
		return 0;
	err_set(reader->of.err, "the %s must not be below 0, as %g is",
		quantity_name(reader->of.columns->quantity), at->value);
	return reading_wrap(&reader->of, row, column);
}

/* Computes the rate of a row whose time and value were read. */
static int log_find_rate(const struct log_reader *reader, size_t row)
{
	struct log_row *at = &reader->rows[row];
	bool throughput = reader->of.columns->quantity == QUANTITY_THROUGHPUT;

	at->starts = row == 0 || at->n != at[-1].n;
	at->counts = throughput || !at->starts;
	if (!at->counts)
		return 0;
	at->completed = at->value;
	if (reader->of.columns->quantity == QUANTITY_TOTAL)
		at->completed = at->value - at[-1].value;
	at->rate = throughput ? at->value : at->completed / at->duration;
	if (at->completed >= 0 && isfinite(at->rate))
		return 0;
	if (at->completed < 0)
		err_set(reader->of.err,
			"the total falls from %g to %g; if each row has its own count, use "
			"--columns time:T,n:N,count:%d",
			at[-1].value, at->value, reader->of.columns->value + 1);
	else
		err_set(reader->of.err, "the throughput is too large for a number");
	return reading_wrap(&reader->of, row, reader->of.columns->value);
}

static int log_read_rows(const struct log_reader *reader)
{
	for (size_t row = 0; row < reader->of.count; row++)
		if (read_positive(&reader->rows[row].n, &reader->of, row, reader->of.columns->n,
				  "N") ||
		    log_read_time(reader, row) || log_read_value(reader, row) ||
		    log_find_rate(reader, row))
			return -1;
	return 0;
}

/*
 * Refuses counts that never fall in many rows: they are totals, or the program does nothing; the
 * reader does not guess which.
 */
static int log_check_count(const struct log_reader *reader)
{
	enum { MANY = 20 };
	const struct log_row *rows = reader->rows;
	size_t rises = 0;

	if (reader->of.columns->quantity != QUANTITY_COUNT || reader->of.count < MANY)
		return 0;
	for (size_t row = 1; row < reader->of.count; row++) {
		if (rows[row].value < rows[row - 1].value)
			return 0;
		rises += rows[row].value > rows[row - 1].value;
	}
	if (rises < reader->of.count / 2)
		return 0;
	return err_set(reader->of.err,
		       "%s: column %d never falls, as a total does; use --columns "
		       "time:T,n:N,total:%d",
		       csv_table_source(reader->of.table), reader->of.columns->value + 1,
		       reader->of.columns->value + 1);
}

/* Returns the mean over the window; of completions, their number by the time. */
static double window_mean(const struct log_reader *reader, const struct log_row *rows,
			  const struct steady *steady)
{
	double sum = 0, time = 0;

	for (size_t i = steady->begin; i < steady->end; i++) {
		bool throughput = reader->of.columns->quantity == QUANTITY_THROUGHPUT;
		double duration = throughput ? 1 : rows[i].duration;

		time += duration;
		sum += (rows[i].rate - sum) * (duration / time);
	}
	return sum;
}

/* Adds the run of rows [begin, end), of which the first may not count. */
static int log_add_run(struct series *series, const struct log_reader *reader, size_t begin,
		       size_t end, bool cut_end)
{
	size_t skipped = !reader->rows[begin].counts;
	const struct log_row *rows = &reader->rows[begin + skipped];
	size_t count = end - begin - skipped;
	struct series_window *window = &series->windows[series->count];
	double *rates;

	window->n = reader->rows[begin].n;
	if (!count) {
		err_set(reader->of.err,
			"N = %g has one row, which shows no throughput; log more rows", window->n);
		return reading_wrap(&reader->of, begin, reader->of.columns->n);
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
		return check_range(&series->points[series->count - 1], &reader->of, begin);
	err_set(reader->of.err,
		"the steady window at N = %g ends here, and nothing was completed in it",
		window->n);
	return reading_wrap(&reader->of, begin + skipped + window->steady.end - 1,
			    reader->of.columns->value);
}

static int log_add_runs(struct series *series, const struct log_reader *reader, bool cut_end)
{
	size_t begin = 0, runs = 0;

	for (size_t row = 0; row < reader->of.count; row++)
		runs += reader->rows[row].starts;
	series->points = xcalloc(runs, sizeof(*series->points));
	series->windows = xcalloc(runs, sizeof(*series->windows));
	for (size_t row = 1; row <= reader->of.count; row++) {
		if (row < reader->of.count && !reader->rows[row].starts)
			continue;
		if (log_add_run(series, reader, begin, row, cut_end))
			return -1;
		begin = row;
	}
	return 0;
}

static int series_read_log(struct series *series, const struct reading *reading)
{
	struct log_reader reader = {*reading, xcalloc(reading->count, sizeof(*reader.rows))};
	int rc;

	rc = log_read_rows(&reader) || log_check_count(&reader) ||
	     log_add_runs(series, &reader, reading->request->cut_end);
	free(reader.rows);
	return rc ? -1 : 0;
}

/* --- Weights ---------------------------------------------------------------------------------
 * A weight is 1 / the variance of its point, scaled to a mean of 1, so that a sum of weighted
 * squares is in the unit of an unweighted one:
 *
 * relative    all points have the same relative error: 1 / X^2.
 * COLUMN      the weights in the table.
 * sd:COLUMN   1 / the square of the standard deviation in the table, which is that of the column
 *	       measured; of a time T, or a latency, that of X follows as X sd / T.
 * steady      1 / the square of the standard error of the mean over a window of a log.
 */

/* The next functions set roots of weights, up to a common factor: 0 or infinite beyond a double. */

static void weigh_relative(double *roots, const struct series *series)
{
	double max = series_max_throughput(series);

	for (size_t i = 0; i < series->count; i++)
		roots[i] = max / series->points[i].throughput;
}

static int weigh_by_column(double *roots, const struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		double weight;

		if (read_positive(&weight, reading, i, reading->columns->weight, "a weight"))
			return -1;
		roots[i] = sqrt(weight);
	}
	return 0;
}

static int weigh_by_deviations(double *roots, const struct series *series,
			       const struct reading *reading)
{
	const struct series_columns *columns = reading->columns;
	bool reciprocal =
		columns->quantity == QUANTITY_TIME || columns->quantity == QUANTITY_LATENCY;

	for (size_t i = 0; i < series->count; i++) {
		double deviation, value = 0;

		if (read_positive(&deviation, reading, i, columns->weight,
				  "a standard deviation") ||
		    reading_number(&value, reading, i, columns->value))
			return -1;
		/* X = W / T has the relative error of T. */
		roots[i] = reciprocal ? value / deviation / series->points[i].throughput
				      : 1 / deviation;
	}
	return 0;
}

static int weigh_by_windows(double *roots, const struct series *series, struct err *err)
{
	for (size_t i = 0; i < series->count; i++) {
		double error = series->windows[i].steady.se;

		if (!(error > 0))
			return err_set(err,
				       "%s: the window at N = %g has no error estimate; "
				       "fit without --weights steady",
				       series->source, series->windows[i].n);
		roots[i] = 1 / error;
	}
	return 0;
}

/* Squares the roots, and scales them to a mean of 1. */
static int weights_normalise(double *weights, const struct series *series, struct err *err)
{
	double max = 0, sum = 0;

	for (size_t i = 0; i < series->count; i++)
		max = fmax(max, weights[i]);
	for (size_t i = 0; i < series->count; i++) {
		weights[i] /= max;
		weights[i] *= weights[i];
		sum += weights[i];
	}
	for (size_t i = 0; i < series->count; i++) {
		weights[i] *= (double)series->count / sum;
		if (!(weights[i] >= DBL_MIN && isfinite(weights[i])))
			return err_set(err,
				       "%s: the weights differ too much for one fit; see the point "
				       "at N = %g",
				       series->source, series->points[i].n);
	}
	return 0;
}

static int series_weigh(struct series *series, const struct reading *reading)
{
	double *roots;
	int rc = 0;

	if (reading->request->weighting == WEIGHTS_NONE)
		return 0;
	series->weights = roots = xcalloc(series->count, sizeof(*roots));
	if (reading->request->weighting == WEIGHTS_RELATIVE)
		weigh_relative(roots, series);
	else if (reading->request->weighting == WEIGHTS_COLUMN)
		rc = weigh_by_column(roots, reading);
	else if (reading->request->weighting == WEIGHTS_DEVIATIONS)
		rc = weigh_by_deviations(roots, series, reading);
	else
		rc = weigh_by_windows(roots, series, reading->err);
	return rc ? rc : weights_normalise(roots, series, reading->err);
}

/* --- All series of a table ----------------------------------------------------------------- */

static char *column_title(const struct csv_table *table, int column)
{
	const char *heading = csv_table_heading(table, (size_t)column);

	return heading && *heading ? xstrdup(heading) : xasprintf("%d", column + 1);
}

static void take_weights_title(struct series_origin *origin, const struct series_request *request)
{
	static const char *const titles[] = {[WEIGHTS_NONE] = NULL,
					     [WEIGHTS_RELATIVE] = "relative",
					     [WEIGHTS_STEADY] = "steady"};

	if (request->weighting == WEIGHTS_COLUMN)
		origin->weights = xstrdup(request->weight_column);
	else if (request->weighting == WEIGHTS_DEVIATIONS)
		origin->weights = xasprintf("sd:%s", request->weight_column);
	else if (titles[request->weighting])
		origin->weights = xstrdup(titles[request->weighting]);
}

static void take_origin(struct series_origin *origin, const struct csv_table *table,
			const struct series_columns *columns, const struct series_request *request)
{
	*origin = (struct series_origin){.n = column_title(table, columns->n),
					 .value = column_title(table, columns->value),
					 .quantity = columns->quantity,
					 .scale = columns->scale,
					 .usual = columns->usual && !request->from_log};
	if (columns->clock >= 0)
		origin->clock = column_title(table, columns->clock);
	take_weights_title(origin, request);
	if (columns->work >= 0)
		origin->work = column_title(table, columns->work);
	else if (request->work > 0)
		origin->work = xasprintf("%.17g", request->work);
}

/* --- The load of CPUs -------------------------------------------------------------------------
 * A sweep writes the wall time and the CPU time of each run, and the CPUs that it may use. If it
 * gave each run its own number of CPUs, these are full on purpose.
 */

static double optional_number(const struct reading *reading, size_t row, int column)
{
	struct reading unsaid = *reading;
	struct err err;
	double number;

	unsaid.err = &err;
	return column < 0 || reading_number(&number, &unsaid, row, column) ? NAN : number;
}

static void read_loads(struct series *series, const struct reading *reading)
{
	const struct csv_table *table = reading->table;
	int wall = csv_table_find(table, "wall_s"), cpu = csv_table_find(table, "cpu_s");
	int others = csv_table_find(table, "others");

	series->cpus = series_sweep_cpus(table);
	if (wall < 0 || cpu < 0 || series->windows || !series->cpus)
		return;
	series->loads = xcalloc(series->count, sizeof(*series->loads));
	for (size_t i = 0; i < series->count; i++)
		series->loads[i] = (struct series_load){optional_number(reading, i, cpu) /
								optional_number(reading, i, wall),
							optional_number(reading, i, others)};
}

static int read_one(struct series *series, const struct reading *reading)
{
	take_origin(&series->origin, reading->table, reading->columns, reading->request);
	if (reading->request->from_log ? series_read_log(series, reading)
				       : read_points(series, reading))
		return -1;
	read_loads(series, reading);
	return series_weigh(series, reading);
}

/* Reads the series that the request names, one after the other. */
static int read_each(struct series **series, size_t *count, const struct reading *whole)
{
	struct reading reading = *whole;
	struct series_split split;
	int rc;

	rc = series_split_rows(&split, whole->table, whole->columns, whole->request, whole->err);
	if (!rc)
		*series = xreallocarray(*series, *count + split.names.count, sizeof(**series));
	for (uint32_t i = 0; !rc && i < split.names.count; i++) {
		struct series *one = &(*series)[(*count)++];
		size_t size;
		const char *name = map_key(&split.names, i, &size);

		*one = (struct series){.file = xstrdup(csv_table_source(whole->table))};
		one->name = xasprintf("%.*s", (int)size, name);
		one->source = xasprintf("%s: %s", one->file, one->name);
		reading.rows = split.rows + split.begins[i];
		reading.count = split.begins[i + 1] - split.begins[i];
		rc = read_one(one, &reading);
	}
	series_split_release(&split);
	return rc;
}

int series_read(struct series **series, size_t *count, const struct csv_table *table,
		const struct series_request *request, struct err *err)
{
	static const struct series_request by_names;
	struct series_columns columns;
	struct reading reading = {
		table, &columns, request ? request : &by_names, NULL, csv_table_rows(table), err};
	const char *source = csv_table_source(table);

	if (!reading.count)
		return err_set(err, "%s: has a header and no points; add a row for each N", source);
	if (series_columns_find(&columns, table, reading.request, err))
		return -1;
	if (reading.request->key_count)
		return read_each(series, count, &reading);
	if (!reading.request->pooled && series_refuse_several(table, &columns, err))
		return -1;
	*series = xreallocarray(*series, *count + 1, sizeof(**series));
	(*series)[*count] = (struct series){.file = xstrdup(source), .source = xstrdup(source)};
	return read_one(&(*series)[(*count)++], &reading);
}

void series_release(struct series *series)
{
	free(series->file);
	free(series->name);
	free(series->source);
	free(series->points);
	free(series->weights);
	free(series->trust);
	free(series->windows);
	free(series->loads);
	free(series->origin.n);
	free(series->origin.value);
	free(series->origin.clock);
	free(series->origin.work);
	free(series->origin.weights);
}

/* --- Properties ---------------------------------------------------------------------------- */

size_t series_distinct(const struct series *series)
{
	struct map map = {0};
	size_t distinct;

	for (size_t i = 0; i < series->count; i++) {
		uint64_t bits;

		memcpy(&bits, &series->points[i].n, sizeof(bits));
		map_add_u64(&map, bits);
	}
	distinct = map.count;
	map_release(&map);
	return distinct;
}

double series_max_n(const struct series *series)
{
	double max = series->points[0].n;

	for (size_t i = 1; i < series->count; i++)
		max = series->points[i].n > max ? series->points[i].n : max;
	return max;
}

double series_max_throughput(const struct series *series)
{
	double max = series->points[0].throughput;

	for (size_t i = 1; i < series->count; i++)
		max = fmax(max, series->points[i].throughput);
	return max;
}
