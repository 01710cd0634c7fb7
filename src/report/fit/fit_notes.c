/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/report.h"
#include "report/sweep/report_sweep.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Flags ----------------------------------------------------------------------- */

/* The smallest number of points at which a single one does not change the result. */
enum { FIT_ENOUGH_POINTS = 6 };

/* Returns the superlinear point with the highest efficiency; NULL: none is superlinear. */
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

/*
 * Returns whether the rows are not in the order of N, and each N is there once. Repeated N often
 * come in rounds, in random order on purpose.
 */
static bool is_unsorted(const struct fit_result *result)
{
	const struct series *series = result->series;

	for (size_t i = 1; i < series->count; i++)
		if (series->points[i].n < series->points[i - 1].n)
			return result->diagnosis->distinct == series->count;
	return false;
}

/* The conditions of notes; the first one always holds. */
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

/* The words of conditions that are flags. */
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

/* Returns a bit for each condition that holds. */
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

/* --- Parts of sentences --------------------------------------------------------- */

static char *say_drifted(double n)
{
	if (n == 0)
		return xstrdup("a fall from the first N on");
	return isinf(n) ? xstrdup("no peak") : xasprintf("%.3g", n);
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

/* --- The verdict ----------------------------------------------------------------- */

/* Returns the full law, which the verdict is about, whichever law was fitted. */
static const struct usl *full_law(const struct fit_result *result)
{
	return &result->choice->candidates[USL_FULL].usl;
}

static const struct usl_candidate *amdahl_of(const struct fit_result *result)
{
	return &result->choice->candidates[USL_AMDAHL];
}

/*
 * Returns the unit for rounding: .1 below 10, 1 up to three digits, then three digits. More would
 * look too precise.
 */
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

/*
 * The rules of the verdict, in their order: each returns a sentence, or NULL if it does not apply.
 */

static char *say_too_few(const struct fit_result *result)
{
	if (!result->choice->candidates[USL_FULL].fits)
		return xstrdup("Too few different N to tell what limits throughput: measure at "
			       "three or more, beginning with 1.");
	if (isnan(result->full_useful.low))
		return xstrdup("No error estimate: the curve has as many parameters as there are "
			       "points. Measure at more N.");
	return NULL;
}

/* full_useful is of N = 2: throughput grows from N = 1 to 2 if it is above a half. */
static char *say_retrograde(const struct fit_result *result)
{
	if (!usl_is_retrograde(full_law(result)))
		return NULL;
	return xasprintf("Throughput falls from the first N on%s.",
			 2 * result->full_useful.high > 1 ? "; growth at first is possible, too"
							  : "");
}

static char *say_constant(const struct fit_result *result)
{
	const double rounding = 1e-9;
	double alpha = full_law(result)->alpha;
	char number[VALUE_SIZE];

	if (full_law(result)->beta != 0 || !(fabs(alpha - 1) <= rounding))
		return NULL;
	return xasprintf("Throughput is the same at all N: %s.",
			 format_value(number, full_law(result)->gamma, UNIT_SHORT));
}

/*
 * Returns the advice to measure at larger N, or "" if all CPUs are busy: threads at more N would
 * only wait for them.
 */
static char *beyond_text(const struct fit_result *result, double n, const char *purpose)
{
	return isnan(result->full.n) ? xasprintf(" Measure N > %.6g%s.", n, purpose) : xstrdup("");
}

static char *say_endless(const struct fit_result *result)
{
	double pole = usl_pole_n(full_law(result));
	char *beyond, *text;

	if (isnan(pole))
		return NULL;
	beyond = beyond_text(result, full_law(result)->largest_n, "");
	text = xasprintf("These points show no limit: without bounds the curve ends at N = %.6g.%s",
			 rounded(pole), beyond);
	free(beyond);
	return text;
}

/*
 * Returns the distance of the peak from the largest N. `shown` is the peak as printed: if it is
 * rounded, this N may have been measured.
 */
static char *say_how_far(const struct fit_result *result, double peak, double shown)
{
	double largest = full_law(result)->largest_n;

	if (usl_is_extrapolated(full_law(result), peak))
		return xasprintf(", extrapolated beyond twice the largest N measured (%.6g)",
				 largest);
	if (shown > largest)
		return xasprintf(", beyond the largest N measured (%.6g)", largest);
	return xstrdup(shown == largest ? ", the largest N measured" : "");
}

/*
 * Returns a power of 10 small enough to print both ends of a short interval as different numbers.
 */
static double unit_between(double n, const struct usl_interval *interval)
{
	const double digits = 1e-6;
	double unit = unit_of(n);

	while (interval->high - interval->low < 2 * unit && unit > digits * n)
		unit /= 10;
	return unit;
}

/* Returns ", with 1884 (1748 to 2031)"; the interval is that of the fitted law. */
static char *say_most(const struct fit_result *result)
{
	const struct usl_interval *interval = &result->parameters[USL_PEAK_X];
	char best[VALUE_SIZE], low[VALUE_SIZE], high[VALUE_SIZE];

	format_value(best, usl_peak_throughput(full_law(result)), UNIT_SHORT);
	if (result->usl->form.model != USL_FULL || !isfinite(interval->high))
		return xasprintf(", with %s", best);
	return xasprintf(", with %s (%s to %s)", best, format_value(low, interval->low, UNIT_SHORT),
			 format_value(high, interval->high, UNIT_SHORT));
}

/* Rounds the end of an interval to the unit of the peak, or to its own if that is finer. */
static double peak_end(double end, double unit)
{
	return rounded_to(end, fmin(unit, unit_of(end)));
}

static char *say_peak(const struct fit_result *result)
{
	const struct usl_interval *interval = &result->full_peak_n;
	double peak = usl_peak_n(full_law(result)), unit, shown;
	char *how_far, *most, *text;

	if (isnan(peak) || !isfinite(interval->high))
		return NULL;
	unit = unit_between(peak, interval);
	shown = rounded_to(peak, unit);
	how_far = say_how_far(result, peak, shown);
	most = say_most(result);
	if (!(interval->low >= 1))
		text = xasprintf(
			"Throughput peaks at N = %.7g%s%s, or falls from the first N on; a "
			"peak above N = %.7g is excluded.",
			shown, how_far, most, rounded(interval->high));
	else
		text = xasprintf("Throughput peaks at N = %.7g (%.6g %%: %.7g to %.7g)%s%s.", shown,
				 100 * result->wish->level, peak_end(interval->low, unit),
				 unit < unit_of(peak) ? rounded_to(interval->high, unit)
						      : rounded(interval->high),
				 how_far, most);
	free(how_far);
	free(most);
	return text;
}

/*
 * Returns whether throughput has a limit. Points that lie on a curve have no p; then the curve
 * shows it.
 */
static bool shows_a_limit(const struct fit_result *result)
{
	const struct usl_candidate *amdahl = amdahl_of(result);

	if (isnan(amdahl->p) || !(amdahl->usl.alpha > 0))
		return amdahl->usl.alpha * amdahl->usl.largest_n > 1e-9;
	/* p is two-sided if parameters are unbounded */
	return amdahl->p <= (1 - result->wish->level) / (amdahl->usl.form.unbounded ? 1 : 2);
}

static char *say_superlinear(const struct fit_result *result)
{
	const struct series_point *best = NULL;

	if (result->choice->superlinear_p <= (1 - result->wish->level) / 2)
		best = most_superlinear(result);
	if (!best)
		return NULL;
	return xasprintf("Throughput grows faster than N (superlinear): efficiency is %.0f %% at N "
			 "= %.6g. No limit shows up to N = %.6g.",
			 100 * usl_efficiency(result->usl, best), best->n, result->usl->largest_n);
}

static char *say_no_limit(const struct fit_result *result)
{
	const double clear = .05;
	double largest = full_law(result)->largest_n;
	double lost = 1 - usl_efficiency_at(full_law(result), largest);
	char *beyond, *text;

	if (shows_a_limit(result))
		return NULL;
	beyond = beyond_text(result, largest, " to tell linear scaling from a limit");
	text = xasprintf("No limit %s up to N = %.6g: the curve loses %.0f %% there.%s",
			 lost > clear ? "is certain" : "shows", largest, 100 * fmax(lost, 0),
			 beyond);
	free(beyond);
	return text;
}

/*
 * Returns the limit of Amdahl's law: "at 378", or if it is far from the measured throughput that it
 * is.
 */
static const char *say_limit(char text[VALUE_SIZE + 8], const struct fit_result *result)
{
	const struct usl *amdahl = &amdahl_of(result)->usl;
	double limit = amdahl->gamma / amdahl->alpha;
	char value[VALUE_SIZE];

	if (limit > 2 * series_max_throughput(result->series))
		return "far above the largest throughput measured";
	snprintf(text, VALUE_SIZE + 8, "at %s", format_value(value, limit, UNIT_SHORT));
	return text;
}

static char *say_levels_off(const struct fit_result *result)
{
	char limit[VALUE_SIZE + 8];

	if (!isinf(result->full_peak_n.low))
		return NULL;
	return xasprintf("Throughput levels off %s, and does not peak.", say_limit(limit, result));
}

/*
 * Returns the sentence for an unknown peak. A peak below `low` is excluded, one above it possible.
 * `low` below 1 is that of laws that fall from the first N on.
 */
static char *say_no_peak(const struct fit_result *result)
{
	double low = result->full_peak_n.low;
	char limit[VALUE_SIZE + 8], where[VALUE_SIZE + 12] = "";
	char *beyond = beyond_text(result, rounded(fmax(full_law(result)->largest_n, low)), "");
	char *text;

	if (low >= 1)
		snprintf(where, sizeof(where), " above N = %.6g", rounded(low));
	text = xasprintf("These points do not tell whether throughput peaks%s or levels off %s.%s",
			 where, say_limit(limit, result), beyond);
	free(beyond);
	return text;
}

static char *(*const verdict_rules[])(const struct fit_result *) = {
	say_too_few,	 say_retrograde, say_constant,	 say_endless, say_peak,
	say_superlinear, say_no_limit,	 say_levels_off, say_no_peak,
};

char *fit_verdict(const struct fit_result *result)
{
	char *verdict = NULL;

	for (size_t i = 0; !verdict && i < COUNT(verdict_rules); i++)
		verdict = verdict_rules[i](result);
	return verdict;
}

/* --- Alerts and details ------------------------------------------------------------ */

/* The rules of the notes: each returns a sentence, which the caller frees, or NULL. */

static char *note_few_points(const struct fit_result *result)
{
	if (!result->usl->df)
		return NULL; /* the verdict has this */
	return xasprintf("Only %zu points: one measurement can change the result. Measure more N.",
			 result->usl->n);
}

static char *note_full(const struct fit_result *result)
{
	const struct fit_full *full = &result->full;
	double others = full->others >= FIT_DISTURBED ? full->others : 0;

	return sweep_full_text(result->series->cpus, full->n, others,
			       full->n < result->usl->largest_n
				       ? "waits for them count as contention or coherency"
				       : NULL);
}

static char *note_superlinear(const struct fit_result *result)
{
	const struct series_point *best = most_superlinear(result);
	double first = smallest_n(result), worth_a_look = 1.01;

	if (!(usl_efficiency(result->usl, best) >= worth_a_look))
		return NULL;
	return xasprintf(
		"N = %.6g is superlinear (%.0f %%): is N = %.6g too slow, or is it the caches?",
		best->n, 100 * usl_efficiency(result->usl, best), first);
}

static char *note_knee(const struct fit_result *result)
{
	const struct usl_knee *knee = &result->diagnosis->knee;

	return xasprintf("The curve changes at N = %.6g (knee, p = %.2g): fit each part alone.",
			 knee->first, knee->p);
}

/* A knee is a lack of fit, too, and its note says more. */
static char *note_lack_of_fit(const struct fit_result *result)
{
	if (result->diagnosis->has_knee)
		return NULL;
	return xasprintf("The curve misses the points by more than runs differ (lack of fit, "
			 "p = %.2g).",
			 result->diagnosis->lack_of_fit.p);
}

static char *note_few_runs(const struct fit_result *result)
{
	const struct runs_test *runs = &result->diagnosis->runs;

	if (result->diagnosis->has_knee || usl_diagnosis_lacks_fit(result->diagnosis))
		return NULL;
	return xasprintf(
		"Residuals are systematic: %zu groups above and below (runs test, p = %.2g).",
		runs->runs, runs->p_few);
}

/*
 * Returns "N = 8", or for one of several runs "One run of 3 at N = 8 (1.28)"; the caller frees it.
 */
static char *outlier_text(const struct series *series, size_t point)
{
	const struct series_point *outlier = &series->points[point];
	size_t runs = 0;

	for (size_t i = 0; i < series->count; i++)
		runs += series->points[i].n == outlier->n;
	return runs > 1 ? xasprintf("One run of %zu at N = %.6g (%.3g)", runs, outlier->n,
				    outlier->throughput)
			: xasprintf("N = %.6g", outlier->n);
}

static char *note_outlier(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	char *which, *text;

	/* Points beside a knee are off the curve without being outliers. */
	if (diagnosis->has_knee && !diagnosis->sure_outlier)
		return NULL;
	which = outlier_text(result->series, diagnosis->outlier.point);
	text = xasprintf("%s is off the curve (t = %.3g > %.3g)%s: %s.", which,
			 diagnosis->outlier.value, diagnosis->outlier_limit,
			 diagnosis->outliers > 1 ? ", as others are" : "",
			 diagnosis->sure_outlier ? "measure it again"
						 : "repeat it, or try --weights relative");
	free(which);
	return text;
}

static char *note_influence(const struct fit_result *result)
{
	const struct usl_extreme *influence = &result->diagnosis->influence;

	if (result->diagnosis->outliers && result->diagnosis->outlier.point == influence->point)
		return NULL; /* note_outlier() has the same advice */
	return xasprintf("N = %.6g dominates the fit (Cook's distance %.3g): measure it again.",
			 result->series->points[influence->point].n, influence->value);
}

static char *note_drift(const struct fit_result *result)
{
	char *drift, *text;

	if (result->diagnosis->influence.value > USL_INFLUENTIAL)
		return NULL;
	drift = fit_drift_text(result);
	text = xasprintf("The peak depends on single points: with one left out it moves %s.",
			 drift);
	free(drift);
	return text;
}

static char *note_distant_predictions(const struct fit_result *result)
{
	for (size_t i = 0; i < result->wish->at_count; i++)
		if (usl_is_extrapolated(result->usl, result->wish->at[i]))
			return xasprintf("Predictions beyond N = %.6g, twice the largest N "
					 "measured, are extrapolations.",
					 2 * result->usl->largest_n);
	return NULL;
}

/*
 * Returns "N = 8 (130), N = 12 (20)": N and throughput of the points that the robust fit ignores, a
 * few at most.
 */
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

static char *note_distrusted(const struct fit_result *result)
{
	char *names, *text = NULL;

	if (!result->robust)
		return NULL;
	names = name_distrusted(result->series);
	if (*names)
		text = xasprintf("The robust fit ignores %s.", names);
	free(names);
	return text;
}

/* Returns whether a parameter is below 0 by more than rounding. */
static bool is_clearly_negative(double scaled)
{
	return scaled < -1e-9;
}

/* Returns the power of N with which throughput grows from the smallest N to the largest. */
static double growth_power(const struct series *series)
{
	const struct series_point *low = series->points, *high = series->points;

	for (size_t i = 1; i < series->count; i++) {
		low = series->points[i].n < low->n ? &series->points[i] : low;
		high = series->points[i].n > high->n ? &series->points[i] : high;
	}
	return log(high->throughput / low->throughput) / log(high->n / low->n);
}

/* A run time falls as 1 / N at best. */
static char *note_maybe_time(const struct fit_result *result)
{
	const double most = -.5, least = -1.25;
	const struct series_origin *origin = &result->series->origin;
	double power = growth_power(result->series);

	if (!origin->n || origin->quantity != QUANTITY_THROUGHPUT || power > most ||
	    power < least || column_name_read(origin->value).quantity == QUANTITY_THROUGHPUT)
		return NULL;
	if (strpbrk(origin->n, ",'") || strpbrk(origin->value, ",'"))
		return xasprintf("It falls nearly as 1 / N: is '%s' a time? Then say so with "
				 "--columns, by the number of the column.",
				 origin->value);
	return xasprintf("It falls nearly as 1 / N: is '%s' a time? Then say --columns "
			 "'%s,time:%s'.",
			 origin->value, origin->n, origin->value);
}

static char *note_negative(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	if (is_clearly_negative(usl->alpha * usl->largest_n))
		return xasprintf(
			"alpha is negative: throughput grows faster than N up to N = %.4g.",
			isnan(usl_payback_n(usl)) ? usl_pole_n(usl) : usl_payback_n(usl));
	if (is_clearly_negative(usl->beta * usl->largest_n * usl->largest_n))
		return xstrdup("beta is negative, which is no possible cost: do not extrapolate.");
	return NULL;
}

static char *note_alpha_bound(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	if (!(usl->bound & USL_BOUND_ALPHA) ||
	    !is_clearly_negative(usl->unbounded_alpha * usl->largest_n))
		return NULL;
	return xasprintf("alpha is at its lower limit 0 (unconstrained: %.3g).",
			 usl->unbounded_alpha);
}

static char *note_beta_bound(const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	if (!(usl->bound & USL_BOUND_BETA) ||
	    !is_clearly_negative(usl->unbounded_beta * usl->largest_n * usl->largest_n))
		return NULL;
	return xasprintf("beta is at its lower limit 0 (unconstrained: %.3g).",
			 usl->unbounded_beta);
}

static char *note_robust_intervals(const struct fit_result *result)
{
	enum { MANY = 20 };

	if (!result->robust || result->usl->n >= MANY)
		return NULL;
	return xasprintf("Intervals of a robust fit are approximate, and probably too narrow with "
			 "%zu points.",
			 result->usl->n);
}

static char *note_many_points(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	if (diagnosis->left_out)
		return NULL;
	if (diagnosis->points)
		return xasprintf("Leave-one-out fits are not computed for more than %d points.",
				 USL_LEAVE_OUT_POINTS);
	return xasprintf(
		"Outliers and influential points are not searched for among more than %d points.",
		USL_DIAGNOSIS_POINTS);
}

/*
 * The notes: a condition, and a sentence or a function that makes one; else the sentence is about
 * windows of a log. Functions of ALWAYS may have nothing to say (NULL).
 */
/* clang-format off */
static const struct {
	enum sentence kind;
	enum fact when;
	char *(*say)(const struct fit_result *result);
	const char *sentence;
	enum steady_flag window;
} notes[] = {
	{SENTENCE_ALERT, .when = RETROGRADE, .say = note_maybe_time},
	{SENTENCE_ALERT, .when = CPUS_FULL, .say = note_full},
	{SENTENCE_ALERT, .when = FEW_POINTS, .say = note_few_points},
	{SENTENCE_ALERT, .when = SUPERLINEAR, .say = note_superlinear},
	{SENTENCE_ALERT, .window = STEADY_UNSETTLED},
	{SENTENCE_ALERT, .window = STEADY_SHORT},
	{SENTENCE_ALERT, .window = STEADY_TREND},
	{SENTENCE_ALERT, .window = STEADY_END},
	{SENTENCE_ALERT, .say = note_distrusted},
	{SENTENCE_ALERT, .when = UNSORTED,
	 .sentence = "The rows are not sorted by N: check that each N has its own throughput."},
	{SENTENCE_ALERT, .when = KNEE, .say = note_knee},
	{SENTENCE_ALERT, .when = LACK_OF_FIT, .say = note_lack_of_fit},
	{SENTENCE_ALERT, .when = FEW_RUNS, .say = note_few_runs},
	{SENTENCE_ALERT, .when = OUTLIER, .say = note_outlier},
	{SENTENCE_ALERT, .when = INFLUENTIAL, .say = note_influence},
	{SENTENCE_ALERT, .when = PEAK_UNSTABLE, .say = note_drift},
	{SENTENCE_ALERT, .say = note_negative},
	{SENTENCE_ALERT, .say = note_distant_predictions},
	{SENTENCE_DETAIL, .say = note_alpha_bound},
	{SENTENCE_DETAIL, .say = note_beta_bound},
	{SENTENCE_DETAIL, .say = note_robust_intervals},
	{SENTENCE_DETAIL, .when = GAMMA_MEASURED,
	 .sentence = "gamma is the throughput measured at N = 1; its error is not in the intervals."},
	{SENTENCE_DETAIL, .say = note_many_points},
};
/* clang-format on */

static char *note_text(size_t i, const struct fit_result *result)
{
	if (notes[i].say)
		return notes[i].say(result);
	return notes[i].sentence ? xstrdup(notes[i].sentence)
				 : report_steady_warning(result->series, notes[i].window);
}

void fit_say_notes(struct report *report, enum sentence kind, const struct fit_result *result)
{
	unsigned facts = facts_of(result);

	for (size_t i = 0; i < COUNT(notes); i++) {
		char *text;

		if (notes[i].kind != kind || !(facts >> notes[i].when & 1))
			continue;
		text = note_text(i, result);
		report_say_if(report, kind, text != NULL, "%s", text ? text : "");
		free(text);
	}
}
