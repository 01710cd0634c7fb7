/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much each point of a series counts: 1 / its variance, scaled to a mean of 1, so that a sum of
 * weighted squares is in the unit of an unweighted one. In a fit with weights the scatter that is
 * estimated is that of a point with weight 1.
 *
 * relative    all points have the same relative error: 1 / X^2.
 * COLUMN      as the table says.
 * sd:COLUMN   1 / the square of the standard deviation in the table, which is that of the column
 *	       measured; of a time T, or a latency, that of X follows as X sd / T.
 * steady      1 / the square of the standard error of the mean over a window of a log.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_WEIGHTS_H
#define PSCAL_STATS_SERIES_SERIES_WEIGHTS_H

#include <stddef.h>

struct csv_table;
struct err;
struct series;
struct series_columns;
struct series_request;

/* Sets series->weights, of points that have been read. Returns 0, or -1 with a sentence. */
int series_weigh(struct series *series, const struct csv_table *table,
		 const struct series_columns *columns, const struct series_request *request,
		 struct err *err);

/* A cell that must be above 0; `what` says of which quantity. Returns 0, or -1 with a sentence. */
int series_positive(double *value, const struct csv_table *table, size_t row, int column,
		    const char *what, struct err *err);

#endif
