/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/measure.h"

#include "random.h"
#include "support.h"

#include <math.h>

static double uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + .5) * 0x1p-53;
}

static void percentiles_are_within_a_bin(void **state)
{
	struct random random = {1};
	struct measure measure;
	struct measured measured;

	(void)state;
	measure_init(&measure);
	for (size_t i = 0; i < 300000; i++)
		measure_add(&measure, -5e6 * log(uniform(&random)), (double)i * 1e6, 3);
	measure_read(&measured, &measure, 0);
	assert_int_equal(measured.count, 300000);
	assert_close(measured.mean_ns, 5e6, .01);
	assert_close(measured.p50_ns, 5e6 * log(2), .01);
	assert_close(measured.p95_ns, 5e6 * log(20), .01);
	assert_close(measured.p99_ns, 5e6 * log(100), .02);
	assert_close(measured.per_ns, 1e-6, 1e-5);
	assert_true(measured.per_se_ns < 1e-12);
	/* The standard errors of independent times are known. */
	assert_close(measured.mean_se_ns, 5e6 / sqrt(300000), .4);
	assert_close(measured.p95_se_ns, 5e6 * sqrt(.95 / .05 / 300000), .6);
	assert_true(fabs(measured.correlation) < .5);
	measure_release(&measure);
}

static void few_and_odd_times_have_percentiles(void **state)
{
	static const double times[] = {0, .3, 1, 2, 3e30, 1e300};
	struct measure measure;
	struct measured measured;

	(void)state;
	measure_init(&measure);
	measure_read(&measured, &measure, 0);
	assert_int_equal(measured.count, 0);
	assert_true(isnan(measured.mean_se_ns));
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		measure_add(&measure, times[i], (double)i, 0);
	measure_read(&measured, &measure, 0);
	assert_int_equal(measured.count, 6);
	assert_true(measured.p50_ns >= 1 && measured.p50_ns <= 3);
	measure_release(&measure);
}

static void the_warm_up_is_cut_off(void **state)
{
	struct random random = {2};
	struct measure measure;
	struct measured measured;
	int mark;

	(void)state;
	measure_init(&measure);
	for (size_t i = 0; i < 50000; i++)
		measure_add(&measure, 1e6 * (uniform(&random) + (i < 3000 ? 9 : 1)), (double)i, 1);
	mark = measure_warm_up(&measure);
	assert_true(mark > 0);
	measure_read(&measured, &measure, (unsigned)mark);
	assert_true(measured.count <= 47000 && measured.count >= 41000);
	assert_close(measured.mean_ns, 1.5e6, .01);
	assert_true(measured.p99_ns <= 2e6 * 1.01);
	assert_close(measured.since_ns, (double)(50000 - measured.count - 1), 1e-9);
	measure_release(&measure);
}

static void without_a_warm_up_little_is_cut_off(void **state)
{
	struct random random = {3};
	struct measure measure;

	(void)state;
	measure_init(&measure);
	for (size_t i = 0; i < 50000; i++)
		measure_add(&measure, 1e6 * uniform(&random), (double)i, 1);
	assert_true(measure_warm_up(&measure) >= 0);
	assert_true(measure_half(&measure) <= 15);
	measure_release(&measure);
}

/* The number of requests inside: it may grow steadily, wander, or return to its mean. */
static void growth_is_distinguished_from_noise(void **state)
{
	static const struct {
		double drift, back;
		bool grows;
	} kinds[] = {{.05, 0, true}, {.01, 0, true}, {0, 0, false}, {0, .01, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct random random = {4};
		struct measure measure;
		double inside = 1000, by_error, growth;

		measure_init(&measure);
		for (size_t j = 0; j < 400000; j++) {
			double step = uniform(&random) < .5 ? 1 : -1;

			inside += kinds[i].drift + step - kinds[i].back * (inside - 1000);
			inside = fmax(inside, 0);
			measure_add(&measure, 1e6, (double)j * 1e9, (uint32_t)inside);
		}
		growth = measure_growth(&measure, &by_error);
		assert_int_equal(by_error > 3, kinds[i].grows);
		if (kinds[i].grows)
			assert_close(growth * 1e9, kinds[i].drift, .5);
		measure_release(&measure);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(percentiles_are_within_a_bin),
	cmocka_unit_test(few_and_odd_times_have_percentiles),
	cmocka_unit_test(the_warm_up_is_cut_off),
	cmocka_unit_test(without_a_warm_up_little_is_cut_off),
	cmocka_unit_test(growth_is_distinguished_from_noise),
};

TEST_FILE(tests);
