/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_fit.h"

#include "base/alloc.h"
#include "fit/usl.h"
#include "fit/usl_choice.h"
#include "fit/usl_region.h"
#include "report/fit_view.h"
#include "report/fit_warnings.h"
#include "report/report.h"
#include "report/report_columns.h"
#include "report/report_steady.h"
#include "report/report_verdict.h"
#include "stats/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const model_names[] = {
	[USL_FULL] = "usl", [USL_AMDAHL] = "amdahl", [USL_LINEAR] = "linear"};
static const char *const bound_names[] = {[USL_BOUND_NONE] = "none",
					  [USL_BOUND_ALPHA] = "alpha",
					  [USL_BOUND_BETA] = "beta",
					  [USL_BOUND_BOTH] = "both"};

static const char *const superlinear[] = {"superlinear"};
static const char *const extrapolated[] = {"extrapolation"};

static struct cell number_or_null(double number)
{
	return isfinite(number) ? cell_number(number) : cell_null();
}

/* --- The facts ------------------------------------------------------------- */

static const struct column fact_columns[] = {
	{"file", "file", UNIT_NONE, 0},
	{"model", "model", UNIT_NONE, 0},
	{"n", "points", UNIT_NONE, 0},
	{"alpha", "alpha, contention", UNIT_DECIMAL, 0},
	{"beta", "beta, coherency", UNIT_DECIMAL, 0},
	{"gamma", "gamma, throughput of one", UNIT_DECIMAL, 0},
	{"alpha_se", "standard error of alpha", UNIT_DECIMAL, 0},
	{"beta_se", "standard error of beta", UNIT_DECIMAL, 0},
	{"gamma_se", "standard error of gamma", UNIT_DECIMAL, 0},
	{"rss", "residual sum of squares", UNIT_DECIMAL, 0},
	{"df", "degrees of freedom", UNIT_NONE, 0},
	{"bound", "on the bound 0", UNIT_NONE, 0},
	{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, 0},
	{"xmax", "throughput there", UNIT_DECIMAL, 0},
};

static const struct table facts = {.layout = LAYOUT_FACTS,
				   .in = REPORT_TEXT | REPORT_JSON,
				   .columns = fact_columns,
				   .column_count = COUNT(fact_columns)};
static const struct table fits = {.layout = LAYOUT_ROWS,
				  .in = REPORT_CSV,
				  .columns = fact_columns,
				  .column_count = COUNT(fact_columns)};

static void put_facts(struct report *report, const struct table *table, const struct fit_view *view)
{
	const struct usl *usl = view->usl;

	report_begin(report, table);
	report_row(report, (struct cell[]){
				   cell_text(view->series->source),
				   cell_text(model_names[usl->form.model]),
				   cell_count((int64_t)usl->n),
				   cell_number(usl->alpha),
				   cell_number(usl->beta),
				   cell_number(usl->gamma),
				   number_or_null(usl->alpha_se),
				   number_or_null(usl->beta_se),
				   number_or_null(usl->gamma_se),
				   cell_number(usl->rss),
				   cell_count((int64_t)usl->df),
				   cell_text(bound_names[usl->bound]),
				   number_or_null(usl_peak_n(usl)),
				   number_or_null(usl_peak_throughput(usl)),
			   });
	report_end(report);
}

/* --- The intervals --------------------------------------------------------- */

static const struct {
	const char *name; /* of the fact */
	struct usl_interval (*interval)(struct usl_region *region);
} quantities[] = {
	{"alpha", usl_region_alpha},	      {"beta", usl_region_beta},
	{"gamma", usl_region_gamma},	      {"nc", usl_region_peak_n},
	{"xmax", usl_region_peak_throughput},
};

/* An end that is infinite is null in JSON, "inf" for people. */
static void put_intervals_text(struct report *report, const struct usl_interval *intervals,
			       double level)
{
	static const struct column columns[] = {
		{"quantity", "", UNIT_NONE, -1},
		{"low", "from", UNIT_NONE, 0},
		{"high", "to", UNIT_NONE, 0},
	};
	char title[64];
	struct table table = {.title = title,
			      .layout = LAYOUT_ROWS,
			      .in = REPORT_TEXT,
			      .columns = columns,
			      .column_count = COUNT(columns)};

	snprintf(title, sizeof(title), "Intervals of %.6g %%", 100 * level);
	report_begin(report, &table);
	for (size_t i = 0; i < COUNT(quantities); i++) {
		char low[32], high[32];

		if (isnan(intervals[i].low))
			continue;
		snprintf(low, sizeof(low), "%.6g", intervals[i].low);
		snprintf(high, sizeof(high), "%.6g", intervals[i].high);
		report_row(report, (struct cell[]){cell_text(quantities[i].name), cell_text(low),
						   cell_text(high)});
	}
	report_end(report);
}

static void put_intervals(struct report *report, const struct fit_view *view)
{
	static const struct column column = {"level", "level", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	struct usl_interval intervals[COUNT(quantities)];

	if (!report_shows(report, REPORT_TEXT | REPORT_JSON))
		return;
	report_group(report, "intervals");
	for (size_t i = 0; i < COUNT(quantities); i++) {
		intervals[i] = quantities[i].interval(view->region);
		report_numbers(report, quantities[i].name,
			       (double[]){intervals[i].low, intervals[i].high}, 2);
	}
	report_ungroup(report);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_number(view->level)});
	report_end(report);
	if (!isnan(intervals[0].low))
		put_intervals_text(report, intervals, view->level);
}

