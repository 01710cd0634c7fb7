/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "replay/forecast/replayed.h"
#include "replay/forecast/replayed_usl.h"
#include "replay/program/spin.h"
#include "report/forecast/report_forecast_private.h"
#include "stats/profile/wall_times.h"

#include <inttypes.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Facts --------------------------------------------------------------------------------- */

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
	.column_count = COUNT(fact_columns),
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
	.column_count = COUNT(remark_columns),
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

/* --- Rows ---------------------------------------------------------------------------------- */

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
enum { COLUMN_COUNT = COUNT(forecast_columns) };

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

/* A row for each number of cores, with the columns for which there is something. */
static void put_rows(struct report *report, const struct forecast_view *view)
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

/* --- What the forecast misses -------------------------------------------------------------- */

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

/* --- The Universal Scalability Law --------------------------------------------------------- */

/* Of a point by which the law may miss it and still be said to describe the program. */
static const double usual_error = .05;

/* The facts of text leave out what is null. */
static struct cell number_or_null(double number)
{
	return isfinite(number) ? cell_number(number) : cell_null();
}

static void put_usl_facts(struct report *report, const struct replayed_usl *replayed)
{
	static const struct column columns[] = {
		{"alpha", "alpha, contention", UNIT_DECIMAL, 0},
		{"beta", "beta, coherency", UNIT_DECIMAL, 0},
		{"gamma", "gamma, runs per second on one", UNIT_DECIMAL, 0},
		{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, 0},
		{"xmax", "throughput there, X_max", UNIT_DECIMAL, 0},
		{"r2", "R^2", UNIT_DECIMAL, 0},
		{"rms_error", "misses the replay by (RMS)", UNIT_SHARE, 0},
		{"max_error", "... at worst by", UNIT_SHARE, 0},
		{"max_error_n", "... on cores", UNIT_DECIMAL, 0},
		{"falls", "", UNIT_NONE, 0},
	};
	static const struct table table = {.title = "Universal Scalability Law through the replay",
					   .layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct usl *usl = &replayed->usl;

	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){cell_number(usl->alpha), cell_number(usl->beta),
				   cell_number(usl->gamma), number_or_null(usl_peak_n(usl)),
				   number_or_null(usl_peak_throughput(usl)),
				   number_or_null(replayed->r2), cell_number(replayed->rms_error),
				   cell_number(replayed->max_error),
				   cell_number(replayed->max_error_n),
				   report_shows(report, REPORT_JSON) ? cell_bool(replayed->falls)
								     : cell_null()});
	report_end(report);
}

static void put_usl_points(struct report *report, const struct replayed_usl *replayed)
{
	static const struct column columns[] = {{"cores", "", UNIT_NONE, 0},
						{"wall_s", "", UNIT_SECONDS, 0},
						{"throughput", "", UNIT_DECIMAL, 0},
						{"fitted", "", UNIT_DECIMAL, 0},
						{"error", "", UNIT_SHARE, 0}};
	static const struct table table = {.key = "points",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < replayed->series.count; i++) {
		const struct series_point *point = &replayed->series.points[i];

		report_row(report,
			   (struct cell[]){cell_count((int64_t)point->n),
					   cell_number(1 / point->throughput),
					   cell_number(point->throughput),
					   cell_number(usl_throughput(&replayed->usl, point->n)),
					   cell_number(replayed_usl_error(replayed, i))});
	}
	report_end(report);
}

static void note_usl(struct report *report, const struct replayed_usl *replayed)
{
	double largest = series_max_n(&replayed->series);

	report_note(report,
		    "Fitted to %zu replays, up to %.0f cores. What the curve misses there is that "
		    "the law is not the program's, and no scatter, so that there are no intervals. "
		    "How far the replay is from the truth comes on top.",
		    replayed->series.count, largest);
	if (fabs(replayed->max_error) > usual_error)
		report_note(report,
			    "The law does not describe this program: take the replayed wall times, "
			    "and parameters and peak for no more than a summary.");
	if (!replayed->falls && usl_peak_n(&replayed->usl) < largest)
		report_note(
			report,
			"The peak is the curve's alone: replayed throughput does not fall up to "
			"%.0f cores.",
			largest);
	if (largest >= (double)replayed->active)
		report_note(report,
			    "No more than %" PRIu64 " threads are active at a time, so that more "
			    "cores change nothing: beyond, the curve is that of a program with "
			    "more threads.",
			    replayed->active);
}

/* The law through replayed wall times, and how far it departs from them. Not in CSV. */
static void put_usl(struct report *report, const struct replayed_usl *replayed)
{
	report_group(report, "usl");
	put_usl_facts(report, replayed);
	put_usl_points(report, replayed);
	report_ungroup(report);
	note_usl(report, replayed);
}

void report_forecast(struct report *report, const struct forecast_view *view)
{
	report_what_if(report, view);
	put_facts(report, view);
	put_rows(report, view);
	if (view->measured)
		put_error(report, view);
	if (view->why)
		report_why(report, view);
	if (view->usl)
		put_usl(report, view->usl);
	report_forecast_notes(report, view);
}
