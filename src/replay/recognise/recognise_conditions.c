/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Stretches with a mutex held ----------------------------------------------------------- */

enum { NOWHERE = PROGRAM_NONE };

struct stretch {
	uint32_t mutex, thread;
	uint32_t begin;	       /* the step of its lock */
	uint32_t tells;	       /* ... and of its signal or broadcast; NOWHERE: there is none */
	uint32_t told, waited; /* conditions; NOWHERE: none */
	uint64_t order;	       /* of its unlock among the calls on the mutex */
	uint32_t broadcasts;   /* of a counter: up to it, with its own */
};

struct stretches {
	const struct program *program;
	/* Notes a call with the mutex of `open` held; false: it is of no condition. */
	bool (*take)(void *context, struct stretch *open, const struct step *step, uint32_t number);
	void *context;
	struct stretch *items; /* in the order of threads and steps */
	size_t count, capacity;
	struct stretch **sorted; /* ... of mutexes, and of the calls on each */
	bool *rejected;		 /* [site]: it is used in another way, too */
	uint64_t *near;		 /* [site]: the place that the thread had there last */
};

static bool is_object_call(const struct step *step)
{
	return step_is_library_call(step) && step->site != PROGRAM_NONE;
}

/* A call with `open`'s mutex held. Returns whether that is held on. */
static bool stretch_goes_on(struct stretches *stretches, struct stretch *open,
			    const struct step *step, uint32_t number)
{
	enum sync_call call = step_call(step);

	if (stretches->take(stretches->context, open, step, number))
		return true;
	if (call == SYNC_NONE || call == SYNC_MUTEX_UNLOCK)
		stretches->rejected[open->mutex] |= step->site != open->mutex;
	else
		stretches->rejected[open->mutex] = stretches->rejected[step->site] = true;
	if (call == SYNC_MUTEX_UNLOCK)
		open->order = call_order_unwrap(step_call_order(step), open->order);
	return call != SYNC_MUTEX_UNLOCK;
}

/* Any use of a mutex but to hold it for a stretch of its own is another way. */
static void find_stretches(struct stretches *stretches, uint32_t thread)
{
	const struct program_thread *own = &stretches->program->threads[thread];
	uint64_t *near = stretches->near;
	struct stretch open = {.mutex = NOWHERE};

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_object_call(step))
			continue;
		if (open.mutex == NOWHERE && step_call(step) == SYNC_MUTEX_LOCK) {
			open = (struct stretch){step->site, thread,	      i, NOWHERE, NOWHERE,
						NOWHERE,    near[step->site], 0};
		} else if (open.mutex == NOWHERE) {
			stretches->rejected[step->site] = true;
		} else if (!stretch_goes_on(stretches, &open, step, i)) {
			near[open.mutex] = open.order;
			array_reserve(&stretches->items, &stretches->capacity,
				      stretches->count + 1);
			stretches->items[stretches->count++] = open;
			open.mutex = NOWHERE;
		}
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_object_call(&own->steps[i]))
			near[own->steps[i].site] = 0;
}

static int by_mutex(const void *a, const void *b)
{
	const struct stretch *x = *(const struct stretch *const *)a;
	const struct stretch *y = *(const struct stretch *const *)b;

	return x->mutex != y->mutex ? compare_values(x->mutex, y->mutex)
				    : compare_values(x->order, y->order);
}

/* `take` and its context are those that the stretches begin with. */
static void stretches_find(struct stretches *stretches, const struct program *program)
{
	stretches->program = program;
	stretches->rejected = xcalloc(program->site_count, sizeof(*stretches->rejected));
	stretches->near = xcalloc(program->site_count, sizeof(*stretches->near));
	for (uint32_t i = 0; i < program->thread_count; i++)
		find_stretches(stretches, i);
	stretches->sorted = xcalloc(stretches->count + 1, sizeof(struct stretch *));
	for (size_t i = 0; i < stretches->count; i++)
		stretches->sorted[i] = &stretches->items[i];
	sort_items(stretches->sorted, stretches->count, by_mutex);
}

static void stretches_release(struct stretches *stretches)
{
	free(stretches->items);
	free(stretches->sorted);
	free(stretches->rejected);
	free(stretches->near);
}

/* --- Conditions that are queues ------------------------------------------------------------- */

