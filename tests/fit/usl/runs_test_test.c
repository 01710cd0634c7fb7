/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct runs_test of_signs(const char *signs)
{
	double *values = calloc(strlen(signs) + 1, sizeof(*values));
	struct runs_test test;

	for (size_t i = 0; signs[i]; i++)
		values[i] = signs[i] == '+' ? 2.5 : signs[i] == '-' ? -.5 : 0;
	runs_test(&test, values, strlen(signs));
	free(values);
	return test;
}

/* The tests count all orders of the signs. */
static void probabilities_are_those_of_all_orders(void **state)
{
	static const struct {
		const char *signs;
		size_t runs;
		double p_few, p;
	} cases[] = {
		{"++++----", 2, 1. / 35, 2. / 35},
		{"+-+-+-+-", 8, 1, 2. / 35},
		{"++--++-", 4, 19. / 35, 1},
		{"+++++++---", 2, 1. / 60, 1. / 30},
		{"++-+----+++-", 6, 181. / 462, 181. / 231},
		{"+-", 2, 1, 1},
		{"0++0+0+0----", 2, 1. / 35, 2. / 35},
		{"+0-+0-+0-+-", 8, 1, 2. / 35},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct runs_test test = of_signs(cases[i].signs);

		assert_int_equal(test.runs, cases[i].runs);
		assert_close(test.p_few, cases[i].p_few, 1e-12);
		assert_close(test.p, cases[i].p, 1e-12);
	}
}

/* Swed and Eisenhart, "Tables for testing randomness of grouping in a sequence of alternatives",
 * 1943: the largest number of runs whose probability, or that of fewer, is at most 0.025. */
static void tabled_limits_are_met(void **state)
{
	static const char *const within[] = {"+++++-----", "++++---+++---+++----",
					     "+++---+++---+++---+++---+++---+++---++--"};
	static const char *const beyond[] = {"++-----+++", "+++---+++---+++----+",
					     "+++---+++---+++---+++---+++---+++---+--+"};

	(void)state;
	for (size_t i = 0; i < COUNT(within); i++) {
		assert_true(of_signs(within[i]).p_few <= .025);
		assert_true(of_signs(beyond[i]).p_few > .025);
		assert_int_equal(of_signs(beyond[i]).runs, of_signs(within[i]).runs + 1);
	}
}

static void signs_of_one_kind_have_no_test(void **state)
{
	static const char *const cases[] = {"", "+", "0", "++++", "----", "000+"};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(isnan(of_signs(cases[i]).p));
		assert_true(isnan(of_signs(cases[i]).p_few));
	}
}

static void the_normal_distribution_takes_over_where_it_is_close(void **state)
{
	double values[RUNS_EXACT + 1];
	struct runs_test exact, normal;

	(void)state;
	/* Groups of three and of two. */
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = i % 43 < 20 ? (i % 2 ? 1 : -1) : (i / 3 % 2 ? 1 : -1);
	runs_test(&exact, values, RUNS_EXACT);
	runs_test(&normal, values, RUNS_EXACT + 1);
	assert_true(exact.p_few > 0 && exact.p_few < 1);
	assert_true(fabs(exact.p_few - normal.p_few) < .01);
	assert_true(fabs(exact.p - normal.p) < .02);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(probabilities_are_those_of_all_orders),
	cmocka_unit_test(tabled_limits_are_met),
	cmocka_unit_test(signs_of_one_kind_have_no_test),
	cmocka_unit_test(the_normal_distribution_takes_over_where_it_is_close),
};

TEST_FILE(tests);
