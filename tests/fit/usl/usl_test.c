/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl.h"

#include "base/err.h"
#include "fit/fitting.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Compares a double with a certified one, which may be NAN, none, or -1, not certified. */
static void assert_certified(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else if (want >= 0)
		assert_close(got, want, 1e-12);
}

/* See tests/data/usl/SOURCES.md. In braces: alpha, beta, gamma; their standard errors. */
static const struct {
	const char *set;
	enum usl_model model;
	enum usl_bound bound;
	size_t df;
	double value[3], error[3], rss, peak_n, peak_throughput;
} certified[] = {
	/* clang-format off */
	{"raytracer", USL_FULL, USL_BOUND_BETA, 9,
	 {0.0577707807395694, 0, 21.8488428656822}, {0.00525797884149003, NAN, 1.25777867896867}, 697.237799748922, NAN, NAN},
	{"raytracer6", USL_FULL, USL_BOUND_NONE, 3,
	 {0.0244440414219265, 0.00162680928041008, 20.8560453029821}, {0.00839065569044386, 0.000261398494832356, 0.788506324409043}, 10.0918818394663, 24.4882512407058, 203.488182663821},
	{"specsdm91", USL_FULL, USL_BOUND_NONE, 4,
	 {0.0277284756186344, 0.000104365483844091, 89.9952331043322}, {0.00912173180821540, 1.98752709072685e-5, 14.2134894225851}, 27453.7195840374, 96.5195609666094, 1883.89899600996},
	{"seed_table4", USL_FULL, USL_BOUND_ALPHA, 9,
	 {0, 8.34755294999217e-6, 1.23315907913436}, {NAN, 7.21836695040652e-7, 0.0387583452264169}, 274.675918537885, 346.114990028183, 213.716156960395},
	{"cisco", USL_FULL, USL_BOUND_NONE, 29,
	 {0.0267159450357254, 0.000769093920610459, 995.648785929053}, {0.00449382815544081, 8.64544645266880e-5, 28.6983655527165}, 1023849.52466983, 35.5737882009527, 12342.8525538396},
	{"cisco10", USL_FULL, USL_BOUND_NONE, 7,
	 {0.0170027667196477, 0.000446539172027019, 938.379271968738}, {0.00692637628943374, 0.000517558742577239, 15.7927038339732}, 10043.1554815775, 46.9187427770419, 16052.1024288775},
	{"codahale_example", USL_FULL, USL_BOUND_NONE, 4,
	 {0.0277289077855980, 0.000104348010787400, 89.9871474337184}, {0.00909837476640056, 1.98239733520398e-5, 14.1759502203120}, 27310.0814784359, 96.5276202675049, 1883.77868910712},
	{"raytracer", USL_AMDAHL, USL_BOUND_NONE, 9,
	 {0.0577707807395694, 0, 21.8488428656822}, {0.00525797884149003, NAN, 1.25777867896867}, 697.237799748922, NAN, NAN},
	{"specsdm91", USL_AMDAHL, USL_BOUND_NONE, 5,
	 {0.0736481626110305, 0, 146.210551738561}, {0.0256522760445186, NAN, 43.4279272965638}, 131265.389036194, NAN, NAN},
	{"seed_table4", USL_AMDAHL, USL_BOUND_NONE, 9,
	 {0.00442728514008559, 0, 1.64647437464710}, {0.00106703738225984, NAN, 0.205854527699352}, 1228.42138002071, NAN, NAN},
	{"cisco", USL_AMDAHL, USL_BOUND_NONE, 30,
	 {0.0643669652070196, 0, 1199.49599551328}, {0.00341165407180996, NAN, 35.5643235827395}, 3147526.93051153, NAN, NAN},
	{"misra1d", USL_AMDAHL, USL_BOUND_NONE, 12,
	 {3.02181902985802e-4, 0, .132165210532748}, {-1, NAN, -1}, .0564192952826, NAN, NAN},
	{"raytracer", USL_LINEAR, USL_BOUND_NONE, 10,
	 {0, 0, 6.57340920848422}, {NAN, NAN, 0.718264896199928}, 49862.1661665804, NAN, NAN},
	{"specsdm91", USL_LINEAR, USL_BOUND_NONE, 6,
	 {0, 0, 12.0159828094245}, {NAN, NAN, 2.84058974154346}, 4156848.73679063, NAN, NAN},
	{"seed_table4", USL_LINEAR, USL_BOUND_NONE, 10,
	 {0, 0, 0.753994001442619}, {NAN, NAN, 0.0500274324630218}, 8778.39960337904, NAN, NAN},
	{"cisco", USL_LINEAR, USL_BOUND_NONE, 31,
	 {0, 0, 494.142250874126}, {NAN, NAN, 19.0334149174381}, 128475746.095840, NAN, NAN},
	/* clang-format on */
};

