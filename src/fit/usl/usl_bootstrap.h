/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by bootstrap-t: an alternative to those of usl_region.h that does not take
 * the scatter to be normal.
 *
 * The residuals of the fit are adjusted for leverage, r / sqrt(1 - h), and centred; a refit is that
 * of the curve with residuals drawn from these, with replacement. Each quantity is looked at as a
 * linear form of theta = (p, q, r), or as the value v at which one is 0:
 *
 *	q - alpha p,  r - beta p,  r - (p - q) / N_c^2,  p - 1/gamma,  D(N) - N / X(N),
 *	a part of D(N) - its share D(N)
 *
 * for these are what is nearly normal: N_c itself runs to infinity where r passes 0. The pivot of
 * a refit is the form, at the value of the fit, over its standard error in the refit; the interval
 * has those values whose form, at the fit, lies between the quantiles of the pivots: for ratios
 * Fieller's construction, with quantiles that were simulated. Refits are without bounds, as pivots
 * then have no jump there; intervals end on the bounds. 1/X_max is no smooth function of theta
 * where the peak runs to infinity: there it is the region of profile-t, as far out as the pivots
 * of D(N_c)/N_c say.
 *
 * Davison and Hinkley, "Bootstrap Methods and their Application", Cambridge 1997, 5.2 and 6.3.
 */
#ifndef PSCAL_FIT_USL_USL_BOOTSTRAP_H
#define PSCAL_FIT_USL_USL_BOOTSTRAP_H

#include <stddef.h>

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

struct usl_bootstrap;

/* Of a fit to the series, which is borrowed. The caller frees. Where n = p no interval is known. */
struct usl_bootstrap *usl_bootstrap_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan);
void usl_bootstrap_free(struct usl_bootstrap *bootstrap);

/* What it was made for. */
const struct usl_bootstrap_plan *usl_bootstrap_plan(const struct usl_bootstrap *bootstrap);

/* The refits that have not led to an optimum, and do not count. */
size_t usl_bootstrap_failed(const struct usl_bootstrap *bootstrap);

/* As usl_region_interval; of a measurement there is none. */
struct usl_interval usl_bootstrap_interval(struct usl_bootstrap *bootstrap,
					   enum usl_quantity quantity, double n);

#endif
