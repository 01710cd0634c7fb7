/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_cores.h"

#include "base/alloc.h"
#include "replay/simulate/simulation_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, NOBODY = PROGRAM_NONE };

/* --- Beginning and end ---------------------------------------------------------------------- */

/* Adds the cores, at most one for each thread: more would stay idle. */
static void add_cores(struct cores *cores, size_t thread_count)
{
	const struct machine *machine = cores->machine;

	cores->count = machine->cores < thread_count ? machine->cores : (uint32_t)thread_count;
	cores->items = xcalloc(cores->count, sizeof(*cores->items));
	cores->free = xcalloc(cores->count / WORD_BITS + 1, sizeof(*cores->free));
	for (uint32_t i = 0; i < cores->count; i++) {
		cores->items[i] = (struct core){.speed = 1, .thread = NOBODY, .last = NOBODY};
		cores->free[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
	}
}

/* Fills the lists of cores; the order of balancing is random with a seed. */
static void list_cores(struct cores *cores)
{
	agenda_init_movable(&cores->ends, cores->count);
	agenda_init_movable(&cores->longest, cores->count);
	agenda_init_movable(&cores->shortest, cores->count);
	agenda_init_movable(&cores->balances, cores->count);
	for (uint32_t i = 0; i < cores->count; i++) {
		double share = cores->random ? gsl_rng_uniform(cores->random)
					     : (double)(i + 1) / (double)cores->count;

		agenda_add(&cores->longest, (struct agenda_entry){.tie = i, .id = i});
		agenda_add(&cores->shortest, (struct agenda_entry){.tie = i, .id = i});
		agenda_add(
			&cores->balances,
			(struct agenda_entry){.key = share * cores->balance_ns, .tie = i, .id = i});
	}
}

double cores_slice_ns(const struct machine *machine, double shortest_ns)
{
	/* Linux: the shortest slice, and the usual one on eight CPUs or more. */
	const double least_slice_ns = 1e5, usual_slice_ns = 3e6;
	double slice_ns = (double)machine->costs.slice_ns;

	slice_ns = slice_ns > 0 ? fmax(slice_ns, least_slice_ns) : usual_slice_ns;
	return fmax(slice_ns, shortest_ns);
}

/* Returns a time in a period, above 0: successive seeds spread it evenly, by the golden ratio. */
static double begin_in(const struct cores *cores, double period_ns)
{
	const double golden = .6180339887498949;
	double seed = (double)cores->machine->seed;

	return period_ns * (seed > 0 ? fmod(seed * golden, 1) : 1);
}

/* Periods and their quota are longer if there would be too many. */
static void quota_init(struct cores *cores, double shortest_ns)
{
	const double usual_period_ns = 1e8, share_ns = 5e6;
	const struct program_quota *quota = &cores->machine->quota;
	double period_ns = quota->period_ns ? (double)quota->period_ns : usual_period_ns;
	double times;

	if (!(quota->cpus > 0))
		return;
	/* Each period takes simulation time for each core: many cores have fewer periods. */
	times = fmax(1, shortest_ns * cores->count / (quota->cpus * period_ns));
	cores->period_ns = times * period_ns;
	cores->quota_ns = cores->pool_ns = quota->cpus * cores->period_ns;
	cores->share_ns = fmax(share_ns, shortest_ns);
	cores->refill_ns = begin_in(cores, cores->period_ns);
	agenda_init_movable(&cores->quotas, cores->count);
}

void cores_init(struct cores *cores, const struct machine *machine, struct sim_thread *threads,
		size_t thread_count, double shortest_ns)
{
	/* Slices, or ticks, between two balances of a core, times the number of cores up to 4. */
	const double balance_slices = 16. / 3, balance_ticks = 4, balance_cores = 4;
	const double tick_ns = 4e6; /* CONFIG_HZ=250 */

	*cores = (struct cores){.machine = machine,
				.threads = threads,
				.current = NOBODY,
				.acting = NOBODY,
				.stretch = 1,
				.slice_ns = cores_slice_ns(machine, shortest_ns)};
	if (machine->seed) {
		cores->random = gsl_rng_alloc(gsl_rng_taus2);
		gsl_rng_set(cores->random, (unsigned long)machine->seed);
	}
	add_cores(cores, thread_count);
	cores->tick_ns = machine->eevdf ? fmax(tick_ns, shortest_ns) : 0;
	cores->first_tick = begin_in(cores, cores->tick_ns);
	cores->balance_ns = (machine->eevdf ? balance_ticks * cores->tick_ns
					    : balance_slices * cores->slice_ns) *
			    fmin((double)cores->count, balance_cores);
	list_cores(cores);
	quota_init(cores, shortest_ns);
}

void cores_release(struct cores *cores)
{
	agenda_release(&cores->ends);
	agenda_release(&cores->longest);
	agenda_release(&cores->shortest);
	agenda_release(&cores->balances);
	agenda_release(&cores->quotas);
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

/* --- Runtimes --------------------------------------------------------------------------------- */

static size_t active(const struct core *core)
{
	return core->queue.count + (core->thread != NOBODY);
}

/* Updates the lists after a change of the core's threads; none leaves a throttled core. */
static void recount(struct cores *cores, uint32_t id)
{
	double count = (double)active(&cores->items[id]);
	double takeable = cores->items[id].throttled ? 0 : count;
	uint32_t tie = cores_tie(cores, id);

	agenda_move(&cores->longest, (struct agenda_entry){.key = -takeable, .tie = tie, .id = id});
	agenda_move(&cores->shortest, (struct agenda_entry){.key = count, .tie = tie, .id = id});
}

static double least_of(const struct cores *cores, struct core *core)
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

/* Returns the mean of the runtimes at the core. */
static double mean_runtime(const struct cores *cores, const struct core *core)
{
	double sum = core->queued;

	if (core->thread != NOBODY)
		sum += cores->threads[core->thread].runtime + cores->clock;
	return active(core) ? sum / (double)active(core) : core->least;
}

/* Moves a thread to core `to`, where it keeps its lead over the other threads. */
static void transfer(struct cores *cores, struct sim_thread *thread, uint32_t to)
{
	double ahead = 0;

	if (thread->core == to)
		return;
	if (thread->core != NOBODY)
		ahead = thread->runtime - least_of(cores, &cores->items[thread->core]);
	thread->runtime = least_of(cores, &cores->items[to]) + ahead;
	thread->core = to;
}

static struct cores_part *part_of(struct cores *cores, uint32_t thread)
{
	return &cores->parts[cores->threads[thread].part];
}

static const struct program_costs *costs_of(const struct cores *cores, uint32_t thread)
{
	return cores->threads[thread].part ? &cores->machine->other_costs : &cores->machine->costs;
}

/* --- The quota ------------------------------------------------------------------------------ */

/* Refills the pool if periods have begun since. */
static void quota_refill(struct cores *cores)
{
	double late_ns = cores->now_ns - cores->refill_ns;

	if (late_ns < 0)
		return;
	cores->pool_ns = cores->quota_ns;
	cores->refill_ns += cores->period_ns * (floor(late_ns / cores->period_ns) + 1);
}

/* Begins to use the core's quota; a core without any asks for more at once. */
static void quota_begin(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];

	if (!(cores->quota_ns > 0))
		return;
	core->quota_from_ns = cores->now_ns;
	agenda_add(&cores->quotas, (struct agenda_entry){.key = cores->now_ns + core->quota_ns,
							 .tie = cores_tie(cores, id),
							 .id = id});
}

static void quota_end(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];

	if (!(cores->quota_ns > 0))
		return;
	core->quota_ns = fmax(core->quota_ns - (cores->now_ns - core->quota_from_ns), 0);
	agenda_remove(&cores->quotas, id);
}

