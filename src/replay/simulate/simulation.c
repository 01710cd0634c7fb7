/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/simulate/agenda.h"
#include "replay/simulate/simulation_cores.h"
#include "replay/simulate/simulation_path.h"
#include "replay/simulate/simulation_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = PROGRAM_NONE, BYTE_BITS = 8 };

/* --- Waits for a share of their time ---------------------------------------------------------- */

/*
 * The lengths of waits at a site with a share between 0 and 1 are unknown before the end. Such a
 * program is simulated twice: with whole waits, whose lengths are noted, and with pauses for the
 * share of these lengths instead.
 */
struct step_waits {
	const struct program *program;
	const struct machine *machine;
	double *noted_ns; /* [step] of all threads, in the order of threads */
	size_t steps;
	size_t *first; /* [thread]: index of its first step */
	double *whole; /* [site]: cost while waits are noted */
	bool known;    /* the lengths are noted */
};

static bool is_share(double cost)
{
	return cost > 0 && cost < 1;
}

/* Returns whether a site has such a share. */
static bool step_waits_init(struct step_waits *waits, const struct program *program,
			    const struct machine *machine)
{
	const double *costs = machine->site_costs;
	bool any = false;

	*waits = (struct step_waits){.program = program, .machine = machine};
	for (size_t i = 0; costs && i < program->site_count; i++)
		any |= is_share(costs[i]);
	if (!any)
		return false;
	waits->whole = xcalloc(program->site_count, sizeof(*waits->whole));
	for (size_t i = 0; i < program->site_count; i++)
		waits->whole[i] = is_share(costs[i]) ? 1 : costs[i];
	waits->first = xcalloc(program->thread_count + 1, sizeof(*waits->first));
	for (size_t i = 0; i < program->thread_count; i++) {
		waits->first[i] = waits->steps;
		waits->steps += thread_on(machine, program, i)->count;
	}
	waits->noted_ns = xcalloc(waits->steps + 1, sizeof(*waits->noted_ns));
	return true;
}

/* Clears the noted waits before a simulation that notes them. */
static void step_waits_begin(struct step_waits *waits)
{
	if (waits && !waits->known)
		memset(waits->noted_ns, 0, waits->steps * sizeof(*waits->noted_ns));
}

static void step_waits_release(struct step_waits *waits)
{
	free(waits->noted_ns);
	free(waits->first);
	free(waits->whole);
}

/* Returns the noted wait of the thread's current step; NULL: waits are not noted. */
static double *step_waits_at(struct step_waits *waits, const struct sim_thread *thread)
{
	const struct program_thread *owner;

	if (!waits)
		return NULL;
	owner = thread_on(waits->machine, waits->program, thread->owner);
	return &waits->noted_ns[waits->first[thread->owner] +
				(size_t)(thread->step - owner->steps)];
}

/* --- A simulation --------------------------------------------------------------------------- */

struct simulation {
	const struct program *program;
	struct sim_thread *threads;
	struct cores cores;
	struct simulated_sites sites;
	struct simulated_pools pools;
	struct agenda pauses; /* threads, by the end of their pauses */
	uint8_t *woken;	      /* bits: [edge] its wakeup has come */
	struct step_waits *waits;
};

/* --- Checks of the machine -------------------------------------------------------------------- */

static int check_slowdown(const double *factors, size_t count, struct err *err)
{
	const double least = 1 / SIMULATION_FACTOR_MAX, most = SIMULATION_FACTOR_MAX;

	for (size_t i = 0; i < count; i++)
		if (!(factors[i] >= least && factors[i] <= most))
			return err_set(err, "the slowdown of %zu is %g; give one from %g to %g",
				       i + 1, factors[i], least, most);
	return 0;
}

static int check_site_costs(const struct program *program, const double *costs, struct err *err)
{
	for (size_t i = 0; i < program->site_count; i++)
		if (!(costs[i] >= 0 && costs[i] <= 1))
			return err_set(err, "the cost of wait site %zu is %g; give a share, 0 to 1",
				       i, costs[i]);
	return 0;
}

