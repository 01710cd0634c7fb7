/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The windows of a log -------------------------------------------------------- */

static const char *const window_flags[STEADY_FLAGS] = {"unsettled", "short", "trend", "end"};

static bool window_has_flag(const struct series_window *window, enum steady_flag flag)
{
	switch (flag) {
	case STEADY_UNSETTLED:
		return window->steady.at_limit;
	case STEADY_SHORT:
		return window->steady.batches < STEADY_BATCHES_ENOUGH;
	case STEADY_END:
		return window->steady.ends_off;
	default:
		return steady_trends(&window->steady);
	}
}

void report_steady(struct report *report, const struct series *series)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"from", "from", UNIT_DECIMAL, 0},
		{"to", "to", UNIT_DECIMAL, 0},
		{"rows", "rows", UNIT_NONE, 0},
		{"cut_start", "cut before", UNIT_NONE, 0},
		{"cut_end", "behind", UNIT_NONE, 0},
		{"mean", "throughput", UNIT_DECIMAL, 0},
		{"se", "its error", UNIT_DECIMAL, 0},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "steady",
					   .title = "Steady windows of the log",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = sizeof(columns) / sizeof(columns[0])};

	if (!series->windows && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; series->windows && i < series->count; i++) {
		const struct series_window *window = &series->windows[i];
		const char *flags[STEADY_FLAGS];
		size_t flag_count = 0;

		for (enum steady_flag flag = 0; flag < STEADY_FLAGS; flag++)
			if (window_has_flag(window, flag))
				flags[flag_count++] = window_flags[flag];
		report_row(report, (struct cell[]){
					   cell_number(window->n),
					   cell_number(window->from),
					   cell_number(window->to),
					   cell_count((int64_t)window->rows),
					   cell_count((int64_t)window->cut_start),
					   cell_count((int64_t)window->cut_end),
					   cell_number(window->mean),
					   cell_number(window->steady.se),
					   cell_list(flags, flag_count),
				   });
	}
	report_end(report);
}

/* The N of windows with a flag, "1, 2 and 8", the first few of them. Returns how many there are. */
static size_t list_flagged(char out[160], const struct series *series, enum steady_flag flag)
{
	enum { SHOWN = 8 };
	size_t count = 0;

	*out = '\0';
	for (size_t i = 0; series->windows && i < series->count; i++) {
		if (!window_has_flag(&series->windows[i], flag))
			continue;
		if (count++ < SHOWN)
			snprintf(out + strlen(out), 160 - strlen(out), "%s%.6g", *out ? ", " : "",
				 series->windows[i].n);
	}
	if (count > SHOWN)
		strcat(out, ", ...");
	return count;
}

char *report_steady_warning(const struct series *series, enum steady_flag flag)
{
	char list[160];

	if (!list_flagged(list, series, flag))
		return NULL;
	switch (flag) {
	case STEADY_UNSETTLED:
		return xasprintf(
			"Throughput may not have become steady at N = %s: half of the rows was "
			"cut, which is the most that is; run longer there.",
			list);
	case STEADY_SHORT:
		return xasprintf(
			"The steady window has fewer than %d batches of %d rows at N = %s: the "
			"cut and the error are guesses; log more rows there.",
			STEADY_BATCHES_ENOUGH, STEADY_BATCH, list);
	case STEADY_TREND:
		return xasprintf(
			"Throughput still rises or falls in the steady window at N = %s; run "
			"longer there, and look what changes.",
			list);
	default:
		return xasprintf("Throughput changes at the end of the rows at N = %s, as a run "
				 "does when it is being stopped: --cut-end leaves that out.",
				 list);
	}
}

/* --- The points ------------------------------------------------------------------ */

/* What a row is made from. Without a diagnosis all its numbers are NaN, which is null. */
struct point_row {
	const struct series_point *point;
	struct usl_point_diagnosis diagnosis;
	double fitted, efficiency;
	struct usl_interval curve;
	const char *flags[POINT_FLAGS];
	size_t flag_count;
};

/* One at each of very many N would take longer than anybody reads. */
static bool shows_curve_intervals(const struct fit_result *result)
{
	return result->diagnosis->distinct <= USL_REGION_POINTS;
}