/* A free core keeps min_cfs_rq_runtime of its quota and gives back the rest. */
static void quota_give_back(struct cores *cores, struct core *core)
{
	const double kept_ns = 1e6;

	if (core->quota_ns <= kept_ns)
		return;
	quota_refill(cores);
	cores->pool_ns += core->quota_ns - kept_ns;
	core->quota_ns = kept_ns;
}

/* --- Running threads -------------------------------------------------------------------------- */

static double end_of_step(const struct cores *cores, const struct core *core)
{
	return core->from + cores->threads[core->thread].left_ns / core->speed;
}

/* Returns the time at which the core's thread leaves it if others wait: as a rule at a tick. */
static double end_of_slice(const struct cores *cores, const struct core *core)
{
	double ticks, end = fmax(core->slice_end, cores->clock);

	if (core->preempted)
		return cores->clock;
	if (!(cores->tick_ns > 0))
		return end;
	ticks = ceil((end - cores->first_tick) / cores->tick_ns);
	return cores->first_tick + ticks * cores->tick_ns;
}

/* Returns the next event of the core: the end of its step, or of its slice if others wait. */
static struct agenda_entry next_at(const struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];
	double key = end_of_step(cores, core);

	if (core->queue.count)
		key = fmin(key, end_of_slice(cores, core));
	return (struct agenda_entry){.key = key, .tie = cores_tie(cores, core->thread), .id = id};
}

