/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forms of a fit beside the usual one: gamma as measured, and no bounds. The numbers were
 * computed in arithmetic with 50 digits.
 */
#include "base/err.h"
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_intervals.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- gamma first ------------------------------------------------------------ */

/* "extra" below: three measurements at N = 1, all weighted. */
static struct series read(const char *set)
{
	static struct series_point points[] = {{1, 9},	{1, 11}, {1, 10.5}, {2, 19},
					       {4, 36}, {8, 60}, {16, 81},  {32, 79}};
	static double weights[] = {1, 2, 3, 1, 2, 3, 1, 2};

	if (strcmp(set, "extra") == 0)
		return (struct series){.points = points, .weights = weights, .count = 8};
	return fitting_read(set);
}

static void release(struct series *series)
{
	if (series->source)
		series_release(series);
}

static const struct {
	const char *set;
	enum usl_model model;
	bool unbounded;
	size_t df;
	double alpha, alpha_se, beta, beta_se, gamma, rss, aicc, bic;
} first[] = {
	/* clang-format off */
	{"specsdm91", USL_FULL, false, 4, 0.0126048709319297, 0.00283399211277767, 0.000111200302775013, 2.28477467790406e-5,
	 64.9, 64736.9170960691, 111.7903767675, 91.57401736373},
	{"specsdm91", USL_AMDAHL, false, 5, 0.0277316747595867, 0.00285452814255583, 0, NAN, 64.9, 448904.241119205, 111.3457225292, 103.1834529763},
	{"specsdm91", USL_LINEAR, false, 6, 0, NAN, 0, NAN, 64.9, 244285962.34, 148.4407189383, 145.3325392364},
	{"raytracer6", USL_FULL, false, 3, 0.0159103665286913, 0.0032153673946578, 0.00184115499800076, 0.000192481106772685,
	 20, 14.1962058094593, 70.19455397741, 29.36159185432},
	{"cisco", USL_FULL, false, 29, 0.0207164437078349, 0.0013448811782195, 0.000861217531518395, 5.50459645963975e-5,
	 955.16, 1099735.91522059, 434.5285789369, 438.9100410667},
	{"cisco", USL_AMDAHL, false, 30, 0.0418781958656807, 0.000976049689050067, 0, NAN, 955.16, 10097709.1943372, 502.8558726893, 506.3959375405},
	{"seed_table4", USL_FULL, false, 9, 0, NAN, 4.54813973252919e-6, 5.41710660841693e-7, 1, 1655.45995391459, NAN, NAN},
	{"seed_table4", USL_FULL, true, 8, -0.0020131981280152, 0.000174997476760881, 1.13347202711883e-5, 6.34337102342856e-7,
	 1, 109.497287111015, 71.16136390717, 66.0862783317},
	{"extra", USL_FULL, false, 5, 0.0391646310500667, 0.00197211674794958, 0.00201574597476831, 7.99240378069611e-5,
	 10.4166666666667, 4.46862513537195, 35.10079769483, 22.08523052822},
	{"extra", USL_LINEAR, false, 7, 0, NAN, 0, NAN, 10.4166666666667, 138413.291666667, 102.8948129237, 100.653696007},
	/* clang-format on */
};

static void assert_number(double got, double want, double tolerance)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		assert_close(got, want, tolerance);
}

static void a_fit_with_gamma_as_measured_meets_the_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(first); i++) {
		struct series series = read(first[i].set);
		const struct usl_form form = {first[i].model, first[i].unbounded, true};
		struct usl usl = fitting_fit_form(&series, &form);

		assert_number(usl.alpha, first[i].alpha, 1e-12);
		assert_number(usl.beta, first[i].beta, 1e-12);
		assert_close(usl.gamma, first[i].gamma, 1e-13);
		assert_true(usl.gamma == usl.one && isnan(usl.gamma_se));
		assert_number(usl.alpha_se, first[i].alpha_se, 1e-12);
		assert_number(usl.beta_se, first[i].beta_se, 1e-12);
		assert_close(usl.rss, first[i].rss, 1e-12);
		assert_int_equal(usl.df, first[i].df);
		release(&series);
	}
}

