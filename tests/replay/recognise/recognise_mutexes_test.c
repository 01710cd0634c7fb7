/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "draw/steps.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The word of a mutex with a hold time of `hold_ns`, as recognise() leaves it. */
static void make_mutex(struct site *site, uint64_t hold_ns)
{
	site->kind = SITE_FUTEX;
	site->address = 0x1000;
	site->waits_as_mutex = true;
	site->hold_ns = hold_ns;
}

struct rewritten {
	const char *text, *want;
	uint64_t hold_ns;
	bool nested;
};

static void assert_rewritten(const struct rewritten *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct program program, want;
		char *text, *want_text;

		steps_read(&program, cases[i].text);
		for (size_t j = 0; j < program.site_count; j++)
			make_mutex(&program.sites[j], cases[i].hold_ns);
		assert_int_equal(recognise_mutexes(&program, cases[i].nested), program.site_count);
		steps_read(&want, cases[i].want);
		for (size_t j = 0; j < program.site_count; j++) {
			assert_int_equal(program.sites[j].kind, SITE_LOCK);
			free(program.sites[j].name);
			program.sites[j] = want.sites[j];
			program.sites[j].name = NULL;
		}
		text = steps_text(&program);
		want_text = steps_text(&want);
		if (strcmp(text, want_text) != 0)
			fail_msg("case %zu is\n%s", i, text);
		free(text);
		free(want_text);
		program_release(&program);
		program_release(&want);
	}
}

/* A span of a gets the lock of its wakeup, and that of b, the last step, the end of its hold. */
static void spans_of_even_work_keep_their_steps(void **state)
{
	struct program program;
	struct even_span *spans[] = {xcalloc(1, sizeof(struct even_span)),
				     xcalloc(1, sizeof(struct even_span))};

	(void)state;
	steps_read(&program, "a: 3ms sleep(1ms) 3ms wake(b,0) 5ms\n b: 1ms block(0@m) 1ms");
	make_mutex(&program.sites[0], 2000000);
	*spans[0] = (struct even_span){.first = 1, .end = 2};
	*spans[1] = (struct even_span){.first = 1, .end = 2};
	for (size_t i = 0; i < 2; i++) {
		program.threads[i].even_spans = spans[i];
		program.threads[i].even_span_count = program.threads[i].even_span_capacity = 1;
	}
	assert_int_equal(recognise_mutexes(&program, false), 1);
	assert_int_equal(spans[0]->first, 1);
	assert_int_equal(spans[0]->end, 3);
	assert_int_equal(step_op(&program.threads[0].steps[1]), STEP_LOCK);
	assert_int_equal(step_op(&program.threads[0].steps[2]), STEP_UNLOCK);
	assert_int_equal(spans[1]->first, 1);
	assert_int_equal(spans[1]->end, 3);
	program_release(&program);
}

