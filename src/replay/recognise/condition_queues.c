/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/condition_queues.h"

#include "base/alloc.h"
#include "replay/recognise/call_order.h"
#include "replay/recognise/recognition.h"

#include <stdlib.h>

enum { NOWHERE = PROGRAM_NONE, CALL_NS = 50000 };

/* A stretch with a mutex held. */
struct stretch {
	uint32_t mutex, thread;
	uint32_t begin;		    /* the step of its lock */
	uint32_t signal;	    /* ... and of its signal; NOWHERE: there is none */
	uint32_t signalled, waited; /* conditions; NOWHERE: none */
	uint64_t order;		    /* of its unlock among the calls on the mutex */
};

/* What is known of a mutex. */
struct monitor {
	uint32_t items, room; /* conditions; NOWHERE: none */
	bool unwaited;	      /* nobody has waited for any of them */
	bool rejected;
	bool room_is_short;		/* somebody waited for it */
	int64_t level, lowest, highest; /* signals of `items` so far, less others */
};

struct monitors {
	struct recognition *recognition;
	struct stretch *stretches; /* in the order of threads and steps */
	size_t count, capacity;
	const struct stretch **sorted; /* ... of mutexes, and of the calls on each */
	struct monitor *items;	       /* [site] */
};

static bool is_library_call(const struct step *step)
{
	return step_op(step) == STEP_CALL && step->site != PROGRAM_NONE &&
	       (step_call(step) >= SYNC_MUTEX_LOCK || step_call(step) == SYNC_NONE);
}

/* --- Finding stretches --------------------------------------------------------------------- */

static void add_condition(struct monitors *monitors, uint32_t *condition, uint32_t mutex,
			  uint32_t site)
{
	if (*condition != NOWHERE && *condition != site)
		monitors->items[mutex].rejected = true;
	*condition = site;
}

/*
 * A call with `open`'s mutex held. Returns whether that is held on. Where the call just before a
 * wait does not name a mutex, it is not known that the wait gives this one back.
 */
static bool go_on(struct monitors *monitors, struct stretch *open, const struct step *step,
		  uint32_t number)
{
	struct monitor *monitor = &monitors->items[open->mutex];

	switch (step_call(step)) {
	case SYNC_COND_SIGNAL:
		monitor->rejected |= open->signal != NOWHERE;
		open->signal = number;
		open->signalled = step->site;
		return true;
	case SYNC_COND_WAIT:
		monitor->rejected |= !is_library_call(step - 1) || step_call(step - 1) != SYNC_NONE;
		add_condition(monitors, &open->waited, open->mutex, step->site);
		return true;
	case SYNC_NONE:
		monitor->rejected |= step->site != open->mutex;
		return true;
	case SYNC_MUTEX_UNLOCK:
		monitor->rejected |= step->site != open->mutex;
		open->order = call_order_unwrap(step_call_order(step), open->order);
		return false;
	default:
		monitor->rejected = true;
		monitors->items[step->site].rejected = true;
		return true;
	}
}

/* Any use of a mutex but to hold it for a stretch of its own; `near` [site] */
static void find_stretches(struct monitors *monitors, uint32_t thread, uint64_t *near)
{
	const struct program_thread *own = &monitors->recognition->program->threads[thread];
	struct stretch open = {.mutex = NOWHERE};

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_library_call(step))
			continue;
		if (open.mutex == NOWHERE && step_call(step) == SYNC_MUTEX_LOCK) {
			open = (struct stretch){step->site, thread,	     i, NOWHERE, NOWHERE,
						NOWHERE,    near[step->site]};
		} else if (open.mutex == NOWHERE) {
			monitors->items[step->site].rejected = true;
		} else if (!go_on(monitors, &open, step, i)) {
			near[open.mutex] = open.order;
			array_reserve(&monitors->stretches, &monitors->capacity,
				      monitors->count + 1);
			monitors->stretches[monitors->count++] = open;
			open.mutex = NOWHERE;
		}
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_library_call(&own->steps[i]))
			near[own->steps[i].site] = 0;
}

/* --- Which are those of a queue ------------------------------------------------------------ */

