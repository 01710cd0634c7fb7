/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/simulate/simulation_cores.h"
#include "replay/simulate/simulation_pools.h"
#include "replay/simulate/simulation_sites.h"

#include <math.h>
#include <stdlib.h>

enum { NOBODY = PROGRAM_NONE, BYTE_BITS = 8 };

struct simulation {
	const struct program *program;
	struct task *tasks;
	struct cores cores;
	struct simulated_sites sites;
	struct simulated_pools pools;
	struct agenda pauses; /* tasks, by when they end */
	uint8_t *woken;	      /* bit of an edge: its wake has come */
};

/* --- Whether the machine makes sense --------------------------------------------------------- */

static int check_factors(const char *what, const double *factors, size_t count, struct err *err)
{
	const double least = 1 / SIMULATION_FACTOR_MAX, most = SIMULATION_FACTOR_MAX;

	for (size_t i = 0; i < count; i++)
		if (!(factors[i] >= least && factors[i] <= most))
			return err_set(err, "the %s of %zu is %g; give one from %g to %g", what,
				       i + 1, factors[i], least, most);
	return 0;
}

static int check_site_costs(const struct program *program, const double *costs, struct err *err)
{
	for (size_t i = 0; i < program->site_count; i++) {
		if (!(costs[i] >= 0 && costs[i] <= 1))
			return err_set(err, "the cost of wait site %zu is %g; give a share, 0 to 1",
				       i, costs[i]);
		if (program->sites[i].kind == SITE_BARRIER && costs[i] > 0 && costs[i] < 1)
			return err_set(err,
				       "the cost of wait site %zu is %g, but a barrier holds all "
				       "threads or none; give 0 or 1",
				       i, costs[i]);
	}
	return 0;
}

static int check_machine(const struct program *program, const struct machine *machine,
			 struct err *err)
{
	if (machine->cores < 1 || machine->cores > SIMULATION_CORES_MAX)
		return err_set(err, "a replay on %u cores is not possible; give 1 to %d",
			       machine->cores, SIMULATION_CORES_MAX);
	if (machine->slowdown && !machine->slowdown_count)
		return err_set(err, "a slowdown has no values; give at least that of one core");
	if (machine->slowdown &&
	    check_factors("slowdown", machine->slowdown, machine->slowdown_count, err))
		return -1;
	if (machine->speeds && check_factors("speed", machine->speeds, machine->cores, err))
		return -1;
	return machine->site_costs ? check_site_costs(program, machine->site_costs, err) : 0;
}

/* --- Beginning and end ----------------------------------------------------------------------- */

static double busy_ns(const struct program *program, const struct machine *machine)
{
	double steps = (double)program_steps(program), busy_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			busy_ns += (double)step_run_ns(&program->threads[i].steps[j]);
	return busy_ns +
	       steps * ((double)machine->costs.wake_ns + (double)machine->costs.switch_ns);
}

/*
 * Slices are as long as to be no more than so many, and so many for each step: a program that
 * computes for years takes no longer to simulate than its steps do, and one with few steps does not
 * notice.
 */
static double most_slices(const struct program *program)
{
	const double least_slices = 1 << 16, slices_of_step = 8;

	return least_slices + slices_of_step * (double)program_steps(program);
}

double simulation_size(const struct program *program, const struct machine *machine)
{
	double slice_ns = cores_slice_ns(machine, 0);

	return (double)program_steps(program) +
	       fmin(busy_ns(program, machine) / slice_ns, most_slices(program));
}