static int check_machine(const struct program *program, const struct machine *machine,
			 struct err *err)
{
	if (machine->cores < 1 || machine->cores > SIMULATION_CORES_MAX)
		return err_set(err, "a replay on %u cores is not possible; give 1 to %d",
			       machine->cores, SIMULATION_CORES_MAX);
	if (!(machine->quota.cpus >= 0 && isfinite(machine->quota.cpus)))
		return err_set(err, "a replay with a quota of %g CPUs is not possible",
			       machine->quota.cpus);
	if (machine->slowdown && !machine->slowdown_count)
		return err_set(err, "a slowdown has no values; give at least that of one core");
	if (machine->slowdown && check_slowdown(machine->slowdown, machine->slowdown_count, err))
		return -1;
	if (machine->groups.factors && !machine->slowdown)
		return err_set(err, "groups of threads have a slowdown, and the machine has none");
	return machine->site_costs ? check_site_costs(program, machine->site_costs, err) : 0;
}

static double busy_ns(const struct program *program, const struct machine *machine)
{
	double steps = (double)program_steps(program), busy_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = thread_on(machine, program, i);

		for (size_t j = 0; j < thread->count; j++)
			busy_ns += (double)step_run_ns(&thread->steps[j]);
	}
	return busy_ns +
	       steps * ((double)machine->costs.wake_ns + (double)machine->costs.switch_ns);
}

/*
 * Returns the largest number of slices, which sets their length: a program that computes for years
 * takes no longer to simulate than its steps, and one with few steps does not notice.
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

size_t simulation_bytes(const struct program *program)
{
	/* Agendas have room for each thread in a run queue and in a pause. */
	return program->thread_count * (sizeof(struct sim_thread) +
					sizeof(struct agenda_entry) * 4 + 2 * sizeof(uint32_t)) +
	       program->site_count * 2 * sizeof(double) + program->edge_count / BYTE_BITS;
}

/* The optional results of a simulation. */
struct simulation_notes {
	bool waited;		      /* the time that threads waited at each site */
	double *waits;		      /* [site]: number of waits, or NULL */
	struct simulation_path *path; /* the critical path, or NULL */
	double *group_ns;	      /* [group * group_stride + b - 1], or NULL */
	size_t group_stride;
};

/* `waits` NULL: no wait is for a share of its time. */
static void simulation_init(struct simulation *simulation, const struct program *program,
			    const struct machine *machine, const struct simulation_notes *notes,
			    struct step_waits *waits)
{
	size_t count = program->thread_count;

