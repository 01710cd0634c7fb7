/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast_points.h"
#include "replay/forecast/variation.h"
#include "replay/forecast/why.h"
#include "replay/program/program_read.h"
#include "replay/recognise/connections.h"
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

/* A forecast under construction. */
struct making {
	struct forecast *forecast;
	const struct forecast_request *request;
	struct program *program;
	const struct profile *profile;
	const struct event_source *source;
	struct machine machine;
};

static bool has_failed(const struct forecast *forecast, enum validity_condition condition)
{
	return forecast->validity.findings[condition].answer == VALIDITY_FAILS;
}

enum forecast_lack forecast_lack(const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;
	enum bottleneck_kind kind = forecast->bottleneck.kind;
	bool by_threads = kind == BOTTLENECK_THREAD || kind == BOTTLENECK_THREADS;
	bool by_memory = has_failed(forecast, VALIDITY_MEMORY) && !request->learned &&
			 !request->slowdown_text;

	if (forecast->judged && validity_asks_for_calls(&forecast->validity))
		return FORECAST_LACKS_LOCKS;
	return !forecast->doubt && ((forecast->assumes_work && by_threads) || by_memory)
		       ? FORECAST_LACKS_CORES
		       : FORECAST_LACKS_NOTHING;
}

bool forecast_is_of_shared_cpus(const struct forecast *forecast)
{
	return forecast->judged &&
	       forecast->validity.findings[VALIDITY_ALONE].answer == VALIDITY_FAILS;
}

const char *forecast_question(const struct forecast_request *request)
{
	if (request->why)
		return "--why";
	if (request->change_count || request->list)
		return "--what-if";
	if (request->usl)
		return "--usl";
	return request->consolidated ? "--with" : NULL;
}

