/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/bottleneck.h"

#include "base/alloc.h"
#include "replay/forecast/forecast_points.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bottleneck_kind_names[] = {
	[BOTTLENECK_NONE] = "none",	[BOTTLENECK_SERIAL] = "serial",
	[BOTTLENECK_THREAD] = "thread", [BOTTLENECK_THREADS] = "threads",
	[BOTTLENECK_LOCK] = "lock",	[BOTTLENECK_SLOWED] = "slowdown",
	[BOTTLENECK_QUOTA] = "quota",	[BOTTLENECK_PAUSES] = "pauses",
	[BOTTLENECK_CHAIN] = "chain",	[BOTTLENECK_UNKNOWN] = "unknown",
};

/* Shares of the limit: the least work of a bottleneck, and the least time saved by easing it. */
static const double bounding_share = .8, saving_share = .1;

/* Least share of one thread in all time alone, and of its time alone in its work. */
static const double alone_share = .5;

/* Threads with this share of the most work of a thread are alike. */
static const double alike_share = .9;

/*
 * Number of busiest threads that are replayed with half of their work, of all such threads, and of
 * all replays.
 */
enum { BUSIEST = 3, HALVED = BUSIEST + 1, EASINGS = HALVED + 4 };

struct bottleneck_search {
	struct bottleneck *found;
	const struct program *program;
	const struct machine *machine;
	const struct bounds *bounds;
	uint64_t *work_ns; /* [thread] */
	uint32_t lock;	   /* the lock to ease, see bottleneck_lock() */
};

/* --- Work of threads ------------------------------------------------------------------------- */

static uint64_t *bottleneck_works(const struct program *program)
{
	uint64_t *work_ns = xcalloc(program->thread_count + 1, sizeof(*work_ns));

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			work_ns[i] += step_run_ns(&program->threads[i].steps[j]);
	return work_ns;
}

/* Lists the busiest threads, most work first. Returns the number of those with work. */
static size_t bottleneck_busiest(uint32_t busiest[HALVED], const struct bottleneck_search *search)
{
	const uint64_t *work_ns = search->work_ns;
	size_t count = 0;

	for (uint32_t i = 0; i < search->program->thread_count; i++) {
		size_t at = count;

		while (at && work_ns[i] > work_ns[busiest[at - 1]])
			at--;
		if (!work_ns[i] || at == BUSIEST)
			continue;
		count += count < BUSIEST;
		memmove(&busiest[at + 1], &busiest[at], (count - at - 1) * sizeof(*busiest));
		busiest[at] = i;
	}
	return count;
}

/* Adds the thread that computes alone, which may have less work than each of many others. */
static size_t bottleneck_add_alone(uint32_t halved[HALVED], size_t count, uint32_t alone)
{
	for (size_t i = 0; i < count; i++)
		if (halved[i] == alone)
			return count;
	halved[count] = alone;
	return count + (alone != PROGRAM_NONE);
}

static size_t bottleneck_alike(const struct bottleneck_search *search, uint32_t thread)
{
	double least = alike_share * (double)search->work_ns[thread];
	size_t count = 0;

	for (size_t i = 0; i < search->program->thread_count; i++)
		count += (double)search->work_ns[i] >= least;
	return count;
}

/* --- The program with something eased -------------------------------------------------------- */

/* Returns the thread with half of its work; the caller frees its steps. */
static struct program_thread bottleneck_halved(const struct program_thread *thread)
{
	struct program_thread halved = *thread;

	halved.steps = xcalloc(thread->count + 1, sizeof(*halved.steps));
	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		step.run_op = step_run_op(step_run_ns(&step) / 2, step_op(&step));
		halved.steps[i] = step;
	}
	return halved;
}

static bool bottleneck_is_pause(enum site_kind kind)
{
	return kind == SITE_SLEEP || kind == SITE_DEVICE || kind == SITE_EXTERNAL ||
	       kind == SITE_UNKNOWN;
}

