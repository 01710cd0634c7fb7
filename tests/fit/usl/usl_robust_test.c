/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/fitting.h"
#include "fit/usl/usl_compare.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_questions.h"
#include "support.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl fit_robust(struct series *series, struct usl_robust *robust, enum usl_model model,
			     enum usl_loss loss)
{
	const struct usl_form form = {.model = model};
	struct err err = {.text = ""};
	struct usl usl;

	if (usl_robust_fit(&usl, robust, series, &form, loss, &err))
		fail_msg("%s", err.text);
	return usl;
}

/*
 * Series with points replaced by wild ones. The numbers are from a separate implementation of the
 * definition, in arithmetic of 25 digits, started from the fit to the other points.
 */
static void robust_fits_meet_the_numbers_to_9_digits(void **state)
{
	static const struct {
		const char *set;
		enum usl_loss loss;
		struct {
			size_t point;
			double throughput, trust;
		} wild[3];
		double value[3], scale, error[3];
	} cases[] = {
		/* clang-format off */
		{"raytracer6", USL_LOSS_TUKEY, {{3, 90, 0}},
		 {0.029800571584524, 0.0014303475581824, 21.151379151727}, 3.1687697696144,
		 {0.0110285639799, 0.000360573823457, 0.929741695197}},
		{"cisco", USL_LOSS_TUKEY, {{4, 9000, 0}, {15, 3000, 0}, {30, 20000, 0}},
		 {0.027301279511516, 0.00076230068976523, 1001.7919041993}, 238.00332260354,
		 {0.00530264077575, 0.000103912536737, 33.3736037923}},
		{"cisco", USL_LOSS_HUBER, {{4, 9000, .0826905}, {15, 3000, .0542698}, {30, 20000, .0470627}},
		 {0.035811283108804, 0.0005793259611145, 1047.3304076444}, 294.50648993255,
		 {0.00675851660961, 0.000132906474583, 42.2748430813}},
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = fitting_read(cases[i].set);
		struct usl_robust robust;
		struct usl usl;

		for (size_t k = 0; k < COUNT(cases[i].wild) && cases[i].wild[k].throughput > 0; k++)
			series.points[cases[i].wild[k].point].throughput =
				cases[i].wild[k].throughput;
		usl = fit_robust(&series, &robust, USL_FULL, cases[i].loss);
		assert_close(usl.alpha, cases[i].value[0], 1e-9);
		assert_close(usl.beta, cases[i].value[1], 1e-9);
		assert_close(usl.gamma, cases[i].value[2], 1e-9);
		assert_close(robust.scale, cases[i].scale, 1e-9);
		assert_close(usl.alpha_se, cases[i].error[0], 1e-8);
		assert_close(usl.beta_se, cases[i].error[1], 1e-8);
		assert_close(usl.gamma_se, cases[i].error[2], 1e-8);
		for (size_t k = 0; k < COUNT(cases[i].wild) && cases[i].wild[k].throughput > 0; k++)
			assert_close(series.trust[cases[i].wild[k].point], cases[i].wild[k].trust,
				     1e-5);
		series_release(&series);
	}
}

/* Each point by turns, ten times too large and ten times too small, also at its worst place. */
static void no_single_wild_point_captures_the_fit(void **state)
{
	static const double factors[] = {.1, 10, 1000};
	static const struct usl truth = {.alpha = .03, .beta = 5e-4, .gamma = 100};
	static const double n[] = {1, 2, 4, 8, 12, 16, 24, 32};

	(void)state;
	for (size_t i = 0; i < COUNT(n) * COUNT(factors); i++) {
		struct series series = {.source = xstrdup("a.csv"), .count = COUNT(n)};
		struct usl_robust robust;
		struct usl usl;

		series.points = xcalloc(COUNT(n), sizeof(*series.points));
		for (size_t k = 0; k < COUNT(n); k++)
			series.points[k] = (struct series_point){
				n[k], usl_throughput(&truth, n[k]) * (k % 2 ? 1.003 : .997)};
		series.points[i % COUNT(n)].throughput *= factors[i / COUNT(n)];
		usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
		assert_true(series.trust[i % COUNT(n)] == 0);
		assert_close(usl.alpha, truth.alpha, .3);
		assert_close(usl_throughput(&usl, 16), usl_throughput(&truth, 16), .02);
		series_release(&series);
	}
}

static void without_wild_points_the_fit_is_close_to_least_squares(void **state)
{
	struct series series = fitting_read("raytracer6");
	struct usl plain = fitting_fit(&series, USL_FULL), usl;
	struct usl_robust robust;

	(void)state;
	usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
	assert_close(usl.gamma, plain.gamma, .01);
	assert_close(usl_peak_n(&usl), usl_peak_n(&plain), .02);
	series_release(&series);
}

