/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/condition_counters.h"

#include "base/alloc.h"
#include "replay/program/program.h"
#include "replay/recognise/call_order.h"

#include <stdlib.h>

enum { NOWHERE = PROGRAM_NONE };

/* A stretch with a mutex held. */
struct visit {
	uint32_t mutex, thread;
	uint32_t begin;	    /* the step of its lock */
	uint32_t broadcast; /* ... and of its broadcast; NOWHERE: it follows */
	bool waited;
	uint64_t order; /* of its unlock among the calls on the mutex */
	uint32_t count; /* broadcasts up to it, with its own */
};

/* What is known of a mutex. */
struct counter {
	uint32_t condition; /* NOWHERE: none yet */
	bool rejected;
};

/* A step to be put into a thread. */
struct insertion {
	uint32_t thread, before; /* the step that it comes before */
	struct step step;
};

struct counters {
	struct program *program;
	struct counter *items; /* [site] */
	struct visit *visits;
	size_t count, capacity;
	struct insertion *insertions;
	size_t insertion_count, insertion_capacity;
};

static bool is_library_call(const struct step *step)
{
	return step_op(step) == STEP_CALL && step->site != PROGRAM_NONE &&
	       (step_call(step) >= SYNC_MUTEX_LOCK || step_call(step) == SYNC_NONE);
}

/* --- Finding visits ------------------------------------------------------------------------ */

static void use_condition(struct counter *counter, uint32_t site)
{
	counter->rejected |= counter->condition != NOWHERE && counter->condition != site;
	counter->condition = site;
}

/* A call with `open`'s mutex held. Returns whether that is held on. */
static bool go_on(struct counters *counters, struct visit *open, const struct step *step,
		  uint32_t number)
{
	struct counter *counter = &counters->items[open->mutex];

	switch (step_call(step)) {
	case SYNC_COND_BROADCAST:
		counter->rejected |= open->broadcast != NOWHERE || open->waited;
		use_condition(counter, step->site);
		open->broadcast = number;
		return true;
	case SYNC_COND_WAIT:
		counter->rejected |= open->broadcast != NOWHERE;
		use_condition(counter, step->site);
		open->waited = true;
		return true;
	case SYNC_NONE:
		counter->rejected |= step->site != open->mutex;
		return true;
	case SYNC_MUTEX_UNLOCK:
		counter->rejected |= step->site != open->mutex;
		open->order = call_order_unwrap(step_call_order(step), open->order);
		return false;
	default:
		counter->rejected = counters->items[step->site].rejected = true;
		return true;
	}
}

/* `near` [site]: the place that the thread had there last. */
static void find_visits(struct counters *counters, uint32_t thread, uint64_t *near)
{
	const struct program_thread *own = &counters->program->threads[thread];
	struct visit open = {.mutex = NOWHERE};

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_library_call(step))
			continue;
		if (open.mutex == NOWHERE && step_call(step) == SYNC_MUTEX_LOCK) {
			open = (struct visit){.mutex = step->site,
					      .thread = thread,
					      .begin = i,
					      .broadcast = NOWHERE,
					      .order = near[step->site]};
		} else if (open.mutex == NOWHERE) {
			counters->items[step->site].rejected = true;
		} else if (!go_on(counters, &open, step, i)) {
			near[open.mutex] = open.order;
			array_reserve(&counters->visits, &counters->capacity, counters->count + 1);
			counters->visits[counters->count++] = open;
			open.mutex = NOWHERE;
		}
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_library_call(&own->steps[i]))
			near[own->steps[i].site] = 0;
}

static int by_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->mutex != y->mutex)
		return x->mutex < y->mutex ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* --- What is followed ---------------------------------------------------------------------- */

static void insert(struct counters *counters, uint32_t thread, uint32_t before, struct step step)
{
	array_reserve(&counters->insertions, &counters->insertion_capacity,
		      counters->insertion_count + 1);
	counters->insertions[counters->insertion_count++] =
		(struct insertion){thread, before, step};
}

/* The wait for a broadcast, in front of a visit. */
static void add_edge(struct counters *counters, const struct visit *from, const struct visit *to)
{
	uint32_t edge = counters->program->edge_count++;
	uint32_t condition = counters->items[to->mutex].condition;

	counters->program->sites[condition].followed = true;
	insert(counters, from->thread, from->broadcast + 1,
	       (struct step){
		       .run_op = step_run_op(0, STEP_WAKE), .thread = to->thread, .edge = edge});
	insert(counters, to->thread, to->begin,
	       (struct step){
		       .run_op = step_run_op(0, STEP_BLOCK), .site = condition, .edge = edge});
}