static void simulation_init(struct simulation *simulation, const struct program *program,
			    const struct machine *machine)
{
	size_t count = program->thread_count;

	simulation->program = program;
	simulation->tasks = xcalloc(count, sizeof(*simulation->tasks));
	simulation->woken = xcalloc((size_t)program->edge_count / BYTE_BITS + 1, 1);
	cores_init(&simulation->cores, machine, simulation->tasks, count,
		   busy_ns(program, machine) / most_slices(program));
	sites_init(&simulation->sites, program, machine->site_costs, simulation->tasks);
	pools_init(&simulation->pools, program);
	agenda_init_movable(&simulation->pauses, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct program_thread *thread = &program->threads[i];

		simulation->tasks[i] = (struct task){
			.step = thread->steps,
			.end = thread->count ? thread->steps + thread->count : thread->steps,
			.core = NOBODY,
			.joiners = NOBODY};
		if (!thread->forked)
			agenda_add(&simulation->pauses,
				   (struct agenda_entry){.key = (double)thread->start_ns,
							 .tie = cores_tie(&simulation->cores, i),
							 .id = i});
	}
}

static void simulation_release(struct simulation *simulation)
{
	agenda_release(&simulation->pauses);
	sites_release(&simulation->sites);
	pools_release(&simulation->pools);
	cores_release(&simulation->cores);
	free(simulation->woken);
	free(simulation->tasks);
}

/* --- One thread ------------------------------------------------------------------------------ */

static void load_step(struct task *task)
{
	task->left_ns = task->step < task->end ? (double)step_run_ns(task->step) : 0;
	task->decided = false;
	if (task->step == task->end || step_op(task->step) != STEP_POLL)
		task->polled = NULL;
}

static void begin(struct simulation *simulation, uint32_t id)
{
	load_step(&simulation->tasks[id]);
	cores_wake(&simulation->cores, id);
}

/* The wait that the task is in is over, which began at its since_ns. */
static void go_on(struct simulation *simulation, uint32_t id)
{
	struct task *task = &simulation->tasks[id];
	enum step_op op = step_op(task->step);
	struct simulated_site *site = sites_find(&simulation->sites, step_site(task->step));

	if (site)
		site->waited_ns += simulation->cores.now_ns - task->since_ns;
	if (op != STEP_LOCK && op != STEP_LOCK_SHARED && op != STEP_TAKE) {
		task->step++;
		load_step(task);
	}
	cores_wake(&simulation->cores, id);
}

static void wait_as(struct simulation *simulation, uint32_t id, enum task_state state)
{
	struct task *task = &simulation->tasks[id];

	task->state = (uint8_t)state;
	task->since_ns = simulation->cores.now_ns;
	task->left_ns = 0;
	cores_leave(&simulation->cores, id);
}

static void end_thread(struct simulation *simulation, uint32_t id)
{
	struct task *task = &simulation->tasks[id];

	task->state = TASK_ENDED;
	cores_leave(&simulation->cores, id);
	for (uint32_t joiner = task->joiners, next; joiner != NOBODY; joiner = next) {
		next = simulation->tasks[joiner].next;
		go_on(simulation, joiner);
	}
}

/* --- Operations ------------------------------------------------------------------------------ */

/* Each returns whether the thread has to wait, and is then the one that makes it. */

static bool take_pause(struct simulation *simulation, uint32_t id)
{
	const struct step *step = simulation->tasks[id].step;
	const struct simulated_site *site = sites_find(&simulation->sites, step_site(step));
	double length_ns = (double)step_pause_ns(step) * (site ? site->cost : 1);

	if (length_ns <= 0)
		return false;
	agenda_add(&simulation->pauses,
		   (struct agenda_entry){.key = simulation->cores.now_ns + length_ns,
					 .tie = cores_tie(&simulation->cores, id),
					 .id = id});
	wait_as(simulation, id, TASK_PAUSED);
	return true;
}

/* What the task's polls are for: it is the same for all of them in a row. NULL: nothing. */
static const struct step *find_polled(struct task *task)
{
	const struct step *step = task->step;

	if (!task->polled) {
		while (step < task->end && step_op(step) == STEP_POLL)
			step++;
		task->polled = step;
	}
	step = task->polled;
	return step < task->end && step_op(step) == STEP_BLOCK ? step : NULL;
}