static void point_row_take(struct point_row *row, const struct fit_result *result, size_t i,
			   bool intervals)
{
	const struct series_point *point = &result->series->points[i];
	static const struct usl_point_diagnosis unknown = {
		.residual = NAN,
		.fitted_se = NAN,
		.hat = NAN,
		.standardised = NAN,
		.studentised = NAN,
		.cook = NAN,
		.left_out = {NAN, NAN, NAN, NAN, NAN},
	};

	*row = (struct point_row){
		.point = point,
		.diagnosis = result->diagnosis->points ? result->diagnosis->points[i] : unknown,
		.fitted = usl_throughput(result->usl, point->n),
		.efficiency = usl_efficiency(result->usl, point),
		.curve = {NAN, NAN}};
	if (intervals)
		row->curve = usl_interval_of(result->intervals, USL_X, point->n);
	row->diagnosis.residual = point->throughput - row->fitted;
	row->flag_count = fit_point_flags(row->flags, result, i);
}

/* All points are listed, or none. */
static void put_points_json(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"throughput", "", UNIT_NONE, 0},
		{"fitted", "", UNIT_NONE, 0},
		{"fitted_low", "", UNIT_NONE, 0},
		{"fitted_high", "", UNIT_NONE, 0},
		{"fitted_se", "", UNIT_NONE, 0},
		{"efficiency", "", UNIT_NONE, 0},
		{"residual", "", UNIT_NONE, 0},
		{"standardised", "", UNIT_NONE, 0},
		{"studentised", "", UNIT_NONE, 0},
		{"hat", "", UNIT_NONE, 0},
		{"cook", "", UNIT_NONE, 0},
		{"loo_alpha", "", UNIT_NONE, 0},
		{"loo_beta", "", UNIT_NONE, 0},
		{"loo_gamma", "", UNIT_NONE, 0},
		{"loo_nc", "", UNIT_NONE, 0},
		{"loo_residual", "", UNIT_NONE, 0},
		{"flags", "", UNIT_NONE, 0},
		{"weight", "", UNIT_NONE, 0}, /* of robust fits */
	};
	const struct table table = {.key = "points",
				    .layout = LAYOUT_ROWS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = COUNT(columns) - !result->robust};
	bool intervals = shows_curve_intervals(result);

	report_begin(report, &table);
	for (size_t i = 0; i < result->diagnosis->count; i++) {
		struct point_row row;

		point_row_take(&row, result, i, intervals);
		report_row(report,
			   (struct cell[]){
				   cell_number(row.point->n),
				   cell_number(row.point->throughput),
				   cell_number(row.fitted),
				   cell_number(row.curve.low),
				   cell_number(row.curve.high),
				   cell_number(row.diagnosis.fitted_se),
				   cell_number(row.efficiency),
				   cell_number(row.diagnosis.residual),
				   cell_number(row.diagnosis.standardised),
				   cell_number(row.diagnosis.studentised),
				   cell_number(row.diagnosis.hat),
				   cell_number(row.diagnosis.cook),
				   cell_number(row.diagnosis.left_out.alpha),
				   cell_number(row.diagnosis.left_out.beta),
				   cell_number(row.diagnosis.left_out.gamma),
				   cell_number(row.diagnosis.left_out.peak_n),
				   cell_number(row.diagnosis.left_out.residual),
				   cell_list(row.flags, row.flag_count),
				   cell_number(result->robust ? result->series->trust[i] : 1),
			   });
	}
	report_end(report);
}

/* So many points are listed; of more only some of those with a flag. */
enum { LISTED = 200, FLAGGED = 20 };

struct point_list {
	size_t points[LISTED];
	size_t count;
};

static void point_list_take(struct point_list *list, const struct fit_result *result)
{
	bool all = result->series->count <= LISTED;

	list->count = 0;
	for (size_t i = 0; i < result->series->count && (all || list->count < FLAGGED); i++) {
		const char *flags[POINT_FLAGS];

		if (all || fit_point_flags(flags, result, i))
			list->points[list->count++] = i;
	}
}

/* Two digits behind the point are enough for what is compared with a limit. */
struct digits {
	char text[24];
};

static struct cell rounded(struct digits *digits, double number)
{
	if (isnan(number))
		return cell_null();
	snprintf(digits->text, sizeof(digits->text), fabs(number) < 1e6 ? "%.2f" : "%.3g", number);
	return cell_text(digits->text);
}