static void fits_meet_the_certified_optimum_to_12_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(certified); i++) {
		struct series series = fitting_read(certified[i].set);
		struct usl usl = fitting_fit(&series, certified[i].model);

		assert_certified(usl.alpha, certified[i].value[0]);
		assert_certified(usl.beta, certified[i].value[1]);
		assert_certified(usl.gamma, certified[i].value[2]);
		assert_certified(usl.alpha_se, certified[i].error[0]);
		assert_certified(usl.beta_se, certified[i].error[1]);
		assert_certified(usl.gamma_se, certified[i].error[2]);
		assert_certified(usl.rss, certified[i].rss);
		assert_certified(usl_peak_n(&usl), certified[i].peak_n);
		assert_certified(usl_peak_throughput(&usl), certified[i].peak_throughput);
		assert_int_equal(usl.bound, certified[i].bound);
		assert_int_equal(usl.df, certified[i].df);
		assert_int_equal(usl.n, series.count);
		series_release(&series);
	}
}

static void a_bound_parameter_is_known_without_its_bound(void **state)
{
	struct series raytracer = fitting_read("raytracer"), seed = fitting_read("seed_table4");

	(void)state;
	assert_close(fitting_fit(&raytracer, USL_FULL).unbounded_beta, -0.000201121286307574,
		     1e-12);
	assert_close(fitting_fit(&seed, USL_FULL).unbounded_alpha, -0.00200765232510549, 1e-12);
	series_release(&raytracer);
	series_release(&seed);
}

/* Gunther, Subramanyam, Parvu 2011, tables 2 and 3. */
static void peaks_are_those_of_the_paper(void **state)
{
	static const struct {
		double alpha, beta, peak_n;
		double tolerance; /* half a unit of the last digit printed */
	} cases[] = {
		{.0255, .0210, 6.8121, 5e-5}, {.0821, .0207, 6.6591, 5e-5},
		{.0988, .0209, 6.5666, 5e-5}, {1.49e-5, 6.7e-9, 12216.85, 5e-3},
		{0, 2.4e-7, 2041.24, 5e-3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl usl = {.alpha = cases[i].alpha, .beta = cases[i].beta, .gamma = 1};

		assert_close(usl_peak_n(&usl), cases[i].peak_n,
			     cases[i].tolerance / cases[i].peak_n);
	}
}

static void throughput_has_no_peak_where_it_only_grows_or_only_falls(void **state)
{
	static const struct {
		struct usl usl;
		bool peak, retrograde;
	} cases[] = {
		{{.alpha = .1, .beta = .01, .gamma = 1}, true, false},
		{{.alpha = .1, .beta = 0, .gamma = 1}, false, false},
		{{.alpha = 0, .beta = 0, .gamma = 1}, false, false},
		{{.alpha = 1, .beta = .01, .gamma = 1}, false, true},
		{{.alpha = 1.5, .beta = 0, .gamma = 1}, false, true},
		{{.alpha = .5, .beta = .6, .gamma = 1}, true, true},
		{{.alpha = 1, .beta = 0, .gamma = 1}, false, false},	/* constant */
		{{.alpha = 3, .beta = -.05, .gamma = 1}, false, false}, /* grows again */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(!isnan(usl_peak_n(&cases[i].usl)), cases[i].peak);
		assert_int_equal(!isnan(usl_peak_throughput(&cases[i].usl)), cases[i].peak);
		assert_int_equal(usl_is_retrograde(&cases[i].usl), cases[i].retrograde);
	}
}

static void exactly_n_5_to_150_of_table_4_are_superlinear(void **state)
{
	struct series series = fitting_read("seed_table4");
	struct usl usl = fitting_fit(&series, USL_FULL);

	(void)state;
	for (size_t i = 0; i < series.count; i++) {
		const struct series_point *point = &series.points[i];

		assert_int_equal(usl_is_superlinear(&usl, point), point->n >= 5 && point->n <= 150);
	}
	assert_close(usl_efficiency(&usl, &series.points[1]), 5.67 / 5, 1e-15);
	series_release(&series);
}

static void efficiency_relates_to_the_mean_x1_or_to_gamma(void **state)
{
	struct series_point with[] = {{1, 9}, {1, 11}, {2, 19}, {4, 36}};
	struct series_point without[] = {{2, 19}, {4, 36}, {8, 60}};
	struct usl usl;

	(void)state;
	usl = fitting_fit(&(struct series){.points = with, .count = COUNT(with)}, USL_FULL);
	assert_close(usl_efficiency(&usl, &with[2]), .95, 1e-15);
	usl = fitting_fit(&(struct series){.points = without, .count = COUNT(without)}, USL_AMDAHL);
	assert_close(usl_efficiency(&usl, &without[0]), 19 / usl.gamma / 2, 1e-15);
}

static void rounding_does_not_make_linear_data_superlinear(void **state)
{
	struct series_point points[64];
	struct usl usl;

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++)
		points[i] = (struct series_point){(double)(i + 1), 0.1 * (double)(i + 1)};
	usl = fitting_fit(&(struct series){.points = points, .count = COUNT(points)}, USL_FULL);
	assert_int_equal(usl.bound, USL_BOUND_BOTH);
	for (size_t i = 0; i < COUNT(points); i++)
		assert_false(usl_is_superlinear(&usl, &points[i]));
}

