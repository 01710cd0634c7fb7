/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_knee.h"

#include "fit/usl/usl_means.h"
#include "fitting.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_knee look(const struct series *series)
{
	struct usl usl = fitting_fit(series, USL_FULL);
	struct usl_units units = usl_units_of(series);
	struct usl_knee knee;
	size_t count;
	struct usl_mean *means = usl_means(&count, series, &units, USL_KNEE_POINTS);

	usl_knee(&knee, &usl, means, count, &units, series->weights != NULL);
	free(means);
	return knee;
}

/* Eight cores with two threads each: from N = 10 on a thread more brings less. */
static struct series_point hyperthreads[] = {{1, 100},	{2, 198},  {3, 295},  {4, 391},
					     {5, 484},	{6, 577},  {8, 761},  {10, 770},
					     {12, 808}, {14, 843}, {16, 881}, {20, 950}};

/* Newton's method in arithmetic with 50 digits, in one piece and in two at each place. */
static void a_knee_is_found_where_it_is(void **state)
{
	struct series series = {.points = hyperthreads, .count = COUNT(hyperthreads)};
	struct usl_knee knee = look(&series);

	(void)state;
	assert_true(usl_knee_is_clear(&knee));
	assert_int_equal(knee.places, 7);
	assert_true(knee.last == 8 && knee.first == 10);
	assert_close(knee.one_rss, 11352.4111834096, 1e-12);
	assert_close(knee.rss, 27.5598965936, 1e-9);
	assert_close(knee.distance_share, .0471679039617, 1e-9);
}

/* Then there is no second look. */
static void known_weights_are_taken(void **state)
{
	double weights[COUNT(hyperthreads)];
	struct series series = {
		.points = hyperthreads, .weights = weights, .count = COUNT(hyperthreads)};
	struct usl_knee once, twice;

	(void)state;
	for (size_t i = 0; i < COUNT(weights); i++)
		weights[i] = 1;
	once = look(&series);
	series.weights = NULL;
	twice = look(&series);
	/* 7 places, and F = 1438.21219972 for 2 and 7 degrees of freedom. */
	assert_close(once.p, 4.93470491799e-09, 1e-9);
	assert_close(once.rss, twice.rss, 1e-9);
	assert_true(twice.p > once.p);
}

static void one_curve_has_no_knee(void **state)
{
	static const char *const sets[] = {"raytracer", "raytracer6", "specsdm91", "cisco10",
					   "seed_table4"};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct series series = fitting_read(sets[i]);
		struct usl_knee knee = look(&series);

		assert_true(knee.places && knee.p >= .01);
		assert_false(usl_knee_is_clear(&knee));
		series_release(&series);
	}
}

/* However sure it is. */
static void a_knee_of_less_than_one_percent_is_none(void **state)
{
	struct series_point points[16];
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_knee knee;

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		double n = (double)i + 1, wave = i % 2 ? 1e-5 : -1e-5;

		points[i] = (struct series_point){n, 100 * n / (1 + .03 * (n - 1)) * (1 + wave) *
							     (n > 8 ? .995 : 1)};
	}
	knee = look(&series);
	assert_true(knee.p < 1e-6);
	assert_true(knee.last == 8 && knee.first == 9);
	assert_false(usl_knee_is_clear(&knee));
}

static void too_few_points_have_no_place_for_a_knee(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18.3}, {4, 31}, {4, 32},
					{8, 47}, {8, 46},   {16, 64}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_knee knee = look(&series);

	(void)state;
	assert_int_equal(knee.places, 0);
	assert_true(isnan(knee.p) && isnan(knee.last) && isnan(knee.rss));
	assert_false(usl_knee_is_clear(&knee));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_knee_is_found_where_it_is),
		cmocka_unit_test(known_weights_are_taken),
		cmocka_unit_test(one_curve_has_no_knee),
		cmocka_unit_test(a_knee_of_less_than_one_percent_is_none),
		cmocka_unit_test(too_few_points_have_no_place_for_a_knee),
	};

	return RUN_TESTS(tests);
}
