/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "stats/series/series_columns.h"
#include "stats/series/series_log.h"
#include "stats/series/series_weights.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* X(N), of what was measured. */
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

/* Not even NaN. */
static bool is_in_range(double value)
{
	return value >= SERIES_LEAST && value <= SERIES_MOST;
}

int series_check_range(const struct series_point *point, const struct csv_table *table, size_t row,
		       const struct series_columns *columns, struct err *err)
{
	bool n = is_in_range(point->n);

	if (n && is_in_range(point->throughput))
		return 0;
	err_set(err, "%s of %g is too %s to be squared; give it in another unit",
		n ? "a throughput" : "an N", n ? point->throughput : point->n,
		(n ? point->throughput : point->n) < 1 ? "small" : "large");
	return csv_table_wrap(table, row, (size_t)(n ? columns->value : columns->n), err);
}

struct reading {
	const struct csv_table *table;
	const struct series_columns *columns;
	double work;	  /* if there is no column of it */
	const char *what; /* the value is */
	struct err *err;
};

static int read_point(struct series_point *point, const struct reading *reading, size_t row)
{
	const struct series_columns *columns = reading->columns;
	double work = reading->work, value;

	if (series_positive(&point->n, reading->table, row, columns->n, "N", reading->err) ||
	    series_positive(&value, reading->table, row, columns->value, reading->what,
			    reading->err))
		return -1;
	if (columns->work >= 0 &&
	    series_positive(&work, reading->table, row, columns->work, "the work", reading->err))
		return -1;
	point->throughput = throughput_of(columns, point->n, value, work);
	return series_check_range(point, reading->table, row, columns, reading->err);
}

static int read_points(struct series *series, const struct csv_table *table,
		       const struct series_columns *columns, const struct series_request *request,
		       struct err *err)
{
	char what[40];
	const struct reading reading = {table, columns, request->work > 0 ? request->work : 1, what,
					err};
	size_t rows = csv_table_rows(table);

	snprintf(what, sizeof(what), "the %s", quantity_name(columns->quantity));
	series->points = xcalloc(rows, sizeof(*series->points));
	for (; series->count < rows; series->count++)
		if (read_point(&series->points[series->count], &reading, series->count))
			return -1;
	return 0;
}

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

int series_read_as(struct series *series, const struct csv_table *table,
		   const struct series_request *request, struct err *err)
{
	struct series_columns columns;

	*series = (struct series){.source = xstrdup(csv_table_source(table))};
	if (!csv_table_rows(table))
		return err_set(err, "%s: holds a header and no points; add a line for each N",
			       series->source);
	if (series_columns_find(&columns, table, request, err))
		return -1;
	take_origin(&series->origin, table, &columns, request);
	if (request->from_log ? series_log_read(series, table, &columns, request->cut_end, err)
			      : read_points(series, table, &columns, request, err))
		return -1;
	return series_weigh(series, table, &columns, request, err);
}

int series_read(struct series *series, const struct csv_table *table, struct err *err)
{
	return series_read_as(series, table, &(struct series_request){.column_count = 0}, err);
}

void series_release(struct series *series)
{
	free(series->source);
	free(series->points);
	free(series->weights);
	free(series->trust);
	free(series->windows);
	free(series->origin.n);
	free(series->origin.value);
	free(series->origin.clock);
	free(series->origin.work);
	free(series->origin.weights);
}

/* Adds a number to a table of 2^bits slots; 0 is an empty one. Is it new? */
static bool is_new(double *slots, unsigned bits, double number)
{
	size_t mask = ((size_t)1 << bits) - 1;
	uint64_t hash;

	memcpy(&hash, &number, sizeof(hash));
	hash = hash * 0x9e3779b97f4a7c15 >> (64 - bits);
	while (slots[hash] != 0 && slots[hash] != number)
		hash = (hash + 1) & mask;
	if (slots[hash] != 0)
		return false;
	slots[hash] = number;
	return true;
}

static size_t count_sorted(const struct series *series)
{
	double *n = xcalloc(series->count, sizeof(*n));
	size_t distinct = 0;

	for (size_t i = 0; i < series->count; i++)
		n[i] = series->points[i].n;
	gsl_sort(n, 1, series->count);
	for (size_t i = 0; i < series->count; i++)
		distinct += i == 0 || n[i] != n[i - 1];
	free(n);
	return distinct;
}

/* There are few N, however many points. */
size_t series_distinct(const struct series *series)
{
	enum { BITS = 10, FEW = 1 << (BITS - 1) };
	double slots[1 << BITS] = {0};
	size_t distinct = 0;

	for (size_t i = 0; i < series->count && distinct <= FEW; i++)
		distinct += is_new(slots, BITS, series->points[i].n);
	return distinct <= FEW ? distinct : count_sorted(series);
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
