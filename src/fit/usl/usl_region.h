/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The confidence region of a fit, and the interval of each quantity in it: profile-t,
 *
 *	{ theta : S(theta) <= S(best) (1 + t^2 / (n - p)) }
 *
 * with t the quantile (1 + level) / 2 of Student's distribution for n - p degrees of freedom, n
 * points and p parameters of the model, those on a bound counted in. The interval of a quantity is
 * from its least to its largest value there: for all that is linear in theta this is the usual t
 * interval, and for what is not it keeps the level where best +- t standard errors does not. Ends
 * can be infinite, and on the bounds.
 */
#ifndef PSCAL_FIT_USL_USL_REGION_H
#define PSCAL_FIT_USL_USL_REGION_H

#include <stdbool.h>

struct series;
struct usl;

struct usl_interval {
	double low, high; /* either may be infinite; both NaN where there is none */
};

struct usl_region;

/*
 * The variance of a point of weight 1 that regions go by: S(best) / (n - p), or in robust fits
 * their scatter squared with Huber's correction. NaN where n = p.
 */
double usl_region_variance(const struct usl *usl, const struct series *series);

/* Beyond so many different N, neighbours are taken together. */
enum { USL_REGION_POINTS = 500 };

/*
 * Of a fit to the series, which may be released at once, with the bounds that the fit has. Where
 * n = p no interval is known. The caller frees.
 */
struct usl_region *usl_region_new(const struct usl *usl, const struct series *series, double level);
void usl_region_free(struct usl_region *region);

/* Both ends are the value itself of a parameter that is not fitted. */
struct usl_interval usl_region_alpha(struct usl_region *region);
struct usl_interval usl_region_beta(struct usl_region *region);
struct usl_interval usl_region_gamma(struct usl_region *region);

/*
 * Of N_c: infinite where a law without a peak is in the region, low = 0 where one is that falls
 * from the start. None where beta is not fitted, or where the best fit itself falls from the
 * start.
 */
struct usl_interval usl_region_peak_n(struct usl_region *region);

/* Of the largest throughput, at any N; what it approaches, where there is no peak. None where the
 * best fit falls from the start (alpha >= 1). */
struct usl_interval usl_region_peak_throughput(struct usl_region *region);

/* Of the mean throughput at N. */
struct usl_interval usl_region_throughput(struct usl_region *region, double n);

/*
 * Of the parts of D(N) = 1 + alpha (N - 1) + beta N (N - 1), as shares of it: what N work on, what
 * they lose to contention, and to coherency. The useful share is the efficiency of the curve,
 * X(N) / (N gamma).
 */
enum usl_part { USL_USEFUL, USL_CONTENTION, USL_COHERENCY };
struct usl_interval usl_region_share(struct usl_region *region, enum usl_part part, double n);

/* Of one more measurement at N, weighted as those made there; between two N and beyond the
 * outermost its variance is that of its neighbours. */
struct usl_interval usl_region_measurement(struct usl_region *region, double n);

#endif
