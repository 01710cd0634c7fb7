/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loss of a run at each instant from the first step of a task to the last (stretch.h):
 *
 *	r	workers that run segments on a CPU, or may do so
 *	q	pieces of tasks that are ready and in no segment: tasks spawned and not begun; tasks
 *		between a spawn and going on, unless that child runs there in between (a thread in
 *		the team that it spawns goes on behind the sync for it); tasks in a sync or at a
 *		barrier whose wait is over
 *	w	segments whose workers wait for a CPU (preempted)
 *	o	of q, those that are being fetched: by each worker on a CPU and in no segment that
 *		runs next what is ready now, or had its last segment less than 5 ms before the
 *		next. Without scheduling events: by workers between a spawn and going on
 *
 *	r + q + w <= P: overhead o, delay (q - o) + w, no-work the rest;
 *	else: overhead o, or P - r if that is less; delay P - r - o
 *
 * so that the sum is exact at each instant. A worker on a CPU between two segments is overhead if a
 * piece is ready for it, and else has no work. For short times queues decide which worker gets
 * which piece, and the piece may have become ready only then. A worker that finds none for long,
 * while a piece is ready that others run later, has no work, and that piece is delayed. A worker
 * that sleeps in a segment, for a lock or a device, is none of these: its core, too, has no work,
 * or delayed work.
 *
 * The paper has no overhead, and counts all of q as delay; it counts all time in a segment as work,
 * preempted or not, as it does not use scheduling events.
 */
#include "stats/stretch/stretch_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/timeline/timeline.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stdlib.h>

/* --- Sampled threads: edges ---------------------------------------------------------------- */

static void cpu_edges_meet(struct cpu_edges *edges, size_t thread_count)
{
	array_reserve(&edges->states, &edges->thread_capacity, thread_count);
	for (; edges->thread_count < thread_count; edges->thread_count++)
		edges->states[edges->thread_count] = STATE_NONE;
}

static void cpu_edges_turn(struct cpu_edges *edges, uint64_t time_ns, size_t thread,
			   enum thread_state state)
{
	bool counts = state == STATE_UNKNOWN || thread_state_is_active(state);
	uint32_t now = counts ? state : STATE_NONE;

	cpu_edges_meet(edges, thread + 1);
	if (edges->states[thread] == now)
		return;
	edges->states[thread] = now;
	array_reserve(&edges->items, &edges->capacity, edges->count + 1);
	edges->items[edges->count++] = (struct cpu_edge){time_ns, (uint32_t)thread, now};
}

void cpu_edges_add(struct cpu_edges *edges, const struct change *change)
{
	uint64_t length_ns = change->end_ns - change->begin_ns;

	if (length_ns)
		cpu_edges_turn(edges, change->begin_ns, change->thread, change->state);
	if (change->next == STATE_NONE)
		cpu_edges_turn(edges, change->end_ns, change->thread, STATE_NONE);
	if (change->state == STATE_RUNNING)
		edges->running_ns += length_ns;
	if (change->end_ns > edges->end_ns)
		edges->end_ns = change->end_ns;
}

/* Edges of one thread have different times. */
static int by_time(const void *a, const void *b)
{
	const struct cpu_edge *one = a, *other = b;

	return compare_values(one->time_ns, other->time_ns)
		       ?: compare_values(one->thread, other->thread);
}

void cpu_edges_finish(struct cpu_edges *edges, uint64_t begin_ns, size_t thread_count)
{
	cpu_edges_meet(edges, thread_count);
	edges->begin_ns = begin_ns < edges->end_ns ? begin_ns : edges->end_ns;
	edges->origin_ns = edges->begin_ns;
	sort_items(edges->items, edges->count, by_time);
}

void cpu_edges_release(struct cpu_edges *edges)
{
	free(edges->items);
	free(edges->states);
	*edges = (struct cpu_edges){0};
}

/* --- Sampled threads: the sum -------------------------------------------------------------- */

