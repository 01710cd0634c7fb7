/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/forecast/validity.h"
#include "replay/simulate/replays.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/levels.h"
#include "stats/profile/wall_times.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int compare_points(const void *left, const void *right)
{
	const struct forecast_point *a = left, *b = right;

	return compare_values(a->cores, b->cores);
}

static void list_points(struct forecast_points *replayed, const uint64_t *cores, size_t count)
{
	size_t distinct = 0;

	replayed->points = xcalloc(count + 2, sizeof(*replayed->points));
	for (size_t i = 0; i < count; i++)
		replayed->points[i].cores = cores[i];
	replayed->points[count].cores = 1;
	replayed->points[count + 1].cores = replayed->recorded_cores;
	qsort(replayed->points, count + 2, sizeof(*replayed->points), compare_points);
	for (size_t i = 0; i < count + 2; i++)
		if (!i || replayed->points[i].cores != replayed->points[distinct - 1].cores)
			replayed->points[distinct++] = replayed->points[i];
	replayed->count = distinct;
}

unsigned forecast_points_cores(const struct program *program, uint64_t cores)
{
	uint64_t most = program->thread_count ? program->thread_count : 1;

	most = most < SIMULATION_CORES_MAX ? most : SIMULATION_CORES_MAX;
	return (unsigned)(cores < most ? cores : most);
}

struct replay replay_on(const struct program *program, const struct machine *machine,
			uint64_t cores)
{
	struct replay replay = {.program = program, .machine = *machine};

	replay.machine.cores = forecast_points_cores(program, cores);
	return replay;
}

double forecast_points_usable_ns(const struct program *program, const struct level_times *levels,
				 uint64_t recorded_cores)
{
	double usable_ns = level_times_usable_ns(levels, recorded_cores);
	double allowed_ns = program->quota.cpus * (double)program->wall_ns;

	if (!(program->quota.cpus > 0))
		return usable_ns;
	return fmin(usable_ns, fmax(allowed_ns, (double)program->shares.run_ns));
}

double forecast_points_others_share(const struct program *program, const struct level_times *levels,
				    uint64_t recorded_cores, uint64_t busy_ns)
{
	double usable_ns = forecast_points_usable_ns(program, levels, recorded_cores);
	double run_ns = (double)program->shares.run_ns, lacked_ns = fmax(usable_ns - run_ns, 0);

	return usable_ns > 0 ? cpu_taken_ns(lacked_ns, run_ns, busy_ns, (unsigned)recorded_cores) /
				       usable_ns
			     : 0;
}

/*
 * Returns the slowdown of the machine, increased by the missing share of the cores: a target that
 * got nearly none of them is simulated as one that got a little.
 */
static double *slowed_by(const struct machine *machine, double missing_share)
{
	size_t count = machine->slowdown ? machine->slowdown_count : 1;
	double *slowdown = xcalloc(count, sizeof(*slowdown));

	for (size_t i = 0; i < count; i++)
		slowdown[i] = fmin((machine->slowdown ? machine->slowdown[i] : 1) /
					   fmax(1 - missing_share, 1 / SIMULATION_FACTOR_MAX),
				   SIMULATION_FACTOR_MAX);
	return slowdown;
}

/* --- Timed waits --------------------------------------------------------------------------- */

/* Returns costs [site] of waits on `machine`, 0 for timed waits. NULL: no timed waits. */
static double *without_polls(const struct program *program, const struct machine *machine)
{
	double *costs = NULL;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];

			if (step_op(step) != STEP_POLL || step_site(step) >= program->site_count)
				continue;
			if (!costs)
				costs = xcalloc(program->site_count, sizeof(*costs));
			costs[step_site(step)] = 1;
		}
	for (size_t i = 0; costs && i < program->site_count; i++)
		costs[i] = costs[i] > 0 ? 0 : machine->site_costs ? machine->site_costs[i] : 1;
	return costs;
}

/*
 * Finds the largest share of a wall time on more than `above` cores that is saved if `program` runs
 * on `machine`.
 */
