/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "stats/rdam/rdam_trace.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENT_NS = 5, ROW_MAX = 64 };

/*
 * A thread as a row of characters, a nanosecond each: 0 and 1 run on that CPU; w and W wait for a
 * CPU (W: another program has it when this begins or ends; w: the thread `holder` has it); with "-"
 * the holder is unknown; "." sleeps.
 */
static void draw(struct rdam_thread *thread, const char *row, uint32_t holder)
{
	thread->count = 1; /* so that the thread has events */
	thread->begin_ns = 100;
	for (size_t i = 0; row[i]; i++) {
		struct block_interval interval = {.end_ns = 100 + i + 1,
						  .cpu = -1,
						  .by = BY_NO_THREAD,
						  .holder = BY_NO_THREAD};

		if (row[i + 1] == row[i])
			continue;
		interval.state = row[i] == '.' ? STATE_SLEEPING : STATE_RUNNABLE;
		if (row[i] == 'w' || row[i] == 'W')
			interval.holder = row[i] == 'w' ? holder : BY_STRANGER;
		if (row[i] == '0' || row[i] == '1') {
			interval.state = STATE_RUNNING;
			interval.cpu = row[i] - '0';
		}
		array_reserve(&thread->intervals, &thread->interval_capacity,
			      thread->interval_count + 1);
		thread->intervals[thread->interval_count++] = interval;
	}
}

/* The reverse: a waiting thread shows the letter of the holder of its CPU, s for another
 * program. */
static void tell(const struct rdam_thread *thread, char row[ROW_MAX])
{
	uint64_t at_ns = thread->begin_ns;

	for (size_t i = 0; i < thread->interval_count; i++)
		for (; at_ns < thread->intervals[i].end_ns; at_ns++) {
			const struct block_interval *interval = &thread->intervals[i];

			*row++ = interval->state == STATE_RUNNING    ? 'R'
				 : interval->state == STATE_SLEEPING ? '.'
				 : interval->holder == BY_STRANGER   ? 's'
				 : interval->holder == BY_NO_THREAD
					 ? '-'
					 : (char)('a' + interval->holder);
		}
	*row = '\0';
}

static void a_wait_is_divided_by_the_holders_of_the_cpu(void **state)
{
	/* The first row is thread a, which waits for b or c. */
	static const struct {
		const char *waits, *b, *c, *want;
	} table[] = {
		/* b takes the CPU for a while, another program has it for the rest. */
		{"00wwwwwwwwwwwwwwwwww00", "..000.................", "", "RRbbbsssssssssssssssRR"},
		/* Several turns of both are added up. */
		{"00wwwwwwwwwwwwwwwwww00", "..000...00............", ".......0..............",
		 "RRbbbbbbssssssssssssRR"},
		/* A moment more or less is time of the switches. */
		{"00wwwwwwwwwwwwwwwwww00", "...0000000000000......", "", "RRbbbbbbbbbbbbbbbbbbRR"},
		{"00wwwwwwwwwwwwwwwwww00", "...000000000000.......", "", "RRbbbbbbbbbbbbssssssRR"},
		/* Another program takes it, and threads of the target have it later. */
		{"00WWWWWWWWWWWWWWWWWW00", "........00000000......", "", "RRbbbbbbbbssssssssssRR"},
		{"00WWWWWWWWWWWWWWWWWW00", "........00000.........", "", "RRssssssssssssssssssRR"},
		/* After a wake: the thread that left the CPU had it last; earlier ones are
		 * unknown. */
		{"..wwwwwwwwwwwwwwwwww00", ".............0000000..", "", "..-----------bbbbbbbRR"},
		{"..WWWWWWWWWWWWWWWWWW00", "......0000000.........", "", "..sssssssssssbbbbbbbRR"},
		{"..wwwwwwwwwwwwwwwwww00", "00000000000000000000..", "", "..bbbbbbbbbbbbbbbbbbRR"},
		/* Only the CPU matters on which the thread was preempted. */
		{"00wwwwwwwwwwwwwwwwww00", "..000111111111111111..", "", "RRbbbsssssssssssssssRR"},
		{"00wwwwwwwwwwwwwwwwww11", "..000111111111111111..", "", "RRbbbsssssssssssssssRR"},
		/* Unknown holders stay unknown. */
		{"00------------------00", "..0000000000..........", "", "RR------------------RR"},
		{"00wwwwwwwwwwwwwwwwww00", "", "", "RRbbbbbbbbbbbbbbbbbbRR"},
		{"..wwwwwwwwwwwwwwwwww", "..0000000000........", "", "..bbbbbbbbbbbbbbbbbb"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rdam_trace trace = {.thread_count = 3};
		char got[ROW_MAX];

		trace.threads = xcalloc(3, sizeof(*trace.threads));
		draw(&trace.threads[0], table[i].waits, 1);
		draw(&trace.threads[1], table[i].b, 0);
		draw(&trace.threads[2], table[i].c, 0);
		block_holders_divide(&trace, MOMENT_NS);
		tell(&trace.threads[0], got);
		if (strcmp(got, table[i].want) != 0)
			fail_msg("case %zu: %s, not %s", i, got, table[i].want);
		assert_int_equal(trace.threads[1].interval_count ? 1 : 0, *table[i].b != '\0');
		rdam_trace_release(&trace);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_is_divided_by_the_holders_of_the_cpu),
};

TEST_FILE(tests);
