/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/report.h"
#include "stats/series/series_sweep.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The windows of a log -------------------------------------------------------- */

/* The words of flags, and the sentences about windows that have them. */
static const struct {
	const char *word, *sentence;
} window_flags[STEADY_FLAGS] = {
	{"unsettled", "Throughput did not become steady at N = %s (half of the rows was cut): run "
		      "longer."},
	{"short", "Fewer than 10 batches of 5 rows are steady at N = %s: log more rows."},
	{"trend", "Throughput still rises or falls in the steady window at N = %s: run longer."},
	{"end", "Throughput changes at the end of the rows at N = %s: --from-log=both cuts that."},
};
_Static_assert(STEADY_BATCHES_ENOUGH == 10 && STEADY_BATCH == 5, "as the sentence has it");

static bool window_has_flag(const struct series_window *window, enum steady_flag flag)
{
	const bool has[STEADY_FLAGS] = {
		[STEADY_UNSETTLED] = window->steady.at_limit,
		[STEADY_SHORT] = window->steady.batches < STEADY_BATCHES_ENOUGH,
		[STEADY_TREND] = steady_trends(&window->steady),
		[STEADY_END] = window->steady.ends_off,
	};

	return has[flag];
}

struct window_line {
	struct series_window window;
	struct values flags;
	const char *words[STEADY_FLAGS];
};

static const struct column window_columns[] = {
	{"n", "N", UNIT_SHORT, FIELD(window_line, window.n)},
	{"from", "from", UNIT_SHORT, FIELD(window_line, window.from)},
	{"to", "to", UNIT_SHORT, FIELD(window_line, window.to)},
	{"rows", "rows", FIELD(window_line, window.rows)},
	{"cut_start", "cut before", FIELD(window_line, window.cut_start)},
	{"cut_end", "behind", FIELD(window_line, window.cut_end)},
	{"mean", "throughput", UNIT_SHORT, FIELD(window_line, window.mean)},
	{"se", "its error", UNIT_SHORT, FIELD(window_line, window.steady.se)},
	{"flags", "flags", UNIT_NONE, -1, FIELD(window_line, flags)},
};

void report_steady(struct report *report, const struct series *series)
{
	static const struct table table = {.key = "steady",
					   .title = "Steady windows of the log",
					   .detail = true,
					   COLUMNS(window_columns)};

	if (!series->windows && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; series->windows && i < series->count; i++) {
		struct window_line line = {series->windows[i], {.texts = line.words}, {NULL}};

		for (enum steady_flag flag = 0; flag < STEADY_FLAGS; flag++)
			if (window_has_flag(&line.window, flag))
				line.words[line.flags.count++] = window_flags[flag].word;
		report_row(report, &line);
	}
	report_end(report);
}

char *report_steady_warning(const struct series *series, enum steady_flag flag)
{
	enum { SHOWN = 8 };
	const char *sentence = window_flags[flag].sentence, *place = strstr(sentence, "%s");
	char *list = NULL, *text;
	size_t count = 0;

	for (size_t i = 0; series->windows && i < series->count; i++)
		if (window_has_flag(&series->windows[i], flag) && count++ < SHOWN)
			xappend(&list, ", ", "%.6g", series->windows[i].n);
	if (!list)
		return NULL;
	text = xasprintf("%.*s%s%s%s", (int)(place - sentence), sentence, list,
			 count > SHOWN ? ", ..." : "", place + strlen("%s"));
	free(list);
	return text;
}

/* --- The points ------------------------------------------------------------------ */

/* The numbers that are compared with a limit, shown with two decimals. */
enum { STANDARDISED, STUDENTISED, HAT, COOK, SHORT };

struct point_line {
	struct series_point point;
	double fitted, efficiency, weight;
	struct usl_interval curve;
	struct usl_point_diagnosis diagnosis; /* all NaN: unknown */
	struct values flags;
	const char *words[POINT_FLAGS];
	const char *brief[SHORT];
	char texts[SHORT][24];
};

enum { IS_ROBUST = 1 };

