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
		cores->items[i] = (struct core){.speed = speeds[i], .task = NOBODY, .last = NOBODY};
		cores->free[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
	}
	free(speeds);
}

void cores_init(struct cores *cores, const struct machine *machine, struct task *tasks,
		size_t task_count)
{
	/* Linux takes no slice below the one, and has the other on eight CPUs or more. */
	const double least_slice_ns = 1e5, usual_slice_ns = 3e6;
	double slice_ns = (double)machine->costs.slice_ns;

	*cores = (struct cores){.machine = machine,
				.tasks = tasks,
				.current = NOBODY,
				.stretch = 1,
				.slice_ns = slice_ns > 0 ? fmax(slice_ns, least_slice_ns)
							 : usual_slice_ns};
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
	for (uint32_t i = 0; i < cores->count; i++)
		agenda_release(&cores->items[i].queue);
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

static size_t active(const struct core *core)
{
	return core->queue.count + (core->task != NOBODY);
}

static double mean_of(const struct cores *cores, const struct core *core)
{
	double running = core->task != NOBODY ? cores->clock : 0;

	return active(core) ? (core->runtimes + running) / (double)active(core) : core->mean;
}

/* What it has had of `from` more than others there, it has had more of `to` than others. */
static void transfer(const struct cores *cores, struct task *task, uint32_t to)
{
	double ahead = 0;

	if (task->core != NOBODY)
		ahead = task->runtime - mean_of(cores, &cores->items[task->core]);
	task->runtime = mean_of(cores, &cores->items[to]) + ahead;
	task->core = to;
}

/* --- Who runs ------------------------------------------------------------------------------- */

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

/* When something happens at the core: its task's step is done, or its slice matters and is over. */
static struct agenda_entry next_at(const struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];
	double key = core->from + cores->tasks[core->task].left_ns / core->speed;

	if (core->queue.count && core->slice_end < key)
		key = fmax(core->slice_end, cores->clock);
	return (struct agenda_entry){.key = key, .tie = cores_tie(cores, core->task), .id = id};
}

/* The core `id`, which runs nobody, takes the task after `delay_ns`. */
static void dispatch(struct cores *cores, uint32_t id, uint32_t task_id, double delay_ns)
{
	struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[task_id];

	cores->switches += core->last != NOBODY && core->last != task_id;
	core->task = core->last = task_id;
	core->from = cores->clock + delay_ns;
	core->slice_end = core->from + cores->slice_ns;
	task->state = TASK_RUNNING;
	task->core = id;
	task->runtime -= cores->clock;
	core->runtimes += task->runtime;
	cores->busy++;
	agenda_add(&cores->ends, next_at(cores, id));
	set_stretch(cores);
}

/* Its task leaves the core, with what it has had. */
static void undispatch(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[core->task];

	core->mean = mean_of(cores, core);
	agenda_remove(&cores->ends, id);
	cores->busy--;
	core->runtimes -= task->runtime;
	task->runtime += cores->clock;
	core->task = NOBODY;
}

/* --- Who waits ------------------------------------------------------------------------------ */

/* The task waits for the core. */
static void enqueue(struct cores *cores, uint32_t id, uint32_t task_id)
{
	struct core *core = &cores->items[id];
	struct task *task = &cores->tasks[task_id];

	task->state = TASK_QUEUED;
	core->runtimes += task->runtime;
	agenda_add(&core->queue, (struct agenda_entry){.key = task->runtime,
						       .tie = cores_tie(cores, cores->queued++),
						       .id = task_id});
	cores->waiting++;
	if (core->task != NOBODY && core->queue.count == 1)
		agenda_move(&cores->ends, next_at(cores, id));
}

static uint32_t dequeue(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	uint32_t task = agenda_take_first(&core->queue).id;

	core->runtimes -= cores->tasks[task].runtime;
	cores->waiting--;
	return task;
}

/* The core where most wait, or (`least`) where the fewest wait and run. */
static uint32_t find_core(const struct cores *cores, bool least)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < cores->count; i++) {
		const struct core *core = &cores->items[i], *best = &cores->items[found];

		if (least ? active(core) < active(best) : core->queue.count > best->queue.count)
			found = i;
	}
	return found;
}

/* The core, which runs nobody, goes on to who waits for it or for another, or is free. */
static void next_of_queue(struct cores *cores, uint32_t id)
{
	double switch_ns = (double)cores->machine->costs.switch_ns;
	struct core *core = &cores->items[id];
	uint32_t next;

	if (!cores->waiting) {
		cores->free[id / WORD_BITS] |= UINT64_C(1) << id % WORD_BITS;
		set_stretch(cores);
		return;
	}
	if (core->queue.count) {
		next = dequeue(cores, id);
	} else {
		next = dequeue(cores, find_core(cores, false));
		transfer(cores, &cores->tasks[next], id);
	}
	if (next == core->last)
		switch_ns = 0;
	dispatch(cores, id, next, switch_ns);
	cores->switch_ns += switch_ns * cores->stretch;
}

/* --- What becomes of tasks ------------------------------------------------------------------ */