static double group_speed(const struct cores *cores, const struct core *core)
{
	const struct thread_groups *groups = &cores->machine->groups;
	size_t most = groups->stride < cores->machine->slowdown_count
			      ? groups->stride
			      : cores->machine->slowdown_count;
	size_t busy = cores->busy < most ? cores->busy : most;

	return 1 / groups->factors[groups->of[core->thread] * groups->stride + busy - 1];
}

/*
 * Sets new speeds. Each thread did a part of its step at its old speed, except the acting one: it
 * has ended its step, and begins the next when it goes on.
 */
static void set_group_speeds(struct cores *cores)
{
	for (uint32_t id = 0; id < cores->count; id++) {
		struct core *core = &cores->items[id];
		double speed = core->thread != NOBODY ? group_speed(cores, core) : core->speed;
		struct sim_thread *thread;

		if (speed == core->speed)
			continue;
		thread = &cores->threads[core->thread];
		if (id != cores->current) {
			thread->left_ns -= fmax(cores->clock - core->from, 0) * core->speed;
			thread->left_ns = fmax(thread->left_ns, 0);
			core->from = fmax(core->from, cores->clock);
		}
		core->speed = speed;
		agenda_move(&cores->ends, next_at(cores, id));
	}
}

/* Updates speeds after a change of the number of busy cores. */
static void set_stretch(struct cores *cores)
{
	const struct machine *machine = cores->machine;
	size_t busy = cores->busy;

	if (!machine->slowdown)
		return;
	if (busy > machine->slowdown_count)
		busy = machine->slowdown_count;
	cores->stretch = busy ? machine->slowdown[busy - 1] : 1;
	if (machine->groups.factors && busy)
		set_group_speeds(cores);
}

/* Runs a thread on the idle core `id` after `delay_ns`; `cause`: for the critical path. */
static void dispatch(struct cores *cores, uint32_t id, uint32_t thread_id, uint32_t cause,
		     double delay_ns)
{
	struct core *core = &cores->items[id];
	struct sim_thread *thread = &cores->threads[thread_id];

	if (cores->path)
		simulation_path_begin(cores->path, cores->threads, thread_id, cause);
	cores->switches += core->last != NOBODY && core->last != thread_id;
	core->thread = core->last = thread_id;
	core->from = cores->clock + delay_ns;
	core->slice_end = core->from + cores->slice_ns;
	core->preempted = false;
	thread->state = SIM_RUNNING;
	thread->core = id;
	thread->runtime -= cores->clock;
	cores->busy++;
	part_of(cores, thread_id)->running++;
	agenda_add(&cores->ends, next_at(cores, id));
	quota_begin(cores, id);
	recount(cores, id);
	set_stretch(cores);
}