size_t forecast_default_cores(uint64_t cores[FORECAST_DEFAULT_CORES],
			      const struct level_times *levels, uint64_t recorded)
{
	const uint64_t least = 8;
	bool has_recorded = false;
	size_t count = 0;

	for (uint64_t n = 1; count < FORECAST_DEFAULT_CORES - 1; n *= 2) {
		cores[count++] = n;
		has_recorded |= n == recorded;
		if (n >= levels->max_active && n >= least)
			break;
	}
	if (recorded && !has_recorded)
		cores[count++] = recorded;
	sort_items(cores, count, compare_u64);
	return count;
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

/* --- Validity -------------------------------------------------------------------------------- */

static const char *objection(const struct forecast *forecast)
{
	int condition = validity_objection(&forecast->validity);

	return condition < 0
		       ? NULL
		       : validity_failure(&forecast->validity, (enum validity_condition)condition);
}

/* Returns the reason against wall times of a replay; NULL: none. */
static const char *obstacle(const struct forecast *forecast)
{
	static const enum validity_condition needed[] = {VALIDITY_WAKES, VALIDITY_FINISHES};
	const struct validity_finding *known = &forecast->validity.findings[VALIDITY_KNOWN];

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (has_failed(forecast, needed[i]))
			return validity_words(needed[i])->fails;
	return known->value > CLOSED_FORM_UNKNOWN_MOST ? validity_words(VALIDITY_KNOWN)->fails
						       : NULL;
}

/* Sets the reason for the closed form; an error if a question or --model asks for a replay. */
static int check_possible(struct forecast *forecast, struct err *err)
{
	const char *question = forecast_question(&forecast->request), *advice = NULL;

	if (!question && forecast->request.quota_cpus > 0)
		question = "--quota";

	forecast->reason = obstacle(forecast);
	if (!forecast->reason || (!question && forecast->request.model != FORECAST_REPLAY))
		return 0;
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if (validity_words(i)->fails == forecast->reason)
			advice = validity_words(i)->advice;
	return err_set(err, "%s needs a replay: %s%s%s", question ? question : "--model replay",
		       forecast->reason, advice ? ". " : "", advice ? advice : "");
}

/* Returns the time in which the scheduler left CPUs idle. In an unknown state a thread may run. */
static uint64_t idled_ns_of(const struct program_shares *shares, double usable_ns)
{
	double idled_ns = usable_ns - (double)shares->run_ns - (double)shares->unsure_ns;

	return (uint64_t)fmin(fmax(idled_ns, 0), (double)shares->brief_idle_ns);
}

/* Judges the conditions of the recorded program, before the replay. */
static int judge(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	const struct forecast_request *request = making->request;
	const struct level_times *levels = &forecast->unthrottled;
	double usable_ns =
		forecast_points_usable_ns(making->program, levels, request->measured_cores);
	double others_share = forecast_points_others_share(
		making->program, levels, request->measured_cores, making->profile->busy_ns);
	struct program_shares *shares = &making->program->shares;

	if (request->spin_waits)
		spin_to_waits(making->program, &making->source->samples, &forecast->spun);
	else
		spin_measure(making->program, &making->source->samples, &forecast->spun);
	validity_init(&forecast->validity, making->program, &making->profile->quality,
		      others_share);
	if (usable_ns > 0)
		validity_add_lacked(&forecast->validity, 1 - (double)shares->run_ns / usable_ns);
	shares->idled_ns = idled_ns_of(shares, (1 - others_share) * usable_ns);
	validity_add_memory(&forecast->validity,
			    counter_rates_of_counts(&making->source->counts).misses_per_1000);
	validity_add_spin(&forecast->validity, &forecast->spun, request->spin_waits);
	forecast->others_share = forecast->validity.findings[VALIDITY_ALONE].value;
	forecast->requests = connections_count_turns(making->program);
	forecast->judged = true;
	return check_possible(forecast, err);
}

/* --- The replay and its interval ------------------------------------------------------------- */

/*
 * Returns the closed form if the interval includes it, as the replay is in doubt or rests on a
 * guess: so a check that barely fails changes no wall time, and widens the interval.
 */
static const struct level_times *other_answer(const struct making *making)
{
	const struct forecast *forecast = making->forecast;
	bool guessed = has_failed(forecast, VALIDITY_RECOGNISED) ||
		       has_failed(forecast, VALIDITY_BARRIERS);
	struct err ignored;

	return (guessed || objection(forecast)) && !(forecast->quota.cpus > 0) &&
			       !closed_form_check(&forecast->unthrottled, &ignored)
		       ? &forecast->unthrottled
		       : NULL;
}

static int vary(const struct making *making, struct forecast_points *replayed,
		const struct variation_request *how, struct err *err)
{
	const struct forecast_watch *watch = making->request->watch;
	struct variation_request whole = *how;
	int rc;

	whole.discrepancy = making->request->discrepancy;
	whole.learned = making->request->learned;
	whole.speed = making->request->speed;
	whole.steal = target_steal_share(making->forecast->target);
	if (watch) {
		whole.show = watch->show;
		whole.context = watch->context;
	}
	watch_begin(watch);
	rc = variation_add(replayed, making->program, &making->machine, &whole, err);
	watch_end(watch);
	return rc;
}

static int vary_replay(const struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	struct variation_request how = {.closed_form = other_answer(making),
					.holds_unknown = has_failed(forecast, VALIDITY_LOCKS) ||
							 has_failed(forecast, VALIDITY_CONTENTION)};
	struct overhead overhead;

	overhead_init(&overhead, making->profile, &making->source->target);
	how.overhead_share = overhead.unsure_share;
	return vary(making, &forecast->replay, &how, err);
}

/* Names waits for people, after the forecast. */
static void name_waits(const struct making *making)
{
	const struct event_source *source = making->source;

	if (source->chains.count || source->samples.map_count)
		making->forecast->names = chain_names_new(&source->chains, &source->samples);
	wait_names_apply(making->program, making->forecast->names);
}

struct machine forecast_machine(const struct forecast *forecast)
{
	return (struct machine){.cores = 1,
				.costs = forecast->program->costs,
				.quota = forecast->quota,
				.slowdown = forecast->slowdown.factors,
				.slowdown_count = forecast->slowdown.count,
				.groups = {forecast->slowdown.group_of,
					   forecast->slowdown.group_factors,
					   forecast->slowdown.count}};
}

/* Adds the slowdown of groups of threads, whose names are the same in all recordings. */
static void slow_groups(struct making *making)
{
	const struct program *program = making->program;
	struct thread_name *names;

	if (!making->request->learned || !making->request->learned->group_count)
		return;
	names = thread_names_groups(program->threads, program->thread_count,
				    THREAD_NAME_PLACE(struct program_thread));
	slowdown_add_groups(&making->forecast->slowdown, making->request->learned, program, names);
	making->machine = forecast_machine(making->forecast);
	for (size_t i = 0; i < program->thread_count; i++)
		thread_name_release(&names[i]);
	free(names);
}

static int replay_program(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	const struct forecast_request *request = making->request;
	struct recognised recognised;

	thread_names_complete(making->program->threads, making->program->thread_count,
			      THREAD_NAME_PLACE(struct program_thread), making->source);
	slow_groups(making);
	if (recognise_checked(&forecast->replay, &recognised, making->program, &making->machine,
			      request->measured_cores,
			      forecast->validity.findings[VALIDITY_ALONE].value, request->cores,
			      request->count, err) ||
	    (!recognised.mutexes &&
	     forecast_points_find_locks(&forecast->replay, making->program, &making->machine, err)))
		return -1;
	validity_add_recognised(&forecast->validity, making->program, &recognised);
	validity_add_replay(&forecast->validity, making->program, &forecast->replay);
	scale_to_measured(&forecast->replay, making->program);
	if (check_possible(forecast, err))
		return -1;
	return forecast->reason || request->list || request->bare ? 0 : vary_replay(making, err);
}

/* --- What if --------------------------------------------------------------------------------- */

/* Replays with changed costs of waits. The checks are those of the forecast. */
static int replay_changed(struct forecast_points *changed, const struct making *making,
			  struct err *err)
{
	const struct forecast_points *replay = &making->forecast->replay;

	if (forecast_points_init(changed, making->program, &making->machine, replay->recorded_cores,
				 replay->others_share, making->request->cores,
				 making->request->count, err))
		return -1;
	changed->self_s = replay->self_s;
	changed->idled = replay->idled;
	scale_as(changed, replay, making->program);
	for (size_t i = 0; i < changed->count; i++)
		if (changed->points[i].stuck > replay->points[i].stuck)
			return err_set(
				err,
				"--what-if: no result on %" PRIu64
				" cores: threads of the replay wait for an event that never comes",
				changed->points[i].cores);
	return 0;
}

/* Answers one what-if. If it changes CPU time, `making` has the changed program from here on. */
static int answer_one(struct forecast_what_if *what_if, struct making *making, size_t which,
		      struct err *err)
{
	const struct forecast *forecast = making->forecast;
	const struct variation_request how = {.overhead_share = forecast->replay.overhead_share};

	if (what_if_find(what_if, which, making->request->changes, making->request->change_count,
			 making->program, forecast->work, err))
		return -1;
	making->machine.site_costs = what_if->site_costs;
	if (what_if->work_count) {
		program_copy(&what_if->program, making->program);
		making->program = &what_if->program;
		work_scale(making->program, forecast->work, what_if->works, what_if->work_count);
	}
	if (replay_changed(&what_if->points, making, err))
		return -1;
	return objection(forecast) ? 0 : vary(making, &what_if->points, &how, err);
}

/* Answers all what-ifs, the first one last: other questions are about it. */
static int answer_what_ifs(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;
	struct program *unchanged = making->program;
	size_t count;

	if (!making->request->change_count)
		return 0;
	count = what_ifs_count(making->request->changes, making->request->change_count, err);
	if (!count)
		return -1;
	forecast->what_ifs = xcalloc(count, sizeof(*forecast->what_ifs));
	forecast->what_if_count = count;
	for (size_t i = count; i-- > 0;) {
		making->program = unchanged;
		if (answer_one(&forecast->what_ifs[i], making, i, err))
			return -1;
		if (i)
			program_release(&forecast->what_ifs[i].program);
	}
	forecast->unchanged = &forecast->replay;
	forecast->shown = &forecast->what_ifs[0].points;
	return 0;
}

/* --- The other questions --------------------------------------------------------------------- */

static uint64_t most_cores(const struct forecast_request *request)
{
	uint64_t most = 1;

	for (size_t i = 0; i < request->count; i++)
		most = request->cores[i] > most ? request->cores[i] : most;
	return most;
}

/* Returns whether the first what-if changes CPU times, which samples show as recorded. */
static bool changes_work(const struct forecast *forecast)
{
	return forecast->what_if_count && forecast->what_ifs[0].work_count;
}

/* Returns the work by function, which is known if samples have times. */
static struct work *work_of(const struct making *making)
{
	const struct event_source *source = making->source;
	const struct samples none = {0};

	return work_new(making->forecast->program, source->samples.timed ? &source->samples : &none,
			&source->chains, making->request->spin_waits);
}

static int answer_why(const struct making *making, struct err *err)
{
	const struct forecast_request *request = making->request;
	uint64_t most = most_cores(request);
	struct forecast *forecast = making->forecast;
	struct replays_watch watch = {0};
	int rc;

	if (!request->why)
		return 0;
	if (!forecast->work)
		forecast->work = work_of(making);
	if (request->watch)
		watch = (struct replays_watch){request->watch->show, request->watch->context};
	watch_begin(request->watch);
	rc = why_init(&forecast->savings,
		      &(struct why_request){.program = making->program,
					    .machine = &making->machine,
					    .cores = request->listed ? request->cores : &most,
					    .count = request->listed ? request->count : 1,
					    .by = request->by,
					    .work = changes_work(forecast) ? NULL : forecast->work,
					    .watch = &watch},
		      err);
	if (!rc)
		why_scale(&forecast->savings, forecast->shown);
	watch_end(request->watch);
	forecast->why = &forecast->savings;
	return rc;
}

static int answer_bottleneck(const struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;

	if (forecast->what_if_count || making->request->consolidated)
		return 0;
	return bottleneck_find(&forecast->bottleneck, making->program, &making->machine,
			       &forecast->replay, err);
}

static int answer_usl(const struct making *making, struct err *err)
{
	const struct forecast_request *request = making->request;
	struct forecast *forecast = making->forecast;

	if (!request->usl)
		return 0;
	if (forecast_usl_init(&forecast->curve, making->program, &making->machine, forecast->shown,
			      most_cores(request), making->profile->levels.max_active, err))
		return err_wrap(err, "--usl");
	forecast->usl = &forecast->curve;
	return 0;
}

/* --- Rows ------------------------------------------------------------------------------------ */

double forecast_error(const struct forecast *forecast, const struct wall_time *time)
{
	return forecast->shown ? forecast_points_error(forecast->shown, time)
			       : closed_form_error(&forecast->unthrottled,
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

/* Adds the replay to a row. A what-if has other chains of steps: two bounds are not known. */
static void add_replayed(struct forecast_row *row, const struct forecast *forecast,
			 const struct forecast_points *replayed)
{
	const struct bounds *bounds = &replayed->bounds;
	const struct forecast_point *point = forecast_points_find(replayed, row->cores), *unchanged;

	row->work_bound_s = (double)bounds->work_ns / 1e9 / (double)row->cores;
	row->bound_s = row->work_bound_s;
	if (!forecast->unchanged) {
		row->bound_s = (double)bounds_wall_ns(bounds, (unsigned)row->cores) / 1e9;
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

/* Returns a row of the closed form. */
static struct forecast_row row_on(const struct forecast *forecast, uint64_t cores)
{
	const struct forecast_request *request = &forecast->request;
	struct closed_form form =
		closed_form(&forecast->unthrottled, request->measured_cores, cores);

	return (struct forecast_row){
		.cores = form.cores,
		.model = forecast->shown ? "replay" : "closed-form",
		.wall_s = form.wall_s,
		.speedup = form.speedup,
		.efficiency = form.efficiency,
		.lo_s = NAN,
		.hi_s = NAN,
		.discrepancy = NAN,
		.closed_form_s = forecast->quota.cpus > 0 ? (double)NAN : form.wall_s,
		.work_bound_s = NAN,
		.path_bound_s = NAN,
		.lock_bound_s = NAN,
		.bound_s = NAN,
		.unchanged_s = NAN,
		.recorded_s = cores == request->measured_cores
				      ? (double)forecast->levels->total_ns / 1e9
				      : NAN,
	};
}

static void make_rows(struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;
	size_t blocks = forecast->what_if_count ? forecast->what_if_count : 1;

	forecast->row_count = blocks * request->count;
	forecast->rows = xcalloc(forecast->row_count, sizeof(*forecast->rows));
	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct forecast_what_if *what_if =
			forecast->what_if_count ? &forecast->what_ifs[i / request->count] : NULL;
		struct forecast_row *row = &forecast->rows[i];

		*row = row_on(forecast, request->cores[i % request->count]);
		row->what_if = what_if ? what_if->text : NULL;
		if (forecast->shown)
			add_replayed(row, forecast, what_if ? &what_if->points : forecast->shown);
		add_measured(row, forecast);
	}
}

/* --- The gain by more cores ------------------------------------------------------------------ */

/* Wall times that differ by less are the same to a buyer of cores. */
static const double least_gain = .05;

static double limit_of(const struct forecast *forecast)
{
	if (!forecast->shown)
		return closed_form_wall_s(&forecast->unthrottled, forecast->request.measured_cores,
					  SIMULATION_CORES_MAX);
	return forecast->what_if_count ? (double)NAN : forecast->bottleneck.limit_s;
}

static void make_gain(struct forecast *forecast)
{
	struct forecast_gain *gain = &forecast->gain;
	const struct forecast_row *rows = forecast->rows;
	double least_s = INFINITY;

	*gain = (struct forecast_gain){rows, rows, NULL, limit_of(forecast), false, false};
	for (size_t i = 0; i < forecast->request.count; i++) {
		least_s = fmin(least_s, rows[i].wall_s);
		gain->fewest = rows[i].cores < gain->fewest->cores ? &rows[i] : gain->fewest;
		gain->most = rows[i].cores > gain->most->cores ? &rows[i] : gain->most;
	}
	for (size_t i = 0; i < forecast->request.count; i++)
		if (rows[i].wall_s * (1 - least_gain) <= least_s &&
		    (!gain->best || rows[i].cores < gain->best->cores))
			gain->best = &rows[i];
	gain->beyond = gain->limit_s < least_s * (1 - least_gain);
	gain->coarse = gain->best != gain->fewest;
	for (size_t i = 0; i < forecast->request.count; i++)
		gain->coarse &=
			rows[i].cores >= gain->best->cores || 2 * rows[i].cores < gain->best->cores;
}

static void make_errors(struct forecast *forecast)
{
	const struct wall_times *measured = forecast->request.measured;
	struct forecast_errors *errors = &forecast->errors;

	if (!measured)
		return;
	errors->closed_form_mean = closed_form_mean_error(
		&forecast->unthrottled, forecast->request.measured_cores, measured, &errors->count);
	errors->mean = forecast->shown ? forecast_points_mean_error(forecast->shown, measured,
								    &errors->count)
				       : errors->closed_form_mean;
}

/* --- The whole forecast ---------------------------------------------------------------------- */

/* Copies the slowdown, relative to that of the recording. */
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
	making->machine = forecast_machine(making->forecast);
}

/* Answers by the replay, with a doubt if a deciding check fails. */
static int answer(struct making *making, struct err *err)
{
	struct forecast *forecast = making->forecast;

	if (forecast->reason)
		return 0;
	forecast->doubt = objection(forecast);
	forecast->shown = &forecast->replay;
	name_waits(making);
	if (making->request->change_count || making->request->list)
		forecast->work = work_of(making);
	if (making->request->list || making->request->bare)
		return 0;
	return answer_what_ifs(making, err) || answer_why(making, err) || answer_usl(making, err) ||
			       answer_bottleneck(making, err)
		       ? -1
		       : 0;
}

/* Replays the program. Its wall times are the same for all questions. */
static int replay(struct making *making, struct err *err)
{
	relate_slowdown(making);
	if (judge(making, err))
		return -1;
	if (making->forecast->reason)
		return 0;
	return replay_program(making, err) ? -1 : answer(making, err);
}

/* Returns CPU time by wall time. A profile has only the time with ready threads, a minimum. */
static double busy_share(const struct program *program, const struct level_times *levels)
{
	uint64_t ready_ns = levels->total_ns - levels->wall_ns[0];

	if (levels->unknown_ns || !levels->total_ns)
		return NAN;
	return (double)(program->shares.run_ns ? program->shares.run_ns : ready_ns) /
	       (double)levels->total_ns;
}

/*
 * Returns whether the forecast rests on the assumption that work takes as long on other cores. It
 * does not if the program leaves recorded cores idle, or gains little from more than one.
 */
static bool assumes_work(const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;
	const double fills = .8, gains = 1.2;
	const struct forecast_point *recorded =
		forecast->shown ? forecast_points_find(forecast->shown, request->measured_cores)
				: NULL;
	bool learned = request->learned && !isnan(request->learned->slope_error);
	double work_s;

	if (!recorded || request->slowdown_text || request->compared || learned ||
	    (request->measured && !request->learned) ||
	    forecast->validity.findings[VALIDITY_MEMORY].answer != VALIDITY_UNKNOWN)
		return false;
	work_s = (double)forecast->shown->bounds.work_ns / 1e9;
	return work_s >= fills * (double)request->measured_cores * recorded->wall_s &&
	       (request->measured_cores > 1 ||
		recorded->wall_s >= gains * forecast->gain.most->wall_s);
}

static void complete(struct forecast *forecast)
{
	free(forecast->rows);
	make_rows(forecast);
	make_gain(forecast);
	make_errors(forecast);
	forecast->assumes_work = assumes_work(forecast);
}

static struct program_quota quota_of(const struct forecast_request *request,
				     const struct profile *profile)
{
	return (struct program_quota){request->quota_cpus, profile->quota.period_ns};
}

static double throttled_share(const struct profile *profile)
{
	return profile->levels.total_ns
		       ? (double)profile->throttled.wall_ns / (double)profile->levels.total_ns
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
				.source = source};

	*forecast = (struct forecast){.request = *request,
				      .levels = &profile->levels,
				      .quota = quota_of(request, profile),
				      .recorded_quota = profile->quota,
				      .throttled_share = throttled_share(profile),
				      .program = program,
				      .others_share = NAN,
				      .target = source ? &source->target : NULL,
				      .recorded_cpus = source ? source->target.affinity_count : 0,
				      .recorded_core_count = source ? source->target.core_count : 0,
				      .attached = source && source->target.attached};
	making.machine = forecast_machine(forecast);
	cpu_usage_init(&forecast->usage, profile);
	throttling_take_out(&forecast->unthrottled, &profile->levels, &profile->throttled_levels);
	forecast->request.watch = NULL; /* not used after this call */
	forecast->request.slowdown = NULL;
	if (request->model != FORECAST_CLOSED_FORM && replay(&making, err))
		return -1;
	if ((!forecast->shown || !profile->levels.total_ns) &&
	    closed_form_check(forecast->levels, err))
		return -1;
	forecast->name = program_name(program, source ? &source->target : NULL);
	if (!forecast->name && request->is_machine)
		forecast->name = "The machine";
	forecast->busy_share = busy_share(program, &profile->levels);
	complete(forecast);
	return 0;
}

int forecast_ask_why(struct forecast *forecast, bool on_all, struct program *program,
		     const struct profile *profile, const struct event_source *source,
		     struct err *err)
{
	const struct forecast_request *request = &forecast->request;
	struct making making = {.forecast = forecast,
				.request = request,
				.program = program,
				.profile = profile,
				.source = source,
				.machine = forecast_machine(forecast)};

	forecast->request.why = true;
	forecast->request.listed = on_all;
	if (forecast->shown)
		return answer_why(&making, err);
	return check_possible(forecast, err) ? -1 : err_set(err, "there is no replay");
}

int forecast_ask_what_if(double *wall_s, struct forecast *forecast, const struct wait_cost *cost,
			 struct program *program, struct err *err)
{
	const struct forecast_request *request = &forecast->request;
	double *site_costs = wait_sites_costs(program, cost, 1);
	struct making making = {.forecast = forecast,
				.request = request,
				.program = program,
				.machine = forecast_machine(forecast)};
	struct forecast_points points = {0};
	int rc;

	making.machine.site_costs = site_costs;
	rc = replay_changed(&points, &making, err);
	for (size_t i = 0; !rc && i < request->count; i++) {
		const struct forecast_point *point =
			forecast_points_find(&points, request->cores[i]);

		wall_s[i] = point ? point->wall_s : (double)NAN;
	}
	forecast_points_release(&points);
	free(site_costs);
	return rc;
}

void forecast_release(struct forecast *forecast)
{
	free(forecast->rows);
	level_times_release(&forecast->unthrottled);
	forecast_points_release(&forecast->replay);
	for (size_t i = 0; i < forecast->what_if_count; i++)
		what_if_release(&forecast->what_ifs[i]);
	free(forecast->what_ifs);
	work_free(forecast->work);
	why_release(&forecast->savings);
	forecast_usl_release(&forecast->curve);
	slowdown_release(&forecast->slowdown);
	chain_names_free(forecast->names);
}
