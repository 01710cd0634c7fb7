/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/variation.h"

#include "base/err.h"
#include "steps.h"
#include "support.h"

#include <math.h>

/* A thread of 400 steps: of 1 ms in its first half and of 2 ms in the other, give or take 10 %. */
static void two_phases(struct program *program)
{
	program_init(program);
	program_add_thread(program, 1, 1, "a");
	for (unsigned i = 0; i < 400; i++)
		program_add_step(program, 0, (i < 200 ? 1000000 : 2000000) + i % 3 * 100000,
				 STEP_NONE);
	program_add_step(program, 0, 0, STEP_EXIT);
	program->wall_ns = program_work_ns(program);
}

static void phases_stay_phases(void **state)
{
	struct program program;
	size_t changed = 0;

	(void)state;
	two_phases(&program);
	variation_draw(&program, 1);
	for (size_t i = 0; i < 400; i++) {
		uint64_t run_ns = step_run_ns(&program.threads[0].steps[i]);

		changed += run_ns != (i < 200 ? 1000000u : 2000000u) + i % 3 * 100000;
		if (i < 200 - 40)
			assert_true(run_ns <= 1200000);
		if (i >= 200 + 40)
			assert_true(run_ns >= 2000000);
	}
	assert_true(changed > 100);
	program_release(&program);
}

static void the_interval_holds_the_point_and_is_as_wide_as_steps_vary(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1, 2};
	struct replayed replayed;
	struct program program;
	struct err err;
	double width;

	(void)state;
	two_phases(&program);
	assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 2, &err), 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &err), 0);
	for (size_t i = 0; i < replayed.count; i++) {
		const struct replayed_point *point = &replayed.points[i];

		width = (point->hi_s - point->lo_s) / point->wall_s;
		assert_true(point->lo_s <= point->wall_s && point->wall_s <= point->hi_s);
		assert_true(width > .002 && width < .1);
	}
	replayed_release(&replayed);
	program_release(&program);
}

static void a_replay_that_misses_the_recording_has_a_wider_interval(void **state)
{
	const struct machine machine = {.cores = 1};
	const uint64_t cores[] = {1};
	struct replayed replayed;
	struct program program;
	struct err err;

	(void)state;
	two_phases(&program);
	program.wall_ns = program.wall_ns * 100 / 95;
	assert_int_equal(replayed_init(&replayed, &program, &machine, 1, 0, cores, 1, &err), 0);
	assert_int_equal(variation_add(&replayed, &program, &machine, &err), 0);
	assert_true(replayed.points[0].hi_s >= 1.049 * replayed.points[0].wall_s);
	assert_true(replayed.points[0].lo_s <= .951 * replayed.points[0].wall_s);
	replayed_release(&replayed);
	program_release(&program);
}

static void replicates_go_by_the_work_that_they_are(void **state)
{
	(void)state;
	assert_int_equal(variation_replicates(99, 1), 0);
	assert_int_equal(variation_replicates(100, 4), VARIATION_REPLICATES);
	assert_int_equal(variation_replicates(1000000, 8), 25);
	assert_int_equal(variation_replicates(10000000, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_stay_phases),
		cmocka_unit_test(the_interval_holds_the_point_and_is_as_wide_as_steps_vary),
		cmocka_unit_test(a_replay_that_misses_the_recording_has_a_wider_interval),
		cmocka_unit_test(replicates_go_by_the_work_that_they_are),
	};

	return RUN_TESTS(tests);
}
