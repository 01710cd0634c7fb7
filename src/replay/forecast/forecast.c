/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast_points.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "replay/simulate/replays.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"
#include "stats/profile/wall_times.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A forecast while it is made. */
struct making {
	struct forecast *forecast;
	const struct forecast_request *request;
	struct program *program;
	const struct profile *profile;
	const struct event_source *source;
	struct machine machine;
	bool bounded; /* there is an interval, or may be */
};

const char *forecast_question(const struct forecast_request *request)
{
	if (request->why)
		return "--why";
	if (request->change_count)
		return "--what-if";
	return request->usl ? "--usl" : NULL;
}

static void watch_begin(const struct forecast_watch *watch)
{
	if (watch)
		watch->begin(watch->context);
}

static void watch_end(const struct forecast_watch *watch)
{
	if (watch)
		watch->end(watch->context);
}

/* --- Whether to believe it ------------------------------------------------------------------- */

static const char *objection(const struct forecast *forecast)
{
	int condition = validity_objection(&forecast->validity);

	return condition < 0 ? NULL : validity_words((enum validity_condition)condition)->fails;
}

static bool has_failed(const struct forecast *forecast, enum validity_condition condition)
{
	return forecast->validity.findings[condition].answer == VALIDITY_FAILS;
}

/* No replay can be made without wakes. */
static int check_possible(const struct forecast *forecast, struct err *err)
{
	if (!has_failed(forecast, VALIDITY_WAKES))
		return 0;
	return err_set(err, "--model replay: cannot say: %s; take --model closed-form",
		       validity_words(VALIDITY_WAKES)->fails);
}

/*
 * A question that only a replay answers has no answer by one that cannot be trusted, unless that is
 * asked for, and never by one that does not come to its end: that has no wall times.
 */
static int check_trusted(const struct forecast *forecast, const struct forecast_request *request,
			 struct err *err)
{
	const char *option = forecast_question(request);
	bool ends = !has_failed(forecast, VALIDITY_FINISHES);

	if (!option || !objection(forecast) || (request->model == FORECAST_REPLAY && ends))
		return 0;
	if (!ends)
		return err_set(err, "%s: cannot say: %s", option,
			       validity_words(VALIDITY_FINISHES)->fails);
	return err_set(err, "%s: cannot say: %s%s", option, objection(forecast),
		       has_failed(forecast, VALIDITY_WAKES)
			       ? ""
			       : "; give --model replay to have it all the same");
}

/* Before the replay: by the program as it was read. */
static int judge(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	const struct forecast_request *request = making->request;
	bool asked = request->model == FORECAST_REPLAY;

	if (request->spin_waits)
		spin_to_waits(making->program, &making->source->samples, &forecast->spun);
	else
		spin_measure(making->program, &making->source->samples, &forecast->spun);
	validity_init(&forecast->validity, making->program, &making->profile->quality,
		      forecast_points_others_share(making->program, &making->profile->levels,
						   request->measured_cores));
	validity_add_spin(&forecast->validity, &forecast->spun, request->spin_waits);
	forecast->judged = true;
	if (asked && check_possible(forecast, err))
		return -1;
	forecast->reason = asked ? NULL : objection(forecast);
	return check_trusted(forecast, request, err);
}

/* --- The replay and its interval ------------------------------------------------------------- */

static int vary(const struct making *making, struct forecast_points *replayed,
		const struct variation_request *how, struct err *err)
{
	const struct forecast_watch *watch = making->request->watch;
	struct variation_request watched = *how;
	int rc;

	if (watch) {
		watched.show = watch->show;
		watched.context = watch->context;
	}
	watch_begin(watch);
	rc = variation_add(replayed, making->program, &making->machine, &watched, err);
	watch_end(watch);
	return rc;
}

static int vary_replay(const struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	bool guessed = has_failed(forecast, VALIDITY_LOCKS) ||
		       has_failed(forecast, VALIDITY_RECOGNISED) ||
		       has_failed(forecast, VALIDITY_BARRIERS);
	struct variation_request how = {.discrepancy = making->request->discrepancy,
					.closed_form = guessed ? &making->profile->levels : NULL};
	struct overhead overhead;

	overhead_init(&overhead, making->profile, &making->source->target);
	how.overhead_share = overhead.unsure_share;
	return vary(making, &forecast->replay, &how, err);
}

/* Not before the forecast is made: names are for people. */
static void name_waits(const struct making *making)
{
	const struct event_source *source = making->source;

	if (!source->chains.count && !source->samples.map_count)
		return;
	making->forecast->names = chain_names_new(&source->chains, &source->samples);
	wait_names_apply(making->program, making->forecast->names);
}

static int replay_program(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	const struct forecast_request *request = making->request;
	struct recognised recognised;

	thread_names_complete(making->program->threads, making->program->thread_count,
			      THREAD_NAME_PLACE(struct program_thread), making->source);
	if (recognise_checked(&forecast->replay, &recognised, making->program, &making->machine,
			      request->measured_cores,
			      forecast->validity.findings[VALIDITY_ALONE].value, request->cores,
			      request->count, err))
		return -1;
	validity_add_recognised(&forecast->validity, making->program, &recognised);
	validity_add_replay(&forecast->validity, &forecast->replay);
	scale_to_measured(&forecast->replay, making->program);
	making->bounded =
		!objection(forecast) || validity_objects_to_locks_alone(&forecast->validity);
	return check_trusted(forecast, request, err) ||
			       (making->bounded && vary_replay(making, err))
		       ? -1
		       : 0;
}

