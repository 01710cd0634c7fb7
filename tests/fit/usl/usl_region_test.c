/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_intervals.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* NAN: no certified value. */
static void assert_end(double got, double want, const char *set, const char *what)
{
	const double digits = 1e-8;

	if (isnan(want) || got == want)
		return;
	if (!(fabs(got - want) <= digits * fabs(want)))
		fail_msg("%s: %s ends at %.10g, not at %.10g", set, what, got, want);
}

/* See tests/data/usl/SOURCES.md. */
static const struct {
	const char *set;
	bool bounded;
	struct usl_interval alpha, beta, gamma, peak_n, peak_throughput;
} certified[] = {
	/* clang-format off */
	{"raytracer6", false, {-0.0003867989782, 0.05341245596}, {0.0007268106918, 0.002400251429}, {18.4896981, 23.54629528},
	 {20.39323449, 36.12225001}, {195.2127492, 222.6660109}},
	{"specsdm91", false, {0.009484733115, 0.06410349156}, {3.862124232e-05, 0.0001611757086}, {61.24633951, 144.5455595},
	 {77.85535585, 156.6618041}, {1747.722356, 2031.028214}},
	{"codahale_example", false, {0.009518982678, 0.06397282277}, {3.881729695e-05, 0.0001609995042}, {61.29416894, 144.3419646},
	 {77.89800821, 156.2741743}, {1747.946031, 2030.506384}},
	{"cisco", false, {0.01802247028, 0.03613473863}, {0.0005881906026, 0.0009369798264}, {939.7178089, 1055.670449},
	 {32.35989607, 40.49639509}, {12114.76541, 12661.14797}},
	{"cisco10", false, {0.0009129752933, 0.03390822613}, {-0.0008166580095, 0.001647264446}, {901.5493287, 976.7527599},
	 {24.62304399, INFINITY}, {11218.6837, 47266.36688}},
	{"raytracer", false, {0.05130138486, 0.1128527773}, {-0.0005124978285, 4.073506676e-05}, {20.38637366, 30.28171983},
	 {NAN, NAN}, {NAN, NAN}},
	{"raytracer", true, {0.04125219497, 0.07262590676}, {0, 0.0001327413118}, {18.71496399, 25.34355983},
	 {NAN, NAN}, {NAN, NAN}},
	{"seed_table4", false, {-0.003043805414, -0.0007444176759}, {9.22487178e-06, 1.311857011e-05}, {0.8688545765, 1.157243854},
	 {276.4910898, 329.3906259}, {207.2977592, 216.9345686}},
	{"seed_table4", true, {0, 0.001129062223}, {6.155418533e-06, 1.016466985e-05}, {1.143469192, 1.382196814},
	 {NAN, NAN}, {NAN, NAN}},
	/* clang-format on */
};

static void intervals_meet_the_certified_ends_to_8_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(certified); i++) {
		struct series series = fitting_read(certified[i].set);
		const struct usl_form form = {.model = USL_FULL,
					      .unbounded = !certified[i].bounded};
		struct usl usl = fitting_fit_form(&series, &form);
		struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
		const struct {
			const char *what;
			struct usl_interval got, want;
		} each[] = {
			{"alpha", usl_interval_of(region, USL_ALPHA, 0), certified[i].alpha},
			{"beta", usl_interval_of(region, USL_BETA, 0), certified[i].beta},
			{"gamma", usl_interval_of(region, USL_GAMMA, 0), certified[i].gamma},
			{"N_c", usl_interval_of(region, USL_PEAK_N, 0), certified[i].peak_n},
			{"X_max", usl_interval_of(region, USL_PEAK_X, 0),
			 certified[i].peak_throughput},
		};

		for (size_t k = 0; k < COUNT(each); k++) {
			assert_end(each[k].got.low, each[k].want.low, certified[i].set,
				   each[k].what);
			assert_end(each[k].got.high, each[k].want.high, certified[i].set,
				   each[k].what);
		}
		usl_intervals_free(region);
		series_release(&series);
	}
}

/* A line through the origin is the one model with an exact t interval. */
static void a_linear_model_has_the_interval_of_students_t(void **state)
{
	static const double t = 2.4469118511449692; /* .975 quantile for 6 */
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit(&series, USL_LINEAR);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_interval gamma = usl_interval_of(region, USL_GAMMA, 0),
			    at = usl_interval_of(region, USL_X, 10);

	(void)state;
	/* 1/gamma is fitted, but S is a parabola in gamma. */
	assert_close(gamma.low, usl.gamma - t * usl.gamma_se, 1e-8);
	assert_close(gamma.high, usl.gamma + t * usl.gamma_se, 1e-8);
	assert_close(at.high, 10 * gamma.high, 1e-8);
	assert_true(usl_interval_of(region, USL_ALPHA, 0).high == 0 &&
		    isnan(usl_interval_of(region, USL_PEAK_N, 0).low));
	assert_true(isinf(usl_interval_of(region, USL_PEAK_X, 0).high));
	usl_intervals_free(region);
	series_release(&series);
}

