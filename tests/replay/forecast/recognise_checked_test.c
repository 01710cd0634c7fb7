/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/variation.h"
#include "support.h"

/* In the recording b was the first to have m, although a needs less time to get there. */
#define CROSSED                                                   \
	"a: 1ms mutex_lock(m:2) 1ms block(0) mutex_unlock(m:3)\n" \
	"b: 5ms mutex_lock(m:0) 1ms mutex_unlock(m:1) 3ms wake(a,0) 1ms\n"

static void calls_count_as_far_as_no_thread_is_stuck_by_them(void **state)
{
	static const struct {
		const char *text;
		uint64_t wall_ns;
		enum recognise_extent extent;
		size_t locks, stuck;
	} cases[] = {
		{"a: 1ms mutex_lock(m:0) 1ms mutex_unlock(m:1)\n"
		 "b: 5ms mutex_lock(m:2) 1ms mutex_unlock(m:3)\n",
		 8000000, RECOGNISE_ALL, 1, 0},
		{CROSSED, 12000000, RECOGNISE_WAKES, 0, 0},
		{"m: fork(c) 1us block(1)\n" CROSSED "c: 1ms wake(m,1) exit()\n", 13000000,
		 RECOGNISE_WAKES, 0, 0},
		/* No recognition can resolve this program: the recorded steps are the best
		 * answer. */
		{"a: 1ms mutex_lock(m:0) 1ms mutex_unlock(m:1) block(0)\n"
		 "b: 5ms block(1) wake(a,0)\n c: block(2) wake(b,1)\n d: block(1) wake(c,2)\n",
		 7000000, RECOGNISE_ALL, 1, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		const uint64_t cores[] = {2};
		struct recognised recognised;
		struct forecast_points replayed;
		struct program program;
		struct validity validity = {.findings = {{VALIDITY_UNKNOWN, 0}}};
		struct err err;

		steps_read(&program, cases[i].text);
		program.wall_ns = cases[i].wall_ns;
		assert_int_equal(recognise_checked(&replayed, &recognised, &program, &machine, 1, 0,
						   cores, 1, &err),
				 0);
		assert_int_equal(recognised.extent, cases[i].extent);
		assert_int_equal(recognised.locks, cases[i].locks);
		assert_int_equal(forecast_points_stuck(&replayed), cases[i].stuck);
		validity_add_recognised(&validity, &program, &recognised);
		assert_int_equal(validity.locks_unused, cases[i].extent != RECOGNISE_ALL);
		assert_string_equal(validity_advice(&validity, VALIDITY_LOCKS),
				    validity.locks_unused ? "Record it again on an idle machine"
							  : "Record with --sync=all");
		assert_int_equal(validity.findings[VALIDITY_RECOGNISED].answer,
				 cases[i].extent == RECOGNISE_ALL ? VALIDITY_HOLDS
								  : VALIDITY_FAILS);
		program_release(&program);
		forecast_points_release(&replayed);
	}
}

/* In the recording b got m before c, though c came first: 5 ms on three cores, and 8 as
 * recorded. */
static void mutexes_by_their_waits_are_locks_if_threads_could_meet(void **state)
{
	static const char text[] =
		"a: 2ms futex_wake(m:2) wake(b,0) 1ms\n"
		"b: 3ms futex_wait(m:0) block(0) 1ms futex_wake(m:3) wake(c,1) 1ms\n"
		"c: 1ms futex_wait(m:1) block(1) 1ms sleep(2ms) 1ms";
	static const struct {
		unsigned recorded_cores;
		double others_share;
		size_t mutexes;
		double wall_s;
	} cases[] = {{3, 0, 1, 5e-3}, {1, 0, 0, 8e-3}, {3, .5, 0, 8e-3}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 3};
		const uint64_t cores[] = {3};
		struct recognised recognised;
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, text);
		program.wall_ns = 5000000;
		program.sites[0].waits_as_mutex = true;
		assert_int_equal(recognise_checked(&replayed, &recognised, &program, &machine,
						   cases[i].recorded_cores, cases[i].others_share,
						   cores, 1, &err),
				 0);
		assert_int_equal(recognised.mutexes, cases[i].mutexes);
		assert_close(forecast_points_find(&replayed, 3)->wall_s, cases[i].wall_s, 1e-3);
		program_release(&program);
		forecast_points_release(&replayed);
	}
}