static void with_gamma_as_measured_all_models_have_the_same_gamma(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(first); i++) {
		struct series series = read(first[i].set);
		const struct usl_form form = {USL_FULL, first[i].unbounded, true};
		const struct usl_candidate *candidate;
		struct usl_choice choice;

		usl_choose(&choice, &series, &form, NULL);
		candidate = &choice.candidates[first[i].model];
		assert_close(candidate->usl.gamma, first[i].gamma, 1e-13);
		if (!isnan(first[i].aicc)) {
			assert_close(candidate->aicc, first[i].aicc, 1e-11);
			assert_close(candidate->bic, first[i].bic, 1e-11);
		}
		release(&series);
	}
}

/* N = 1 stays, as gamma is measured there. */
static void other_points_are_left_out_with_the_gamma_measured(void **state)
{
	const struct usl_form form = {.gamma_first = true};
	struct series series = read("specsdm91");
	struct usl_choice choice;

	(void)state;
	usl_choose(&choice, &series, &form, NULL);
	assert_close(choice.candidates[USL_FULL].loo, 184.71326265804, 1e-12);
	release(&series);
}

static void intervals_with_the_gamma_measured_meet_the_numbers_to_9_digits(void **state)
{
	static const struct {
		const char *set;
		bool unbounded;
		struct usl_interval alpha, beta, peak_n, at_16;
	} intervals[] = {
		/* clang-format off */
		{"specsdm91", false, {0.004682624618954, 0.02134618049174}, {4.659463523457e-5, 0.0001831045445379},
		 {73.70186548338, 144.9736979948}, {779.2148267304, 933.4792026697}},
		{"raytracer6", false, {0.005855847046463, 0.02631965052245}, {0.001224424736001, 0.002449873706478},
		 {20.1413756279, 28.20336190157}, {186.4509293101, 194.3885132374}},
		{"cisco", false, {0.01798495415576, 0.02348131894759}, {0.0007484972697461, 0.0009735982247577},
		 {31.75775481012, 36.1213548685}, {9962.293954523, 10180.54615009}},
		{"seed_table4", true, {-0.002411456390334, -0.001602699983253}, {9.863798849224e-6, 1.279462535684e-5},
		 {279.9023778913, 318.6604138225}, {16.35427984595, 16.54794342426}},
		{"extra", false, {0.03416835598049, 0.0443094246868}, {0.001810199375295, 0.00222082984206},
		 {20.848700838, 22.98279825015}, {79.01271522158, 81.92605808026}},
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(intervals); i++) {
		struct series series = read(intervals[i].set);
		const struct usl_form form = {USL_FULL, intervals[i].unbounded, true};
		struct usl usl = fitting_fit_form(&series, &form);
		struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
		const struct usl_interval pairs[][2] = {
			{usl_interval_of(region, USL_ALPHA, 0), intervals[i].alpha},
			{usl_interval_of(region, USL_BETA, 0), intervals[i].beta},
			{usl_interval_of(region, USL_PEAK_N, 0), intervals[i].peak_n},
			{usl_interval_of(region, USL_X, 16), intervals[i].at_16},
			{usl_interval_of(region, USL_GAMMA, 0), {usl.gamma, usl.gamma}},
			{usl_interval_of(region, USL_X, 1), {usl.gamma, usl.gamma}},
		};

		for (size_t k = 0; k < COUNT(pairs); k++) {
			assert_close(pairs[k][0].low, pairs[k][1].low, 1e-9);
			assert_close(pairs[k][0].high, pairs[k][1].high, 1e-9);
		}
		usl_intervals_free(region);
		release(&series);
	}
}

