/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Weighted points, in all results of a fit. The numbers were computed in arithmetic with 50 digits,
 * and those of specsdm91 agree with nls(weights = ) of R 4.2.
 */
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_intervals.h"
#include "support.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef double weighting(size_t i, double throughput);

/* In braces: alpha, beta, gamma; their standard errors. */
static const struct {
	const char *set;
	weighting *weight;
	enum usl_model model;
	double value[3], error[3], rss, aicc, bic, loo;
} cases[] = {
	/* clang-format off */
	{"specsdm91", fitting_weight_relative, USL_FULL,
	 {0.0135152256966589, 0.000115091174466337, 67.708990593108}, {0.00396632447173836, 2.2462241322611e-5, 4.32322502189839},
	 0.0216100369288906, 104.2892869621, 84.07292755836, 23.84558818878},
	{"specsdm91", fitting_weight_123, USL_FULL,
	 {0.0250057472169416, 0.00012123437515464, 88.3913467109264}, {0.0103262707806492, 2.39444493301593e-5, 15.3125376815029},
	 58520.7855346012, 107.5002104318, 87.28385102802, 164.9661962652},
	{"specsdm91", fitting_weight_123, USL_AMDAHL,
	 {0.0757416517637464, 0, 150.782061469874}, {0.0249354110133406, NAN, 41.9361782411659},
	 232336.871358711, 103.1518548873, 94.98958533451, 224.8645765091},
	{"cisco", fitting_weight_relative, USL_FULL,
	 {0.0206250294858194, 0.000886125112055426, 960.233528230481}, {0.002311704348717, 6.70019995301246e-5, 10.7008172342565},
	 0.0117350826781959, 421.3806413932, 425.7621035229, 83.19144641621},
	{"raytracer6", fitting_weight_relative, USL_FULL,
	 {0.016774944034749, 0.00188325081605458, 20.267668740857}, {0.00703546248609025, 0.000350348843871389, 0.417413412721},
	 0.00157417626043252, 71.35479751938, 30.52183539629, 1.932669206863},
	{"raytracer6", fitting_weight_123, USL_AMDAHL,
	 {0.0758820392676672, 0, 24.8518267441338}, {0.00798487312530397, NAN, 1.34289457984666},
	 167.442217724954, 51.41701658229, 38.79229498998, 7.285207630598},
	{"raytracer", fitting_weight_relative, USL_FULL,
	 {0.0560540023000415, 1.68832133121614e-6, 21.4446936298079}, {0.00747237516085124, 0.00011935126989385, 0.923748741290176},
	 0.0256870124473394, 90.46369055427, 85.3886049788, NAN /* a bound ends one of them */},
	/* clang-format on */
};

static void weighted_fits_meet_the_numbers_to_12_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = fitting_read(cases[i].set);
		struct usl usl;

		fitting_weigh(&series, cases[i].weight);
		usl = fitting_fit(&series, cases[i].model);
		assert_close(usl.alpha, cases[i].value[0], 1e-12);
		assert_close(usl.beta, cases[i].value[1], 1e-12);
		assert_close(usl.gamma, cases[i].value[2], 1e-12);
		assert_close(usl.alpha_se, cases[i].error[0], 1e-12);
		if (cases[i].model == USL_FULL)
			assert_close(usl.beta_se, cases[i].error[1], 1e-12);
		assert_close(usl.gamma_se, cases[i].error[2], 1e-12);
		assert_close(usl.rss, cases[i].rss, 1e-12);
		series_release(&series);
	}
}

static void weighted_criteria_meet_the_numbers_to_11_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = fitting_read(cases[i].set);
		struct usl_choice choice;
		const struct usl_candidate *candidate = &choice.candidates[cases[i].model];

		fitting_weigh(&series, cases[i].weight);
		usl_choose(&choice, &series, &(struct usl_form){0}, NULL);
		assert_close(candidate->aicc, cases[i].aicc, 1e-11);
		assert_close(candidate->bic, cases[i].bic, 1e-11);
		if (!isnan(cases[i].loo))
			assert_close(candidate->loo, cases[i].loo, 1e-11);
		series_release(&series);
	}
}