	simulation->program = program;
	simulation->waits = waits;
	step_waits_begin(waits);
	simulation->threads = xcalloc(count, sizeof(*simulation->threads));
	simulation->woken = xcalloc((size_t)program->edge_count / BYTE_BITS + 1, 1);
	cores_init(&simulation->cores, machine, simulation->threads, count,
		   busy_ns(program, machine) / most_slices(program));
	sites_init(&simulation->sites, program,
		   waits && !waits->known ? waits->whole : machine->site_costs, notes->waited,
		   simulation->threads);
	simulation->sites.waits = notes->waits;
	simulation->cores.path = notes->path;
	simulation->cores.group_ns = notes->group_ns;
	simulation->cores.group_stride = notes->group_stride;
	if (notes->path)
		simulation_path_init(notes->path, count);
	pools_init(&simulation->pools, program, machine);
	agenda_init_movable(&simulation->pauses, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct program_thread *thread = thread_on(machine, program, i);

		simulation->threads[i] = (struct sim_thread){
			.step = thread->steps,
			.end = thread->count ? thread->steps + thread->count : thread->steps,
			.core = NOBODY,
			.part = program->other_from && i >= program->other_from,
			.owner = i,
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
	free(simulation->threads);
}

/* --- One thread ------------------------------------------------------------------------------ */

static bool is_of_polls(const struct step *step)
{
	return step_op(step) == STEP_POLL || step_op(step) == STEP_WAKE;
}

static void load_step(struct sim_thread *thread)
{
	thread->left_ns = thread->step < thread->end ? (double)step_run_ns(thread->step) : 0;
	thread->left_ns += thread->owes_ns;
	thread->owes_ns = 0;
	thread->shortened = false;
	if (thread->step == thread->end || !is_of_polls(thread->step))
		thread->polled = NULL;
}

static void simulation_begin(struct simulation *simulation, uint32_t id)
{
	load_step(&simulation->threads[id]);
	cores_wake(&simulation->cores, id);
}

static bool is_lock(enum step_op op)
{
	return op == STEP_LOCK || op == STEP_LOCK_SHARED;
}

static bool is_by_chance(const struct simulation *simulation, const struct sim_thread *thread)
{
	return step_waits_by_chance(simulation->program->threads[thread->owner].steps,
				    thread->step);
}

/* Ends the thread's wait, which began at its since_ns. */
static void simulation_go_on(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];
	enum step_op op = step_op(thread->step);
	struct simulated_sites *sites = &simulation->sites;
	uint32_t site = step_site(thread->step);

	if (sites->waited_ns && site < sites->count)
		sites->waited_ns[site] += simulation->cores.now_ns - thread->since_ns;
	if (sites->waits && site < sites->count)
		sites->waits[site] += is_by_chance(simulation, thread);
	if (simulation->waits && !simulation->waits->known && !step_op_is_pause(op))
		*step_waits_at(simulation->waits, thread) +=
			simulation->cores.now_ns - thread->since_ns;
	simulation->cores.locked_out -= is_lock(op);
	if (!is_lock(op) && op != STEP_TAKE) {
		thread->step++;
		load_step(thread);
	}
	cores_wake(&simulation->cores, id);
}

static void wait_as(struct simulation *simulation, uint32_t id, enum sim_state state)
{
	struct sim_thread *thread = &simulation->threads[id];

	thread->state = (uint8_t)state;
	thread->since_ns = simulation->cores.now_ns;
	simulation->cores.locked_out += is_lock(step_op(thread->step)); /* also if shortened */
	thread->left_ns = 0;
	cores_leave(&simulation->cores, id);
}

static void end_thread(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];

	thread->state = SIM_ENDED;
	cores_leave(&simulation->cores, id);
	for (uint32_t joiner = thread->joiners, next; joiner != NOBODY; joiner = next) {
		next = simulation->threads[joiner].next;
		simulation_go_on(simulation, joiner);
	}
}

/* --- Operations ------------------------------------------------------------------------------ */

/* The functions below return whether the thread has to wait, and then begin its wait. */

static bool pause_for(struct simulation *simulation, uint32_t id, double length_ns)
{
	if (length_ns <= 0)
		return false;
	agenda_add(&simulation->pauses,
		   (struct agenda_entry){.key = simulation->cores.now_ns + length_ns,
					 .tie = cores_tie(&simulation->cores, id),
					 .id = id});
	wait_as(simulation, id, SIM_PAUSED);
	return true;
}

static bool take_pause(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];
	double length_ns = (double)step_pause_ns(thread->step) *
			   sites_cost(&simulation->sites, step_site(thread->step));
	double now_ns = simulation->cores.now_ns;

	if (step_op(thread->step) == STEP_DUE) {
		thread->due_ns += length_ns;
		length_ns = thread->due_ns - now_ns;
	} else if (step_op(thread->step) == STEP_SLEEP) {
		thread->due_ns = now_ns + length_ns;
	}
	return pause_for(simulation, id, length_ns);
}

/* Returns whether the step is a wait for others that takes only a share of its time. */
static bool is_shortened(const struct simulation *simulation, const struct step *step)
{
	enum step_op op = step_op(step);

	if (sites_cost(&simulation->sites, step_site(step)) >= 1 || !step_op_waits(op) ||
	    step_op_is_pause(op))
		return false;
	return op != STEP_BLOCK || step->edge < simulation->program->edge_count;
}

