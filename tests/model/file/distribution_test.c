/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/distribution.h"

#include "support.h"

#include <math.h>

enum { DRAWS = 400000 };

static const struct {
	enum distribution_kind kind;
	double mean, shape, cv2;
} kinds[] = {
	{DISTRIBUTION_NONE, 0, 0, 0},	     {DISTRIBUTION_FIXED, .25, 0, 0},
	{DISTRIBUTION_EXPONENTIAL, 3, 0, 1}, {DISTRIBUTION_ERLANG, 2, 4, .25},
	{DISTRIBUTION_HYPER, 1, 4, 4},	     {DISTRIBUTION_HYPER, 1, 1, 1},
	{DISTRIBUTION_LOGNORMAL, 2, .5, .5}, {DISTRIBUTION_LOGNORMAL, 2, 0, 0},
};

static void assert_moments(const struct distribution *distribution, double mean, double cv2)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	double sum = 0, squares = 0, got;

	for (size_t i = 0; i < DRAWS; i++) {
		double time = distribution_draw(distribution, random);

		assert_true(time >= 0);
		sum += time;
		squares += time * time;
	}
	gsl_rng_free(random);
	got = sum / DRAWS;
	assert_close(got, mean, .02);
	if (mean > 0)
		assert_true(fabs(squares / DRAWS / (got * got) - 1 - cv2) <= .1 * cv2 + 1e-9);
}

static void draws_have_the_moments_of_their_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct distribution made =
			distribution_make(kinds[i].kind, kinds[i].mean, kinds[i].shape);

		assert_close(made.cv2, kinds[i].cv2, 1e-12);
		assert_moments(&made, kinds[i].mean, kinds[i].cv2);
	}
}

/* An H2 with balanced means and cv2 4 has p = .8872983346 and the rates 1.774596669, .2254033308. */
static void a_hyper_time_is_one_of_two_exponential_ones(void **state)
{
	struct distribution made = distribution_make(DISTRIBUTION_HYPER, 1, 4);
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	double beyond = 0;

	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		beyond += distribution_draw(&made, random) > 2;
	gsl_rng_free(random);
	assert_close(beyond / DRAWS,
		     .8872983346 * exp(-2 * 1.774596669) + .1127016654 * exp(-2 * .2254033308),
		     .02);
}

static void quantiles_of_times_are_drawn_again(void **state)
{
	double times[1000];
	struct distribution made, copy;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		times[999 - i] = (double)i / 999;
	made = distribution_of_times(times, 1000);
	assert_close(made.quantiles[16], .25, .002);
	assert_close(made.mean, .5, 1e-9);
	assert_close(made.cv2, 1. / 3, .003);
	copy = distribution_copy(&made);
	distribution_scale(&copy, 3);
	assert_moments(&copy, 1.5, 1. / 3);
	assert_close(copy.mean, 1.5, 1e-9);
	assert_close(made.quantiles[64], 1, .002);
	distribution_release(&made);
	distribution_release(&copy);
}

static double cv2_of(const double *times, size_t count)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		sum += times[i];
		squares += times[i] * times[i];
	}
	return squares * (double)count / (sum * sum) - 1;
}

static void a_long_tail_keeps_its_moments(void **state)
{
	enum { TIMES = 4000 };
	static const double shapes[] = {1, 4, 10};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	double times[TIMES];

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct distribution hyper = distribution_make(DISTRIBUTION_HYPER, 1, shapes[i]);
		struct distribution made;
		double sum = 0, cv2;

		for (size_t j = 0; j < TIMES; j++)
			sum += times[j] = distribution_draw(&hyper, random);
		cv2 = cv2_of(times, TIMES);
		made = distribution_of_times(times, TIMES);
		assert_close(made.mean, sum / TIMES, 1e-9);
		assert_close(made.cv2, cv2, .1);
		assert_moments(&made, made.mean, made.cv2);
		distribution_release(&made);
	}
	gsl_rng_free(random);
}

static void few_times_keep_their_mean(void **state)
{
	double three[] = {1, 0, 0}, forty[40] = {0};
	struct distribution made = distribution_of_times(three, 3);

	(void)state;
	assert_close(made.mean, 1. / 3, 1e-9);
	assert_true(made.quantiles[64] < 1.1);
	distribution_release(&made);
	forty[7] = 2;
	made = distribution_of_times(forty, 40);
	assert_close(made.mean, .05, 1e-9);
	distribution_release(&made);
}

static void one_time_is_a_distribution(void **state)
{
	double time = 2;
	struct distribution made = distribution_of_times(&time, 1);

	(void)state;
	assert_moments(&made, 2, 0);
	distribution_release(&made);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(draws_have_the_moments_of_their_kind),
	cmocka_unit_test(a_hyper_time_is_one_of_two_exponential_ones),
	cmocka_unit_test(quantiles_of_times_are_drawn_again),
	cmocka_unit_test(a_long_tail_keeps_its_moments),
	cmocka_unit_test(few_times_keep_their_mean),
	cmocka_unit_test(one_time_is_a_distribution),
};

TEST_FILE(tests);