struct sweep {
	const struct cpu_edges *edges;
	const struct cpu_shares *shares;
	double cores;
	uint32_t *states;	 /* [thread]: its current state */
	struct cpu_shares doing; /* sums over the running threads */
	double running, ready;	 /* the numbers of threads on CPUs, and runnable */
	size_t counted;		 /* threads that may be one or the other */
};

/* Returns the running share of a thread: 0 or 1 if it is known. */
static double running_part(const struct cpu_shares *shares, uint32_t state)
{
	if (state == STATE_RUNNING)
		return 1;
	return state == STATE_ACTIVE || state == STATE_UNKNOWN ? shares->ran : 0;
}

static double ready_part(const struct cpu_shares *shares, uint32_t state)
{
	if (state == STATE_RUNNABLE)
		return 1;
	return state == STATE_ACTIVE ? 1 - shares->ran : 0;
}

static void count_thread(struct sweep *sweep, size_t thread, double sign)
{
	const struct cpu_shares *shares = &sweep->shares[thread];
	double running = sign * running_part(shares, sweep->states[thread]);

	sweep->doing.work += running * shares->work;
	sweep->doing.overhead += running * shares->overhead;
	sweep->doing.serial += running * shares->serial;
	sweep->running += running;
	sweep->ready += sign * ready_part(shares, sweep->states[thread]);
}

static void take_edge(struct sweep *sweep, const struct cpu_edge *edge)
{
	uint32_t *state = &sweep->states[edge->thread];

	count_thread(sweep, edge->thread, -1);
	sweep->counted -= *state != STATE_NONE;
	*state = edge->state;
	sweep->counted += *state != STATE_NONE;
	count_thread(sweep, edge->thread, 1);
	/* Else rounding errors would add up. */
	if (!sweep->counted) {
		sweep->doing = (struct cpu_shares){0};
		sweep->running = sweep->ready = 0;
	}
}

static void next_part(struct sweep *sweep, const struct cpu_shares *shares)
{
	sweep->shares = shares;
	sweep->doing = (struct cpu_shares){0};
	sweep->running = sweep->ready = 0;
	for (size_t i = 0; i < sweep->edges->thread_count; i++)
		count_thread(sweep, i, 1);
}

static void add_time(struct sampled_loss *part, const struct sweep *sweep, double seconds)
{
	double fit = sweep->running > sweep->cores ? sweep->cores / sweep->running : 1;
	double work = fit * sweep->doing.work, overhead = fit * sweep->doing.overhead;
	double free_cores = fmax(0, sweep->cores - work - overhead);
	double delay = fmax(0, fmin(sweep->ready, free_cores));

	part->loss.wall_s += seconds;
	part->loss.work_s += work * seconds;
	part->loss.overhead_s += overhead * seconds;
	part->loss.delay_s += delay * seconds;
	part->loss.preempted_s += delay * seconds;
	part->loss.no_work_s += (free_cores - delay) * seconds;
	part->loss.crowded_s += fmax(0, sweep->running - sweep->cores) * seconds;
	part->serial_work_s += fit * sweep->doing.serial * seconds;
	part->any_s += sweep->running > .5 ? seconds : 0;
	part->several_s += sweep->running > 1.5 ? seconds : 0;
}

void sampled_loss(struct sampled_loss *parts, size_t count, const struct cpu_edges *edges,
		  const struct cpu_shares *shares, double cores)
{
	uint64_t length_ns = edges->end_ns - edges->begin_ns, at_ns = edges->begin_ns;
	struct sweep sweep = {.edges = edges, .cores = cores};
	size_t edge = 0;

	sweep.states = xcalloc(edges->thread_count, sizeof(*sweep.states));
	for (size_t i = 0; i < count; i++) {
		uint64_t end_ns = edges->begin_ns +
				  (uint64_t)((unsigned __int128)length_ns * (i + 1) / count);

		parts[i] = (struct sampled_loss){
			.loss.cores = cores,
			.begin_s = (double)(at_ns - edges->origin_ns) / 1e9,
		};
		next_part(&sweep, shares + i * edges->thread_count);
		while (at_ns < end_ns) {
			uint64_t next_ns = end_ns;

			for (; edge < edges->count && edges->items[edge].time_ns <= at_ns; edge++)
				take_edge(&sweep, &edges->items[edge]);
			if (edge < edges->count && edges->items[edge].time_ns < end_ns)
				next_ns = edges->items[edge].time_ns;
			add_time(&parts[i], &sweep, (double)(next_ns - at_ns) / 1e9);
			at_ns = next_ns;
		}
	}
	free(sweep.states);
}

