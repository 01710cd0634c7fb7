/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_forecast.h"

#include "stats/wall_times.h"

#include <inttypes.h>
#include <math.h>

static const char assumptions[] =
	"Active threads are independent and their work does not depend on the number of cores: no "
	"lock that binds only on more cores, no spinning, the same clock and memory speed. The "
	"closed form gives no interval.";

static const struct column fact_columns[] = {
	{"model", "model", UNIT_NONE, 0},
	{"measured_cores", "measured on cores", UNIT_NONE, 0},
	{"measured_wall_s", "measured wall time", UNIT_SECONDS, 0},
	{"unknown_s", "of it unknown", UNIT_SECONDS, 0},
};

static const struct table fact_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = fact_columns,
	.column_count = sizeof(fact_columns) / sizeof(fact_columns[0]),
};

static const struct column assumption_columns[] = {{"assumptions", "", UNIT_NONE, 0}};

static const struct table assumption_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = assumption_columns,
	.column_count = 1,
};

/* The last ones where something was measured. */
static const struct column columns[] = {
	{"cores", "cores", UNIT_NONE, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"speedup", "speed-up", UNIT_FACTOR, 0},
	{"efficiency", "efficiency", UNIT_SHARE, 0},
	{"measured_s", "measured", UNIT_SECONDS, 0},
	{"runs", "runs", UNIT_NONE, 0},
	{"error", "error", UNIT_SHARE, 0},
};
enum { MEASURED_COLUMNS = 3 };

static const struct table compared_table = {
	.key = "forecast",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static const struct table table = {
	.key = "forecast",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]) - MEASURED_COLUMNS,
};

static void put_facts(struct report *report, const struct forecast_view *view)
{
	const struct level_times *levels = view->levels;

	report_begin(report, &fact_table);
	report_row(report, (struct cell[]){
				   cell_text("closed-form"),
				   cell_count((int64_t)view->measured_cores),
				   cell_seconds(levels->total_ns),
				   levels->unknown_ns || report_shows(report, REPORT_JSON)
					   ? cell_seconds(levels->unknown_ns)
					   : cell_null(),
			   });
	report_end(report);
	report_begin(report, &assumption_table);
	report_row(report, (struct cell[]){cell_text(assumptions)});
	report_end(report);
}

static void put_row(struct report *report, const struct forecast_view *view, uint64_t cores)
{
	struct forecast forecast = closed_form(view->levels, view->measured_cores, cores);
	const struct wall_time *time =
		view->measured ? wall_times_find(view->measured, cores) : NULL;

	report_row(report, (struct cell[]){
				   cell_count((int64_t)forecast.cores),
				   cell_number(forecast.wall_s),
				   cell_number(forecast.speedup),
				   cell_number(forecast.efficiency),
				   time ? cell_number(time->mean_s) : cell_null(),
				   time ? cell_count((int64_t)time->runs) : cell_null(),
				   time ? cell_number(closed_form_error(view->levels,
									view->measured_cores, time))
					: cell_null(),
			   });
}

static void put_error(struct report *report, const struct forecast_view *view)
{
	static const struct column column = {"mean_abs_error", "", UNIT_SHARE, 0};
	static const struct table error_table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	size_t count;
	double error =
		closed_form_mean_error(view->levels, view->measured_cores, view->measured, &count);

	report_begin(report, &error_table);
	report_row(report, (struct cell[]){cell_number(error)});
	report_end(report);
	if (isnan(error))
		report_note(report, "Nothing was measured on other core counts than the profile: "
				    "how good the forecast is remains unknown.");
	else
		report_note(report,
			    "The forecast misses what was measured by %.1f %% on average: the mean "
			    "absolute relative error on %zu core count%s, without the %" PRIu64
			    " that the profile is of.",
			    100 * error, count, count == 1 ? "" : "s", view->measured_cores);
}

void report_forecast(struct report *report, const struct forecast_view *view)
{
	put_facts(report, view);
	report_begin(report, view->measured ? &compared_table : &table);
	for (size_t i = 0; i < view->count; i++)
		put_row(report, view, view->cores[i]);
	report_end(report);
	if (view->measured)
		put_error(report, view);
	report_note(report, "%s", assumptions);
	if (view->levels->unknown_ns)
		report_note(
			report,
			"The time in which the number of active threads is not known (%.4f s) is "
			"carried over as it is.",
			(double)view->levels->unknown_ns / 1e9);
}
