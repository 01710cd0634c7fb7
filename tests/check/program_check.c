/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/program_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/program/program_read.h"
#include "replay/simulate/simulation.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

/* The number of wakes and blocks of each edge, and of forks of each thread. */
struct edge_counts {
	uint8_t *wakes, *blocks, *forks;
};

static int count_step(struct edge_counts *counts, const struct program *program, size_t thread,
		      size_t place, struct err *err)
{
	const struct program_thread *own = &program->threads[thread];
	const struct step *step = &own->steps[place];
	enum step_op op = step_op(step);
	bool last = place + 1 == own->count;

	if (op >= STEP_OPS || (op == STEP_EXIT) != last)
		return err_set(err, "thread %zu has step %d at %zu", thread, (int)op, place);
	if ((op == STEP_WAKE || op == STEP_FORK) &&
	    (step->thread >= program->thread_count || step->thread == thread))
		return err_set(err, "thread %zu wakes or forks %u", thread, step->thread);
	if (op == STEP_FORK)
		counts->forks[step->thread]++;
	if ((op != STEP_WAKE && op != STEP_BLOCK) ||
	    (op == STEP_BLOCK && step->edge == PROGRAM_NONE))
		return 0;
	if (step->edge >= program->edge_count)
		return err_set(err, "thread %zu is at edge %u", thread, step->edge);
	(op == STEP_WAKE ? counts->wakes : counts->blocks)[step->edge]++;
	return 0;
}

static int check_counts(const struct edge_counts *counts, const struct program *program,
			struct err *err)
{
	for (uint32_t edge = 0; edge < program->edge_count; edge++)
		if (counts->wakes[edge] != 1 || counts->blocks[edge] != 1)
			return err_set(err, "edge %u has %d wakes and %d blocks", edge,
				       counts->wakes[edge], counts->blocks[edge]);
	for (size_t i = 0; i < program->thread_count; i++)
		if (counts->forks[i] != program->threads[i].forked)
			return err_set(err, "thread %zu is forked %d times", i, counts->forks[i]);
	return 0;
}

static int check_steps(const struct program *program, struct err *err)
{
	struct edge_counts counts = {
		.wakes = xcalloc(program->edge_count, 1),
		.blocks = xcalloc(program->edge_count, 1),
		.forks = xcalloc(program->thread_count, 1),
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < program->thread_count; i++)
		for (size_t j = 0; !rc && j < program->threads[i].count; j++)
			rc = count_step(&counts, program, i, j, err);
	if (!rc)
		rc = check_counts(&counts, program, err);
	free(counts.wakes);
	free(counts.blocks);
	free(counts.forks);
	return rc;
}

/*
 * With a core for each thread, a step starts as soon as its waits allow, so no later than in the
 * recording. Times of the simulation have 53 bits: from 13 days on they are rounded by a nanosecond
 * or more.
 */
static int check_fastest(const struct program *program, struct err *err)
{
	struct machine machine = {.cores = SIMULATION_CORES_MAX};
	struct simulated simulated;

	if (program->thread_count < SIMULATION_CORES_MAX)
		machine.cores = (unsigned)program->thread_count;
	if (simulate(&simulated, program, &machine, false, err))
		return -1;
	if (simulated.stuck)
		return err_set(err, "%zu threads are stuck", simulated.stuck);
	if (simulated.wall_ns > program->wall_ns + (program->wall_ns >> 50))
		return err_set(err, "it takes %" PRIu64 " ns and took %" PRIu64, simulated.wall_ns,
			       program->wall_ns);
	return 0;
}

int program_check(const struct program *program, struct err *err)
{
	if (check_steps(program, err))
		return -1;
	return check_fastest(program, err);
}

static int compare(const struct program *program, const struct profile *profile, struct err *err)
{
	uint64_t running_ns = 0, work_ns = program_work_ns(program);

	for (size_t i = 0; i < profile->thread_count; i++)
		running_ns += profile->threads[i].state_ns[STATE_RUNNING];
	if ((work_ns != running_ns && running_ns <= STEP_RUN_MAX) ||
	    program->shares.run_ns != running_ns)
		return err_set(err, "the program runs for %" PRIu64 " ns and its profile %" PRIu64,
			       work_ns, running_ns);
	if (program->wall_ns != profile->levels.total_ns)
		return err_set(err, "the program takes %" PRIu64 " ns and its profile %" PRIu64,
			       program->wall_ns, profile->levels.total_ns);
	if (program->cores != profile->cores || program->thread_count != profile->thread_count)
		return err_set(err, "the program has other cores or threads than its profile");
	return 0;
}

int program_check_trace(struct event_source *source, const struct profile *profile, struct err *err)
{
	const struct selection everybody = {0};
	struct program program;
	int rc;

	if (program_read(&program, source, &everybody, err))
		return -1;
	rc = compare(&program, profile, err);
	if (!rc)
		rc = program_check(&program, err);
	program_release(&program);
	return rc;
}
