/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_cores_private.h"

#include <math.h>

enum { NOBODY = PROGRAM_NONE };

size_t queue_active(const struct core *core)
{
	return core->queue.count + (core->thread != NOBODY);
}

double queue_least(const struct cores *cores, struct core *core)
{
	double least = INFINITY;

	if (core->thread != NOBODY)
		least = cores->threads[core->thread].runtime + cores->clock;
	if (core->queue.count)
		least = fmin(least, agenda_first(&core->queue)->key);
	if (!isinf(least))
		core->least = fmax(core->least, least);
	return core->least;
}

double queue_mean(const struct cores *cores, const struct core *core)
{
	double sum = core->queued;

	if (core->thread != NOBODY)
		sum += cores->threads[core->thread].runtime + cores->clock;
	return queue_active(core) ? sum / (double)queue_active(core) : core->least;
}

void queue_transfer(struct cores *cores, struct sim_thread *thread, uint32_t to)
{
	double ahead = 0;

	if (thread->core == to)
		return;
	if (thread->core != NOBODY)
		ahead = thread->runtime - queue_least(cores, &cores->items[thread->core]);
	thread->runtime = queue_least(cores, &cores->items[to]) + ahead;
	thread->core = to;
}

double queue_woken_runtime(const struct cores *cores, const struct sim_thread *thread,
			   struct core *core)
{
	const double head_start_slices = 1;
	double mean = queue_mean(cores, core);

	if (!cores->machine->keeps_lag)
		return fmax(thread->runtime,
			    queue_least(cores, core) - head_start_slices * cores->slice_ns);
	return thread->behind > 0 ? mean - thread->behind : fmax(thread->runtime, mean);
}

void queue_add(struct cores *cores, struct core *core, uint32_t id)
{
	const struct sim_thread *thread = &cores->threads[id];

	core->queued += thread->runtime;
	agenda_add(&core->queue, (struct agenda_entry){.key = thread->runtime,
						       .tie = cores_tie(cores, cores->queued++),
						       .id = id});
}

uint32_t queue_take(struct cores *cores, struct core *core)
{
	uint32_t id = agenda_take_first(&core->queue).id;

	core->queued -= cores->threads[id].runtime;
	return id;
}