static int by_order(const void *a, const void *b)
{
	const struct stretch *x = *(const struct stretch *const *)a;
	const struct stretch *y = *(const struct stretch *const *)b;

	if (x->mutex != y->mutex)
		return x->mutex < y->mutex ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void sort_stretches(struct monitors *monitors)
{
	monitors->sorted = xcalloc(monitors->count + 1, sizeof(*monitors->sorted));
	for (size_t i = 0; i < monitors->count; i++)
		monitors->sorted[i] = &monitors->stretches[i];
	if (monitors->count)
		qsort(monitors->sorted, monitors->count, sizeof(*monitors->sorted), by_order);
}

/* Where nobody has waited: who comes first puts, and what others signal than items is room. */
static void name_unwaited(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->count; i++) {
		const struct stretch *stretch = monitors->sorted[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		if (monitor->items == NOWHERE) {
			monitor->unwaited = true;
			monitor->rejected |= stretch->signalled == NOWHERE;
			monitor->items = stretch->signalled;
		} else if (monitor->unwaited && stretch->signalled != NOWHERE &&
			   stretch->signalled != monitor->items) {
			monitor->room = stretch->signalled;
		}
	}
}

/* For a beginning: what is waited for are items, and who has waited for them makes room. */
static void name_conditions(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->count; i++) {
		const struct stretch *stretch = &monitors->stretches[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		if (stretch->waited == NOWHERE || monitor->items != NOWHERE)
			continue;
		monitor->items = stretch->waited;
		monitor->room = stretch->signalled;
	}
	name_unwaited(monitors);
}

static bool is_put(const struct monitor *monitor, const struct stretch *stretch)
{
	return stretch->signalled == monitor->items;
}

/* Is it a put or a get as the header has them? */
static bool fits(const struct monitor *monitor, const struct stretch *stretch)
{
	if (stretch->signalled == NOWHERE)
		return monitor->room == NOWHERE &&
		       (stretch->waited == NOWHERE || stretch->waited == monitor->items);
	if (is_put(monitor, stretch))
		return stretch->waited == NOWHERE || stretch->waited == monitor->room;
	return stretch->signalled == monitor->room &&
	       (stretch->waited == NOWHERE || stretch->waited == monitor->items);
}

static void count_levels(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->count; i++) {
		const struct stretch *stretch = monitors->sorted[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		monitor->level += is_put(monitor, stretch) ? 1 : -1;
		if (monitor->level < monitor->lowest)
			monitor->lowest = monitor->level;
		if (monitor->level > monitor->highest)
			monitor->highest = monitor->level;
	}
}

/*
 * A queue is empty in the beginning: where fewer were put than got, it is the other way round. One
 * that is known by no wait is empty in the end, too: other uses of a mutex are not so even.
 */
static void orient(struct monitor *monitor)
{
	uint32_t items = monitor->items;

	monitor->rejected |= monitor->unwaited && (monitor->level || monitor->lowest < 0);
	if (monitor->lowest >= 0)
		return;
	if (monitor->room == NOWHERE || monitor->highest > 0)
		monitor->rejected = true;
	monitor->items = monitor->room;
	monitor->room = items;
}

static void judge(struct monitors *monitors)
{
	size_t site_count = monitors->recognition->program->site_count;

	sort_stretches(monitors);
	name_conditions(monitors);
	for (size_t i = 0; i < monitors->count; i++) {
		struct monitor *monitor = &monitors->items[monitors->stretches[i].mutex];

		monitor->rejected |=
			monitor->items == NOWHERE || !fits(monitor, &monitors->stretches[i]);
	}
	count_levels(monitors);
	for (size_t i = 0; i < site_count; i++)
		orient(&monitors->items[i]);
	for (size_t i = 0; i < monitors->count; i++) {
		const struct stretch *stretch = &monitors->stretches[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		monitor->room_is_short |=
			stretch->waited != NOWHERE && stretch->waited == monitor->room;
	}
}

/* A condition belongs to one mutex, and is used nowhere else. */
static void reject_shared_conditions(struct monitors *monitors)
{
	size_t site_count = monitors->recognition->program->site_count;
	uint32_t *owners = xcalloc(site_count, sizeof(*owners));

	for (size_t i = 0; i < monitors->count; i++) {
		const struct stretch *stretch = &monitors->stretches[i];
		const uint32_t used[] = {stretch->signalled, stretch->waited};

		for (size_t j = 0; j < 2; j++) {
			if (used[j] == NOWHERE)
				continue;
			if (owners[used[j]] && owners[used[j]] != stretch->mutex + 1)
				monitors->items[stretch->mutex].rejected =
					monitors->items[owners[used[j]] - 1].rejected = true;
			if (monitors->items[used[j]].rejected)
				monitors->items[stretch->mutex].rejected = true;
			owners[used[j]] = stretch->mutex + 1;
		}
	}
	free(owners);
}

/* --- Rewriting ----------------------------------------------------------------------------- */

struct writing {
	struct step *steps;
	size_t count, capacity;
};

static void write_step(struct writing *writing, struct step step)
{
	array_reserve(&writing->steps, &writing->capacity, writing->count + 1);
	writing->steps[writing->count++] = step;
}

/* What is taken in a stretch before its mutex; NOWHERE: nothing. */
static uint32_t taken_of(const struct monitor *monitor, const struct stretch *stretch)
{
	if (!is_put(monitor, stretch))
		return monitor->items;
	return monitor->room_is_short ? monitor->room : (uint32_t)NOWHERE;
}

/*
 * The waits for a condition are those for its token now, which has come before; and nobody gets the
 * mutex by them any more. What comes within CALL_NS of CPU time is in the call.
 */
static uint32_t drop_wait(struct recognition *recognition, struct program_thread *thread,
			  uint32_t wait)
{
	uint64_t run_ns = 0;
	uint32_t i = wait + 1;

	step_drop_call(&thread->steps[wait - 1], SYNC_COND_WAIT);
	step_drop_call(&thread->steps[wait], SYNC_COND_WAIT);
	for (; i < thread->count && !is_library_call(&thread->steps[i]); i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		run_ns += step_run_ns(step);
		if (run_ns > CALL_NS || (op != STEP_BLOCK && op != STEP_WAKE) ||
		    !recognition_has_edge(recognition, step->edge))
			continue;
		recognition_forget_edge(recognition, step->edge);
		recognition->found->waits++;
	}
	return i;
}

static void rewrite_calls(struct monitors *monitors, const struct stretch *stretch)
{
	struct recognition *recognition = monitors->recognition;
	struct program_thread *thread = &recognition->program->threads[stretch->thread];
	const struct monitor *monitor = &monitors->items[stretch->mutex];

	if (stretch->signal != NOWHERE) {
		struct step *signal = &thread->steps[stretch->signal];

		if (is_put(monitor, stretch) || monitor->room_is_short)
			step_become_at(signal, STEP_CALL, signal->site,
				       step_call_count(SYNC_SEM_POST, stretch->order));
		else
			step_drop_call(signal, SYNC_COND_SIGNAL);
	}
	for (uint32_t i = stretch->begin + 1; i < thread->count;) {
		const struct step *step = &thread->steps[i];

		if (is_library_call(step) && step_call(step) == SYNC_MUTEX_UNLOCK)
			break;
		i = is_library_call(step) && step_call(step) == SYNC_COND_WAIT
			    ? drop_wait(recognition, thread, i)
			    : i + 1;
	}
}

/* Puts the takes in front of the stretches of a thread. Returns the next thread's first stretch. */
static size_t insert_takes(struct monitors *monitors, size_t first)
{
	const struct stretch *stretches = monitors->stretches;
	struct program_thread *thread =
		&monitors->recognition->program->threads[stretches[first].thread];
	struct writing writing = {0};
	size_t next = first;

	for (uint32_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];
		const struct stretch *stretch = &stretches[next];
		bool begins = next < monitors->count &&
			      stretch->thread == stretches[first].thread && stretch->begin == i;
		const struct monitor *monitor = begins ? &monitors->items[stretch->mutex] : NULL;

		next += begins;
		if (begins && !monitor->rejected && taken_of(monitor, stretch) != NOWHERE) {
			write_step(&writing, (struct step){.run_op = step_run_op(step_run_ns(&step),
										 STEP_CALL),
							   .site = taken_of(monitor, stretch),
							   .count = step_call_count(
								   SYNC_SEM_WAIT, stretch->order)});
			step.run_op = step_run_op(0, step_op(&step));
		}
		write_step(&writing, step);
	}
	free(thread->steps);
	thread->steps = writing.steps;
	thread->count = writing.count;
	thread->capacity = writing.capacity;
	return next;
}

void condition_queues_rewrite(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct monitors monitors = {.recognition = recognition,
				    .items = xcalloc(program->site_count, sizeof(*monitors.items))};
	uint64_t *near = xcalloc(program->site_count, sizeof(*near));

	for (size_t i = 0; i < program->site_count; i++)
		monitors.items[i].items = monitors.items[i].room = NOWHERE;
	for (uint32_t i = 0; i < program->thread_count; i++)
		find_stretches(&monitors, i, near);
	judge(&monitors);
	reject_shared_conditions(&monitors);
	for (size_t i = 0; i < monitors.count; i++)
		if (!monitors.items[monitors.stretches[i].mutex].rejected)
			rewrite_calls(&monitors, &monitors.stretches[i]);
	for (size_t i = 0; i < monitors.count;)
		i = insert_takes(&monitors, i);
	free(near);
	free(monitors.sorted);
	free(monitors.stretches);
	free(monitors.items);
}
