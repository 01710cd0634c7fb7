/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/bottleneck.h"

#include "base/alloc.h"
#include "replay/forecast/forecast_points.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bottleneck_kind_names[] = {
	[BOTTLENECK_NONE] = "none",	  [BOTTLENECK_THREAD] = "thread",
	[BOTTLENECK_THREADS] = "threads", [BOTTLENECK_LOCK] = "lock",
	[BOTTLENECK_PAUSES] = "pauses",	  [BOTTLENECK_CHAIN] = "chain",
};

/* Of the limit: what has that is the bottleneck, and what saves that when it is eased. */
static const double bounding_share = .8, saving_share = .1;

/* Of the most work of a thread: others with that are like it. */
static const double alike_share = .9;

/* So many of the busiest threads are replayed with half of their work. */
enum { BUSIEST = 3 };

struct bottleneck_search {
	struct bottleneck *found;
	const struct program *program;
	const struct machine *machine;
	uint64_t *work_ns; /* [thread] */
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

/* In order, the one with the most work first; returns how many have any. */
static size_t bottleneck_busiest(uint32_t busiest[BUSIEST], const struct bottleneck_search *search)
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

static size_t bottleneck_alike(const struct bottleneck_search *search, uint32_t thread)
{
	double least = alike_share * (double)search->work_ns[thread];
	size_t count = 0;

	for (size_t i = 0; i < search->program->thread_count; i++)
		count += (double)search->work_ns[i] >= least;
	return count;
}

/* --- The program with something eased -------------------------------------------------------- */

/* A program that borrows all but the steps of one thread, which has half of its work. */
static struct program bottleneck_halved(const struct program *program, uint32_t thread)
{
	struct program halved = *program;
	struct program_thread *own;

	halved.threads = xcalloc(program->thread_count, sizeof(*halved.threads));
	memcpy(halved.threads, program->threads, program->thread_count * sizeof(*halved.threads));
	own = &halved.threads[thread];
	own->steps = xcalloc(own->count + 1, sizeof(*own->steps));
	for (size_t i = 0; i < own->count; i++) {
		struct step step = program->threads[thread].steps[i];

		step.run_op = step_run_op(step_run_ns(&step) / 2, step_op(&step));
		own->steps[i] = step;
	}
	return halved;
}

static void bottleneck_halved_free(struct program *halved, uint32_t thread)
{
	free(halved->threads[thread].steps);
	free(halved->threads);
}

static bool bottleneck_is_pause(enum site_kind kind)
{
	return kind == SITE_SLEEP || kind == SITE_DEVICE || kind == SITE_EXTERNAL ||
	       kind == SITE_UNKNOWN;
}

/* What waiting costs without that at `lock`; or where that is PROGRAM_NONE, without pauses. */
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

static double bottleneck_wall_s(const struct replay *replay)
{
	return replay->simulated.stuck ? NAN : (double)replay->simulated.wall_ns / 1e9;
}

static struct replay bottleneck_replay(const struct bottleneck_search *search,
				       const struct program *program, const double *costs)
{
	struct replay replay = replay_on(program, search->machine, SIMULATION_CORES_MAX);

	if (costs)
		replay.machine.site_costs = costs;
	return replay;
}

/* --- What is the bottleneck ------------------------------------------------------------------ */

static void bottleneck_is_thread(const struct bottleneck_search *search, uint32_t thread,
				 double eased_s)
{
	struct bottleneck *found = search->found;

	found->kind = BOTTLENECK_THREAD;
	found->thread = thread;
	found->work_s = (double)search->work_ns[thread] / 1e9;
	found->eased_s = eased_s;
}

/* The lock that is taken for most of the limit. Returns 0 or -1. */
static int bottleneck_lock(const struct bottleneck_search *search, const struct bounds *bounds,
			    struct err *err)
{
	struct bottleneck *found = search->found;
	double *costs = bottleneck_costs(search, bounds->serial_site);
	struct replay replay = bottleneck_replay(search, search->program, costs);
	int rc = replays_run(&replay, 1, NULL, NULL, err);

