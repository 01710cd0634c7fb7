/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Flags ----------------------------------------------------------------------- */

/* With fewer points a single one turns the result. */
enum { FIT_ENOUGH_POINTS = 6 };

/* The most efficient of the superlinear points; NULL where there is none. */
static const struct series_point *most_superlinear(const struct fit_result *result)
{
	const struct series_point *best = NULL;

	for (size_t i = 0; i < result->series->count; i++) {
		const struct series_point *point = &result->series->points[i];

		if (usl_is_superlinear(result->usl, point) &&
		    (!best ||
		     usl_efficiency(result->usl, point) > usl_efficiency(result->usl, best)))
			best = point;
	}
	return best;
}

static double smallest_n(const struct fit_result *result)
{
	double n = INFINITY;

	for (size_t i = 0; i < result->series->count; i++)
		n = fmin(n, result->series->points[i].n);
	return n;
}

/* Are the rows out of the order of N, with each N there once? Repeated ones often come in rounds, and
 * mixed on purpose. */
static bool is_unsorted(const struct fit_result *result)
{
	const struct series *series = result->series;

	for (size_t i = 1; i < series->count; i++)
		if (series->points[i].n < series->points[i - 1].n)
			return result->diagnosis->distinct == series->count;
	return false;
}

/* The conditions of the notes; the first one always holds. */
enum fact {
	ALWAYS,
	FEW_POINTS,
	NO_FREEDOM,
	UNSORTED,
	REPEATED_N,
	SUPERLINEAR,
	CPUS_FULL,
	RETROGRADE,
	KNEE,
	LACK_OF_FIT,
	FEW_RUNS,
	OUTLIER,
	INFLUENTIAL,
	PEAK_UNSTABLE,
	PEAK_EXTRAPOLATED,
	GAMMA_MEASURED,
	FACTS
};

/* Of those that are flags. */
static const char *const flag_words[FACTS] = {
	[FEW_POINTS] = "few_points",	 [NO_FREEDOM] = "no_freedom",
	[UNSORTED] = "unsorted",	 [REPEATED_N] = "repeated_n",
	[SUPERLINEAR] = "superlinear",	 [CPUS_FULL] = "cpus_full",
	[RETROGRADE] = "retrograde",	 [KNEE] = "knee",
	[LACK_OF_FIT] = "lack_of_fit",	 [FEW_RUNS] = "few_runs",
	[OUTLIER] = "outlier",		 [INFLUENTIAL] = "influential",
	[PEAK_UNSTABLE] = "nc_unstable", [PEAK_EXTRAPOLATED] = "nc_extrapolated",
};

_Static_assert((int)FACTS <= (int)FIT_FLAGS, "room for all");

/* A bit for each fact that is true. */
static unsigned facts_of(const struct fit_result *result)
{
	const struct usl *usl = result->usl;
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	const bool holds[FACTS] = {
		[ALWAYS] = true,
		[FEW_POINTS] = usl->n<
			FIT_ENOUGH_POINTS, [NO_FREEDOM] = !usl->df,
			[UNSORTED] = is_unsorted(result),
			[REPEATED_N] = diagnosis->distinct<
				result->series->count,
				[SUPERLINEAR] = most_superlinear(result) != NULL,
				[CPUS_FULL] = !isnan(result->full.n),
				[RETROGRADE] = usl_is_retrograde(usl), [KNEE] = diagnosis->has_knee,
				[LACK_OF_FIT] = usl_diagnosis_lacks_fit(diagnosis),
				[FEW_RUNS] = usl_diagnosis_has_few_runs(diagnosis),
				[OUTLIER] = diagnosis->outliers> 0,
			[INFLUENTIAL] = diagnosis->influence.value>
				       USL_INFLUENTIAL,
		[PEAK_UNSTABLE] = diagnosis->drift.leaves,
		[PEAK_EXTRAPOLATED] = usl_is_extrapolated(usl, usl_peak_n(usl)),
		[GAMMA_MEASURED] = usl->form.gamma_first,
	};
	unsigned facts = 0;

	for (unsigned i = 0; i < FACTS; i++)
		facts |= (unsigned)holds[i] << i;
	return facts;
}

