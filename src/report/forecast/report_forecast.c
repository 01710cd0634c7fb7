/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "replay/forecast/forecast.h"
#include "replay/program/spin.h"
#include "report/forecast/report_forecast_private.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

/* --- Facts --------------------------------------------------------------------------------- */

struct facts {
	const char *model, *slowdown, *reason, *assumptions, *spin;
	uint64_t measured_cores, wall_ns, unknown_ns, known_unknown_ns;
	double spin_share, yield_share, calls_cost_s, anchor;
	size_t replicates;
	bool attached;
};

static const struct column fact_columns[] = {
	{"model", "model", FIELD(facts, model)},
	{"measured_cores", "measured on cores", FIELD(facts, measured_cores)},
	{"measured_wall_s", "measured wall time", UNIT_SECONDS, NS(facts, wall_ns)},
	{"unknown_s", NS(facts, unknown_ns)},
	{NULL, "of it unknown", UNIT_SECONDS, NS(facts, known_unknown_ns)},
	{"slowdown", "slowdown", FIELD(facts, slowdown)},
	{"reason", FIELD(facts, reason)},
	{"assumptions", FIELD(facts, assumptions)},
	{"spin", FIELD(facts, spin)},
	{"spin_share", FIELD(facts, spin_share)},
	{"yield_share", FIELD(facts, yield_share)},
	{"replicates", FIELD(facts, replicates)},
	{"calls_cost_s", FIELD(facts, calls_cost_s)},
	{"anchor", FIELD(facts, anchor)},
	{"attached", FIELD(facts, attached)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

static void put_facts(struct report *report, const struct forecast *forecast)
{
	const struct level_times *levels = forecast->levels;
	const struct forecast_points *replay = forecast->shown;
	const struct spun *spun = forecast->judged ? &forecast->spun : NULL;
	const struct facts facts = {
		.model = replay ? "replay" : "closed-form",
		.measured_cores = forecast->request.measured_cores,
		.wall_ns = levels->total_ns,
		.unknown_ns = levels->unknown_ns,
		.known_unknown_ns = levels->unknown_ns ? levels->unknown_ns : UINT64_MAX,
		.slowdown = replay ? forecast->request.slowdown_text : NULL,
		.reason = forecast->reason,
		.assumptions = report_forecast_assumptions(forecast),
		.spin = !replay			       ? NULL
			: forecast->request.spin_waits ? "waiting"
						       : "work",
		.spin_share = spun ? spin_share_estimate(&spun->share).value : NAN,
		.yield_share = spun ? yielded_share(&spun->yielded) : NAN,
		.replicates = replay ? replay->replicates : SIZE_MAX,
		.calls_cost_s = replay && replay->calls_s > 0 ? replay->calls_s : NAN,
		.anchor = replay ? replay->scale : NAN,
		.attached = forecast->attached,
	};

	report_table(report, &fact_table, &facts, 1);
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* What a column is for. */
enum {
	FOR_MEASURED = 1,
	FOR_REPLAY = 2,
	FOR_INTERVAL = 4,
	FOR_UNMEASURED = 8,
	FOR_WHAT_IF = 16,
	FOR_UNCHANGED = 32,
};

static const struct column row_columns[] = {
	{"cores", "cores", FIELD(forecast_row, cores)},
	{"wall_s", "wall time", UNIT_SECONDS, FIELD(forecast_row, wall_s)},
	{NULL, "90 % from", UNIT_SECONDS, FIELD(forecast_row, lo_s), .needs = FOR_INTERVAL},
	{NULL, "to", UNIT_SECONDS, FIELD(forecast_row, hi_s), .needs = FOR_INTERVAL},
	{NULL, "as it is", UNIT_SECONDS, FIELD(forecast_row, unchanged_s), .needs = FOR_WHAT_IF},
	{"speedup", "speed-up", UNIT_FACTOR, FIELD(forecast_row, speedup)},
	{"efficiency", "efficiency", UNIT_SHARE, FIELD(forecast_row, efficiency)},
	{"measured_s", "measured", UNIT_SECONDS, FIELD(forecast_row, measured_s),
	 .needs = FOR_MEASURED},
	{"runs", "runs", FIELD(forecast_row, runs), .needs = FOR_MEASURED},
	{"error", "error", UNIT_SHARE, FIELD(forecast_row, error), .needs = FOR_MEASURED},
	{NULL, "bound", UNIT_SECONDS, FIELD(forecast_row, bound_s),
	 .needs = FOR_REPLAY | FOR_UNMEASURED | FOR_UNCHANGED},
	{"model", FIELD(forecast_row, model)},
	{"lo_s", FIELD(forecast_row, lo_s)},
	{"hi_s", FIELD(forecast_row, hi_s)},
	{"discrepancy", FIELD(forecast_row, discrepancy)},
	{"closed_form_s", FIELD(forecast_row, closed_form_s)},
	{NULL, "closed form", UNIT_SECONDS, FIELD(forecast_row, closed_form_s),
	 .needs = FOR_REPLAY | FOR_UNCHANGED},
	{"closed_form_error", FIELD(forecast_row, closed_form_error), .needs = FOR_MEASURED},
	{NULL, "its error", UNIT_SHARE, FIELD(forecast_row, closed_form_error),
	 .needs = FOR_MEASURED | FOR_REPLAY | FOR_UNCHANGED},
	{"work_bound_s", FIELD(forecast_row, work_bound_s)},
	{"path_bound_s", FIELD(forecast_row, path_bound_s)},
	{"lock_bound_s", FIELD(forecast_row, lock_bound_s)},
	{"unchanged_s", FIELD(forecast_row, unchanged_s), .needs = FOR_WHAT_IF},
};

static unsigned features_of(const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;

	return (forecast->request.measured ? FOR_MEASURED : FOR_UNMEASURED) |
	       (replayed ? FOR_REPLAY : 0) |
	       (replayed && forecast_points_have_interval(replayed) ? FOR_INTERVAL : 0) |
	       (forecast->unchanged ? FOR_WHAT_IF : FOR_UNCHANGED);
}

static void put_rows(struct report *report, const struct forecast *forecast)
{
	const struct table table = {.key = "forecast",
				    .in = forecast->why ? REPORT_TEXT | REPORT_JSON : REPORT_ALL,
				    .has = features_of(forecast),
				    COLUMNS(row_columns)};

	report_table(report, &table, forecast->rows, forecast->request.count);
}

/* --- What the forecast misses -------------------------------------------------------------- */

static const struct column error_columns[] = {{"mean_abs_error", FIELD(forecast_errors, mean)}};
static const struct table error_table = {.layout = LAYOUT_FACTS, COLUMNS(error_columns)};

static void put_errors(struct report *report, const struct forecast *forecast)
{
	const struct forecast_errors *errors = &forecast->errors;
	bool known = !isnan(errors->mean);

	if (!forecast->request.measured)
		return;
	report_table(report, &error_table, errors, 1);
	report_note_if(report, !known,
		       "Nothing was measured on other core counts than the profile: how good the "
		       "forecast is remains unknown.");
	report_note_if(report, known,
		       "The forecast misses what was measured by %.1f %% on average: the mean "
		       "absolute relative error on %zu core count%s, without the %" PRIu64
		       " that the profile is of.",
		       100 * errors->mean, errors->count, plural(errors->count, "", "s"),
		       forecast->request.measured_cores);
	report_note_if(report, known && forecast->shown && !forecast->unchanged,
		       "The closed form misses it by %.1f %%.", 100 * errors->closed_form_mean);
}

/* --- The Universal Scalability Law --------------------------------------------------------- */

/* Of a point by which the law may miss it and still be said to describe the program. */
static const double usual_error = .05;

struct law {
	struct forecast_usl replayed;
	double peak_n, peak_throughput;
};

static const struct column law_columns[] = {
	{"alpha", "alpha, contention", UNIT_DECIMAL, FIELD(law, replayed.usl.alpha)},
	{"beta", "beta, coherency", UNIT_DECIMAL, FIELD(law, replayed.usl.beta)},
	{"gamma", "gamma, runs per second on one", UNIT_DECIMAL, FIELD(law, replayed.usl.gamma)},
	{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, FIELD(law, peak_n)},
	{"xmax", "throughput there, X_max", UNIT_DECIMAL, FIELD(law, peak_throughput)},
	{"r2", "R^2", UNIT_DECIMAL, FIELD(law, replayed.r2)},
	{"rms_error", "misses the replay by (RMS)", UNIT_SHARE, FIELD(law, replayed.rms_error)},
	{"max_error", "... at worst by", UNIT_SHARE, FIELD(law, replayed.max_error)},
	{"max_error_n", "... on cores", UNIT_DECIMAL, FIELD(law, replayed.max_error_n)},
	{"falls", FIELD(law, replayed.falls)},
};
static const struct table law_table = {.title = "Universal Scalability Law through the replay",
				       .layout = LAYOUT_FACTS,
				       COLUMNS(law_columns)};

struct law_point {
	uint64_t cores;
	double wall_s, throughput, fitted, error;
};

static const struct column point_columns[] = {
	{"cores", FIELD(law_point, cores)},	      {"wall_s", FIELD(law_point, wall_s)},
	{"throughput", FIELD(law_point, throughput)}, {"fitted", FIELD(law_point, fitted)},
	{"error", FIELD(law_point, error)},
};
static const struct table point_table = {.key = "points", COLUMNS(point_columns)};

static void note_usl(struct report *report, const struct forecast_usl *replayed)
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
static void put_usl(struct report *report, const struct forecast_usl *replayed)
{
	const struct law law = {*replayed, usl_peak_n(&replayed->usl),
				usl_peak_throughput(&replayed->usl)};

	report_group(report, "usl");
	report_table(report, &law_table, &law, 1);
	report_begin(report, &point_table);
	for (size_t i = 0; i < replayed->series.count; i++) {
		const struct series_point *point = &replayed->series.points[i];

		report_row(report, &(struct law_point){(uint64_t)point->n, 1 / point->throughput,
						       point->throughput,
						       usl_throughput(&replayed->usl, point->n),
						       forecast_usl_error(replayed, i)});
	}
	report_end(report);
	report_ungroup(report);
	note_usl(report, replayed);
}

void report_forecast(struct report *report, const struct forecast *forecast)
{
	report_what_if(report, forecast);
	put_facts(report, forecast);
	put_rows(report, forecast);
	put_errors(report, forecast);
	report_why(report, forecast);
	if (forecast->usl)
		put_usl(report, forecast->usl);
	report_forecast_notes(report, forecast);
}
