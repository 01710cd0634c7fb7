/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_dependence.h"

#include "base/alloc.h"
#include "random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 2000 };

/* In (0, 1) */
static double uniform(struct random *random)
{
	return ((double)random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* Time that is lost now and then: exponential, a tenth of the occurrences. */
static double disturbance(struct random *random)
{
	return random_one_in(random, 10) ? -1000 * log(uniform(random)) : 0;
}

static void durations_that_grow_with_an_argument_depend_on_it(void **state)
{
	struct random random = {1};
	double x[MANY], y[MANY];
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		x[i] = (double)random_below(&random, 100000);
		y[i] = 500 + 0.25 * x[i] + 20 * uniform(&random);
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.tested && dependence.depends && !dependence.by_value);
	assert_true(dependence.spearman > 0.999);
	assert_close(dependence.slope, 0.25e-9, 1e-3);
	assert_true(dependence.score < 0.002);
}

/* Quadratic: the line leaves much, the values nothing but the noise. */
static void few_values_each_have_a_min_of_their_own(void **state)
{
	struct random random = {2};
	double x[MANY], y[MANY], noise = 0, all = 0;
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		double more = 20 * uniform(&random);

		x[i] = (double)(i % 10);
		y[i] = 100 * x[i] * x[i] + more;
		noise += more;
		all += y[i];
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.depends && dependence.by_value);
	assert_close(dependence.score, noise / all, 0.02);
}

static void what_is_left_beside_the_line_is_the_disturbance(void **state)
{
	struct random random = {3};
	double x[MANY], y[MANY], lost = 0, disturbed = 0;
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		double more = disturbance(&random);

		x[i] = (double)i;
		y[i] = 3 * x[i] + more;
		disturbed += more;
		lost += y[i];
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.depends);
	assert_close(dependence.score, disturbed / lost, 0.05);
}

/* Not by chance, but it explains little: the rank correlation is about 0.3. */
static void a_weak_dependence_is_none(void **state)
{
	struct random random = {5};
	double x[MANY], y[MANY];
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		x[i] = uniform(&random);
		y[i] = 0.3 * x[i] + uniform(&random);
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.tested && dependence.spearman > 0.2 && dependence.spearman < 0.4);
	assert_false(dependence.depends);
}

/* One argument in a thousand at most, also where it takes few values and there are many ties. */
static void by_chance_hardly_anything_depends(void **state)
{
	enum { TRIALS = 4000 };
	static const size_t counts[] = {12, 16, 24, 44};
	struct random random = {4};

	(void)state;
	for (size_t c = 0; c < 4; c++) {
		size_t wrong = 0;

		for (size_t i = 0; i < TRIALS; i++) {
			double x[44], y[44];

			for (size_t k = 0; k < counts[c]; k++) {
				x[k] = (double)random_below(&random, i % 2 ? 4 : 1000);
				y[k] = 100 + disturbance(&random) + 5 * uniform(&random);
			}
			wrong += rdam_dependence_of(x, y, counts[c]).depends;
		}
		if (wrong > 2 * TRIALS / 1000)
			fail_msg("%zu of %d with %zu occurrences", wrong, TRIALS, counts[c]);
	}
}

static void what_cannot_be_tested_is_not(void **state)
{
	static const double y[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	static const double cases[][12] = {
		{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
		{1, 2, 3, 4, (double)NAN, 6, 7, 8, 9, 10, 11, 12},
		{1, 2, 3, 4, (double)INFINITY, 6, 7, 8, 9, 10, 11, 12},
		{0x1p46, 0x1.1p46, 0x1.2p46, 0x1.3p46, 0x1.4p46, 0x1.5p46, 0x1.6p46, 0x1.7p46,
		 0x1.8p46, 0x1.9p46, 0x1.ap46, 0x1.bp46},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_false(rdam_dependence_of(cases[i], y, 12).tested);
		assert_false(rdam_dependence_of(cases[i], y, 12).depends);
	}
	assert_true(rdam_dependence_of(y, y, 12).depends);
	assert_false(rdam_dependence_of(y, y, RDAM_TESTED_LEAST - 1).tested);
	assert_true(rdam_dependence_of(y, cases[0], 12).tested);
	assert_false(rdam_dependence_of(y, cases[0], 12).depends);
	assert_close(rdam_dependence_of(y, cases[0], 12).spearman, 0, 0);
}

/* Six values, of which each has occurred 10 times, or one of them only 9. */
static void ten_of_each_value_are_enough_for_a_min_of_its_own(void **state)
{
	double x[60], y[60];

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		x[i] = (double)(i / 10);
		y[i] = 100 + 50 * x[i] + (double)(i % 10);
	}
	assert_true(rdam_dependence_of(x, y, 60).by_value);
	assert_false(rdam_dependence_of(x, y, 59).by_value);
}

/* Differences of these are infinite, quotients are, or both. */
static void the_largest_and_the_smallest_values_give_numbers(void **state)
{
	static const double scales[] = {0x1p1013, 0x1p-1073, 0x1p64, 0x1p53};

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		double x[MANY], y[MANY];
		struct rdam_dependence dependence;

		for (size_t k = 0; k < MANY; k++) {
			x[k] = scales[i] * ((double)(k % 1900) + 0.5);
			x[k] *= k % 2 ? -1 : 1;
			y[k] = 1000 + (x[k] < 0 ? -1. : 1.) * (double)(k % 1900) / 2;
		}
		dependence = rdam_dependence_of(x, y, MANY);
		assert_true(dependence.tested && dependence.depends);
		assert_true(isfinite(dependence.slope) && dependence.slope >= 0);
		assert_true(dependence.score >= 0 && dependence.score <= 1);
		assert_true(dependence.spearman > 0.99 && dependence.spearman <= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_that_grow_with_an_argument_depend_on_it),
		cmocka_unit_test(few_values_each_have_a_min_of_their_own),
		cmocka_unit_test(what_is_left_beside_the_line_is_the_disturbance),
		cmocka_unit_test(a_weak_dependence_is_none),
		cmocka_unit_test(by_chance_hardly_anything_depends),
		cmocka_unit_test(what_cannot_be_tested_is_not),
		cmocka_unit_test(ten_of_each_value_are_enough_for_a_min_of_its_own),
		cmocka_unit_test(the_largest_and_the_smallest_values_give_numbers),
	};

	return RUN_TESTS(tests);
}
