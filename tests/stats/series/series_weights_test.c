/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/err.h"
#include "stats/series/reading.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The weights of the second and the third point, relative to the first. */
static void weights_are_reciprocal_variances(void **state)
{
	static const struct {
		const char *text;
		enum weighting weighting;
		const char *column;
		double second, third;
	} cases[] = {
		{"n,throughput\n1,10\n2,20\n3,5\n", WEIGHTS_RELATIVE, NULL, 1. / 4, 4},
		{"n,time\n1,10\n2,20\n3,5\n", WEIGHTS_RELATIVE, NULL, 4, 1. / 4},
		{"n,x,w\n1,10,2\n2,20,1\n3,5,8\n", WEIGHTS_COLUMN, "w", 1. / 2, 4},
		{"n,throughput,runs\n1,10,2\n2,20,1\n3,5,8\n", WEIGHTS_COLUMN, "3", 1. / 2, 4},
		{"n,x,sd\n1,10,2\n2,20,1\n3,5,8\n", WEIGHTS_DEVIATIONS, "sd", 4, 1. / 16},
		/* sd(X) = X sd(T) / T: 0.02, 0.0025 and 0.32 */
		{"n,time,sd\n1,10,2\n2,20,1\n3,5,8\n", WEIGHTS_DEVIATIONS, "sd", 64, 1. / 256},
		/* X = N / R: 0.02, 0.005 and 0.96 */
		{"n,R,sd\n1,10,2\n2,20,1\n3,5,8\n", WEIGHTS_DEVIATIONS, "sd", 16, 1. / 2304},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.weighting = cases[i].weighting,
						 .weight_column = cases[i].column};
		struct series series;
		struct err err = {.text = ""};

		if (reading_text(&series, cases[i].text, &request, &err))
			fail_msg("%s", err.text);
		assert_close(series.weights[1] / series.weights[0], cases[i].second, 1e-15);
		assert_close(series.weights[2] / series.weights[0], cases[i].third, 1e-14);
		assert_close(series.weights[0] + series.weights[1] + series.weights[2], 3, 1e-15);
		series_release(&series);
	}
}

static void without_an_option_all_points_count_alike(void **state)
{
	struct series series;
	struct err err;

	(void)state;
	assert_int_equal(reading_text(&series, "n,throughput,weight\n1,2,3\n2,3,4\n", NULL, &err),
			 0);
	assert_null(series.weights);
	assert_close(series_weight(&series, 1), 1, 0);
	series_release(&series);
}

static void bad_weights_are_reported_with_their_place(void **state)
{
	static const struct {
		const char *text;
		enum weighting weighting;
		const char *column, *why;
	} cases[] = {
		{"n,x,w\n1,10,2\n2,20,0\n", WEIGHTS_COLUMN, "w",
		 ":3: column 3 ('w'): a weight must be above 0, not 0"},
		{"n,x,w\n1,10,-1\n", WEIGHTS_COLUMN, "w", ":2: column 3 ('w'): a weight must be"},
		{"n,x,w\n1,10,2\n2,20\n", WEIGHTS_COLUMN, "w",
		 ":3: column 3 ('w'): there is no number"},
		{"n,x,w\n1,10,nan\n", WEIGHTS_COLUMN, "w", "'nan' is not a number"},
		{"n,x,w\n1,10,2\n", WEIGHTS_COLUMN, "v", "--weights: /tmp/"},
		{"n,x,w\n1,10,2\n", WEIGHTS_COLUMN, "v",
		 "there is no column 'v'; there are column 1 ('n'), column 2 ('x'), column 3"},
		{"n,x,sd\n1,10,0\n", WEIGHTS_DEVIATIONS, "sd", "a standard deviation must be"},
		{"n,x,w\n1,10,1e-308\n2,20,1e308\n", WEIGHTS_COLUMN, "w",
		 "the weights differ too much for one fit; see the point at "
		 "N = 1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.weighting = cases[i].weighting,
						 .weight_column = cases[i].column};
		struct series series;
		struct err err = {.text = ""};

		assert_int_equal(reading_text(&series, cases[i].text, &request, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(weights_are_reciprocal_variances),
	cmocka_unit_test(without_an_option_all_points_count_alike),
	cmocka_unit_test(bad_weights_are_reported_with_their_place),
};

TEST_FILE(tests);