static void weighted_intervals_meet_the_numbers_to_9_digits(void **state)
{
	static const struct {
		const char *set;
		weighting *weight;
		struct usl_interval alpha, beta, gamma, peak_n, at_16;
	} intervals[] = {
		{"specsdm91",
		 fitting_weight_relative,
		 {0.003345014422766, 0.02552531869139},
		 {5.048133842909e-5, 0.0001843712045396},
		 {56.36637849831, 79.63818586178},
		 {73.39998480813, 139.1187060089},
		 {778.8004931249, 985.5622126323}},
		{"raytracer6",
		 fitting_weight_123,
		 {0.0001835088916938, 0.06002317424485},
		 {0.0005353152872792, 0.002328185662738},
		 {18.48220872546, 23.93888219007},
		 {20.70630164938, 41.93426251952},
		 {185.5398408446, 193.224241638}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(intervals); i++) {
		struct series series = fitting_read(intervals[i].set);
		struct usl_intervals *region;
		struct usl usl;

		fitting_weigh(&series, intervals[i].weight);
		usl = fitting_fit(&series, USL_FULL);
		region = usl_intervals_new(&usl, &series, .95, NULL);
		const struct usl_interval pairs[][2] = {
			{usl_interval_of(region, USL_ALPHA, 0), intervals[i].alpha},
			{usl_interval_of(region, USL_BETA, 0), intervals[i].beta},
			{usl_interval_of(region, USL_GAMMA, 0), intervals[i].gamma},
			{usl_interval_of(region, USL_PEAK_N, 0), intervals[i].peak_n},
			{usl_interval_of(region, USL_X, 16), intervals[i].at_16},
		};

		for (size_t k = 0; k < COUNT(pairs); k++) {
			assert_close(pairs[k][0].low, pairs[k][1].low, 1e-9);
			assert_close(pairs[k][0].high, pairs[k][1].high, 1e-9);
		}
		usl_intervals_free(region);
		series_release(&series);
	}
}

/* A single measurement has the variance s^2 / w, with the weight w of the measurements at its N. */
static void the_scatter_of_a_measurement_depends_on_its_weight(void **state)
{
	static const double t = 2.7764451051977987; /* .975 quantile for 4 */
	static const struct {
		double n, variance;
	} measured[] = {{1, 1}, {18, 1. / 2}, {36, 1. / 3}, {27, 5. / 12}, {216, 1}, {500, 1}};
	struct series series = fitting_read("specsdm91");
	struct usl_intervals *region;
	struct usl usl;

	(void)state;
	fitting_weigh(&series, fitting_weight_123);
	usl = fitting_fit(&series, USL_FULL);
	region = usl_intervals_new(&usl, &series, .95, NULL);
	for (size_t i = 0; i < COUNT(measured); i++) {
		struct usl_interval curve = usl_interval_of(region, USL_X, measured[i].n);
		double x = usl_throughput(&usl, measured[i].n);
		double scatter = t * sqrt(usl.rss / 4 * measured[i].variance);

		assert_close(usl_interval_of(region, USL_MEASURED, measured[i].n).high,
			     x + hypot(curve.high - x, scatter), 1e-9);
	}
	usl_intervals_free(region);
	series_release(&series);
}

static void a_weight_of_2_is_the_point_given_twice_in_all_but_df(void **state)
{
	struct series_point each[] = {{1, 11}, {2, 19}, {2, 19}, {4, 34}, {8, 58}, {16, 68}};
	struct series_point once[] = {{1, 11}, {2, 19}, {4, 34}, {8, 58}, {16, 68}};
	double weights[] = {1, 2, 1, 1, 1};
	struct series twice = {.points = each, .count = COUNT(each)};
	struct series weighted = {.points = once, .weights = weights, .count = COUNT(once)};
	struct usl a = fitting_fit(&twice, USL_FULL), b = fitting_fit(&weighted, USL_FULL);
	double root = sqrt((double)a.df / (double)b.df);

	(void)state;
	assert_int_equal(a.df, b.df + 1);
	assert_close(a.alpha, b.alpha, 1e-13);
	assert_close(a.beta, b.beta, 1e-13);
	assert_close(a.gamma, b.gamma, 1e-13);
	assert_close(a.rss, b.rss, 1e-13);
	assert_close(a.alpha_se * root, b.alpha_se, 1e-13);
	assert_close(a.gamma_se * root, b.gamma_se, 1e-13);
}

static void a_common_factor_of_weights_changes_rss_alone(void **state)
{
	static const double factors[] = {1e-200, 1e-9, 7, 1e9, 1e200};
	struct series series = fitting_read("specsdm91");
	struct usl_choice choice, other;

	(void)state;
	fitting_weigh(&series, fitting_weight_123);
	usl_choose(&choice, &series, &(struct usl_form){0}, NULL);
	for (size_t i = 0; i < COUNT(factors); i++) {
		const struct usl *a = &choice.candidates[0].usl, *b = &other.candidates[0].usl;

		for (size_t k = 0; k < series.count; k++)
			series.weights[k] = factors[i] * fitting_weight_123(k, 0);
		usl_choose(&other, &series, &(struct usl_form){0}, NULL);
		assert_close(b->alpha, a->alpha, 1e-13);
		assert_close(b->beta_se, a->beta_se, 1e-13);
		assert_close(b->rss, factors[i] * a->rss, 1e-13);
		assert_close(other.candidates[0].loo, choice.candidates[0].loo, 1e-11);
		assert_close(other.candidates[0].bic, choice.candidates[0].bic, 1e-11);
		assert_close(other.candidates[0].p, choice.candidates[0].p, 1e-11);
	}
	series_release(&series);
}

static void weights_of_1_have_no_effect(void **state)
{
	struct series series = fitting_read("cisco");
	struct usl a = fitting_fit(&series, USL_FULL), b;
	double ones[32];

	(void)state;
	for (size_t i = 0; i < COUNT(ones); i++)
		ones[i] = 1;
	assert_int_equal(series.count, COUNT(ones));
	series.weights = ones;
	b = fitting_fit(&series, USL_FULL);
	series.weights = NULL;
	assert_true(a.alpha == b.alpha && a.beta == b.beta && a.gamma == b.gamma);
	assert_true(a.rss == b.rss && a.beta_se == b.beta_se);
	series_release(&series);
}

static void efficiency_relates_to_the_weighted_mean_x1(void **state)
{
	struct series_point points[] = {{1, 9}, {1, 12}, {2, 19}, {4, 36}};
	double weights[] = {2, 1, 1, 1};
	struct series series = {.points = points, .weights = weights, .count = COUNT(points)};

	(void)state;
	assert_close(fitting_fit(&series, USL_FULL).one, 10, 1e-15);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(weighted_fits_meet_the_numbers_to_12_digits),
	cmocka_unit_test(weighted_criteria_meet_the_numbers_to_11_digits),
	cmocka_unit_test(weighted_intervals_meet_the_numbers_to_9_digits),
	cmocka_unit_test(the_scatter_of_a_measurement_depends_on_its_weight),
	cmocka_unit_test(a_weight_of_2_is_the_point_given_twice_in_all_but_df),
	cmocka_unit_test(a_common_factor_of_weights_changes_rss_alone),
	cmocka_unit_test(weights_of_1_have_no_effect),
	cmocka_unit_test(efficiency_relates_to_the_weighted_mean_x1),
};

TEST_FILE(tests);