/* Takes the thread off the core, and adds to its runtime. */
static void undispatch(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	struct cores_part *part = part_of(cores, core->thread);

	if (cores->path)
		simulation_path_end(cores->path, cores->threads, core->thread);
	(void)least_of(cores, core);
	agenda_remove(&cores->ends, id);
	quota_end(cores, id);
	cores->busy--;
	part->running--;
	part->end_ns = cores->now_ns;
	cores->threads[core->thread].runtime += cores->clock;
	core->thread = NOBODY;
	recount(cores, id);
}

/* --- Waiting threads -------------------------------------------------------------------------- */

static void enqueue(struct cores *cores, uint32_t id, uint32_t thread_id)
{
	struct core *core = &cores->items[id];
	struct sim_thread *thread = &cores->threads[thread_id];

	thread->state = SIM_QUEUED;
	core->queued += thread->runtime;
	agenda_add(&core->queue, (struct agenda_entry){.key = thread->runtime,
						       .tie = cores_tie(cores, cores->queued++),
						       .id = thread_id});
	cores->waiting += !core->throttled;
	part_of(cores, thread_id)->waiting++;
	recount(cores, id);
	if (core->thread != NOBODY && core->queue.count == 1)
		agenda_move(&cores->ends, next_at(cores, id));
}

static uint32_t dequeue(struct cores *cores, uint32_t id)
{
	uint32_t thread = agenda_take_first(&cores->items[id].queue).id;

	cores->items[id].queued -= cores->threads[thread].runtime;
	cores->waiting--;
	part_of(cores, thread)->waiting--;
	recount(cores, id);
	return thread;
}

/* Runs the next thread of its queue or of the longest one on an idle core, or frees it. */
static void next_of_queue(struct cores *cores, uint32_t id, uint32_t cause)
{
	struct core *core = &cores->items[id];
	double switch_ns;
	uint32_t next;

	if (!cores->waiting) {
		cores->free[id / WORD_BITS] |= UINT64_C(1) << id % WORD_BITS;
		quota_give_back(cores, core);
		set_stretch(cores);
		return;
	}
	if (core->queue.count) {
		next = dequeue(cores, id);
	} else {
		next = dequeue(cores, agenda_first(&cores->longest)->id);
		transfer(cores, &cores->threads[next], id);
	}
	switch_ns = next == core->last ? 0 : (double)costs_of(cores, next)->switch_ns;
	dispatch(cores, id, next, cause, switch_ns);
	cores->switch_ns += switch_ns * cores->stretch;
}

/* --- Choice of cores -------------------------------------------------------------------------- */

/* Returns a free core, if possible the thread's last one, even throttled; NOBODY: none is free. */
static uint32_t free_core(const struct cores *cores, const struct sim_thread *thread)
{
	uint32_t last = thread->core;

	if (cores->busy == cores->count)
		return NOBODY;
	for (uint32_t word = 0; word <= cores->count / WORD_BITS; word++) {
		if (!cores->free[word])
			continue;
		if (last != NOBODY && cores->items[last].thread == NOBODY)
			return last;
		return word * WORD_BITS + (uint32_t)__builtin_ctzll(cores->free[word]);
	}
	return NOBODY;
}

/* No core is free: a new thread goes to the shortest queue, others stay or go to their waker. */
static uint32_t busy_core(const struct cores *cores, const struct sim_thread *thread)
{
	uint32_t last = thread->core == NOBODY ? agenda_first(&cores->shortest)->id : thread->core;
	uint32_t here = cores->current;
	size_t there = active(&cores->items[last]);

	if (here != NOBODY && active(&cores->items[here]) + (thread->core != NOBODY) <= there)
		return here;
	return last;
}

