/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/handovers.h"

#include "base/alloc.h"
#include "replay/recognise/recognition.h"

#include <stdbool.h>
#include <stdlib.h>

/*
 * Wakes with less CPU time between them are a row. And of that many neighbours at most, a third
 * thread is looked for: in a group that competes nearly all of them are one.
 */
enum { ROW_NS = 20000, NEIGHBOURS_MAX = 1000 };

/* `count` wakes of one thread by another. */
struct handover {
	uint32_t waker, waiter;
	uint64_t count;
};

struct handovers {
	struct handover *items; /* sorted, each pair once */
	size_t count, capacity;
	size_t *first; /* [thread]: of its items; one more behind the last */
};

static int by_threads(const void *a, const void *b)
{
	const struct handover *x = a, *y = b;

	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	return (x->waiter > y->waiter) - (x->waiter < y->waiter);
}

/* --- Gathering ----------------------------------------------------------------------------- */

static bool is_wake(const struct program_thread *thread, size_t step)
{
	return step < thread->count && step_op(&thread->steps[step]) == STEP_WAKE;
}

/* Is the wake one of a row? */
static bool is_in_row(const struct program_thread *thread, size_t step)
{
	return (step > 0 && is_wake(thread, step - 1) &&
		step_run_ns(&thread->steps[step]) <= ROW_NS) ||
	       (is_wake(thread, step + 1) && step_run_ns(&thread->steps[step + 1]) <= ROW_NS);
}

/* Is it known to be no lock, as a condition that was waited for is? */
static bool is_signal(const struct recognition *recognition, const struct edge *edge)
{
	const struct program *program = recognition->program;
	uint32_t site = recognition_step(recognition, edge->block)->site;

	return site < program->site_count && program->sites[site].address &&
	       program->sites[site].kind == SITE_UNKNOWN;
}

static void merge_equal(struct handovers *handovers)
{
	size_t kept = 0;

	if (handovers->count)
		qsort(handovers->items, handovers->count, sizeof(*handovers->items), by_threads);
	for (size_t i = 0; i < handovers->count; i++) {
		if (kept && !by_threads(&handovers->items[kept - 1], &handovers->items[i]))
			handovers->items[kept - 1].count += handovers->items[i].count;
		else
			handovers->items[kept++] = handovers->items[i];
	}
	handovers->count = kept;
}

static void index_threads(struct handovers *handovers, size_t thread_count)
{
	size_t item = 0;

	handovers->first = xcalloc(thread_count + 1, sizeof(*handovers->first));
	for (size_t i = 0; i <= thread_count; i++) {
		while (item < handovers->count && handovers->items[item].waker < i)
			item++;
		handovers->first[i] = item;
	}
}

static void gather(struct handovers *handovers, const struct recognition *recognition)
{
	const struct program *program = recognition->program;

	for (uint32_t i = 0; i < program->edge_count; i++) {
		const struct edge *edge = &recognition->edges[i];

		if (!recognition_has_edge(recognition, i) ||
		    edge->wake.thread == edge->block.thread || is_signal(recognition, edge) ||
		    is_in_row(&program->threads[edge->wake.thread], edge->wake.step))
			continue;
		array_reserve(&handovers->items, &handovers->capacity, handovers->count + 1);
		handovers->items[handovers->count++] =
			(struct handover){edge->wake.thread, edge->block.thread, 1};
	}
	merge_equal(handovers);
	index_threads(handovers, program->thread_count);
}

/* --- Triangles ----------------------------------------------------------------------------- */

static bool has_woken(const struct handovers *handovers, uint32_t waker, uint32_t waiter)
{
	const struct handover key = {.waker = waker, .waiter = waiter};
	size_t first = handovers->first[waker];

	return bsearch(&key, &handovers->items[first], handovers->first[waker + 1] - first,
		       sizeof(key), by_threads);
}

static bool wake_each_other(const struct handovers *handovers, uint32_t one, uint32_t other)
{
	return has_woken(handovers, one, other) && has_woken(handovers, other, one);
}

/* Is there a third one with whom both of them do so? */
static bool is_in_triangle(const struct handovers *handovers, const struct handover *side)
{
	size_t end = handovers->first[side->waker + 1], from = handovers->first[side->waker];

	if (!has_woken(handovers, side->waiter, side->waker))
		return false;
	for (size_t i = from; i < end && i < from + NEIGHBOURS_MAX; i++) {
		uint32_t third = handovers->items[i].waiter;

		if (third != side->waiter && has_woken(handovers, third, side->waker) &&
		    wake_each_other(handovers, third, side->waiter))
			return true;
	}
	return false;
}

uint64_t handovers_count(const struct program *program)
{
	struct handovers handovers = {.items = NULL};
	struct recognition recognition;
	struct program borrowed = *program;
	struct recognised found;
	uint64_t count = 0;

	recognition_init(&recognition, &borrowed, &found);
	gather(&handovers, &recognition);
	recognition_release(&recognition);
	for (size_t i = 0; i < handovers.count; i++)
		if (is_in_triangle(&handovers, &handovers.items[i]))
			count += handovers.items[i].count;
	free(handovers.items);
	free(handovers.first);
	return count;
}