static int find_share(double *share, const struct forecast_points *replayed, uint64_t above,
		      const struct program *program, const struct machine *machine, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < replayed->count; i++)
		replays[i] = replay_on(program, machine, replayed->points[i].cores);
	rc = replays_run_mean(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++) {
		double wall_s = replayed->points[i].wall_s;
		double without_s = (double)replays[i].simulated.wall_ns / 1e9;

		if (wall_s > 0 && replayed->points[i].cores > above)
			*share = fmax(*share, 1 - without_s / wall_s);
	}
	free(replays);
	return rc;
}

static int find_polls_share(struct forecast_points *replayed, const struct program *program,
			    const struct machine *machine, struct err *err)
{
	double *costs = without_polls(program, machine);
	struct machine free_polls = *machine;
	int rc;

	if (!costs)
		return 0;
	free_polls.site_costs = costs;
	rc = find_share(&replayed->polls_share, replayed, 0, program, &free_polls, err);
	free(costs);
	return rc;
}

static bool has_loops(const struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (step_op(&program->threads[i].steps[j]) == STEP_LOOP)
				return true;
	return false;
}

/* Turns loops into waits of `factor` times their length. */
static void loops_become_waits(struct program *program, double factor)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			struct step *step = &program->threads[i].steps[j];

			if (step_op(step) != STEP_LOOP)
				continue;
			step->run_op = step_run_op(step_run_ns(step), STEP_EXTERNAL);
			step->pause = step_pause((uint64_t)((double)step_pause_ns(step) * factor),
						 PROGRAM_NONE);
		}
}

static int find_loops_share(struct forecast_points *replayed, const struct program *program,
			    const struct machine *machine, struct err *err)
{
	int rc = 0;

	if (!(replayed->recorded_s > 0) || !has_loops(program))
		return 0;
	for (size_t i = 0; !rc && i < replayed->count; i++) {
		double wall_s = replayed->points[i].wall_s;
		struct program waits = {0};
		struct replay replay;

		program_copy(&waits, program);
		loops_become_waits(&waits, wall_s / replayed->recorded_s);
		replay = replay_on(&waits, machine, replayed->points[i].cores);
		rc = replays_run_mean(&replay, 1, NULL, NULL, err);
		if (!rc && replay.simulated.wall_ns)
			replayed->loops_share =
				fmax(replayed->loops_share,
				     1 - wall_s * 1e9 / (double)replay.simulated.wall_ns);
		program_release(&waits);
	}
	return rc;
}

int forecast_points_find_locks(struct forecast_points *replayed, const struct program *program,
			       const struct machine *machine, struct err *err)
{
	struct program without = {0};
	int rc = 0;

	program_copy(&without, program);
	replayed->lock_waits = recognise_drop_lock_suspicions(&without);
	if (replayed->lock_waits)
		rc = find_share(&replayed->locks_share, replayed, replayed->recorded_cores,
				&without, machine, err);
	program_release(&without);
	return rc;
}

/* --- All points ---------------------------------------------------------------------------- */

static bool is_alone(const struct forecast_points *replayed)
{
	return replayed->others_share <= validity_words(VALIDITY_ALONE)->limit;
}

/*
 * Returns the share of the usable CPU time in which CPUs idled beside ready threads. Linux leaves a
 * thread that was just woken or preempted in the queue of its CPU, and another CPU idle, up to the
 * next tick: a sixth of the time if threads take turns. No simulated core is idle then.
 */
static double idled_share(const struct program *program, double others_share)
{
	double idled_ns = (double)program->shares.idled_ns;
	double usable_ns =
		((double)program->shares.run_ns + idled_ns) / fmax(1 - others_share, DBL_MIN);

	return idled_ns > 0 ? idled_ns / usable_ns : 0;
}

/*
 * Makes the self-check. Other programs, or idle CPUs, may have taken CPU time from the critical
 * path or from threads beside it: the recorded time is between that of cores with all their time
 * and that of cores that are all slower. Of cores that the target had for itself, little was taken,
 * and it counts. The error is at least the distance to the nearer of both. If other programs took
 * most of the time, the recorded time may be nearly any. Under a quota only the slower cores are
 * replayed.
 */