/* Returns whether a thread that is woken on the core preempts its running one. */
static bool preempts(const struct cores *cores, const struct core *core, uint32_t thread)
{
	const double behind_slices = 2. / 3, rounding_ns = 1;
	double runtime;

	if (!cores->machine->costs.wakes_preempt || core->throttled)
		return false;
	runtime = cores->threads[core->thread].runtime + cores->clock;
	if (cores->machine->eevdf)
		return agenda_first(&core->queue)->id == thread &&
		       runtime > mean_runtime(cores, core) + rounding_ns;
	return runtime - cores->threads[thread].runtime > behind_slices * cores->slice_ns;
}

/* Queues a woken thread at a busy core, whose thread may be preempted. */
static void queue_up(struct cores *cores, uint32_t id, uint32_t thread)
{
	struct core *core = &cores->items[id];

	enqueue(cores, id, thread);
	if (!preempts(cores, core, thread))
		return;
	core->preempted = true;
	if (cores->current != id)
		agenda_move(&cores->ends, next_at(cores, id));
}

/* Returns the runtime of a woken thread on the core. */
static double woken_runtime(const struct cores *cores, const struct sim_thread *thread,
			    struct core *core)
{
	const double head_start_slices = 1;
	double mean = mean_runtime(cores, core);

	if (!cores->machine->eevdf)
		return fmax(thread->runtime,
			    least_of(cores, core) - head_start_slices * cores->slice_ns);
	return thread->behind > 0 ? mean - thread->behind : fmax(thread->runtime, mean);
}

void cores_wake(struct cores *cores, uint32_t id)
{
	double wake_ns = (double)costs_of(cores, id)->wake_ns;
	struct sim_thread *thread = &cores->threads[id];
	uint32_t core = free_core(cores, thread);
	bool free = core != NOBODY;

	if (!free)
		core = busy_core(cores, thread);
	free = free && !cores->items[core].throttled;
	transfer(cores, thread, core);
	thread->runtime = woken_runtime(cores, thread, &cores->items[core]);
	if (!free) {
		queue_up(cores, core, id);
		return;
	}
	cores->free[core / WORD_BITS] &= ~(UINT64_C(1) << core % WORD_BITS);
	dispatch(cores, core, id, cores->acting, wake_ns);
	cores->idle_ns += wake_ns * cores->stretch;
}

void cores_go_on(struct cores *cores, uint32_t id)
{
	uint32_t core = cores->threads[id].core;

	cores->items[core].from = cores->clock;
	agenda_move(&cores->ends, next_at(cores, core));
}

void cores_leave(struct cores *cores, uint32_t id)
{
	struct sim_thread *thread = &cores->threads[id];
	uint32_t core = thread->core;

	thread->behind =
		mean_runtime(cores, &cores->items[core]) - (thread->runtime + cores->clock);
	undispatch(cores, core);
	next_of_queue(cores, core, cores->items[core].last);
	cores->current = NOBODY;
}

/* Linux adds the rest of the slice to the runtime: the others are behind by that. */
void cores_yield(struct cores *cores, uint32_t id)
{
	struct sim_thread *thread = &cores->threads[id];
	uint32_t core = thread->core;

	undispatch(cores, core);
	if (cores->items[core].queue.count)
		thread->runtime += fmax(0, cores->items[core].slice_end - cores->clock);
	enqueue(cores, core, id);
	next_of_queue(cores, core, cores->items[core].last);
}

/* --- Time ------------------------------------------------------------------------------------ */

/* Adds the time to run-queue waits. */
static void pass_queues(struct cores *cores, double ns)
{
	for (size_t i = 0; i < SIMULATED_PARTS; i++) {
		struct cores_part *part = &cores->parts[i];
		size_t others = cores->parts[!i].waiting;

		part->queue_ns += ns * (double)part->waiting;
		part->taken_ns += ns * (double)(part->running < others ? part->running : others);
	}
}

