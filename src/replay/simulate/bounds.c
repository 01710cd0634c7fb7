/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/bounds.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/simulate/simulation.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- The longest chain ----------------------------------------------------------------------- */

static bool is_object(enum site_kind kind)
{
	return kind == SITE_LOCK || kind == SITE_TOKENS || kind == SITE_BARRIER;
}

/* The wall time with a core for each thread and free objects is the longest chain. */
static void find_chain(struct bounds *bounds, const struct program *program)
{
	double *costs = xcalloc(program->site_count, sizeof(*costs));
	const struct machine machine = {.cores = SIMULATION_CORES_MAX, .site_costs = costs};
	struct simulated simulated;
	struct err err;
	int failed;

	for (size_t i = 0; i < program->site_count; i++)
		costs[i] = is_object(program->sites[i].kind) ? 0 : 1;
	failed = simulate(&simulated, program, &machine, false, &err);
	assert(!failed);
	(void)failed;
	bounds->work_ns = simulated.busy_ns;
	bounds->critical_ns = simulated.wall_ns;
	free(costs);
}

/* --- The busiest lock ------------------------------------------------------------------------ */

/* The locks that one thread holds exclusively; locks beyond the 16 are ignored. */
struct held {
	struct {
		uint32_t site, depth;
	} locks[16];
	size_t count;
};

static size_t find_held(const struct held *held, uint32_t site)
{
	size_t i = 0;

	while (i < held->count && held->locks[i].site != site)
		i++;
	return i;
}

static void follow_lock(struct held *held, const struct step *step)
{
	const size_t most = sizeof(held->locks) / sizeof(*held->locks);
	enum step_op op = step_op(step);
	size_t i;

	if (op != STEP_LOCK && op != STEP_LOCK_SHARED && op != STEP_UNLOCK)
		return;
	i = find_held(held, step->site);
	if (i < held->count && op == STEP_UNLOCK) {
		if (!--held->locks[i].depth)
			held->locks[i] = held->locks[--held->count];
	} else if (i < held->count) {
		held->locks[i].depth++;
	} else if (op == STEP_LOCK && i < most) {
		held->locks[held->count].site = step->site;
		held->locks[held->count++].depth = 1;
	}
}

static bool ends_thread(const struct step *step)
{
	return step_op(step) == STEP_EXIT ||
	       (step_op(step) == STEP_BLOCK && step->edge == PROGRAM_NONE);
}

static void add_held(uint64_t *held_ns, size_t site_count, const struct program_thread *thread)
{
	struct held held = {.count = 0};

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		uint64_t ns = step_run_ns(step);

		if (step_op_is_pause(step_op(step)) && step_op(step) != STEP_DUE)
			ns += step_pause_ns(step);
		for (size_t j = 0; j < held.count; j++)
			if (held.locks[j].site < site_count)
				held_ns[held.locks[j].site] += ns;
		if (ends_thread(step))
			return;
		follow_lock(&held, step);
	}
}

void bounds_find_lock(struct bounds *bounds, const struct program *program)
{
	uint64_t *held_ns = xcalloc(program->site_count, sizeof(*held_ns));

	bounds->serial_ns = 0;
	bounds->serial_site = PROGRAM_NONE;
	for (size_t i = 0; i < program->thread_count; i++)
		add_held(held_ns, program->site_count, &program->threads[i]);
	for (uint32_t i = 0; i < program->site_count; i++)
		if (held_ns[i] > bounds->serial_ns) {
			bounds->serial_ns = held_ns[i];
			bounds->serial_site = i;
		}
	free(held_ns);
}

/* --- All bounds ------------------------------------------------------------------------------- */

void bounds_find(struct bounds *bounds, const struct program *program)
{
	*bounds = (struct bounds){.work_ns = 0};
	find_chain(bounds, program);
	bounds_find_lock(bounds, program);
}

uint64_t bounds_wall_ns(const struct bounds *bounds, unsigned cores)
{
	uint64_t least = bounds->work_ns / cores + (bounds->work_ns % cores != 0);

	if (least < bounds->critical_ns)
		least = bounds->critical_ns;
	return least < bounds->serial_ns ? bounds->serial_ns : least;
}