/* Returns the costs of waits, without those at `lock`; PROGRAM_NONE: without pauses. */
static double *bottleneck_costs(const struct bottleneck_search *search, uint32_t lock)
{
	const struct program *program = search->program;
	const double *before = search->machine->site_costs;
	double *costs = xcalloc(program->site_count + 1, sizeof(*costs));

	for (uint32_t i = 0; i < program->site_count; i++) {
		bool eased = lock == PROGRAM_NONE ? bottleneck_is_pause(program->sites[i].kind)
						  : i == lock;

		costs[i] = eased ? 0 : before ? before[i] : 1;
	}
	return costs;
}

/* Runs replays; under a quota the mean of many, as the begin of periods changes throttling. */
static int bottleneck_replay(struct replay *replays, size_t count, struct err *err)
{
	bool has_quota = false;

	for (size_t i = 0; i < count; i++)
		has_quota |= replays[i].machine.quota.cpus > 0;
	return has_quota ? replays_run_mean(replays, count, NULL, NULL, err)
			 : replays_run(replays, count, NULL, NULL, err);
}

static double bottleneck_wall_s(const struct replay *replay)
{
	return replay->simulated.stuck ? NAN : (double)replay->simulated.wall_ns / 1e9;
}

/* A candidate for the bottleneck, and the program without it. */
struct easing {
	enum bottleneck_kind kind;
	uint32_t thread;
	struct program_thread halved;
	double *costs;
};

static struct replay bottleneck_ease(struct easing *easing, const struct bottleneck_search *search)
{
	struct replay replay = replay_on(search->program, search->machine, SIMULATION_CORES_MAX);

	if (easing->kind == BOTTLENECK_SLOWED) {
		replay.machine.slowdown_count = 1;
	} else if (easing->kind == BOTTLENECK_THREAD) {
		easing->halved = bottleneck_halved(&search->program->threads[easing->thread]);
		replay.machine.instead = &easing->halved;
		replay.machine.instead_of = easing->thread;
	} else if (easing->kind == BOTTLENECK_QUOTA) {
		replay.machine.quota.cpus = 0;
	} else {
		easing->costs = bottleneck_costs(
			search, easing->kind == BOTTLENECK_LOCK ? search->lock : PROGRAM_NONE);
		replay.machine.site_costs = easing->costs;
	}
	return replay;
}

static void bottleneck_ease_no_more(struct easing *easing)
{
	free(easing->halved.steps);
	free(easing->costs);
}

/* --- The choice of the bottleneck ------------------------------------------------------------ */

static void bottleneck_take(const struct bottleneck_search *search, const struct easing *easing,
			    double eased_s)
{
	struct bottleneck *found = search->found;
	bool is_thread = easing->kind == BOTTLENECK_THREAD;
	bool is_lock = easing->kind == BOTTLENECK_LOCK;

	found->kind = easing->kind;
	found->thread = is_thread ? easing->thread : PROGRAM_NONE;
	found->work_s = is_thread ? (double)search->work_ns[easing->thread] / 1e9 : NAN;
	found->site = is_lock ? search->lock : PROGRAM_NONE;
	found->held_s = is_lock && search->lock == search->bounds->serial_site
				? (double)search->bounds->serial_ns / 1e9
				: NAN;
	found->eased_s = eased_s;
}

/* Takes the easing with the shortest wall time, if below `least_s`. Returns 0 or -1. */
static int bottleneck_try(const struct bottleneck_search *search, struct easing *easings,
			  size_t count, double least_s, struct err *err)
{
	struct replay replays[EASINGS];
	int rc;

	for (size_t i = 0; i < count; i++)
		replays[i] = bottleneck_ease(&easings[i], search);
	rc = bottleneck_replay(replays, count, err);
	for (size_t i = 0; !rc && i < count; i++) {
		double eased_s = bottleneck_wall_s(&replays[i]);

		if (!(eased_s < least_s))
			continue;
		least_s = eased_s;
		bottleneck_take(search, &easings[i], eased_s);
	}
	for (size_t i = 0; i < count; i++)
		bottleneck_ease_no_more(&easings[i]);
	return rc;
}