static void find_self(struct forecast_points *replayed, double taken_s, double idled_s,
		      bool has_quota)
{
	const double limit = validity_words(VALIDITY_REPEATS)->limit, most = .5;
	double least_s = is_alone(replayed) || has_quota
				 ? taken_s
				 : forecast_points_find(replayed, replayed->recorded_cores)->wall_s;
	double recorded_s = replayed->recorded_s;

	replayed->self_s = taken_s;
	if (replayed->others_share >= most || idled_s <= least_s)
		return;
	replayed->self_open =
		recorded_s > least_s * (1 + limit) && idled_s > recorded_s * (1 + limit);
	replayed->self_s = recorded_s * recorded_s < least_s * idled_s ? least_s : idled_s;
	replayed->idled = fmax(log(replayed->self_s / taken_s), 0);
}

static struct replay replay_slowed(const struct program *program, const struct machine *machine,
				   uint64_t cores, const double *slowdown)
{
	struct replay replay = replay_on(program, machine, cores);

	replay.machine.slowdown = slowdown;
	replay.machine.slowdown_count = machine->slowdown ? machine->slowdown_count : 1;
	/* CPU time that other programs take is no use of the quota. */
	replay.machine.quota = program->quota;
	replay.machine.quota.cpus *= slowdown[0] / (machine->slowdown ? machine->slowdown[0] : 1);
	return replay;
}

/* Simulates all points, and then the recording, side by side. */
static int run_points(struct forecast_points *replayed, const struct program *program,
		      const struct machine *machine, struct err *err)
{
	size_t count = replayed->count;
	struct replay *replays = xcalloc(count + 2, sizeof(*replays));
	double others_share = replayed->others_share, idle = idled_share(program, others_share);
	double *taken = slowed_by(machine, others_share);
	double *idled = slowed_by(machine, others_share + idle);
	size_t selves = idle > 0 ? 2 : 1;
	int rc;

	for (size_t i = 0; i < count; i++)
		replays[i] = replay_on(program, machine, replayed->points[i].cores);
	replays[count] = replay_slowed(program, machine, replayed->recorded_cores, taken);
	replays[count + 1] = replay_slowed(program, machine, replayed->recorded_cores, idled);
	rc = replays_run_mean(replays, count + selves, NULL, NULL, err);
	for (size_t i = 0; !rc && i < count; i++) {
		struct forecast_point *point = &replayed->points[i];

		point->wall_s = (double)replays[i].simulated.wall_ns / 1e9;
		point->stuck = replays[i].simulated.stuck;
		point->lo_s = point->hi_s = NAN;
		point->least_s = point->most_s = point->wall_s;
	}
	replayed->self_s = NAN;
	if (!rc)
		find_self(replayed, (double)replays[count].simulated.wall_ns / 1e9,
			  (double)replays[count + selves - 1].simulated.wall_ns / 1e9,
			  program->quota.cpus > 0);
	replayed->self_scatter =
		rc ? 0 : replays[replayed->idled > 0 ? count + selves - 1 : count].scatter;
	free(taken);
	free(idled);
	free(replays);
	return rc;
}

/* Returns the smallest slowdown of the work of any thread, relative to the recording. */
static double least_slowdown(const struct program *program, const struct machine *machine)
{
	const struct thread_groups *groups = &machine->groups;
	double least = 1;

	for (size_t b = 0; machine->slowdown && b < machine->slowdown_count; b++) {
		least = fmin(least, machine->slowdown[b]);
		for (size_t i = 0; groups->factors && i < program->thread_count; i++)
			least = fmin(least,
				     machine->slowdown[b] *
					     groups->factors[groups->of[i] * groups->stride + b]);
	}
	return least;
}

/* Lowers bounds if other numbers of busy cores are faster than that of the recording. */
static void scale_bounds(struct bounds *bounds, const struct program *program,
			 const struct machine *machine)
{
	double least = least_slowdown(program, machine);

	bounds->work_ns = (uint64_t)((double)bounds->work_ns * least);
	bounds->critical_ns = (uint64_t)((double)bounds->critical_ns * least);
	bounds->serial_ns = (uint64_t)((double)bounds->serial_ns * least);
}

int forecast_points_init(struct forecast_points *replayed, const struct program *program,
			 const struct machine *machine, uint64_t recorded_cores,
			 double others_share, const uint64_t *cores, size_t count, struct err *err)
{
	*replayed = (struct forecast_points){
		.recorded_cores = recorded_cores,
		.recorded_s = (double)program->wall_ns / 1e9,
		.others_share = others_share,
		.scale = 1,
		.size = (uint64_t)simulation_size(program, machine),
	};
	bounds_find(&replayed->bounds, program);
	scale_bounds(&replayed->bounds, program, machine);
	list_points(replayed, cores, count);
	return run_points(replayed, program, machine, err) ||
			       find_polls_share(replayed, program, machine, err) ||
			       find_loops_share(replayed, program, machine, err)
		       ? -1
		       : 0;
}

