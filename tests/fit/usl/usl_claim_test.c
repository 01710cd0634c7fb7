/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct usl_finding judge(const char *set, enum usl_model model,
				const struct usl_claim *claim)
{
	struct series series = fitting_read(set);
	struct usl usl = fitting_fit(&series, model);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_finding finding = usl_claim_judge(claim, region);

	usl_intervals_free(region);
	series_release(&series);
	return finding;
}

/*
 * The certified intervals of specsdm91 are alpha .0095..0.0641 (best .0277), nc 77.86..156.66
 * (96.52) and xmax 1747.7..2031.0 (1883.9); of cisco10 nc is 24.62..infinity (78.6).
 */
static const struct {
	const char *set;
	struct usl_claim claim;
	enum usl_outcome outcome;
	double value;
} decided[] = {
	/* clang-format off */
	{"specsdm91", {.quantity = USL_ALPHA, .relation = USL_BELOW, .bound = .05}, USL_NOT_SHOWN, .06410349156},
	{"specsdm91", {.quantity = USL_ALPHA, .relation = USL_BELOW, .bound = .065}, USL_HOLDS, .06410349156},
	{"specsdm91", {.quantity = USL_ALPHA, .relation = USL_ABOVE, .bound = .009}, USL_HOLDS, .009484733115},
	{"specsdm91", {.quantity = USL_ALPHA, .relation = USL_ABOVE, .bound = .01}, USL_NOT_SHOWN, .009484733115},
	{"specsdm91", {.quantity = USL_ALPHA, .side = USL_BEST, .relation = USL_BELOW, .bound = .05}, USL_HOLDS, .02772847570},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 77}, USL_HOLDS, 77.85535585},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 78}, USL_NOT_SHOWN, 77.85535585},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_AT_MOST, .bound = 157}, USL_HOLDS, 156.6618041},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_AT_MOST, .bound = 156}, USL_NOT_SHOWN, 156.6618041},
	{"specsdm91", {.quantity = USL_PEAK_N, .side = USL_LOW, .relation = USL_AT_MOST, .bound = 80}, USL_HOLDS, 77.85535585},
	{"specsdm91", {.quantity = USL_PEAK_N, .side = USL_HIGH, .relation = USL_ABOVE, .bound = 150}, USL_HOLDS, 156.6618041},
	{"specsdm91", {.quantity = USL_PEAK_X, .relation = USL_ABOVE, .bound = 1747}, USL_HOLDS, 1747.722356},
	{"specsdm91", {.quantity = USL_PEAK_X, .relation = USL_ABOVE, .bound = 1748}, USL_NOT_SHOWN, 1747.722356},
	{"specsdm91", {.quantity = USL_X, .at = 1, .relation = USL_BELOW, .bound = 144}, USL_NOT_SHOWN, 144.5455595},
	{"specsdm91", {.quantity = USL_X, .at = 1, .relation = USL_BELOW, .bound = 145}, USL_HOLDS, 144.5455595},
	{"specsdm91", {.quantity = USL_USEFUL, .at = 1, .relation = USL_AT_LEAST, .bound = .999}, USL_HOLDS, 1},
	{"specsdm91", {.quantity = USL_POINTS, .relation = USL_AT_LEAST, .bound = 7}, USL_HOLDS, 7},
	{"specsdm91", {.quantity = USL_POINTS, .relation = USL_ABOVE, .bound = 7}, USL_EXCLUDED, 7},
	{"cisco10", {.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 24}, USL_HOLDS, 24.62304399},
	{"cisco10", {.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 64}, USL_NOT_SHOWN, 24.62304399},
	{"cisco10", {.quantity = USL_PEAK_N, .relation = USL_AT_MOST, .bound = 1e9}, USL_NOT_SHOWN, INFINITY},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 157}, USL_EXCLUDED, 156.6618041},
	{"specsdm91", {.quantity = USL_PEAK_N, .relation = USL_BELOW, .bound = 77}, USL_EXCLUDED, 77.85535585},
	{"specsdm91", {.quantity = USL_PEAK_N, .side = USL_HIGH, .relation = USL_AT_MOST, .bound = 77}, USL_EXCLUDED, 156.6618041},
	{"cisco10", {.quantity = USL_PEAK_N, .relation = USL_AT_MOST, .bound = 24}, USL_EXCLUDED, 24.62304399},
	/* no peak at all, on the bound of beta */
	{"raytracer", {.quantity = USL_PEAK_N, .side = USL_BEST, .relation = USL_AT_LEAST, .bound = 64}, USL_HOLDS, INFINITY},
	{"raytracer", {.quantity = USL_PEAK_X, .side = USL_BEST, .relation = USL_ABOVE, .bound = 378}, USL_HOLDS, 378.2},
	/* clang-format on */
};

