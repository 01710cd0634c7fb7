/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/block_spans.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { A, B, C };

static struct event block(uint64_t time_ns, int32_t tid, bool leaves, uint32_t number)
{
	struct event event = event_new(leaves ? EVENT_LEAVE : EVENT_ENTER, time_ns);

	event.tid = tid;
	event.block = number;
	return event;
}

/* `from` leaves CPU 0 in `state`; `to` gets it. */
static struct event sched_switch(uint64_t time_ns, int32_t from, enum thread_state state,
				 int32_t to)
{
	struct event event = event_new(EVENT_SWITCH, time_ns);

	event.cpu = 0;
	event.tid = from;
	event.state = state;
	event.other = to;
	return event;
}

static struct event wake(uint64_t time_ns, int32_t tid)
{
	struct event event = event_new(EVENT_WAKE, time_ns);

	event.tid = 9;
	event.cpu = 1;
	event.other = tid;
	return event;
}

struct read {
	struct event_source *source;
	struct timeline *timeline;
	struct block_spans *spans;
	struct selection selection;
};

static void begin(struct read *read, const struct event *events, size_t count)
{
	read->source = array_source(events, count);
	read->timeline = timeline_new(read->source, &read->selection);
	read->spans = block_spans_new(read->timeline);
}

static void end(struct read *read)
{
	block_spans_free(read->spans);
	timeline_free(read->timeline);
	event_source_free(read->source);
}

/* A step, whose site is the number of steps so far. */
static struct event step(uint64_t time_ns, int32_t tid, uint64_t task, enum task_step what,
			 uint32_t site)
{
	struct event event = event_new(EVENT_STEP, time_ns);

	event.tid = tid;
	event.block = site;
	event.object = task;
	event.step = what;
	return event;
}

/* The compared members of a span. */
struct want {
	int32_t tid;
	uint32_t block, depth;
	uint64_t enter_ns, leave_ns;
	uint64_t state_ns[SPAN_STATES]; /* running, runnable, sleeping, disk, other */
	bool open, unwound;
};

static void assert_spans(const struct event *events, size_t count, const struct want *want,
			 size_t want_count, struct block_spans_counts counts)
{
	struct read read = {.selection = {.pids = NULL}};
	const struct block_spans_counts *got;
	struct block_span span;
	struct err err;

	begin(&read, events, count);
	for (size_t i = 0; i < want_count; i++) {
		assert_int_equal(block_spans_next(read.spans, &span, &err), 1);
		assert_int_equal(span.tid, want[i].tid);
		assert_int_equal(span.block, want[i].block);
		assert_int_equal(span.depth, want[i].depth);
		assert_int_equal(span.enter_ns, want[i].enter_ns);
		assert_int_equal(span.leave_ns, want[i].leave_ns);
		assert_int_equal(span.open, want[i].open);
		assert_int_equal(span.unwound, want[i].unwound);
		for (size_t k = 0; k < SPAN_STATES; k++)
			assert_int_equal(span.state_ns[k], want[i].state_ns[k]);
	}
	assert_int_equal(block_spans_next(read.spans, &span, &err), 0);
	got = block_spans_counts(read.spans);
	assert_int_equal(got->spans, want_count);
	assert_int_equal(got->open, counts.open);
	assert_int_equal(got->unwound, counts.unwound);
	assert_int_equal(got->stray, counts.stray);
	end(&read);
}

static void a_span_has_the_states_of_its_thread(void **state)
{
	const struct event events[] = {
		sched_switch(1000, 0, STATE_RUNNABLE, 7),
		block(2000, 7, false, A),
		sched_switch(3000, 7, STATE_SLEEPING, 0),
		wake(5000, 7),
		sched_switch(5500, 0, STATE_RUNNABLE, 7),
		block(5600, 7, false, B),
		block(5700, 7, true, B),
		sched_switch(6000, 7, STATE_DISK, 0),
		wake(6400, 7),
		sched_switch(6500, 0, STATE_RUNNABLE, 7),
		block(7000, 7, true, A),
		sched_switch(8000, 7, STATE_NONE, 0),
	};
	static const struct want want[] = {
		{7, B, 1, 5600, 5700, {100, 0, 0, 0, 0}, false, false},
		{7, A, 0, 2000, 7000, {2000, 600, 2000, 400, 0}, false, false},
	};

	(void)state;
	assert_spans(events, COUNT(events), want, COUNT(want), (struct block_spans_counts){0});
}

