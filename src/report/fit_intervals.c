/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit_intervals.h"

#include "fit/usl.h"
#include "fit/usl_bootstrap.h"
#include "report/fit_view.h"

#include <math.h>

static const struct {
	struct usl_interval (*by_profile)(struct usl_region *region);
	struct usl_interval (*by_bootstrap)(struct usl_bootstrap *bootstrap);
} quantities[] = {
	[FIT_ALPHA] = {usl_region_alpha, usl_bootstrap_alpha},
	[FIT_BETA] = {usl_region_beta, usl_bootstrap_beta},
	[FIT_GAMMA] = {usl_region_gamma, usl_bootstrap_gamma},
	[FIT_PEAK_N] = {usl_region_peak_n, usl_bootstrap_peak_n},
	[FIT_PEAK_THROUGHPUT] = {usl_region_peak_throughput, usl_bootstrap_peak_throughput},
};

struct usl_bootstrap *fit_full_bootstrap(const struct fit_view *view)
{
	return view->usl->form.model == USL_FULL ? view->bootstrap : NULL;
}

const char *fit_interval_method(const struct fit_view *view)
{
	return view->bootstrap ? "bootstrap-t" : "profile-t";
}

struct usl_interval fit_interval(const struct fit_view *view, enum fit_quantity quantity)
{
	if (view->bootstrap)
		return quantities[quantity].by_bootstrap(view->bootstrap);
	return quantities[quantity].by_profile(view->region);
}

struct usl_interval fit_interval_throughput(const struct fit_view *view, double n)
{
	if (view->bootstrap)
		return usl_bootstrap_throughput(view->bootstrap, n);
	return usl_region_throughput(view->region, n);
}

/* The end of a measurement's interval: as far from the curve at x as its scatter and `to`. What the
 * scatter is, those of the profile tell. */
static double with_scatter(double x, double to, double curve_to, double measured_to)
{
	double scatter = sqrt(fmax(0, pow(measured_to - x, 2) - pow(curve_to - x, 2)));

	return x + copysign(hypot(to - x, scatter), measured_to - x);
}

/* The few residuals there are say too little of the tails to be drawn from here. */
struct usl_interval fit_interval_measurement(const struct fit_view *view, double n)
{
	struct usl_interval measured = usl_region_measurement(view->region, n), curve, to;
	double x = usl_throughput(view->usl, n);

	if (!view->bootstrap)
		return measured;
	curve = usl_region_throughput(view->region, n);
	to = usl_bootstrap_throughput(view->bootstrap, n);
	return (struct usl_interval){with_scatter(x, to.low, curve.low, measured.low),
				     with_scatter(x, to.high, curve.high, measured.high)};
}
