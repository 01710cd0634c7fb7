/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_intervals.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_bootstrap.h"

#include <math.h>

struct usl_interval usl_intervals_alpha(const struct usl_intervals *intervals)
{
	if (intervals->bootstrap)
		return usl_bootstrap_alpha(intervals->bootstrap);
	return usl_region_alpha(intervals->region);
}

struct usl_interval usl_intervals_beta(const struct usl_intervals *intervals)
{
	if (intervals->bootstrap)
		return usl_bootstrap_beta(intervals->bootstrap);
	return usl_region_beta(intervals->region);
}

struct usl_interval usl_intervals_gamma(const struct usl_intervals *intervals)
{
	if (intervals->bootstrap)
		return usl_bootstrap_gamma(intervals->bootstrap);
	return usl_region_gamma(intervals->region);
}

struct usl_interval usl_intervals_peak_n(const struct usl_intervals *intervals)
{
	if (intervals->bootstrap)
		return usl_bootstrap_peak_n(intervals->bootstrap);
	return usl_region_peak_n(intervals->region);
}

struct usl_interval usl_intervals_peak_throughput(const struct usl_intervals *intervals)
{
	if (intervals->bootstrap)
		return usl_bootstrap_peak_throughput(intervals->bootstrap);
	return usl_region_peak_throughput(intervals->region);
}

struct usl_interval usl_intervals_throughput(const struct usl_intervals *intervals, double n)
{
	if (intervals->bootstrap)
		return usl_bootstrap_throughput(intervals->bootstrap, n);
	return usl_region_throughput(intervals->region, n);
}

struct usl_interval usl_intervals_share(const struct usl_intervals *intervals, enum usl_part part,
					double n)
{
	if (intervals->bootstrap)
		return usl_bootstrap_share(intervals->bootstrap, part, n);
	return usl_region_share(intervals->region, part, n);
}

/* The end of a measurement's interval: as far from the curve at x as its scatter and `to`. What the
 * scatter is, those of the profile tell. */
static double with_scatter(double x, double to, double curve_to, double measured_to)
{
	double scatter = sqrt(fmax(0, pow(measured_to - x, 2) - pow(curve_to - x, 2)));

	return x + copysign(hypot(to - x, scatter), measured_to - x);
}

/* The few residuals there are say too little of the tails to be drawn from here. */
struct usl_interval usl_intervals_measurement(const struct usl_intervals *intervals, double n)
{
	struct usl_interval measured = usl_region_measurement(intervals->region, n), curve, to;
	double x = usl_throughput(intervals->usl, n);

	if (!intervals->bootstrap)
		return measured;
	curve = usl_region_throughput(intervals->region, n);
	to = usl_bootstrap_throughput(intervals->bootstrap, n);
	return (struct usl_interval){with_scatter(x, to.low, curve.low, measured.low),
				     with_scatter(x, to.high, curve.high, measured.high)};
}
