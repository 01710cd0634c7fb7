/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "replay/forecast/replayed.h"
#include "replay/program/spin.h"
#include "report/forecast/report_forecast_notes.h"
#include "report/forecast/report_forecast_rows.h"
#include "report/forecast/report_forecast_usl.h"
#include "report/forecast/report_why.h"
#include "stats/profile/wall_times.h"

#include <inttypes.h>
#include <math.h>

static const struct column fact_columns[] = {
	{"model", "model", UNIT_NONE, 0},
	{"measured_cores", "measured on cores", UNIT_NONE, 0},
	{"measured_wall_s", "measured wall time", UNIT_SECONDS, 0},
	{"unknown_s", "of it unknown", UNIT_SECONDS, 0},
	{"slowdown", "slowdown", UNIT_NONE, 0},
};

static const struct table fact_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = fact_columns,
	.column_count = sizeof(fact_columns) / sizeof(fact_columns[0]),
};

static const struct column remark_columns[] = {
	{"reason", "", UNIT_NONE, 0},
	{"assumptions", "", UNIT_NONE, 0},
	{"spin", "", UNIT_NONE, 0},
	{"spin_share", "", UNIT_SHARE, 0},
	{"yield_share", "", UNIT_SHARE, 0},
	{"replicates", "", UNIT_NONE, 0},
	{"calls_cost_s", "", UNIT_SECONDS, 0},
	{"anchor", "", UNIT_NONE, 0},
	{"attached", "", UNIT_NONE, 0},
};

static const struct table remark_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = remark_columns,
	.column_count = sizeof(remark_columns) / sizeof(remark_columns[0]),
};

static void put_facts(struct report *report, const struct forecast_view *view)
{
	const struct level_times *levels = view->levels;

	report_begin(report, &fact_table);
	report_row(report, (struct cell[]){
				   cell_text(forecast_view_model(view)),
				   cell_count((int64_t)view->measured_cores),
				   cell_seconds(levels->total_ns),
				   levels->unknown_ns || report_shows(report, REPORT_JSON)
					   ? cell_seconds(levels->unknown_ns)
					   : cell_null(),
				   cell_text(view->replay ? view->slowdown : NULL),
			   });
	report_end(report);
	report_begin(report, &remark_table);
	report_row(
		report,
		(struct cell[]){
			cell_text(view->reason),
			cell_text(report_forecast_assumptions(view)),
			cell_text(view->replay ? view->spin_waits ? "waiting" : "work" : NULL),
			view->spun ? cell_number(spin_share_value(&view->spun->share))
				   : cell_null(),
			view->spun ? cell_number(yielded_share(&view->spun->yielded)) : cell_null(),
			view->replay ? cell_count((int64_t)view->replay->replicates) : cell_null(),
			view->replay && view->replay->calls_s > 0
				? cell_number(view->replay->calls_s)
				: cell_null(),
			view->replay ? cell_number(view->replay->scale) : cell_null(),
			cell_bool(view->attached),
		});
	report_end(report);
}

static void note_error(struct report *report, const struct forecast_view *view, double error,
		       size_t count)
{
	size_t ignored;
	double closed_form = 100 * closed_form_mean_error(view->levels, view->measured_cores,
							  view->measured, &ignored);

	report_note(report,
		    "The forecast misses what was measured by %.1f %% on average: the mean "
		    "absolute relative error on %zu core count%s, without the %" PRIu64
		    " that the profile is of.",
		    100 * error, count, count == 1 ? "" : "s", view->measured_cores);
	if (view->replay && !view->unchanged)
		report_note(report, "The closed form misses it by %.1f %%.", closed_form);
}

static void put_error(struct report *report, const struct forecast_view *view)
{
	static const struct column column = {"mean_abs_error", "", UNIT_SHARE, 0};
	static const struct table error_table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	size_t count;
	double error = forecast_view_mean_error(view, &count);

	report_begin(report, &error_table);
	report_row(report, (struct cell[]){cell_number(error)});
	report_end(report);
	if (isnan(error))
		report_note(report, "Nothing was measured on other core counts than the profile: "
				    "how good the forecast is remains unknown.");
	else
		note_error(report, view, error, count);
}

void report_forecast(struct report *report, const struct forecast_view *view)
{
	report_what_if(report, view);
	put_facts(report, view);
	report_forecast_rows(report, view);
	if (view->measured)
		put_error(report, view);
	if (view->why)
		report_why(report, view);
	if (view->usl)
		report_forecast_usl(report, view->usl);
	report_forecast_notes(report, view);
}
