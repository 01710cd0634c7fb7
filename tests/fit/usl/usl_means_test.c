/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_means.h"

#include "base/alloc.h"
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void each_n_has_its_weighted_mean_and_its_spread(void **state)
{
	static const struct usl_units units = {4, 10, 2};
	struct series_point points[] = {{4, 10}, {2, 3}, {4, 4}, {1, 5}};
	double weights[] = {1, 1, 2, 1};
	struct series series = {.points = points, .weights = weights, .count = COUNT(points)};
	size_t count;
	struct usl_mean *means = usl_means(&count, &series, &units, 0);

	(void)state;
	assert_int_equal(count, 3);
	assert_true(means[0].n == .25 && means[1].n == .5 && means[2].n == 1);
	assert_true(means[0].count == 1 && means[0].spread == 0 && means[0].variance == 2);
	assert_close((double)means[2].x, .6, 1e-15);
	assert_close((double)means[2].weight, 1.5, 1e-15);
	/* .5 (1 - .6)^2 + 1 (.4 - .6)^2 */
	assert_close((double)means[2].spread, .12, 1e-15);
	assert_close(means[2].variance, 1.5, 1e-15);
	assert_int_equal(means[2].count, 2);
	free(means);
}

/* Points about a curve at `distinct` N in a mixed order. */
static struct series many(size_t count, size_t distinct)
{
	struct series series = {.source = xstrdup("many"), .count = count};

	series.points = xcalloc(count, sizeof(*series.points));
	for (size_t i = 0; i < count; i++) {
		double n = (double)(1 + i * 7919 % distinct), noise = sin((double)(i * i));

		series.points[i] = (struct series_point){
			n, n / (1 + .05 * (n - 1) + 1e-5 * n * (n - 1)) * (1 + .05 * noise)};
	}
	return series;
}

static void any_number_of_n_comes_in_order_with_nothing_lost(void **state)
{
	static const struct {
		size_t count, distinct, most, means;
	} cases[] = {
		{20000, 50, 0, 50},	{20000, 4096, 0, 4096},
		{20000, 4097, 0, 4097}, {20000, 19997, 0, 19997},
		{20000, 50, 50, 50},	{20000, 19997, 500, 500},
		{3, 3, 0, 3},
	};
	static const struct usl_units units = {1, 1, 1};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = many(cases[i].count, cases[i].distinct);
		size_t count, points = 0;
		struct usl_mean *means = usl_means(&count, &series, &units, cases[i].most);

		assert_int_equal(count, cases[i].means);
		for (size_t k = 0; k < count; k++) {
			assert_true(k == 0 || means[k - 1].n < means[k].n);
			points += means[k].count;
		}
		assert_int_equal(points, cases[i].count);
		free(means);
		series_release(&series);
	}
}

/* Below the number of points from which means are fitted, and above. */
static void a_fit_to_means_is_the_fit_to_all_points(void **state)
{
	struct series few = many(900, 30), all = many(9000, 30), weighted = many(900, 30);
	struct usl a, b;

	(void)state;
	for (size_t i = 0; i < all.count; i++)
		all.points[i] = few.points[i % few.count];
	weighted.weights = xcalloc(weighted.count, sizeof(*weighted.weights));
	for (size_t i = 0; i < weighted.count; i++)
		weighted.weights[i] = 10;
	a = fitting_fit(&all, USL_FULL);
	b = fitting_fit(&weighted, USL_FULL);
	assert_close(a.alpha, b.alpha, 1e-13);
	assert_close(a.beta, b.beta, 1e-13);
	assert_close(a.gamma, b.gamma, 1e-13);
	assert_close(a.rss, b.rss, 1e-13);
	assert_close(a.beta_se * sqrt((double)a.df / (double)b.df), b.beta_se, 1e-12);
	series_release(&few);
	series_release(&all);
	series_release(&weighted);
}

/* With so many different N the fit searches a sample; the optimum is that of all points. */
static void wild_points_among_very_many_are_no_trouble(void **state)
{
	struct series series = many(9000, 8999);
	struct usl usl;

	(void)state;
	for (size_t i = 0; i < series.count; i += 100)
		series.points[i].throughput *= 40;
	usl = fitting_fit(&series, USL_AMDAHL);
	assert_true(fabs(usl.alpha_multiplier) < 1e-9 && usl.alpha > 0);
	usl = fitting_fit(&series, USL_FULL);
	assert_true(!(fabs(usl.alpha_multiplier) > 1e-9) || usl.bound & USL_BOUND_ALPHA);
	assert_true(!(fabs(usl.beta_multiplier) > 1e-9) || usl.bound & USL_BOUND_BETA);
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_n_has_its_weighted_mean_and_its_spread),
	cmocka_unit_test(any_number_of_n_comes_in_order_with_nothing_lost),
	cmocka_unit_test(wild_points_among_very_many_are_no_trouble),
	cmocka_unit_test(a_fit_to_means_is_the_fit_to_all_points),
};

TEST_FILE(tests);