static void a_measurement_scatters_about_a_curve_that_is_itself_uncertain(void **state)
{
	struct series series = fitting_read("cisco");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	for (double n = 1; n < 1000; n *= 3) {
		struct usl_interval curve = usl_interval_of(region, USL_X, n);
		struct usl_interval measured = usl_interval_of(region, USL_MEASURED, n);
		double x = usl_throughput(&usl, n);

		assert_true(measured.low < curve.low && curve.low < x);
		assert_true(measured.high > curve.high && curve.high > x);
	}
	/* The interval by standard errors, which are good if n = 32 points are near. */
	assert_close(usl_interval_of(region, USL_MEASURED, 16).low, 9648.897641, 1e-4);
	assert_close(usl_interval_of(region, USL_MEASURED, 16).high, 10448.44968, 1e-4);
	usl_intervals_free(region);
	series_release(&series);
}

/*
 * For specsdm91 at N = 216. Computed separately, in Python: the downhill simplex of Nelder and Mead
 * over the parameters with a given share, and bisection for the share at which the sum of squares
 * is S (1 + t^2 / 4).
 */
static void shares_agree_with_a_separate_computation(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_interval contention = usl_interval_of(region, USL_CONTENTION, 216);
	struct usl_interval coherency = usl_interval_of(region, USL_COHERENCY, 216);

	(void)state;
	assert_close(contention.low, .22416956, 1e-7);
	assert_close(contention.high, .81165625, 1e-7);
	assert_close(coherency.low, .12302418, 1e-7);
	assert_close(coherency.high, .66985570, 1e-7);
	usl_intervals_free(region);
	series_release(&series);
}

/* E = 1 / (1 + alpha (N - 1)) where beta = 0. */
static void under_amdahls_law_shares_follow_from_alpha(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit(&series, USL_AMDAHL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_interval alpha = usl_interval_of(region, USL_ALPHA, 0);

	(void)state;
	for (double n = 1; n < 1000; n *= 4) {
		struct usl_interval useful = usl_interval_of(region, USL_USEFUL, n);
		struct usl_interval lost = usl_interval_of(region, USL_CONTENTION, n);

		assert_close(useful.low, 1 / (1 + alpha.high * (n - 1)), 1e-8);
		assert_close(useful.high, 1 / (1 + alpha.low * (n - 1)), 1e-8);
		if (n > 1)
			assert_close(lost.low, 1 - useful.high, 1e-8);
		assert_true(usl_interval_of(region, USL_COHERENCY, n).high == 0);
	}
	usl_intervals_free(region);
	series_release(&series);
}

/* As gamma is known, E(N) is X(N) / (N gamma). */
static void with_known_gamma_efficiency_is_as_certain_as_throughput(void **state)
{
	const struct usl_form form = {.model = USL_FULL, .gamma_first = true};
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit_form(&series, &form);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	for (double n = 2; n < 1000; n *= 3) {
		struct usl_interval x = usl_interval_of(region, USL_X, n);
		struct usl_interval e = usl_interval_of(region, USL_USEFUL, n);

		assert_close(e.low, x.low / n / usl.gamma, 1e-8);
		assert_close(e.high, x.high / n / usl.gamma, 1e-8);
	}
	usl_intervals_free(region);
	series_release(&series);
}

/* The means of equal N give the same curve, but not the same scatter. */
static void repeated_points_count_each(void **state)
{
	struct series_point points[] = {{1, 9},	 {1, 11}, {2, 19}, {2, 20},  {4, 34},
					{4, 36}, {8, 55}, {8, 58}, {16, 70}, {16, 68}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl usl = fitting_fit(&series, USL_LINEAR);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	/* t for 9 degrees of freedom, .975 */
	assert_close(usl_interval_of(region, USL_GAMMA, 0).high,
		     usl.gamma + 2.2621571627409915 * usl.gamma_se, 1e-8);
	usl_intervals_free(region);
}

static void throughput_and_threads_in_other_units_change_nothing_else(void **state)
{
	static const double factors[] = {1e-100, 1e-3, 1e9, 1e100};
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(factors); i++) {
		struct series other = fitting_read("specsdm91");
		struct usl_intervals *scaled;

		for (size_t k = 0; k < other.count; k++)
			other.points[k].throughput *= factors[i];
		usl = fitting_fit(&other, USL_FULL);
		scaled = usl_intervals_new(&usl, &other, .95, NULL);
		assert_close(usl_interval_of(scaled, USL_PEAK_N, 0).high,
			     usl_interval_of(region, USL_PEAK_N, 0).high, 1e-8);
		assert_close(usl_interval_of(scaled, USL_GAMMA, 0).low,
			     factors[i] * usl_interval_of(region, USL_GAMMA, 0).low, 1e-8);
		usl_intervals_free(scaled);
		series_release(&other);
	}
	usl_intervals_free(region);
	series_release(&series);
}

static void a_higher_level_is_a_wider_interval(void **state)
{
	struct series series = fitting_read("raytracer6");
	struct usl usl = fitting_fit(&series, USL_FULL);
	double width = 0;

	(void)state;
	for (int i = 1; i < 100; i++) {
		struct usl_intervals *region = usl_intervals_new(&usl, &series, i / 100., NULL);
		struct usl_interval alpha = usl_interval_of(region, USL_ALPHA, 0);

		assert_true(alpha.low >= 0 && alpha.low <= usl.alpha && usl.alpha <= alpha.high);
		assert_true(alpha.high - alpha.low > width);
		width = alpha.high - alpha.low;
		usl_intervals_free(region);
	}
	series_release(&series);
}

static void if_throughput_falls_from_the_start_there_is_no_peak(void **state)
{
	struct series_point points[] = {{1, 15000}, {1, 15700}, {2, 4300}, {2, 4000},
					{4, 2200},  {4, 2500},	{8, 1700}, {8, 1900}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	assert_true(usl.alpha > 1);
	assert_true(isnan(usl_peak_throughput(&usl)));
	assert_true(isnan(usl_interval_of(region, USL_PEAK_X, 0).low));
	assert_true(isnan(usl_interval_of(region, USL_PEAK_X, 0).high));
	usl_intervals_free(region);
}

static void points_without_freedom_or_scatter_have_defined_intervals(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}, {8, 0}};
	struct series series = {.points = points, .count = 3};
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	assert_true(isnan(usl_interval_of(region, USL_ALPHA, 0).low));
	assert_true(isnan(usl_interval_of(region, USL_MEASURED, 2).low));
	assert_true(isnan(usl_interval_of(region, USL_PEAK_X, 0).high));
	usl_intervals_free(region);
	points[3].throughput = usl_throughput(&usl, 8);
	series.count = 4;
	usl = fitting_fit(&series, USL_FULL);
	region = usl_intervals_new(&usl, &series, .95, NULL);
	assert_close(usl_interval_of(region, USL_ALPHA, 0).low, usl.alpha, 1e-6);
	assert_close(usl_interval_of(region, USL_ALPHA, 0).high, usl.alpha, 1e-6);
	usl_intervals_free(region);
}

