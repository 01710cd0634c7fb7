/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "fit/fitting.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The trace of a projection is its rank. */
static void hat_values_add_up_to_the_free_parameters(void **state)
{
	static const struct {
		const char *set;
		enum usl_model model;
		double sum;
	} cases[] = {
		{"specsdm91", USL_FULL, 3},   {"specsdm91", USL_AMDAHL, 2},
		{"specsdm91", USL_LINEAR, 1}, {"raytracer", USL_FULL, 2}, /* beta = 0 */
		{"seed_table4", USL_FULL, 2},				  /* alpha = 0 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = fitting_read(cases[i].set);
		struct usl usl = fitting_fit(&series, cases[i].model);
		double *hat = usl_leverage(&usl, &series), sum = 0;

		for (size_t k = 0; k < series.count; k++) {
			assert_true(hat[k] > 0 && hat[k] <= 1);
			sum += hat[k];
		}
		assert_close(sum, cases[i].sum, 1e-10);
		free(hat);
		series_release(&series);
	}
}

static void a_point_counted_twice_has_half_the_weight_of_one_that_counts_double(void **state)
{
	struct series_point twice[] = {{1, 10}, {2, 18}, {4, 29}, {8, 44}, {8, 44}};
	double weights[] = {1, 1, 1, 2};
	struct series once = {.points = twice, .weights = weights, .count = 4};
	struct series series = {.points = twice, .count = 5};
	struct usl usl = fitting_fit(&series, USL_FULL);
	double *apart = usl_leverage(&usl, &series), *together = usl_leverage(&usl, &once);

	(void)state;
	assert_close(together[3], apart[3] + apart[4], 1e-10);
	assert_close(together[0], apart[0], 1e-10);
	free(apart);
	free(together);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hat_values_add_up_to_the_free_parameters),
	cmocka_unit_test(a_point_counted_twice_has_half_the_weight_of_one_that_counts_double),
};

TEST_FILE(tests);
