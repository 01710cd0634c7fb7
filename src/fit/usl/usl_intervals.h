/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by the method that was asked for, so that all that is said of the fit is
 * said with the same ones: profile-t (usl_region.h), or bootstrap-t (usl_bootstrap.h).
 */
#ifndef PSCAL_FIT_USL_USL_INTERVALS_H
#define PSCAL_FIT_USL_USL_INTERVALS_H

#include "fit/usl/usl_region.h"

struct usl;
struct usl_bootstrap;

/* All borrowed. */
struct usl_intervals {
	const struct usl *usl; /* the fit */
	struct usl_region *region;
	struct usl_bootstrap *bootstrap; /* in place of that; or NULL */
};

/* As those of usl_region.h. */
struct usl_interval usl_intervals_alpha(const struct usl_intervals *intervals);
struct usl_interval usl_intervals_beta(const struct usl_intervals *intervals);
struct usl_interval usl_intervals_gamma(const struct usl_intervals *intervals);
struct usl_interval usl_intervals_peak_n(const struct usl_intervals *intervals);
struct usl_interval usl_intervals_peak_throughput(const struct usl_intervals *intervals);
struct usl_interval usl_intervals_throughput(const struct usl_intervals *intervals, double n);
struct usl_interval usl_intervals_measurement(const struct usl_intervals *intervals, double n);
struct usl_interval usl_intervals_share(const struct usl_intervals *intervals, enum usl_part part,
					double n);

#endif
