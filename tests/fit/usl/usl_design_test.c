/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_suggestion suggestion_of(const struct series *series, enum usl_model model,
					   double most)
{
	struct usl usl = fitting_fit(series, model);
	struct usl_suggestion suggestion;

	usl_suggest(&suggestion, &usl, series, .95, most);
	return suggestion;
}

static struct usl_suggestion suggestion_of_set(const char *set, double most)
{
	struct series series = fitting_read(set);
	struct usl_suggestion suggestion = suggestion_of(&series, USL_FULL, most);

	series_release(&series);
	return suggestion;
}

/* --- Simulated measurements at the suggested N, and elsewhere --------------- */

enum { POINTS = 7, SETS = 300 };

static const struct usl truth = {.alpha = .0277, .beta = .000104, .gamma = 90};

static double measured(double n, gsl_rng *random)
{
	return usl_throughput(&truth, n) + gsl_ran_gaussian(random, 25);
}

static double length_with(struct series *series, double n, gsl_rng *random)
{
	struct usl_interval interval;
	struct usl_intervals *region;
	struct usl usl;

	series->points[POINTS] = (struct series_point){n, measured(n, random)};
	series->count = POINTS + 1;
	usl = fitting_fit(series, USL_FULL);
	region = usl_intervals_new(&usl, series, .95, NULL);
	interval = usl_interval_of(region, USL_PEAK_N, 0);
	usl_intervals_free(region);
	series->count = POINTS;
	return log(interval.high / interval.low);
}

static void a_measurement_at_the_suggested_n_shrinks_the_interval_most(void **state)
{
	static const double others[] = {1, 18, 50, 108, 150, 216};
	static double lengths[1 + COUNT(others)][SETS];
	struct series_point points[POINTS + 1] = {{1, 0},   {18, 0},  {36, 0}, {72, 0},
						  {108, 0}, {144, 0}, {216, 0}};
	struct series series = {.points = points, .count = POINTS};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	double best;

	(void)state;
	for (size_t set = 0; set < SETS; set++) {
		struct usl_suggestion suggestion;

		for (size_t i = 0; i < POINTS; i++)
			points[i].throughput = fmax(1, measured(points[i].n, random));
		suggestion = suggestion_of(&series, USL_FULL, 3 * 216);
		assert_int_equal(suggestion.aim, USL_AIM_PEAK_N);
		lengths[0][set] = length_with(&series, suggestion.best.n, random);
		for (size_t i = 0; i < COUNT(others); i++)
			lengths[1 + i][set] = length_with(&series, others[i], random);
	}
	gsl_rng_free(random);
	best = gsl_stats_median(lengths[0], 1, SETS);
	for (size_t i = 0; i < COUNT(others); i++) {
		double other = gsl_stats_median(lengths[1 + i], 1, SETS);

		if (!(best < .95 * other))
			fail_msg("%g at the suggested N, %g at N = %g", best, other, others[i]);
	}
}

/* --- Suggestions ------------------------------------------------------------- */

static void a_suggestion_has_the_expected_interval(void **state)
{
	struct usl_suggestion suggestion = suggestion_of_set("specsdm91", 648);

	(void)state;
	assert_int_equal(suggestion.aim, USL_AIM_PEAK_N);
	assert_close(suggestion.now.low, 77.85535585, 1e-8); /* certified */
	assert_close(suggestion.now.high, 156.6618041, 1e-8);
	assert_true(suggestion.best.interval.low > suggestion.now.low);
	assert_true(suggestion.best.interval.high < suggestion.now.high);
	assert_true(suggestion.flat.low <= suggestion.best.n);
	assert_true(suggestion.best.n <= suggestion.flat.high && suggestion.flat.high <= 648);
	/* Another one is on the way up to the peak. */
	assert_true(suggestion.second.n > 36 && suggestion.second.n < 96);
	assert_true(log(suggestion.second.interval.high / suggestion.second.interval.low) >
		    log(suggestion.best.interval.high / suggestion.best.interval.low));
}

/* Of 200 candidates in equal steps of ln N, each is shorter than its neighbours, or at the end. */
static void the_best_n_are_found_and_those_nearly_as_good(void **state)
{
	static const struct {
		const char *set;
		double most, best, second, flat_low, flat_high;
	} cases[] = {
		{"specsdm91", 216, 216, 59, 205, 216}, {"specsdm91", 648, 523, 59, 298, 648},
		{"cisco10", 30, 30, 2, 22, 30},	       {"raytracer", 192, 192, 4, 160, 192},
		{"raytracer6", 60, 60, 12, 35, 60},    {"seed_table4", 1050, 786, 153, 577, 1050},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl_suggestion got = suggestion_of_set(cases[i].set, cases[i].most);

		if (got.best.n != cases[i].best || got.second.n != cases[i].second ||
		    got.flat.low != cases[i].flat_low || got.flat.high != cases[i].flat_high)
			fail_msg("%s up to %g: %g, %g, %g to %g", cases[i].set, cases[i].most,
				 got.best.n, got.second.n, got.flat.low, got.flat.high);
	}
}

static void nothing_beyond_the_largest_allowed_is_suggested(void **state)
{
	struct usl_suggestion suggestion = suggestion_of_set("specsdm91", 216);

	(void)state;
	assert_true(suggestion.best.n <= 216 && suggestion.flat.high <= 216);
	suggestion = suggestion_of_set("specsdm91", 1);
	assert_true(suggestion.aim == USL_AIM_NOTHING || suggestion.best.n == 1);
}

static void for_points_without_a_peak_beta_is_the_goal(void **state)
{
	struct usl_suggestion rising = suggestion_of_set("cisco10", 30);
	struct usl_suggestion bound = suggestion_of_set("raytracer", 192);

	(void)state;
	assert_int_equal(rising.aim, USL_AIM_BETA);
	assert_true(rising.best.n > 20 && rising.best.interval.low > 0);
	assert_int_equal(bound.aim, USL_AIM_BETA);
	assert_true(bound.best.n > 128 && bound.best.interval.high < bound.now.high);
}

static void without_an_interval_there_is_no_suggestion(void **state)
{
	struct series_point points[] = {{1, 20}, {4, 78}, {12, 170}};
	struct series three = {.points = points, .count = COUNT(points)};
	struct series seven = fitting_read("specsdm91");

	(void)state;
	assert_int_equal(suggestion_of(&three, USL_FULL, 36).aim, USL_AIM_NOTHING);
	assert_int_equal(suggestion_of(&seven, USL_AMDAHL, 36).aim, USL_AIM_NOTHING);
	series_release(&seven);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_measurement_at_the_suggested_n_shrinks_the_interval_most),
	cmocka_unit_test(a_suggestion_has_the_expected_interval),
	cmocka_unit_test(the_best_n_are_found_and_those_nearly_as_good),
	cmocka_unit_test(nothing_beyond_the_largest_allowed_is_suggested),
	cmocka_unit_test(for_points_without_a_peak_beta_is_the_goal),
	cmocka_unit_test(without_an_interval_there_is_no_suggestion),
};

TEST_FILE(tests);