static void put_measured(struct report *report, const struct fit_result *result,
			 const struct point_list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"fitted", "fitted", UNIT_DECIMAL, 0},
		{"fitted_low", "from", UNIT_DECIMAL, 0},
		{"fitted_high", "to", UNIT_DECIMAL, 0},
		{"efficiency", "efficiency", UNIT_SHARE, 0},
		{"studentised", "t", UNIT_NONE, 0},
		{"flags", "flags", UNIT_NONE, -1},
		{"weight", "weight", UNIT_DECIMAL, 0}, /* of robust fits */
	};
	const struct table table = {.title = "Measured and fitted",
				    .layout = LAYOUT_ROWS,
				    .in = REPORT_TEXT,
				    .columns = columns,
				    .column_count = COUNT(columns) - !result->robust};
	bool intervals = shows_curve_intervals(result);

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct digits t;
		struct point_row row;

		point_row_take(&row, result, list->points[i], intervals);
		report_row(
			report,
			(struct cell[]){
				cell_number(row.point->n),
				cell_number(row.point->throughput),
				cell_number(row.fitted),
				cell_number(row.curve.low),
				cell_number(row.curve.high),
				cell_number(row.efficiency),
				rounded(&t, row.diagnosis.studentised),
				cell_list(row.flags, row.flag_count),
				cell_number(result->robust ? result->series->trust[list->points[i]]
							   : 1),
			});
	}
	report_end(report);
}

static void put_residuals(struct report *report, const struct fit_result *result,
			  const struct point_list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"residual", "residual", UNIT_DECIMAL, 0},
		{"fitted_se", "error", UNIT_DECIMAL, 0},
		{"standardised", "standardised", UNIT_NONE, 0},
		{"studentised", "studentised", UNIT_NONE, 0},
		{"hat", "hat", UNIT_NONE, 0},
		{"cook", "Cook's distance", UNIT_NONE, 0},
	};
	static const struct table table = {.title = "Residuals",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct digits digits[4];
		struct point_row row;

		point_row_take(&row, result, list->points[i], false);
		report_row(report, (struct cell[]){
					   cell_number(row.point->n),
					   cell_number(row.diagnosis.residual),
					   cell_number(row.diagnosis.fitted_se),
					   rounded(&digits[0], row.diagnosis.standardised),
					   rounded(&digits[1], row.diagnosis.studentised),
					   rounded(&digits[2], row.diagnosis.hat),
					   rounded(&digits[3], row.diagnosis.cook),
				   });
	}
	report_end(report);
}

static void put_left_out(struct report *report, const struct fit_result *result,
			 const struct point_list *list)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"loo_alpha", "alpha", UNIT_DECIMAL, 0},
		{"loo_beta", "beta", UNIT_DECIMAL, 0},
		{"loo_gamma", "gamma", UNIT_DECIMAL, 0},
		{"loo_nc", "N_c", UNIT_DECIMAL, 0},
		{"loo_residual", "residual", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.title = "Without each point",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < list->count; i++) {
		struct point_row row;

		point_row_take(&row, result, list->points[i], false);
		report_row(report, (struct cell[]){
					   cell_number(row.point->n),
					   cell_number(row.diagnosis.left_out.alpha),
					   cell_number(row.diagnosis.left_out.beta),
					   cell_number(row.diagnosis.left_out.gamma),
					   cell_number(row.diagnosis.left_out.peak_n),
					   cell_number(row.diagnosis.left_out.residual),
				   });
	}
	report_end(report);
}

static void put_points_text(struct report *report, const struct fit_result *result, bool details)
{
	struct point_list list;

	point_list_take(&list, result);
	if (list.count)
		put_measured(report, result, &list);
	if (list.count < result->series->count)
		report_note(report, "Of %zu points only %s with flags are listed%s.",
			    result->series->count,
			    list.count == FLAGGED ? "the first ones" : "those",
			    result->diagnosis->points ? "; --format json has all" : "");
	if (!details || !list.count)
		return;
	put_residuals(report, result, &list);
	if (result->diagnosis->left_out)
		put_left_out(report, result, &list);
}

void report_points(struct report *report, const struct fit_result *result, bool details)
{
	if (report_shows(report, REPORT_JSON))
		put_points_json(report, result);
	if (report_shows(report, REPORT_TEXT))
		put_points_text(report, result, details);
}

