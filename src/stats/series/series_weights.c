/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_weights.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "stats/series/series.h"
#include "stats/series/series_columns.h"
#include "stats/series/series_log.h"

#include <float.h>
#include <math.h>

int series_positive(double *value, const struct csv_table *table, size_t row, int column,
		    const char *what, struct err *err)
{
	if (csv_table_number(table, value, row, (size_t)column, err))
		return -1;
	if (*value > 0)
		return 0;
	err_set(err, "%s must be above 0, not %g", what, *value);
	return csv_table_wrap(table, row, (size_t)column, err);
}

/* Roots of weights, up to a common factor. What no double holds becomes 0 or infinite. */

static void take_relative(double *roots, const struct series *series)
{
	double max = series_max_throughput(series);

	for (size_t i = 0; i < series->count; i++)
		roots[i] = max / series->points[i].throughput;
}

static int take_column(double *roots, const struct csv_table *table, int column, size_t count,
		       struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		double weight;

		if (series_positive(&weight, table, i, column, "a weight", err))
			return -1;
		roots[i] = sqrt(weight);
	}
	return 0;
}

static int take_deviations(double *roots, const struct series *series,
			   const struct csv_table *table, const struct series_columns *columns,
			   struct err *err)
{
	bool reciprocal =
		columns->quantity == QUANTITY_TIME || columns->quantity == QUANTITY_LATENCY;

	for (size_t i = 0; i < series->count; i++) {
		double deviation, value = 0;

		if (series_positive(&deviation, table, i, columns->weight, "a standard deviation",
				    err) ||
		    csv_table_number(table, &value, i, (size_t)columns->value, err))
			return -1;
		/* X = W / T has the relative error of T. */
		roots[i] = reciprocal ? value / deviation / series->points[i].throughput
				      : 1 / deviation;
	}
	return 0;
}

static int take_windows(double *roots, const struct series *series, struct err *err)
{
	for (size_t i = 0; i < series->count; i++) {
		double error = series->windows[i].steady.se;

		if (!(error > 0))
			return err_set(err,
				       "%s: nothing is known of the error of the window at N = %g; "
				       "fit without --weights steady",
				       series->source, series->windows[i].n);
		roots[i] = 1 / error;
	}
	return 0;
}

/* Squares, with a mean of 1. */
static int normalise(double *weights, const struct series *series, struct err *err)
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
				       "%s: the weights of its points are too far apart for one "
				       "fit; look at the point at N = %g",
				       series->source, series->points[i].n);
	}
	return 0;
}

int series_weigh(struct series *series, const struct csv_table *table,
		 const struct series_columns *columns, const struct series_request *request,
		 struct err *err)
{
	int rc = 0;

	if (request->weighting == WEIGHTS_NONE)
		return 0;
	series->weights = xcalloc(series->count, sizeof(*series->weights));
	switch (request->weighting) {
	case WEIGHTS_NONE:
		break;
	case WEIGHTS_RELATIVE:
		take_relative(series->weights, series);
		break;
	case WEIGHTS_COLUMN:
		rc = take_column(series->weights, table, columns->weight, series->count, err);
		break;
	case WEIGHTS_DEVIATIONS:
		rc = take_deviations(series->weights, series, table, columns, err);
		break;
	case WEIGHTS_STEADY:
		rc = take_windows(series->weights, series, err);
		break;
	}
	return rc ? rc : normalise(series->weights, series, err);
}
