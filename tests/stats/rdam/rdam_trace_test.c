/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_trace.h"

#include "base/err.h"
#include "decode/timeline/timeline.h"
#include "draw/block_drawing.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

struct drawn_trace {
	struct event_source *source;
	struct rdam_trace trace;
};

#define DRAWN(one_cpu, ...) \
	read_drawing((const struct drawn_blocks[]){__VA_ARGS__, {NULL, NULL}}, one_cpu)

static struct drawn_trace read_drawing(const struct drawn_blocks *rows, bool one_cpu)
{
	struct drawn_trace drawn = {.source = block_drawing(rows, one_cpu)};
	struct err err;

	if (rdam_trace_read(&drawn.trace, drawn.source, &tree, &err))
		fail_msg("%s", err.text);
	return drawn;
}

static void release(struct drawn_trace *drawn)
{
	rdam_trace_release(&drawn->trace);
	event_source_free(drawn->source);
}

static size_t column_of(uint64_t time_ns)
{
	return (size_t)(time_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS;
}

static const char *name_of(uint32_t number, char text[16])
{
	if (number == BY_NO_THREAD)
		return "no thread";
	if (number == BY_STRANGER)
		return "a stranger";
	if (number == BY_INTERRUPT)
		return "an interrupt";
	snprintf(text, 16, "%u", number);
	return text;
}

/* All intervals of a thread as "running<3 sleeping<5 by 1 runnable<6 holder 1 ...". */
static void assert_intervals(const struct rdam_thread *thread, const char *want)
{
	char text[1024] = "", name[16];
	size_t length = 0;

	for (size_t i = 0; i < thread->interval_count; i++) {
		const struct block_interval *interval = &thread->intervals[i];

		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s<%zu",
					   i ? " " : "", thread_state_name(interval->state),
					   column_of(interval->end_ns));
		if (interval->by != BY_NO_THREAD)
			length += (size_t)snprintf(text + length, sizeof(text) - length, " by %s",
						   name_of(interval->by, name));
		if (interval->holder != BY_NO_THREAD)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   " holder %s", name_of(interval->holder, name));
	}
	assert_string_equal(text, want);
}

static void events_are_kept_beside_the_states(void **state)
{
	struct drawn_trace drawn =
		DRAWN(false, {" RRRR..wRRR", "   AB    ba "}, {"    RRRR", "     C c"});
	const struct rdam_thread *threads = drawn.trace.threads;

	(void)state;
	assert_int_equal(drawn.trace.thread_count, 2);
	assert_int_equal(drawn.trace.events, 6);
	assert_int_equal(drawn.trace.every, 1);
	assert_true(drawn.trace.has_states);
	assert_int_equal(threads[0].tid, DRAWING_TID);
	assert_int_equal(threads[0].count, 4);
	assert_int_equal(threads[0].tokens[0], block_token(0, false));
	assert_int_equal(threads[0].tokens[1], block_token(1, false));
	assert_int_equal(threads[0].tokens[2], block_token(1, true));
	assert_int_equal(threads[0].tokens[3], block_token(0, true));
	assert_int_equal(column_of(threads[0].times_ns[1]), 4);
	assert_int_equal(column_of(threads[0].times_ns[2]), 9);
	assert_int_equal(column_of(threads[0].begin_ns), 1);
	assert_int_equal(column_of(threads[0].end_ns), 11);
	assert_int_equal(threads[1].tid, DRAWING_TID + 1);
	assert_int_equal(threads[1].count, 2);
	assert_int_equal(threads[1].tokens[1], block_token(2, true));
	assert_intervals(&threads[0], "running<5 sleeping<7 by a stranger runnable<8 running<11");
	assert_intervals(&threads[1], "running<8");
	release(&drawn);
}

static void the_holder_of_the_cpu_of_a_runnable_thread_is_known(void **state)
{
	/* 0 is preempted by 1, then by another program; 1 gets the CPU from 0 when that sleeps. */
	struct drawn_trace drawn =
		DRAWN(true, {" RRRwwwRRwwwRRRRR....", " A"}, {"    RRR......wwwwRRR", ""});

	(void)state;
	assert_intervals(&drawn.trace.threads[0],
			 "running<4 runnable<7 holder 1 running<9 runnable<12 holder a stranger "
			 "running<17 sleeping<21");
	assert_intervals(&drawn.trace.threads[1],
			 "running<7 sleeping<13 by a stranger runnable<17 holder 0 running<20");
	release(&drawn);
}