/* Kinds of spans that begin and end; the number of each is known at each instant. */
enum presence {
	SEGMENT_RUNS,  /* a segment is on a CPU */
	BLOCK_UNKNOWN, /* a segment may be on a CPU */
	BLOCK_WAITS,   /* a segment waits for a CPU */
	WORKER_WAITS,  /* a worker waits for a CPU, in a segment or not */
	PIECE_READY,   /* a piece of a task is ready, and in no segment */
	PIECE_FETCHED, /* a worker on a CPU and in no segment may fetch one */
	PRESENCES,
};

/*
 * Begins and ends in the order of time, 8 bytes each: nanoseconds from the beginning of the tree,
 * and in four bits the kind of span, and a bit for its end.
 */
struct edges {
	const struct task_tree *tree;
	uint64_t *items;
	size_t count, capacity;
	/* [interval]: the time when it became ready; UINT64_MAX: at its begin */
	uint64_t *ready_ns;
};

enum { EDGE_BITS = 4 };

static void edges_add(struct edges *edges, enum presence presence, uint64_t begin_ns,
		      uint64_t end_ns)
{
	const struct task_tree *tree = edges->tree;

	if (begin_ns < tree->begin_ns)
		begin_ns = tree->begin_ns;
	if (end_ns > tree->end_ns)
		end_ns = tree->end_ns;
	if (begin_ns >= end_ns)
		return;
	array_reserve(&edges->items, &edges->capacity, edges->count + 2);
	edges->items[edges->count++] = (begin_ns - tree->begin_ns) << EDGE_BITS | presence << 1;
	edges->items[edges->count++] = (end_ns - tree->begin_ns) << EDGE_BITS | presence << 1 | 1;
}

/* --- Tasks: segments and workers ------------------------------------------------------------- */

