/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_forecast.h"

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

static const struct column columns[] = {
	{"cores", "cores", UNIT_NONE, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"speedup", "speed-up", UNIT_FACTOR, 0},
	{"efficiency", "efficiency", UNIT_SHARE, 0},
};

static const struct table table = {
	.key = "forecast",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

void report_forecast(struct report *report, const struct level_times *levels,
		     uint64_t measured_cores, const uint64_t *cores, size_t count)
{
	report_begin(report, &fact_table);
	report_row(report, (struct cell[]){
				   cell_text("closed-form"),
				   cell_count((int64_t)measured_cores),
				   cell_seconds(levels->total_ns),
				   levels->unknown_ns || report_shows(report, REPORT_JSON)
					   ? cell_seconds(levels->unknown_ns)
					   : cell_null(),
			   });
	report_end(report);
	report_begin(report, &assumption_table);
	report_row(report, (struct cell[]){cell_text(assumptions)});
	report_end(report);
	report_begin(report, &table);
	for (size_t i = 0; i < count; i++) {
		struct forecast forecast = closed_form(levels, measured_cores, cores[i]);

		report_row(report, (struct cell[]){
					   cell_count((int64_t)forecast.cores),
					   cell_number(forecast.wall_s),
					   cell_number(forecast.speedup),
					   cell_number(forecast.efficiency),
				   });
	}
	report_end(report);
	report_note(report, "%s", assumptions);
	if (levels->unknown_ns)
		report_note(
			report,
			"The time in which the number of active threads is not known (%.4f s) is "
			"carried over as it is.",
			(double)levels->unknown_ns / 1e9);
}