size_t fit_flags(const char *words[FIT_FLAGS], const struct fit_result *result)
{
	unsigned facts = facts_of(result);
	size_t count = 0;

	for (size_t i = 0; i < FACTS; i++)
		if (facts >> i & 1 && flag_words[i])
			words[count++] = flag_words[i];
	return count;
}

size_t fit_point_flags(const char *words[POINT_FLAGS], const struct fit_result *result,
		       size_t point)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	const double half = .5;
	size_t count = 0;

	if (usl_is_superlinear(result->usl, &result->series->points[point]))
		words[count++] = "superlinear";
	if (result->robust && result->series->trust[point] < half)
		words[count++] = "downweighted";
	if (diagnosis->points && diagnosis->points[point].outlier)
		words[count++] = "outlier";
	if (diagnosis->points && diagnosis->points[point].influential)
		words[count++] = "influential";
	return count;
}

/* --- Doubt ----------------------------------------------------------------------- */

static char *say_drifted(double n)
{
	if (n == 0)
		return xstrdup("a fall from the first N on");
	return isinf(n) ? xstrdup("no peak") : xasprintf("%.4g", n);
}

char *fit_drift_text(const struct fit_result *result)
{
	const struct usl_drift *drift = &result->diagnosis->drift;
	char *low = say_drifted(drift->low), *high = say_drifted(drift->high);
	double n = result->series->points[drift->point].n;
	char *text = drift->low == drift->high
			     ? xasprintf("to %s without N = %.6g", high, n)
			     : xasprintf("from %s to %s, farthest without N = %.6g", low, high, n);

	free(low);
	free(high);
	return text;
}

/* Is a point off the curve by 1 % or more? Where all scatter less an outlier changes no verdict. */
static bool outlier_matters(const struct fit_result *result, size_t point)
{
	return fabs(result->diagnosis->points[point].residual) >=
	       .01 * result->series->points[point].throughput;
}

/*
 * The reason why the law itself is doubtful, as the end of a sentence: "the curve does not describe these
 * points (lack of fit, p = 0.003)". NULL where there is none. The caller frees.
 */
static char *fit_doubt(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	if (diagnosis->has_knee)
		return xasprintf("the points from N = %.6g on follow another curve than those "
				 "before (a knee, p = %.2g)",
				 diagnosis->knee.first, diagnosis->knee.p);
	if (usl_diagnosis_lacks_fit(diagnosis))
		return xasprintf("the curve does not describe these points (lack of fit, p = %.2g)",
				 diagnosis->lack_of_fit.p);
	if (usl_diagnosis_has_few_runs(diagnosis))
		return xasprintf("the curve does not describe these points (runs test, p = %.2g)",
				 diagnosis->runs.p_few);
	if (diagnosis->sure_outlier && outlier_matters(result, diagnosis->outlier.point))
		return xasprintf("N = %.6g lies far off the curve",
				 result->series->points[diagnosis->outlier.point].n);
	return NULL;
}

/* --- The verdict ----------------------------------------------------------------- */

/* The verdict is about the full law, whichever one was fitted. */
static const struct usl *full_law(const struct fit_result *result)
{
	return &result->choice->candidates[USL_FULL].usl;
}

static const struct usl_candidate *amdahl_of(const struct fit_result *result)
{
	return &result->choice->candidates[USL_AMDAHL];
}

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

static char *say_too_few(const struct fit_result *result)
{
	if (!result->choice->candidates[USL_FULL].fits)
		return xstrdup("These points cannot tell what limits throughput; measure at three "
			       "or more different N, beginning with 1.");
	if (isnan(result->full_useful.low))
		return xstrdup("Nothing tells how sure this curve is, as it has as many parameters "
			       "as there are points; measure at more N.");
	return NULL;
}