static const struct column point_columns[] = {
	{"n", "N", UNIT_SHORT, FIELD(point_line, point.n)},
	{"throughput", "measured", UNIT_SHORT, FIELD(point_line, point.throughput)},
	{"fitted", "curve", UNIT_SHORT, FIELD(point_line, fitted)},
	{"fitted_low", "from", UNIT_SHORT, FIELD(point_line, curve.low), .detail = true},
	{"fitted_high", "to", UNIT_SHORT, FIELD(point_line, curve.high), .detail = true},
	{"fitted_se", FIELD(point_line, diagnosis.fitted_se)},
	{"efficiency", "efficiency", UNIT_SHARE, FIELD(point_line, efficiency)},
	{"residual", FIELD(point_line, diagnosis.residual)},
	{"standardised", FIELD(point_line, diagnosis.standardised)},
	{"studentised", FIELD(point_line, diagnosis.studentised)},
	{NULL, "t", FIELD(point_line, brief[STUDENTISED]), .detail = true},
	{"hat", FIELD(point_line, diagnosis.hat)},
	{"cook", FIELD(point_line, diagnosis.cook)},
	{"loo_alpha", FIELD(point_line, diagnosis.left_out.alpha)},
	{"loo_beta", FIELD(point_line, diagnosis.left_out.beta)},
	{"loo_gamma", FIELD(point_line, diagnosis.left_out.gamma)},
	{"loo_nc", FIELD(point_line, diagnosis.left_out.peak_n)},
	{"loo_residual", FIELD(point_line, diagnosis.left_out.residual)},
	{"flags", "", UNIT_NONE, -1, FIELD(point_line, flags)},
	{"weight", "weight", UNIT_SHORT, FIELD(point_line, weight), .needs = IS_ROBUST},
};

static const struct column residual_columns[] = {
	{NULL, "N", UNIT_SHORT, FIELD(point_line, point.n)},
	{NULL, "residual", UNIT_SHORT, FIELD(point_line, diagnosis.residual)},
	{NULL, "error", UNIT_SHORT, FIELD(point_line, diagnosis.fitted_se)},
	{NULL, "standardised", FIELD(point_line, brief[STANDARDISED])},
	{NULL, "studentised", FIELD(point_line, brief[STUDENTISED])},
	{NULL, "hat", FIELD(point_line, brief[HAT])},
	{NULL, "Cook's distance", FIELD(point_line, brief[COOK])},
};

static const struct column left_out_columns[] = {
	{NULL, "N", UNIT_SHORT, FIELD(point_line, point.n)},
	{NULL, "alpha", UNIT_SHORT, FIELD(point_line, diagnosis.left_out.alpha)},
	{NULL, "beta", UNIT_SHORT, FIELD(point_line, diagnosis.left_out.beta)},
	{NULL, "gamma", UNIT_SHORT, FIELD(point_line, diagnosis.left_out.gamma)},
	{NULL, "N_c", UNIT_SHORT, FIELD(point_line, diagnosis.left_out.peak_n)},
	{NULL, "residual", UNIT_SHORT, FIELD(point_line, diagnosis.left_out.residual)},
};

static void take_brief(struct point_line *line)
{
	const double numbers[SHORT] = {
		[STANDARDISED] = line->diagnosis.standardised,
		[STUDENTISED] = line->diagnosis.studentised,
		[HAT] = line->diagnosis.hat,
		[COOK] = line->diagnosis.cook,
	};

	for (size_t i = 0; i < SHORT; i++) {
		if (isnan(numbers[i]))
			continue;
		snprintf(line->texts[i], sizeof(line->texts[i]),
			 fabs(numbers[i]) < 1e6 ? "%.2f" : "%.3g", numbers[i]);
		line->brief[i] = line->texts[i];
	}
}

static void take_point(struct point_line *line, const struct fit_result *result, size_t i)
{
	static const struct usl_point_diagnosis unknown = {
		.fitted_se = NAN,
		.hat = NAN,
		.standardised = NAN,
		.studentised = NAN,
		.cook = NAN,
		.left_out = {NAN, NAN, NAN, NAN, NAN},
	};
	const struct series_point *point = &result->series->points[i];

	*line = (struct point_line){
		.point = *point,
		.fitted = usl_throughput(result->usl, point->n),
		.efficiency = usl_efficiency(result->usl, point),
		.weight = result->robust ? result->series->trust[i] : 1,
		.curve = fit_curve_interval(result, i),
		.diagnosis = result->diagnosis->points ? result->diagnosis->points[i] : unknown,
		.flags = {.texts = line->words}};
	line->diagnosis.residual = point->throughput - line->fitted;
	line->flags.count = fit_point_flags(line->words, result, i);
	take_brief(line);
}

