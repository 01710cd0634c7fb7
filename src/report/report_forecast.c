/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_forecast.h"

#include "replay/replayed.h"
#include "replay/spin.h"
#include "replay/variation.h"
#include "report/report_forecast_usl.h"
#include "report/report_validity.h"
#include "report/report_why.h"
#include "stats/wall_times.h"

#include <inttypes.h>
#include <math.h>

static const char closed_form_assumptions[] =
	"Active threads are independent and their work does not depend on the number of cores: no "
	"lock that binds only on more cores, no spinning, the same clock and memory speed. The "
	"closed form gives no interval.";

static const char replay_assumptions[] =
	"Threads take the steps that they took, and wait for each other as they did; their work "
	"does not depend on the number of cores: no spinning, the same clock and memory speed, "
	"and waits for what is outside as long as they were.";

static const char slowed_assumptions[] =
	"Threads take the steps that they took, and wait for each other as they did; their work "
	"does not depend on the number of cores, but that it is slower while more of them are "
	"busy: no spinning, and waits for what is outside as long as they were.";

static const char *assumptions_of(const struct forecast_view *view)
{
	if (view->replay && view->slowdown)
		return slowed_assumptions;
	return view->replay ? replay_assumptions : closed_form_assumptions;
}

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
	{"reason", "", UNIT_NONE, 0},	    {"assumptions", "", UNIT_NONE, 0},
	{"spin", "", UNIT_NONE, 0},	    {"spin_share", "", UNIT_SHARE, 0},
	{"yield_share", "", UNIT_SHARE, 0}, {"replicates", "", UNIT_NONE, 0},
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
			cell_text(assumptions_of(view)),
			cell_text(view->replay ? view->spin_waits ? "waiting" : "work" : NULL),
			view->spun ? cell_number(spin_share_value(&view->spun->share))
				   : cell_null(),
			view->spun ? cell_number(yielded_share(&view->spun->yielded)) : cell_null(),
			view->replay ? cell_count((int64_t)view->replay->replicates) : cell_null(),
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
	       (replayed && !isnan(replayed->points[0].lo_s) ? FOR_INTERVAL : 0) |
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

/* --- Around them --------------------------------------------------------------------------- */

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

/* The number of replays that an interval is made from is limited by what they would take. */
static void note_interval(struct report *report, const struct replayed *replay)
{
	if (replay->replicates && replay->replicates < VARIATION_REPLICATES)
		report_note(report,
			    "The program is large: the interval is made from %zu replays and not "
			    "from %d. Fewer numbers of cores (-k) leave time for more.",
			    replay->replicates, VARIATION_REPLICATES);
	else if (!replay->replicates && replay->steps > VARIATION_STEPS_LEAST &&
		 !variation_replicates(replay->steps, replay->count))
		report_note(report, "The program is too large for an interval within some seconds. "
				    "Fewer numbers of cores (-k) leave time for one.");
}

static void note_yields(struct report *report, const struct spun *spun)
{
	report_note(
		report,
		"Threads call sched_yield again and again for %.2f %% of their CPU time, which "
		"the replay takes for waits of the same length.%s",
		100 * yielded_share(&spun->yielded),
		spun->share.samples
			? ""
			: " Other loops that wait are known from samples only: record with -F.");
}

static void note_spin(struct report *report, const struct forecast_view *view)
{
	const struct spun *spun = view->spun;

	if (!view->replay) {
		report_note(report, "The closed form takes all CPU time for work, --spin or not.");
		return;
	}
	if (!spun->share.samples && !spun->yielded.calls)
		report_warning(report,
			       "The recording has no samples of running threads and no calls of "
			       "sched_yield, so that --spin waiting changes nothing: record with "
			       "-F, or with --sync.");
	if (spun->share.samples)
		report_note(report,
			    "Threads spin for %.2f %% (+- %.2f %%) of their CPU time, which the "
			    "replay takes for waits of the same length.",
			    100 * spin_share_value(&spun->share),
			    100 * spin_share_error(&spun->share));
	if (spun->yielded.calls)
		note_yields(report, spun);
}

static void note_slowdown(struct report *report, const struct forecast_view *view)
{
	uint64_t most = 0;

	if (!view->replay)
		report_note(report, "The closed form does not know of cores that are slower.");
	for (size_t i = 0; i < view->count; i++)
		most = view->cores[i] > most ? view->cores[i] : most;
	if (view->replay && most > view->slowdown_cores)
		report_note(report,
			    "How much slower they are is known of up to %zu busy core%s, and "
			    "taken to stay so beyond.",
			    view->slowdown_cores, view->slowdown_cores == 1 ? "" : "s");
}

void report_forecast(struct report *report, const struct forecast_view *view)
{
	report_what_if(report, view);
	put_facts(report, view);
	put_rows(report, view);
	if (view->measured)
		put_error(report, view);
	if (view->why)
		report_why(report, view->why);
	if (view->usl)
		report_forecast_usl(report, view->usl);
	if (view->replay)
		note_interval(report, view->replay);
	report_note(report, "%s", assumptions_of(view));
	if (view->reason)
		report_note(report, "It is the closed form, and not a replay: %s.", view->reason);
	if (view->slowdown)
		note_slowdown(report, view);
	if (view->spin_waits)
		note_spin(report, view);
	if (view->validity)
		report_validity(report, view->validity, view->replay != NULL);
	if (view->levels->unknown_ns && !view->replay)
		report_note(
			report,
			"The time in which the number of active threads is not known (%.4f s) is "
			"carried over as it is.",
			(double)view->levels->unknown_ns / 1e9);
}