/* Two do more than one where their useful share is above a half. */
static char *say_retrograde(const struct fit_result *result)
{
	if (!usl_is_retrograde(full_law(result)))
		return NULL;
	return xstrdup(2 * result->full_useful.high > 1
			       ? "Throughput falls from the first N on, but these data do not "
				 "exclude that it grows at first."
			       : "Throughput falls from the first N on.");
}

static char *say_constant(const struct fit_result *result)
{
	const double rounding = 1e-9;
	double alpha = full_law(result)->alpha;

	if (full_law(result)->beta != 0 || !(fabs(alpha - 1) <= rounding))
		return NULL;
	return xstrdup("Throughput is the same at all N.");
}

static char *say_endless(const struct fit_result *result)
{
	double pole = usl_pole_n(full_law(result));

	if (isnan(pole))
		return NULL;
	return xasprintf(
		"Without its bounds the curve ends at N = %.6g and has no peak: these data "
		"cannot tell what limits throughput; measure N > %.6g.",
		rounded(pole), full_law(result)->largest_n);
}

/* `shown` is the peak as it is written: where it was rounded, this N may have been measured. */
static const char *say_how_far(const struct fit_result *result, double peak, double shown)
{
	if (usl_is_extrapolated(full_law(result), peak))
		return ", an extrapolation beyond twice the largest N measured";
	return shown > full_law(result)->largest_n ? ", beyond the largest N measured" : "";
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

static char *say_peak(const struct fit_result *result)
{
	const struct usl_interval *interval = &result->full_peak_n;
	double peak = usl_peak_n(full_law(result)), unit, shown;

	if (isnan(peak) || !isfinite(interval->high))
		return NULL;
	unit = unit_between(peak, interval);
	shown = rounded_to(peak, unit);
	if (!(interval->low >= 1))
		return xasprintf("Throughput peaks near N = %.7g, or falls from the first N on; "
				 "a peak above %.7g is excluded%s.",
				 shown, rounded(interval->high), say_how_far(result, peak, shown));
	return xasprintf(
		"Throughput peaks near N = %.7g (%.7g to %.7g)%s.", shown,
		rounded_to(interval->low, fmin(unit, unit_of(interval->low))),
		rounded_to(interval->high, unit < unit_of(peak) ? unit : unit_of(interval->high)),
		say_how_far(result, peak, shown));
}

/* Is there a limit at all? Points on a curve, which have no p, show it by the curve. */
static bool shows_a_limit(const struct fit_result *result)
{
	const struct usl_candidate *amdahl = amdahl_of(result);

	if (isnan(amdahl->p) || !(amdahl->usl.alpha > 0))
		return amdahl->usl.alpha * amdahl->usl.largest_n > 1e-9;
	/* Without bounds p is of both sides. */
	return amdahl->p <= (1 - result->wish->level) / (amdahl->usl.form.unbounded ? 1 : 2);
}

static char *say_superlinear(const struct fit_result *result)
{
	const struct series_point *best = NULL;
	double first = smallest_n(result);

	if (result->choice->superlinear_p <= (1 - result->wish->level) / 2)
		best = most_superlinear(result);
	if (!best)
		return NULL;
	return xasprintf("Throughput grows faster than N (superlinear): at N = %.6g it is %.0f %% "
			 "of %.6g times that of one%s. Either a larger N brings more than itself, "
			 "such as cache, or N = %.6g was measured too slow. No limit shows up to N "
			 "= %.6g.",
			 best->n, 100 * usl_efficiency(result->usl, best), best->n,
			 first != 1 ? " on the curve" : "", first, result->usl->largest_n);
}

static char *say_no_limit(const struct fit_result *result)
{
	double largest = full_law(result)->largest_n;

	if (shows_a_limit(result))
		return NULL;
	return xasprintf("No limit shows up to N = %.6g: these data cannot tell linear scaling "
			 "from throughput that levels off; measure N > %.6g.",
			 largest, largest);
}

static char *say_levels_off(const struct fit_result *result)
{
	const struct usl *amdahl = &amdahl_of(result)->usl;

	if (!isinf(result->full_peak_n.low))
		return NULL;
	return xasprintf("Throughput levels off, and does not peak: it approaches %.4g.",
			 amdahl->gamma / amdahl->alpha);
}

/* A peak below the lower end is excluded; where it would be beyond, one has to look. An end below 1
 * is that of laws that fall from there. */
static char *say_no_peak(const struct fit_result *result)
{
	const struct usl *amdahl = &amdahl_of(result)->usl;
	double look = fmax(full_law(result)->largest_n, result->full_peak_n.low);

	if (!(result->full_peak_n.low >= 1))
		return xasprintf("These data cannot tell Amdahl from USL: throughput approaches "
				 "%.4g, or it peaks, at any N; measure N > %.6g.",
				 amdahl->gamma / amdahl->alpha, rounded(look));
	return xasprintf("These data cannot tell Amdahl from USL: throughput approaches %.4g, or "
			 "it peaks at some N above %.6g; measure N > %.6g.",
			 amdahl->gamma / amdahl->alpha, rounded(result->full_peak_n.low),
			 rounded(look));
}

static char *(*const verdict_rules[])(const struct fit_result *) = {
	say_too_few,	 say_retrograde, say_constant,	 say_endless, say_peak,
	say_superlinear, say_no_limit,	 say_levels_off, say_no_peak,
};

/* "2 CPUs are full from N = 16 on": stands in front of the verdict. The caller frees. */
static char *say_full(const struct fit_result *result)
{
	const struct fit_full *full = &result->full;
	size_t cpus = result->series->cpus;
	char *others, *text;

	if (isnan(full->n))
		return xstrdup("");
	others = full->others < FIT_DISTURBED
			 ? xstrdup("")
			 : xasprintf(", %.1f of them with something else", full->others);
	text = xasprintf("%zu CPU%s full from N = %.6g on%s%s. ", cpus, cpus == 1 ? " is" : "s are",
			 full->n, others,
			 full->n < result->usl->largest_n
				 ? ": beyond it threads wait for a CPU, and the curve counts "
				   "that as contention and coherency"
				 : "");
	free(others);
	return text;
}

/* The full law is the one that was fitted and diagnosed, or the doubt holds for any. */
static bool concerns_full_law(const struct fit_result *result)
{
	return result->diagnosis->has_knee || result->usl->form.model == USL_FULL;
}

/* As the end of the sentence; a sentence of two parts is long enough. */
static char *add_doubt(char *verdict, const struct fit_result *result)
{
	char *doubt = concerns_full_law(result) ? fit_doubt(result) : NULL;
	char *both;

	if (!doubt)
		return verdict;
	verdict[strlen(verdict) - 1] = '\0';
	both = xasprintf("%s%s but %s.", verdict, strchr(verdict, ';') ? ";" : ",", doubt);
	free(verdict);
	free(doubt);
	return both;
}

char *fit_verdict(const struct fit_result *result)
{
	char *verdict = NULL, *full = say_full(result), *both;

	for (size_t i = 0; !verdict && i < COUNT(verdict_rules); i++)
		verdict = verdict_rules[i](result);
	verdict = add_doubt(verdict, result);
	both = xasprintf("%s%s", full, verdict);
	free(full);
	free(verdict);
	return both;
}

/* --- Warnings -------------------------------------------------------------------- */

/* A rule each, which returns a sentence (to be freed) or NULL. */

static char *warn_few_points(const struct fit_result *result)
{
	return xasprintf("There are %zu points only; with fewer than %d a single measurement "
			 "can turn the result: measure at more N.",
			 result->usl->n, FIT_ENOUGH_POINTS);
}

/* A parameter that rounding alone put below 0 is not worth a word. */
static bool is_clearly_negative(double scaled)
{
	return scaled < -1e-9;
}

static char *warn_alpha_bound(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	if (!(usl->bound & USL_BOUND_ALPHA) ||
	    !is_clearly_negative(usl->unbounded_alpha * usl->largest_n))
		return NULL;
	return xasprintf("alpha is on its bound: without it the best alpha would be %.4g. The "
			 "throughput grows faster than N somewhere, or scatters.",
			 usl->unbounded_alpha);
}

static char *warn_beta_bound(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	if (!(usl->bound & USL_BOUND_BETA) ||
	    !is_clearly_negative(usl->unbounded_beta * usl->largest_n * usl->largest_n))
		return NULL;
	return xasprintf("beta is on its bound: without it the best beta would be %.4g. These "
			 "points show no cost of coherency, and no peak.",
			 usl->unbounded_beta);
}

static char *warn_superlinear(const struct fit_result *result)
{
	const struct series_point *best = most_superlinear(result);

	if (!best)
		return NULL;
	if (result->usl->form.unbounded)
		return xasprintf("Some points are superlinear, most of all N = %.6g with an "
				 "efficiency of %.1f %%: the curve may describe that without its "
				 "bounds, but does not explain it.",
				 best->n, 100 * usl_efficiency(result->usl, best));
	return xasprintf("Some points are superlinear, most of all N = %.6g with an efficiency of "
			 "%.1f %%: the measurement at N = %.6g may be slow, or a larger N bring "
			 "more cache; the law does not describe that.",
			 best->n, 100 * usl_efficiency(result->usl, best), smallest_n(result));
}

static char *warn_knee(const struct fit_result *result)
{
	const struct usl_knee *knee = &result->diagnosis->knee;

	return xasprintf("From N = %.6g on these points follow another curve than up to N = %.6g "
			 "(p = %.2g): do threads share cores from there on, or reach a second "
			 "socket? Fit each part by itself.",
			 knee->first, knee->last, knee->p);
}

static char *warn_lack_of_fit(const struct fit_result *result)
{
	return xasprintf("The curve does not describe these points: measurements at the same N "
			 "agree too well for being that far off it (lack of fit, p = %.2g).",
			 result->diagnosis->lack_of_fit.p);
}

static char *warn_few_runs(const struct fit_result *result)
{
	const struct runs_test *runs = &result->diagnosis->runs;

	return xasprintf("The curve does not describe these points: above and below it they lie "
			 "in %zu groups only (runs test, p = %.2g).",
			 runs->runs, runs->p_few);
}

static char *warn_outlier(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	/* A knee throws points off the curve by itself. */
	if (!diagnosis->outliers || (diagnosis->has_knee && !diagnosis->sure_outlier))
		return NULL;
	return xasprintf(
		"The point at N = %.6g is an outlier%s: it is %.3g standard errors off the "
		"curve through the others, where %.3g are rare%s. Measure there again.",
		result->series->points[diagnosis->outlier.point].n,
		diagnosis->outliers > 1 ? ", and not the only one" : "", diagnosis->outlier.value,
		diagnosis->outlier_limit,
		diagnosis->sure_outlier
			? ""
			: ", unless points scatter more where throughput is larger");
}

/* What the fit is without a point; " N_c 97" only where there is one. */
static char *describe_without(const struct fit_result *result, size_t point)
{
	const struct usl_left_out *without = &result->diagnosis->points[point].left_out;
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

static char *warn_influence(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	char *without, *text;

	without = diagnosis->left_out ? describe_without(result, diagnosis->influence.point)
				      : xstrdup("without it the fit would be another");
	text = xasprintf("Much hangs on the point at N = %.6g (Cook's distance %.3g): %s. Measure "
			 "there again.",
			 result->series->points[diagnosis->influence.point].n,
			 diagnosis->influence.value, without);
	free(without);
	return text;
}

static char *warn_drift(const struct fit_result *result)
{
	char *drift, *text;

	drift = fit_drift_text(result);
	text = xasprintf("N_c hangs on single points: with one left out it goes %s.", drift);
	free(drift);
	return text;
}

static char *warn_many_points(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

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

static char *warn_distant_peak(const struct fit_result *result)
{
	return xasprintf("N_c = %.6g is more than twice the largest N measured, %.6g: an "
			 "extrapolation.",
			 usl_peak_n(result->usl), result->usl->largest_n);
}

static char *warn_distant_predictions(const struct fit_result *result)
{
	for (size_t i = 0; i < result->wish->at_count; i++)
		if (usl_is_extrapolated(result->usl, result->wish->at[i]))
			return xasprintf(
				"Predictions beyond N = %.6g, twice the largest N measured, "
				"are extrapolations.",
				2 * result->usl->largest_n);
	return NULL;
}

/* The signs that no cost has: what they say holds where it was measured. */
static char *warn_negative(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

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

	for (size_t i = 0; i < series->count; i++)
		if (!(series->trust[i] > 0) && ++count <= MOST)
			xappend(&names, "", "%sN = %.6g (%.6g)", *names ? ", " : "",
				series->points[i].n, series->points[i].throughput);
	if (count > MOST)
		xappend(&names, "", " and %zu more", count - MOST);
	return names;
}

static char *warn_distrusted(const struct fit_result *result)
{
	char *names, *text = NULL;

	if (!result->robust)
		return NULL;
	names = name_distrusted(result->series);
	if (*names)
		text = xasprintf("The robust fit gives no weight to %s: look for what went wrong "
				 "there, or whether the law does not hold.",
				 names);
	free(names);
	return text;
}

static char *warn_robust_intervals(const struct fit_result *result)
{
	enum { MANY = 20 };

	if (!result->robust || result->usl->n >= MANY)
		return NULL;
	return xasprintf("The intervals of a robust fit are approximate, and with %zu points "
			 "likely too narrow.",
			 result->usl->n);
}

/* A fact, and a sentence or what makes one of the numbers of a fit; else the sentence is about
 * windows of a log. Of what is ALWAYS looked at there may be nothing to say (NULL). */
/* clang-format off */
static const struct {
	enum fact when;
	char *(*say)(const struct fit_result *result);
	const char *sentence;
	enum steady_flag window;
} warnings[] = {
	{.when = FEW_POINTS, .say = warn_few_points},
	{.when = NO_FREEDOM,
	 .sentence = "There are as many parameters as points: the curve passes through all of "
	 "them, and nothing is known about its errors."},
	{.window = STEADY_UNSETTLED},
	{.window = STEADY_SHORT},
	{.window = STEADY_TREND},
	{.window = STEADY_END},
	{.say = warn_distrusted},
	{.say = warn_robust_intervals},
	{.when = GAMMA_MEASURED,
	 .sentence = "gamma is the throughput measured at N = 1 and was not fitted: all else is "
	 "as sure as it says only if that measurement is exact."},
	{.when = UNSORTED,
	 .sentence = "The rows are not in the order of N, which makes no difference to the fit; "
	 "look whether each N stands beside its own throughput."},
	{.when = KNEE, .say = warn_knee},
	{.when = LACK_OF_FIT, .say = warn_lack_of_fit},
	{.when = FEW_RUNS, .say = warn_few_runs},
	{.say = warn_outlier},
	{.when = INFLUENTIAL, .say = warn_influence},
	{.when = PEAK_UNSTABLE, .say = warn_drift},
	{.say = warn_alpha_bound},
	{.say = warn_beta_bound},
	{.say = warn_negative},
	{.say = warn_superlinear},
	{.when = RETROGRADE,
	 .sentence = "Throughput falls from the first N on (retrograde): more N only slow it "
	 "down."},
	{.when = PEAK_EXTRAPOLATED, .say = warn_distant_peak},
	{.say = warn_distant_predictions},
	{.say = warn_many_points},
};
/* clang-format on */

char **fit_warnings(size_t *count, const struct fit_result *result)
{
	char **texts = xcalloc(COUNT(warnings), sizeof(*texts));
	unsigned facts = facts_of(result);

	*count = 0;
	for (size_t i = 0; i < COUNT(warnings); i++) {
		char *text = NULL;

		if (facts >> warnings[i].when & 1)
			text = warnings[i].say ? warnings[i].say(result)
			       : warnings[i].sentence
				       ? xstrdup(warnings[i].sentence)
				       : report_steady_warning(result->series, warnings[i].window);
		if (text)
			texts[(*count)++] = text;
	}
	return texts;
}