/* Of visits[from] and visits[to], which have waited, and those of the thread in between. */
static void follow_evenly(struct counters *counters, const struct visit *const *own, size_t from,
			  size_t to, const struct visit *const *broadcasts)
{
	uint64_t rise = own[to]->count - own[from]->count, reached = own[from]->count;

	for (size_t i = from + 1; i < to; i++) {
		uint64_t need = own[from]->count + rise * (i - from) / (to - from);

		need = need < own[i]->count ? need : own[i]->count;
		if (need <= reached)
			continue;
		reached = need;
		if (broadcasts[need - 1]->thread != own[i]->thread)
			add_edge(counters, broadcasts[need - 1], own[i]);
	}
}

static void follow(struct counters *counters, const struct visit *const *own, size_t count,
		   const struct visit *const *broadcasts)
{
	size_t last = count;

	for (size_t i = 0; i < count; i++) {
		if (!own[i]->waited)
			continue;
		if (last < count)
			follow_evenly(counters, own, last, i, broadcasts);
		last = i;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct visit *x = *(const struct visit *const *)a;
	const struct visit *y = *(const struct visit *const *)b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Those who follow, each thread for itself. */
static void follow_all(struct counters *counters, const struct visit **own, size_t count,
		       const struct visit *const *broadcasts)
{
	size_t end;

	if (count)
		qsort(own, count, sizeof(*own), by_thread);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (own[end]->thread != own[i]->thread)
				break;
		follow(counters, &own[i], end - i, broadcasts);
	}
}

/* `visits` of one mutex, in order. */
static void add_counter(struct counters *counters, struct visit *visits, size_t count)
{
	const struct visit **broadcasts = xcalloc(count, sizeof(*broadcasts));
	const struct visit **own = xcalloc(count, sizeof(*own));
	size_t followed = 0;
	uint32_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (visits[i].broadcast != NOWHERE)
			broadcasts[total++] = &visits[i];
		else
			own[followed++] = &visits[i];
		visits[i].count = total;
	}
	follow_all(counters, own, followed, broadcasts);
	free(broadcasts);
	free(own);
}

static void add_counters(struct counters *counters)
{
	size_t end;

	if (counters->count)
		qsort(counters->visits, counters->count, sizeof(*counters->visits), by_order);
	for (size_t i = 0; i < counters->count; i = end) {
		const struct counter *counter = &counters->items[counters->visits[i].mutex];

		for (end = i + 1; end < counters->count; end++)
			if (counters->visits[end].mutex != counters->visits[i].mutex)
				break;
		if (!counter->rejected && counter->condition != NOWHERE)
			add_counter(counters, &counters->visits[i], end - i);
	}
}

/* --- Rewriting ----------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->step.edge > y->step.edge) - (x->step.edge < y->step.edge);
}

/* The CPU time before a step is before what is put in front of it. */
static size_t put_in(struct counters *counters, size_t first)
{
	const struct insertion *insertions = counters->insertions;
	struct program_thread *thread = &counters->program->threads[insertions[first].thread];
	size_t end = first, next = first, count = 0;
	struct step *steps;

	while (end < counters->insertion_count &&
	       insertions[end].thread == insertions[first].thread)
		end++;
	steps = xcalloc(thread->count + (end - first), sizeof(*steps));
	for (uint32_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		for (; next < end && insertions[next].before == i; next++) {
			steps[count] = insertions[next].step;
			steps[count].run_op =
				step_run_op(step_run_ns(&step), step_op(&insertions[next].step));
			step.run_op = step_run_op(0, step_op(&step));
			count++;
		}
		steps[count++] = step;
	}
	free(thread->steps);
	thread->steps = steps;
	thread->count = thread->capacity = count;
	return end;
}

void condition_counters_add(struct program *program)
{
	struct counters counters = {.program = program,
				    .items = xcalloc(program->site_count, sizeof(*counters.items))};
	uint64_t *near = xcalloc(program->site_count, sizeof(*near));

	for (size_t i = 0; i < program->site_count; i++)
		counters.items[i].condition = NOWHERE;
	for (uint32_t i = 0; i < program->thread_count; i++)
		find_visits(&counters, i, near);
	add_counters(&counters);
	if (counters.insertion_count)
		qsort(counters.insertions, counters.insertion_count, sizeof(*counters.insertions),
		      by_place);
	for (size_t i = 0; i < counters.insertion_count;)
		i = put_in(&counters, i);
	free(near);
	free(counters.insertions);
	free(counters.visits);
	free(counters.items);
}
