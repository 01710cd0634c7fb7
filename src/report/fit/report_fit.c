/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_choice.h"
#include "report/fit/fit_view.h"
#include "report/fit/fit_warnings.h"
#include "report/fit/report_answers.h"
#include "report/fit/report_columns.h"
#include "report/fit/report_diagnosis.h"
#include "report/fit/report_meaning.h"
#include "report/fit/report_parameters.h"
#include "report/fit/report_points.h"
#include "report/fit/report_steady.h"
#include "report/fit/report_suggestion.h"
#include "report/fit/report_verdict.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const model_names[] = {
	[USL_FULL] = "usl", [USL_AMDAHL] = "amdahl", [USL_LINEAR] = "linear"};
static const char *const extrapolated[] = {"extrapolation"};

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
						   cell_number(candidate->aicc),
						   cell_number(candidate->bic),
						   cell_number(candidate->loo),
						   cell_number(candidate->p),
					   });
	}
	report_end(report);
}

static void put_verdict(struct report *report, const struct fit_view *view)
{
	static const struct column column = {"verdict", "verdict", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	char *verdict = report_verdict(view);

	report_note(report, "%s", verdict);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(verdict)});
	report_end(report);
	free(verdict);
}

/* --- The predictions ------------------------------------------------------- */

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
		struct usl_interval curve = usl_interval_of(view->intervals, USL_X, n);
		struct usl_interval measured = usl_interval_of(view->intervals, USL_MEASURED, n);

		report_row(report,
			   (struct cell[]){
				   cell_number(n),
				   cell_number(usl_throughput(view->usl, n)),
				   cell_number(curve.low),
				   cell_number(curve.high),
				   cell_number(measured.low),
				   cell_number(measured.high),
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

/* All but the parameters. */
static void put_details(struct report *report, const struct fit_view *view)
{
	report_columns(report, view->series);
	report_steady(report, view->series);
	put_verdict(report, view);
	report_intervals(report, view);
	report_bounds(report, view);
	put_models(report, view);
	report_meaning(report, view);
	report_points(report, view);
	report_diagnosis(report, view);
	put_predictions(report, view);
	report_answers(report, view);
	report_changes(report, view);
	report_findings(report, view);
	if (view->suggestion)
		report_suggestion(report, view->suggestion);
	put_warnings(report, view);
}

void report_fit(struct report *report, const struct fit_view *view)
{
	report_group(report, NULL);
	report_parameters(report, view);
	if (report_shows(report, REPORT_TEXT | REPORT_JSON))
		put_details(report, view);
	report_ungroup(report);
}