/* Only the scatter of a measurement is uncertain. */
static void linear_scaling_of_the_gamma_measured_has_no_free_parameter(void **state)
{
	const struct usl_form form = {USL_LINEAR, false, true};
	struct series series = read("raytracer6");
	struct usl usl = fitting_fit_form(&series, &form);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	assert_close(usl_throughput(&usl, 16), 320, 1e-15);
	assert_close(usl_interval_of(region, USL_X, 16).high, 320, 1e-14);
	assert_close(usl_interval_of(region, USL_MEASURED, 16).high,
		     320 + 2.5705818366147395 * sqrt(62704. / 5), 1e-9);
	assert_true(isinf(usl_interval_of(region, USL_PEAK_X, 0).low));
	usl_intervals_free(region);
	release(&series);
}

static void gamma_first_needs_a_first(void **state)
{
	struct series_point points[] = {{2, 19}, {4, 36}, {8, 60}, {16, 81}};
	char source[] = "a.csv";
	struct series series = {.source = source, .points = points, .count = COUNT(points)};
	const struct usl_form form = {USL_FULL, false, true};
	struct err err = {.text = ""};
	struct usl usl;

	(void)state;
	assert_int_equal(usl_fit(&usl, &series, &form, &err), -1);
	assert_string_equal(err.text, "a.csv: there is no point at N = 1, whose throughput gamma "
				      "would be; measure there, or fit gamma too");
}

static double rss_of(const struct series *series, const struct usl *usl)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++)
		sum += pow(series->points[i].throughput - usl_throughput(usl, series->points[i].n),
			   2);
	return sum;
}

static void no_feasible_neighbour_with_the_gamma_measured_fits_better(void **state)
{
	const struct usl_form form = {USL_FULL, false, true};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct series_point points[7];
	struct series series = {.points = points, .count = COUNT(points)};

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct usl truth = {.alpha = i % 3 ? .05 * (i % 7) : 0,
				    .beta = i % 5 ? 1e-4 * (i % 11) : 0,
				    .gamma = 10};
		struct usl usl;

		for (size_t k = 0; k < COUNT(points); k++) {
			double n = ldexp(1, (int)k);

			points[k] = (struct series_point){
				n, usl_throughput(&truth, n) *
					   exp(gsl_ran_gaussian(random, i % 2 ? .03 : .5))};
		}
		usl = fitting_fit_form(&series, &form);
		assert_true(usl.alpha >= 0 && usl.beta >= 0 && usl.gamma == points[0].throughput);
		for (int k = 0; k < 100; k++) {
			struct usl other = usl;
			double size = pow(10, -(k % 6));

			other.alpha = fabs(usl.alpha + gsl_ran_gaussian(random, size) / 64);
			other.beta = fabs(usl.beta + gsl_ran_gaussian(random, size) / 64 / 64);
			assert_true(rss_of(&series, &other) >= usl.rss * (1 - 1e-12));
		}
	}
	gsl_rng_free(random);
}

/* --- Without bounds ---------------------------------------------------------- */

/* With alpha < 0 < beta the law is above N up to -alpha / beta, and crosses it there. */
static void superlinear_scaling_ends_where_c_is_n_again(void **state)
{
	const struct usl_form form = {.unbounded = true};
	struct series series = fitting_read("seed_table4");
	struct usl usl = fitting_fit_form(&series, &form);
	double n = usl_payback_n(&usl);

	(void)state;
	/* 0.00200765232510549 / 1.13282049903346e-05 */
	assert_close(n, 177.225988302511, 1e-12);
	assert_close(usl_throughput(&usl, n), usl.gamma * n, 1e-14);
	assert_true(usl_throughput(&usl, .9 * n) > usl.gamma * .9 * n);
	assert_true(usl_throughput(&usl, 1.1 * n) < usl.gamma * 1.1 * n);
	series_release(&series);
}

