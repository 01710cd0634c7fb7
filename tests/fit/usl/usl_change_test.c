/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "base/err.h"
#include "fit/usl/usl.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct usl fit = {.alpha = .04, .beta = .001, .gamma = 20};

static void each_parameter_is_set_scaled_or_moved(void **state)
{
	static const struct {
		struct usl_change change;
		double alpha, beta, gamma;
	} cases[] = {
		{{.text = ""}, .04, .001, 20},
		{{.alpha = {USL_SCALE, .5}, .beta = {USL_SET, 0}}, .02, 0, 20},
		{{.alpha = {USL_ADD, -.01}, .gamma = {USL_ADD, 5}}, .03, .001, 25},
		{{.beta = {USL_SCALE, 0}, .gamma = {USL_SET, 1}}, .04, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl changed;
		struct err err;

		assert_int_equal(usl_change_apply(&changed, &fit, &cases[i].change, &err), 0);
		assert_close(changed.alpha, cases[i].alpha, 1e-14);
		assert_close(changed.beta, cases[i].beta, 1e-14);
		assert_close(changed.gamma, cases[i].gamma, 1e-14);
		assert_true(isnan(changed.alpha_se));
	}
}

static void an_impossible_change_is_refused_with_a_sentence(void **state)
{
	static const struct {
		struct usl_change change;
		const char *sentence;
	} cases[] = {
		{{.alpha = {USL_ADD, -.1}},
		 "alpha would be -0.06, and cannot be below 0; it is 0.04"},
		{{.beta = {USL_ADD, -1}},
		 "beta would be -0.999, and cannot be below 0; it is 0.001"},
		{{.gamma = {USL_SCALE, 0}}, "gamma would be 0, and must be above 0"},
		{{.gamma = {USL_SCALE, 1e308}}, "gamma would be out of range; it is 20"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl changed;
		struct err err = {.text = ""};

		assert_int_equal(usl_change_apply(&changed, &fit, &cases[i].change, &err), -1);
		assert_string_equal(err.text, cases[i].sentence);
	}
}

static void a_fit_without_bounds_may_go_below_0(void **state)
{
	const struct usl_change change = {.alpha = {USL_ADD, -.1}};
	struct usl unbounded = fit, changed;
	struct err err;

	(void)state;
	unbounded.form.unbounded = true;
	assert_int_equal(usl_change_apply(&changed, &unbounded, &change, &err), 0);
	assert_close(changed.alpha, -.06, 1e-14);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_parameter_is_set_scaled_or_moved),
	cmocka_unit_test(an_impossible_change_is_refused_with_a_sentence),
	cmocka_unit_test(a_fit_without_bounds_may_go_below_0),
};

TEST_FILE(tests);