static bool has_come(const struct simulation *simulation, uint32_t edge)
{
	return edge < simulation->program->edge_count &&
	       simulation->woken[edge / BYTE_BITS] >> edge % BYTE_BITS & 1;
}

static bool take_poll(struct simulation *simulation, uint32_t id)
{
	const struct step *block = find_polled(&simulation->tasks[id]);

	return !(block && has_come(simulation, block->edge)) && take_pause(simulation, id);
}

static void end_poll(struct simulation *simulation, uint32_t id, uint32_t edge)
{
	const struct step *block = find_polled(&simulation->tasks[id]);

	if (!block || block->edge != edge)
		return;
	agenda_remove(&simulation->pauses, id);
	go_on(simulation, id);
}

static bool take_block(struct simulation *simulation, uint32_t id)
{
	const struct step *step = simulation->tasks[id].step;
	uint32_t edge = step->edge;

	if (edge < simulation->program->edge_count) {
		if (has_come(simulation, edge))
			return false;
		if (!site_is_due(sites_find(&simulation->sites, step_site(step))))
			return false;
	}
	wait_as(simulation, id, TASK_WAITING);
	return true;
}

static void take_wake(struct simulation *simulation, const struct step *step)
{
	const struct program *program = simulation->program;
	struct task *task;

	if (step->thread >= program->thread_count || step->edge >= program->edge_count)
		return;
	simulation->woken[step->edge / BYTE_BITS] |= (uint8_t)(1 << step->edge % BYTE_BITS);
	task = &simulation->tasks[step->thread];
	if (task->state == TASK_WAITING && step_op(task->step) == STEP_BLOCK &&
	    task->step->edge == step->edge)
		go_on(simulation, step->thread);
	else if (task->state == TASK_PAUSED && step_op(task->step) == STEP_POLL)
		end_poll(simulation, step->thread, step->edge);
}

static bool take_join(struct simulation *simulation, uint32_t id)
{
	struct task *task = &simulation->tasks[id];
	uint32_t other = task->step->thread;

	if (other >= simulation->program->thread_count ||
	    simulation->tasks[other].state == TASK_ENDED ||
	    !site_is_due(sites_find(&simulation->sites, step_site(task->step))))
		return false;
	task->next = simulation->tasks[other].joiners;
	simulation->tasks[other].joiners = id;
	wait_as(simulation, id, TASK_WAITING);
	return true;
}

static void take_fork(struct simulation *simulation, const struct step *step)
{
	const struct program *program = simulation->program;

	if (step->thread < program->thread_count && program->threads[step->thread].forked &&
	    simulation->tasks[step->thread].state == TASK_NEW)
		begin(simulation, step->thread);
}

static bool use_site(struct simulation *simulation, uint32_t id, enum step_op op)
{
	struct simulated_sites *sites = &simulation->sites;
	const struct step *step = simulation->tasks[id].step;
	struct simulated_site *site = sites_find(sites, step->site);
	bool waits = false;

	if (!site)
		return false;
	if (op == STEP_UNLOCK)
		sites_unlock(sites, site, id);
	else if (op == STEP_GIVE)
		sites_give(sites, site, step->count);
	else if (op == STEP_TAKE)
		waits = sites_take(sites, site, id);
	else if (op == STEP_BARRIER)
		waits = sites_barrier(sites, site, id);
	else
		waits = sites_lock(sites, site, id);
	for (uint32_t woken; (woken = task_list_take(&sites->woken, sites->tasks)) != NOBODY;)
		go_on(simulation, woken);
	if (waits)
		wait_as(simulation, id, TASK_WAITING);
	return waits;
}