static double n_of(const struct fit_result *result, const struct usl_extreme *extreme)
{
	return isnan(extreme->value) ? NAN : result->series->points[extreme->point].n;
}

/* --- The checks in text: a line each -------------------------------------------- */

enum result { UNKNOWN, PASSED, FAILED };

/* What was found, and whether that is as it should be. */
struct check {
	char *found; /* to be freed */
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
		return check_unknown("not tested with so many different N");
	if (isnan(runs->p_few))
		return check_unknown("all points are on the same side");
	return (struct check){xasprintf("%zu runs of the same sign in %zu, p = %.2g", runs->runs,
					runs->above + runs->below, runs->p_few),
			      passed_unless(usl_diagnosis_has_few_runs(result->diagnosis))};
}

static struct check check_lack_of_fit(const struct fit_result *result)
{
	const struct usl_lack_of_fit *lack = &result->diagnosis->lack_of_fit;

	if (result->diagnosis->distinct == result->series->count)
		return check_unknown("no N is measured twice");
	if (result->robust)
		return check_unknown("not tested in a robust fit");
	if (has_too_many_n(result))
		return check_unknown("not tested with so many different N");
	if (isnan(lack->p))
		return check_unknown(lack->lack_df ? "repeated measurements are all the same"
						   : "as many parameters as different N");
	return (struct check){xasprintf("F = %.3g for %zu and %zu degrees of freedom, p = %.2g",
					lack->f, lack->lack_df, lack->pure_df, lack->p),
			      passed_unless(usl_diagnosis_lacks_fit(result->diagnosis))};
}

static struct check check_outlier(const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	if (!diagnosis->points)
		return check_unknown("not looked for among so many points");
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
		return check_unknown("not looked for among so many points");
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
		return check_unknown("not tried with so many points");
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
		return check_unknown("not looked for in a robust fit");
	if (has_too_many_n(result))
		return check_unknown("not looked for with so many different N");
	if (!knee->places)
		return check_unknown("too few N to look for one");
	if (!result->diagnosis->has_knee)
		return (struct check){xasprintf("none, p = %.2g", knee->p), PASSED};
	return (struct check){
		xasprintf("between N = %.6g and %.6g, p = %.2g", knee->last, knee->first, knee->p),
		FAILED};
}

enum { CHECKS = 6 };

static void put_checks(struct report *report, const struct fit_result *result)
{
	static const struct column columns[CHECKS] = {
		{"runs", "runs", UNIT_NONE, 0},
		{"lack_of_fit", "lack of fit", UNIT_NONE, 0},
		{"outliers", "outliers", UNIT_NONE, 0},
		{"influence", "influence", UNIT_NONE, 0},
		{"drift", "left out", UNIT_NONE, 0},
		{"knee", "knee", UNIT_NONE, 0},
	};
	static struct check (*const checks[CHECKS])(const struct fit_result *result) = {
		check_runs,	 check_lack_of_fit, check_outlier,
		check_influence, check_drift,	    check_knee,
	};
	static const char *const results[] = {
		[UNKNOWN] = "not done", [PASSED] = "passed", [FAILED] = "failed"};
	static const struct table table = {.title = "Checks",
					   .layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = CHECKS};
	struct cell cells[CHECKS];
	char *texts[CHECKS];

	for (size_t i = 0; i < CHECKS; i++) {
		struct check check = result->diagnosis->exact
					     ? check_unknown("the curve passes through all points")
					     : checks[i](result);

		texts[i] = xasprintf("%s: %s", results[check.result], check.found);
		cells[i] = cell_text(texts[i]);
		free(check.found);
	}
	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
	for (size_t i = 0; i < CHECKS; i++)
		free(texts[i]);
}

/* --- The checks in JSON ------------------------------------------------------------------- */

/* Facts of their own under a key. */
static void put_facts_under(struct report *report, const char *key, const struct column *columns,
			    size_t count, const struct cell *cells)
{
	const struct table table = {.layout = LAYOUT_FACTS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = count};

	report_group(report, key);
	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
	report_ungroup(report);
}