static void pass_groups(struct cores *cores, double ns)
{
	const uint8_t *group_of = cores->machine->groups.of;

	for (uint32_t id = 0; id < cores->count; id++)
		if (cores->items[id].thread != NOBODY)
			cores->group_ns[group_of[cores->items[id].thread] * cores->group_stride +
					cores->busy - 1] += ns;
}

static void pass(struct cores *cores, double now_ns, double clock)
{
	if (cores->group_ns)
		pass_groups(cores, now_ns - cores->now_ns);
	if (cores->waiting)
		pass_queues(cores, now_ns - cores->now_ns);
	if (cores->throttled)
		cores->throttled_ns += now_ns - cores->now_ns;
	if (cores->busy == 1 && !cores->waiting && !cores->locked_out && !cores->throttled)
		cores->threads[cores->items[agenda_first(&cores->ends)->id].thread].alone_ns +=
			now_ns - cores->now_ns;
	cores->busy_ns += (now_ns - cores->now_ns) * cores->busy;
	cores->now_ns = now_ns;
	cores->clock = clock;
}

/* Puts the core's thread back into its queue, with the rest of its step. */
static void put_back(struct cores *cores, uint32_t id)
{
	const struct core *core = &cores->items[id];
	uint32_t thread_id = core->thread;
	struct sim_thread *thread = &cores->threads[thread_id];

	thread->left_ns -= fmax(cores->clock - core->from, 0) * core->speed;
	thread->left_ns = fmax(thread->left_ns, 0);
	undispatch(cores, id);
	enqueue(cores, id, thread_id);
}

/* Ends a slice while others wait: a thread with less runtime goes first. */
static void end_slice(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	const struct sim_thread *thread = &cores->threads[core->thread];

	core->preempted = false;
	if (!core->queue.count ||
	    agenda_first(&core->queue)->key > thread->runtime + cores->clock) {
		core->slice_end = cores->clock + cores->slice_ns;
		agenda_move(&cores->ends, next_at(cores, id));
		return;
	}
	put_back(cores, id);
	next_of_queue(cores, id, core->last);
}

/* Lets a busy core take a waiting thread from the longest queue. */
static void balance(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	uint32_t from = agenda_first(&cores->longest)->id, thread;
	size_t there = active(&cores->items[from]);

	if (core->thread == NOBODY || there <= active(core) || !cores->items[from].queue.count)
		return;
	if (there == active(core) + 1 && !core->tried) {
		core->tried = true;
		return;
	}
	core->tried = false;
	thread = dequeue(cores, from);
	transfer(cores, &cores->threads[thread], id);
	enqueue(cores, id, thread);
}

/* Returns the time at which the cores' clock is at `clock`. */
static double time_at(const struct cores *cores, double clock)
{
	return cores->machine->slowdown ? cores->now_ns + (clock - cores->clock) * cores->stretch
					: clock;
}

/* Passes time up to `limit_ns`, in which nothing happens. */
static void pass_to(struct cores *cores, double limit_ns)
{
	double clock = cores->machine->slowdown
			       ? cores->clock + (limit_ns - cores->now_ns) / cores->stretch
			       : limit_ns;

	if (!isinf(limit_ns))
		pass(cores, limit_ns, clock);
}

/*
 * Balances if the next time for it is before `clock` and `limit_ns`; those at which no thread
 * waited are left out.
 */
static bool balance_before(struct cores *cores, double clock, double limit_ns)
{
	struct agenda_entry look = *agenda_first(&cores->balances);
	double late;

	if (!(look.key < clock && time_at(cores, fmax(look.key, cores->clock)) <= limit_ns))
		return false;
	late = cores->clock - look.key;
	if (late <= 0) {
		pass(cores, time_at(cores, look.key), look.key);
		balance(cores, look.id);
	}
	look.key += cores->balance_ns * fmax(ceil(late / cores->balance_ns), 1);
	agenda_move(&cores->balances, look);
	return true;
}