/* The first leave belongs to an enter before the recording. */
static void unbalanced_events_are_counted(void **state)
{
	const struct event events[] = {
		block(1000, 7, true, C),  block(2000, 7, false, A), block(3000, 7, false, B),
		block(4000, 7, false, C), block(5000, 7, true, A),  block(6000, 7, true, B),
		block(7000, 7, false, B), block(8000, 8, false, A), block(9000, 8, true, A),
	};
	static const struct want want[] = {
		{7, C, 2, 4000, 5000, {0, 0, 0, 0, 1000}, false, true},
		{7, B, 1, 3000, 5000, {0, 0, 0, 0, 2000}, false, true},
		{7, A, 0, 2000, 5000, {0, 0, 0, 0, 3000}, false, false},
		{7, B, 0, 7000, 9000, {0, 0, 0, 0, 2000}, true, false},
		{8, A, 0, 8000, 9000, {0, 0, 0, 0, 1000}, false, false},
	};
	const struct block_spans_counts counts = {.open = 1, .unwound = 2, .stray = 2};

	(void)state;
	assert_spans(events, COUNT(events), want, COUNT(want), counts);
}

static void a_recursive_call_is_ended_by_the_next_leave(void **state)
{
	const struct event events[] = {
		block(1000, 7, false, A), block(2000, 7, false, A), block(3000, 7, true, A),
		block(4000, 7, true, A),  block(5000, 7, true, A),
	};
	static const struct want want[] = {
		{7, A, 1, 2000, 3000, {0, 0, 0, 0, 1000}, false, false},
		{7, A, 0, 1000, 4000, {0, 0, 0, 0, 3000}, false, false},
	};
	const struct block_spans_counts counts = {.stray = 1};

	(void)state;
	assert_spans(events, COUNT(events), want, COUNT(want), counts);
}

/* A thread with deeply nested calls leaves a block that it is not in, again and again. */
static void stray_leaves_take_no_longer_than_valid_ones(void **state)
{
	enum { DEEP = 100000, STRAY = 300000 };
	struct event *events = xcalloc(DEEP + STRAY, sizeof(*events));
	struct read read = {.selection = {.pids = NULL}};
	struct block_span span;
	struct err err;

	(void)state;
	for (size_t i = 0; i < DEEP + STRAY; i++)
		events[i] = block(1000 + i, 7, i >= DEEP, i >= DEEP ? B : A);
	begin(&read, events, DEEP + STRAY);
	for (size_t i = 0; i < DEEP; i++)
		assert_int_equal(block_spans_next(read.spans, &span, &err), 1);
	assert_int_equal(block_spans_next(read.spans, &span, &err), 0);
	assert_int_equal(block_spans_counts(read.spans)->stray, STRAY);
	assert_int_equal(block_spans_counts(read.spans)->open, DEEP);
	end(&read);
	free(events);
}

/* Nested enters, and then as many leaves, without an array of them. */
struct deep_source {
	struct event_source source;
	uint64_t deep, next;
};

static int next_deep(struct event_source *source, struct event *event, struct err *err)
{
	struct deep_source *deep = (struct deep_source *)source;

	(void)err;
	if (deep->next == 2 * deep->deep)
		return 0;
	*event = block(1000 + deep->next, 7, deep->next >= deep->deep, A);
	event->pid = event->other_pid = -1;
	deep->next++;
	return 1;
}

static void leave_as_it_is(struct event_source *source)
{
	(void)source;
}