/*
 * Queues made of a mutex and conditions. A thread that finds something in such a queue does not
 * wait, so that the signals that were waited for do not tell what depends on what: on other cores
 * it may have to. Every put and every get does show, as a stretch with the mutex held:
 *
 *	put:	lock(m) [wait(room, m)] ... signal(items) unlock(m)
 *	get:	lock(m) [wait(items, m)] ... [signal(room)] unlock(m)
 *
 * Where all stretches of a mutex are of these two kinds, and in their recorded order never more has
 * been got than was put, each put gives a token of `items` and each get takes one, and likewise
 * with `room` if a thread ever waited for that. If none did it is not known how much there is.
 *
 * Where no thread has waited at all, as on one core, the first stretch is a put, and as many must
 * have been got in the end: else mutexes beside conditions that say nothing of the order of
 * threads, as those of counters, would be queues.
 */

/* What is known of a mutex. */
struct monitor {
	uint32_t items, room; /* conditions; NOWHERE: none */
	bool unwaited;	      /* no thread has waited for any of them */
	bool rejected;
	bool room_is_short;		/* a thread waited for it */
	int64_t level, lowest, highest; /* signals of `items` so far, less others */
};

struct monitors {
	struct recognition *recognition;
	struct stretches stretches;
	struct monitor *items; /* [site] */
};

/*
 * Where the call just before a wait does not name a mutex, it is not known that the wait gives this
 * one back.
 */
static bool queues_take(void *context, struct stretch *open, const struct step *step,
			uint32_t number)
{
	struct monitors *monitors = context;
	struct monitor *monitor = &monitors->items[open->mutex];

	if (step_call(step) == SYNC_COND_SIGNAL) {
		monitor->rejected |= open->tells != NOWHERE;
		open->tells = number;
		open->told = step->site;
		return true;
	}
	if (step_call(step) != SYNC_COND_WAIT)
		return false;
	monitor->rejected |= !is_object_call(step - 1) || step_call(step - 1) != SYNC_NONE ||
			     (open->waited != NOWHERE && open->waited != step->site);
	open->waited = step->site;
	return true;
}

/* --- Which are those of a queue ------------------------------------------------------------ */

/* Where none has waited: the first thread puts, and another condition than items is room. */
static void name_unwaited(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = monitors->stretches.sorted[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		if (monitor->items == NOWHERE) {
			monitor->unwaited = true;
			monitor->rejected |= stretch->told == NOWHERE;
			monitor->items = stretch->told;
		} else if (monitor->unwaited && stretch->told != NOWHERE &&
			   stretch->told != monitor->items) {
			monitor->room = stretch->told;
		}
	}
}

/* For a beginning: waits are for items, and a thread that has waited for them makes room. */
static void name_conditions(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = &monitors->stretches.items[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		if (stretch->waited == NOWHERE || monitor->items != NOWHERE)
			continue;
		monitor->items = stretch->waited;
		monitor->room = stretch->told;
	}
	name_unwaited(monitors);
}

static bool queues_is_put(const struct monitor *monitor, const struct stretch *stretch)
{
	return stretch->told == monitor->items;
}

/* Is it a put or a get as the header has them? */
static bool queues_fits(const struct monitor *monitor, const struct stretch *stretch)
{
	if (stretch->told == NOWHERE)
		return monitor->room == NOWHERE &&
		       (stretch->waited == NOWHERE || stretch->waited == monitor->items);
	if (queues_is_put(monitor, stretch))
		return stretch->waited == NOWHERE || stretch->waited == monitor->room;
	return stretch->told == monitor->room &&
	       (stretch->waited == NOWHERE || stretch->waited == monitor->items);
}