/* Like cores_run(), but ends when a core needs more of the quota. */
static uint32_t run_within_quota(struct cores *cores, double limit_ns)
{
	cores->current = cores->acting = NOBODY;
	for (;;) {
		const struct agenda_entry *next = agenda_first(&cores->ends);
		uint32_t id;

		if (next && cores->waiting && balance_before(cores, next->key, limit_ns))
			continue;
		if (!next || time_at(cores, next->key) > limit_ns) {
			pass_to(cores, limit_ns);
			return NOBODY;
		}
		id = next->id;
		pass(cores, time_at(cores, next->key), next->key);
		if (end_of_step(cores, &cores->items[id]) <= cores->clock) {
			cores->current = id;
			cores->acting = cores->items[id].thread;
			return cores->acting;
		}
		end_slice(cores, id);
	}
}

/* --- Throttling ------------------------------------------------------------------------------ */

static void throttle(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];

	cores->waiting -= core->queue.count;
	core->throttled = true;
	cores->throttled++;
	put_back(cores, id);
	set_stretch(cores);
}

/* Gives the core another share of the quota, or throttles it. */
static void quota_ask(struct cores *cores, uint32_t id)
{
	struct core *core = &cores->items[id];
	double taken_ns;

	quota_refill(cores);
	taken_ns = fmin(cores->pool_ns, cores->share_ns);
	if (taken_ns <= 0) {
		throttle(cores, id);
		return;
	}
	cores->pool_ns -= taken_ns;
	core->quota_ns = taken_ns;
	core->quota_from_ns = cores->now_ns;
	agenda_move(&cores->quotas, (struct agenda_entry){.key = cores->now_ns + taken_ns,
							  .tie = cores_tie(cores, id),
							  .id = id});
}

static void stop_throttling(struct cores *cores)
{
	for (uint32_t id = 0; id < cores->count; id++) {
		struct core *core = &cores->items[id];

		if (!core->throttled)
			continue;
		core->throttled = false;
		cores->waiting += core->queue.count;
		next_of_queue(cores, id, NOBODY);
	}
	cores->throttled = 0;
	for (uint32_t id = 0; id < cores->count && cores->waiting; id++) {
		uint64_t *word = &cores->free[id / WORD_BITS], bit = UINT64_C(1) << id % WORD_BITS;

		if (!(*word & bit))
			continue;
		*word &= ~bit;
		next_of_queue(cores, id, NOBODY);
	}
}

/* Returns the next time at which a core needs quota, or throttled cores get some. */
static double quota_next_ns(const struct cores *cores)
{
	const struct agenda_entry *first = agenda_first(&cores->quotas);
	double next_ns = first ? first->key : INFINITY;

	return cores->throttled ? fmin(next_ns, cores->refill_ns) : next_ns;
}

static void quota_step(struct cores *cores)
{
	const struct agenda_entry *first = agenda_first(&cores->quotas);

	if (first && first->key <= cores->now_ns) {
		quota_ask(cores, first->id);
		return;
	}
	quota_refill(cores);
	stop_throttling(cores);
}

uint32_t cores_run(struct cores *cores, double limit_ns)
{
	for (;;) {
		double next_ns = quota_next_ns(cores);
		uint32_t thread = run_within_quota(cores, fmin(limit_ns, next_ns));

		if (thread != NOBODY || next_ns > limit_ns || isinf(next_ns))
			return thread;
		quota_step(cores);
	}
}

/* The whole cost of a switch or a wakeup is counted at its start: adds back its rest. */
double cores_used_ns(const struct cores *cores)
{
	double used_ns = cores->busy_ns - cores->switch_ns - cores->idle_ns;

	for (uint32_t i = 0; i < cores->count; i++)
		if (cores->items[i].thread != NOBODY)
			used_ns += fmax(0, cores->items[i].from - cores->clock) * cores->stretch;
	return used_ns;
}