/* A lock is held for 4 of 5 ms, but no recorded thread ever waits for it. */
static void a_recognition_that_does_not_repeat_the_recording_is_not_taken(void **state)
{
	static const char text[] = "a: mutex_lock(m:0) 40ms mutex_unlock(m:3)\n"
				   "b: mutex_lock(m:1) 40ms mutex_unlock(m:2)\n";
	static const struct {
		uint64_t wall_ns;
		enum recognise_extent extent;
	} cases[] = {
		{40000000, RECOGNISE_WAKES}, {80000000, RECOGNISE_ALL}, {20000000, RECOGNISE_ALL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		struct recognised recognised;
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, text);
		program.wall_ns = cases[i].wall_ns;
		assert_int_equal(recognise_checked(&replayed, &recognised, &program, &machine, 2, 0,
						   NULL, 0, &err),
				 0);
		assert_int_equal(recognised.extent, cases[i].extent);
		program_release(&program);
		forecast_points_release(&replayed);
	}
}

/* Both threads sleep with the same lock held: that takes the sum of both on any number of cores. */
static void sleeps_under_a_lock_are_serial_on_any_number_of_cores(void **state)
{
	static const char text[] =
		"main: fork(a) fork(b) join(a) join(b)\n"
		"a: mutex_lock(m:0) 5us sleep(20ms) 5us mutex_unlock(m:2) futex_wake(m) "
		"wake(b,0) return(m,2) 1us\n"
		"b: mutex_lock(m:1) 5us futex_wait(m) block(0) return(m,1) 5us sleep(20ms) 5us "
		"mutex_unlock(m:3) 1us\n";
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1, 2, 4};
	struct recognised recognised;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, text);
	program.wall_ns = 40030000;
	assert_int_equal(
		recognise_checked(&replayed, &recognised, &program, &machine, 2, 0, cores, 3, &err),
		0);
	assert_int_equal(recognised.extent, RECOGNISE_ALL);
	assert_int_equal(recognised.locks, 1);
	for (size_t i = 0; i < 3; i++)
		assert_true(forecast_points_find(&replayed, cores[i])->wall_s >= 0.04);
	program_release(&program);
	forecast_points_release(&replayed);
}

/*
 * Each of three threads computes for 2 ms and holds the lock for 4 ms, twice: 26 ms on two cores
 * and on more. In the recording each did so twice before the next one had a core; a core idled: 32
 * ms.
 */
static void idle_cores_are_no_argument_against_a_lock(void **state)
{
	static const char text[] =
		"a: 2ms mutex_lock(m:0) 4ms mutex_unlock(m:1) 2ms mutex_lock(m:2) 4ms "
		"mutex_unlock(m:5) futex_wake(m) wake(b,0)\n"
		"b: 2ms mutex_lock(m:3) futex_wait(m) block(0) 4ms mutex_unlock(m:6) 2ms "
		"mutex_lock(m:7) 4ms mutex_unlock(m:8) futex_wake(m) wake(c,1)\n"
		"c: 2ms mutex_lock(m:4) futex_wait(m) block(1) 4ms mutex_unlock(m:9) 2ms "
		"mutex_lock(m:10) 4ms mutex_unlock(m:11)\n";
	static const struct {
		uint64_t idled_ns;
		enum recognise_extent extent;
		double wall_s;
	} cases[] = {{10000000, RECOGNISE_ALL, .026}, {0, RECOGNISE_WAKES, .032}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 1};
		const uint64_t cores[] = {8};
		struct recognised recognised;
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, text);
		program.wall_ns = 32000000;
		program.shares.run_ns = 36000000;
		program.shares.idled_ns = cases[i].idled_ns;
		assert_int_equal(recognise_checked(&replayed, &recognised, &program, &machine, 2, 0,
						   cores, 1, &err),
				 0);
		assert_int_equal(recognised.extent, cases[i].extent);
		assert_close(forecast_points_find(&replayed, 8)->wall_s, cases[i].wall_s, 1e-3);
		program_release(&program);
		forecast_points_release(&replayed);
	}
}

/*
 * Each of three threads computes for 40 ms and holds the lock for 40 ms, which takes 160 ms on two
 * cores and 120 ms without the lock: the recorded time. On eight cores that would be 80 ms.
 */