/* Returns how many of the wanted replays are not too large to simulate. */
static size_t bottleneck_most(const struct bottleneck_search *search, size_t wanted)
{
	double size = simulation_size(search->program, search->machine);

	return (size_t)fmin(BOTTLENECK_SIZE_MOST / fmax(size, 1), (double)wanted);
}

/* Returns whether work is slower while more cores are busy. */
static bool bottleneck_slows(const struct machine *machine)
{
	const double *slowdown = machine->slowdown;

	return slowdown &&
	       (slowdown[machine->slowdown_count - 1] > slowdown[0] || machine->groups.factors);
}

/* Tries slower work, the quota and the lock first; the least busy threads are left out first. */
static int bottleneck_search_run(const struct bottleneck_search *search, struct err *err)
{
	struct bottleneck *found = search->found;
	double bounding_ns = bounding_share * 1e9 * found->limit_s;
	struct easing easings[EASINGS];
	uint32_t halved[HALVED];
	size_t count = bottleneck_busiest(halved, search), tried = 0, wanted, most;
	size_t alike = count ? bottleneck_alike(search, halved[0]) : 0;

	if (bottleneck_slows(search->machine))
		easings[tried++] = (struct easing){.kind = BOTTLENECK_SLOWED};
	if (search->machine->quota.cpus > 0)
		easings[tried++] = (struct easing){.kind = BOTTLENECK_QUOTA};
	if (search->lock != PROGRAM_NONE)
		easings[tried++] = (struct easing){.kind = BOTTLENECK_LOCK};
	count = bottleneck_add_alone(halved, count, found->alone);
	wanted = tried + count + 1;
	most = bottleneck_most(search, wanted);
	for (size_t i = 0; i < count && tried + 1 < most; i++)
		easings[tried++] = (struct easing){.kind = BOTTLENECK_THREAD, .thread = halved[i]};
	if (tried < most)
		easings[tried++] = (struct easing){.kind = BOTTLENECK_PAUSES};
	if (alike > 1 && (double)search->work_ns[halved[0]] >= bounding_ns &&
	    (double)search->bounds->serial_ns < bounding_ns) {
		const struct easing most_work = {BOTTLENECK_THREAD, .thread = halved[0]};

		bottleneck_take(search, &most_work, NAN);
		found->kind = BOTTLENECK_THREADS;
		found->alike = alike;
		return 0;
	}
	found->untried = wanted - most;
	found->kind = found->untried ? BOTTLENECK_UNKNOWN : BOTTLENECK_CHAIN;
	return bottleneck_try(search, easings, most, (1 - saving_share) * found->limit_s, err);
}

/* --- The lock -------------------------------------------------------------------------------- */

/* Returns whether the step takes or gives tokens of a semaphore or a queue. */
static bool bottleneck_moves_tokens(const struct step *step, const struct program *program)
{
	enum step_op op = step_op(step);

	return (op == STEP_TAKE || op == STEP_GIVE) && step->site < program->site_count;
}

/* Clears `permits` of the semaphores that the thread does not use like a lock. `held`: zeros. */
static void bottleneck_judge_permits(bool *permits, uint64_t *held, const struct program *program,
				     const struct program_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		bool takes = step_op(step) == STEP_TAKE;

		if (!bottleneck_moves_tokens(step, program))
			continue;
		permits[step->site] &= takes || held[step->site] >= step->count;
		held[step->site] += takes ? 1 : -(uint64_t)step->count;
	}
	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];

		if (!bottleneck_moves_tokens(step, program))
			continue;
		/* The end of the recording may leave it one. */
		permits[step->site] &= held[step->site] <= 1;
		held[step->site] = 0;
	}
}

/*
 * Returns [site]: whether it is a semaphore that each thread takes and gives back, like a lock; the
 * caller frees it. Waits at other queues are for the work of other threads.
 */
