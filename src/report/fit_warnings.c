/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit_warnings.h"

#include "base/alloc.h"
#include "fit/usl.h"
#include "report/fit_view.h"
#include "report/report_steady.h"
#include "stats/series.h"

#include <math.h>
#include <stdbool.h>

/* A rule each, which returns a sentence (to be freed) or NULL. */

static char *warn_few_points(const struct fit_view *view)
{
	enum { ENOUGH = 6 };

	if (view->usl->n >= ENOUGH)
		return NULL;
	return xasprintf("There are %zu points only; with fewer than %d a single measurement "
			 "can turn the result: measure at more N.",
			 view->usl->n, ENOUGH);
}

static char *warn_no_freedom(const struct fit_view *view)
{
	if (view->usl->df)
		return NULL;
	return xstrdup("There are as many parameters as points: the curve passes through all of "
		       "them, and nothing is known about its errors.");
}

/* A parameter that rounding alone put below 0 is not worth a word. */
static bool is_clearly_negative(double scaled)
{
	return scaled < -1e-9;
}

static char *warn_alpha_bound(const struct fit_view *view)
{
	const struct usl *usl = view->usl;

	if (!(usl->bound & USL_BOUND_ALPHA) ||
	    !is_clearly_negative(usl->unbounded_alpha * usl->largest_n))
		return NULL;
	return xasprintf("alpha is on its bound: without it the best alpha would be %.4g. The "
			 "throughput grows faster than N somewhere, or scatters.",
			 usl->unbounded_alpha);
}

static char *warn_beta_bound(const struct fit_view *view)
{
	const struct usl *usl = view->usl;

	if (!(usl->bound & USL_BOUND_BETA) ||
	    !is_clearly_negative(usl->unbounded_beta * usl->largest_n * usl->largest_n))
		return NULL;
	return xasprintf("beta is on its bound: without it the best beta would be %.4g. These "
			 "points show no cost of coherency, and no peak.",
			 usl->unbounded_beta);
}

static char *warn_superlinear(const struct fit_view *view)
{
	const struct series_point *best = NULL;

	for (size_t i = 0; i < view->series->count; i++) {
		const struct series_point *point = &view->series->points[i];

		if (usl_is_superlinear(view->usl, point) &&
		    (!best || usl_efficiency(view->usl, point) > usl_efficiency(view->usl, best)))
			best = point;
	}
	if (!best)
		return NULL;
	if (view->usl->form.unbounded)
		return xasprintf("Some points are superlinear, most of all N = %.6g with an "
				 "efficiency of %.1f %%: the curve may describe that without its "
				 "bounds, but does not explain it.",
				 best->n, 100 * usl_efficiency(view->usl, best));
	return xasprintf("Some points are superlinear, most of all N = %.6g with an efficiency of "
			 "%.1f %%: the measurement at N = 1 may be slow, or a larger N bring more "
			 "cache; the law does not describe that.",
			 best->n, 100 * usl_efficiency(view->usl, best));
}

static char *warn_retrograde(const struct fit_view *view)
{
	if (!usl_is_retrograde(view->usl))
		return NULL;
	return xstrdup("Throughput falls from the first N on (retrograde): more N only slow it "
		       "down.");
}

static char *warn_distant_peak(const struct fit_view *view)
{
	double peak = usl_peak_n(view->usl);

	if (!usl_is_extrapolated(view->usl, peak))
		return NULL;
	return xasprintf("N_c = %.6g is more than twice the largest N measured, %.6g: an "
			 "extrapolation.",
			 peak, view->usl->largest_n);
}

static char *warn_distant_predictions(const struct fit_view *view)
{
	for (size_t i = 0; i < view->at_count; i++)
		if (usl_is_extrapolated(view->usl, view->at[i]))
			return xasprintf(
				"Predictions beyond N = %.6g, twice the largest N measured, "
				"are extrapolations.",
				2 * view->usl->largest_n);
	return NULL;
}

static char *warn_unsettled(const struct fit_view *view)
{
	return report_steady_unsettled(view->series);
}

static char *warn_short_window(const struct fit_view *view)
{
	return report_steady_short(view->series);
}

static char *warn_trend(const struct fit_view *view)
{
	return report_steady_trend(view->series);
}

static char *warn_end(const struct fit_view *view)
{
	return report_steady_end(view->series);
}

static char *warn_gamma_first(const struct fit_view *view)
{
	if (!view->usl->form.gamma_first)
		return NULL;
	return xstrdup("gamma is the throughput measured at N = 1 and was not fitted: all else is "
		       "as sure as it says only if that measurement is exact.");
}

/* The signs that no cost has: what they say holds where it was measured. */
static char *warn_negative(const struct fit_view *view)
{
	const struct usl *usl = view->usl;

	if (is_clearly_negative(usl->alpha * usl->largest_n))
		return xasprintf("alpha is below 0 and no share of the work: up to N = %.6g "
				 "throughput grows faster than N.",
				 isnan(usl_payback_n(usl)) ? usl_pole_n(usl) : usl_payback_n(usl));
	if (is_clearly_negative(usl->beta * usl->largest_n * usl->largest_n))
		return xstrdup("beta is below 0, as no cost is: the curve bends upwards beyond "
			       "the points, so do not extrapolate it.");
	return NULL;
}

/* clang-format off */
static char *(*const rules[])(const struct fit_view *) = {
	warn_few_points,
	warn_no_freedom,
	warn_unsettled,
	warn_short_window,
	warn_trend,
	warn_end,
	warn_gamma_first,
	warn_alpha_bound,
	warn_beta_bound,
	warn_negative,
	warn_superlinear,
	warn_retrograde,
	warn_distant_peak,
	warn_distant_predictions,
};
/* clang-format on */

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

char **fit_warnings(size_t *count, const struct fit_view *view)
{
	char **texts = xcalloc(RULES, sizeof(*texts));

	*count = 0;
	for (size_t i = 0; i < RULES; i++)
		if ((texts[*count] = rules[i](view)))
			++*count;
	return texts;
}