/* Returns the first absence that ends behind `time_ns`. */
static size_t find_absence(const struct task_worker *worker, uint64_t time_ns)
{
	return find_first(i, 0, worker->absence_count, worker->absences[i].end_ns > time_ns);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add_block(struct edges *edges, const struct task_interval *interval)
{
	const struct task_worker *worker = &edges->tree->workers[interval->worker];
	uint64_t at_ns = interval->begin_ns;

	for (size_t i = find_absence(worker, at_ns); i < worker->absence_count; i++) {
		const struct task_absence *absence = &worker->absences[i];
		uint64_t begin_ns = later(absence->begin_ns, at_ns);
		uint64_t end_ns = earlier(absence->end_ns, interval->end_ns);

		if (begin_ns >= interval->end_ns)
			break;
		edges_add(edges, SEGMENT_RUNS, at_ns, begin_ns);
		if (absence->kind == TASK_WAITS_FOR_CPU)
			edges_add(edges, BLOCK_WAITS, begin_ns, end_ns);
		if (absence->kind == TASK_STATE_UNKNOWN)
			edges_add(edges, BLOCK_UNKNOWN, begin_ns, end_ns);
		at_ns = end_ns;
	}
	edges_add(edges, SEGMENT_RUNS, at_ns, interval->end_ns);
}

static void add_waits_for_cpu(struct edges *edges, const struct task_worker *worker)
{
	for (size_t i = 0; i < worker->absence_count; i++)
		if (worker->absences[i].kind == TASK_WAITS_FOR_CPU)
			edges_add(edges, WORKER_WAITS, worker->absences[i].begin_ns,
				  worker->absences[i].end_ns);
}

/* --- Tasks: pieces that could run ---------------------------------------------------------- */

static const struct task_interval *interval_behind(const struct task_tree *tree, size_t interval)
{
	const struct task *task = &tree->tasks[tree->intervals[interval].task];

	return interval + 1 < task->first + task->interval_count ? &tree->intervals[interval + 1]
								 : NULL;
}

static void set_ready(struct edges *edges, const struct task_interval *interval, uint64_t ready_ns)
{
	uint64_t *own = &edges->ready_ns[interval - edges->tree->intervals];

	*own = earlier(*own, ready_ns);
}

/* Adds the task's segment behind `interval` as a piece that was ready at `ready_ns`. */
static void add_rest(struct edges *edges, size_t interval, uint64_t ready_ns)
{
	const struct task_interval *next = interval_behind(edges->tree, interval);

	if (!next)
		return;
	ready_ns = later(ready_ns, edges->tree->intervals[interval].end_ns);
	edges_add(edges, PIECE_READY, ready_ns, next->begin_ns);
	set_ready(edges, next, ready_ns);
}

/* Adds a piece for a spawning task, unless it is in the team and waits for that. */
static void add_spawning(struct edges *edges, size_t interval, uint64_t begin_ns, uint64_t end_ns)
{
	const struct task_interval *block = &edges->tree->intervals[interval];
	const struct task_interval *next = interval_behind(edges->tree, interval);

	if (next && next->step == TASK_SPAWNED) {
		edges_add(edges, PIECE_READY, begin_ns, end_ns);
		set_ready(edges, next, begin_ns);
	}
	if (!edges->tree->has_states && next && next->worker == block->worker)
		edges_add(edges, PIECE_FETCHED, begin_ns, end_ns);
}

/* Returns, for each interval, the first child that its worker ran next, plus 1; 0: none. */
static uint32_t *children_that_run_there(const struct task_tree *tree)
{
	uint32_t *children = xcalloc(tree->interval_count, sizeof(*children));

	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];
		size_t interval;

		if (task->spawn == TASK_NONE || task->in_place || !task->interval_count)
			continue;
		interval = tree->tasks[task->parent].first + task->spawn;
		if (!children[interval] && tree->intervals[interval].step_end == TASK_SPAWN &&
		    tree->intervals[task->first].worker == tree->intervals[interval].worker)
			children[interval] = (uint32_t)i + 1;
	}
	return children;
}

static void add_spawns(struct edges *edges)
{
	const struct task_tree *tree = edges->tree;
	uint32_t *children = children_that_run_there(tree);

	for (size_t i = 0; i < tree->interval_count; i++) {
		const struct task_interval *next = interval_behind(tree, i);
		const struct task *child = children[i] ? &tree->tasks[children[i] - 1] : NULL;
		uint64_t begin_ns = tree->intervals[i].end_ns;

		if (!next || tree->intervals[i].step_end != TASK_SPAWN)
			continue;
		if (child && child->begin_ns >= begin_ns && child->begin_ns < next->begin_ns) {
			add_spawning(edges, i, begin_ns, child->begin_ns);
			begin_ns = child->end_ns;
		}
		if (next->step ==
		    /* else it waits, as for its own team */
		    TASK_SPAWNED)
			add_spawning(edges, i, begin_ns, next->begin_ns);
	}
	free(children);
}

static void add_sync(struct edges *edges, const struct task_sync *sync)
{
	const struct task_tree *tree = edges->tree;
	uint64_t ready_ns = 0;

	for (size_t i = 0; i < sync->count; i++) {
		const struct task *child = &tree->tasks[tree->synced[sync->first + i]];

		if (!child->ended)
			return;
		ready_ns = later(ready_ns, child->end_ns);
	}
	add_rest(edges, sync->after, ready_ns);
}

static void add_joins(struct edges *edges)
{
	struct task_joins joins;

	task_joins_init(&joins, edges->tree);
	for (size_t i = 0; i < joins.count; i++) {
		const struct task_join *join = &joins.items[i];

		for (size_t k = join->first; k < join->first + join->count; k++)
			add_rest(edges, joins.arrivals[k], join->release_ns);
	}
	task_joins_release(&joins);
}

static void add_tasks(struct edges *edges)
{
	const struct task_tree *tree = edges->tree;

	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];

		edges_add(edges, PIECE_READY, task->ready_ns, task->begin_ns);
		if (task->interval_count)
			set_ready(edges, &tree->intervals[task->first], task->ready_ns);
	}
}

