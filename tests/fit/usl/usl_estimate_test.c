/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_estimate estimate_of(const struct series *series, const struct usl_form *form,
				       enum usl_quantity quantity, double n)
{
	struct usl usl = fitting_fit_form(series, form);
	struct usl_intervals *region = usl_intervals_new(&usl, series, .95, NULL);
	struct usl_estimate estimate = usl_estimate(quantity, n, region);

	usl_intervals_free(region);
	return estimate;
}

/* The certified intervals. */
static const struct {
	const char *set;
	enum usl_quantity quantity;
	double n, best, low, high;
} known[] = {
	{"specsdm91", USL_ALPHA, 0, .02772847570, .009484733115, .06410349156},
	{"specsdm91", USL_PEAK_N, 0, 96.51958, 77.85535585, 156.6618041},
	{"specsdm91", USL_PEAK_X, 0, 1883.9, 1747.722356, 2031.03},
	{"specsdm91", USL_X, 1, 89.9952, 61.2463, 144.5455595},
	{"specsdm91", USL_USEFUL, 1, 1, 1, 1},
	{"specsdm91", USL_POINTS, 0, 7, 7, 7},
	{"cisco10", USL_PEAK_N, 0, 46.9187, 24.62304399, INFINITY},
};

static void assert_same_end(double got, double want)
{
	if (got != want)
		assert_close(got, want, 1e-4);
}

static void an_estimate_is_the_best_value_and_its_interval(void **state)
{
	static const struct usl_form form = {.model = USL_FULL};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		struct series series = fitting_read(known[i].set);
		struct usl_estimate estimate =
			estimate_of(&series, &form, known[i].quantity, known[i].n);

		assert_int_equal(estimate.unknown, USL_KNOWN);
		assert_same_end(estimate.best, known[i].best);
		assert_same_end(estimate.interval.low, known[i].low);
		assert_same_end(estimate.interval.high, known[i].high);
		series_release(&series);
	}
}

/* On the bound of beta. */
static void without_a_peak_n_is_infinite_and_throughput_approaches_its_limit(void **state)
{
	static const struct usl_form form = {.model = USL_FULL};
	struct series series = fitting_read("raytracer");

	(void)state;
	assert_true(isinf(estimate_of(&series, &form, USL_PEAK_N, 0).best));
	assert_close(estimate_of(&series, &form, USL_PEAK_X, 0).best, 378.2, 1e-4);
	series_release(&series);
}

static void a_parameter_that_the_form_does_not_fit_is_unknown(void **state)
{
	static const struct {
		struct usl_form form;
		enum usl_quantity quantity;
	} cases[] = {{{.model = USL_LINEAR}, USL_ALPHA},
		     {{.model = USL_LINEAR}, USL_BETA},
		     {{.model = USL_LINEAR}, USL_PEAK_N},
		     {{.model = USL_AMDAHL}, USL_BETA},
		     {{.model = USL_AMDAHL}, USL_PEAK_N},
		     {{.model = USL_FULL, .gamma_first = true}, USL_GAMMA}};
	struct series series = fitting_read("specsdm91");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl_estimate estimate =
			estimate_of(&series, &cases[i].form, cases[i].quantity, 0);

		assert_int_equal(estimate.unknown, USL_NOT_FITTED);
		assert_true(isnan(estimate.best));
		assert_true(isnan(estimate.interval.low) && isnan(estimate.interval.high));
	}
	series_release(&series);
}

static void without_degrees_of_freedom_only_the_best_value_is_known(void **state)
{
	static const struct usl_form form = {.model = USL_FULL};
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}};
	struct series series = {.points = points, .count = COUNT(points)};

	(void)state;
	for (enum usl_quantity quantity = USL_ALPHA; quantity <= USL_USEFUL; quantity++) {
		struct usl_estimate estimate = estimate_of(&series, &form, quantity, 4);

		assert_int_equal(estimate.unknown, USL_NO_FREEDOM);
		assert_true(estimate.best == estimate.best);
		assert_true(isnan(estimate.interval.low));
	}
}

static void if_throughput_only_falls_the_peak_is_unknown(void **state)
{
	static const struct usl_form form = {.model = USL_FULL};
	struct series_point points[] = {{1, 10}, {2, 9}, {4, 8.5}, {8, 8}, {16, 7.5}};
	struct series series = {.points = points, .count = COUNT(points)};

	(void)state;
	assert_int_equal(estimate_of(&series, &form, USL_PEAK_N, 0).unknown, USL_NO_PEAK);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_estimate_is_the_best_value_and_its_interval),
	cmocka_unit_test(without_a_peak_n_is_infinite_and_throughput_approaches_its_limit),
	cmocka_unit_test(a_parameter_that_the_form_does_not_fit_is_unknown),
	cmocka_unit_test(without_degrees_of_freedom_only_the_best_value_is_known),
	cmocka_unit_test(if_throughput_only_falls_the_peak_is_unknown),
};

TEST_FILE(tests);
