/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_leave_out.h"

#include "fitting.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct usl_form bounded = {.model = USL_FULL};

static void a_left_out_point_is_not_in_the_fit(void **state)
{
	struct series_point points[] = {{1, 10.1}, {2, 18.7}, {4, 33.5}, {8, 52.2}, {16, 66.4}};
	double weights[] = {5, 4, 3, 2, 1};
	struct series series = {.points = points, .weights = weights, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		struct series_point others[COUNT(points) - 1];
		double others_weights[COUNT(points) - 1];
		struct series rest = {
			.points = others, .weights = others_weights, .count = COUNT(others)};
		struct usl usl;

		for (size_t k = 0; k < COUNT(others); k++) {
			others[k] = points[k < i ? k : k + 1];
			others_weights[k] = weights[k < i ? k : k + 1];
		}
		usl = fitting_fit(&rest, USL_FULL);
		assert_close(left_out[i].alpha, usl.alpha, 1e-12);
		assert_close(left_out[i].gamma, usl.gamma, 1e-12);
		assert_close(left_out[i].residual,
			     points[i].throughput - usl_throughput(&usl, points[i].n), 1e-9);
	}
	free(left_out);
}

static void a_peak_can_come_and_go(void **state)
{
	/* Without N = 32 there is none. */
	struct series_point points[] = {{1, 10}, {2, 18.3}, {4, 31}, {8, 47}, {16, 64.2}, {32, 45}};
	/* Without N = 1 throughput falls from the start. */
	struct series_point falling[] = {{1, 5}, {2, 8}, {4, 4.2}, {8, 2.15}, {16, 1.1}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	assert_true(isinf(left_out[5].peak_n));
	assert_true(left_out[0].peak_n > 8 && left_out[0].peak_n < 32);
	free(left_out);
	series = (struct series){.points = falling, .count = COUNT(falling)};
	left_out = usl_leave_out(&series, &bounded);
	assert_true(left_out[0].peak_n == 0);
	free(left_out);
}

static void too_few_others_leave_nothing_known(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}, {4, 29}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	assert_true(isnan(left_out[0].alpha) && isnan(left_out[0].peak_n) &&
		    isnan(left_out[0].residual));
	assert_close(left_out[2].residual, -1, 1e-9);
	free(left_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_left_out_point_is_not_in_the_fit),
		cmocka_unit_test(a_peak_can_come_and_go),
		cmocka_unit_test(too_few_others_leave_nothing_known),
	};

	return RUN_TESTS(tests);
}
