/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conditions of Karush, Kuhn and Tucker at the optimum under bounds: a free parameter has the
 * multiplier 0, one on its bound a multiplier that is not below 0.
 */
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_multiplier(double got, bool fitted, bool on_bound)
{
	const double rounding = 1e-9;

	if (!fitted)
		assert_true(isnan(got));
	else if (on_bound)
		assert_true(got >= -rounding);
	else
		assert_true(fabs(got) <= rounding);
}

static void assert_conditions(const struct usl *usl)
{
	assert_multiplier(usl->alpha_multiplier, usl->form.model != USL_LINEAR,
			  usl->bound & USL_BOUND_ALPHA);
	assert_multiplier(usl->beta_multiplier, usl->form.model == USL_FULL,
			  usl->bound & USL_BOUND_BETA);
}

static void the_conditions_hold_for_every_series_and_form(void **state)
{
	static const char *const sets[] = {"raytracer", "raytracer6", "specsdm91",
					   "cisco",	"cisco10",    "codahale_example",
					   "misra1d",	"seed_table4"};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct series series = fitting_read(sets[i]);

		for (unsigned k = 0; k < 12; k++) {
			const struct usl_form form = {(enum usl_model)(k % 3), k / 3 % 2, k / 6};
			struct usl usl;

			if (form.gamma_first && series.points[0].n != 1)
				continue;
			usl = fitting_fit_form(&series, &form);
			assert_conditions(&usl);
		}
		series_release(&series);
	}
}

/* The derivatives of ln RSS were computed in arithmetic with 50 digits. */
static void an_active_bound_has_the_computed_multiplier(void **state)
{
	struct series raytracer = fitting_read("raytracer"), seed = fitting_read("seed_table4");
	const struct usl_form first = {.gamma_first = true};
	struct usl usl = fitting_fit(&raytracer, USL_FULL);

	(void)state;
	assert_close(usl.beta_multiplier, 0.81962010780471, 1e-12);
	usl = fitting_fit(&seed, USL_FULL);
	assert_close(usl.alpha_multiplier, 1.4740107943271, 1e-12);
	usl = fitting_fit_form(&seed, &first);
	assert_close(usl.alpha_multiplier, 2.4411732077528, 1e-12);
	fitting_weigh(&raytracer, fitting_weight_123);
	usl = fitting_fit(&raytracer, USL_FULL);
	assert_close(usl.beta_multiplier, 0.78488231545956, 1e-12);
	series_release(&raytracer);
	series_release(&seed);
}

static void the_conditions_hold_for_random_series(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct series_point points[8];
	double weights[COUNT(points)];
	struct series series = {.points = points, .count = COUNT(points)};
	size_t bounds[4] = {0};

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		const struct usl_form form = {USL_FULL, false, i / 2 % 2};
		struct usl truth = {.alpha = i % 5 ? .02 * (i % 7) : 0,
				    .beta = i % 5 ? 1e-4 * (i % 11) : 0,
				    .gamma = 10};
		struct usl usl;

		for (size_t k = 0; k < COUNT(points); k++) {
			double n = ldexp(1, (int)k);

			points[k] = (struct series_point){
				n, usl_throughput(&truth, n) *
					   exp(gsl_ran_gaussian(random, i % 2 ? .05 : .4))};
			weights[k] = exp(gsl_ran_gaussian(random, 1));
		}
		series.weights = i % 3 ? weights : NULL;
		usl = fitting_fit_form(&series, &form);
		assert_conditions(&usl);
		bounds[usl.bound]++;
	}
	/* All four faces occurred. */
	for (size_t i = 0; i < COUNT(bounds); i++)
		assert_true(bounds[i] > 20);
	gsl_rng_free(random);
}

static void a_curve_through_all_points_has_no_multiplier(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 20}, {4, 40}, {8, 80}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl usl = fitting_fit(&series, USL_FULL);

	(void)state;
	assert_true(usl.rss == 0 && isnan(usl.alpha_multiplier) && isnan(usl.beta_multiplier));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_conditions_hold_for_every_series_and_form),
	cmocka_unit_test(an_active_bound_has_the_computed_multiplier),
	cmocka_unit_test(the_conditions_hold_for_random_series),
	cmocka_unit_test(a_curve_through_all_points_has_no_multiplier),
};

TEST_FILE(tests);
