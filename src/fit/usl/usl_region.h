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

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

struct usl_region;

/*
 * The variance of a point of weight 1 that regions go by: S(best) / (n - p), or in robust fits
 * their scatter squared with Huber's correction. NaN where n = p.
 */
double usl_region_variance(const struct usl *usl, const struct series *series);

/*
 * Of a fit to the series, which may be released at once, with the bounds that the fit has. Where
 * n = p no interval is known. The caller frees.
 */
struct usl_region *usl_region_new(const struct usl *usl, const struct series *series, double level);
void usl_region_free(struct usl_region *region);

/* Of a quantity; `n` is the N of those that have one. */
struct usl_interval usl_region_interval(struct usl_region *region, enum usl_quantity quantity,
					double n);

#endif