/* The CPU is left to the woken thread by another program, by a thread that has ended, or by the
 * idle thread. */
static void a_woken_thread_gets_the_cpu_from_its_holder(void **state)
{
	static const struct {
		int32_t leaver;
		enum thread_state next;
		const char *want;
	} table[] = {
		{7, STATE_RUNNABLE, "runnable<5 holder a stranger running<9"},
		{7, STATE_NONE, "runnable<5 holder a stranger running<9"},
		{101, STATE_NONE, "runnable<5 holder 1 running<9"},
		{0, STATE_RUNNABLE, "runnable<5 running<9"},
	};
	static const int32_t tids[] = {100, 101};
	const struct selection selection = {.tids = tids, .tid_count = 2};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct event events[] = {
			event_new(EVENT_TASK, DRAWING_BEGIN_NS),
			event_new(EVENT_WAKE, DRAWING_BEGIN_NS),
			event_new(EVENT_SWITCH, DRAWING_BEGIN_NS + 1 * DRAWING_STEP_NS),
			event_new(EVENT_SWITCH, DRAWING_BEGIN_NS + 5 * DRAWING_STEP_NS),
			event_new(EVENT_ENTER, DRAWING_BEGIN_NS + 6 * DRAWING_STEP_NS),
			event_new(EVENT_SWITCH, DRAWING_BEGIN_NS + 9 * DRAWING_STEP_NS),
		};
		struct drawn_trace drawn;
		struct err err;

		events[0].tid = events[1].other = events[3].other = events[4].tid = events[5].tid =
			100;
		events[1].tid = 9;
		events[1].cpu = 5;
		events[2].cpu = events[3].cpu = events[5].cpu = 3;
		events[2].tid = events[5].other = 8;
		events[2].state = events[5].state = STATE_SLEEPING;
		events[2].other = events[3].tid = table[i].leaver;
		events[3].state = table[i].next;
		drawn.source = array_source(events, 6);
		blocks_number(&drawn.source->blocks, "A", 1);
		if (rdam_trace_read(&drawn.trace, drawn.source, &selection, &err))
			fail_msg("%s", err.text);
		assert_intervals(&drawn.trace.threads[0], table[i].want);
		release(&drawn);
	}
}