/*
 * The number of points in text without --all or -v, and the largest number of points for tables of
 * residuals.
 */
enum { TOP_POINTS = 7, LISTED = 200 };

struct point_list {
	size_t *points;
	size_t count;
};

static void list_point(struct point_list *list, bool *listed, size_t point)
{
	if (!listed[point])
		list->points[list->count++] = point;
	listed[point] = true;
}

/* Finds the indices of the points with the smallest N, the largest throughput and the largest N. */
static void find_extremes(size_t extremes[3], const struct series *series)
{
	const struct series_point *points = series->points;

	for (size_t i = 0; i < series->count; i++) {
		if (points[i].n < points[extremes[0]].n)
			extremes[0] = i;
		if (points[i].throughput > points[extremes[1]].throughput)
			extremes[1] = i;
		if (points[i].n >= points[extremes[2]].n)
			extremes[2] = i;
	}
}

/* Sorts a few points by N. */
static void sort_by_n(size_t *points, size_t count, const struct series *series)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = i;
		     k > 0 && series->points[points[k]].n < series->points[points[k - 1]].n; k--) {
			size_t swapped = points[k];

			points[k] = points[k - 1];
			points[k - 1] = swapped;
		}
}

/*
 * Returns the points in the order of a table. Few points stay in their order. Of more, the first
 * ones are, by N, those that a reader looks for: the ends, the largest throughput, points with a
 * flag, and others evenly between; the rest follows.
 */
static struct point_list points_of(const struct fit_result *result)
{
	size_t all = result->series->count, extremes[3] = {0};
	struct point_list list = {.points = xcalloc(all, sizeof(*list.points))};
	bool *listed = xcalloc(all, sizeof(*listed));
	const char *flags[POINT_FLAGS];

	if (all > TOP_POINTS) {
		find_extremes(extremes, result->series);
		for (size_t i = 0; i < 3; i++)
			list_point(&list, listed, extremes[i]);
		for (size_t i = 0; i < all && list.count < TOP_POINTS - 1; i++)
			if (fit_point_flags(flags, result, i))
				list_point(&list, listed, i);
		for (size_t i = 1; i < TOP_POINTS && list.count < TOP_POINTS; i++)
			list_point(&list, listed, i * (all - 1) / TOP_POINTS);
		sort_by_n(list.points, list.count, result->series);
	}
	for (size_t i = 0; i < all; i++)
		list_point(&list, listed, i);
	free(listed);
	return list;
}

static void put_points(struct report *report, const struct fit_result *result, const size_t *points,
		       size_t count, const struct table *table)
{
	struct table own = *table;

	own.has = result->robust ? IS_ROBUST : 0;
	if (!count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &own);
	for (size_t i = 0; i < count; i++) {
		struct point_line line;

		take_point(&line, result, points ? points[i] : i);
		report_row(report, &line);
	}
	report_end(report);
}

struct level_line {
	struct series_level level;
	double fitted, efficiency;
};

static const struct column level_columns[] = {
	{NULL, "N", UNIT_SHORT, FIELD(level_line, level.n)},
	{NULL, "runs", FIELD(level_line, level.runs)},
	{NULL, "median", UNIT_SHORT, FIELD(level_line, level.throughput)},
	{NULL, "min", UNIT_SHORT, FIELD(level_line, level.least)},
	{NULL, "max", UNIT_SHORT, FIELD(level_line, level.most)},
	{NULL, "curve", UNIT_SHORT, FIELD(level_line, fitted)},
	{NULL, "efficiency", UNIT_SHARE, FIELD(level_line, efficiency)},
};

static void put_level(struct report *report, const struct fit_result *result,
		      struct series_level *level)
{
	const struct series_point median = {level->n, level->throughput};

