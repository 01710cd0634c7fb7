/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "replay/simulate/slowdown.h"

#include <string.h>

static void between_points_it_is_on_a_line(void **state)
{
	static const struct slowdown_point points[] = {{2, 1.2}, {4, 1.6}, {5, 1.5}};
	static const double wanted[] = {1.2, 1.2, 1.4, 1.6, 1.5, 1.5, 1.5};
	struct slowdown slowdown;
	struct err err;

	(void)state;
	assert_int_equal(slowdown_init(&slowdown, points, 3, &err), 0);
	assert_int_equal(slowdown.count, 5);
	for (uint64_t b = 1; b <= 7; b++)
		assert_close(slowdown_at(&slowdown, b), wanted[b - 1], 1e-12);
	slowdown_release(&slowdown);
}

static void points_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		struct slowdown_point points[2];
		size_t count;
		const char *says;
	} cases[] = {
		{{{0, 0}}, 0, "has no core counts"},
		{{{0, 1}}, 1, "0 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{2, 1}, {2, 1}}, 2, "2 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{70000, 1}}, 1, "70000 cores: numbers of cores must ascend, from 1 to 65536"},
		{{{1, 0}}, 1, "1 cores: work cannot take 0 times as long; give a factor like 1.25"},
		{{{1, -2}},
		 1,
		 "1 cores: work cannot take -2 times as long; give a factor like 1.25"},
		{{{1, 9e-7}},
		 1,
		 "1 cores: work cannot take 9e-07 times as long; give a factor like 1.25"},
		{{{1, 1}, {2, 2e6}},
		 2,
		 "2 cores: work cannot take 2e+06 times as long; give a factor like 1.25"},
	};
	static const struct slowdown_point farthest[] = {{1, 1e-6}, {SLOWDOWN_CORES_MAX, 1e6}};
	struct slowdown slowdown;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(slowdown_init(&slowdown, cases[i].points, cases[i].count, &err),
				 -1);
		assert_string_equal(err.text, cases[i].says);
	}
	assert_int_equal(slowdown_init(&slowdown, farthest, 2, &err), 0);
	slowdown_release(&slowdown);
}

/* By the formula of slowdown.h, on paper; S(1) = 1, S(2) = 1.5. */
static void what_was_recorded_was_slowed_down_itself(void **state)
{
	static const struct slowdown_point points[] = {{1, 1}, {2, 1.5}};
	static const struct {
		uint64_t cores, wall_ns[4];
		double recorded;
	} cases[] = {
		{1, {5, 10, 20, 30}, 1},       /* one core alone */
		{2, {5, 0, 20, 30}, 1.5},      /* always two */
		{2, {0, 30, 30, 0}, 90. / 70}, /* 30 of work in 30, and 40 in 60 */
		{4, {0, 0, 0, 10}, 1.5},       /* beyond what is known */
		{2, {5, 0, 0, 0}, 1},	       /* nothing ran */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t wall_ns[4];
		struct level_times levels = {.wall_ns = wall_ns, .max_active = 3};
		struct slowdown slowdown;
		struct err err;

		memcpy(wall_ns, cases[i].wall_ns, sizeof(wall_ns));
		assert_int_equal(slowdown_init(&slowdown, points, 2, &err), 0);
		assert_close(slowdown_recorded(&slowdown, &levels, cases[i].cores),
			     cases[i].recorded, 1e-12);
		slowdown_relate(&slowdown, &levels, cases[i].cores);
		assert_close(slowdown_at(&slowdown, 2), 1.5 / cases[i].recorded, 1e-12);
		slowdown_release(&slowdown);
	}
}

/*
 * Two threads, with 12 ms of work each where one core is busy, on a machine where two slow each
 * other down to 2/3: 18 ms on two cores, 24 ms on one. Whichever was recorded, the replay has both.
 */
static void a_replay_finds_either_from_the_other(void **state)
{
	static const struct slowdown_point points[] = {{1, 1}, {2, 1.5}};
	static const struct {
		const char *text;
		uint64_t cores, wall_ns[3];
	} cases[] = {
		{"a: 12ms\nb@0ms: 12ms\n", 1, {0, 0, 24000000}},
		{"a: 18ms\nb@0ms: 18ms\n", 2, {0, 0, 18000000}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t wall_ns[3];
		struct level_times levels = {.wall_ns = wall_ns, .max_active = 2};
		struct slowdown slowdown;
		struct program program;
		struct err err;

		memcpy(wall_ns, cases[i].wall_ns, sizeof(wall_ns));
		assert_int_equal(slowdown_init(&slowdown, points, 2, &err), 0);
		slowdown_relate(&slowdown, &levels, cases[i].cores);
		steps_read(&program, cases[i].text);
		for (unsigned k = 1; k <= 2; k++) {
			const struct machine machine = {.cores = k,
							.slowdown = slowdown.factors,
							.slowdown_count = slowdown.count};
			struct simulated simulated;

			assert_int_equal(simulate(&simulated, &program, &machine, false, &err), 0);
			assert_close((double)simulated.wall_ns, k == 1 ? 24e6 : 18e6, 1e-6);
		}
		program_release(&program);
		slowdown_release(&slowdown);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(between_points_it_is_on_a_line),
	cmocka_unit_test(points_that_make_no_sense_are_refused),
	cmocka_unit_test(what_was_recorded_was_slowed_down_itself),
	cmocka_unit_test(a_replay_finds_either_from_the_other),
};

TEST_FILE(tests);