/* --- Tasks: workers between segments --------------------------------------------------------- */

/* The turn of a worker: one of its intervals. */
struct turn {
	uint64_t begin_ns;
	uint32_t worker, interval;
};

static int by_worker_and_time(const void *a, const void *b)
{
	const struct turn *one = a, *other = b;

	return compare_values(one->worker, other->worker)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

static struct turn *list_turns(const struct task_tree *tree)
{
	struct turn *turns = xcalloc(tree->interval_count, sizeof(*turns));

	for (size_t i = 0; i < tree->interval_count; i++)
		turns[i] = (struct turn){tree->intervals[i].begin_ns, tree->intervals[i].worker,
					 (uint32_t)i};
	sort_items(turns, tree->interval_count, by_worker_and_time);
	return turns;
}

/* Adds the time of a worker in no segment that it was on a CPU. */
static void add_fetching(struct edges *edges, const struct task_worker *worker, uint64_t begin_ns,
			 uint64_t end_ns)
{
	for (size_t i = find_absence(worker, begin_ns);
	     begin_ns < end_ns && i < worker->absence_count &&
	     worker->absences[i].begin_ns < end_ns;
	     i++) {
		edges_add(edges, PIECE_FETCHED, begin_ns, worker->absences[i].begin_ns);
		begin_ns = later(begin_ns, worker->absences[i].end_ns);
	}
	edges_add(edges, PIECE_FETCHED, begin_ns, end_ns);
}

/*
 * Adds the fetches of workers: a worker fetches its next piece once that is ready. Between near
 * segments, and while it spawns, it fetches all the time: the piece may be ready only then.
 */
static void add_fetches(struct edges *edges)
{
	const struct task_tree *tree = edges->tree;
	struct turn *turns = list_turns(tree);
	uint64_t idle_ns = 0;

	for (size_t i = 0; i < tree->interval_count; i++) {
		const struct task_interval *next = &tree->intervals[turns[i].interval];
		const struct task_interval *last = i && turns[i - 1].worker == turns[i].worker
							   ? &tree->intervals[turns[i - 1].interval]
							   : NULL;
		uint64_t ready_ns = edges->ready_ns[turns[i].interval];

		idle_ns = !last ? tree->workers[turns[i].worker].begin_ns
				: later(idle_ns, last->end_ns);
		if (last && (next->begin_ns - idle_ns < TIME_LOSS_LOOKING_NS ||
			     (last->step_end == TASK_SPAWN && ready_ns != UINT64_MAX)))
			ready_ns = idle_ns;
		add_fetching(edges, &tree->workers[turns[i].worker], later(idle_ns, ready_ns),
			     next->begin_ns);
	}
	free(turns);
}

static void edges_init(struct edges *edges, const struct task_tree *tree)
{
	*edges = (struct edges){.tree = tree};
	edges->ready_ns = xcalloc(tree->interval_count + 1, sizeof(*edges->ready_ns));
	for (size_t i = 0; i < tree->interval_count; i++) {
		edges->ready_ns[i] = UINT64_MAX;
		add_block(edges, &tree->intervals[i]);
	}
	for (size_t i = 0; i < tree->worker_count; i++)
		add_waits_for_cpu(edges, &tree->workers[i]);
	add_tasks(edges);
	add_spawns(edges);
	for (size_t i = 0; i < tree->sync_count; i++)
		add_sync(edges, &tree->syncs[i]);
	add_joins(edges);
	if (tree->has_states)
		add_fetches(edges);
	sort_items(edges->items, edges->count, compare_u64);
}

static void edges_release(struct edges *edges)
{
	free(edges->items);
	free(edges->ready_ns);
}

/* --- Tasks: the rule ----------------------------------------------------------------------- */

/* Core nanoseconds. */
struct sums {
	uint64_t wall, work, overhead, delay, preempted, no_work, crowded;
};

static void count_time(struct sums *sums, const uint64_t *present, uint64_t cores, uint64_t ns)
{
	uint64_t r = present[SEGMENT_RUNS] + present[BLOCK_UNKNOWN];
	uint64_t q = present[PIECE_READY], o = earlier(present[PIECE_FETCHED], q);
	uint64_t work = earlier(r, cores), overhead = earlier(o, cores - work);
	uint64_t idle = cores - work - overhead;
	uint64_t delay = earlier(q - o + present[BLOCK_WAITS], idle);

	sums->wall += ns;
	sums->work += work * ns;
	sums->overhead += overhead * ns;
	sums->delay += delay * ns;
	sums->preempted += earlier(present[WORKER_WAITS], delay) * ns;
	sums->no_work += (idle - delay) * ns;
	sums->crowded += (r - work + o - overhead) * ns;
}

/* Returns the largest number of workers at once; one that ends makes room for one that begins. */
static unsigned workers_at_once(const struct task_tree *tree)
{
	uint64_t *begins = xcalloc(tree->worker_count, sizeof(*begins));
	uint64_t *ends = xcalloc(tree->worker_count, sizeof(*ends));
	size_t ended = 0, most = 1;

	for (size_t i = 0; i < tree->worker_count; i++) {
		begins[i] = tree->workers[i].begin_ns;
		ends[i] = tree->workers[i].end_ns;
	}
	if (tree->worker_count) {
		sort_items(begins, tree->worker_count, compare_u64);
		sort_items(ends, tree->worker_count, compare_u64);
	}
	for (size_t i = 0; i < tree->worker_count; i++) {
		while (ended < i && ends[ended] <= begins[i])
			ended++;
		if (i + 1 - ended > most)
			most = i + 1 - ended;
	}
	free(begins);
	free(ends);
	return (unsigned)most;
}

/* Returns time_ns * count / of without overflow, for count <= of. */
static uint64_t part_of(uint64_t time_ns, size_t count, size_t of)
{
	return time_ns / of * count + time_ns % of * count / of;
}

static void sum_edges(struct sums *sums, size_t count, const struct edges *edges, uint64_t cores)
{
	uint64_t wall_ns = edges->tree->end_ns - edges->tree->begin_ns, now_ns = 0;
	uint64_t present[PRESENCES] = {0};
	size_t next = 0;

	for (size_t part = 0; part < count;) {
		uint64_t part_end_ns = part_of(wall_ns, part + 1, count);
		uint64_t edge_ns =
			next < edges->count ? edges->items[next] >> EDGE_BITS : UINT64_MAX;
		uint64_t end_ns = earlier(part_end_ns, edge_ns);

		count_time(&sums[part], present, cores, end_ns - now_ns);
		now_ns = end_ns;
		if (end_ns == part_end_ns && edge_ns >= part_end_ns)
			part++;
		else if (edges->items[next++] & 1)
			present[(edges->items[next - 1] >> 1) & 7]--;
		else
			present[(edges->items[next - 1] >> 1) & 7]++;
	}
}

void time_loss_of_tasks_over_time(struct time_loss *losses, size_t count,
				  const struct task_tree *tree, unsigned cores)
{
	struct sums *sums = xcalloc(count, sizeof(*sums));
	struct edges edges;

	if (!cores)
		cores = workers_at_once(tree);
	edges_init(&edges, tree);
	sum_edges(sums, count, &edges, cores);
	for (size_t i = 0; i < count; i++)
		losses[i] = (struct time_loss){
			.cores = cores,
			.wall_s = (double)sums[i].wall / 1e9,
			.work_s = (double)sums[i].work / 1e9,
			.overhead_s = (double)sums[i].overhead / 1e9,
			.delay_s = (double)sums[i].delay / 1e9,
			.no_work_s = (double)sums[i].no_work / 1e9,
			.preempted_s = (double)sums[i].preempted / 1e9,
			.crowded_s = (double)sums[i].crowded / 1e9,
		};
	edges_release(&edges);
	free(sums);
}

void time_loss_of_tasks(struct time_loss *loss, const struct task_tree *tree, unsigned cores)
{
	time_loss_of_tasks_over_time(loss, 1, tree, cores);
}
