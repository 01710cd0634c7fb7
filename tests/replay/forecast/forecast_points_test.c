/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/err.h"
#include "draw/steps.h"
#include "stats/profile/levels.h"
#include "stats/profile/wall_times.h"
#include "support.h"

#include <math.h>

/* 200 ms by each of two, then 100 ms by one: 500 ms on one core, 300 ms on two. */
static const char phases[] = "m: fork(a) fork(b) join(a) join(b) 100ms\na: 200ms\nb: 200ms\n";

static void replay(struct forecast_points *replayed, const char *text, uint64_t recorded_cores,
		   uint64_t wall_ns, double others_share)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {4, 2, 4};
	struct program program;
	struct err err;

	steps_read(&program, text);
	program.wall_ns = wall_ns;
	assert_int_equal(forecast_points_init(replayed, &program, &machine, recorded_cores,
					      others_share, cores, 3, &err),
			 0);
	program_release(&program);
}

static void each_number_of_cores_is_replayed_once_in_order(void **state)
{
	static const double want[][2] = {{1, .5}, {2, .3}, {4, .3}};
	struct forecast_points replayed;

	(void)state;
	replay(&replayed, phases, 1, 500000000, 0);
	assert_int_equal(replayed.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(replayed.points[i].cores, want[i][0]);
		assert_close(replayed.points[i].wall_s, want[i][1], 1e-9);
		assert_true(isnan(replayed.points[i].lo_s));
	}
	assert_close(forecast_points_speedup(&replayed, forecast_points_find(&replayed, 4)), 5. / 3,
		     1e-9);
	assert_null(forecast_points_find(&replayed, 3));
	forecast_points_release(&replayed);
}

static void the_part_that_depends_on_timed_waits_is_reported(void **state)
{
	/* A worker of 200 ms, and a main that polls until it is done; the other work of main. */
	static const struct {
		const char *text;
		double want;
	} cases[] = {
		{"m: fork(a) sleep(200ms@s)\na: 200ms", 0},
		{"m: fork(a) poll(100ms@p) poll(100ms@p)\na: 200ms", 0},
		{"m: fork(a) poll(100ms@p) poll(100ms@p)\na: 100ms\nb: 50ms", .5},
		{"m: fork(a) poll(100ms@p) poll(100ms@p) 100ms\na: 100ms", 1 - 100. / 300},
		{"m: poll(100ms@p) poll(100ms@p) block(0) 100ms\na: 50ms wake(m,0)", 0},
	};
	struct forecast_points replayed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		replay(&replayed, cases[i].text, 1, 200000000, 0);
		assert_close(replayed.polls_share, cases[i].want, 1e-6);
		forecast_points_release(&replayed);
	}
}

/* Recorded on one core; two or four cores take less, and so do waits for work there. */
static void loops_of_sched_yield_are_reported_like_waits(void **state)
{
	static const struct {
		const char *what, *text;
		uint64_t wall_ns;
		double want;
	} cases[] = {
		{"none", "a: 100ms\nb: 100ms", 200000000, 0},
		{"each waits for the other", "a: loop(100ms) 100ms\nb: 100ms loop(90ms)", 200000000,
		 1. / 3},
		{"one that only waits for the other threads",
		 "a: 1ms loop(198ms) 1ms\nb: 99ms\nc: 99ms", 200000000, 0},
		{"as long as the run took is not known", "a: loop(100ms) 100ms\nb: 100ms", 0, 0},
	};
	struct forecast_points replayed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		replay(&replayed, cases[i].text, 1, cases[i].wall_ns, 0);
		if (fabs(replayed.loops_share - cases[i].want) > .02)
			fail_msg("%s: %.6f", cases[i].what, replayed.loops_share);
		forecast_points_release(&replayed);
	}
}

/* Three threads that hand over to one another: 6 ms on three cores, 4 ms without waits. */
static void the_part_that_depends_on_lock_waits_is_reported_for_more_cores(void **state)
{
	static const char text[] = "a: 1ms wake(b,0) 1ms wake(c,1) block(2) 1ms block(4) 1ms\n"
				   "b: block(0) 1ms wake(a,2) 1ms wake(c,3) block(5) 1ms\n"
				   "c: block(1) 1ms block(3) 1ms wake(a,4) 1ms wake(b,5) 1ms";
	static const struct {
		uint64_t recorded_cores;
		double want;
	} cases[] = {{1, 1 - 4. / 6}, {2, 1 - 4. / 6}, {4, 0}};
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {4};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, text);
		assert_int_equal(forecast_points_init(&replayed, &program, &machine,
						      cases[i].recorded_cores, 0, cores, 1, &err),
				 0);
		assert_int_equal(forecast_points_find_locks(&replayed, &program, &machine, &err),
				 0);
		assert_int_equal(replayed.lock_waits, 6);
		assert_close(replayed.locks_share, cases[i].want, 1e-6);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

