/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/bottleneck.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/forecast/forecast_points.h"
#include "replay/simulate/replays.h"
#include "support.h"

#include <math.h>

static const struct {
	const char *what, *text;
	enum bottleneck_kind kind;
	double limit_s;
	const char *name; /* the thread or the lock; NULL: none */
	double part_s;	  /* its work, or the time in which the lock is taken */
	size_t alike;
	double eased_s;
} on_paper[] = {
	{"no thread", "", BOTTLENECK_NONE, 0, NULL, NAN, 0, NAN},
	{"one thread", "a: 50ms", BOTTLENECK_SERIAL, .05, "a", .05, 0, .025},
	{"a stage of a pipeline",
	 "read: 1ms wake(work,0) 1ms wake(work,1)\n"
	 "work: block(0) 20ms wake(write,2) block(1) 20ms wake(write,3)\n"
	 "write: block(2) 2ms block(3) 2ms\n",
	 BOTTLENECK_SERIAL, .043, "work", .04, 0, .023},
	{"a stage beside another",
	 "read: 1ms wake(work,0) 1ms wake(work,1)\nwork: block(0) 20ms block(1) 20ms\nz: 30ms\n",
	 BOTTLENECK_THREAD, .041, "work", .04, 0, .03},
	{"threads that have the same",
	 "m: fork(a) fork(b) fork(c) join(a) join(b) join(c)\na: 50ms\nb: 50ms\nc: 48ms\n",
	 BOTTLENECK_THREADS, .05, "a", .05, 3, NAN},
	{"a serial phase before parallel ones",
	 "m: 50ms fork(a) fork(b) join(a) join(b)\na: 50ms\nb: 50ms\n", BOTTLENECK_SERIAL, .1, "m",
	 .05, 0, .075},
	{"a serial phase with less work than each of four threads",
	 "m: 20ms fork(a) fork(b) fork(c) fork(d) join(a) join(b) join(c) join(d)\n"
	 "a: 40ms\nb: 40ms\nc: 40ms\nd: 40ms\n",
	 BOTTLENECK_SERIAL, .06, "m", .02, 0, .05},
	{"a lock",
	 "a: 1ms lock(x) 20ms unlock(x) 1ms\nb: 1ms lock(x) 20ms unlock(x) 1ms\n"
	 "c: 1ms lock(x) 20ms unlock(x) 1ms\n",
	 BOTTLENECK_LOCK, .062, "x", .06, 0, .022},
	{"a lock beside other work",
	 "a: 10ms lock(x) 10ms unlock(x) 10ms\nb: 10ms lock(x) 10ms unlock(x) 10ms\n"
	 "c: 10ms lock(x) 10ms unlock(x) 10ms\n",
	 BOTTLENECK_LOCK, .05, "x", .03, 0, .03},
	{"a semaphore",
	 "a: take(s:1) 20ms give(s) 1ms\nb: take(s) 20ms give(s) 1ms\nc: take(s) 20ms give(s) "
	 "1ms\n",
	 BOTTLENECK_LOCK, .061, "s", NAN, 0, .021},
	{"a semaphore with longer waits than a lock",
	 "a: take(s:2) 20ms give(s) lock(x) 1ms unlock(x)\n"
	 "b: take(s) 20ms give(s) lock(x) 1ms unlock(x)\n"
	 "c: take(s) 20ms give(s) lock(x) 1ms unlock(x)\n"
	 "d: take(s) 20ms give(s) lock(x) 1ms unlock(x)\n",
	 BOTTLENECK_LOCK, .042, "s", NAN, 0, .024},
	{"the work before a queue", "a: 10ms give(q) 10ms give(q)\nb: take(q) 8ms take(q) 8ms\n",
	 BOTTLENECK_SERIAL, .028, "a", .02, 0, .021},
	{"sleeps", "a: 1ms sleep(50ms@nap) 1ms\nb: 2ms\n", BOTTLENECK_PAUSES, .052, NULL, NAN, 0,
	 .002},
	{"a chain",
	 "a: 10ms wake(b,0)\nb: block(0) 10ms wake(c,1)\nc: block(1) 10ms wake(d,2)\n"
	 "d: block(2) 10ms wake(e,3)\ne: block(3) 10ms wake(f,4)\nf: block(4) 10ms\n",
	 BOTTLENECK_CHAIN, .06, NULL, NAN, 0, NAN},
	{"a thread that waits for ever", "a: 5ms join(b)\nb: 5ms take(q)\n", BOTTLENECK_NONE, NAN,
	 NULL, NAN, 0, NAN},
};

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static const char *name_of_bottleneck(const struct bottleneck *found, const struct program *program)
{
	return found->thread != PROGRAM_NONE
		       ? thread_name_text(&program->threads[found->thread].name)
	       : found->site != PROGRAM_NONE ? program->sites[found->site].name
					     : NULL;
}

