/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "support.h"

#include <inttypes.h>

#define US UINT64_C(1000)

/*
 * Drawn at times of 100 us: y: a run of 2 us after which the thread is ready, w: the same while
 * another thread became ready, R: a run of 90 us, b: a run of 2 us and then a wait, t: it tries to
 * get a mutex.
 */
/* Returns the time of the loop. */
static uint64_t take_runs(struct yield_loop *loop, const char *drawn)
{
	uint64_t now_us = 1000, looped_ns = 0;

	for (; *drawn; drawn++, now_us += 100) {
		uint64_t length_us = *drawn == 'R' ? 90 : 2;
		const struct cost_run run = {.begin_ns = now_us * US,
					     .end_ns = (now_us + length_us) * US,
					     .active_ns = (now_us + (*drawn == 'w')) * US};

		if (*drawn == 't')
			yield_loop_try(loop);
		else
			looped_ns += yield_loop_run(loop, &run, *drawn != 'b');
	}
	return looped_ns;
}

static void runs_too_short_for_a_slice_are_a_loop_of_sched_yield(void **state)
{
	static const struct {
		const char *what, *drawn;
		uint64_t looped_us;
	} cases[] = {
		{"from the first run to the last one", "yyyyR", 302},
		{"two loops", "yyyRyyyyR", 202 + 302},
		{"too few", "yyRyyR", 0},
		{"with a wait", "yybyyb", 0},
		{"long runs", "RRRRRR", 0},
		{"preempted for threads that wake", "wwwwww", 0},
		{"or now and then", "ywyywyR", 502},
		{"for a mutex that is known", "ytytytytR", 0},
		{"and then for another one", "ytytyyyR", 202},
		{"up to a wait", "yyyyb", 302},
		{"that is not over", "yyyy", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct yield_loop loop = {.runs = 0};
		uint64_t looped_ns = take_runs(&loop, cases[i].drawn);

		if (looped_ns != cases[i].looped_us * US)
			fail_msg("%s: %" PRIu64 " ns", cases[i].what, looped_ns);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(runs_too_short_for_a_slice_are_a_loop_of_sched_yield),
};

TEST_FILE(tests);