/* What stands behind the CPU time of the task's step. */
static bool operate(struct simulation *simulation, uint32_t id)
{
	const struct step *step = simulation->tasks[id].step;
	enum step_op op = step_op(step);

	switch (op) {
	case STEP_WAKE:
		take_wake(simulation, step);
		return false;
	case STEP_BLOCK:
		return take_block(simulation, id);
	case STEP_POLL:
		return take_poll(simulation, id);
	case STEP_SLEEP:
	case STEP_DEVICE:
	case STEP_EXTERNAL:
	case STEP_UNKNOWN:
		return take_pause(simulation, id);
	case STEP_FORK:
		take_fork(simulation, step);
		return false;
	case STEP_JOIN:
		return take_join(simulation, id);
	case STEP_LOCK:
	case STEP_LOCK_SHARED:
	case STEP_UNLOCK:
	case STEP_TAKE:
	case STEP_GIVE:
	case STEP_BARRIER:
		return use_site(simulation, id, op);
	default:
		return false;
	}
}

/* The task has a core, and the CPU time of its step has passed. */
static void take_steps(struct simulation *simulation, uint32_t id)
{
	struct task *task = &simulation->tasks[id];

	do {
		bool yields;

		if (task->step == task->end || step_op(task->step) == STEP_EXIT) {
			end_thread(simulation, id);
			return;
		}
		if (operate(simulation, id))
			return;
		yields = step_op(task->step) == STEP_YIELD;
		pools_follow(&simulation->pools, task);
		task->step++;
		load_step(task);
		if (yields) {
			cores_yield(&simulation->cores, id);
			return;
		}
	} while (task->left_ns <= 0);
	cores_go_on(&simulation->cores, id);
}

/* --- All of them ----------------------------------------------------------------------------- */

static void run(struct simulation *simulation)
{
	struct agenda *pauses = &simulation->pauses;

	for (;;) {
		const struct agenda_entry *first = agenda_first(pauses);
		uint32_t id = cores_run(&simulation->cores, first ? first->key : INFINITY);

		if (id != NOBODY) {
			take_steps(simulation, id);
		} else if (first) {
			id = agenda_take_first(pauses).id;
			if (simulation->tasks[id].state == TASK_NEW)
				begin(simulation, id);
			else
				go_on(simulation, id);
		} else {
			return;
		}
	}
}

static size_t count_stuck(const struct simulation *simulation)
{
	size_t stuck = 0;

	for (size_t i = 0; i < simulation->program->thread_count; i++) {
		const struct task *task = &simulation->tasks[i];

		stuck += task->state == TASK_NEW ||
			 (task->state == TASK_WAITING &&
			  (step_op(task->step) != STEP_BLOCK || task->step->edge != PROGRAM_NONE));
	}
	return stuck;
}

static uint64_t whole_ns(double ns)
{
	const double too_long = 0x1p63;

	return ns > 0 ? (uint64_t)(fmin(ns, too_long) + 0.5) : 0;
}

static uint64_t *waits_of(const struct simulated_sites *sites)
{
	uint64_t *waited_ns = xcalloc(sites->count, sizeof(*waited_ns));

	for (uint32_t i = 0; i < sites->count; i++)
		waited_ns[i] = whole_ns(sites->items[i].waited_ns);
	return waited_ns;
}

int simulate(struct simulated *simulated, const struct program *program,
	     const struct machine *machine, bool waited, struct err *err)
{
	struct simulation simulation;
	const struct cores *cores = &simulation.cores;

	if (check_machine(program, machine, err))
		return -1;
	simulation_init(&simulation, program, machine);
	run(&simulation);
	*simulated = (struct simulated){
		.wall_ns = whole_ns(cores->now_ns),
		.busy_ns = whole_ns(cores->busy_ns - cores->switch_ns - cores->idle_ns),
		.switch_ns = whole_ns(cores->switch_ns),
		.switches = cores->switches,
		.waited_ns = waited ? waits_of(&simulation.sites) : NULL,
		.stuck = count_stuck(&simulation),
	};
	simulation_release(&simulation);
	return 0;
}