/* A second of work: alone, and with half of the core left by other programs. */
static void the_self_check_has_the_quota_of_the_recording(void **state)
{
	static const struct {
		double quota, others_share, want_s;
	} cases[] = {{0, 0, 1}, {.5, 0, 1.9}, {2, 0, 1}, {.5, .5, 2}, {.25, .5, 3.9}};
	const struct machine machine = {.cores = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, "a: 1s");
		program.quota.cpus = cases[i].quota;
		program.wall_ns = 1000000000;
		assert_int_equal(forecast_points_init(&replayed, &program, &machine, 1,
						      cases[i].others_share, NULL, 0, &err),
				 0);
		assert_close(replayed.self_s, cases[i].want_s, .02);
		assert_close(forecast_points_find(&replayed, 1)->wall_s, 1, 1e-9);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

static void the_self_check_has_cores_as_slow_as_other_programs_left_them(void **state)
{
	static const struct {
		double wall_ns, others_share, want;
	} cases[] = {{500e6, 0, 0}, {1000e6, .5, 0}, {1000e6, 0, -.5}, {400e6, 0, .25}};
	struct forecast_points replayed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		replay(&replayed, phases, 1, (uint64_t)cases[i].wall_ns, cases[i].others_share);
		assert_close(forecast_points_self_error(&replayed), cases[i].want, 1e-6);
		assert_close(forecast_points_find(&replayed, 1)->wall_s, .5, 1e-9);
		forecast_points_release(&replayed);
	}
}

static void the_self_check_has_slower_cores_and_bounds_have_faster_ones(void **state)
{
	/* On one busy core work takes half as long as on the two cores of the recording. */
	static const double factors[] = {.5, 1};
	const struct machine machine = {.cores = 1, .slowdown = factors, .slowdown_count = 2};
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, phases);
	program.wall_ns = 500000000;
	assert_int_equal(forecast_points_init(&replayed, &program, &machine, 2, .5, NULL, 0, &err),
			 0);
	assert_close(forecast_points_find(&replayed, 1)->wall_s, .25, 1e-9);
	assert_close(forecast_points_find(&replayed, 2)->wall_s, .25, 1e-9);
	assert_close(forecast_points_self_error(&replayed), 0, 1e-6);
	assert_int_equal(replayed.bounds.work_ns, 250000000);
	assert_int_equal(replayed.bounds.critical_ns, 150000000);
	forecast_points_release(&replayed);
	program_release(&program);
}

/* 500 ms on idle cores, and 800 or 1000 if other programs use them as much. */
static void a_longer_recorded_time_may_be_due_to_other_programs(void **state)
{
	static const struct {
		uint64_t recorded_ms;
		double others_share, want;
		bool open;
	} cases[] = {
		{400, .375, .25, false},
		{540, .375, 500. / 540 - 1, false},
		{620, .375, 500. / 620 - 1, true},
		{700, .375, 800. / 700 - 1, true},
		{760, .375, 800. / 760 - 1, false},
		{1000, .375, -.2, false},
		{700, .5, 3. / 7, false},
	};
	struct forecast_points replayed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		replay(&replayed, phases, 1, cases[i].recorded_ms * 1000000, cases[i].others_share);
		assert_close(forecast_points_self_error(&replayed), cases[i].want, 1e-6);
		assert_int_equal(replayed.self_open, cases[i].open);
		forecast_points_release(&replayed);
	}
}

