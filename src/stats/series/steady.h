/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a time series of measurements is steady: MSER-5.
 *
 * The values are taken in batches of five. Of the batch means Z_1 .. Z_k the first d are cut, with
 * the d that makes the squared standard error of the mean of the others least,
 *
 *	MSER(d) = sum_{i > d} (Z_i - mean)^2 / (k - d)^2,
 *
 * as bias makes it large and so does cutting what is good. Only the first half may be cut, and five
 * batches are left in any case, since the error of fewer is small by chance: a cut at this limit
 * means that no steady part was found. K. P. White, "An effective truncation heuristic for bias
 * reduction in simulation output", Simulation 69(6), 1997; batches: Spratt 1998.
 */
#ifndef PSCAL_STATS_SERIES_STEADY_H
#define PSCAL_STATS_SERIES_STEADY_H

#include <stdbool.h>
#include <stddef.h>

enum { STEADY_BATCH = 5, STEADY_BATCHES_KEPT = 5, STEADY_BATCHES_ENOUGH = 10 };

struct steady {
	size_t begin, end; /* values[begin..end) are the window */
	size_t batches;	   /* in it */
	bool at_limit;	   /* as much was cut as may be: never steady */
	bool ends_off;	   /* not asked to, cutting the end would move the mean by more than 2 % */
	double mean;	   /* of the batch means in it */
	double se;	   /* ... its standard error, were batches independent; NaN if unknown */
	/*
	 * The least-squares line through the batch means: its rise over the window relative to
	 * their mean, and the p that it has none (two-sided t-test). NaN for fewer than 3 batches.
	 */
	double rise, rise_p;
};

/*
 * `count` > 0. What fills no batch at the end is left out; of fewer than STEADY_BATCH values all
 * are taken. With `cut_end` the end is cut by the same rule, turn by turn with the beginning until
 * neither changes; together they may cut half.
 */
void steady_find(struct steady *steady, const double *values, size_t count, bool cut_end);

/* Does the throughput still rise or fall in the window: surely (p < 0.01) and by more than 2 %? */
bool steady_trends(const struct steady *steady);

#endif
