/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_rows.h"

#include "replay/forecast/replayed.h"
#include "report/forecast/forecast_view.h"
#include "stats/profile/wall_times.h"

#include <math.h>

/* What a cell is made from. */
struct row {
	const struct forecast_view *view;
	struct forecast_row made;
	const struct wall_time *time; /* measured; NULL: none was */
};

static struct cell cores_of(const struct row *row)
{
	return cell_count((int64_t)row->made.forecast.cores);
}

static struct cell wall_of(const struct row *row)
{
	return cell_number(row->made.forecast.wall_s);
}

static struct cell speedup_of(const struct row *row)
{
	return cell_number(row->made.forecast.speedup);
}

static struct cell efficiency_of(const struct row *row)
{
	return cell_number(row->made.forecast.efficiency);
}

static struct cell measured_of(const struct row *row)
{
	return row->time ? cell_number(row->time->mean_s) : cell_null();
}

static struct cell runs_of(const struct row *row)
{
	return row->time ? cell_count((int64_t)row->time->runs) : cell_null();
}

static struct cell error_of(const struct row *row)
{
	return row->time ? cell_number(forecast_view_error(row->view, row->time)) : cell_null();
}

static struct cell model_of(const struct row *row)
{
	return cell_text(forecast_view_model(row->view));
}

static struct cell lo_of(const struct row *row)
{
	return row->made.point ? cell_number(row->made.point->lo_s) : cell_null();
}

static struct cell hi_of(const struct row *row)
{
	return row->made.point ? cell_number(row->made.point->hi_s) : cell_null();
}

static struct cell discrepancy_of(const struct row *row)
{
	return row->made.point && !isnan(row->made.point->lo_s)
		       ? cell_number(row->made.point->discrepancy)
		       : cell_null();
}

static struct cell closed_form_of(const struct row *row)
{
	return cell_number(row->made.closed_form_s);
}

static struct cell closed_form_error_of(const struct row *row)
{
	return row->time ? cell_number(row->made.closed_form_s / row->time->mean_s - 1)
			 : cell_null();
}

static struct cell work_of(const struct row *row)
{
	const struct replayed *replayed = row->view->replay;

	return replayed ? cell_number((double)replayed->bounds.work_ns / 1e9 /
				      (double)row->made.forecast.cores)
			: cell_null();
}

/* A what-if has other chains of steps than the program. */
static struct cell path_of(const struct row *row)
{
	return row->view->replay && !row->view->unchanged
		       ? cell_seconds(row->view->replay->bounds.critical_ns)
		       : cell_null();
}

static struct cell serial_of(const struct row *row)
{
	return row->view->replay && !row->view->unchanged
		       ? cell_seconds(row->view->replay->bounds.serial_ns)
		       : cell_null();
}

static struct cell bound_of(const struct row *row)
{
	const struct replayed *replayed = row->view->replay;

	return replayed ? cell_seconds(bounds_wall_ns(&replayed->bounds,
						      (unsigned)row->made.forecast.cores))
			: cell_null();
}

static struct cell unchanged_of(const struct row *row)
{
	const struct replayed_point *point =
		replayed_find(row->view->unchanged, row->made.forecast.cores);

	return point ? cell_number(point->wall_s) : cell_null();
}

enum {
	FOR_MEASURED = 1,
	FOR_REPLAY = 2,
	FOR_INTERVAL = 4,
	FOR_UNMEASURED = 8,
	FOR_WHAT_IF = 16,
	FOR_UNCHANGED = 32,
};