/* Calls within the limit still end at their leaves. */
static void calls_that_are_too_deep_are_counted(void **state)
{
	enum { TOO_DEEP = 3, DEEP = BLOCK_SPANS_DEPTH + TOO_DEEP };
	struct deep_source deep = {{.next = next_deep, .free = leave_as_it_is}, DEEP, 0};
	struct read read = {.source = &deep.source, .selection = {.pids = NULL}};
	const struct block_spans_counts *counts;
	struct block_span span;
	struct err err;

	(void)state;
	read.timeline = timeline_new(read.source, &read.selection);
	read.spans = block_spans_new(read.timeline);
	for (uint64_t i = 1; i <= BLOCK_SPANS_DEPTH; i++) {
		assert_int_equal(block_spans_next(read.spans, &span, &err), 1);
		if (span.leave_ns != 1000 + DEEP + TOO_DEEP + i - 1 ||
		    span.depth != BLOCK_SPANS_DEPTH - i)
			fail_msg("span %d ends wrongly", (int)i);
	}
	assert_int_equal(block_spans_next(read.spans, &span, &err), 0);
	counts = block_spans_counts(read.spans);
	assert_int_equal(counts->deep, TOO_DEEP);
	assert_int_equal(counts->open, 0);
	assert_int_equal(counts->stray, 0);
	end(&read);
}

/* A thread gets a CPU, calls a function so many times and leaves it, without an array of them. */
static int next_call(struct event_source *source, struct event *event, struct err *err)
{
	struct deep_source *calls = (struct deep_source *)source;
	uint64_t at = calls->next++, last = 2 * calls->deep + 1;

	(void)err;
	if (at > last)
		return 0;
	if (at == 0)
		*event = sched_switch(1000, 0, STATE_RUNNABLE, 7);
	else if (at == last)
		*event = sched_switch(3000 + at, 7, STATE_SLEEPING, 0);
	else
		*event = block(2000 + at, 7, at % 2 == 0, A);
	event->pid = event->other_pid = -1;
	return 1;
}

/* So that a thread that runs for long in tiny functions takes no more memory. */
static void with_too_many_events_an_interval_is_split(void **state)
{
	enum { PAIRS = BLOCK_SPANS_WAITING / 2 + 10 };
	struct deep_source calls = {{.next = next_call, .free = leave_as_it_is}, PAIRS, 0};
	struct read read = {.source = &calls.source, .selection = {.pids = NULL}};
	struct block_span span;
	struct err err;

	(void)state;
	read.timeline = timeline_new(read.source, &read.selection);
	read.spans = block_spans_new(read.timeline);
	for (size_t i = 0; i < PAIRS; i++) {
		assert_int_equal(block_spans_next(read.spans, &span, &err), 1);
		if (span.state_ns[SPAN_RUNNING] != 1)
			fail_msg("span %zu ran %d ns", i, (int)span.state_ns[SPAN_RUNNING]);
	}
	assert_int_equal(block_spans_next(read.spans, &span, &err), 0);
	end(&read);
}

