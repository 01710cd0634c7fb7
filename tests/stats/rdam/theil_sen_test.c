/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/theil_sen.h"

#include "base/alloc.h"
#include "random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

/* The slopes of the pairs are 1, 2.5, 4, 4 and 7; two points of one x have none. */
static void the_slope_is_the_median_of_all_pairs(void **state)
{
	static const double x[] = {0, 1, 2, 2}, y[] = {0, 1, 5, 8};
	(void)state;
	assert_close(theil_sen_slope(x, y, 4), 4, 1e-15);
	assert_close(theil_sen_slope(x, y, 3), 2.5, 1e-15);
	assert_close(theil_sen_slope((double[]){2, 1, 0, 2}, (double[]){5, 1, 0, 8}, 4), 4, 1e-15);
}

static void without_two_different_x_there_is_none(void **state)
{
	static const double x[] = {3, 3, 3}, y[] = {1, 2, 3};

	(void)state;
	assert_true(isnan(theil_sen_slope(x, y, 3)));
	assert_true(isnan(theil_sen_slope(x, y, 1)));
	assert_true(isnan(theil_sen_slope(x, y, 0)));
}

/* A quarter of the points is far above the line, with few points and with many. */
static void wild_points_do_not_decide(void **state)
{
	static const size_t counts[] = {THEIL_SEN_EXACT, 20 * THEIL_SEN_EXACT};
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t count = counts[i];
		double *x = xcalloc(count, sizeof(*x)), *y = xcalloc(count, sizeof(*y));

		for (size_t k = 0; k < count; k++) {
			x[k] = (double)random_below(&random, 1000);
			y[k] = 7 + 3 * x[k] + (double)random_below(&random, 100);
			y[k] += random_one_in(&random, 4) ? 1e5 : 0;
		}
		assert_close(theil_sen_slope(x, y, count), 3, 0.05);
		assert_true(theil_sen_slope(x, y, count) - theil_sen_slope(x, y, count) == 0);
		free(x);
		free(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slope_is_the_median_of_all_pairs),
		cmocka_unit_test(without_two_different_x_there_is_none),
		cmocka_unit_test(wild_points_do_not_decide),
	};

	return RUN_TESTS(tests);
}
