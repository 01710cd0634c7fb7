/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulation_cores.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BITS = 64, NOBODY = PROGRAM_NONE };

/* --- Beginning and end ---------------------------------------------------------------------- */

static int faster_first(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left < right) - (left > right);
}

/* The cores in the order of preference; more than there are tasks are of no use. */
static void add_cores(struct cores *cores, size_t task_count)
{
	const struct machine *machine = cores->machine;
	double *speeds = xcalloc(machine->cores, sizeof(*speeds));

	for (unsigned i = 0; i < machine->cores; i++)
		speeds[i] = machine->speeds ? machine->speeds[i] : 1;
	qsort(speeds, machine->cores, sizeof(*speeds), faster_first);
	cores->count = machine->cores < task_count ? machine->cores : (uint32_t)task_count;
	cores->items = xcalloc(cores->count, sizeof(*cores->items));
	cores->free = xcalloc(cores->count / WORD_BITS + 1, sizeof(*cores->free));
	for (uint32_t i = 0; i < cores->count; i++) {
		cores->items[i] = (struct core){.speed = speeds[i], .task = NOBODY};
		cores->free[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
	}
	free(speeds);
}

void cores_init(struct cores *cores, const struct machine *machine, struct task *tasks,
		size_t task_count, double shortest_ns)
{
	/* Linux takes no slice below the one, and has the other on eight CPUs or more. */
	const double least_slice_ns = 1e5, usual_slice_ns = 3e6;
	double slice_ns = (double)machine->costs.slice_ns;

	slice_ns = slice_ns > 0 ? fmax(slice_ns, least_slice_ns) : usual_slice_ns;
	*cores = (struct cores){.machine = machine,
				.tasks = tasks,
				.oldest = NOBODY,
				.newest = NOBODY,
				.stretch = 1,
				.slice_ns = fmax(slice_ns, shortest_ns)};
	add_cores(cores, task_count);
	agenda_init_movable(&cores->ends, cores->count);
	if (machine->seed) {
		cores->random = gsl_rng_alloc(gsl_rng_taus2);
		gsl_rng_set(cores->random, (unsigned long)machine->seed);
	}
}

void cores_release(struct cores *cores)
{
	agenda_release(&cores->ends);
	agenda_release(&cores->queue);
	free(cores->items);
	free(cores->free);
	if (cores->random)
		gsl_rng_free(cores->random);
}

uint32_t cores_tie(const struct cores *cores, uint32_t order)
{
	return cores->random ? (uint32_t)gsl_rng_get(cores->random) : order;
}

/* --- Who has had how much ------------------------------------------------------------------- */

static double runtime_mean(const struct cores *cores)
{
	size_t active = cores->busy + cores->queue.count;

	if (!active)
		return cores->mean;
	return (cores->runtimes + cores->busy * cores->clock) / (double)active;
}

static void enqueue(struct cores *cores, uint32_t id)
{
	struct task *task = &cores->tasks[id];

	task->state = TASK_QUEUED;
	cores->runtimes += task->runtime;
	agenda_add(&cores->queue, (struct agenda_entry){.key = task->runtime,
							.tie = cores_tie(cores, cores->queued++),
							.id = id});
}

/* --- Slices --------------------------------------------------------------------------------- */

static void append_slice(struct cores *cores, uint32_t id, double from)
{
	struct core *core = &cores->items[id];

	core->slice_end = from + cores->slice_ns;
	core->before = cores->newest;
	core->after = NOBODY;
	if (cores->newest != NOBODY)
		cores->items[cores->newest].after = id;
	else
		cores->oldest = id;
	cores->newest = id;
}

static void remove_slice(struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];

	if (core->before != NOBODY)
		cores->items[core->before].after = core->after;
	else
		cores->oldest = core->after;
	if (core->after != NOBODY)
		cores->items[core->after].before = core->before;
	else
		cores->newest = core->before;
}

/* --- Cores that change hands ---------------------------------------------------------------- */

static void set_stretch(struct cores *cores)
{
	const struct machine *machine = cores->machine;
	size_t busy = cores->busy;

	if (!machine->slowdown)
		return;
	if (busy > machine->slowdown_count)
		busy = machine->slowdown_count;
	cores->stretch = busy ? machine->slowdown[busy - 1] : 1;
}

/* When the step that its task is at will be done. */
static struct agenda_entry end_of(const struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];

	return (struct agenda_entry){.key = core->from +
					    cores->tasks[core->task].left_ns / core->speed,
				     .tie = cores_tie(cores, core->task),
				     .id = id};
}

/* The core `id`, which runs nobody, takes the task after `delay_ns`. */
static void dispatch(struct cores *cores, uint32_t id, uint32_t task_id, double delay_ns)
{
	struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[task_id];

	core->task = task_id;
	core->from = cores->clock + delay_ns;
	append_slice(cores, id, core->from);
	task->state = TASK_RUNNING;
	task->core = id;
	task->runtime -= cores->clock;
	cores->runtimes += task->runtime;
	cores->busy++;
	agenda_add(&cores->ends, end_of(cores, id));
}