/* --- What if --------------------------------------------------------------------------------- */

static int find_site(struct wait_cost *cost, const struct forecast_change *change,
		     const struct program *program, struct err *err)
{
	cost->share = change->share;
	if (wait_sites_find(&cost->site, program, change->site, err) ||
	    wait_sites_check(program, cost, err))
		return err_wrap(err, "--what-if %s", change->text);
	return 0;
}

static int find_sites(const struct making *making, struct err *err)
{
	const struct forecast_request *request = making->request;
	struct forecast *forecast = making->forecast;
	struct wait_cost *costs = xcalloc(request->change_count, sizeof(*costs));

	forecast->what_ifs = costs;
	for (size_t i = 0; i < request->change_count; i++) {
		if (find_site(&costs[i], &request->changes[i], making->program, err))
			return -1;
		for (size_t j = 0; j < i; j++)
			if (costs[j].site == costs[i].site)
				return err_set(err, "--what-if %s: this site is named twice",
					       request->changes[i].text);
	}
	forecast->site_costs = wait_sites_costs(making->program, costs, request->change_count);
	return 0;
}

/* The replay with what waiting costs then. How far to trust it is told by the forecast. */
static int replay_changed(const struct making *making, struct err *err)
{
	const struct forecast_points *replay = &making->forecast->replay;
	struct forecast_points *changed = &making->forecast->changed;

	if (forecast_points_init(changed, making->program, &making->machine, replay->recorded_cores,
				 replay->others_share, making->request->cores,
				 making->request->count, err))
		return -1;
	changed->self_s = replay->self_s;
	scale_as(changed, replay, making->program);
	for (size_t i = 0; i < changed->count; i++)
		if (changed->points[i].stuck > replay->points[i].stuck)
			return err_set(err,
				       "--what-if: cannot say: on %" PRIu64
				       " cores threads wait then for what never comes",
				       changed->points[i].cores);
	return 0;
}

static int answer_what_if(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	const struct variation_request how = {.overhead_share = forecast->replay.overhead_share,
					      .discrepancy = forecast->replay.discrepancy};

	if (!making->request->change_count)
		return 0;
	if (find_sites(making, err))
		return -1;
	making->machine.site_costs = forecast->site_costs;
	if (replay_changed(making, err) ||
	    (!objection(forecast) && vary(making, &forecast->changed, &how, err)))
		return -1;
	forecast->unchanged = &forecast->replay;
	forecast->shown = &forecast->changed;
	return 0;
}

/* --- The other questions --------------------------------------------------------------------- */

static int answer_why(const struct making *making, struct err *err)
{
	const struct forecast_request *request = making->request;
	const uint64_t *cores = request->listed ? request->cores : &request->measured_cores;
	struct forecast *forecast = making->forecast;
	struct replays_watch watch = {0};
	int rc;

	if (!request->why)
		return 0;
	if (request->watch)
		watch = (struct replays_watch){request->watch->show, request->watch->context};
	watch_begin(request->watch);
	rc = why_init(&forecast->savings, making->program, &making->machine, cores,
		      request->listed ? request->count : 1, &watch, err);
	if (!rc)
		why_scale(&forecast->savings, forecast->shown);
	watch_end(request->watch);
	forecast->why = &forecast->savings;
	return rc;
}

static int answer_usl(const struct making *making, struct err *err)
{
	const struct forecast_request *request = making->request;
	struct forecast *forecast = making->forecast;
	uint64_t largest = 1;

	if (!request->usl)
		return 0;
	for (size_t i = 0; i < request->count; i++)
		if (request->cores[i] > largest)
			largest = request->cores[i];
	if (forecast_usl_init(&forecast->curve, making->program, &making->machine, forecast->shown,
			      largest, making->profile->levels.max_active, err))
		return err_wrap(err, "--usl: cannot say");
	forecast->usl = &forecast->curve;
	return 0;
}

/* --- Rows ------------------------------------------------------------------------------------ */

double forecast_error(const struct forecast *forecast, const struct wall_time *time)
{
	return forecast->shown ? forecast_points_error(forecast->shown, time)
			       : closed_form_error(forecast->levels,
						   forecast->request.measured_cores, time);
}

static void add_measured(struct forecast_row *row, const struct forecast *forecast)
{
	const struct wall_times *measured = forecast->request.measured;
	const struct wall_time *time = measured ? wall_times_find(measured, row->cores) : NULL;

	row->measured_s = time ? time->mean_s : NAN;
	row->error = time ? forecast_error(forecast, time) : NAN;
	row->closed_form_error = time ? row->closed_form_s / time->mean_s - 1 : NAN;
	row->runs = time ? time->runs : SIZE_MAX;
}