/* The best free core, of equals the one where the task was; NOBODY: none is free. */
static uint32_t free_core(const struct cores *cores, const struct task *task)
{
	uint32_t last = task->core;

	if (cores->busy == cores->count)
		return NOBODY;
	for (uint32_t word = 0; word <= cores->count / WORD_BITS; word++) {
		uint32_t best;

		if (!cores->free[word])
			continue;
		best = word * WORD_BITS + (uint32_t)__builtin_ctzll(cores->free[word]);
		if (last != NOBODY && cores->items[last].task == NOBODY &&
		    cores->items[last].speed >= cores->items[best].speed)
			return last;
		return best;
	}
	return NOBODY;
}

/* Where none is free: a new thread goes to where the fewest are, others stay or go to who wakes. */
static uint32_t busy_core(const struct cores *cores, const struct task *task)
{
	uint32_t last = task->core, here = cores->current;

	if (last == NOBODY)
		return find_core(cores, true);
	if (here != NOBODY && active(&cores->items[here]) < active(&cores->items[last]))
		return here;
	return last;
}

void cores_wake(struct cores *cores, uint32_t id)
{
	double wake_ns = (double)cores->machine->costs.wake_ns, mean;
	struct task *task = &cores->tasks[id];
	uint32_t core = free_core(cores, task);
	bool free = core != NOBODY;

	if (!free)
		core = busy_core(cores, task);
	transfer(cores, task, core);
	mean = mean_of(cores, &cores->items[core]);
	task->runtime = fmin(fmax(task->runtime, mean), mean + cores->slice_ns);
	if (!free) {
		enqueue(cores, core, id);
		return;
	}
	cores->free[core / WORD_BITS] &= ~(UINT64_C(1) << core % WORD_BITS);
	dispatch(cores, core, id, wake_ns);
	cores->idle_ns += wake_ns * cores->stretch;
}

void cores_go_on(struct cores *cores, uint32_t id)
{
	uint32_t core = cores->tasks[id].core;

	cores->items[core].from = cores->clock;
	agenda_move(&cores->ends, next_at(cores, core));
}

void cores_leave(struct cores *cores, uint32_t id)
{
	uint32_t core = cores->tasks[id].core;

	undispatch(cores, core);
	next_of_queue(cores, core);
	cores->current = NOBODY;
}

/* Linux counts as had what is left of the slice: the others are behind by so much. */
void cores_yield(struct cores *cores, uint32_t id)
{
	struct task *task = &cores->tasks[id];
	uint32_t core = task->core;

	undispatch(cores, core);
	if (cores->items[core].queue.count)
		task->runtime += fmax(0, cores->items[core].slice_end - cores->clock);
	enqueue(cores, core, id);
	next_of_queue(cores, core);
}

/* --- Time ------------------------------------------------------------------------------------ */

static void pass(struct cores *cores, double now_ns, double clock)
{
	cores->busy_ns += (now_ns - cores->now_ns) * cores->busy;
	cores->now_ns = now_ns;
	cores->clock = clock;
}

/*
 * The slice of the core is over while others wait for it: one of them goes first if it has had
 * less. Who had it goes to where fewer are, if it is not to wait as long there.
 */
static void end_slice(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	uint32_t task_id = core->task, to = id;
	struct task *task = &cores->tasks[task_id];

	/* Who waited may have been taken elsewhere. */
	if (!core->queue.count || agenda_first(&core->queue)->key > task->runtime + cores->clock) {
		core->slice_end = cores->clock + cores->slice_ns;
		agenda_move(&cores->ends, next_at(cores, id));
		return;
	}
	task->left_ns -= (cores->clock - core->from) * core->speed;
	task->left_ns = fmax(task->left_ns, 0);
	undispatch(cores, id);
	if (core->queue.count >= 2)
		to = find_core(cores, true);
	if (active(&cores->items[to]) + 2 > core->queue.count + 1)
		to = id;
	if (to != id)
		transfer(cores, task, to);
	enqueue(cores, to, task_id);
	next_of_queue(cores, id);
}

/* Up to `limit_ns` nothing happens. */
static void pass_to(struct cores *cores, double limit_ns)
{
	double clock = cores->machine->slowdown
			       ? cores->clock + (limit_ns - cores->now_ns) / cores->stretch
			       : limit_ns;

	if (!isinf(limit_ns))
		pass(cores, limit_ns, clock);
}

uint32_t cores_run(struct cores *cores, double limit_ns)
{
	cores->current = NOBODY;
	for (;;) {
		const struct agenda_entry *next = agenda_first(&cores->ends);
		const struct core *core;
		double at_ns = INFINITY;

		if (next)
			at_ns = cores->machine->slowdown
					? cores->now_ns +
						  (next->key - cores->clock) * cores->stretch
					: next->key;
		if (!next || at_ns > limit_ns) {
			pass_to(cores, limit_ns);
			return NOBODY;
		}
		pass(cores, at_ns, next->key);
		core = &cores->items[next->id];
		if (core->from + cores->tasks[core->task].left_ns / core->speed <= cores->clock) {
			cores->current = next->id;
			return core->task;
		}
		end_slice(cores, next->id);
	}
}