/* --- The models side by side ----------------------------------------------- */

static void put_models(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"model", "", UNIT_NONE, -1},
		{"rss", "RSS", UNIT_DECIMAL, 0},
		{"aicc", "AICc", UNIT_DECIMAL, 0},
		{"bic", "BIC", UNIT_DECIMAL, 0},
		{"loo", "left-out error", UNIT_DECIMAL, 0},
		{"p", "p", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.key = "models",
					   .title = "Models",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = USL_MODELS; i-- > 0;) {
		const struct usl_candidate *candidate = &view->choice->candidates[i];

		if (candidate->fits)
			report_row(report, (struct cell[]){
						   cell_text(model_names[i]),
						   cell_number(candidate->usl.rss),
						   number_or_null(candidate->aicc),
						   number_or_null(candidate->bic),
						   number_or_null(candidate->loo),
						   number_or_null(candidate->p),
					   });
	}
	report_end(report);
}

static void put_verdict(struct report *report, const struct fit_view *view)
{
	static const struct column column = {"verdict", "verdict", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	char *verdict = report_verdict(view->series, view->choice, view->level);

	report_note(report, "%s", verdict);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(verdict)});
	report_end(report);
	free(verdict);
}

/* --- The points and the predictions ---------------------------------------- */

/* One at each of very many N would take longer than anybody reads. */
static bool shows_curve_intervals(const struct fit_view *view)
{
	return series_distinct(view->series) <= USL_REGION_POINTS;
}

static void put_points(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"fitted", "fitted", UNIT_DECIMAL, 0},
		{"fitted_low", "from", UNIT_DECIMAL, 0},
		{"fitted_high", "to", UNIT_DECIMAL, 0},
		{"efficiency", "efficiency", UNIT_SHARE, 0},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "points",
					   .title = "Measured and fitted",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	bool intervals = shows_curve_intervals(view);

	if (!report_shows(report, table.in))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->series->count; i++) {
		const struct series_point *point = &view->series->points[i];
		struct usl_interval curve = {NAN, NAN};

		if (intervals)
			curve = usl_region_throughput(view->region, point->n);

		report_row(report,
			   (struct cell[]){
				   cell_number(point->n),
				   cell_number(point->throughput),
				   cell_number(usl_throughput(view->usl, point->n)),
				   number_or_null(curve.low),
				   number_or_null(curve.high),
				   cell_number(usl_efficiency(view->usl, point)),
				   cell_list(superlinear, usl_is_superlinear(view->usl, point)),
			   });
	}
	report_end(report);
}

static void put_predictions(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"throughput_low", "from", UNIT_DECIMAL, 0},
		{"throughput_high", "to", UNIT_DECIMAL, 0},
		{"measured_low", "measured from", UNIT_DECIMAL, 0},
		{"measured_high", "to", UNIT_DECIMAL, 0},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "predictions",
					   .title = "Predicted",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (!view->at_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->at_count; i++) {
		double n = view->at[i];
		struct usl_interval curve = usl_region_throughput(view->region, n);
		struct usl_interval measured = usl_region_measurement(view->region, n);

		report_row(report,
			   (struct cell[]){
				   cell_number(n),
				   cell_number(usl_throughput(view->usl, n)),
				   number_or_null(curve.low),
				   number_or_null(curve.high),
				   number_or_null(measured.low),
				   number_or_null(measured.high),
				   cell_list(extrapolated, usl_is_extrapolated(view->usl, n)),
			   });
	}
	report_end(report);
}

/* --- Warnings --------------------------------------------------------------- */

static void put_warnings(struct report *report, const struct fit_view *view)
{
	static const struct column column = {"warnings", "warnings", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	size_t count;
	char **texts = fit_warnings(&count, view);

	for (size_t i = 0; i < count; i++)
		report_warning(report, "Note: %s", texts[i]);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_list((const char *const *)texts, count)});
	report_end(report);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

/* What there is to say in the place of a peak. */
static void put_limit(struct report *report, const struct usl *usl)
{
	if (usl->beta > 0)
		return;
	if (usl->alpha > 0)
		report_note(report,
			    "Throughput does not peak: it approaches gamma / alpha = %.6g as N "
			    "grows.",
			    usl->gamma / usl->alpha);
	else
		report_note(report, "Throughput neither peaks nor levels off: it is gamma N.");
}

/* All but the facts. */
static void put_details(struct report *report, const struct fit_view *view)
{
	report_columns(report, view->series);
	report_steady(report, view->series);
	put_limit(report, view->usl);
	put_intervals(report, view);
	put_models(report, view);
	put_verdict(report, view);
	put_points(report, view);
	put_predictions(report, view);
	put_warnings(report, view);
}

void report_fit(struct report *report, const struct fit_view *view)
{
	report_group(report, NULL);
	put_facts(report, &fits, view);
	put_facts(report, &facts, view);
	if (report_shows(report, REPORT_TEXT | REPORT_JSON))
		put_details(report, view);
	report_ungroup(report);
}
