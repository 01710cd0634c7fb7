/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by bootstrap-t: an alternative to those of usl_region.h that does not take
 * the scatter to be normal.
 *
 * The residuals of the fit are adjusted for leverage, r / sqrt(1 - h), and centred; a refit is that
 * of the curve with residuals drawn from these, with replacement. Each quantity is looked at as a
 * linear form of theta (usl_profile.h), or as the value v at which one is 0:
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
#include <stdint.h>

#include "fit/usl/usl_region.h"

struct series;
struct usl;

struct usl_bootstrap;

struct usl_bootstrap_plan {
	size_t refits; /* at least usl_bootstrap_least(level) */
	uint32_t seed; /* the same one gives the same intervals */
	/* Called now and then with the refits done and all of them; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t all);
	void *context;
};

/* So many refits have a quantile on each side: (refits + 1) (1 - level) / 2 >= 1. */
size_t usl_bootstrap_least(double level);

/* Of a fit to the series, which is borrowed. The caller frees. Where n = p no interval is known. */
struct usl_bootstrap *usl_bootstrap_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan);
void usl_bootstrap_free(struct usl_bootstrap *bootstrap);

/* What it was made for. */
const struct usl_bootstrap_plan *usl_bootstrap_plan(const struct usl_bootstrap *bootstrap);

/* The refits that have not led to an optimum, and do not count. */
size_t usl_bootstrap_failed(const struct usl_bootstrap *bootstrap);

/* As those of usl_region.h. */
struct usl_interval usl_bootstrap_alpha(struct usl_bootstrap *bootstrap);
struct usl_interval usl_bootstrap_beta(struct usl_bootstrap *bootstrap);
struct usl_interval usl_bootstrap_gamma(struct usl_bootstrap *bootstrap);
struct usl_interval usl_bootstrap_peak_n(struct usl_bootstrap *bootstrap);
struct usl_interval usl_bootstrap_peak_throughput(struct usl_bootstrap *bootstrap);
struct usl_interval usl_bootstrap_throughput(struct usl_bootstrap *bootstrap, double n);
struct usl_interval usl_bootstrap_share(struct usl_bootstrap *bootstrap, enum usl_part part,
					double n);

#endif
