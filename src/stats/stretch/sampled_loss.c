/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/sampled_loss.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

/* --- Edges --------------------------------------------------------------------------------- */

static void meet(struct cpu_edges *edges, size_t thread_count)
{
	array_reserve(&edges->states, &edges->thread_capacity, thread_count);
	for (; edges->thread_count < thread_count; edges->thread_count++)
		edges->states[edges->thread_count] = STATE_NONE;
}

static void turn(struct cpu_edges *edges, uint64_t time_ns, size_t thread, enum thread_state state)
{
	bool counts = state == STATE_UNKNOWN || thread_state_is_active(state);
	uint32_t now = counts ? state : STATE_NONE;

	meet(edges, thread + 1);
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
		turn(edges, change->begin_ns, change->thread, change->state);
	if (change->next == STATE_NONE)
		turn(edges, change->end_ns, change->thread, STATE_NONE);
	if (change->state == STATE_RUNNING)
		edges->running_ns += length_ns;
	if (change->end_ns > edges->end_ns)
		edges->end_ns = change->end_ns;
}

/* Those of one thread are never at the same time. */
static int by_time(const void *a, const void *b)
{
	const struct cpu_edge *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns > other->time_ns ? 1 : -1;
	return (one->thread > other->thread) - (one->thread < other->thread);
}

void cpu_edges_finish(struct cpu_edges *edges, uint64_t begin_ns, size_t thread_count)
{
	meet(edges, thread_count);
	edges->begin_ns = begin_ns < edges->end_ns ? begin_ns : edges->end_ns;
	edges->origin_ns = edges->begin_ns;
	if (edges->count)
		qsort(edges->items, edges->count, sizeof(*edges->items), by_time);
}

void cpu_edges_release(struct cpu_edges *edges)
{
	free(edges->items);
	free(edges->states);
	*edges = (struct cpu_edges){0};
}

/* --- The sum ------------------------------------------------------------------------------- */

struct sweep {
	const struct cpu_edges *edges;
	const struct cpu_shares *shares;
	double cores;
	uint32_t *states;	 /* of each thread, now */
	struct cpu_shares doing; /* sums over the threads that run */
	double running, ready;	 /* how many threads are on CPUs, and runnable */
	size_t counted;		 /* threads that may be one or the other */
};

/* How much of a thread runs: 0 or 1 where that is known. */
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
	/* Else what is left of differences would add up. */
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