static void put_runs(struct report *report, const struct usl_diagnosis *diagnosis)
{
	static const struct column columns[] = {
		{"above", "", UNIT_NONE, 0}, {"below", "", UNIT_NONE, 0},
		{"runs", "", UNIT_NONE, 0},  {"p_few", "", UNIT_NONE, 0},
		{"p", "", UNIT_NONE, 0},
	};
	const struct runs_test *runs = &diagnosis->runs;

	put_facts_under(report, "runs", columns, COUNT(columns),
			(struct cell[]){
				cell_count((int64_t)runs->above),
				cell_count((int64_t)runs->below),
				cell_count((int64_t)runs->runs),
				cell_number(runs->p_few),
				cell_number(runs->p),
			});
}

static void put_lack_of_fit(struct report *report, const struct usl_diagnosis *diagnosis)
{
	static const struct column columns[] = {
		{"distinct_n", "", UNIT_NONE, 0}, {"pure_error", "", UNIT_NONE, 0},
		{"pure_df", "", UNIT_NONE, 0},	  {"lack_df", "", UNIT_NONE, 0},
		{"f", "", UNIT_NONE, 0},	  {"p", "", UNIT_NONE, 0},
	};
	const struct usl_lack_of_fit *lack = &diagnosis->lack_of_fit;

	put_facts_under(report, "lack_of_fit", columns, COUNT(columns),
			(struct cell[]){
				cell_count((int64_t)diagnosis->distinct),
				cell_number(lack->pure_error),
				cell_count((int64_t)lack->pure_df),
				cell_count((int64_t)lack->lack_df),
				cell_number(lack->f),
				cell_number(lack->p),
			});
}

static void put_outliers(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"t", "", UNIT_NONE, 0},
		{"limit", "", UNIT_NONE, 0},
		{"count", "", UNIT_NONE, 0},
	};
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	put_facts_under(
		report, "outliers", columns, COUNT(columns),
		(struct cell[]){
			cell_number(n_of(result, &diagnosis->outlier)),
			cell_number(diagnosis->outlier.value),
			cell_number(diagnosis->outlier_limit),
			diagnosis->points ? cell_count((int64_t)diagnosis->outliers) : cell_null(),
		});
}

static void put_influence(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"cook", "", UNIT_NONE, 0},
	};
	const struct usl_extreme *influence = &result->diagnosis->influence;

	put_facts_under(report, "influence", columns, COUNT(columns),
			(struct cell[]){cell_number(n_of(result, influence)),
					cell_number(influence->value)});
}

static void put_drift(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"nc_low", "", UNIT_NONE, 0},
		{"nc_high", "", UNIT_NONE, 0},
	};
	const struct usl_drift *drift = &result->diagnosis->drift;

	put_facts_under(report, "drift", columns, COUNT(columns),
			(struct cell[]){
				isnan(drift->low)
					? cell_null()
					: cell_number(result->series->points[drift->point].n),
				cell_number(drift->low),
				cell_number(drift->high),
			});
}

static void put_knee(struct report *report, const struct usl_diagnosis *diagnosis)
{
	static const struct column columns[] = {
		{"found", "", UNIT_NONE, 0},   {"last_n", "", UNIT_NONE, 0},
		{"first_n", "", UNIT_NONE, 0}, {"places", "", UNIT_NONE, 0},
		{"one_rss", "", UNIT_NONE, 0}, {"rss", "", UNIT_NONE, 0},
		{"p", "", UNIT_NONE, 0},       {"distance_share", "", UNIT_NONE, 0},
	};
	const struct usl_knee *knee = &diagnosis->knee;

	put_facts_under(report, "knee", columns, COUNT(columns),
			(struct cell[]){
				knee->places ? cell_bool(diagnosis->has_knee) : cell_null(),
				cell_number(knee->last),
				cell_number(knee->first),
				cell_count((int64_t)knee->places),
				cell_number(knee->one_rss),
				cell_number(knee->rss),
				cell_number(knee->p),
				cell_number(knee->distance_share),
			});
}

static void put_diagnosis_json(struct report *report, const struct fit_result *result)
{
	const struct usl_diagnosis *diagnosis = result->diagnosis;

	report_group(report, "diagnosis");
	put_runs(report, diagnosis);
	put_lack_of_fit(report, diagnosis);
	put_outliers(report, result);
	put_influence(report, result);
	put_drift(report, result);
	put_knee(report, diagnosis);
	report_ungroup(report);
}

void report_diagnosis(struct report *report, const struct fit_result *result)
{
	if (report_shows(report, REPORT_TEXT))
		put_checks(report, result);
	if (report_shows(report, REPORT_JSON))
		put_diagnosis_json(report, result);
}