static void a_wild_point_on_a_curve_of_exact_points_has_no_weight(void **state)
{
	static const struct usl truth = {.alpha = .05, .beta = .001, .gamma = 7};
	struct series series = {.source = xstrdup("a.csv"), .count = 8};
	struct usl_robust robust;
	struct usl usl;

	(void)state;
	series.points = xcalloc(series.count, sizeof(*series.points));
	for (size_t i = 0; i < series.count; i++)
		series.points[i] = (struct series_point){(double)(i + 1),
							 usl_throughput(&truth, (double)(i + 1))};
	series.points[5].throughput = 3;
	usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
	assert_close(usl.alpha, truth.alpha, 1e-9);
	assert_close(usl.beta, truth.beta, 1e-9);
	assert_true(series.trust[5] == 0 && series.trust[4] > .9);
	series_release(&series);
}

/* A common factor of the weights has no effect, and a factor of the throughput is one of gamma. */
static void units_change_nothing_else(void **state)
{
	struct series a = fitting_read("cisco"), b = fitting_read("cisco");
	struct usl_robust robust;
	struct usl one, other;

	(void)state;
	fitting_weigh(&a, fitting_weight_123);
	fitting_weigh(&b, fitting_weight_123);
	for (size_t i = 0; i < b.count; i++) {
		b.points[i].throughput *= 1e6;
		b.weights[i] *= 1e-3;
	}
	one = fit_robust(&a, &robust, USL_FULL, USL_LOSS_TUKEY);
	other = fit_robust(&b, &robust, USL_FULL, USL_LOSS_TUKEY);
	assert_close(other.alpha, one.alpha, 1e-10);
	assert_close(other.beta_se, one.beta_se, 1e-10);
	assert_close(other.gamma, 1e6 * one.gamma, 1e-10);
	series_release(&a);
	series_release(&b);
}

static void untrusted_points_count_in_no_interval_and_have_no_likelihood(void **state)
{
	struct series series = fitting_read("cisco");
	struct usl_intervals *region;
	struct usl_choice choice;
	struct usl_robust robust;
	struct usl usl;

	(void)state;
	series.points[15].throughput = 3000;
	usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
	region = usl_intervals_new(&usl, &series, .95, NULL);
	/* Close to the intervals of the series before, which end at 0.0180 and 0.0361. */
	assert_close(usl_interval_of(region, USL_ALPHA, 0).low, .018, .2);
	assert_close(usl_interval_of(region, USL_ALPHA, 0).high, .036, .2);
	usl_choose(&choice, &series, &usl.form, NULL);
	assert_true(isnan(choice.candidates[USL_FULL].bic));
	assert_true(choice.candidates[USL_FULL].loo < 300);
	usl_intervals_free(region);
	series_release(&series);
}

/* The F-test of beta = 0, the suggestion and the comparison use the same intervals.
 */
static void all_later_results_use_the_robust_scatter(void **state)
{
	struct series series = fitting_read("raytracer6");
	struct usl_comparison comparison;
	struct usl_suggestion suggestion;
	struct usl_interval alpha, peak;
	struct usl_intervals *region;
	struct usl_choice choice;
	struct usl_robust robust;
	struct usl usl;
	double p;

	(void)state;
	series.points[3].throughput = 90;
	usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
	usl_choose(&choice, &series, &usl.form, &usl);
	p = choice.candidates[USL_FULL].p;
	assert_true(p > .001 && p < .025);
	region = usl_intervals_new(&usl, &series, 1 - 2 * p - 1e-6, NULL);
	assert_true(usl_interval_of(region, USL_BETA, 0).low > 0);
	usl_intervals_free(region);
	region = usl_intervals_new(&usl, &series, 1 - 2 * p + 1e-6, NULL);
	assert_true(usl_interval_of(region, USL_BETA, 0).low == 0);
	usl_intervals_free(region);
	region = usl_intervals_new(&usl, &series, .95, NULL);
	alpha = usl_interval_of(region, USL_ALPHA, 0);
	peak = usl_interval_of(region, USL_PEAK_N, 0);
	usl_suggest(&suggestion, &usl, &series, .95, 100);
	assert_int_equal(suggestion.aim, USL_AIM_PEAK_N);
	assert_close(suggestion.now.low, peak.low, 1e-6);
	assert_close(suggestion.now.high, peak.high, 1e-6);
	/* The degrees of freedom are those of both, so t is smaller than in the region. */
	usl_compare(&comparison, &(struct usl_sample){&usl, &series},
		    &(struct usl_sample){&usl, &series}, .95);
	assert_close(comparison.changes[USL_ALPHA].interval.high * gsl_cdf_tdist_Pinv(.975, 3) /
			     gsl_cdf_tdist_Pinv(.975, 6),
		     hypot(alpha.high - usl.alpha, usl.alpha - alpha.low), .05);
	usl_intervals_free(region);
	series_release(&series);
}

/* t decided the weight, also if no weight is left, and the curve has an error there.
 */