	if (!rc) {
		found->kind = BOTTLENECK_LOCK;
		found->site = bounds->serial_site;
		found->held_s = (double)bounds->serial_ns / 1e9;
		found->eased_s = bottleneck_wall_s(&replay);
	}
	free(costs);
	return rc;
}

static void bottleneck_choose(const struct bottleneck_search *search, const struct replay *replays,
			      const uint32_t *busiest, size_t count)
{
	struct bottleneck *found = search->found;
	double least_s = (1 - saving_share) * found->limit_s;

	for (size_t i = 0; i <= count; i++) {
		double eased_s = bottleneck_wall_s(&replays[i]);

		if (!(eased_s <= least_s))
			continue;
		least_s = eased_s;
		if (i < count) {
			bottleneck_is_thread(search, busiest[i], eased_s);
		} else {
			found->kind = BOTTLENECK_PAUSES;
			found->thread = PROGRAM_NONE;
			found->work_s = NAN;
			found->eased_s = eased_s;
		}
	}
}

/* Eases the busiest threads and the pauses, one after the other. Returns 0 or -1. */
static int bottleneck_try(const struct bottleneck_search *search, const uint32_t *busiest,
			  size_t count, struct err *err)
{
	double *costs = bottleneck_costs(search, PROGRAM_NONE);
	struct program halved[BUSIEST];
	struct replay replays[BUSIEST + 1];
	int rc;

	for (size_t i = 0; i < count; i++) {
		halved[i] = bottleneck_halved(search->program, busiest[i]);
		replays[i] = bottleneck_replay(search, &halved[i], NULL);
	}
	replays[count] = bottleneck_replay(search, search->program, costs);
	rc = replays_run(replays, count + 1, NULL, NULL, err);
	if (!rc)
		bottleneck_choose(search, replays, busiest, count);
	for (size_t i = 0; i < count; i++)
		bottleneck_halved_free(&halved[i], busiest[i]);
	free(costs);
	return rc;
}

static int bottleneck_search_run(const struct bottleneck_search *search,
				 const struct bounds *bounds, struct err *err)
{
	struct bottleneck *found = search->found;
	double bounding_ns = bounding_share * 1e9 * found->limit_s;
	uint32_t busiest[BUSIEST + 1];
	size_t count = bottleneck_busiest(busiest, search);
	size_t alike = count ? bottleneck_alike(search, busiest[0]) : 0;

	if (bounds->serial_site != PROGRAM_NONE && (double)bounds->serial_ns >= bounding_ns)
		return bottleneck_lock(search, bounds, err);
	if (count && alike > 1 && (double)search->work_ns[busiest[0]] >= bounding_ns) {
		bottleneck_is_thread(search, busiest[0], NAN);
		found->kind = BOTTLENECK_THREADS;
		found->alike = alike;
		return 0;
	}
	found->kind = BOTTLENECK_CHAIN;
	return bottleneck_try(search, busiest, count, err);
}

/* --- All of it ------------------------------------------------------------------------------- */

static void bottleneck_scale(struct bottleneck *bottleneck, double factor)
{
	bottleneck->limit_s *= factor;
	bottleneck->eased_s *= factor;
}

int bottleneck_find(struct bottleneck *bottleneck, const struct program *program,
		    const struct machine *machine, const struct forecast_points *scaled,
		    struct err *err)
{
	struct bottleneck_search search = {bottleneck, program, machine, NULL};
	struct replay whole = replay_on(program, machine, SIMULATION_CORES_MAX);
	int rc = 0;

	*bottleneck = (struct bottleneck){.thread = PROGRAM_NONE,
					  .site = PROGRAM_NONE,
					  .work_s = NAN,
					  .held_s = NAN,
					  .eased_s = NAN};
	if (replays_run(&whole, 1, NULL, NULL, err))
		return -1;
	bottleneck->limit_s = bottleneck_wall_s(&whole);
	if (bottleneck->limit_s > 0) {
		search.work_ns = bottleneck_works(program);
		rc = bottleneck_search_run(&search, &scaled->bounds, err);
		free(search.work_ns);
	}
	bottleneck_scale(bottleneck, scale_factor(scaled, program, SIMULATION_CORES_MAX));
	return rc;
}