/* Begins a shortened wait, which takes no time if waits are not noted. */
static bool take_shortened(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];
	const double *noted_ns = step_waits_at(simulation->waits, thread);
	double share = sites_cost(&simulation->sites, step_site(thread->step));

	if (!noted_ns || thread->shortened)
		return false;
	thread->shortened = true;
	return pause_for(simulation, id, share * *noted_ns);
}

/* Returns the block behind the thread's row of polls, which ends them; NULL: none. */
static const struct step *find_polled(struct sim_thread *thread)
{
	const struct step *step = thread->step;

	if (!thread->polled) {
		while (step < thread->end && is_of_polls(step))
			step++;
		thread->polled = step;
	}
	step = thread->polled;
	return step < thread->end && step_op(step) == STEP_BLOCK ? step : NULL;
}

static bool has_come(const struct simulation *simulation, uint32_t edge)
{
	return edge < simulation->program->edge_count &&
	       simulation->woken[edge / BYTE_BITS] >> edge % BYTE_BITS & 1;
}

static bool take_poll(struct simulation *simulation, uint32_t id)
{
	const struct step *block = find_polled(&simulation->threads[id]);

	return !(block && has_come(simulation, block->edge)) && take_pause(simulation, id);
}

static void end_poll(struct simulation *simulation, uint32_t id, uint32_t edge)
{
	const struct step *block = find_polled(&simulation->threads[id]);

	if (!block || block->edge != edge)
		return;
	agenda_remove(&simulation->pauses, id);
	simulation_go_on(simulation, id);
}

static bool take_block(struct simulation *simulation, uint32_t id)
{
	const struct step *step = simulation->threads[id].step;
	uint32_t edge = step->edge;

	if (has_come(simulation, edge))
		return false;
	wait_as(simulation, id, SIM_WAITING);
	return true;
}

static void take_wake(struct simulation *simulation, const struct step *step)
{
	const struct program *program = simulation->program;
	struct sim_thread *thread;

	if (step->thread >= program->thread_count || step->edge >= program->edge_count)
		return;
	simulation->woken[step->edge / BYTE_BITS] |= (uint8_t)(1 << step->edge % BYTE_BITS);
	thread = &simulation->threads[step->thread];
	if (thread->state == SIM_WAITING && step_op(thread->step) == STEP_BLOCK &&
	    thread->step->edge == step->edge)
		simulation_go_on(simulation, step->thread);
	else if (thread->state == SIM_PAUSED && step_op(thread->step) == STEP_POLL)
		end_poll(simulation, step->thread, step->edge);
}

static bool take_join(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];
	uint32_t other = thread->step->thread;

	if (other >= simulation->program->thread_count ||
	    simulation->threads[other].state == SIM_ENDED)
		return false;
	thread->next = simulation->threads[other].joiners;
	simulation->threads[other].joiners = id;
	wait_as(simulation, id, SIM_WAITING);
	return true;
}

static void take_fork(struct simulation *simulation, const struct step *step)
{
	const struct program *program = simulation->program;

	if (step->thread < program->thread_count && program->threads[step->thread].forked &&
	    simulation->threads[step->thread].state == SIM_NEW)
		simulation_begin(simulation, step->thread);
}

static bool use_site(struct simulation *simulation, uint32_t id)
{
	struct simulated_sites *sites = &simulation->sites;
	struct sim_thread *thread = &simulation->threads[id];
	struct simulated_site *site = sites_find(sites, thread->step->site);
	bool waits = site && sites_operate(sites, site, id);

	for (uint32_t woken; (woken = sites_take_woken(sites)) != NOBODY;)
		simulation_go_on(simulation, woken);
	if (waits && thread->owes_ns > 0) {
		thread->left_ns = thread->owes_ns;
		thread->owes_ns = 0;
		cores_go_on(&simulation->cores, id);
	} else if (waits) {
		wait_as(simulation, id, SIM_WAITING);
	}
	return waits;
}