	if (!level->runs) /* it is in the table already */
		return;
	report_row(report, &(struct level_line){*level, usl_throughput(result->usl, median.n),
						usl_efficiency(result->usl, &median)});
	level->runs = 0;
}

/*
 * If an N was measured several times, adds a row for each N: of many, first some that are evenly
 * between the smallest and the largest. Returns whether an N was.
 */
static bool put_levels(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.in = REPORT_TEXT, .top = TOP_POINTS, COLUMNS(level_columns)};
	size_t count;
	struct series_level *levels = series_levels(result->series, &count);
	bool repeated = count < result->series->count;

	if (repeated)
		report_begin(report, &table);
	for (size_t i = 0; repeated && i < TOP_POINTS && count > TOP_POINTS; i++)
		put_level(report, result, &levels[i * (count - 1) / (TOP_POINTS - 1)]);
	for (size_t i = 0; repeated && i < count; i++)
		put_level(report, result, &levels[i]);
	if (repeated)
		report_end(report);
	free(levels);
	return repeated;
}

void report_points(struct report *report, const struct fit_result *result)
{
	static const struct table measured = {
		.key = "points", .top = TOP_POINTS, COLUMNS(point_columns)};
	static const struct table residuals = {
		.title = "Residuals", .in = REPORT_TEXT, .detail = true, COLUMNS(residual_columns)};
	static const struct table left_out = {.title = "Without each point",
					      .in = REPORT_TEXT,
					      .detail = true,
					      COLUMNS(left_out_columns)};
	bool json = report_shows(report, REPORT_JSON);
	size_t known = result->diagnosis->count, count = result->series->count;
	struct point_list list;

	if (json || report_says(report, SENTENCE_DETAIL)) {
		put_points(report, result, NULL, json ? known : count, &measured);
	} else if (!report_shows(report, REPORT_TEXT) || !put_levels(report, result)) {
		list = points_of(result);
		put_points(report, result, list.points, list.count, &measured);
		free(list.points);
	}
	if (!json && known <= LISTED) {
		put_points(report, result, NULL, known, &residuals);
		put_points(report, result, NULL, result->diagnosis->left_out ? known : 0,
			   &left_out);
	}
}

/* --- The checks in text: a line each -------------------------------------------- */

static double n_of(const struct fit_result *result, const struct usl_extreme *extreme)
{
	return isnan(extreme->value) ? NAN : result->series->points[extreme->point].n;
}

enum result { UNKNOWN, PASSED, FAILED };

/* The result of a check, and its numbers. */
struct check {
	char *found; /* the caller frees it */
	enum result result;
};

static struct check check_unknown(const char *why)
{
	return (struct check){xstrdup(why), UNKNOWN};
}

static bool has_too_many_n(const struct fit_result *result)
{
	return result->diagnosis->distinct > USL_DIAGNOSIS_POINTS;
}

static enum result passed_unless(bool failed)
{
	return failed ? FAILED : PASSED;
}

static struct check check_runs(const struct fit_result *result)
{
	const struct runs_test *runs = &result->diagnosis->runs;

	if (has_too_many_n(result))
		return check_unknown("not tested: too many different N");
	if (isnan(runs->p_few))
		return check_unknown("all points are on the same side");
	return (struct check){xasprintf("%zu runs of the same sign in %zu, p = %.2g, limit 0.05",
					runs->runs, runs->above + runs->below, runs->p_few),
			      passed_unless(usl_diagnosis_has_few_runs(result->diagnosis))};
}

static struct check check_lack_of_fit(const struct fit_result *result)
{
	const struct usl_lack_of_fit *lack = &result->diagnosis->lack_of_fit;

	if (result->diagnosis->distinct == result->series->count)
		return check_unknown("no N was measured twice");
	if (result->robust)
		return check_unknown("not tested in a robust fit");
	if (has_too_many_n(result))
		return check_unknown("not tested: too many different N");
	if (isnan(lack->p))
		return check_unknown(lack->lack_df ? "repeated measurements are all the same"
						   : "as many parameters as different N");
	return (struct check){
		xasprintf("F = %.3g (%zu and %zu degrees of freedom), p = %.2g, limit 0.05",
			  lack->f, lack->lack_df, lack->pure_df, lack->p),
		passed_unless(usl_diagnosis_lacks_fit(result->diagnosis))};
}