void forecast_points_release(struct forecast_points *replayed)
{
	free(replayed->points);
	*replayed = (struct forecast_points){0};
}

const struct forecast_point *forecast_points_find(const struct forecast_points *replayed,
						  uint64_t cores)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (replayed->points[i].cores == cores)
			return &replayed->points[i];
	return NULL;
}

bool forecast_points_have_interval(const struct forecast_points *replayed)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (!isnan(replayed->points[i].lo_s))
			return true;
	return false;
}

size_t forecast_points_stuck(const struct forecast_points *replayed)
{
	size_t most = 0;

	for (size_t i = 0; i < replayed->count; i++)
		if (replayed->points[i].stuck > most)
			most = replayed->points[i].stuck;
	return most;
}

double forecast_points_speedup(const struct forecast_points *replayed,
			       const struct forecast_point *point)
{
	return forecast_points_find(replayed, 1)->wall_s / point->wall_s;
}

double forecast_points_self_error(const struct forecast_points *replayed)
{
	return replayed->recorded_s > 0 ? replayed->self_s / replayed->recorded_s - 1 : NAN;
}

double forecast_points_error(const struct forecast_points *replayed, const struct wall_time *time)
{
	const struct forecast_point *point = forecast_points_find(replayed, time->cores);

	return point ? point->wall_s / time->mean_s - 1 : NAN;
}

double forecast_points_mean_error(const struct forecast_points *replayed,
				  const struct wall_times *times, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < times->count; i++) {
		const struct wall_time *time = &times->items[i];

		if (time->cores == replayed->recorded_cores ||
		    !forecast_points_find(replayed, time->cores))
			continue;
		sum += fabs(forecast_points_error(replayed, time));
		++*count;
	}
	return *count ? sum / (double)*count : NAN;
}

/* --- Scaled to the recording ------------------------------------------------------------------ */

double scale_factor(const struct forecast_points *replayed, const struct program *program,
		    uint64_t cores)
{
	return forecast_points_cores(program, cores) ==
			       forecast_points_cores(program, replayed->recorded_cores)
		       ? replayed->scale
		       : 1;
}

static double weight(double scatter)
{
	return SCALE_MISS * SCALE_MISS / (SCALE_MISS * SCALE_MISS + scatter * scatter);
}

static bool is_comparable(const struct forecast_points *replayed)
{
	return replayed->recorded_s > 0 && replayed->self_s > 0 &&
	       !forecast_points_stuck(replayed) && is_alone(replayed);
}

static void scale_points(struct forecast_points *replayed, const struct program *program)
{
	for (size_t i = 0; i < replayed->count; i++) {
		struct forecast_point *point = &replayed->points[i];
		double factor = scale_factor(replayed, program, point->cores);

		point->wall_s *= factor;
		point->least_s *= factor;
		point->most_s *= factor;
	}
}

void scale_to_measured(struct forecast_points *replayed, const struct program *program)
{
	unsigned cores = forecast_points_cores(program, replayed->recorded_cores);
	double bound_s = (double)bounds_wall_ns(&replayed->bounds, cores) / 1e9;
	double wall_s = forecast_points_find(replayed, replayed->recorded_cores)->wall_s;

	if (!is_comparable(replayed) || !(wall_s > 0))
		return;
	replayed->scale = pow(replayed->recorded_s / replayed->self_s * exp(replayed->idled),
			      weight(replayed->self_scatter));
	if (replayed->scale < 1)
		replayed->scale = fmin(fmax(replayed->scale, bound_s / wall_s), 1);
	scale_points(replayed, program);
}

void scale_as(struct forecast_points *changed, const struct forecast_points *scaled,
	      const struct program *program)
{
	changed->scale = scaled->scale;
	scale_points(changed, program);
}

/* --- Recognition ------------------------------------------------------------------------------ */

/* A program with recognised objects, and its replay. */
struct attempt {
	struct program program;
	struct recognised recognised;
	struct forecast_points replayed;
};