static void the_bottleneck_is_the_one_found_on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(on_paper) / sizeof(*on_paper); i++) {
		const struct machine machine = {.cores = 1};
		struct forecast_points points = {.scale = 1};
		struct bottleneck found;
		struct program program;
		struct err err;
		const char *name;
		double part_s;

		steps_read(&program, on_paper[i].text);
		bounds_find(&points.bounds, &program);
		assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
		name = name_of_bottleneck(&found, &program);
		part_s = isnan(found.work_s) ? found.held_s : found.work_s;
		if (found.kind != on_paper[i].kind || found.alike != on_paper[i].alike ||
		    !same(found.limit_s, on_paper[i].limit_s) ||
		    !same(found.eased_s, on_paper[i].eased_s) ||
		    !same(part_s, on_paper[i].part_s) || !name != !on_paper[i].name)
			fail_msg("%s: %s %s, limit %g, part %g, %zu alike, eased %g",
				 on_paper[i].what, bottleneck_kind_names[found.kind],
				 name ? name : "-", found.limit_s, part_s, found.alike,
				 found.eased_s);
		if (name)
			assert_string_equal(name, on_paper[i].name);
		program_release(&program);
	}
}

/* Two threads slow each other down by half: 50 ms of work take 75 ms. */
static void slower_work_is_the_bottleneck_if_it_costs_most(void **state)
{
	static const struct {
		const char *text;
		enum bottleneck_kind kind;
		double eased_s;
	} cases[] = {
		{"a: 50ms\nb: 50ms\n", BOTTLENECK_SLOWED, .05},
		{"a: 2ms fork(b) sleep(73ms@nap) 1ms join(b)\nb: 1ms\n", BOTTLENECK_PAUSES, .0035},
	};
	const struct machine machine = {
		.cores = 1, .slowdown = (double[]){1, 1.5}, .slowdown_count = 2};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points points = {.scale = 1};
		struct bottleneck found;
		struct program program;
		struct err err;

		steps_read(&program, cases[i].text);
		bounds_find(&points.bounds, &program);
		assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
		assert_int_equal(found.kind, cases[i].kind);
		if (i == 0)
			assert_true(same(found.limit_s, .075));
		assert_true(same(found.eased_s, cases[i].eased_s));
		program_release(&program);
	}
}

/* Half a CPU for two threads of a second each takes 3.85 to 3.95 s, depending on the begin of
 * periods. */
static void the_quota_is_the_bottleneck_if_it_withholds_most(void **state)
{
	const struct machine machine = {.cores = 1, .quota.cpus = .5};
	struct forecast_points points = {.scale = 1};
	struct bottleneck found;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 1s\nb: 1s\n");
	bounds_find(&points.bounds, &program);
	assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
	assert_int_equal(found.kind, BOTTLENECK_QUOTA);
	assert_close(found.limit_s, 3.9, .02);
	assert_close(found.eased_s, 1, 1e-9);
	program_release(&program);
}

/* A recording of one core that took a tenth longer than its replay, without noise. */
static void times_are_scaled_as_the_forecast_is(void **state)
{
	const struct machine machine = {.cores = 1};
	struct forecast_points points = {.scale = 1.1, .recorded_cores = 4, .count = 0};
	struct bottleneck found;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 50ms\n");
	bounds_find(&points.bounds, &program);
	assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
	assert_close(found.limit_s, .055, 1e-9);
	assert_close(found.eased_s, .0275, 1e-9);
	assert_close(found.work_s, .05, 1e-9);
	program_release(&program);
}