/* Each curve under the bounds that fits as well as the level allows has its alpha and its X(N)
 * inside the intervals. */
static void curves_that_fit_well_enough_are_inside_all_intervals(void **state)
{
	const double t = 3.1824463052842638; /* .975 quantile for 3 */
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	for (int set = 0; set < 50; set++) {
		struct series_point points[6];
		struct series series = {.points = points, .count = COUNT(points)};
		struct usl_interval alpha, at;
		struct usl_intervals *region;
		struct usl usl;

		for (size_t i = 0; i < COUNT(points); i++) {
			double n = (double)i + 1, noise = .95 + .1 * gsl_rng_uniform(random);

			points[i] = (struct series_point){
				n, noise * n / (1 + .1 * (n - 1) + .01 * n * (n - 1))};
		}
		usl = fitting_fit(&series, USL_FULL);
		region = usl_intervals_new(&usl, &series, .95, NULL);
		alpha = usl_interval_of(region, USL_ALPHA, 0);
		at = usl_interval_of(region, USL_X, 4);
		usl_intervals_free(region);
		for (int k = 0; k < 2000; k++) {
			struct usl other = {
				.alpha = usl.alpha + .3 * (gsl_rng_uniform(random) - .5),
				.beta = k % 4 ? .1 * gsl_rng_uniform(random) : 0,
				.gamma = usl.gamma * (.8 + .4 * gsl_rng_uniform(random))};
			double rss = 0;

			for (size_t i = 0; i < COUNT(points); i++)
				rss += pow(points[i].throughput -
						   usl_throughput(&other, points[i].n),
					   2);
			if (other.alpha < 0 || rss > usl.rss * (1 + t * t / 3))
				continue;
			assert_true(alpha.low <= other.alpha && other.alpha <= alpha.high);
			assert_true(at.low <= usl_throughput(&other, 4) &&
				    usl_throughput(&other, 4) <= at.high);
		}
	}
	gsl_rng_free(random);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(intervals_meet_the_certified_ends_to_8_digits),
	cmocka_unit_test(a_linear_model_has_the_interval_of_students_t),
	cmocka_unit_test(a_measurement_scatters_about_a_curve_that_is_itself_uncertain),
	cmocka_unit_test(shares_agree_with_a_separate_computation),
	cmocka_unit_test(under_amdahls_law_shares_follow_from_alpha),
	cmocka_unit_test(with_known_gamma_efficiency_is_as_certain_as_throughput),
	cmocka_unit_test(repeated_points_count_each),
	cmocka_unit_test(throughput_and_threads_in_other_units_change_nothing_else),
	cmocka_unit_test(a_higher_level_is_a_wider_interval),
	cmocka_unit_test(if_throughput_falls_from_the_start_there_is_no_peak),
	cmocka_unit_test(points_without_freedom_or_scatter_have_defined_intervals),
	cmocka_unit_test(curves_that_fit_well_enough_are_inside_all_intervals),
};

TEST_FILE(tests);