static void count_levels(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = monitors->stretches.sorted[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		monitor->level += queues_is_put(monitor, stretch) ? 1 : -1;
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
static void queues_orient(struct monitor *monitor)
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

static void queues_judge(struct monitors *monitors)
{
	size_t site_count = monitors->recognition->program->site_count;

	name_conditions(monitors);
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		struct monitor *monitor = &monitors->items[monitors->stretches.items[i].mutex];

		monitor->rejected |= monitor->items == NOWHERE ||
				     !queues_fits(monitor, &monitors->stretches.items[i]);
	}
	count_levels(monitors);
	for (size_t i = 0; i < site_count; i++)
		queues_orient(&monitors->items[i]);
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = &monitors->stretches.items[i];
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

	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = &monitors->stretches.items[i];
		const uint32_t used[] = {stretch->told, stretch->waited};

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
	if (!queues_is_put(monitor, stretch))
		return monitor->items;
	return monitor->room_is_short ? monitor->room : (uint32_t)NOWHERE;
}

/*
 * The waits for a condition are those for its token now, which has come before; and no thread gets
 * the mutex by them any more. What comes within RECOGNITION_CALL_NS of CPU time is in the call.
 */
static uint32_t drop_wait(struct recognition *recognition, struct program_thread *thread,
			  uint32_t wait)
{
	uint64_t run_ns = 0;
	uint32_t i = wait + 1;

	step_drop_call(&thread->steps[wait - 1], SYNC_COND_WAIT);
	step_drop_call(&thread->steps[wait], SYNC_COND_WAIT);
	for (; i < thread->count && !is_object_call(&thread->steps[i]); i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		run_ns += step_run_ns(step);
		if (run_ns > RECOGNITION_CALL_NS || (op != STEP_BLOCK && op != STEP_WAKE) ||
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

	if (stretch->tells != NOWHERE) {
		struct step *signal = &thread->steps[stretch->tells];

		if (queues_is_put(monitor, stretch) || monitor->room_is_short)
			step_become_at(signal, STEP_CALL, signal->site,
				       step_call_count(SYNC_SEM_POST, stretch->order));
		else
			step_drop_call(signal, SYNC_COND_SIGNAL);
	}
	for (uint32_t i = stretch->begin + 1; i < thread->count;) {
		const struct step *step = &thread->steps[i];

		if (is_object_call(step) && step_call(step) == SYNC_MUTEX_UNLOCK)
			break;
		i = is_object_call(step) && step_call(step) == SYNC_COND_WAIT
			    ? drop_wait(recognition, thread, i)
			    : i + 1;
	}
}

/* Puts the takes in front of the stretches of a thread. Returns the next thread's first stretch. */
static size_t insert_takes(struct monitors *monitors, size_t first)
{
	const struct stretch *stretches = monitors->stretches.items;
	struct program_thread *thread =
		&monitors->recognition->program->threads[stretches[first].thread];
	struct writing writing = {0};
	size_t next = first;

	for (uint32_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];
		const struct stretch *stretch = &stretches[next];
		bool begins = next < monitors->stretches.count &&
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

	monitors.stretches = (struct stretches){.take = queues_take, .context = &monitors};
	for (size_t i = 0; i < program->site_count; i++)
		monitors.items[i].items = monitors.items[i].room = NOWHERE;
	stretches_find(&monitors.stretches, program);
	for (size_t i = 0; i < program->site_count; i++)
		monitors.items[i].rejected |= monitors.stretches.rejected[i];
	queues_judge(&monitors);
	reject_shared_conditions(&monitors);
	for (size_t i = 0; i < monitors.stretches.count; i++)
		if (!monitors.items[monitors.stretches.items[i].mutex].rejected)
			rewrite_calls(&monitors, &monitors.stretches.items[i]);
	for (size_t i = 0; i < monitors.stretches.count;)
		i = insert_takes(&monitors, i);
	stretches_release(&monitors.stretches);
	free(monitors.items);
}

/* --- Conditions that tell of progress ------------------------------------------------------- */

/*
 * Counters made of a mutex and a condition: one thread counts its progress up and tells all,
 * and others go on as far as it has come, like those that code the next picture row by row:
 *
 *	progress:	lock(m) ... broadcast(c) unlock(m)
 *	follow:		lock(m) [wait(c, m) ...] unlock(m)
 *
 * On few cores those that follow mostly need not wait, as the other one is far ahead, and then the
 * recording has no edge between the two; on more cores they have to. How far the counter must be is
 * known where a thread did wait: it went on after the n-th broadcast and not after the one before.
 * In between a thread that follows needs more and more of it, taken to grow evenly from one wait to
 * the next, and never more than there was when it passed.
 */

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
	struct stretches stretches;
	struct insertion *insertions;
	size_t insertion_count, insertion_capacity;
};

static void use_condition(struct counter *counter, uint32_t site)
{
	counter->rejected |= counter->condition != NOWHERE && counter->condition != site;
	counter->condition = site;
}

static bool counters_take(void *context, struct stretch *open, const struct step *step,
			  uint32_t number)
{
	struct counters *counters = context;
	struct counter *counter = &counters->items[open->mutex];

	if (step_call(step) == SYNC_COND_BROADCAST) {
		counter->rejected |= open->tells != NOWHERE || open->waited != NOWHERE;
		open->tells = number;
	} else if (step_call(step) == SYNC_COND_WAIT) {
		counter->rejected |= open->tells != NOWHERE;
		open->waited = step->site;
	} else {
		return false;
	}
	use_condition(counter, step->site);
	return true;
}

/* --- What is followed ---------------------------------------------------------------------- */

static void counters_insert(struct counters *counters, uint32_t thread, uint32_t before,
			    struct step step)
{
	array_reserve(&counters->insertions, &counters->insertion_capacity,
		      counters->insertion_count + 1);
	counters->insertions[counters->insertion_count++] =
		(struct insertion){thread, before, step};
}

/* The wait for a broadcast, in front of a stretch. */
static void counters_add_edge(struct counters *counters, const struct stretch *from,
			      const struct stretch *to)
{
	uint32_t edge = counters->program->edge_count++;
	uint32_t condition = counters->items[to->mutex].condition;

	counters->program->sites[condition].followed = true;
	counters_insert(counters, from->thread, from->tells + 1,
			(struct step){.run_op = step_run_op(0, STEP_WAKE),
				      .thread = to->thread,
				      .edge = edge});
	counters_insert(counters, to->thread, to->begin,
			(struct step){.run_op = step_run_op(0, STEP_BLOCK),
				      .site = condition,
				      .edge = edge});
}

/* Of own[from] and own[to], which have waited, and those of the thread in between. */
static void follow_evenly(struct counters *counters, const struct stretch *const *own, size_t from,
			  size_t to, const struct stretch *const *broadcasts)
{
	uint64_t rise = own[to]->broadcasts - own[from]->broadcasts,
		 reached = own[from]->broadcasts;

	for (size_t i = from + 1; i < to; i++) {
		uint64_t need = own[from]->broadcasts + rise * (i - from) / (to - from);

		need = need < own[i]->broadcasts ? need : own[i]->broadcasts;
		if (need <= reached)
			continue;
		reached = need;
		if (broadcasts[need - 1]->thread != own[i]->thread)
			counters_add_edge(counters, broadcasts[need - 1], own[i]);
	}
}

static void counters_follow(struct counters *counters, const struct stretch *const *own,
			    size_t count, const struct stretch *const *broadcasts)
{
	size_t last = count;

	for (size_t i = 0; i < count; i++) {
		if (own[i]->waited == NOWHERE)
			continue;
		if (last < count)
			follow_evenly(counters, own, last, i, broadcasts);
		last = i;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct stretch *x = *(const struct stretch *const *)a;
	const struct stretch *y = *(const struct stretch *const *)b;

	return x->thread != y->thread ? compare_values(x->thread, y->thread)
				      : compare_values(x->order, y->order);
}

/* The followers of a counter, each thread by itself. */
static void follow_all(struct counters *counters, const struct stretch **own, size_t count,
		       const struct stretch *const *broadcasts)
{
	size_t end;

	sort_items(own, count, by_thread);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (own[end]->thread != own[i]->thread)
				break;
		counters_follow(counters, &own[i], end - i, broadcasts);
	}
}

/* `stretches` of one mutex, in order. */
static void add_counter(struct counters *counters, struct stretch **stretches, size_t count)
{
	const struct stretch **broadcasts = xcalloc(count, sizeof(*broadcasts));
	const struct stretch **own = xcalloc(count, sizeof(*own));
	size_t followed = 0;
	uint32_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (stretches[i]->tells != NOWHERE)
			broadcasts[total++] = stretches[i];
		else
			own[followed++] = stretches[i];
		stretches[i]->broadcasts = total;
	}
	follow_all(counters, own, followed, broadcasts);
	free(broadcasts);
	free(own);
}

static void add_counters(struct counters *counters)
{
	const struct stretches *stretches = &counters->stretches;
	struct stretch **sorted = stretches->sorted;
	size_t end;

	for (size_t i = 0; i < stretches->count; i = end) {
		const struct counter *counter = &counters->items[sorted[i]->mutex];

		for (end = i + 1; end < stretches->count; end++)
			if (sorted[end]->mutex != sorted[i]->mutex)
				break;
		if (!counter->rejected && counter->condition != NOWHERE)
			add_counter(counters, &sorted[i], end - i);
	}
}

/* --- Rewriting ----------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	if (x->thread != y->thread)
		return compare_values(x->thread, y->thread);
	return x->before != y->before ? compare_values(x->before, y->before)
				      : compare_values(x->step.edge, y->step.edge);
}

/* The CPU time before a step is before what is put in front of it. */
static size_t counters_put_in(struct counters *counters, size_t first)
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

	counters.stretches = (struct stretches){.take = counters_take, .context = &counters};
	for (size_t i = 0; i < program->site_count; i++)
		counters.items[i].condition = NOWHERE;
	stretches_find(&counters.stretches, program);
	for (size_t i = 0; i < program->site_count; i++)
		counters.items[i].rejected |= counters.stretches.rejected[i];
	add_counters(&counters);
	sort_items(counters.insertions, counters.insertion_count, by_place);
	for (size_t i = 0; i < counters.insertion_count;)
		i = counters_put_in(&counters, i);
	stretches_release(&counters.stretches);
	free(counters.insertions);
	free(counters.items);
}
