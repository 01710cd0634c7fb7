/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_diagnosis.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "report/fit/fit_view.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double n_of(const struct fit_view *view, const struct usl_extreme *extreme)
{
	return isnan(extreme->value) ? NAN : view->series->points[extreme->point].n;
}

/* --- Text: a line for each check -------------------------------------------- */

enum result { UNKNOWN, PASSED, FAILED };

/* What was found, and whether that is as it should be. */
struct check {
	char *found; /* to be freed */
	enum result result;
};

static struct check unknown(const char *why)
{
	return (struct check){xstrdup(why), UNKNOWN};
}

static bool has_too_many_n(const struct fit_view *view)
{
	return view->diagnosis->distinct > USL_DIAGNOSIS_POINTS;
}

static enum result passed_unless(bool failed)
{
	return failed ? FAILED : PASSED;
}

static struct check check_runs(const struct fit_view *view)
{
	const struct runs_test *runs = &view->diagnosis->runs;

	if (has_too_many_n(view))
		return unknown("not tested with so many different N");
	if (isnan(runs->p_few))
		return unknown("all points are on the same side");
	return (struct check){xasprintf("%zu runs of the same sign in %zu, p = %.2g", runs->runs,
					runs->above + runs->below, runs->p_few),
			      passed_unless(usl_diagnosis_has_few_runs(view->diagnosis))};
}

static struct check check_lack_of_fit(const struct fit_view *view)
{
	const struct usl_lack_of_fit *lack = &view->diagnosis->lack_of_fit;

	if (view->diagnosis->distinct == view->series->count)
		return unknown("no N is measured twice");
	if (view->robust)
		return unknown("not tested in a robust fit");
	if (has_too_many_n(view))
		return unknown("not tested with so many different N");
	if (isnan(lack->p))
		return unknown(lack->lack_df ? "repeated measurements are all the same"
					     : "as many parameters as different N");
	return (struct check){xasprintf("F = %.3g for %zu and %zu degrees of freedom, p = %.2g",
					lack->f, lack->lack_df, lack->pure_df, lack->p),
			      passed_unless(usl_diagnosis_lacks_fit(view->diagnosis))};
}

static struct check check_outlier(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	if (!diagnosis->points)
		return unknown("not looked for among so many points");
	if (isnan(diagnosis->outlier.value))
		return unknown("too few points");
	return (struct check){xasprintf("largest t %.3g at N = %.6g, limit %.3g",
					diagnosis->outlier.value, n_of(view, &diagnosis->outlier),
					diagnosis->outlier_limit),
			      passed_unless(diagnosis->outliers)};
}

static struct check check_influence(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;
	const struct usl_extreme *influence = &diagnosis->influence;

	if (!diagnosis->points)
		return unknown("not looked for among so many points");
	if (isnan(influence->value))
		return unknown("too few points");
	return (struct check){xasprintf("largest Cook's distance %.3g at N = %.6g, limit %d",
					influence->value, n_of(view, influence), USL_INFLUENTIAL),
			      passed_unless(influence->value > USL_INFLUENTIAL)};
}

static struct check check_drift(const struct fit_view *view)
{
	const struct usl_drift *drift = &view->diagnosis->drift;
	char *text, *found;

	if (!view->diagnosis->left_out)
		return unknown("not tried with so many points");
	if (isnan(drift->low))
		return unknown(isnan(usl_peak_n(view->usl)) ? "there is no N_c" : "too few points");
	text = report_drift(view);
	found = xasprintf("N_c %s", text);
	free(text);
	return (struct check){found, passed_unless(drift->leaves)};
}

static struct check check_knee(const struct fit_view *view)
{
	const struct usl_knee *knee = &view->diagnosis->knee;

	if (view->robust)
		return unknown("not looked for in a robust fit");
	if (has_too_many_n(view))
		return unknown("not looked for with so many different N");
	if (!knee->places)
		return unknown("too few N to look for one");
	if (!view->diagnosis->has_knee)
		return (struct check){xasprintf("none, p = %.2g", knee->p), PASSED};
	return (struct check){
		xasprintf("between N = %.6g and %.6g, p = %.2g", knee->last, knee->first, knee->p),
		FAILED};
}

enum { CHECKS = 6 };

