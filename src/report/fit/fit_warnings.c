/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/fit_warnings.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/fit/fit_flags.h"
#include "report/fit/fit_view.h"
#include "report/fit/report_diagnosis.h"
#include "report/fit/report_steady.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A rule each, which returns a sentence (to be freed) or NULL. */

static char *warn_few_points(const struct fit_view *view)
{
	if (view->usl->n >= FIT_ENOUGH_POINTS)
		return NULL;
	return xasprintf("There are %zu points only; with fewer than %d a single measurement "
			 "can turn the result: measure at more N.",
			 view->usl->n, FIT_ENOUGH_POINTS);
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

static char *warn_unsorted(const struct fit_view *view)
{
	if (!fit_is_unsorted(view))
		return NULL;
	return xstrdup("The rows are not in the order of N, which makes no difference to the fit; "
		       "look whether each N stands beside its own throughput.");
}

static char *warn_knee(const struct fit_view *view)
{
	const struct usl_knee *knee = &view->diagnosis->knee;

	if (!view->diagnosis->has_knee)
		return NULL;
	return xasprintf("From N = %.6g on these points follow another curve than up to N = %.6g "
			 "(p = %.2g): do threads share cores from there on, or reach a second "
			 "socket? Fit each part by itself.",
			 knee->first, knee->last, knee->p);
}

static char *warn_lack_of_fit(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	if (!usl_diagnosis_lacks_fit(diagnosis))
		return NULL;
	return xasprintf("The curve does not describe these points: measurements at the same N "
			 "agree too well for being that far off it (lack of fit, p = %.2g).",
			 diagnosis->lack_of_fit.p);
}

static char *warn_few_runs(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	if (!usl_diagnosis_has_few_runs(diagnosis))
		return NULL;
	return xasprintf("The curve does not describe these points: above and below it they lie "
			 "in %zu groups only (runs test, p = %.2g).",
			 diagnosis->runs.runs, diagnosis->runs.p_few);
}

static char *warn_outlier(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	/* A knee throws points off the curve by itself. */
	if (!diagnosis->outliers || (diagnosis->has_knee && !diagnosis->sure_outlier))
		return NULL;
	return xasprintf(
		"The point at N = %.6g is an outlier%s: it is %.3g standard errors off the "
		"curve through the others, where %.3g are rare%s. Measure there again.",
		view->series->points[diagnosis->outlier.point].n,
		diagnosis->outliers > 1 ? ", and not the only one" : "", diagnosis->outlier.value,
		diagnosis->outlier_limit,
		diagnosis->sure_outlier
			? ""
			: ", unless points scatter more where throughput is larger");
}

/* What the fit is without a point; " N_c 97" only where there is one. */
static char *describe_without(const struct fit_view *view, size_t point)
{
	const struct usl_left_out *without = &view->diagnosis->points[point].left_out;
	char *peak = without->peak_n > 0 && isfinite(without->peak_n)
			     ? xasprintf(" and N_c %.4g", without->peak_n)
			     : xstrdup("");
	char *text = isnan(without->alpha)
			     ? xstrdup("without it nothing could be fitted")
			     : xasprintf("without it alpha would be %.4g, beta %.4g%s",
					 without->alpha, without->beta, peak);

	free(peak);
	return text;
}

static char *warn_influence(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;
	char *without, *text;

	if (!(diagnosis->influence.value > USL_INFLUENTIAL))
		return NULL;
	without = diagnosis->left_out ? describe_without(view, diagnosis->influence.point)
				      : xstrdup("without it the fit would be another");
	text = xasprintf("Much hangs on the point at N = %.6g (Cook's distance %.3g): %s. Measure "
			 "there again.",
			 view->series->points[diagnosis->influence.point].n,
			 diagnosis->influence.value, without);
	free(without);
	return text;
}

static char *warn_drift(const struct fit_view *view)
{
	char *drift, *text;

	if (!view->diagnosis->drift.leaves)
		return NULL;
	drift = report_drift(view);
	text = xasprintf("N_c hangs on single points: with one left out it goes %s.", drift);
	free(drift);
	return text;
}

static char *warn_many_points(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	if (diagnosis->left_out)
		return NULL;
	if (diagnosis->points)
		return xasprintf("With more than %d points, what the fit would be without each of "
				 "them was not computed.",
				 USL_LEAVE_OUT_POINTS);
	return xasprintf("With more than %d points, none was looked at by itself: outliers and "
			 "influential points are not known.",
			 USL_DIAGNOSIS_POINTS);
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

/* "N = 8 (130), N = 12 (20)": N and throughput of the points without trust; at most a few. */
static char *name_distrusted(const struct series *series)
{
	enum { MOST = 5 };
	char *names = xstrdup("");
	size_t count = 0;

	for (size_t i = 0; i < series->count; i++) {
		char *longer;

		if (series->trust[i] > 0 || ++count > MOST)
			continue;
		longer = xasprintf("%s%sN = %.6g (%.6g)", names, *names ? ", " : "",
				   series->points[i].n, series->points[i].throughput);
		free(names);
		names = longer;
	}
	if (count > MOST) {
		char *longer = xasprintf("%s and %zu more", names, count - MOST);

		free(names);
		names = longer;
	}
	return names;
}

static char *warn_distrusted(const struct fit_view *view)
{
	char *names, *text = NULL;

	if (!view->robust)
		return NULL;
	names = name_distrusted(view->series);
	if (*names)
		text = xasprintf("The robust fit gives no weight to %s: look for what went wrong "
				 "there, or whether the law does not hold.",
				 names);
	free(names);
	return text;
}

static char *warn_robust_intervals(const struct fit_view *view)
{
	enum { MANY = 20 };

	if (!view->robust || view->usl->n >= MANY)
		return NULL;
	return xasprintf("The intervals of a robust fit are approximate, and with %zu points "
			 "likely too narrow.",
			 view->usl->n);
}

/* clang-format off */
static char *(*const rules[])(const struct fit_view *) = {
	warn_few_points,
	warn_no_freedom,
	warn_unsettled,
	warn_short_window,
	warn_trend,
	warn_end,
	warn_distrusted,
	warn_robust_intervals,
	warn_gamma_first,
	warn_unsorted,
	warn_knee,
	warn_lack_of_fit,
	warn_few_runs,
	warn_outlier,
	warn_influence,
	warn_drift,
	warn_alpha_bound,
	warn_beta_bound,
	warn_negative,
	warn_superlinear,
	warn_retrograde,
	warn_distant_peak,
	warn_distant_predictions,
	warn_many_points,
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
