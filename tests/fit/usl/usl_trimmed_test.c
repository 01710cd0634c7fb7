/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_trimmed.h"

#include "fit/usl/usl.h"
#include "fitting.h"
#include "support.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A quarter of the points is anything. */
static void the_curve_of_three_quarters_of_the_points_is_found(void **state)
{
	static const struct usl truth = {.alpha = .04, .beta = .002, .gamma = 50};
	static const size_t counts[] = {8, 12, 40, 5000};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		static struct series_point points[5000];
		struct series series = {.points = points, .count = counts[i]};
		const struct usl_form form = {.model = USL_FULL};
		struct usl usl;

		for (size_t k = 0; k < counts[i]; k++) {
			double n = 1 + (double)k * 40 / (double)counts[i];

			points[k] = (struct series_point){
				n, k % 4 == 2 ? 9000 / n : usl_throughput(&truth, n)};
		}
		assert_int_equal(usl_trimmed_fit(&usl, &series, &form), 0);
		assert_close(usl.alpha, truth.alpha, 1e-9);
		assert_close(usl.beta, truth.beta, 1e-9);
		assert_close(usl.gamma, truth.gamma, 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_curve_of_three_quarters_of_the_points_is_found),
	};

	return RUN_TESTS(tests);
}