struct trying {
	const struct machine *machine;
	uint64_t recorded_cores;
	double others_share;
	const uint64_t *cores;
	struct program_gaps *gaps; /* gaps of the program, for the removal of costs; or NULL */
	size_t count;
};

static int try_extent(struct attempt *attempt, const struct trying *trying,
		      enum recognise_extent extent, struct err *err)
{
	recognise_within(&attempt->program, extent, &attempt->recognised);
	return forecast_points_init(&attempt->replayed, &attempt->program, trying->machine,
				    trying->recorded_cores, trying->others_share, trying->cores,
				    trying->count, err);
}

static void attempt_release(struct attempt *attempt)
{
	program_release(&attempt->program);
	forecast_points_release(&attempt->replayed);
}

static bool attempt_repeats(const struct attempt *attempt)
{
	return attempt->replayed.self_open ||
	       fabs(forecast_points_self_error(&attempt->replayed)) <=
		       validity_words(VALIDITY_REPEATS)->limit;
}

/* Returns whether recognising less can improve nothing. */
static bool attempt_is_sound(const struct attempt *attempt)
{
	return !forecast_points_stuck(&attempt->replayed) && attempt_repeats(attempt);
}

static bool attempt_is_better(const struct attempt *less, const struct attempt *more)
{
	size_t stuck = forecast_points_stuck(&less->replayed),
	       before = forecast_points_stuck(&more->replayed);

	return stuck != before ? stuck < before : attempt_repeats(less) && !attempt_repeats(more);
}

/* Tries to recognise less than `best`, in copies of the raw program. */
static int try_less(struct attempt *best, const struct program_kept *raw,
		    const struct trying *trying, struct err *err)
{
	int rc = 0;

	for (int extent = RECOGNISE_ALL - 1;
	     !rc && !attempt_is_sound(best) && extent >= RECOGNISE_NOTHING; extent--) {
		struct attempt less = {.recognised = {0}};

		program_restore(&less.program, raw, &best->program);
		rc = try_extent(&less, trying, (enum recognise_extent)extent, err);
		if (!rc && attempt_is_better(&less, best)) {
			struct attempt worse = *best;

			*best = less;
			less = worse;
		}
		attempt_release(&less);
	}
	return rc;
}

/*
 * Takes out the cost of recording calls: it is only in the recorded wall time, to which the replay
 * is scaled. The gaps of the program follow, also if recognise_within() takes out work.
 */
static int leave_out_costs(struct attempt *best, const struct program_kept *raw,
			   const struct trying *trying, struct err *err)
{
	struct attempt bare = {.recognised = {0}}, with = *best;
	uint64_t taken_ns;
	int rc;

	if (!raw->rest.costs.call_ns && !raw->rest.costs.system_call_ns && !best->recognised.locks)
		return 0;
	program_restore(&bare.program, raw, &best->program);
	bare.program.gaps = trying->gaps;
	taken_ns = recognise_take_out_costs(&bare.program);
	if (!taken_ns && !best->recognised.locks) {
		bare.program.gaps = NULL;
		program_release(&bare.program);
		return 0;
	}
	rc = try_extent(&bare, trying, best->recognised.extent, err);
	bare.program.gaps = NULL;
	bare.replayed.self_s = with.replayed.self_s;
	bare.replayed.self_open = with.replayed.self_open;
	bare.replayed.idled = with.replayed.idled;
	bare.replayed.self_scatter = with.replayed.self_scatter;
	bare.replayed.calls_s = (double)taken_ns / 1e9;
	*best = bare;
	attempt_release(&with);
	return rc;
}

static void keep_above(struct forecast_points *replayed, double least_s)
{
	for (size_t i = 0; i < replayed->count; i++) {
		struct forecast_point *point = &replayed->points[i];

		point->wall_s = fmax(point->wall_s, least_s);
		point->least_s = fmax(point->least_s, least_s);
		point->most_s = fmax(point->most_s, least_s);
	}
}

/*
 * Keeps the hold times of recorded calls of a lock, also if the replay is better without the calls.
 * An object that was held for longer than the program ran was no lock.
 */