static struct check check_outlier(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	if (!diagnosis->points)
		return check_unknown("not searched for: too many points");
	if (isnan(diagnosis->outlier.value))
		return check_unknown("too few points");
	return (struct check){xasprintf("largest t %.3g at N = %.6g, limit %.3g",
					diagnosis->outlier.value, n_of(result, &diagnosis->outlier),
					diagnosis->outlier_limit),
			      passed_unless(diagnosis->outliers)};
}

static struct check check_influence(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	const struct usl_extreme *influence = &diagnosis->influence;

	if (!diagnosis->points)
		return check_unknown("not searched for: too many points");
	if (isnan(influence->value))
		return check_unknown("too few points");
	return (struct check){xasprintf("largest Cook's distance %.3g at N = %.6g, limit %d",
					influence->value, n_of(result, influence), USL_INFLUENTIAL),
			      passed_unless(influence->value > USL_INFLUENTIAL)};
}

static struct check check_drift(const struct fit_result *result)
{
	const struct usl_drift *drift = &result->diagnosis->drift;
	char *text, *found;

	if (!result->diagnosis->left_out)
		return check_unknown("not tested: too many points");
	if (isnan(drift->low))
		return check_unknown(isnan(usl_peak_n(result->usl)) ? "there is no N_c"
								    : "too few points");
	text = fit_drift_text(result);
	found = xasprintf("N_c %s", text);
	free(text);
	return (struct check){found, passed_unless(drift->leaves)};
}

static struct check check_knee(const struct fit_result *result)
{
	const struct usl_knee *knee = &result->diagnosis->knee;

	if (result->robust)
		return check_unknown("not searched for in a robust fit");
	if (has_too_many_n(result))
		return check_unknown("not searched for: too many different N");
	if (!knee->places)
		return check_unknown("too few N");
	if (!result->diagnosis->has_knee)
		return (struct check){xasprintf("no knee, p = %.2g, limit %g", knee->p, USL_KNEE_P),
				      PASSED};
	return (struct check){xasprintf("between N = %.6g and %.6g, p = %.2g, limit %g", knee->last,
					knee->first, knee->p, USL_KNEE_P),
			      FAILED};
}

static struct check (*const checks[])(const struct fit_result *result) = {
	check_runs, check_lack_of_fit, check_outlier, check_influence, check_drift, check_knee,
};

enum { CHECKS = COUNT(checks) };

static const char *const check_names[CHECKS] = {"residuals", "lack of fit", "outliers",
						"influence", "left out",    "knee"};

struct check_line {
	const char *name, *result, *found;
};

static const struct column check_columns[] = {
	{NULL, "check", UNIT_NONE, -1, FIELD(check_line, name)},
	{NULL, "result", UNIT_NONE, -1, FIELD(check_line, result)},
	{NULL, "", UNIT_NONE, -1, FIELD(check_line, found)},
};

