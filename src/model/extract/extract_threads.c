/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>

/* The start (1) or the end (-1) of a thread. */
struct turn {
	uint64_t at_ns;
	int change;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return x->at_ns != y->at_ns ? compare_values(x->at_ns, y->at_ns)
				    : compare_values(x->change, y->change);
}

/*
 * Returns whether the thread only hands over connections: it has few visits, and waits for tokens
 * for less than half of its time. Its work is no visit of the pool.
 */
static bool only_helps(const struct visit *visits, size_t count, size_t mean)
{
	const size_t few = 4; /* at most 4 visits, and at most a fourth of the mean */
	uint64_t idle_ns = 0, all_ns;

	if (!count || count > few || count * few >= mean)
		return false;
	for (size_t i = 0; i < count; i++)
		idle_ns += visits[i].begin_ns - visits[i].since_ns;
	all_ns = visits[count - 1].end_ns - visits[0].since_ns;
	return visits[count - 1].end_ns && idle_ns < all_ns / 2;
}

/* Removes such threads from the list; returns the number of threads that are left. */
static size_t drop_helpers(const struct extraction *extraction, uint32_t *threads, size_t count,
			   const size_t *first, size_t visits)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!only_helps(&extraction->visits[first[threads[i]]],
				first[threads[i] + 1] - first[threads[i]], visits / count))
			threads[kept++] = threads[i];
	return kept;
}

/* Returns whether the thread began in the recording. */
static bool is_born(const struct program_gaps *gaps)
{
	return gaps->count && gaps->items[0].kind == GAP_READY && !gaps->items[0].run_ns;
}

/* The time from the first to the last start of a visit. */
struct visiting {
	uint64_t first_ns, last_ns;
};

static struct visiting find_visiting(const struct extraction *extraction, const uint32_t *threads,
				     size_t thread_count, const size_t *first)
{
	struct visiting visiting = {UINT64_MAX, 0};

	for (size_t i = 0; i < thread_count; i++)
		for (size_t j = first[threads[i]]; j < first[threads[i] + 1]; j++) {
			uint64_t at_ns = extraction->visits[j].begin_ns;

			if (at_ns < visiting.first_ns)
				visiting.first_ns = at_ns;
			if (at_ns > visiting.last_ns)
				visiting.last_ns = at_ns;
		}
	return visiting;
}

/*
 * Counts the largest number of threads at a time, and whether it changes while visits begin:
 * threads of a batch may end before the rest of the program.
 */
static void count_threads(const struct extraction *extraction, struct model_pool *pool,
			  const uint32_t *threads, size_t thread_count, const size_t *first)
{
	const struct program *program = extraction->program;
	struct turn *turns = xcalloc(2 * thread_count + 1, sizeof(*turns));
	const struct visiting visiting = find_visiting(extraction, threads, thread_count, first);
	uint64_t margin_ns = (visiting.last_ns - visiting.first_ns) / 20;
	size_t count = 0;
	int alive = 0, most = 0, least = INT32_MAX;

	for (size_t i = 0; i < thread_count; i++) {
		const struct program_gaps *gaps = &program->gaps[threads[i]];
		const struct program_thread *own = &program->threads[threads[i]];
		uint64_t end_ns = own->count && step_op(&own->steps[own->count - 1]) == STEP_EXIT
					  ? own->steps[own->count - 1].exit_ns
					  : 0;

		turns[count++] = (struct turn){is_born(gaps) ? gaps->items[0].begin_ns : 0, 1};
		turns[count++] = (struct turn){end_ns ? end_ns : UINT64_MAX, -1};
	}
	sort_items(turns, count, by_turn);
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ns = turns[i].at_ns;

		alive += turns[i].change;
		most = alive > most ? alive : most;
		if (at_ns > visiting.first_ns + margin_ns && at_ns + margin_ns < visiting.last_ns &&
		    alive < least)
			least = alive;
	}
	pool->threads = (uint32_t)most;
	pool->fixed = least < most;
	free(turns);
}

/* Counts the clients of each thread; one that changes its thread counts for the last. */
static void count_connections(const struct extraction *extraction, struct model_pool *pool,
			      const uint32_t *threads, const size_t *first)
{
	const size_t client_count = extraction->program->thread_count;
	uint32_t *thread_of = xcalloc(client_count + 1, sizeof(*thread_of)); /* thread + 1 */
	double least = MODEL_PINNED_MAX, most = 0;

	pool->connections = xcalloc(pool->threads, sizeof(*pool->connections));
	pool->connection_count = pool->threads;
	for (uint32_t i = 0; i < pool->threads; i++)
		for (size_t j = first[threads[i]]; j < first[threads[i] + 1]; j++)
			if (extraction->visits[j].put != MODEL_NONE)
				thread_of[extraction->puts[extraction->visits[j].put].thread] =
					i + 1;
	for (size_t i = 0; i < client_count; i++)
		if (thread_of[i] && pool->connections[thread_of[i] - 1] < MODEL_PINNED_MAX)
			pool->connections[thread_of[i] - 1]++;
	for (uint32_t i = 0; i < pool->threads; i++) {
		least = fmin(least, pool->connections[i]);
		most = fmax(most, pool->connections[i]);
	}
	free(thread_of);
	if (most > least + 1)
		return;
	free(pool->connections);
	pool->connections = NULL;
	pool->connection_count = 0;
}

/* Returns whether all threads are processes that were forked just before their first visit. */
static bool are_forked(const struct extraction *extraction, const uint32_t *threads, size_t count,
		       const size_t *first)
{
	const uint64_t soon_ns = 100000000;

	for (size_t i = 0; i < count; i++) {
		const struct program_gaps *gaps = &extraction->program->gaps[threads[i]];
		const struct program_thread *own = &extraction->program->threads[threads[i]];
		size_t visit = first[threads[i]];

		if (own->tid != own->pid || !own->forked || !is_born(gaps) ||
		    visit == first[threads[i] + 1] ||
		    extraction->visits[visit].begin_ns > gaps->items[0].begin_ns + soon_ns)
			return false;
	}
	return count > 0;
}

size_t extraction_count_threads(const struct extraction *extraction, struct model_pool *pool,
				uint32_t *threads, size_t count, const size_t *first, size_t visits)
{
	count = drop_helpers(extraction, threads, count, first, visits);
	count_threads(extraction, pool, threads, count, first);
	if (pool->fixed)
		pool->why_fixed = xstrdup("it starts and ends threads while requests arrive");
	if (extraction->network != PROGRAM_NONE && pool->dispatch == MODEL_PINNED &&
	    extraction->objects[extraction->network].station == pool->takes &&
	    count == pool->threads && count <= MODEL_PINNED_MAX)
		count_connections(extraction, pool, threads, first);
	pool->forks =
		pool->dispatch == MODEL_CONNECTION && are_forked(extraction, threads, count, first);
	return count;
}
