/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/block_spans.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* A call that has not ended; state_ns are the times of the thread when it began. */
struct frame {
	uint64_t enter_ns;
	uint64_t state_ns[SPAN_STATES];
	uint64_t key; /* the key of the leave that ends the call */
	uint32_t block;
};

/* An event before which the state of the thread is not known yet. */
struct waiting {
	uint64_t time_ns;
	uint64_t key;
	uint32_t block;
	bool leave;
};

struct thread_calls {
	struct frame *frames;
	size_t depth, capacity;
	uint64_t deeper; /* the number of calls deeper than `frames` */
	struct waiting *waiting;
	size_t waiting_begin, waiting_count, waiting_capacity;
	bool appeared;
	uint64_t at_ns;			/* the states of the thread are known up to here */
	uint64_t state_ns[SPAN_STATES]; /* the time in each state since it appeared */
	uint64_t events, searched;	/* calls searched for leaves that end none */
	struct block_span common; /* the members that are the same in all spans of the thread */
};

/* Most threads have no calls. */
struct spanned_thread {
	struct thread_calls *calls;  /* NULL: no call since it appeared */
	enum thread_state announced; /* the state after its last change */
	bool appeared;		     /* the thread has had a change */
};

struct block_spans {
	struct timeline *timeline;
	struct spanned_thread *threads;
	size_t thread_count;
	size_t waiting; /* the number of waiting events of all threads */
	struct block_span *ready;
	size_t ready_begin, ready_count, ready_capacity;
	struct block_spans_counts counts;
	struct block_spans_watcher watcher;
	bool watched, steps, begins;
};

/* --- Calls --------------------------------------------------------------------------------- */

/* Marks keys of tasks: no block has a number this large. */
static const uint64_t OF_TASK = UINT64_C(1) << 63;

static enum span_state span_state_of(enum thread_state state)
{
	switch (state) {
	case STATE_RUNNING:
		return SPAN_RUNNING;
	case STATE_RUNNABLE:
		return SPAN_RUNNABLE;
	case STATE_SLEEPING:
		return SPAN_SLEEPING;
	case STATE_DISK:
		return SPAN_DISK;
	default:
		return SPAN_OTHER;
	}
}

/* Adds the time up to `time_ns` to `state`; there is none before the thread appeared. */
static void pass(struct thread_calls *thread, uint64_t time_ns, enum thread_state state)
{
	if (thread->appeared && time_ns <= thread->at_ns)
		return;
	if (thread->appeared)
		thread->state_ns[span_state_of(state)] += time_ns - thread->at_ns;
	thread->at_ns = time_ns;
	thread->appeared = true;
}

/* Returns a new span of the innermost call, with the states known so far. */
static struct block_span *put_span(struct block_spans *spans, const struct thread_calls *thread)
{
	const struct frame *frame = &thread->frames[thread->depth - 1];
	struct block_span *span;

	array_reserve(&spans->ready, &spans->ready_capacity, spans->ready_count + 1);
	span = &spans->ready[spans->ready_count++];
	*span = thread->common;
	span->block = frame->block;
	span->of_task = (frame->key & OF_TASK) != 0;
	span->depth = (uint32_t)thread->depth - 1;
	span->enter_ns = frame->enter_ns;
	span->leave_ns = thread->at_ns;
	for (size_t i = 0; i < SPAN_STATES; i++)
		span->state_ns[i] = thread->state_ns[i] - frame->state_ns[i];
	return span;
}

static void enter(struct block_spans *spans, struct thread_calls *thread,
		  const struct waiting *begin)
{
	struct frame *frame;

	if (thread->depth == BLOCK_SPANS_DEPTH) {
		thread->deeper++;
		spans->counts.deep++;
		return;
	}
	array_reserve(&thread->frames, &thread->capacity, thread->depth + 1);
	frame = &thread->frames[thread->depth++];
	frame->enter_ns = thread->at_ns;
	frame->key = begin->key;
	frame->block = begin->block;
	memcpy(frame->state_ns, thread->state_ns, sizeof(frame->state_ns));
	if (spans->begins)
		put_span(spans, thread)->begins = true;
}

/* Ends the innermost call. */
static struct block_span *end_call(struct block_spans *spans, struct thread_calls *thread)
{
	struct block_span *span = put_span(spans, thread);

	thread->depth--;
	spans->counts.spans++;
	return span;
}

/*
 * Returns the depth of the innermost call with a key, from 1 on; 0: none. After many stray leaves
 * only the innermost calls are searched, so that this takes no longer than reading the events.
 */
static size_t find_call(struct thread_calls *thread, uint64_t key)
{
	enum { NEAR = 64 };
	size_t depth = thread->depth, end = 0;

	if (thread->searched > NEAR * thread->events && depth > NEAR)
		end = depth - NEAR;
	while (depth > end && thread->frames[depth - 1].key != key)
		depth--;
	if (depth > end)
		return depth;
	thread->searched += thread->depth - end;
	return 0;
}

static void leave(struct block_spans *spans, struct thread_calls *thread, const struct waiting *end)
{
	size_t depth;

	if (thread->deeper) {
		thread->deeper--;
		return;
	}
	depth = find_call(thread, end->key);
	spans->counts.stray += !depth;
	while (depth && thread->depth > depth) {
		end_call(spans, thread)->unwound = true;
		spans->counts.unwound++;
	}
	if (depth)
		end_call(spans, thread);
}

/* --- Settled calls ------------------------------------------------------------------------- */

