/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "fit/fitting.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_choice choose(const char *set)
{
	struct series series = fitting_read(set);
	const struct usl_form form = {0};
	struct usl_choice choice;

	usl_choose(&choice, &series, &form, NULL);
	series_release(&series);
	return choice;
}

/* See tests/data/usl/SOURCES.md. NAN: the optimum is outside of the bounds. */
static const struct {
	const char *set;
	struct {
		double rss, aicc, bic;
	} model[USL_MODELS];
} certified[] = {
	/* clang-format off */
	{"raytracer", {{NAN, NAN, NAN},
	 {697.237799748922, 86.2867629738, 84.0518773636},
	 {49862.1661665804, 129.326995542, 128.622786088}}},
	{"raytracer6", {{10.0918818394663, 68.1470935173, 27.3141313942},
	 {109.339963330455, 52.4434773317, 39.8187557393},
	 {4383.65493757094, 64.5905342793, 60.1740532178}}},
	{"specsdm91", {{27453.7195840374, 105.785567014, 85.5692076098},
	 {131265.389036194, 102.738603385, 94.5763338323},
	 {4156848.73679063, 119.925643231, 116.817463529}}},
	{"seed_table4", {{NAN, NAN, NAN},
	 {1228.42138002071, 92.5167082833, 90.2818226732},
	 {8778.39960337904, 110.220343047, 109.516133593}}},
	{"cisco", {{1023849.52466983, 432.240562724, 436.622024854},
	 {3147526.93051153, 465.553743325, 469.093808177},
	 {128475746.095840, 581.802332680, 584.320011382}}},
	{"cisco10", {{10043.1554815775, 113.499386083, 106.709726455},
	 {11078.9422459924, 108.480934640, 105.388689919},
	 {460979.534563377, 141.478294723, 140.369179194}}},
	{"codahale_example", {{27310.0814784359, 105.748846807, 85.5324874032},
	 {131084.249413152, 102.728937067, 94.5666675140},
	 {4156107.92139621, 119.924395611, 116.816215909}}},
	/* clang-format on */
};

static void criteria_meet_the_certified_ones_to_11_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(certified); i++) {
		struct usl_choice choice = choose(certified[i].set);

		for (size_t k = 0; k < USL_MODELS; k++) {
			const struct usl_candidate *got = &choice.candidates[k];

			assert_true(got->fits);
			if (isnan(certified[i].model[k].rss))
				continue;
			assert_close(got->usl.rss, certified[i].model[k].rss, 1e-11);
			assert_close(got->aicc, certified[i].model[k].aicc, 1e-11);
			assert_close(got->bic, certified[i].model[k].bic, 1e-11);
		}
	}
}

static void leaving_each_point_out_meets_the_certified_residuals(void **state)
{
	static const struct {
		const char *set;
		double loo; /* of certified residuals with 10 digits */
	} cases[] = {
		{"raytracer6", 2.845735341},
		{"specsdm91", 152.9560096},
		{"codahale_example", 152.5906362},
		{"cisco", 196.5175662},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_close(choose(cases[i].set).candidates[USL_FULL].loo, cases[i].loo, 1e-8);
}

static void a_parameter_on_its_bound_is_tested_on_one_side(void **state)
{
	struct usl_choice peak = choose("specsdm91"), level = choose("raytracer");

	(void)state;
	/* t = sqrt((131265.389036194 - 27453.7195840374) / (27453.7195840374 / 4)) for 4 degrees
	 * of freedom; the two-sided p is 0.0177. */
	assert_close(peak.candidates[USL_FULL].p, 0.0088518271831, 1e-9);
	assert_true(level.candidates[USL_FULL].p == 1);
	assert_true(isnan(level.candidates[USL_LINEAR].p));
}

static void points_on_a_curve_have_no_criteria(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 160}};
	struct series series = {.points = points, .count = COUNT(points)};
	const struct usl_form form = {0};
	struct usl_choice choice;

	(void)state;
	usl_choose(&choice, &series, &form, NULL);
	for (size_t i = 0; i < USL_MODELS; i++) {
		assert_true(isnan(choice.candidates[i].bic) && isnan(choice.candidates[i].aicc));
		assert_true(isnan(choice.candidates[i].p));
	}
}