static bool *bottleneck_permits(const struct program *program)
{
	bool *permits = xcalloc(program->site_count + 1, sizeof(*permits));
	uint64_t *held = xcalloc(program->site_count + 1, sizeof(*held));

	for (uint32_t i = 0; i < program->site_count; i++)
		permits[i] = program->sites[i].kind == SITE_TOKENS;
	for (size_t i = 0; i < program->thread_count; i++)
		bottleneck_judge_permits(permits, held, program, &program->threads[i]);
	free(held);
	return permits;
}

/*
 * Returns the lock to ease: `serial`, which is held longest, or a semaphore with longer waits; if
 * hold times are unknown also the word with the longest waits, of a lock or a condition.
 */
static uint32_t bottleneck_lock(const struct program *program, uint32_t serial,
				const uint64_t *waited_ns)
{
	bool *permits = bottleneck_permits(program);
	uint32_t lock = serial;

	for (uint32_t i = 0; i < program->site_count; i++)
		if ((permits[i] ||
		     (serial == PROGRAM_NONE && program->sites[i].kind == SITE_FUTEX)) &&
		    waited_ns[i] > (lock == PROGRAM_NONE ? 0 : waited_ns[lock]))
			lock = i;
	free(permits);
	return lock;
}

/* --- The work of a thread alone -------------------------------------------------------------- */

static void bottleneck_keep_alone(struct bottleneck *bottleneck, const struct simulated *whole)
{
	if (whole->wall_ns)
		bottleneck->running = (double)whole->busy_ns / (double)whole->wall_ns;
	if (!whole->alone_ns || (double)whole->alone_ns < alone_share * (double)whole->one_ns)
		return;
	bottleneck->alone = whole->alone_thread;
	bottleneck->alone_s = (double)whole->alone_ns / 1e9;
}

/* Turns the bottleneck into a serial part if the thread mostly computes while no other can. */
static void bottleneck_judge_alone(struct bottleneck *bottleneck)
{
	if (bottleneck->kind == BOTTLENECK_THREAD && bottleneck->thread == bottleneck->alone &&
	    bottleneck->alone_s >= alone_share * bottleneck->work_s)
		bottleneck->kind = BOTTLENECK_SERIAL;
}

/* --- The search ------------------------------------------------------------------------------ */

static void bottleneck_scale(struct bottleneck *bottleneck, double factor)
{
	bottleneck->limit_s *= factor;
	bottleneck->eased_s *= factor;
	bottleneck->alone_s *= factor;
}

int bottleneck_find(struct bottleneck *bottleneck, const struct program *program,
		    const struct machine *machine, const struct forecast_points *scaled,
		    struct err *err)
{
	struct bottleneck_search search = {bottleneck,	    program, machine,
					   &scaled->bounds, NULL,    PROGRAM_NONE};
	struct replay whole = replay_on(program, machine, SIMULATION_CORES_MAX);
	int rc = 0;

	*bottleneck = (struct bottleneck){.thread = PROGRAM_NONE,
					  .site = PROGRAM_NONE,
					  .work_s = NAN,
					  .alone = PROGRAM_NONE,
					  .alone_s = NAN,
					  .running = NAN,
					  .held_s = NAN,
					  .eased_s = NAN};
	whole.waited = true;
	if (bottleneck_replay(&whole, 1, err))
		return -1;
	bottleneck->limit_s = bottleneck_wall_s(&whole);
	search.lock =
		bottleneck_lock(program, scaled->bounds.serial_site, whole.simulated.waited_ns);
	free(whole.simulated.waited_ns);
	bottleneck_keep_alone(bottleneck, &whole.simulated);
	if (bottleneck->limit_s > 0) {
		bottleneck->limit_s =
			fmax(bottleneck->limit_s, (double)scaled->bounds.serial_ns / 1e9);
		search.work_ns = bottleneck_works(program);
		rc = bottleneck_search_run(&search, err);
		bottleneck_judge_alone(bottleneck);
		free(search.work_ns);
	}
	bottleneck_scale(bottleneck, scale_factor(scaled, program, SIMULATION_CORES_MAX));
	return rc;
}