static void more_than_twice_the_largest_n_is_extrapolated(void **state)
{
	struct usl usl = {.largest_n = 64};

	(void)state;
	assert_false(usl_is_extrapolated(&usl, 128));
	assert_true(usl_is_extrapolated(&usl, 128.5));
	assert_false(usl_is_extrapolated(&usl, NAN));
}

/* Points on a curve at N = 1, 2, 4, ..., times a random factor exp(normal(0, noise)). */
static void simulate(const struct series *series, const struct usl *truth, double noise,
		     gsl_rng *random)
{
	for (size_t i = 0; i < series->count; i++) {
		struct series_point *point = &series->points[i];

		point->n = ldexp(1, (int)i);
		point->throughput = usl_throughput(truth, point->n);
		if (noise > 0)
			point->throughput *= exp(gsl_ran_gaussian(random, noise));
	}
}

static void parameters_are_recovered_from_data_without_noise(void **state)
{
	static const struct usl cases[] = {
		{.alpha = .03, .beta = 1e-4, .gamma = 995.6},
		{.alpha = .3, .beta = .02, .gamma = 1},
		{.alpha = 0, .beta = 3e-5, .gamma = 1e6},
		{.alpha = .2, .beta = 0, .gamma = 1e-3},
		{.alpha = 0, .beta = 0, .gamma = 7.3},
		{.alpha = 1.5, .beta = .01, .gamma = 40},
		{.alpha = .9, .beta = 3, .gamma = 40},
	};
	struct series_point points[8];
	struct series series = {.points = points, .count = COUNT(points)};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl usl;

		simulate(&series, &cases[i], 0, NULL);
		usl = fitting_fit(&series, USL_FULL);
		assert_close(usl.alpha, cases[i].alpha, 1e-12);
		assert_close(usl.beta, cases[i].beta, 1e-12);
		assert_close(usl.gamma, cases[i].gamma, 1e-13);
	}
}

static double rss_of(const struct series *series, const struct usl *usl)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];

		sum += pow(point->throughput - usl_throughput(usl, point->n), 2);
	}
	return sum;
}

/* Moves each parameter by a random factor; one on its bound moves into the region. */
static struct usl perturbed(const struct usl *usl, double size, gsl_rng *random)
{
	struct usl other = *usl;
	double n = usl->largest_n;

	other.gamma *= exp(gsl_ran_gaussian(random, size));
	other.alpha *= exp(gsl_ran_gaussian(random, size));
	other.beta *= exp(gsl_ran_gaussian(random, size));
	if (usl->bound & USL_BOUND_ALPHA)
		other.alpha = fabs(gsl_ran_gaussian(random, size)) / n;
	if (usl->bound & USL_BOUND_BETA)
		other.beta = fabs(gsl_ran_gaussian(random, size)) / n / n;
	return other;
}

static void no_feasible_neighbour_fits_better(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct series_point points[8];
	struct series series = {.points = points, .count = COUNT(points)};

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct usl truth = {.alpha = i % 3 ? .05 * (i % 7) : 0,
				    .beta = i % 5 ? 1e-4 * (i % 11) : 0,
				    .gamma = 10};
		struct usl usl;

		simulate(&series, &truth, i % 2 ? .03 : .5, random);
		usl = fitting_fit(&series, USL_FULL);
		assert_true(usl.alpha >= 0 && usl.beta >= 0 && usl.gamma > 0);
		assert_close(rss_of(&series, &usl), usl.rss, 1e-10);
		for (int k = 0; k < 100; k++) {
			struct usl other = perturbed(&usl, pow(10, -(k % 6)), random);

			assert_true(rss_of(&series, &other) >= usl.rss * (1 - 1e-12));
		}
	}
	gsl_rng_free(random);
}