/* A column stands where its row has what it is for: in the format, where that is given. */
static const struct forecast_column {
	struct column column;
	unsigned in;
	unsigned needs, needs_in_text; /* of FOR_... */
	struct cell (*cell)(const struct row *row);
} forecast_columns[] = {
	{{"cores", "cores", UNIT_NONE, 0}, REPORT_ALL, 0, 0, cores_of},
	{{"wall_s", "wall time", UNIT_SECONDS, 0}, REPORT_ALL, 0, 0, wall_of},
	{{"lo_s", "90 % from", UNIT_SECONDS, 0}, REPORT_TEXT, FOR_INTERVAL, 0, lo_of},
	{{"hi_s", "to", UNIT_SECONDS, 0}, REPORT_TEXT, FOR_INTERVAL, 0, hi_of},
	{{"unchanged_s", "as it is", UNIT_SECONDS, 0}, REPORT_TEXT, FOR_WHAT_IF, 0, unchanged_of},
	{{"speedup", "speed-up", UNIT_FACTOR, 0}, REPORT_ALL, 0, 0, speedup_of},
	{{"efficiency", "efficiency", UNIT_SHARE, 0}, REPORT_ALL, 0, 0, efficiency_of},
	{{"measured_s", "measured", UNIT_SECONDS, 0}, REPORT_ALL, FOR_MEASURED, 0, measured_of},
	{{"runs", "runs", UNIT_NONE, 0}, REPORT_ALL, FOR_MEASURED, 0, runs_of},
	{{"error", "error", UNIT_SHARE, 0}, REPORT_ALL, FOR_MEASURED, 0, error_of},
	{{"bound_s", "bound", UNIT_SECONDS, 0},
	 REPORT_TEXT,
	 FOR_REPLAY | FOR_UNMEASURED | FOR_UNCHANGED,
	 0,
	 bound_of},
	{{"model", "model", UNIT_NONE, 0}, REPORT_CSV | REPORT_JSON, 0, 0, model_of},
	{{"lo_s", "", UNIT_SECONDS, 0}, REPORT_CSV | REPORT_JSON, 0, 0, lo_of},
	{{"hi_s", "", UNIT_SECONDS, 0}, REPORT_CSV | REPORT_JSON, 0, 0, hi_of},
	{{"discrepancy", "", UNIT_SHARE, 0}, REPORT_CSV | REPORT_JSON, 0, 0, discrepancy_of},
	{{"closed_form_s", "closed form", UNIT_SECONDS, 0},
	 REPORT_ALL,
	 0,
	 FOR_REPLAY | FOR_UNCHANGED,
	 closed_form_of},
	{{"closed_form_error", "its error", UNIT_SHARE, 0},
	 REPORT_ALL,
	 FOR_MEASURED,
	 FOR_REPLAY | FOR_UNCHANGED,
	 closed_form_error_of},
	{{"work_bound_s", "", UNIT_SECONDS, 0}, REPORT_CSV | REPORT_JSON, 0, 0, work_of},
	{{"path_bound_s", "", UNIT_SECONDS, 0}, REPORT_CSV | REPORT_JSON, 0, 0, path_of},
	{{"lock_bound_s", "", UNIT_SECONDS, 0}, REPORT_CSV | REPORT_JSON, 0, 0, serial_of},
	{{"unchanged_s", "", UNIT_SECONDS, 0},
	 REPORT_CSV | REPORT_JSON,
	 FOR_WHAT_IF,
	 0,
	 unchanged_of},
};
enum { COLUMN_COUNT = sizeof(forecast_columns) / sizeof(forecast_columns[0]) };

/* Those that are shown here. */
struct shown {
	struct column columns[COLUMN_COUNT];
	const struct forecast_column *of[COLUMN_COUNT];
	size_t count;
};

static unsigned features_of(const struct forecast_view *view)
{
	const struct replayed *replayed = view->replay;

	return (view->measured ? FOR_MEASURED : FOR_UNMEASURED) | (replayed ? FOR_REPLAY : 0) |
	       (replayed && replayed_has_interval(replayed) ? FOR_INTERVAL : 0) |
	       (view->unchanged ? FOR_WHAT_IF : FOR_UNCHANGED);
}

static void choose_columns(struct shown *shown, const struct report *report,
			   const struct forecast_view *view)
{
	unsigned has = features_of(view);

	shown->count = 0;
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		const struct forecast_column *column = &forecast_columns[i];
		unsigned needs = column->needs;

		if (report_shows(report, REPORT_TEXT))
			needs |= column->needs_in_text;
		if (!report_shows(report, column->in) || (needs & ~has))
			continue;
		shown->columns[shown->count] = column->column;
		shown->of[shown->count++] = column;
	}
}

static void put_row(struct report *report, const struct shown *shown,
		    const struct forecast_view *view, uint64_t cores)
{
	struct row row = {
		.view = view,
		.made = forecast_view_row(view, cores),
		.time = view->measured ? wall_times_find(view->measured, cores) : NULL,
	};
	struct cell cells[COLUMN_COUNT];

	for (size_t i = 0; i < shown->count; i++)
		cells[i] = shown->of[i]->cell(&row);
	report_row(report, cells);
}

void report_forecast_rows(struct report *report, const struct forecast_view *view)
{
	struct shown shown;
	struct table table = {.key = "forecast",
			      .layout = LAYOUT_ROWS,
			      .in = view->why ? REPORT_TEXT | REPORT_JSON : REPORT_ALL};

	choose_columns(&shown, report, view);
	table.columns = shown.columns;
	table.column_count = shown.count;
	report_begin(report, &table);
	for (size_t i = 0; i < view->count; i++)
		put_row(report, &shown, view, view->cores[i]);
	report_end(report);
}
