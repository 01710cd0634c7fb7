/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_compare.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_comparison comparison_of(const struct series *a, const struct series *b,
					   enum usl_model model)
{
	struct usl a_usl = fitting_fit(a, model), b_usl = fitting_fit(b, model);
	struct usl_comparison comparison;

	usl_compare(&comparison, &(struct usl_sample){&a_usl, a}, &(struct usl_sample){&b_usl, b},
		    .95);
	return comparison;
}

static struct usl_comparison comparison_of_sets(const char *a_set, const char *b_set,
						enum usl_model model)
{
	struct series a = fitting_read(a_set), b = fitting_read(b_set);
	struct usl_comparison comparison = comparison_of(&a, &b, model);

	series_release(&a);
	series_release(&b);
	return comparison;
}

/* Found with numpy: Gauss and Newton's method for all four parameters. */
static void the_common_law_is_the_best_for_both(void **state)
{
	struct usl_comparison comparison = comparison_of_sets("specsdm91", "cisco", USL_FULL);

	(void)state;
	assert_close(comparison.alpha, 5.78267025e-02, 1e-6);
	assert_close(comparison.beta, 1.17955560e-04, 1e-6);
	assert_close(comparison.gamma_a, 142.571755, 1e-6);
	assert_close(comparison.gamma_b, 1160.60337, 1e-6);
	/* Q and Yao's degrees of freedom, by numpy, too. */
	assert_close(comparison.p, gsl_cdf_fdist_Q(54.6513567803 / 2, 2, 31.533961634744), 1e-6);
}

/* By Q = t^2 of the best laws with one alpha, found with numpy, and Welch's degrees of freedom of
 * intervals in tests/fit/usl/usl_region_test.c, by hand. */
static void p_is_that_of_fits_with_a_common_alpha(void **state)
{
	struct usl_comparison comparison = comparison_of_sets("specsdm91", "cisco", USL_FULL);
	double t = sqrt(0.010710910345);

	(void)state;
	assert_close(comparison.changes[USL_ALPHA].p, 2 * gsl_cdf_tdist_Q(t, 5.04), 1e-3);
	/* The same for beta, whose profiles are less like parabolas. */
	t = sqrt(45.18583617);
	assert_close(comparison.changes[USL_BETA].p, 2 * gsl_cdf_tdist_Q(t, 32.1), .3);
}

static void a_series_has_not_changed_from_itself(void **state)
{
	struct usl_comparison comparison = comparison_of_sets("cisco", "cisco", USL_FULL);

	(void)state;
	for (size_t i = 0; i < USL_COMPARED; i++) {
		const struct usl_shift *change = &comparison.changes[i];
		bool difference = usl_compares_difference((enum usl_quantity)i);

		assert_true(change->p == 1);
		assert_true(change->change == (difference ? 0 : 1));
		assert_true(change->interval.low < change->change);
		assert_true(change->change < change->interval.high);
	}
	assert_close(comparison.p, 1, 1e-6);
}

static void the_reverse_comparison_has_the_reverse_change(void **state)
{
	struct usl_comparison there = comparison_of_sets("raytracer6", "cisco", USL_FULL);
	struct usl_comparison back = comparison_of_sets("cisco", "raytracer6", USL_FULL);

	(void)state;
	for (size_t i = 0; i < USL_COMPARED; i++) {
		const struct usl_shift *one = &there.changes[i], *other = &back.changes[i];

		assert_close(one->p, other->p, 1e-6);
		if (usl_compares_difference((enum usl_quantity)i)) {
			assert_close(one->change, -other->change, 1e-9);
			assert_close(one->interval.low, -other->interval.high, 1e-6);
		} else {
			assert_close(one->change, 1 / other->change, 1e-9);
			assert_close(one->interval.low, 1 / other->interval.high, 1e-6);
		}
	}
	assert_close(there.p, back.p, 1e-4);
}

/* Another unit, and another scatter. */
static void units_do_not_matter(void **state)
{
	struct series a = fitting_read("specsdm91"), b = fitting_read("codahale_example");
	struct usl_comparison same, scaled;

	(void)state;
	same = comparison_of(&a, &b, USL_FULL);
	for (size_t i = 0; i < b.count; i++)
		b.points[i].throughput *= 1000;
	scaled = comparison_of(&a, &b, USL_FULL);
	assert_close(scaled.changes[USL_ALPHA].p, same.changes[USL_ALPHA].p, 1e-6);
	assert_close(scaled.changes[USL_GAMMA].interval.high,
		     1000 * same.changes[USL_GAMMA].interval.high, 1e-6);
	assert_close(scaled.p, same.p, 1e-4);
	series_release(&a);
	series_release(&b);
}

static void a_law_without_a_peak_is_compared_on_the_bound(void **state)
{
	/* beta of raytracer is on its bound. */
	struct usl_comparison comparison = comparison_of_sets("raytracer", "raytracer6", USL_FULL);
	const struct usl_shift *beta = &comparison.changes[USL_BETA];
	const struct usl_shift *peak = &comparison.changes[USL_PEAK_N];

	(void)state;
	assert_true(beta->a == 0 && beta->interval.low > 0 && beta->p < .05);
	assert_true(isinf(peak->a) && peak->change == 0 && peak->interval.low == 0);
	assert_true(peak->interval.high < 1 && peak->p < .05);
}

static void parameters_that_are_not_fitted_are_not_compared(void **state)
{
	struct usl_comparison amdahl = comparison_of_sets("specsdm91", "cisco", USL_AMDAHL);
	struct usl_comparison linear = comparison_of_sets("specsdm91", "cisco", USL_LINEAR);

	(void)state;
	assert_true(isnan(amdahl.changes[USL_BETA].p) && isnan(amdahl.p));
	assert_true(isnan(amdahl.changes[USL_PEAK_N].a));
	assert_true(amdahl.changes[USL_ALPHA].p <= 1);
	assert_true(isnan(linear.changes[USL_ALPHA].a));
	assert_true(linear.changes[USL_GAMMA].p < .05);
}

static void a_curve_through_all_points_has_no_comparison(void **state)
{
	struct series_point points[] = {{1, 20}, {4, 78}, {12, 170}};
	struct series a = {.points = points, .count = COUNT(points)};
	struct series b = fitting_read("cisco");
	struct usl_comparison comparison = comparison_of(&a, &b, USL_FULL);

	(void)state;
	assert_true(comparison.changes[USL_GAMMA].a > 0);
	assert_true(isnan(comparison.changes[USL_ALPHA].p) && isnan(comparison.p));
	assert_true(isnan(comparison.changes[USL_ALPHA].interval.low));
	series_release(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_common_law_is_the_best_for_both),
	cmocka_unit_test(p_is_that_of_fits_with_a_common_alpha),
	cmocka_unit_test(a_series_has_not_changed_from_itself),
	cmocka_unit_test(the_reverse_comparison_has_the_reverse_change),
	cmocka_unit_test(units_do_not_matter),
	cmocka_unit_test(a_law_without_a_peak_is_compared_on_the_bound),
	cmocka_unit_test(parameters_that_are_not_fitted_are_not_compared),
	cmocka_unit_test(a_curve_through_all_points_has_no_comparison),
};

TEST_FILE(tests);