static void a_law_without_bounds_ends_at_its_pole(void **state)
{
	static const struct {
		double alpha, beta, pole, payback; /* NAN: none */
	} cases[] = {
		{.03, 1e-4, NAN, NAN},
		{0, 0, NAN, NAN},
		{.03, 0, NAN, NAN},
		{1.5, .01, NAN, NAN},
		{-.01, 1e-4, NAN, 100},
		{-.01, 0, 101, NAN},
		/* 1 + .1 m - .02 m^2 = 0 at m = N - 1 = 10 */
		{.12, -.02, 11, NAN},
		/* 1 - .9 m + .18 m^2 = (1 - .3 m)(1 - .6 m) */
		{-1.08, .18, 1 + 1 / .6, 6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl usl = {.alpha = cases[i].alpha, .beta = cases[i].beta, .gamma = 1};

		assert_number(usl_pole_n(&usl), cases[i].pole, 1e-14);
		assert_number(usl_payback_n(&usl), cases[i].payback, 1e-14);
		if (isnan(cases[i].pole))
			continue;
		assert_true(usl_throughput(&usl, cases[i].pole * (1 - 1e-9)) > 1e6);
		assert_true(isnan(usl_throughput(&usl, cases[i].pole * (1 + 1e-9))));
		assert_true(isnan(usl_peak_n(&usl)) && isnan(usl_peak_throughput(&usl)));
	}
}

/* It has no peak, and throughput is unknown from there on. */
static void beyond_the_pole_a_region_has_no_answer(void **state)
{
	const struct usl_form form = {.unbounded = true};
	struct series series = fitting_read("raytracer");
	struct usl usl = fitting_fit_form(&series, &form);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	double pole = usl_pole_n(&usl);

	(void)state;
	assert_true(pole > 400 && pole < 402);
	assert_true(isnan(usl_interval_of(region, USL_PEAK_N, 0).low));
	assert_true(isnan(usl_interval_of(region, USL_PEAK_X, 0).high));
	assert_true(isnan(usl_interval_of(region, USL_X, pole + 1).low));
	assert_true(isnan(usl_interval_of(region, USL_MEASURED, pole + 1).low));
	assert_true(isinf(usl_interval_of(region, USL_X, pole - 1).high));
	assert_true(usl_interval_of(region, USL_X, 64).high < 400);
	usl_intervals_free(region);
	series_release(&series);
}

/* The F-test of a parameter without a bound. */
static void a_parameter_without_a_bound_is_tested_on_both_sides(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct usl_choice bounded, unbounded;

	(void)state;
	usl_choose(&bounded, &series, &(struct usl_form){0}, NULL);
	usl_choose(&unbounded, &series, &(struct usl_form){.unbounded = true}, NULL);
	assert_close(bounded.candidates[USL_FULL].p, 0.0088518271831, 1e-9);
	assert_close(unbounded.candidates[USL_FULL].p, 2 * bounded.candidates[USL_FULL].p, 1e-15);
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_fit_with_gamma_as_measured_meets_the_numbers),
	cmocka_unit_test(with_gamma_as_measured_all_models_have_the_same_gamma),
	cmocka_unit_test(other_points_are_left_out_with_the_gamma_measured),
	cmocka_unit_test(intervals_with_the_gamma_measured_meet_the_numbers_to_9_digits),
	cmocka_unit_test(linear_scaling_of_the_gamma_measured_has_no_free_parameter),
	cmocka_unit_test(gamma_first_needs_a_first),
	cmocka_unit_test(no_feasible_neighbour_with_the_gamma_measured_fits_better),
	cmocka_unit_test(superlinear_scaling_ends_where_c_is_n_again),
	cmocka_unit_test(a_law_without_bounds_ends_at_its_pole),
	cmocka_unit_test(beyond_the_pole_a_region_has_no_answer),
	cmocka_unit_test(a_parameter_without_a_bound_is_tested_on_both_sides),
};

TEST_FILE(tests);