static void scaling_throughput_scales_gamma_alone(void **state)
{
	static const double factors[] = {1e-100, 1e-9, 1e-3, 1e3, 1e9, 1e100};
	struct series series = fitting_read("cisco");
	struct usl usl = fitting_fit(&series, USL_FULL);

	(void)state;
	for (size_t i = 0; i < COUNT(factors); i++) {
		struct series scaled = fitting_read("cisco");
		struct usl other;

		for (size_t k = 0; k < scaled.count; k++)
			scaled.points[k].throughput *= factors[i];
		other = fitting_fit(&scaled, USL_FULL);
		assert_close(other.alpha, usl.alpha, 1e-12);
		assert_close(other.beta, usl.beta, 1e-12);
		assert_close(other.alpha_se, usl.alpha_se, 1e-12);
		assert_close(other.gamma, usl.gamma * factors[i], 1e-12);
		assert_close(other.gamma_se, usl.gamma_se * factors[i], 1e-12);
		series_release(&scaled);
	}
	series_release(&series);
}

static void as_many_points_as_parameters_leave_no_standard_error(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}};
	struct usl usl = fitting_fit(&(struct series){.points = points, .count = 3}, USL_FULL);

	(void)state;
	assert_int_equal(usl.df, 0);
	assert_true(isnan(usl.alpha_se) && isnan(usl.beta_se) && isnan(usl.gamma_se));
	assert_close(usl_throughput(&usl, 2), 18, 1e-14);
}

static void points_that_cannot_be_fitted_are_refused_with_a_sentence(void **state)
{
	static const struct {
		struct series_point points[4];
		size_t count;
		enum usl_model model;
		const char *why;
	} cases[] = {
		{{{1, 10}, {2, 18}}, 2, USL_FULL, "3 parameters (alpha, beta and gamma)"},
		{{{1, 10}, {2, 18}, {2, 19}, {1, 9}},
		 4,
		 USL_FULL,
		 "the points have only 2 values of N"},
		{{{4, 10}, {4, 18}, {4, 11}}, 3, USL_LINEAR, "all points have N = 4"},
		{{{4, 10}}, 1, USL_AMDAHL, "all points have N = 4"},
		{{{2, 100}, {3, 9}, {4, 1}}, 3, USL_FULL, "measure at N = 1 too"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_point points[4];
		char source[] = "a.csv";
		struct series series = {
			.source = source, .points = points, .count = cases[i].count};
		const struct usl_form form = {.model = cases[i].model};
		struct err err = {.text = ""};
		struct usl usl;

		memcpy(points, cases[i].points, sizeof(points));
		assert_int_equal(usl_fit(&usl, &series, &form, &err), -1);
		if (!strstr(err.text, cases[i].why) || strncmp(err.text, "a.csv: ", 7) != 0)
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
	}
}

static void a_gamma_that_was_measured_is_a_parameter(void **state)
{
	(void)state;
	assert_int_equal(usl_parameters(&(struct usl_form){USL_FULL, false, true}), 3);
	assert_int_equal(usl_parameters(&(struct usl_form){USL_AMDAHL, false, false}), 2);
	assert_int_equal(usl_parameters(&(struct usl_form){USL_LINEAR, true, true}), 1);
}

/* Rounding hides the optimum without bounds; the optimum under them is a line. */
static void a_series_over_six_decades_is_fitted_under_its_bounds(void **state)
{
	struct series_point points[] = {{1, 5}, {3, 14}, {9, 40}, {1e6, 5e6}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl usl = fitting_fit(&series, USL_FULL);

	(void)state;
	assert_close(usl.gamma, 5, 1e-9);
	assert_close(usl_throughput(&usl, 1e6), 5e6, 1e-9);
	assert_true(usl.bound == USL_BOUND_BOTH);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_gamma_that_was_measured_is_a_parameter),
	cmocka_unit_test(fits_meet_the_certified_optimum_to_12_digits),
	cmocka_unit_test(a_bound_parameter_is_known_without_its_bound),
	cmocka_unit_test(peaks_are_those_of_the_paper),
	cmocka_unit_test(throughput_has_no_peak_where_it_only_grows_or_only_falls),
	cmocka_unit_test(exactly_n_5_to_150_of_table_4_are_superlinear),
	cmocka_unit_test(efficiency_relates_to_the_mean_x1_or_to_gamma),
	cmocka_unit_test(rounding_does_not_make_linear_data_superlinear),
	cmocka_unit_test(more_than_twice_the_largest_n_is_extrapolated),
	cmocka_unit_test(parameters_are_recovered_from_data_without_noise),
	cmocka_unit_test(no_feasible_neighbour_fits_better),
	cmocka_unit_test(scaling_throughput_scales_gamma_alone),
	cmocka_unit_test(as_many_points_as_parameters_leave_no_standard_error),
	cmocka_unit_test(points_that_cannot_be_fitted_are_refused_with_a_sentence),
	cmocka_unit_test(a_series_over_six_decades_is_fitted_under_its_bounds),
};

TEST_FILE(tests);