static void put_check_table(struct report *report, const struct check found[CHECKS])
{
	static const char *const results[] = {
		[UNKNOWN] = "n/a", [PASSED] = "passed", [FAILED] = "failed"};
	static const struct table table = {
		.in = REPORT_TEXT, .detail = true, COLUMNS(check_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < CHECKS; i++)
		report_row(report, &(struct check_line){check_names[i], results[found[i].result],
							found[i].found});
	report_end(report);
}

static void put_checks(struct report *report, const struct fit_result *result)
{
	struct check found[CHECKS];
	size_t counts[FAILED + 1] = {0};
	char *failed = xstrdup("");

	for (size_t i = 0; i < CHECKS; i++) {
		found[i] = result->diagnosis->exact
				   ? check_unknown("the curve passes through all points")
				   : checks[i](result);
		counts[found[i].result]++;
		if (found[i].result == FAILED)
			xappend(&failed, "", "%s%s", *failed ? ", " : "", check_names[i]);
	}
	put_check_table(report, found);
	report_warning(report, "Checks: %zu passed, %zu failed%s%s%s, %zu n/a%s.", counts[PASSED],
		       counts[FAILED], *failed ? " (" : "", failed, *failed ? ")" : "",
		       counts[UNKNOWN], report_says(report, SENTENCE_DETAIL) ? "" : "; -v");
	for (size_t i = 0; i < CHECKS; i++)
		free(found[i].found);
	free(failed);
}

/* --- The checks in JSON ------------------------------------------------------------------- */

struct diagnosis_line {
	struct usl_diagnosis diagnosis;
	double outlier_n, influence_n, drift_n;
	uint64_t outliers;
	struct truth has_knee;
};

static const struct column run_columns[] = {
	{"above", FIELD(diagnosis_line, diagnosis.runs.above)},
	{"below", FIELD(diagnosis_line, diagnosis.runs.below)},
	{"runs", FIELD(diagnosis_line, diagnosis.runs.runs)},
	{"p_few", FIELD(diagnosis_line, diagnosis.runs.p_few)},
	{"p", FIELD(diagnosis_line, diagnosis.runs.p)},
};
static const struct column lack_columns[] = {
	{"distinct_n", FIELD(diagnosis_line, diagnosis.distinct)},
	{"pure_error", FIELD(diagnosis_line, diagnosis.lack_of_fit.pure_error)},
	{"pure_df", FIELD(diagnosis_line, diagnosis.lack_of_fit.pure_df)},
	{"lack_df", FIELD(diagnosis_line, diagnosis.lack_of_fit.lack_df)},
	{"f", FIELD(diagnosis_line, diagnosis.lack_of_fit.f)},
	{"p", FIELD(diagnosis_line, diagnosis.lack_of_fit.p)},
};
static const struct column outlier_columns[] = {
	{"n", FIELD(diagnosis_line, outlier_n)},
	{"t", FIELD(diagnosis_line, diagnosis.outlier.value)},
	{"limit", FIELD(diagnosis_line, diagnosis.outlier_limit)},
	{"count", FIELD(diagnosis_line, outliers)},
};
static const struct column influence_columns[] = {
	{"n", FIELD(diagnosis_line, influence_n)},
	{"cook", FIELD(diagnosis_line, diagnosis.influence.value)},
};
static const struct column drift_columns[] = {
	{"n", FIELD(diagnosis_line, drift_n)},
	{"nc_low", FIELD(diagnosis_line, diagnosis.drift.low)},
	{"nc_high", FIELD(diagnosis_line, diagnosis.drift.high)},
};
static const struct column knee_columns[] = {
	{"found", FIELD(diagnosis_line, has_knee)},
	{"last_n", FIELD(diagnosis_line, diagnosis.knee.last)},
	{"first_n", FIELD(diagnosis_line, diagnosis.knee.first)},
	{"places", FIELD(diagnosis_line, diagnosis.knee.places)},
	{"one_rss", FIELD(diagnosis_line, diagnosis.knee.one_rss)},
	{"rss", FIELD(diagnosis_line, diagnosis.knee.rss)},
	{"p", FIELD(diagnosis_line, diagnosis.knee.p)},
	{"distance_share", FIELD(diagnosis_line, diagnosis.knee.distance_share)},
};

static void put_diagnosis(struct report *report, const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;
	struct diagnosis_line line = {
		.diagnosis = *diagnosis,
		.outlier_n = n_of(result, &diagnosis->outlier),
		.influence_n = n_of(result, &diagnosis->influence),
		.drift_n = isnan(diagnosis->drift.low)
				   ? NAN
				   : result->series->points[diagnosis->drift.point].n,
		.outliers = diagnosis->points ? diagnosis->outliers : UINT64_MAX,
		.has_knee = {diagnosis->knee.places, diagnosis->has_knee}};

	report_group(report, "diagnosis");
	report_facts(report, "runs", run_columns, &line);
	report_facts(report, "lack_of_fit", lack_columns, &line);
	report_facts(report, "outliers", outlier_columns, &line);
	report_facts(report, "influence", influence_columns, &line);
	report_facts(report, "drift", drift_columns, &line);
	report_facts(report, "knee", knee_columns, &line);
	report_ungroup(report);
}

void report_diagnosis(struct report *report, const struct fit_result *result)
{
	if (report_shows(report, REPORT_TEXT))
		put_checks(report, result);
	if (report_shows(report, REPORT_JSON))
		put_diagnosis(report, result);
}