static void a_law_with_too_many_parameters_does_not_fit(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 19}, {2, 18}};
	struct series series = {.points = points, .count = COUNT(points)};
	const struct usl_form form = {0};
	struct usl_choice choice;

	(void)state;
	usl_choose(&choice, &series, &form, NULL);
	assert_false(choice.candidates[USL_FULL].fits);
	assert_true(choice.candidates[USL_AMDAHL].fits && choice.candidates[USL_LINEAR].fits);
	assert_true(isnan(choice.candidates[USL_FULL].bic));
	/* Leaving out N = 1 leaves one N. */
	assert_true(isnan(choice.candidates[USL_LINEAR].loo));
}

/* --- Without one of the points ------------------------------------------------------ */

static const struct usl_form bounded = {.model = USL_FULL};

static void a_left_out_point_is_not_in_the_fit(void **state)
{
	struct series_point points[] = {{1, 10.1}, {2, 18.7}, {4, 33.5}, {8, 52.2}, {16, 66.4}};
	double weights[] = {5, 4, 3, 2, 1};
	struct series series = {.points = points, .weights = weights, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		struct series_point others[COUNT(points) - 1];
		double others_weights[COUNT(points) - 1];
		struct series rest = {
			.points = others, .weights = others_weights, .count = COUNT(others)};
		struct usl usl;

		for (size_t k = 0; k < COUNT(others); k++) {
			others[k] = points[k < i ? k : k + 1];
			others_weights[k] = weights[k < i ? k : k + 1];
		}
		usl = fitting_fit(&rest, USL_FULL);
		assert_close(left_out[i].alpha, usl.alpha, 1e-12);
		assert_close(left_out[i].gamma, usl.gamma, 1e-12);
		assert_close(left_out[i].residual,
			     points[i].throughput - usl_throughput(&usl, points[i].n), 1e-9);
	}
	free(left_out);
}

static void a_peak_can_come_and_go(void **state)
{
	/* Without N = 32 there is no peak. */
	struct series_point points[] = {{1, 10}, {2, 18.3}, {4, 31}, {8, 47}, {16, 64.2}, {32, 45}};
	/* Without N = 1 throughput falls from the start. */
	struct series_point falling[] = {{1, 5}, {2, 8}, {4, 4.2}, {8, 2.15}, {16, 1.1}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	assert_true(isinf(left_out[5].peak_n));
	assert_true(left_out[0].peak_n > 8 && left_out[0].peak_n < 32);
	free(left_out);
	series = (struct series){.points = falling, .count = COUNT(falling)};
	left_out = usl_leave_out(&series, &bounded);
	assert_true(left_out[0].peak_n == 0);
	free(left_out);
}

static void with_too_few_other_points_no_error_is_known(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}, {4, 29}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_left_out *left_out = usl_leave_out(&series, &bounded);

	(void)state;
	assert_true(isnan(left_out[0].alpha) && isnan(left_out[0].peak_n) &&
		    isnan(left_out[0].residual));
	assert_close(left_out[2].residual, -1, 1e-9);
	free(left_out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(criteria_meet_the_certified_ones_to_11_digits),
	cmocka_unit_test(leaving_each_point_out_meets_the_certified_residuals),
	cmocka_unit_test(a_parameter_on_its_bound_is_tested_on_one_side),
	cmocka_unit_test(points_on_a_curve_have_no_criteria),
	cmocka_unit_test(a_law_with_too_many_parameters_does_not_fit),
	cmocka_unit_test(a_left_out_point_is_not_in_the_fit),
	cmocka_unit_test(a_peak_can_come_and_go),
	cmocka_unit_test(with_too_few_other_points_no_error_is_known),
};

TEST_FILE(tests);