/* 300 ms on two cores, and 360 if cores idle for a sixth of the 600 ms that threads could use. */
static void a_longer_recorded_time_may_be_due_to_cores_that_idled(void **state)
{
	static const struct {
		uint64_t recorded_ms, idled_ms;
		double others_share, want, idled;
		bool open;
	} cases[] = {
		{355, 0, 0, 300. / 355 - 1, 0, false},
		{355, 100, 0, 360. / 355 - 1, .1823216, false},
		{310, 100, 0, 300. / 310 - 1, 0, false},
		{290, 100, 0, 300. / 290 - 1, 0, false},
		{400, 100, 0, -.1, .1823216, false},
		{350, 160, 0, 396. / 350 - 1, .2776317, true},
		{390, 170, 0, 402. / 390 - 1, .2926696, false},
		{360, 100, .05, 378.9473684 / 360 - 1, .1823216, false},
		{310, 100, .2, 300. / 310 - 1, 0, false},
		{470, 100, .2, 450. / 470 - 1, .1823216, false},
		{750, 100, .5, 600. / 750 - 1, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, phases);
		program.wall_ns = cases[i].recorded_ms * 1000000;
		program.shares.run_ns = 500000000;
		program.shares.idled_ns = cases[i].idled_ms * 1000000;
		assert_int_equal(forecast_points_init(&replayed, &program, &machine, 2,
						      cases[i].others_share, NULL, 0, &err),
				 0);
		assert_close(forecast_points_self_error(&replayed), cases[i].want, 1e-5);
		assert_close(replayed.idled, cases[i].idled, 1e-5);
		assert_int_equal(replayed.self_open, cases[i].open);
		assert_close(forecast_points_find(&replayed, 2)->wall_s, .3, 1e-9);
		forecast_points_release(&replayed);
		program_release(&program);
	}
}

static void a_target_with_hardly_any_cpu_time_is_replayed_on_the_slowest_cores(void **state)
{
	static const double twice = 2;
	const struct machine machine = {.cores = 1, .slowdown = &twice, .slowdown_count = 1};
	struct forecast_points replayed;
	struct program program;
	struct err err = {.text = ""};

	(void)state;
	steps_read(&program, phases);
	program.wall_ns = UINT64_MAX;
	if (forecast_points_init(&replayed, &program, &machine, 1, .9999, NULL, 0, &err))
		fail_msg("%s", err.text);
	assert_close(replayed.self_s, forecast_points_find(&replayed, 1)->wall_s * 1e3 / twice,
		     1e-6);
	forecast_points_release(&replayed);
	program_release(&program);
}

static void other_programs_have_the_time_that_the_target_could_have_used(void **state)
{
	uint64_t wall_ns[] = {10, 20, 30, 40};
	const struct level_times levels = {.wall_ns = wall_ns, .max_active = 3, .total_ns = 100};
	struct program program;

	(void)state;
	program = (struct program){0};
	program.shares.run_ns = 80;
	assert_close(forecast_points_others_share(&program, &levels, 2, 0), .5, 1e-12);
	assert_close(forecast_points_others_share(&program, &levels, 2, 80), 0, 1e-12);
	program.wall_ns = 100;
	program.quota.cpus = 1; /* it could have used 100 of the 160 */
	assert_close(forecast_points_others_share(&program, &levels, 2, 0), .2, 1e-12);
	program.quota.cpus = 0;
	program.shares.run_ns = 170; /* more than all CPU time: rounding */
	assert_close(forecast_points_others_share(&program, &levels, 2, 0), 0, 1e-12);
}

static void the_mean_error_leaves_out_the_cores_of_the_recording(void **state)
{
	struct wall_time items[] = {{.cores = 1, .mean_s = 9},
				    {.cores = 2, .mean_s = .4},
				    {.cores = 3, .mean_s = 1},
				    {.cores = 4, .mean_s = .25}};
	const struct wall_times times = {items, 4};
	struct forecast_points replayed;
	size_t count;

	(void)state;
	replay(&replayed, phases, 1, 500000000, 0);
	assert_close(forecast_points_mean_error(&replayed, &times, &count), (.25 + .2) / 2, 1e-9);
	assert_int_equal(count, 2);
	assert_true(isnan(forecast_points_error(&replayed, &items[2])));
	forecast_points_release(&replayed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_number_of_cores_is_replayed_once_in_order),
	cmocka_unit_test(the_part_that_depends_on_timed_waits_is_reported),
	cmocka_unit_test(loops_of_sched_yield_are_reported_like_waits),
	cmocka_unit_test(the_part_that_depends_on_lock_waits_is_reported_for_more_cores),
	cmocka_unit_test(the_self_check_has_the_quota_of_the_recording),
	cmocka_unit_test(the_self_check_has_cores_as_slow_as_other_programs_left_them),
	cmocka_unit_test(the_self_check_has_slower_cores_and_bounds_have_faster_ones),
	cmocka_unit_test(a_longer_recorded_time_may_be_due_to_other_programs),
	cmocka_unit_test(a_longer_recorded_time_may_be_due_to_cores_that_idled),
	cmocka_unit_test(a_target_with_hardly_any_cpu_time_is_replayed_on_the_slowest_cores),
	cmocka_unit_test(other_programs_have_the_time_that_the_target_could_have_used),
	cmocka_unit_test(the_mean_error_leaves_out_the_cores_of_the_recording),
};

TEST_FILE(tests);