/* Task 1 begins 2 in place, which pauses and continues in another thread. */
static void blocks_of_tasks_are_spans_on_request(void **state)
{
	static const struct want want[] = {
		{7, A, 0, 1000, 2000, {0}, false, false}, {7, C, 1, 4000, 5000, {0}, false, false},
		{7, B, 0, 3000, 8000, {0}, false, false}, {8, B, 0, 6000, 7000, {0}, false, false},
		{8, A, 0, 9000, 9000, {0}, true, false},
	};
	const struct event of_tasks[] = {
		step(1000, 7, 1, TASK_BEGIN, A),	step(1000, 7, 1, TASK_SYNC_OF, A),
		step(2000, 7, 1, TASK_SPAWN, A),	step(3000, 7, 1, TASK_SPAWNED, B),
		step(4000, 7, 2, TASK_BEGIN, C),	step(5000, 7, 2, TASK_PAUSE, C),
		step(6000, 8, 2, TASK_RESUME, B),	step(7000, 8, 2, TASK_END, C),
		step(8000, 7, 1, TASK_BARRIER, A),	step(8500, 7, 1, TASK_END, A),
		step(9000, 8, 1 << 20, TASK_SYNCED, A),
	};
	struct read read = {.selection = {.pids = NULL}};
	struct block_span span;
	struct err err;
	size_t found = 0;

	(void)state;
	begin(&read, of_tasks, COUNT(of_tasks));
	assert_int_equal(block_spans_next(read.spans, &span, &err), -1);
	end(&read);
	begin(&read, of_tasks, COUNT(of_tasks));
	block_spans_want_tasks(read.spans);
	for (; block_spans_next(read.spans, &span, &err) > 0; found++) {
		size_t i = 0;

		while (i < COUNT(want) && (want[i].tid != span.tid || want[i].block != span.block ||
					   want[i].enter_ns != span.enter_ns))
			i++;
		assert_true(i < COUNT(want));
		assert_int_equal(span.leave_ns, want[i].leave_ns);
		assert_int_equal(span.depth, want[i].depth);
		assert_int_equal(span.open, want[i].open);
	}
	assert_int_equal(found, COUNT(want));
	assert_int_equal(block_spans_counts(read.spans)->stray, 1);
	end(&read);
}

static void a_trace_without_blocks_is_refused(void **state)
{
	const struct event events[] = {
		sched_switch(1000, 0, STATE_RUNNABLE, 7),
		sched_switch(8000, 7, STATE_SLEEPING, 0),
	};
	struct read read = {.selection = {.pids = NULL}};
	struct block_span span;
	struct err err = {.text = ""};

	(void)state;
	begin(&read, events, COUNT(events));
	assert_int_equal(block_spans_next(read.spans, &span, &err), -1);
	assert_non_null(strstr(err.text, "has no calls or tasks"));
	end(&read);
}

struct seen {
	uint64_t changes, marks, steps;
};

static void see_change(void *context, const struct change *change)
{
	struct seen *seen = context;

	seen->changes += change->tid == 7;
}

static void see_mark(void *context, const struct mark *mark)
{
	struct seen *seen = context;

	seen->marks++;
	seen->steps += mark->event->kind == EVENT_STEP;
}

static void a_watcher_sees_changes_and_marks_and_needs_no_blocks(void **state)
{
	struct event step = event_new(EVENT_STEP, 2000);
	struct event events[] = {
		sched_switch(1000, 0, STATE_RUNNABLE, 7),
		step,
		sched_switch(8000, 7, STATE_SLEEPING, 0),
		wake(9000, 7),
	};
	struct seen seen = {0};
	struct read read = {.selection = {.pids = NULL}};
	struct block_span span;
	struct err err = {.text = ""};

	(void)state;
	events[1].tid = 7;
	begin(&read, events, COUNT(events));
	block_spans_watch(read.spans, &(struct block_spans_watcher){see_change, see_mark, &seen});
	assert_int_equal(block_spans_next(read.spans, &span, &err), 0);
	assert_int_equal(seen.steps, 1);
	assert_int_equal(seen.marks, 1);
	assert_true(seen.changes >= 3); /* it appears, has run, has slept */
	end(&read);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_span_has_the_states_of_its_thread),
	cmocka_unit_test(unbalanced_events_are_counted),
	cmocka_unit_test(a_recursive_call_is_ended_by_the_next_leave),
	cmocka_unit_test(stray_leaves_take_no_longer_than_valid_ones),
	cmocka_unit_test(calls_that_are_too_deep_are_counted),
	cmocka_unit_test(with_too_many_events_an_interval_is_split),
	cmocka_unit_test(blocks_of_tasks_are_spans_on_request),
	cmocka_unit_test(a_trace_without_blocks_is_refused),
	cmocka_unit_test(a_watcher_sees_changes_and_marks_and_needs_no_blocks),
};

TEST_FILE(tests);