/* Half of the time of one thread is alone, and none if another thread waits for a lock. */
static void the_time_of_a_lone_thread_is_counted(void **state)
{
	static const struct {
		const char *text, *alone;
		double alone_s, running;
	} cases[] = {
		{"m: 50ms fork(a) fork(b) join(a) join(b) 10ms\na: 50ms\nb: 40ms\n", "m", .06,
		 150 / 110.},
		{"a: lock(x) 20ms unlock(x)\nb: lock(x) 20ms unlock(x)\n", "b", .02, 1},
		{"a: 30ms\nb: 30ms\n", NULL, NAN, 2},
		{"a: 10ms wake(b,0)\nb: block(0) 10ms wake(c,1)\nc: block(1) 10ms\n", NULL, NAN, 1},
	};
	const struct machine machine = {.cores = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points points = {.scale = 1};
		struct bottleneck found;
		struct program program;
		struct err err;

		steps_read(&program, cases[i].text);
		bounds_find(&points.bounds, &program);
		assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
		assert_true(same(found.alone_s, cases[i].alone_s));
		assert_close(found.running, cases[i].running, 1e-9);
		assert_int_equal(found.alone == PROGRAM_NONE, !cases[i].alone);
		if (cases[i].alone)
			assert_string_equal(thread_name_text(&program.threads[found.alone].name),
					    cases[i].alone);
		program_release(&program);
	}
}

/* b waits for a at a word with an unknown hold time. */
static void without_hold_times_the_word_of_the_waits_is_the_bottleneck(void **state)
{
	const struct machine machine = {.cores = 1};
	struct forecast_points points = {.scale = 1};
	struct bottleneck found;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 30ms wake(b,0) 30ms\nb: block(0@word) 30ms wake(c,1) 30ms\n"
			     "c: block(1@word) 30ms 30ms\n");
	program.sites[0].kind = SITE_FUTEX;
	bounds_find(&points.bounds, &program);
	assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
	assert_int_equal(found.kind, BOTTLENECK_LOCK);
	assert_string_equal(program.sites[found.site].name, "word");
	assert_true(isnan(found.held_s));
	assert_close(found.limit_s, .12, 1e-9);
	assert_close(found.eased_s, .06, 1e-9);
	program_release(&program);
}

/* Steps without time: of 5 replays of 7 million steps 4 are made, of 31 million none. */
static void a_program_too_large_is_tried_in_part(void **state)
{
	static const struct {
		size_t steps, untried;
		enum bottleneck_kind kind;
	} cases[] = {{0, 0, BOTTLENECK_CHAIN},
		     {7000000, 1, BOTTLENECK_UNKNOWN},
		     {11000000, 3, BOTTLENECK_UNKNOWN}};
	const struct machine machine = {.cores = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points points = {.scale = 1};
		struct bottleneck found;
		struct program program;
		struct err err;

		steps_read(&program, "z:\na: 10ms lock(x) unlock(x) wake(b,0)\n"
				     "b: block(0) 10ms wake(c,1)\nc: block(1) 10ms wake(d,2)\n"
				     "d: block(2) 10ms wake(e,3)\ne: block(3) 10ms wake(f,4)\n"
				     "f: block(4) 10ms\n");
		program.threads[0].count = 0;
		for (size_t step = 0; step < cases[i].steps; step++)
			program_add_step(&program, 0, 0, STEP_NONE);
		points.bounds.serial_site = 0;
		assert_int_equal(bottleneck_find(&found, &program, &machine, &points, &err), 0);
		assert_int_equal(found.kind, cases[i].kind);
		assert_int_equal(found.untried, cases[i].untried);
		assert_close(found.limit_s, .06, 1e-9);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_program_too_large_is_tried_in_part),
	cmocka_unit_test(without_hold_times_the_word_of_the_waits_is_the_bottleneck),
	cmocka_unit_test(the_time_of_a_lone_thread_is_counted),
	cmocka_unit_test(the_bottleneck_is_the_one_found_on_paper),
	cmocka_unit_test(slower_work_is_the_bottleneck_if_it_costs_most),
	cmocka_unit_test(the_quota_is_the_bottleneck_if_it_withholds_most),
	cmocka_unit_test(times_are_scaled_as_the_forecast_is),
};

TEST_FILE(tests);