/* Does the operation after the CPU time of the thread's step. */
static bool operate(struct simulation *simulation, uint32_t id)
{
	const struct step *step = simulation->threads[id].step;
	enum step_op op = step_op(step);

	if (is_shortened(simulation, step))
		return take_shortened(simulation, id);
	switch (op) {
	case STEP_WAKE:
		take_wake(simulation, step);
		return false;
	case STEP_BLOCK:
		return take_block(simulation, id);
	case STEP_POLL:
		return take_poll(simulation, id);
	case STEP_SLEEP:
	case STEP_DUE:
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
		return use_site(simulation, id);
	default:
		return false;
	}
}

/* Goes to the next step, which after a take from a pool may be another thread's. */
static void take_next_step(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];
	struct simulation_path *path = simulation->cores.path;
	bool cut = path && simulation->pools.count && step_op(thread->step) == STEP_TAKE;

	if (cut)
		simulation_path_end(path, simulation->threads, id);
	pools_follow(&simulation->pools, thread);
	thread->step++;
	load_step(thread);
	if (cut)
		simulation_path_begin(path, simulation->threads, id, NOBODY);
}

/* Runs steps of a thread that has a core and the CPU time of its step behind it. */
static void take_steps(struct simulation *simulation, uint32_t id)
{
	struct sim_thread *thread = &simulation->threads[id];

	thread->left_ns = 0;
	do {
		bool yields;

		if (thread->step == thread->end || step_op(thread->step) == STEP_EXIT) {
			end_thread(simulation, id);
			return;
		}
		if (operate(simulation, id))
			return;
		yields = step_op(thread->step) == STEP_YIELD;
		take_next_step(simulation, id);
		if (yields) {
			cores_yield(&simulation->cores, id);
			return;
		}
	} while (thread->left_ns <= 0);
	cores_go_on(&simulation->cores, id);
}

/* --- All threads ------------------------------------------------------------------------------ */

/* Runs to the end; a `roomy` run stops if a thread waits for a core, and returns false. */
static bool simulation_run(struct simulation *simulation, bool roomy)
{
	struct agenda *pauses = &simulation->pauses;

	while (!roomy || !simulation->cores.queued) {
		const struct agenda_entry *first = agenda_first(pauses);
		uint32_t id = cores_run(&simulation->cores, first ? first->key : INFINITY);

		if (id != NOBODY) {
			take_steps(simulation, id);
		} else if (first) {
			id = agenda_take_first(pauses).id;
			if (simulation->threads[id].state == SIM_NEW)
				simulation_begin(simulation, id);
			else
				simulation_go_on(simulation, id);
		} else {
			return true;
		}
	}
	return false;
}

/* The first number of cores to try, and the factor to the next one. */
enum { FEW_CORES = 64 };

/*
 * Simulates with few cores first: while no thread waits for a core, more take memory and change
 * nothing. Only with a seed all cores matter.
 */
static void simulation_run_roomy(struct simulation *simulation, const struct program *program,
				 struct machine *machine, const struct simulation_notes *notes,
				 struct step_waits *waits)
{
	const unsigned most = program->thread_count < machine->cores
				      ? (unsigned)program->thread_count + 1
				      : machine->cores;
	unsigned cores = machine->seed ? most : FEW_CORES;

	for (;; cores *= FEW_CORES) {
		machine->cores = cores < most ? cores : most;
		simulation_init(simulation, program, machine, notes, waits);
		if (simulation_run(simulation, machine->cores < most))
			return;
		simulation_release(simulation);
	}
}