static void a_diagnosis_shows_the_reason_of_a_low_weight(void **state)
{
	const struct usl_interval any = {0, INFINITY};
	struct series series = fitting_read("raytracer6");
	struct usl_diagnosis *diagnosis;
	struct usl_robust robust;
	struct usl usl;

	(void)state;
	series.points[3].throughput = 90;
	series.points[1].throughput = 74;
	usl = fit_robust(&series, &robust, USL_FULL, USL_LOSS_TUKEY);
	diagnosis = usl_diagnosis_new(&usl, &series, &any, .95);
	assert_true(series.trust[1] > 0 && series.trust[1] < 1 && series.trust[3] == 0);
	for (size_t i = 0; i < series.count; i++) {
		const struct usl_point_diagnosis *point = &diagnosis->points[i];
		double inside = fmax(0, 1 - pow(point->studentised / 4.685, 2));

		assert_close(1 + series.trust[i], 1 + inside * inside, 1e-9);
		assert_true(point->fitted_se > 0);
	}
	assert_true(diagnosis->points[3].hat == 0 && diagnosis->points[3].cook == 0);
	usl_diagnosis_free(diagnosis);
	series_release(&series);
}

static void too_few_points_are_refused_with_a_sentence(void **state)
{
	struct series series = {.source = xstrdup("a.csv"), .count = 4};
	const struct usl_form form = {0};
	struct usl_robust robust;
	struct err err = {.text = ""};
	struct usl usl;

	(void)state;
	series.points = xcalloc(4, sizeof(*series.points));
	for (size_t i = 0; i < 4; i++)
		series.points[i] = (struct series_point){(double)(i + 1), (double)(i + 1) * 10};
	assert_int_equal(usl_robust_fit(&usl, &robust, &series, &form, USL_LOSS_TUKEY, &err), -1);
	if (!strstr(err.text, "needs 5 points or more, there are 4"))
		fail_msg("%s", err.text);
	series_release(&series);
}

/* All forms, many series: the fit converges, or reports that it does not. */
static void the_fit_converges_on_random_series(void **state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	size_t settled = 0;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		struct series series = {.source = xstrdup("a.csv"), .count = 6 + i % 5};
		const struct usl_form form = {(enum usl_model)(i % 3), i / 3 % 2, i / 6 % 2};
		struct usl truth = {.alpha = .01 * (i % 7), .beta = 1e-4 * (i % 11), .gamma = 10};
		struct usl_robust robust;
		struct err err = {.text = ""};
		struct usl usl;

		series.points = xcalloc(series.count, sizeof(*series.points));
		for (size_t k = 0; k < series.count; k++) {
			double n = 1 + 4 * (double)k, wild = k == i % 9 ? 3 : 1;

			series.points[k] = (struct series_point){
				n, wild * usl_throughput(&truth, n) *
					   exp(gsl_ran_gaussian(random, .05))};
		}
		if (usl_robust_fit(&usl, &robust, &series, &form,
				   i % 2 ? USL_LOSS_TUKEY : USL_LOSS_HUBER, &err) == 0) {
			settled++;
			assert_true(isfinite(usl.gamma) && isfinite(robust.scale));
		} else {
			assert_true(*err.text);
		}
		series_release(&series);
	}
	assert_true(settled >= 115);
	gsl_rng_free(random);
}

/* A quarter of the points may have any value. */
static void the_curve_of_three_quarters_of_the_points_is_found(void **state)
{
	static const struct usl truth = {.alpha = .04, .beta = .002, .gamma = 50};
	static const size_t counts[] = {8, 12, 40, 5000};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		static struct series_point points[5000];
		struct series series = {.points = points, .count = counts[i]};
		const struct usl_form form = {.model = USL_FULL};
		struct usl_robust robust;
		struct err err = {.text = ""};
		struct usl usl;

		for (size_t k = 0; k < counts[i]; k++) {
			double n = 1 + (double)k * 40 / (double)counts[i];

			points[k] = (struct series_point){
				n, k % 4 == 2 ? 9000 / n : usl_throughput(&truth, n)};
		}
		assert_int_equal(
			usl_robust_fit(&usl, &robust, &series, &form, USL_LOSS_TUKEY, &err), 0);
		assert_close(usl.alpha, truth.alpha, 1e-9);
		assert_close(usl.beta, truth.beta, 1e-9);
		assert_close(usl.gamma, truth.gamma, 1e-9);
		free(series.trust);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(robust_fits_meet_the_numbers_to_9_digits),
	cmocka_unit_test(no_single_wild_point_captures_the_fit),
	cmocka_unit_test(without_wild_points_the_fit_is_close_to_least_squares),
	cmocka_unit_test(a_wild_point_on_a_curve_of_exact_points_has_no_weight),
	cmocka_unit_test(units_change_nothing_else),
	cmocka_unit_test(untrusted_points_count_in_no_interval_and_have_no_likelihood),
	cmocka_unit_test(all_later_results_use_the_robust_scatter),
	cmocka_unit_test(a_diagnosis_shows_the_reason_of_a_low_weight),
	cmocka_unit_test(too_few_points_are_refused_with_a_sentence),
	cmocka_unit_test(the_fit_converges_on_random_series),
	cmocka_unit_test(the_curve_of_three_quarters_of_the_points_is_found),
};

TEST_FILE(tests);