/* Applies the waiting events up to `end_ns`; the thread was in `state` before them. */
static void settle(struct block_spans *spans, struct thread_calls *thread, uint64_t end_ns,
		   enum thread_state state)
{
	for (; thread->waiting_count; thread->waiting_begin++, thread->waiting_count--) {
		const struct waiting *next = &thread->waiting[thread->waiting_begin];

		if (next->time_ns > end_ns)
			break;
		pass(thread, next->time_ns, state);
		(next->leave ? leave : enter)(spans, thread, next);
		spans->waiting--;
	}
	if (thread->waiting_begin < thread->waiting_count)
		return;
	if (thread->waiting_count)
		memmove(thread->waiting, thread->waiting + thread->waiting_begin,
			thread->waiting_count * sizeof(*thread->waiting));
	thread->waiting_begin = 0;
}

static struct spanned_thread *find_thread(struct block_spans *spans, size_t number)
{
	array_reserve(&spans->threads, &spans->thread_count, number + 1);
	return &spans->threads[number];
}

/* Reads the begin or end of a span; returns false for other events. */
static bool read_event(struct waiting *waiting, const struct event *event, bool steps)
{
	waiting->block = event->block;
	waiting->key = event->block;
	waiting->leave = event->kind == EVENT_LEAVE;
	if (event->kind != EVENT_STEP)
		return event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE;
	waiting->key = event->object | OF_TASK;
	waiting->leave = task_step_stops(event->step);
	return steps && (waiting->leave || task_step_starts(event->step));
}

static void take_mark(void *context, const struct mark *mark)
{
	struct block_spans *spans = context;
	struct waiting waiting = {.time_ns = mark->time_ns};
	struct spanned_thread *of;
	struct thread_calls *thread;
	size_t end;

	if (spans->watcher.mark)
		spans->watcher.mark(spans->watcher.context, mark);
	if (!read_event(&waiting, mark->event, spans->steps))
		return;
	of = find_thread(spans, mark->thread);
	if (!of->calls)
		of->calls = xcalloc(1, sizeof(*of->calls));
	thread = of->calls;
	end = thread->waiting_begin + thread->waiting_count;
	array_reserve(&thread->waiting, &thread->waiting_capacity, end + 1);
	thread->waiting[end] = waiting;
	thread->waiting_count++;
	thread->events++;
	spans->counts.events++;
	if (++spans->waiting >= BLOCK_SPANS_WAITING)
		settle(spans, thread, UINT64_MAX, of->announced);
}

static void free_calls(struct thread_calls *thread)
{
	if (!thread)
		return;
	free(thread->frames);
	free(thread->waiting);
	free(thread);
}

/* Ends all calls: the thread has ended, or the trace. */
static void end_thread(struct block_spans *spans, struct thread_calls *thread)
{
	settle(spans, thread, UINT64_MAX, STATE_UNKNOWN);
	while (thread->depth) {
		end_call(spans, thread)->open = true;
		spans->counts.open++;
	}
	free_calls(thread);
}

static void take_calls(struct block_spans *spans, struct spanned_thread *of,
		       const struct change *change)
{
	struct thread_calls *thread = of->calls;
	struct block_span *common = &thread->common;

	if (of->appeared && !thread->appeared)
		pass(thread, change->begin_ns, change->state);
	common->thread = change->thread;
	common->tid = change->tid;
	common->pid = change->pid;
	memcpy(common->comm, change->comm, sizeof(common->comm));
	settle(spans, thread, change->end_ns, change->state);
	pass(thread, change->end_ns, change->state);
	if (change->next != STATE_NONE)
		return;
	end_thread(spans, thread);
	of->calls = NULL;
}

static void take_change(struct block_spans *spans, const struct change *change)
{
	struct spanned_thread *of = find_thread(spans, change->thread);

	if (spans->watcher.change)
		spans->watcher.change(spans->watcher.context, change);
	if (of->calls)
		take_calls(spans, of, change);
	of->announced = change->next;
	of->appeared = change->next != STATE_NONE;
}

/* --- Spans --------------------------------------------------------------------------------- */

struct block_spans *block_spans_new(struct timeline *timeline)
{
	struct block_spans *spans = xcalloc(1, sizeof(*spans));

	spans->timeline = timeline;
	timeline_want_marks(timeline, take_mark, spans);
	return spans;
}

void block_spans_watch(struct block_spans *spans, const struct block_spans_watcher *watcher)
{
	spans->watcher = *watcher;
	spans->watched = true;
}

void block_spans_want_tasks(struct block_spans *spans)
{
	spans->steps = true;
}

void block_spans_want_begins(struct block_spans *spans)
{
	spans->begins = true;
}

void block_spans_free(struct block_spans *spans)
{
	if (!spans)
		return;
	for (size_t i = 0; i < spans->thread_count; i++)
		free_calls(spans->threads[i].calls);
	free(spans->threads);
	free(spans->ready);
	free(spans);
}

static bool pop(struct block_spans *spans, struct block_span *span)
{
	if (spans->ready_begin == spans->ready_count) {
		spans->ready_begin = spans->ready_count = 0;
		return false;
	}
	*span = spans->ready[spans->ready_begin++];
	return true;
}

int block_spans_none(struct err *err)
{
	return err_set(err, "the recording has no calls or tasks of the target; record them with "
			    "'pscal record --probe', or --tasks");
}

int block_spans_next(struct block_spans *spans, struct block_span *span, struct err *err)
{
	while (!pop(spans, span)) {
		const struct change *change;
		int rc = timeline_borrow(spans->timeline, &change, err);

		if (rc < 0)
			return -1;
		if (rc > 0)
			take_change(spans, change);
		else if (spans->counts.events || spans->watched)
			return 0;
		else
			return block_spans_none(err);
	}
	return 1;
}

const struct block_spans_counts *block_spans_counts(const struct block_spans *spans)
{
	return &spans->counts;
}
