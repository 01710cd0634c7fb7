/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_verdict.h"

#include "base/alloc.h"
#include "fit/usl/usl_choice.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/fit/fit_view.h"
#include "report/fit/report_diagnosis.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct evidence {
	const struct usl_choice *choice;
	const struct usl *usl;	    /* the full law */
	struct usl_interval peak_n; /* of it */
	struct usl_interval useful; /* share of two; NaN where no interval is known */
	double level;
};

/* Whole numbers, or three digits: more would promise too much. */
static double unit_of(double n)
{
	return n < 10 ? .1 : n < 1000 ? 1 : pow(10, floor(log10(n)) - 2);
}

static double rounded_to(double n, double unit)
{
	return round(n / unit) * unit;
}

static double rounded(double n)
{
	return rounded_to(n, unit_of(n));
}

/* Rules in their order: each returns a sentence, or NULL where it has nothing to say. */

static char *say_too_few(const struct evidence *evidence)
{
	if (!evidence->choice->candidates[USL_FULL].fits)
		return xstrdup("These points cannot tell what limits throughput; measure at three "
			       "or more different N, beginning with 1.");
	if (isnan(evidence->useful.low))
		return xstrdup("Nothing tells how sure this curve is, as it has as many parameters "
			       "as there are points; measure at more N.");
	return NULL;
}

/* Two do more than one where their useful share is above a half. */
static char *say_retrograde(const struct evidence *evidence)
{
	if (!usl_is_retrograde(evidence->usl))
		return NULL;
	return xstrdup(2 * evidence->useful.high > 1
			       ? "Throughput falls from the first N on, but these data do not "
				 "exclude that it grows at first."
			       : "Throughput falls from the first N on.");
}

static char *say_constant(const struct evidence *evidence)
{
	const double rounding = 1e-9;
	double alpha = evidence->usl->alpha;

	if (evidence->usl->beta != 0 || !(fabs(alpha - 1) <= rounding))
		return NULL;
	return xstrdup("Throughput is the same at all N.");
}

static char *say_endless(const struct evidence *evidence)
{
	double pole = usl_pole_n(evidence->usl);

	if (isnan(pole))
		return NULL;
	return xasprintf(
		"Without its bounds the curve ends at N = %.6g and has no peak: these data "
		"cannot tell what limits throughput; measure N > %.6g.",
		rounded(pole), evidence->usl->largest_n);
}

static const char *say_how_far(const struct evidence *evidence, double peak)
{
	if (usl_is_extrapolated(evidence->usl, peak))
		return ", an extrapolation beyond twice the largest N measured";
	return peak > evidence->usl->largest_n ? ", beyond the largest N measured" : "";
}

/* A power of 10 that tells the ends of a short interval apart. */
static double unit_between(double n, const struct usl_interval *interval)
{
	const double digits = 1e-6;
	double unit = unit_of(n);

	while (interval->high - interval->low < 2 * unit && unit > digits * n)
		unit /= 10;
	return unit;
}

static char *say_peak(const struct evidence *evidence)
{
	const struct usl_interval *interval = &evidence->peak_n;
	double peak = usl_peak_n(evidence->usl), unit;

	if (isnan(peak) || !isfinite(interval->high))
		return NULL;
	unit = unit_between(peak, interval);
	if (!(interval->low >= 1))
		return xasprintf("Throughput peaks near N = %.7g, or falls from the first N on; "
				 "a peak above %.7g is excluded%s.",
				 rounded_to(peak, unit), rounded(interval->high),
				 say_how_far(evidence, peak));
	return xasprintf(
		"Throughput peaks near N = %.7g (%.7g to %.7g)%s.", rounded_to(peak, unit),
		rounded_to(interval->low, fmin(unit, unit_of(interval->low))),
		rounded_to(interval->high, unit < unit_of(peak) ? unit : unit_of(interval->high)),
		say_how_far(evidence, peak));
}

