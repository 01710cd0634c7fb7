/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_replicates.h"

#include "fit/usl/usl_means.h"
#include "fitting.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_lack_of_fit test(const struct series *series)
{
	struct usl usl = fitting_fit(series, USL_FULL);
	struct usl_units units = usl_units_of(series);
	struct usl_lack_of_fit lack;
	size_t count;
	struct usl_mean *means = usl_means(&count, series, &units, 0);

	usl_lack_of_fit(&lack, &usl, means, count, &units);
	free(means);
	return lack;
}

static struct series_point repeated[] = {{1, 10.1},  {1, 9.9},	 {2, 18.7},  {2, 19.1},
					 {4, 33.5},  {4, 34.3},	 {8, 52.2},  {8, 51.0},
					 {16, 66.4}, {16, 65.1}, {32, 60.2}, {32, 61.9}};

/* R 4.2.2: nls() against lm(x ~ factor(n)), the second with weights. */
static void lack_of_fit_is_that_of_r(void **state)
{
	double weights[] = {4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1};
	static const double want[][3] = {{0.756086414814251, 0.802717010840, 0.536313529784},
					 {0.891627725006356, 0.993286376424, 0.457245493010}};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct series series = {.points = repeated,
					.weights = i ? weights : NULL,
					.count = COUNT(repeated)};
		struct usl_lack_of_fit lack = test(&series);

		assert_int_equal(lack.distinct, 6);
		assert_int_equal(lack.pure_df, 6);
		assert_int_equal(lack.lack_df, 3);
		assert_close(lack.pure_error, want[i][0], 1e-12);
		assert_close(lack.f, want[i][1], 1e-9);
		assert_close(lack.p, want[i][2], 1e-9);
	}
}

static void there_is_no_test_without_pure_error_or_freedom(void **state)
{
	static struct {
		struct series_point points[6];
		size_t count, pure_df, lack_df;
		double pure_error;
	} cases[] = {
		/* nothing repeated */
		{{{1, 10}, {2, 18}, {4, 30}, {8, 40}}, 4, 0, 1, NAN},
		/* copies */
		{{{1, 10}, {1, 10}, {2, 18}, {4, 30}, {8, 40}, {8, 40}}, 6, 2, 1, 0},
		/* three N, three parameters */
		{{{1, 10}, {1, 11}, {2, 18}, {2, 19}, {4, 28}, {4, 29}}, 6, 3, 0, .70710678118655},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = {.points = cases[i].points, .count = cases[i].count};
		struct usl_lack_of_fit lack = test(&series);

		assert_int_equal(lack.pure_df, cases[i].pure_df);
		assert_int_equal(lack.lack_df, cases[i].lack_df);
		assert_true(isnan(lack.f) && isnan(lack.p));
		if (isnan(cases[i].pure_error))
			assert_true(isnan(lack.pure_error));
		else
			assert_close(lack.pure_error, cases[i].pure_error, 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lack_of_fit_is_that_of_r),
		cmocka_unit_test(there_is_no_test_without_pure_error_or_freedom),
	};

	return RUN_TESTS(tests);
}