/* Its task leaves the core, with what it has done and has had. */
static void undispatch(struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[core->task];

	remove_slice(cores, id);
	agenda_remove(&cores->ends, id);
	cores->busy--;
	cores->runtimes -= task->runtime;
	task->runtime += cores->clock;
}

/* The core goes on to the first in the queue, or is free. */
static void next_of_queue(struct cores *cores, uint32_t id)
{
	double switch_ns = (double)cores->machine->costs.switch_ns;
	struct core *core = &cores->items[id];
	uint32_t next;

	if (!cores->queue.count) {
		cores->free[id / WORD_BITS] |= UINT64_C(1) << id % WORD_BITS;
		set_stretch(cores);
		return;
	}
	next = agenda_take_first(&cores->queue).id;
	cores->runtimes -= cores->tasks[next].runtime;
	if (next == core->task)
		switch_ns = 0;
	else
		cores->switches++;
	dispatch(cores, id, next, switch_ns);
	set_stretch(cores);
	cores->switch_ns += switch_ns * cores->stretch;
}

/* The best free core, of equals the one where the task was; NOBODY: none is free. */
static uint32_t free_core(const struct cores *cores, const struct task *task)
{
	uint32_t last = task->core;

	for (uint32_t word = 0; word <= cores->count / WORD_BITS; word++) {
		uint32_t best;

		if (!cores->free[word])
			continue;
		best = word * WORD_BITS + (uint32_t)__builtin_ctzll(cores->free[word]);
		if (last < cores->count && cores->free[last / WORD_BITS] >> last % WORD_BITS & 1 &&
		    cores->items[last].speed >= cores->items[best].speed)
			return last;
		return best;
	}
	return NOBODY;
}

void cores_wake(struct cores *cores, uint32_t id)
{
	double wake_ns = (double)cores->machine->costs.wake_ns;
	struct task *task = &cores->tasks[id];
	double mean = runtime_mean(cores);
	uint32_t core = cores->busy < cores->count ? free_core(cores, task) : NOBODY;

	task->runtime = fmin(fmax(task->runtime, mean), mean + cores->slice_ns);
	if (core == NOBODY) {
		enqueue(cores, id);
		return;
	}
	cores->free[core / WORD_BITS] &= ~(UINT64_C(1) << core % WORD_BITS);
	if (cores->items[core].task != id && cores->items[core].task != NOBODY)
		cores->switches++;
	dispatch(cores, core, id, wake_ns);
	set_stretch(cores);
	cores->idle_ns += wake_ns * cores->stretch;
}

void cores_go_on(struct cores *cores, uint32_t id)
{
	uint32_t core = cores->tasks[id].core;

	cores->items[core].from = cores->clock;
	agenda_move(&cores->ends, end_of(cores, core));
}

void cores_leave(struct cores *cores, uint32_t id)
{
	uint32_t core = cores->tasks[id].core;

	cores->mean = runtime_mean(cores);
	undispatch(cores, core);
	next_of_queue(cores, core);
}

/* Linux counts as had what is left of the slice: the others are behind by so much. */
void cores_yield(struct cores *cores, uint32_t id)
{
	struct task *task = &cores->tasks[id];
	uint32_t core = task->core;

	undispatch(cores, core);
	if (cores->queue.count)
		task->runtime += fmax(0, cores->items[core].slice_end - cores->clock);
	enqueue(cores, id);
	next_of_queue(cores, core);
}

/* --- Time ------------------------------------------------------------------------------------ */

static void pass(struct cores *cores, double now_ns, double clock)
{
	cores->busy_ns += (now_ns - cores->now_ns) * cores->busy;
	cores->now_ns = now_ns;
	cores->clock = clock;
}

/* The slice of the core is over while others wait: one of them goes first if it has had less. */
static void end_slice(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[core->task];

	if (agenda_first(&cores->queue)->key > task->runtime + cores->clock) {
		remove_slice(cores, id);
		append_slice(cores, id, cores->clock);
		return;
	}
	task->left_ns -= (cores->clock - core->from) * core->speed;
	task->left_ns = fmax(task->left_ns, 0);
	undispatch(cores, id);
	enqueue(cores, core->task);
	next_of_queue(cores, id);
}

uint32_t cores_run(struct cores *cores, double limit_ns)
{
	for (;;) {
		const struct agenda_entry *end = agenda_first(&cores->ends);
		double clock = end ? end->key : INFINITY;
		bool ends = true;
		double at_ns;

		if (cores->queue.count && cores->items[cores->oldest].slice_end < clock) {
			clock = fmax(cores->items[cores->oldest].slice_end, cores->clock);
			ends = end->key <= clock;
		}
		at_ns = cores->machine->slowdown
				? cores->now_ns + (clock - cores->clock) * cores->stretch
				: clock;
		if (!(at_ns <= limit_ns) || !end) {
			if (isinf(limit_ns))
				return NOBODY;
			clock = cores->machine->slowdown
					? cores->clock + (limit_ns - cores->now_ns) / cores->stretch
					: limit_ns;
			pass(cores, limit_ns, clock);
			return NOBODY;
		}
		pass(cores, at_ns, clock);
		if (ends)
			return cores->items[end->id].task;
		end_slice(cores, cores->oldest);
	}
}
