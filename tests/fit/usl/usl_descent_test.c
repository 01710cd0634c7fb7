/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_descent.h"

#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Points on n / (offset + u0 + u1 n). */
static void curve(struct usl_descent_point *points, size_t count, double offset, const double *u)
{
	for (size_t i = 0; i < count; i++) {
		double n = (double)(i + 1);

		points[i] = (struct usl_descent_point){.n = n,
						       .x = n / (offset + u[0] + u[1] * n),
						       .weight = 1,
						       .offset = offset,
						       .column = {1, n}};
	}
}

static void points_on_a_curve_are_found_from_far_starts(void **state)
{
	static const double truths[][2] = {{1, .1}, {.3, 2}, {5, 1e-4}, {1, -.02}};
	static const double starts[][2] = {{1, 1}, {100, 0}, {.01, 10}};
	struct usl_descent_point points[8];
	struct usl_descent descent = {.points = points, .count = COUNT(points), .unknowns = 2};

	(void)state;
	for (size_t i = 0; i < COUNT(truths); i++) {
		curve(points, COUNT(points), .25, truths[i]);
		for (size_t k = 0; k < COUNT(starts); k++) {
			double u[USL_UNKNOWNS] = {starts[k][0], starts[k][1]};

			assert_true(usl_descent_run(&descent, u) < 1e-20);
			assert_close(u[0], truths[i][0], 1e-9);
			assert_close(u[1], truths[i][1], 1e-9);
		}
	}
}

static void the_linear_form_starts_at_the_truth_of_exact_points(void **state)
{
	static const double truth[] = {1, .1};
	struct usl_descent_point points[5];
	struct usl_descent descent = {.points = points, .count = COUNT(points), .unknowns = 2};
	double u[USL_UNKNOWNS];

	(void)state;
	curve(points, COUNT(points), 0, truth);
	assert_int_equal(usl_descent_start(&descent, u, NULL), 0);
	assert_close(u[0], truth[0], 1e-12);
	assert_close(u[1], truth[1], 1e-12);
	/* Two equal columns cannot be separated. */
	for (size_t i = 0; i < COUNT(points); i++)
		points[i].column[1] = points[i].column[0];
	assert_int_equal(usl_descent_start(&descent, u, NULL), -1);
}

static void a_weight_is_that_many_measurements(void **state)
{
	struct usl_descent_point each[] = {{1, 10, 1, 0, {1, 1}, 0},
					   {2, 17, 1, 0, {1, 2}, 0},
					   {2, 19, 1, 0, {1, 2}, 0},
					   {4, 30, 1, 0, {1, 4}, 0}};
	struct usl_descent_point means[] = {
		{1, 10, 1, 0, {1, 1}, 0}, {2, 18, 2, 0, {1, 2}, 0}, {4, 30, 1, 0, {1, 4}, 0}};
	struct usl_descent all = {each, COUNT(each), 2}, few = {means, COUNT(means), 2};
	double a[USL_UNKNOWNS] = {.1, .01}, b[USL_UNKNOWNS] = {.1, .01};

	(void)state;
	/* The means lack the scatter of their own points: 1 + 1. */
	assert_close(usl_descent_run(&all, a), usl_descent_run(&few, b) + 2, 1e-12);
	assert_close(a[0], b[0], 1e-12);
	assert_close(a[1], b[1], 1e-12);
}

static void a_start_beyond_a_pole_finds_no_fit(void **state)
{
	struct usl_descent_point points[] = {{1, 10, 1, 0, {1, 1}, 0}, {2, 17, 1, 0, {1, 2}, 0}};
	struct usl_descent descent = {points, COUNT(points), 2};
	double u[USL_UNKNOWNS] = {1, -.6};

	(void)state;
	assert_true(isinf(usl_descent_rss(&descent, u)));
	assert_true(isinf(usl_descent_run(&descent, u)));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(points_on_a_curve_are_found_from_far_starts),
	cmocka_unit_test(the_linear_form_starts_at_the_truth_of_exact_points),
	cmocka_unit_test(a_weight_is_that_many_measurements),
	cmocka_unit_test(a_start_beyond_a_pole_finds_no_fit),
};

TEST_FILE(tests);