/* A what-if has other chains of steps than the program: for it two of the bounds are not known. */
static void add_replayed(struct forecast_row *row, const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;
	const struct bounds *bounds = &replayed->bounds;
	const struct forecast_point *point = forecast_points_find(replayed, row->cores), *unchanged;

	row->work_bound_s = (double)bounds->work_ns / 1e9 / (double)row->cores;
	row->bound_s = (double)bounds_wall_ns(bounds, (unsigned)row->cores) / 1e9;
	if (!forecast->unchanged) {
		row->path_bound_s = (double)bounds->critical_ns / 1e9;
		row->lock_bound_s = (double)bounds->serial_ns / 1e9;
	} else if ((unchanged = forecast_points_find(forecast->unchanged, row->cores))) {
		row->unchanged_s = unchanged->wall_s;
	}
	if (!point)
		return;
	row->wall_s = point->wall_s;
	row->speedup = forecast_points_speedup(replayed, point);
	row->efficiency = row->speedup / (double)row->cores;
	row->lo_s = point->lo_s;
	row->hi_s = point->hi_s;
	row->discrepancy = isnan(point->lo_s) ? NAN : point->discrepancy;
}

static void make_rows(struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;

	forecast->rows = xcalloc(request->count, sizeof(*forecast->rows));
	for (size_t i = 0; i < request->count; i++) {
		struct forecast_row *row = &forecast->rows[i];
		struct closed_form form =
			closed_form(forecast->levels, request->measured_cores, request->cores[i]);

		*row = (struct forecast_row){
			.cores = form.cores,
			.model = forecast->shown ? "replay" : "closed-form",
			.wall_s = form.wall_s,
			.speedup = form.speedup,
			.efficiency = form.efficiency,
			.lo_s = NAN,
			.hi_s = NAN,
			.discrepancy = NAN,
			.closed_form_s = form.wall_s,
			.work_bound_s = NAN,
			.path_bound_s = NAN,
			.lock_bound_s = NAN,
			.bound_s = NAN,
			.unchanged_s = NAN,
		};
		if (forecast->shown)
			add_replayed(row, forecast);
		add_measured(row, forecast);
	}
}

static void make_errors(struct forecast *forecast)
{
	const struct wall_times *measured = forecast->request.measured;
	struct forecast_errors *errors = &forecast->errors;

	if (!measured)
		return;
	errors->closed_form_mean = closed_form_mean_error(
		forecast->levels, forecast->request.measured_cores, measured, &errors->count);
	errors->mean = forecast->shown ? forecast_points_mean_error(forecast->shown, measured,
								    &errors->count)
				       : errors->closed_form_mean;
}

/* --- All of it ------------------------------------------------------------------------------- */

/* A copy: it is made relative to what the recording was. */
static void relate_slowdown(struct making *making)
{
	const struct slowdown *asked = making->request->slowdown;
	struct slowdown *own = &making->forecast->slowdown;

	if (!asked || !asked->count)
		return;
	own->count = asked->count;
	own->factors = xcalloc(asked->count, sizeof(*own->factors));
	memcpy(own->factors, asked->factors, asked->count * sizeof(*own->factors));
	slowdown_relate(own, &making->profile->levels, making->request->measured_cores);
	making->machine.slowdown = own->factors;
	making->machine.slowdown_count = own->count;
}

/* By the replay, unless the closed form has to answer. */
static int replay(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;

	relate_slowdown(making);
	if (judge(making, err))
		return -1;
	if (forecast->reason)
		return 0;
	if (replay_program(making, err))
		return -1;
	if (!making->bounded && making->request->model != FORECAST_REPLAY) {
		forecast->reason = objection(forecast);
		return 0;
	}
	forecast->shown = &forecast->replay;
	name_waits(making);
	return answer_what_if(making, err) || answer_why(making, err) || answer_usl(making, err)
		       ? -1
		       : 0;
}

int forecast_make(struct forecast *forecast, const struct forecast_request *request,
		  struct program *program, const struct profile *profile,
		  const struct event_source *source, struct err *err)
{
	struct making making = {.forecast = forecast,
				.request = request,
				.program = program,
				.profile = profile,
				.source = source,
				.machine = {.cores = 1, .costs = program->costs}};

	*forecast = (struct forecast){.request = *request,
				      .levels = &profile->levels,
				      .attached = source && source->target.attached};
	forecast->request.watch = NULL; /* and what is read already */
	forecast->request.slowdown = NULL;
	if (request->model != FORECAST_CLOSED_FORM && replay(&making, err))
		return -1;
	if (!forecast->shown && closed_form_check(forecast->levels, err))
		return -1;
	forecast->sites = program->sites;
	make_rows(forecast);
	make_errors(forecast);
	return 0;
}

void forecast_release(struct forecast *forecast)
{
	free(forecast->rows);
	forecast_points_release(&forecast->replay);
	forecast_points_release(&forecast->changed);
	free(forecast->what_ifs);
	free(forecast->site_costs);
	why_release(&forecast->savings);
	forecast_usl_release(&forecast->curve);
	slowdown_release(&forecast->slowdown);
	chain_names_free(forecast->names);
}
