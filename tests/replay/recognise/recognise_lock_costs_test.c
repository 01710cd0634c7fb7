/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "replay/program/program_gaps.h"
#include "replay/recognise/recognise.h"

#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>

/* Thread a holds a lock 100 times, and wakes b, which waits for 2 us, at each `each`-th release. */
static void read_releases(struct program *program, unsigned each, unsigned own_us,
			  unsigned waker_us)
{
	char *a = xstrdup("a:"), *b = xstrdup("\nb:");

	for (unsigned i = 0; i < 100; i++) {
		unsigned us = own_us + i % 4;

		xappend(&a, "", " mutex_lock(m) 10us mutex_unlock(m)");
		if (each && i % each == 0) {
			xappend(&a, "", " 1us wake(b,%u)", i / each);
			xappend(&b, "",
				" 30us mutex_lock(m) 2us block(%u) 10us mutex_unlock(m) 30us",
				i / each);
			us += waker_us;
		}
		xappend(&a, "", " %uus", us);
	}
	xappend(&a, "", "%s", b);
	steps_read(program, a);
	free(a);
	free(b);
}

static void a_wait_costs_its_waiting_thread_and_the_waking_one(void **state)
{
	static const struct {
		unsigned each, own_us, waker_us;
		uint32_t wait_ns, wake_ns, woke_ns;
	} cases[] = {
		{0, 20, 0, 0, 0, 0},
		/* 8 us more behind a wakeup, less three standard errors of .28 us */
		{5, 20, 8, 2000, 1000, 7152},
		{5, 20, 0, 2000, 1000, 0},
		/* ... and 2 us less, as each fourth part is a short one */
		{4, 20, 8, 2000, 1000, 5505},
		/* No release takes 60 us more behind a wakeup. */
		{3, 20, 60, 2000, 1000, 0},
		/* Nothing to compare with */
		{1, 20, 8, 2000, 1000, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct recognised recognised;
		struct program program;

		read_releases(&program, cases[i].each, cases[i].own_us, cases[i].waker_us);
		recognise(&program, &recognised);
		assert_int_equal(program.sites[0].kind, SITE_LOCK);
		assert_int_equal(program.sites[0].wait_cost_ns, cases[i].wait_ns);
		assert_int_equal(program.sites[0].wake_cost_ns, cases[i].wake_ns);
		assert_int_equal(program.sites[0].woke_cost_ns, cases[i].woke_ns);
		program_release(&program);
	}
}

/* Of 13 us behind a release that wakes, 9 are its cost; the gaps behind them move. */
static void costs_are_no_part_of_the_work_and_gaps_follow(void **state)
{
	static const char text[] = "a: mutex_lock(m) 10us mutex_unlock(m) 1us wake(b,0) 12us "
				   "mutex_lock(m) 10us mutex_unlock(m) 4us "
				   "mutex_lock(m) 10us mutex_unlock(m) 1us wake(b,1) 12us "
				   "mutex_lock(m) 10us mutex_unlock(m) 4us\n"
				   "b: mutex_lock(m) 2us block(0) 10us mutex_unlock(m) 5us "
				   "mutex_lock(m) 4us block(1) 10us mutex_unlock(m) 5us";
	static const char want[] = "a: lock(0) 10000ns unlock(0) 4000ns lock(0) 10000ns unlock(0) "
				   "4000ns lock(0) 10000ns unlock(0) 4000ns lock(0) 10000ns "
				   "unlock(0) 4000ns\n"
				   "b: lock(0) 10000ns unlock(0) 5000ns lock(0) 10000ns unlock(0) "
				   "5000ns\n";
	struct recognised recognised;
	struct program program;
	char *got;

	(void)state;
	steps_read(&program, text);
	array_reserve(&program.gaps, &program.gap_capacity, program.thread_count);
	program_add_gap(&program, 0, (struct program_gap){.run_ns = 10000, .end_ns = 1});
	program_add_gap(&program, 0, (struct program_gap){.run_ns = 23000, .end_ns = 2});
	program_add_gap(&program, 0, (struct program_gap){.run_ns = 74000, .end_ns = 3});
	recognise(&program, &recognised);
	got = steps_text(&program);
	assert_string_equal(got, want);
	assert_int_equal(program.sites[0].wait_cost_ns, 3000);
	assert_int_equal(program.sites[0].wake_cost_ns, 1000);
	assert_int_equal(program.sites[0].woke_cost_ns, 8000);
	assert_int_equal(program.gaps[0].items[0].run_ns, 10000);
	assert_int_equal(program.gaps[0].items[1].run_ns, 14000);
	assert_int_equal(program.gaps[0].items[2].run_ns, 56000);
	free(got);
	program_release(&program);
}

/* Thread a spins for m while it releases n, and waits twice: the CPU time before is no part. */
static void no_time_is_the_cost_of_two_waits(void **state)
{
	static const char text[] = "a: mutex_lock(m) 2us block(0) mutex_lock(n) mutex_unlock(n) "
				   "1us wake(c,1) 2us block(2) mutex_unlock(m)\n"
				   "b: mutex_lock(m) mutex_unlock(m) 1us wake(a,0) mutex_lock(m) "
				   "mutex_unlock(m) 1us wake(a,2)\n"
				   "c: mutex_lock(n) 2us block(1) mutex_unlock(n)";
	struct recognised recognised;
	struct program program;

	(void)state;
	steps_read(&program, text);
	recognise(&program, &recognised);
	assert_int_equal(recognised.waits, 3);
	assert_int_equal(program.sites[0].wait_cost_ns, 2000);
	assert_int_equal(program.sites[0].wake_cost_ns, 1000);
	assert_int_equal(recognised.lock_costs_ns, 9000);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_time_is_the_cost_of_two_waits),
	cmocka_unit_test(a_wait_costs_its_waiting_thread_and_the_waking_one),
	cmocka_unit_test(costs_are_no_part_of_the_work_and_gaps_follow),
};

TEST_FILE(tests);
