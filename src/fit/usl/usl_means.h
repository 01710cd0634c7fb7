/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurements of a series at each N as one: a fit to their weighted means is the fit to all of
 * them, and the scatter about these means does not change it.
 */
#ifndef PSCAL_FIT_USL_USL_MEANS_H
#define PSCAL_FIT_USL_USL_MEANS_H

#include <stddef.h>

struct series;

/* The divisors of N, throughput and weights. */
struct usl_units {
	double n, x, weight;
};

/* Returns the largest of each; 1 for equal weights. */
struct usl_units usl_units_of(const struct series *series);

struct usl_mean {
	double n;
	long double x;	    /* the weighted mean throughput */
	long double weight; /* the sum of the weights */
	long double spread; /* the weighted sum of squares about x */
	double variance;    /* the mean of 1 / weight of the measurements, with full trust */
	size_t count;
};

/*
 * Returns the means in the order of N, in `units`. If there are more than `most` different N,
 * neighbours are joined until hardly more are left; `most` 0: no limit. The caller frees the means.
 */
struct usl_mean *usl_means(size_t *count, const struct series *series,
			   const struct usl_units *units, size_t most);

/*
 * Returns the means as a series in the units of the other, whose weights include the trust, with
 * room for one more point. The caller frees its points and weights.
 */
struct series usl_means_series(const struct series *series, size_t most);

#endif
