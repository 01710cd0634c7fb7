/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_intervals.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_bootstrap.h"
#include "fit/usl/usl_region.h"

#include <math.h>
#include <stdlib.h>

struct usl_intervals {
	const struct usl *usl;
	struct usl_region *region;
	struct usl_bootstrap *bootstrap; /* NULL: the method is profile-t */
};

struct usl_intervals *usl_intervals_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan)
{
	struct usl_intervals *intervals = xcalloc(1, sizeof(*intervals));

	intervals->usl = usl;
	intervals->region = usl_region_new(usl, series, level);
	if (plan)
		intervals->bootstrap = usl_bootstrap_new(usl, series, level, plan);
	return intervals;
}

void usl_intervals_free(struct usl_intervals *intervals)
{
	if (!intervals)
		return;
	usl_region_free(intervals->region);
	usl_bootstrap_free(intervals->bootstrap);
	free(intervals);
}

const struct usl *usl_intervals_fit(const struct usl_intervals *intervals)
{
	return intervals->usl;
}

const struct usl_bootstrap_plan *usl_intervals_plan(const struct usl_intervals *intervals,
						    size_t *failed)
{
	if (!intervals->bootstrap)
		return NULL;
	if (failed)
		*failed = usl_bootstrap_failed(intervals->bootstrap);
	return usl_bootstrap_plan(intervals->bootstrap);
}

/* The end of a measurement's interval: as far from the curve at x as its scatter and `to`. The
 * intervals of the profile tell the scatter. */
static double with_scatter(double x, double to, double curve_to, double measured_to)
{
	double scatter = sqrt(fmax(0, pow(measured_to - x, 2) - pow(curve_to - x, 2)));

	return x + copysign(hypot(to - x, scatter), measured_to - x);
}

/* The few residuals there are say too little of the tails to be drawn from here. */
static struct usl_interval bootstrap_measurement(const struct usl_intervals *intervals, double n)
{
	double x = usl_throughput(intervals->usl, n);
	struct usl_interval measured = usl_region_interval(intervals->region, USL_MEASURED, n);
	struct usl_interval curve = usl_region_interval(intervals->region, USL_X, n);
	struct usl_interval to = usl_bootstrap_interval(intervals->bootstrap, USL_X, n);

	return (struct usl_interval){with_scatter(x, to.low, curve.low, measured.low),
				     with_scatter(x, to.high, curve.high, measured.high)};
}

struct usl_interval usl_interval_of(const struct usl_intervals *intervals,
				    enum usl_quantity quantity, double n)
{
	if (!intervals->bootstrap)
		return usl_region_interval(intervals->region, quantity, n);
	if (quantity == USL_MEASURED)
		return bootstrap_measurement(intervals, n);
	return usl_bootstrap_interval(intervals->bootstrap, quantity, n);
}