static void put_checks(struct report *report, const struct fit_view *view)
{
	static const struct column columns[CHECKS] = {
		{"runs", "runs", UNIT_NONE, 0},
		{"lack_of_fit", "lack of fit", UNIT_NONE, 0},
		{"outliers", "outliers", UNIT_NONE, 0},
		{"influence", "influence", UNIT_NONE, 0},
		{"drift", "left out", UNIT_NONE, 0},
		{"knee", "knee", UNIT_NONE, 0},
	};
	static struct check (*const checks[CHECKS])(const struct fit_view *view) = {
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
		struct check check = view->diagnosis->exact
					     ? unknown("the curve passes through all points")
					     : checks[i](view);

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

/* --- JSON ------------------------------------------------------------------- */

/* Facts of their own under a key. */
static void put_object(struct report *report, const char *key, const struct column *columns,
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

	put_object(report, "runs", columns, COUNT(columns),
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

	put_object(report, "lack_of_fit", columns, COUNT(columns),
		   (struct cell[]){
			   cell_count((int64_t)diagnosis->distinct),
			   cell_number(lack->pure_error),
			   cell_count((int64_t)lack->pure_df),
			   cell_count((int64_t)lack->lack_df),
			   cell_number(lack->f),
			   cell_number(lack->p),
		   });
}

static void put_outliers(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"t", "", UNIT_NONE, 0},
		{"limit", "", UNIT_NONE, 0},
		{"count", "", UNIT_NONE, 0},
	};
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	put_object(
		report, "outliers", columns, COUNT(columns),
		(struct cell[]){
			cell_number(n_of(view, &diagnosis->outlier)),
			cell_number(diagnosis->outlier.value),
			cell_number(diagnosis->outlier_limit),
			diagnosis->points ? cell_count((int64_t)diagnosis->outliers) : cell_null(),
		});
}

static void put_influence(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"cook", "", UNIT_NONE, 0},
	};
	const struct usl_extreme *influence = &view->diagnosis->influence;

	put_object(
		report, "influence", columns, COUNT(columns),
		(struct cell[]){cell_number(n_of(view, influence)), cell_number(influence->value)});
}

static void put_drift(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "", UNIT_NONE, 0},
		{"nc_low", "", UNIT_NONE, 0},
		{"nc_high", "", UNIT_NONE, 0},
	};
	const struct usl_drift *drift = &view->diagnosis->drift;

	put_object(report, "drift", columns, COUNT(columns),
		   (struct cell[]){
			   isnan(drift->low) ? cell_null()
					     : cell_number(view->series->points[drift->point].n),
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

	put_object(report, "knee", columns, COUNT(columns),
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

static void put_json(struct report *report, const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

	report_group(report, "diagnosis");
	put_runs(report, diagnosis);
	put_lack_of_fit(report, diagnosis);
	put_outliers(report, view);
	put_influence(report, view);
	put_drift(report, view);
	put_knee(report, diagnosis);
	report_ungroup(report);
}

/* ---------------------------------------------------------------------------- */

void report_diagnosis(struct report *report, const struct fit_view *view)
{
	if (report_shows(report, REPORT_TEXT))
		put_checks(report, view);
	if (report_shows(report, REPORT_JSON))
		put_json(report, view);
}

static char *say_peak_n(double n)
{
	if (n == 0)
		return xstrdup("a fall from the first N on");
	return isinf(n) ? xstrdup("no peak") : xasprintf("%.4g", n);
}

char *report_drift(const struct fit_view *view)
{
	const struct usl_drift *drift = &view->diagnosis->drift;
	char *low = say_peak_n(drift->low), *high = say_peak_n(drift->high);
	double n = view->series->points[drift->point].n;
	char *text = drift->low == drift->high
			     ? xasprintf("to %s without N = %.6g", high, n)
			     : xasprintf("from %s to %s, farthest without N = %.6g", low, high, n);

	free(low);
	free(high);
	return text;
}

/* Is a point off the curve by 1 % or more? Where all scatter less an outlier changes no verdict. */
static bool matters(const struct fit_view *view, size_t point)
{
	return fabs(view->diagnosis->points[point].residual) >=
	       .01 * view->series->points[point].throughput;
}

char *report_doubt(const struct fit_view *view)
{
	const struct usl_diagnosis *diagnosis = view->diagnosis;

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
	if (diagnosis->sure_outlier && matters(view, diagnosis->outlier.point))
		return xasprintf("N = %.6g lies far off the curve",
				 n_of(view, &diagnosis->outlier));
	return NULL;
}
