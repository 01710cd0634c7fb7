/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/brent.h"

#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct brent_precision precise = {0, 1e-12};

/* x^2 less the number at `data`. */
static double less_square(double x, void *data)
{
	return x * x - *(double *)data;
}

static void a_root_is_found_from_either_side(void **state)
{
	static const struct {
		double square, from, to, root;
	} cases[] = {
		{2, 0, 2, 1.4142135623730951},
		{2, 2, 0, 1.4142135623730951},
		{9, 3, 100, 3},
		{2, -2, 0, -1.4142135623730951},
		{2, 0, 1, 1}, /* no change of sign */
		{2, 1, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double square = cases[i].square;

		assert_close(brent_root(less_square, &square, cases[i].from, cases[i].to, precise),
			     cases[i].root, 1e-11);
	}
}

/* (x - 1)^2 plus the number at `data`. */
static double bowl(double x, void *data)
{
	return (x - 1) * (x - 1) + *(double *)data;
}

static void a_minimum_is_found_between_higher_places(void **state)
{
	static const struct brent_precision near = {1e-7, 0};
	double floor = .5;
	struct brent_minimum minimum = brent_minimum(bowl, &floor, 0, .3, 5, near, -INFINITY);

	(void)state;
	assert_close(minimum.x, 1, 1e-6);
	assert_close(minimum.value, .5, 1e-12);
	/* The middle is not the lowest. */
	minimum = brent_minimum(bowl, &floor, 2, 3, 4, near, -INFINITY);
	assert_true(isnan(minimum.x) && isnan(minimum.value));
	/* The first value that is low enough. */
	minimum = brent_minimum(bowl, &floor, -10, 4, 20, near, 3);
	assert_true(minimum.value <= 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_root_is_found_from_either_side),
	cmocka_unit_test(a_minimum_is_found_between_higher_places),
};

TEST_FILE(tests);
