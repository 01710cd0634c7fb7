/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Values that scatter about a mean of 100, reached exponentially, and left again in the last `tail`
 * values. */
struct simulated {
	uint64_t seed;
	size_t count;
	double depth, time_constant, noise;
	size_t tail;
	double drop;
};

static double *simulate(const struct simulated *simulated)
{
	struct random random = {simulated->seed};
	double *values = calloc(simulated->count, sizeof(*values));

	assert_non_null(values);
	for (size_t i = 0; i < simulated->count; i++) {
		double sum = 0;

		for (size_t k = 0; k < 4; k++)
			sum += (double)(random_next(&random) >> 11) / 0x1p53;
		values[i] =
			100 * (1 - simulated->depth * exp(-(double)i / simulated->time_constant)) +
			simulated->noise * (sum - 2);
		if (i >= simulated->count - simulated->tail)
			values[i] *= simulated->drop;
	}
	return values;
}

/*
 * Computed once by trying all cuts in exact rational arithmetic: the batches to cut at the
 * beginning, the same if the end may be cut, too, those at the end, and the mean and its error if
 * only the beginning is cut.
 */
static const struct {
	struct simulated simulated;
	size_t cut, cut_start, cut_end;
	double mean, se;
} cases[] = {
	{{1, 500, 0.8, 20, 3, 0, 1}, 16, 16, 5, 99.7970479552457, 0.080725308719341},
	{{2, 500, 0.8, 60, 3, 0, 1}, 50, 50, 0, 99.6136602640185, 0.132051810206633},
	{{3, 1000, 0.3, 100, 10, 0, 1}, 66, 66, 0, 99.8793707148958, 0.210206336946946},
	{{4, 203, 0.9, 5, 1, 0, 1}, 8, 10, 6, 100.044467934405, 0.0456506890676758},
	{{5, 300, 0, 1, 2, 0, 1}, 0, 0, 0, 100.004187570012, 0.0723138070046064},
	{{6, 100, 0.9, 200, 0.5, 0, 1}, 10, 10, 0, 37.8864031264667, 1.48256686441969},
	{{7, 400, 0.7, 20, 2, 30, 0.3}, 3, 20, 6, 92.6756645222272, 2.17354878637765},
	{{8, 47, 0.5, 4, 5, 0, 1}, 4, 4, 0, 100.270380327409, 0.240222584120128},
	{{9, 23, 0.5, 2, 1, 0, 1}, 0, 0, 0, 93.6780409573978, 5.60428525806585},
	{{10, 2000, 0.5, 150, 20, 100, 0.5}, 24, 59, 24, 95.3911665479215, 0.632710466925616},
};

static void the_cut_has_the_least_squared_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double *values = simulate(&cases[i].simulated);
		struct steady steady;

		steady_find(&steady, values, cases[i].simulated.count, false);
		assert_int_equal(steady.begin, STEADY_BATCH * cases[i].cut);
		assert_int_equal(steady.end,
				 cases[i].simulated.count / STEADY_BATCH * STEADY_BATCH);
		assert_close(steady.mean, cases[i].mean, 1e-13);
		assert_close(steady.se, cases[i].se, 1e-12);
		steady_find(&steady, values, cases[i].simulated.count, true);
		assert_int_equal(steady.begin, STEADY_BATCH * cases[i].cut_start);
		assert_int_equal(steady.end,
				 STEADY_BATCH * (cases[i].simulated.count / STEADY_BATCH -
						 cases[i].cut_end));
		free(values);
	}
}

/* Exponential starts of 200 runs each, with a steady mean of 100. */
static void a_cut_removes_most_of_the_bias_of_a_slow_start(void **state)
{
	enum { RUNS = 200, VALUES = 600 };
	static const double time_constants[] = {5, 15, 40};

	(void)state;
	for (size_t i = 0; i < COUNT(time_constants); i++) {
		double before = 0, after = 0;

		for (uint64_t run = 0; run < RUNS; run++) {
			struct simulated simulated = {
				1000 * i + run, VALUES, .8, time_constants[i], 4, 0, 1};
			double *values = simulate(&simulated);
			struct steady steady;

			for (size_t k = 0; k < VALUES; k++)
				before += (values[k] - 100) / VALUES / RUNS;
			steady_find(&steady, values, VALUES, false);
			after += (steady.mean - 100) / RUNS;
			free(values);
		}
		if (!(fabs(after) < .1 * fabs(before)))
			fail_msg("the bias was %g and is %g", before, after);
	}
}

static void a_steady_series_keeps_nearly_all_values(void **state)
{
	struct simulated simulated = {77, 500, 0, 1, 3, 0, 1};
	double *values = simulate(&simulated);
	struct steady steady;

	(void)state;
	steady_find(&steady, values, simulated.count, true);
	assert_true(steady.end - steady.begin > 400);
	assert_false(steady.at_limit);
	assert_false(steady.ends_off);
	assert_false(steady_trends(&steady));
	free(values);
}

static void a_series_that_is_not_steady_is_reported(void **state)
{
	struct simulated slow = {6, 100, .9, 200, .5, 0, 1}, bad_end = {7, 400, .7, 20, 2, 30, .3};
	double *values = simulate(&slow);
	struct steady steady;

	(void)state;
	steady_find(&steady, values, slow.count, false);
	assert_true(steady.at_limit);
	assert_true(steady_trends(&steady));
	assert_true(steady.rise > .3);
	free(values);
	values = simulate(&bad_end);
	steady_find(&steady, values, bad_end.count, false);
	assert_true(steady.ends_off);
	steady_find(&steady, values, bad_end.count, true);
	assert_false(steady.ends_off);
	assert_close(steady.mean, 100, .005);
	free(values);
}

static void a_short_series_keeps_all_values(void **state)
{
	static const double values[] = {3, 5, 4, 4, 4, 8};
	struct steady steady;

	(void)state;
	steady_find(&steady, values, 4, true);
	assert_int_equal(steady.begin, 0);
	assert_int_equal(steady.end, 4);
	assert_int_equal(steady.batches, 0);
	assert_close(steady.mean, 4, 1e-15);
	assert_true(isnan(steady.se));
	steady_find(&steady, values, 6, true);
	assert_int_equal(steady.end, 5);
	assert_int_equal(steady.batches, 1);
	assert_close(steady.mean, 4, 1e-15);
	assert_true(isnan(steady.se) && isnan(steady.rise_p));
}

static void equal_and_enormous_values_have_a_mean(void **state)
{
	double values[100];
	struct steady steady;

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 1e308;
	steady_find(&steady, values, COUNT(values), true);
	assert_int_equal(steady.end - steady.begin, COUNT(values));
	assert_close(steady.mean, 1e308, 1e-15);
	assert_close(steady.se, 0, 0);
	values[0] = 1e-308;
	steady_find(&steady, values, COUNT(values), true);
	assert_int_equal(steady.begin, STEADY_BATCH);
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 0;
	steady_find(&steady, values, COUNT(values), true);
	assert_close(steady.mean, 0, 0);
	assert_false(steady_trends(&steady));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_cut_has_the_least_squared_error),
	cmocka_unit_test(a_cut_removes_most_of_the_bias_of_a_slow_start),
	cmocka_unit_test(a_steady_series_keeps_nearly_all_values),
	cmocka_unit_test(a_series_that_is_not_steady_is_reported),
	cmocka_unit_test(a_short_series_keeps_all_values),
	cmocka_unit_test(equal_and_enormous_values_have_a_mean),
};

TEST_FILE(tests);
