/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The confidence region of a fit, and the interval of each quantity in it: profile-t,
 *
 *	{ theta : S(theta) <= S(best) (1 + t^2 / (n - p)) }
 *
 * with the quantile t, (1 + level) / 2, of Student's distribution for n - p degrees of freedom, n
 * points and p parameters of the model, including those on a bound. The interval of a quantity goes
 * from its least to its largest value in the region: for a quantity that is linear in theta this is
 * the usual t interval; for others it keeps the level, which best +- t standard errors does not.
 * Ends may be infinite, and on the bounds.
 */
#ifndef PSCAL_FIT_USL_USL_REGION_H
#define PSCAL_FIT_USL_USL_REGION_H

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

struct usl_region;

/*
 * Returns the variance of a point of weight 1 for regions: S(best) / (n - p), or in robust fits the
 * squared scatter with Huber's correction. NaN if n = p.
 */
double usl_region_variance(const struct usl *usl, const struct series *series);

/*
 * Makes the region of a fit to the series, which may be released at once, with the bounds of the
 * fit. If n = p no interval is known. The caller frees the region.
 */
struct usl_region *usl_region_new(const struct usl *usl, const struct series *series, double level);
void usl_region_free(struct usl_region *region);

/* Returns the interval of a quantity; `n` is N for those that depend on it. */
struct usl_interval usl_region_interval(struct usl_region *region, enum usl_quantity quantity,
					double n);

#endif