static void no_wall_time_is_less_than_the_hold_time_of_a_lock(void **state)
{
	static const char text[] = "a: 40ms mutex_lock(m:0) 40ms mutex_unlock(m:3)\n"
				   "b: 40ms mutex_lock(m:1) 40ms mutex_unlock(m:4)\n"
				   "c: 40ms mutex_lock(m:2) 40ms mutex_unlock(m:5)\n";
	static const struct {
		uint64_t wall_ns;
		enum recognise_extent extent;
		bool known;
		double wall_s;
	} cases[] = {
		{160000000, RECOGNISE_ALL, true, .16},
		{120000000, RECOGNISE_WAKES, true, .12},
		/* It was no lock: it would be held for longer than that. */
		{119000000, RECOGNISE_WAKES, false, .08},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct variation_request request = {.discrepancy = .065};
		const struct machine machine = {.cores = 1};
		const uint64_t cores[] = {8};
		const struct forecast_point *on_eight;
		struct recognised recognised;
		struct forecast_points replayed;
		struct program program;
		struct err err;

		steps_read(&program, text);
		program.wall_ns = cases[i].wall_ns;
		assert_int_equal(recognise_checked(&replayed, &recognised, &program, &machine, 2, 0,
						   cores, 1, &err),
				 0);
		assert_int_equal(recognised.extent, cases[i].extent);
		assert_int_equal(replayed.holds_known, cases[i].known);
		assert_int_equal(replayed.bounds.serial_ns, cases[i].known ? 120000000 : 0);
		on_eight = forecast_points_find(&replayed, 8);
		assert_close(on_eight->wall_s, cases[i].wall_s, 1e-3);
		assert_int_equal(variation_add(&replayed, &program, &machine, &request, &err), 0);
		if (cases[i].known)
			assert_true(on_eight->lo_s > .1 && on_eight->lo_s < cases[i].wall_s);
		else
			assert_true(on_eight->lo_s < .08);
		program_release(&program);
		forecast_points_release(&replayed);
	}
}

static void an_invalid_machine_leaves_results_that_can_be_released(void **state)
{
	const struct machine machine = {
		.cores = 1, .slowdown = (double[]){-1}, .slowdown_count = 1};
	struct recognised recognised;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 1ms\n");
	assert_int_equal(
		recognise_checked(&replayed, &recognised, &program, &machine, 1, 0, NULL, 0, &err),
		-1);
	program_release(&program);
	forecast_points_release(&replayed);
}

/* Thread b waits once: 2us before its wait and 1us before the wakeup. */
static void the_cost_of_waits_for_locks_is_known(void **state)
{
	const struct machine machine = {.cores = 1};
	struct recognised recognised;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 1ms mutex_lock(m) 1ms mutex_unlock(m) 1us wake(b,0) 1ms\n"
			     "b: 1ms mutex_lock(m) 2us block(0) mutex_unlock(m) 1ms\n");
	program.wall_ns = 3001000;
	assert_int_equal(
		recognise_checked(&replayed, &recognised, &program, &machine, 2, 0, NULL, 0, &err),
		0);
	assert_int_equal(recognised.locks, 1);
	assert_close(replayed.lock_costs_s, 3e-6, 1e-12);
	program_release(&program);
	forecast_points_release(&replayed);
}

/* One thread, so that all of the cost is in the wall time. */
static void the_cost_of_recorded_calls_is_in_the_recorded_time_alone(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {2};
	struct recognised recognised;
	struct forecast_points replayed;
	struct program program;
	struct err err;

	(void)state;
	steps_read(&program, "a: 1ms mutex_lock(m:0) 1ms mutex_unlock(m:1) 1ms\n");
	program.wall_ns = 3000000;
	program.costs.call_ns = 400000;
	assert_int_equal(
		recognise_checked(&replayed, &recognised, &program, &machine, 1, 0, cores, 1, &err),
		0);
	assert_int_equal(recognised.extent, RECOGNISE_ALL);
	assert_close(replayed.self_s, .003, 1e-12);
	assert_close(replayed.calls_s, .0008, 1e-12);
	assert_close(forecast_points_find(&replayed, 1)->wall_s, .0022, 1e-12);
	assert_close(forecast_points_find(&replayed, 2)->wall_s, .0022, 1e-12);
	assert_int_equal(program_work_ns(&program), 2200000);
	program_release(&program);
	forecast_points_release(&replayed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_cost_of_waits_for_locks_is_known),
	cmocka_unit_test(the_cost_of_recorded_calls_is_in_the_recorded_time_alone),
	cmocka_unit_test(calls_count_as_far_as_no_thread_is_stuck_by_them),
	cmocka_unit_test(mutexes_by_their_waits_are_locks_if_threads_could_meet),
	cmocka_unit_test(a_recognition_that_does_not_repeat_the_recording_is_not_taken),
	cmocka_unit_test(sleeps_under_a_lock_are_serial_on_any_number_of_cores),
	cmocka_unit_test(idle_cores_are_no_argument_against_a_lock),
	cmocka_unit_test(no_wall_time_is_less_than_the_hold_time_of_a_lock),
	cmocka_unit_test(an_invalid_machine_leaves_results_that_can_be_released),
};

TEST_FILE(tests);