static void keep_holds(struct attempt *best, const struct program_kept *raw,
		       const struct trying *trying)
{
	struct recognised ignored;
	struct program program = {0};
	struct bounds held = {.work_ns = 0};

	program_restore(&program, raw, &best->program);
	recognise_take_out_costs(&program);
	recognise_within(&program, RECOGNISE_ALL, &ignored);
	bounds_find_lock(&held, &program);
	scale_bounds(&held, &program, trying->machine);
	program_release(&program);
	if (held.serial_site >= best->program.site_count || held.serial_ns > best->program.wall_ns)
		return;
	best->replayed.bounds.serial_ns = held.serial_ns;
	best->replayed.bounds.serial_site = held.serial_site;
	best->replayed.holds_known = true;
	keep_above(&best->replayed, (double)held.serial_ns / 1e9);
}

/*
 * Replays mutexes with only system calls as locks, if all threads end then. On one core a thread
 * waits for a mutex only if its holder was preempted. If other programs had the cores, the waits
 * are not those of a replay. In both cases they show neither uses nor hold times, and the recorded
 * waits are nearer. Their share shows how much depends on locks.
 */
static int try_mutexes(struct attempt *best, const struct trying *trying, bool nested,
		       struct err *err)
{
	struct attempt own = {.recognised = best->recognised};
	int rc = 0;

	program_copy(&own.program, &best->program);
	own.recognised.mutexes = recognise_mutexes(&own.program, nested);
	if (own.recognised.mutexes)
		rc = mutex_uses_add(&own.program, trying->machine,
				    forecast_points_cores(&own.program, trying->recorded_cores),
				    err) ||
				     forecast_points_init(&own.replayed, &own.program,
							  trying->machine, trying->recorded_cores,
							  trying->others_share, trying->cores,
							  trying->count, err) ||
				     forecast_points_find_locks(&best->replayed, &best->program,
								trying->machine, err)
			     ? -1
			     : 0;
	if (!rc && own.recognised.mutexes && !attempt_is_better(best, &own)) {
		struct attempt as_recorded = *best;

		*best = own;
		best->replayed.lock_waits = as_recorded.replayed.lock_waits;
		best->replayed.locks_share = as_recorded.replayed.locks_share;
		own = as_recorded;
	}
	attempt_release(&own);
	return rc;
}

static bool meets_at_mutexes(const struct attempt *attempt)
{
	return !attempt->recognised.locks && attempt->replayed.recorded_cores > 1 &&
	       is_alone(&attempt->replayed);
}

int recognise_checked(struct forecast_points *replayed, struct recognised *recognised,
		      struct program *program, const struct machine *machine,
		      uint64_t recorded_cores, double others_share, const uint64_t *cores,
		      size_t count, struct err *err)
{
	const struct trying trying = {machine, recorded_cores, others_share,
				      cores,   program->gaps,  count};
	struct attempt best = {.program = *program};
	size_t gap_capacity = program->gap_capacity;
	struct program_kept raw;
	bool has_locks;
	double locks_s;
	int rc;

	/* Attempts are copies, which have no gaps. */
	best.program.gaps = NULL;
	best.program.gap_capacity = 0;
	program_keep(&raw, program);
	rc = try_extent(&best, &trying, RECOGNISE_ALL, err);
	has_locks = best.recognised.locks;
	locks_s = rc || forecast_points_stuck(&best.replayed) ? (double)NAN : best.replayed.self_s;
	if (!rc)
		rc = try_less(&best, &raw, &trying, err);
	if (!rc)
		rc = leave_out_costs(&best, &raw, &trying, err);
	for (int nested = 1; !rc && nested >= 0; nested--)
		if (meets_at_mutexes(&best) && !best.recognised.mutexes)
			rc = try_mutexes(&best, &trying, nested, err);
	best.replayed.holds_known = best.recognised.locks;
	if (!rc && has_locks && !best.recognised.locks)
		keep_holds(&best, &raw, &trying);
	program_kept_release(&raw);
	*program = best.program;
	program->gaps = trying.gaps;
	program->gap_capacity = gap_capacity;
	*replayed = best.replayed;
	*recognised = best.recognised;
	replayed->lock_costs_s = (double)recognised->lock_costs_ns / 1e9;
	recognised->locks_unused = has_locks && recognised->extent < RECOGNISE_ALL;
	recognised->locks_s = locks_s;
	return rc;
}