static void a_thread_has_a_mutex_from_its_wait_until_it_wakes_the_next(void **state)
{
	static const struct rewritten cases[] = {
		/* a has got it without a wait, and c gives it back without a wake. */
		{"a: 3ms wake(b,0) 5ms\n b: block(0@m) 1ms wake(c,1) 1ms\n c: block(1@m) 4ms",
		 "a: 1ms lock(m) 2ms unlock(m) 5ms\n b: lock(m) 1ms unlock(m) 1ms\n"
		 "c: lock(m) 2ms unlock(m) 2ms",
		 2000000, true},
		/* b finds the mutex taken again, and waits like a thread that has just come. */
		{"a: 3ms wake(b,0) 3ms wake(b,1)\n b: block(0@m) 10us block(1@m) 1ms",
		 "a: 2ms lock(m) 1ms unlock(m) 2ms lock(m) 1ms unlock(m)\n"
		 "b: lock(m) 10us none() 990us unlock(m) 10us",
		 1000000, true},
		/* The hold time is unknown. */
		{"a: 2ms wake(b,0)\n b: 3ms block(0@m) 1ms wake(c,1)\n"
		 "c: 1ms block(1@m) 1ms sleep(2ms) 1ms",
		 "a: 1999999ns lock(m) 1ns unlock(m)\n"
		 "b: 3ms lock(m) 1ns unlock(m) 999998ns lock(m) 1ns unlock(m)\n"
		 "c: 1ms lock(m) 1ns unlock(m) 999999ns sleep(2ms) 1ms",
		 0, true},
		/* After so many hold times its wake is that of another hold. */
		{"a: 3ms wake(b,0)\n b: block(0@m) 20ms wake(c,1)\n c: block(1@m) 1ms",
		 "a: 2ms lock(m) 1ms unlock(m)\n b: lock(m) 1ms unlock(m) 18ms lock(m) 1ms "
		 "unlock(m)\n"
		 "c: lock(m) 1ms unlock(m)",
		 1000000, true},
	};

	(void)state;
	assert_rewritten(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_thread_waits_for_a_mutex_with_another_one_held_if_they_are_nested(void **state)
{
	static const char text[] = "a: 3ms wake(b,0) 3ms wake(b,1)\n"
				   "b: block(0@m) 1ms block(1@n) 1ms wake(c,2) 5ms\n"
				   "c: block(2@m) 1ms";
	static const char a[] = "a: 1ms lock(m) 2ms unlock(m) 1ms lock(n) 2ms unlock(n)\n";
	static const char c[] = "c: lock(m) 1ms unlock(m)";
	char nested[256], apart[256];
	const struct rewritten cases[] = {{text, nested, 2000000, true},
					  {text, apart, 2000000, false}};

	(void)state;
	snprintf(nested, sizeof(nested),
		 "%s b: lock(m) 1ms lock(n) 1ms unlock(m) 1ms unlock(n) 4ms\n%s", a, c);
	snprintf(apart, sizeof(apart),
		 "%s b: lock(m) 1ms unlock(m) lock(n) 1ms unlock(n) unlock(m) 5ms\n%s", a, c);
	assert_rewritten(cases, 2);
}

static void other_words_stay_as_recorded(void **state)
{
	struct program program;

	(void)state;
	steps_read(&program, "a: 3ms wake(b,0) 5ms\n b: block(0@m) 1ms");
	assert_int_equal(recognise_mutexes(&program, true), 0);
	make_mutex(&program.sites[0], 1);
	program.sites[0].waits_as_mutex = false;
	assert_int_equal(recognise_mutexes(&program, true), 0);
	assert_int_equal(step_op(&program.threads[1].steps[0]), STEP_BLOCK);
	program_release(&program);
}

/*
 * The hold times of e and g are unknown, as no thread waits for them. So is that of f, as h has the
 * mutex before f, and wakes the last waiting thread. No thread waits with p: its own first wait is
 * over.
 */
static void hold_times_are_measured_while_other_threads_wait(void **state)
{
	struct recognised recognised;
	struct program program;

	(void)state;
	steps_read(&program,
		   "a: 9ms futex_wake(m:4) wake(b,0) 1ms\n"
		   "b: futex_wait(m:0) block(0) 1ms futex_wake(m:5) wake(c,1)\n"
		   "c: futex_wait(m:1) block(1) 2ms futex_wake(m:6) wake(d,2)\n"
		   "d: futex_wait(m:2) block(2) 6ms futex_wake(m:7) wake(e,3)\n"
		   "e: futex_wait(m:3) block(3) 9ms\n"
		   "f: futex_wait(m:8) block(4) 40ms futex_wake(m:13) wake(k,6)\n"
		   "g: futex_wait(m:9) block(5) 1ms\n"
		   "h: 9ms futex_wake(m:10) wake(f,4) 1ms futex_wake(m:11) wake(g,5) 1ms\n"
		   "k: futex_wait(m:12) block(6) 1ms\n"
		   "p: futex_wait(m:14) block(7) 1ms futex_wait(m:15) block(8) 40ms "
		   "futex_wake(m:18) wake(q,9)\n"
		   "q: futex_wait(m:17) block(9) 1ms\n"
		   "r: 9ms wake(p,7) 1ms futex_wake(m:16) wake(p,8) 1ms");
	program.sites[0].waits_as_mutex = true;
	recognise(&program, &recognised);
	assert_int_equal(program.sites[0].kind, SITE_FUTEX);
	assert_string_equal(program.sites[0].name, "m");
	assert_in_range(program.sites[0].hold_ns, 3000000, 3000001);
	program_release(&program);
}

/*
 * Thread a never waits, so that only the rests of its holds are seen, from the waits of b. When c
 * begins to wait b waits already: a may have had another hold then.
 */
static void a_wait_shows_the_rest_of_the_hold_of_its_waker(void **state)
{
	static uint32_t met_ns[] = {4000000, 5000000, 6000000, 90000000};
	static const struct {
		size_t met_count;
		uint64_t hold_ns;
	} cases[] = {{4, 5000001}, {2, 1}, {0, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct recognised recognised;
		struct program program;

		steps_read(&program,
			   "a: 9ms futex_wake(m:1) wake(b,0) 9ms futex_wake(m:3) wake(b,1) "
			   "9ms futex_wake(m:6) wake(b,2) 9ms futex_wake(m:7) wake(c,3)\n"
			   "b: futex_wait(m:0) block(0) 1us futex_wait(m:2) block(1) 1us "
			   "futex_wait(m:4) block(2) 1us\n"
			   "c: futex_wait(m:5) block(3) 1us");
		program.sites[0].waits_as_mutex = true;
		program.met_count = cases[i].met_count;
		program.met_ns = xcalloc(program.met_count, sizeof(*met_ns));
		memcpy(program.met_ns, met_ns, program.met_count * sizeof(*met_ns));
		recognise(&program, &recognised);
		assert_int_equal(program.sites[0].hold_ns, cases[i].hold_ns);
		program_release(&program);
	}
}

static void waits_by_chance_are_those_that_no_other_wait_has_just_led_to(void **state)
{
	static const struct {
		const char *text;
		uint32_t waits;
	} cases[] = {
		{"a: 3ms wake(b,0)\n b: 1ms block(0@m) 1ms", 1},
		{"a: 3ms wake(b,0)\n b: block(0@m) 1ms", 1},
		{"a: 3ms wake(b,1) 3ms wake(b,0)\n b: block(1@c) 10us block(0@m) 1ms", 0},
		{"a: 3ms wake(b,1) 3ms wake(b,0)\n b: block(1@c) 60us block(0@m) 1ms", 1},
		{"a: 3ms wake(b,1) 3ms wake(b,0)\n b: block(1@m) 10us block(0@m) 1ms", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		size_t m = 0;

		steps_read(&program, cases[i].text);
		while (strcmp(program.sites[m].name, "m") != 0)
			m++;
		make_mutex(&program.sites[m], 1000);
		assert_int_equal(recognise_mutexes(&program, true), 1);
		if (program.sites[m].waits != cases[i].waits)
			fail_msg("%s: %u", cases[i].text, program.sites[m].waits);
		program_release(&program);
	}
}

/* Of 200 uses each 45 us long, the threads a and b get as many as they have CPU time without the lock. */
static void uses_are_added_where_a_thread_that_uses_the_mutex_has_no_lock(void **state)
{
	static const double uses[] = {200};
	struct program program;
	size_t locks[3] = {0}, recorded[3] = {0};

	(void)state;
	steps_read(&program,
		   "a: 50ms lock(m) 300ms unlock(m) 100ms\n b: 50ms lock(m) 1ns unlock(m)\n"
		   "c: 100ms");
	program.sites[0].hold_ns = 45000;
	recognise_add_uses(&program, uses);
	for (size_t i = 0; i < 3; i++) {
		const struct program_thread *thread = &program.threads[i];
		uint64_t longest_ns = 0;

		for (size_t j = 0; j < thread->count; j++) {
			uint64_t run_ns = step_run_ns(&thread->steps[j]);

			locks[i] += step_op(&thread->steps[j]) == STEP_LOCK;
			recorded[i] += step_op(&thread->steps[j]) == STEP_LOCK &&
				       !step_is_added_use(&thread->steps[j]);
			if (step_op(&thread->steps[j]) != STEP_UNLOCK)
				continue;
			assert_int_equal(step_op(&thread->steps[j - 1]), STEP_LOCK);
			longest_ns = run_ns > longest_ns ? run_ns : longest_ns;
		}
		if (i == 0)
			assert_int_equal(longest_ns, 300000000);
	}
	assert_in_range(locks[0], 120, 180);
	assert_in_range(locks[1], 35, 65);
	assert_int_equal(locks[2], 0);
	assert_int_equal(recorded[0], 1);
	assert_int_equal(recorded[1], 1);
	assert_int_equal(program_work_ns(&program), 600000001);
	program_release(&program);
}

/* Behind the CPU time of eleven days a double has no tenth of a ns. */
static void uses_end_also_at_a_rate_beyond_the_digits_of_a_time(void **state)
{
	const double uses[] = {1 << 16};
	struct program program;

	(void)state;
	steps_read(&program, "a: lock(m) 1000000s unlock(m) 5ns lock(m) 1000000s unlock(m)");
	program.sites[0].hold_ns = UINT64_C(1000000000000000);
	recognise_add_uses(&program, uses);
	assert_true(program.threads[0].count < 16);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(spans_of_even_work_keep_their_steps),
	cmocka_unit_test(a_thread_has_a_mutex_from_its_wait_until_it_wakes_the_next),
	cmocka_unit_test(a_thread_waits_for_a_mutex_with_another_one_held_if_they_are_nested),
	cmocka_unit_test(other_words_stay_as_recorded),
	cmocka_unit_test(hold_times_are_measured_while_other_threads_wait),
	cmocka_unit_test(a_wait_shows_the_rest_of_the_hold_of_its_waker),
	cmocka_unit_test(waits_by_chance_are_those_that_no_other_wait_has_just_led_to),
	cmocka_unit_test(uses_are_added_where_a_thread_that_uses_the_mutex_has_no_lock),
	cmocka_unit_test(uses_end_also_at_a_rate_beyond_the_digits_of_a_time),
};

TEST_FILE(tests);