/* 0 is preempted; 1 gets the CPU ten columns later, or eleven. */
static void a_thread_that_gets_the_cpu_much_later_did_not_take_it(void **state)
{
	static const struct {
		const char *other, *want;
	} table[] = {
		{"   ..........RRR", "running<3 runnable<17 holder 1 running<19"},
		{"   ...........RR", "running<3 runnable<17 holder a stranger running<19"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct drawn_trace drawn =
			DRAWN(true, {" RRwwwwwwwwwwwwwwRR", " A"}, {table[i].other, ""});

		assert_intervals(&drawn.trace.threads[0], table[i].want);
		release(&drawn);
	}
}

/* 100 continues on another CPU while 101 still has the one that it took from 100. */
static void a_thread_may_get_another_cpu_before_the_taker_has_left(void **state)
{
	static const struct event events[] = {
		{.time_ns = 1001000, .kind = EVENT_FORK, .tid = 7, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_SWITCH, .other = 100},
		{.time_ns = 1001000, .kind = EVENT_FORK, .tid = 100, .other = 101},
		{.time_ns = 1002000, .kind = EVENT_ENTER, .tid = 100},
		{.time_ns = 1003000,
		 .kind = EVENT_SWITCH,
		 .tid = 100,
		 .state = STATE_RUNNABLE,
		 .other = 101},
		{.time_ns = 1005000, .kind = EVENT_SWITCH, .cpu = 1, .other = 100},
		{.time_ns = 1007000,
		 .kind = EVENT_SWITCH,
		 .cpu = 1,
		 .tid = 100,
		 .state = STATE_SLEEPING},
		{.time_ns = 1009000, .kind = EVENT_SWITCH, .tid = 101, .state = STATE_SLEEPING},
	};
	struct drawn_trace drawn = {.source = array_source(events, 8)};
	struct err err;

	(void)state;
	blocks_number(&drawn.source->blocks, "A", 1);
	assert_int_equal(rdam_trace_read(&drawn.trace, drawn.source, &tree, &err), 0);
	assert_intervals(&drawn.trace.threads[0],
			 "running<3 runnable<5 holder 1 running<7 sleeping<9");
	release(&drawn);
}

static void a_thread_known_by_events_alone_lives_from_its_first_to_its_last(void **state)
{
	struct drawn_trace drawn = {0};
	const struct drawn_blocks rows[] = {{NULL, "  A    a "}, {NULL, "    BbBb"}, {NULL, NULL}};
	const struct selection all = {0};
	struct err err;

	(void)state;
	drawn.source = block_drawing(rows, false);
	drawn.source->target.blocks_every = 7;
	drawn.source->target.blocks_lost = 5;
	drawn.source->target.block_cost_ns = 21;
	assert_int_equal(rdam_trace_read(&drawn.trace, drawn.source, &all, &err), 0);
	assert_int_equal(drawn.trace.thread_count, 2);
	assert_false(drawn.trace.has_states);
	assert_int_equal(drawn.trace.every, 7);
	assert_int_equal(drawn.trace.lost, 5);
	assert_int_equal(drawn.trace.cost_ns, 21);
	assert_int_equal(column_of(drawn.trace.threads[0].begin_ns), 2);
	assert_int_equal(column_of(drawn.trace.threads[0].end_ns), 7);
	assert_int_equal(column_of(drawn.trace.threads[1].begin_ns), 4);
	assert_int_equal(drawn.trace.threads[1].interval_count, 0);
	assert_int_equal(drawn.trace.threads[1].count, 4);
	assert_int_equal(column_of(drawn.trace.begin_ns), 2);
	assert_int_equal(column_of(drawn.trace.end_ns), 7);
	release(&drawn);
}

/* A count beyond the size of an event, a block without a name, an invalid return, and a valid
 * one. */
static void numbers_in_events_have_limits(void **state)
{
	struct event events[] = {
		event_new(EVENT_ENTER, 1000),
		event_new(EVENT_ENTER, 2000),
		event_new(EVENT_LEAVE, 3000),
		event_new(EVENT_LEAVE, 4000),
	};
	const struct selection all = {0};
	struct event_source *source;
	struct rdam_trace trace;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		events[i].tid = 5;
	events[0].count = 1000000;
	events[0].arguments[3] = 2.5;
	events[1].block = UINT32_MAX;
	events[2].count = -3;
	events[3].count = 1;
	events[3].arguments[0] = 9; /* a returned value is no argument */
	source = array_source(events, 4);
	blocks_number(&source->blocks, "f", 1);
	assert_int_equal(rdam_trace_read(&trace, source, &all, &err), 0);
	assert_int_equal(trace.threads[0].count, 3);
	assert_int_equal(trace.threads[0].details->with_count, 1);
	assert_int_equal(trace.threads[0].details->with_arguments[0].event, 0);
	assert_int_equal(block_arguments_count(trace.threads[0].details, 0), BLOCK_ARGUMENTS);
	assert_close(trace.threads[0].details->arguments[3], 2.5, 0);
	rdam_trace_release(&trace);
	event_source_free(source);
}

static void a_trace_without_blocks_is_refused(void **state)
{
	const struct drawn_blocks rows[] = {{" RRRR", ""}, {NULL, NULL}};
	struct event_source *source = block_drawing(rows, false);
	struct rdam_trace trace;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(rdam_trace_read(&trace, source, &tree, &err), -1);
	assert_non_null(strstr(err.text, "pscal record --probe"));
	event_source_free(source);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(events_are_kept_beside_the_states),
	cmocka_unit_test(the_holder_of_the_cpu_of_a_runnable_thread_is_known),
	cmocka_unit_test(a_woken_thread_gets_the_cpu_from_its_holder),
	cmocka_unit_test(a_thread_that_gets_the_cpu_much_later_did_not_take_it),
	cmocka_unit_test(a_thread_may_get_another_cpu_before_the_taker_has_left),
	cmocka_unit_test(a_thread_known_by_events_alone_lives_from_its_first_to_its_last),
	cmocka_unit_test(numbers_in_events_have_limits),
	cmocka_unit_test(a_trace_without_blocks_is_refused),
};

TEST_FILE(tests);