/* Is there a limit at all? Points on a curve, which have no p, show it by the curve. */
static bool shows_a_limit(const struct evidence *evidence)
{
	const struct usl_candidate *amdahl = &evidence->choice->candidates[USL_AMDAHL];

	if (isnan(amdahl->p) || !(amdahl->usl.alpha > 0))
		return amdahl->usl.alpha * amdahl->usl.largest_n > 1e-9;
	/* Without bounds p is of both sides. */
	return amdahl->p <= (1 - evidence->level) / (amdahl->usl.form.unbounded ? 1 : 2);
}

static char *say_no_limit(const struct evidence *evidence)
{
	double largest = evidence->usl->largest_n;

	if (shows_a_limit(evidence))
		return NULL;
	return xasprintf("No limit shows up to N = %.6g: these data cannot tell linear scaling "
			 "from throughput that levels off; measure N > %.6g.",
			 largest, largest);
}

static char *say_levels_off(const struct evidence *evidence)
{
	const struct usl *amdahl = &evidence->choice->candidates[USL_AMDAHL].usl;

	if (!isinf(evidence->peak_n.low))
		return NULL;
	return xasprintf("Throughput levels off, and does not peak: it approaches %.4g.",
			 amdahl->gamma / amdahl->alpha);
}

/* A peak below the lower end is excluded; where it would be beyond, one has to look. An end below 1
 * is that of laws that fall from there. */
static char *say_no_peak(const struct evidence *evidence)
{
	const struct usl *amdahl = &evidence->choice->candidates[USL_AMDAHL].usl;
	double look = fmax(evidence->usl->largest_n, evidence->peak_n.low);

	if (!(evidence->peak_n.low >= 1))
		return xasprintf("These data cannot tell Amdahl from USL: throughput approaches "
				 "%.4g, or it peaks, at any N; measure N > %.6g.",
				 amdahl->gamma / amdahl->alpha, rounded(look));
	return xasprintf("These data cannot tell Amdahl from USL: throughput approaches %.4g, or "
			 "it peaks at some N above %.6g; measure N > %.6g.",
			 amdahl->gamma / amdahl->alpha, rounded(evidence->peak_n.low),
			 rounded(look));
}

static char *(*const rules[])(const struct evidence *) = {
	say_too_few, say_retrograde, say_constant,   say_endless,
	say_peak,    say_no_limit,   say_levels_off, say_no_peak,
};

/* The full law is the one that was fitted and diagnosed, or the doubt holds for any. */
static bool concerns_full_law(const struct fit_view *view)
{
	return view->diagnosis->has_knee || view->usl->form.model == USL_FULL;
}

/* As the end of the sentence; a sentence of two parts is long enough. */
static char *add_doubt(char *verdict, const struct fit_view *view)
{
	char *doubt = concerns_full_law(view) ? report_doubt(view) : NULL;
	char *both;

	if (!doubt)
		return verdict;
	verdict[strlen(verdict) - 1] = '\0';
	both = xasprintf("%s%s but %s.", verdict, strchr(verdict, ';') ? ";" : ",", doubt);
	free(verdict);
	free(doubt);
	return both;
}

/* The verdict is of the full law. */
static void take_evidence(struct evidence *evidence, const struct fit_view *view)
{
	struct usl_intervals *full;

	if (!evidence->choice->candidates[USL_FULL].fits)
		return;
	full = usl_intervals_new(evidence->usl, view->series, view->level, NULL);
	if (view->usl->form.model == USL_FULL && usl_intervals_plan(view->intervals, NULL))
		evidence->peak_n = usl_interval_of(view->intervals, USL_PEAK_N, 0);
	else
		evidence->peak_n = usl_interval_of(full, USL_PEAK_N, 0);
	evidence->useful = usl_interval_of(full, USL_USEFUL, 2);
	usl_intervals_free(full);
}

char *report_verdict(const struct fit_view *view)
{
	struct evidence evidence = {.choice = view->choice,
				    .usl = &view->choice->candidates[USL_FULL].usl,
				    .level = view->level};
	char *verdict = NULL;

	take_evidence(&evidence, view);
	for (size_t i = 0; !verdict && i < sizeof(rules) / sizeof(rules[0]); i++)
		verdict = rules[i](&evidence);
	return add_doubt(verdict, view);
}
