/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurements of a series at each N as one: a law is fitted to their weighted means as it is
 * to all of them, and what they scatter about these means it cannot change.
 */
#ifndef PSCAL_FIT_USL_USL_MEANS_H
#define PSCAL_FIT_USL_USL_MEANS_H

#include <stddef.h>

struct series;

/* The divisors of N, throughput and weights. */
struct usl_units {
	double n, x, weight;
};

/* The largest of each; 1 for weights where all points count alike. */
struct usl_units usl_units_of(const struct series *series);

struct usl_mean {
	double n;
	long double x;	    /* the weighted mean throughput */
	long double weight; /* the sum of the weights */
	long double spread; /* the weighted sum of squares about x */
	double variance;    /* of one measurement: the mean of 1 / weight, all trusted */
	size_t count;
};

/*
 * In the order of N, in units. Where more than `most` N differ, neighbours are taken together until
 * hardly more are left; `most` 0 leaves them. The caller frees.
 */
struct usl_mean *usl_means(size_t *count, const struct series *series,
			   const struct usl_units *units, size_t most);

/*
 * The same as a series in the units of the other, whose weights are as far as they are trusted,
 * with room for one more point. The caller frees its points and weights.
 */
struct series usl_means_series(const struct series *series, size_t most);

#endif