static void a_claim_is_decided_on_the_worse_end_of_its_interval(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(decided); i++) {
		struct usl_finding finding = judge(decided[i].set, USL_FULL, &decided[i].claim);

		assert_int_equal(finding.unknown, USL_KNOWN);
		assert_int_equal(finding.outcome, decided[i].outcome);
		if (finding.value != decided[i].value)
			assert_close(finding.value, decided[i].value, 1e-4);
	}
}

static void what_the_model_takes_for_granted_is_not_shown(void **state)
{
	static const struct {
		enum usl_model model;
		enum usl_quantity quantity;
	} cases[] = {{USL_LINEAR, USL_ALPHA},
		     {USL_LINEAR, USL_BETA},
		     {USL_LINEAR, USL_PEAK_N},
		     {USL_AMDAHL, USL_BETA},
		     {USL_AMDAHL, USL_PEAK_N}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (enum usl_relation relation = USL_BELOW; relation <= USL_AT_LEAST; relation++) {
			const struct usl_claim claim = {
				.quantity = cases[i].quantity, .relation = relation, .bound = .5};
			struct usl_finding finding = judge("specsdm91", cases[i].model, &claim);

			assert_int_equal(finding.unknown, USL_NOT_FITTED);
			assert_int_equal(finding.outcome, USL_NOT_SHOWN);
		}
}

static void a_gamma_that_is_measured_is_not_shown_by_the_points(void **state)
{
	const struct usl_form form = {.model = USL_FULL, .gamma_first = true};
	const struct usl_claim claim = {.quantity = USL_GAMMA, .relation = USL_ABOVE, .bound = 1};
	struct series series = fitting_read("specsdm91");
	struct usl usl = fitting_fit_form(&series, &form);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	assert_int_equal(usl_claim_judge(&claim, region).unknown, USL_NOT_FITTED);
	usl_intervals_free(region);
	series_release(&series);
}

static void without_an_interval_nothing_but_the_best_value_can_hold(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);

	(void)state;
	for (enum usl_quantity quantity = USL_ALPHA; quantity <= USL_USEFUL; quantity++) {
		struct usl_claim claim = {
			.quantity = quantity, .at = 4, .relation = USL_BELOW, .bound = 1e9};
		struct usl_finding finding = usl_claim_judge(&claim, region);

		assert_int_equal(finding.outcome, USL_NOT_SHOWN);
		assert_int_equal(finding.unknown, USL_NO_FREEDOM);
		claim.side = USL_BEST;
		assert_int_equal(usl_claim_judge(&claim, region).outcome, USL_HOLDS);
	}
	usl_intervals_free(region);
}

static void where_throughput_only_falls_nothing_is_known_of_a_peak(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 9}, {4, 8.5}, {8, 8}, {16, 7.5}};
	struct series series = {.points = points, .count = COUNT(points)};
	const struct usl_claim claim = {
		.quantity = USL_PEAK_N, .relation = USL_AT_LEAST, .bound = 1};
	struct usl usl = fitting_fit(&series, USL_FULL);
	struct usl_intervals *region = usl_intervals_new(&usl, &series, .95, NULL);
	struct usl_finding finding = usl_claim_judge(&claim, region);

	(void)state;
	assert_true(usl.alpha >= 1);
	assert_int_equal(finding.unknown, USL_NO_PEAK);
	assert_int_equal(finding.outcome, USL_NOT_SHOWN);
	usl_intervals_free(region);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_claim_is_decided_on_the_worse_end_of_its_interval),
	cmocka_unit_test(what_the_model_takes_for_granted_is_not_shown),
	cmocka_unit_test(a_gamma_that_is_measured_is_not_shown_by_the_points),
	cmocka_unit_test(without_an_interval_nothing_but_the_best_value_can_hold),
	cmocka_unit_test(where_throughput_only_falls_nothing_is_known_of_a_peak),
};

TEST_FILE(tests);