static size_t count_stuck(const struct simulation *simulation)
{
	size_t stuck = 0;

	for (size_t i = 0; i < simulation->program->thread_count; i++) {
		const struct sim_thread *thread = &simulation->threads[i];

		stuck += thread->state == SIM_NEW ||
			 (thread->state == SIM_WAITING && (step_op(thread->step) != STEP_BLOCK ||
							   thread->step->edge != PROGRAM_NONE));
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
		waited_ns[i] = whole_ns(sites->waited_ns[i]);
	return waited_ns;
}

/* Finds the thread that computed alone for longest. */
static void keep_alone(struct simulated *simulated, const struct simulation *simulation)
{
	double all_ns = 0, most_ns = 0;

	simulated->alone_thread = PROGRAM_NONE;
	for (uint32_t i = 0; i < simulation->program->thread_count; i++) {
		double alone_ns = simulation->threads[i].alone_ns;

		all_ns += alone_ns;
		if (alone_ns <= most_ns)
			continue;
		most_ns = alone_ns;
		simulated->alone_thread = i;
	}
	simulated->alone_ns = whole_ns(most_ns);
	simulated->one_ns = whole_ns(all_ns);
}

static void keep_parts(struct simulated *simulated, const struct cores *cores)
{
	for (size_t i = 0; i < SIMULATED_PARTS; i++)
		simulated->parts[i] = (struct simulated_part){
			.end_ns = whole_ns(cores->parts[i].end_ns),
			.queue_ns = whole_ns(cores->parts[i].queue_ns),
			.taken_ns = whole_ns(cores->parts[i].taken_ns),
		};
}

static int simulate_noting(struct simulated *simulated, const struct program *program,
			   const struct machine *machine, const struct simulation_notes *notes,
			   struct err *err)
{
	const struct simulation_notes none = {0};
	struct machine own = *machine;
	struct simulation simulation;
	const struct cores *cores = &simulation.cores;
	struct step_waits waits;
	bool shares;

	if (check_machine(program, machine, err))
		return -1;
	shares = step_waits_init(&waits, program, &own);
	if (shares) {
		simulation_run_roomy(&simulation, program, &own, &none, &waits);
		simulation_release(&simulation);
		waits.known = true;
		own.cores = machine->cores;
	}
	simulation_run_roomy(&simulation, program, &own, notes, shares ? &waits : NULL);
	*simulated = (struct simulated){
		.wall_ns = whole_ns(cores->now_ns),
		.busy_ns = whole_ns(cores_used_ns(cores)),
		.switch_ns = whole_ns(cores->switch_ns),
		.throttled_ns = whole_ns(cores->throttled_ns),
		.switches = cores->switches,
		.waited_ns = notes->waited ? waits_of(&simulation.sites) : NULL,
		.stuck = count_stuck(&simulation),
	};
	keep_alone(simulated, &simulation);
	keep_parts(simulated, cores);
	simulation_release(&simulation);
	step_waits_release(&waits);
	return 0;
}

int simulate(struct simulated *simulated, const struct program *program,
	     const struct machine *machine, bool waited, struct err *err)
{
	return simulate_noting(simulated, program, machine,
			       &(struct simulation_notes){.waited = waited}, err);
}

int simulate_path(double **path_ns, struct simulated *simulated, const struct program *program,
		  const struct machine *machine, struct err *err)
{
	struct simulation_path path = {0};
	int rc = simulate_noting(simulated, program, machine,
				 &(struct simulation_notes){.path = &path}, err);

	*path_ns = rc ? NULL : simulation_path_ns(&path, program);
	simulation_path_release(&path);
	return rc;
}

/* Sets a seed, so that all cores are simulated at once: times are added up. */
int simulate_groups(double *group_ns, const struct program *program, const struct machine *machine,
		    struct err *err)
{
	struct machine own = *machine;
	struct simulated simulated;

	own.seed = own.seed ? own.seed : 1;
	return simulate_noting(
		&simulated, program, &own,
		&(struct simulation_notes){.group_ns = group_ns, .group_stride = machine->cores},
		err);
}

int simulate_waits(double *waits, const struct program *program, const struct machine *machine,
		   struct err *err)
{
	struct simulated simulated;

	return simulate_noting(&simulated, program, machine,
			       &(struct simulation_notes){.waits = waits}, err);
}
