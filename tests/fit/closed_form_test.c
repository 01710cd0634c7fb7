/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/closed_form.h"

#include "base/err.h"
#include "stats/profile/wall_times.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 40 };

static void random_levels(struct level_times *levels, uint64_t *wall_ns)
{
	*levels = (struct level_times){.wall_ns = wall_ns};
	levels->max_active = 1 + (size_t)rand() % (LEVELS_MAX - 1);
	for (size_t j = 0; j <= levels->max_active; j++) {
		wall_ns[j] = (uint64_t)rand() % 1000000000;
		levels->total_ns += wall_ns[j];
	}
}

/* The form of the paper, section 3, in three cases, as the speedup of each level. */
static double three_cases(const struct level_times *levels, uint64_t k1, uint64_t k2)
{
	double wall_ns = (double)levels->wall_ns[0];

	for (uint64_t j = 1; j <= levels->max_active; j++) {
		double speedup;

		if (k2 >= k1)
			speedup = j <= k1 ? 1
					  : (j <= k2 ? (double)j / (double)k1
						     : (double)k2 / (double)k1);
		else
			speedup = j <= k2 ? 1
					  : (j <= k1 ? (double)k2 / (double)j
						     : (double)k2 / (double)k1);
		wall_ns += (double)levels->wall_ns[j] / speedup;
	}
	return wall_ns / 1e9;
}

static void the_form_equals_the_three_cases_of_the_paper(void **state)
{
	uint64_t wall_ns[LEVELS_MAX];
	struct level_times levels;

	(void)state;
	srand(1);
	for (int trial = 0; trial < 1000; trial++) {
		uint64_t k1 = 1 + (uint64_t)rand() % 50, k2 = 1 + (uint64_t)rand() % 50;

		random_levels(&levels, wall_ns);
		assert_close(closed_form_wall_s(&levels, k1, k2), three_cases(&levels, k1, k2),
			     1e-12);
	}
}

static void on_the_same_cores_the_forecast_is_the_measurement(void **state)
{
	uint64_t wall_ns[LEVELS_MAX];
	struct level_times levels;

	(void)state;
	for (uint64_t k = 1; k < 50; k++) {
		random_levels(&levels, wall_ns);
		assert_close(closed_form_wall_s(&levels, k, k), (double)levels.total_ns / 1e9,
			     1e-12);
	}
}

static void more_cores_never_take_longer_and_stop_helping_at_the_highest_level(void **state)
{
	uint64_t wall_ns[LEVELS_MAX];
	struct level_times levels;

	(void)state;
	for (int trial = 0; trial < 100; trial++) {
		random_levels(&levels, wall_ns);
		for (uint64_t k = 1; k < 2 * LEVELS_MAX; k++) {
			double here = closed_form_wall_s(&levels, 4, k);
			double next = closed_form_wall_s(&levels, 4, k + 1);

			assert_true(next <= here);
			if (k >= levels.max_active)
				assert_close(next, here, 0);
		}
	}
}

/* Scaling each level to k2 and the result back to k1 gives the first profile. */
static void scaling_back_is_the_identity(void **state)
{
	uint64_t wall_ns[LEVELS_MAX], there_ns[LEVELS_MAX];
	struct level_times levels, there, one = {0};

	(void)state;
	random_levels(&levels, wall_ns);
	there = levels;
	there.wall_ns = there_ns;
	for (size_t j = 0; j <= levels.max_active; j++) {
		uint64_t single[LEVELS_MAX] = {0};

		single[j] = wall_ns[j] * 1000;
		one.wall_ns = single;
		one.max_active = j;
		there_ns[j] = (uint64_t)(closed_form_wall_s(&one, 3, 7) * 1e9);
	}
	assert_close(closed_form_wall_s(&there, 7, 3) / 1000, closed_form_wall_s(&levels, 3, 3),
		     1e-8);
}

static void unknown_time_is_carried_over(void **state)
{
	uint64_t wall_ns[] = {0, 1000000000};
	struct level_times levels = {.wall_ns = wall_ns,
				     .max_active = 1,
				     .unknown_ns = 500000000,
				     .total_ns = 1500000000};

	(void)state;
	assert_close(closed_form_wall_s(&levels, 1, 8), 1.5, 1e-15);
}

static void speedup_is_relative_to_one_core(void **state)
{
	uint64_t wall_ns[] = {0, 1000000000, 1000000000};
	struct level_times levels = {.wall_ns = wall_ns, .max_active = 2, .total_ns = 2000000000};
	struct closed_form forecast = closed_form(&levels, 2, 2);

	(void)state;
	assert_close(forecast.wall_s, 2, 1e-15);
	assert_close(forecast.speedup, 1.5, 1e-15);
	assert_close(forecast.efficiency, 0.75, 1e-15);
}

/* 4 s of one thread and 6 s of two on one core: on two cores 7 s. */
static void the_error_is_relative_to_the_measurement(void **state)
{
	uint64_t wall_ns[] = {0, 4000000000, 6000000000};
	const struct level_times levels = {.wall_ns = wall_ns, .max_active = 2};
	struct wall_time items[] = {{1, 2, 8, 7, 9}, {2, 1, 8, 8, 8}, {4, 3, 5, 4, 6}};
	const struct wall_times times = {items, 3}, first = {items, 1};
	size_t count;

	(void)state;
	assert_close(closed_form_error(&levels, 1, &items[0]), .25, 1e-15);
	assert_close(closed_form_error(&levels, 1, &items[1]), -.125, 1e-15);
	assert_close(closed_form_error(&levels, 1, &items[2]), .4, 1e-15);
	/* The cores of the profile itself do not count. */
	assert_close(closed_form_mean_error(&levels, 1, &times, &count), (.125 + .4) / 2, 1e-15);
	assert_int_equal(count, 2);
	assert_true(isnan(closed_form_mean_error(&levels, 1, &first, &count)));
	assert_int_equal(count, 0);
}

static void a_mostly_unknown_profile_has_no_forecast(void **state)
{
	uint64_t wall_ns[] = {0, 500};
	struct level_times levels = {
		.wall_ns = wall_ns, .max_active = 1, .unknown_ns = 500, .total_ns = 1000};
	struct err err;

	(void)state;
	assert_int_equal(closed_form_check(&levels, &err), 0);
	levels.unknown_ns++;
	levels.total_ns++;
	assert_int_equal(closed_form_check(&levels, &err), -1);
	assert_non_null(strstr(err.text, "there is no forecast"));
}

static void a_recording_of_one_instant_has_no_forecast(void **state)
{
	uint64_t wall_ns[] = {0};
	const struct level_times levels = {.wall_ns = wall_ns};
	struct err err;

	(void)state;
	assert_int_equal(closed_form_check(&levels, &err), -1);
	assert_non_null(strstr(err.text, "at one instant only"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_recording_of_one_instant_has_no_forecast),
	cmocka_unit_test(the_form_equals_the_three_cases_of_the_paper),
	cmocka_unit_test(on_the_same_cores_the_forecast_is_the_measurement),
	cmocka_unit_test(more_cores_never_take_longer_and_stop_helping_at_the_highest_level),
	cmocka_unit_test(scaling_back_is_the_identity),
	cmocka_unit_test(unknown_time_is_carried_over),
	cmocka_unit_test(speedup_is_relative_to_one_core),
	cmocka_unit_test(the_error_is_relative_to_the_measurement),
	cmocka_unit_test(a_mostly_unknown_profile_has_no_forecast),
};

TEST_FILE(tests);
