/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/fit_result.h"

#include "base/err.h"
#include "fit/fitting.h"
#include "fit/usl/usl_diagnosis.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fitted fit_set(const char *set, const struct fit_wish *wish)
{
	struct fitted fitted = {.series = fitting_read(set)};
	struct err err = {.text = ""};

	if (fit_series(&fitted, wish, &err))
		fail_msg("%s", err.text);
	return fitted;
}

static void assert_same(struct usl_interval got, struct usl_interval want)
{
	assert_memory_equal(&got, &want, sizeof(got));
}

static void a_whole_result_has_all_requested_parts(void **state)
{
	double at[] = {4, 1000};
	struct usl_question questions[] = {{.subject = USL_THROUGHPUT_REACHED, .target = 1500}};
	struct usl_change changes[] = {{.text = "beta=0", .beta = {USL_SET, 0}}};
	const struct fit_wish wish = {.level = .95,
				      .at = at,
				      .at_count = COUNT(at),
				      .questions = questions,
				      .question_count = COUNT(questions),
				      .changes = changes,
				      .change_count = COUNT(changes),
				      .suggest = true};
	struct fitted fitted = fit_set("specsdm91", &wish);
	struct fit_result *result = fit_make(&fitted, &wish, true);

	(void)state;
	for (size_t i = 0; i < COUNT(at); i++) {
		assert_true(result->predictions[i].throughput ==
			    usl_throughput(result->usl, at[i]));
		assert_same(result->predictions[i].curve,
			    usl_interval_of(result->intervals, USL_X, at[i]));
		assert_true(result->predictions[i].measured.low < result->predictions[i].curve.low);
	}
	for (enum usl_quantity i = USL_ALPHA; i <= USL_PEAK_X; i++)
		assert_same(result->parameters[i], usl_interval_of(result->intervals, i, 0));
	assert_int_equal(result->answers[0].count, 2);
	assert_true(result->changed[0].beta == 0 && result->changed[0].alpha == fitted.usl.alpha);
	assert_int_equal(result->suggestion->aim, USL_AIM_PEAK_N);
	assert_true(result->choice->candidates[USL_AMDAHL].fits);
	assert_close(result->share[FIT_USEFUL] + result->share[FIT_CONTENTION] +
			     result->share[FIT_COHERENCY],
		     1, 1e-12);
	fit_result_free(result);
	series_release(&fitted.series);
}

/* N_c is that of the full law, by the method of the fit if that has it. */
static void a_verdict_needs_the_full_law_for_every_fit(void **state)
{
	static const struct {
		struct fit_wish wish;
		bool of_the_fit;
	} cases[] = {
		{{.level = .95}, true},
		{{.level = .95, .bootstrap = {.refits = 199, .seed = 1}}, true},
		{{.level = .95, .form = {.model = USL_AMDAHL}}, false},
		{{.level = .95,
		  .form = {.model = USL_AMDAHL},
		  .bootstrap = {.refits = 199, .seed = 1}},
		 false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fitted fitted = fit_set("specsdm91", &cases[i].wish);
		struct fit_result *result = fit_make(&fitted, &cases[i].wish, true);

		if (cases[i].of_the_fit) {
			assert_same(result->full_peak_n, result->parameters[USL_PEAK_N]);
		} else {
			assert_true(isnan(result->parameters[USL_PEAK_N].low));
			assert_close(result->full_peak_n.low, 77.86, 1e-3);
		}
		assert_true(result->full_useful.low < result->full_useful.high);
		fit_result_free(result);
		series_release(&fitted.series);
	}
}

static void a_row_of_csv_needs_only_a_part(void **state)
{
	const struct fit_wish wish = {.level = .95, .loss = USL_LOSS_HUBER};
	struct fitted fitted = fit_set("specsdm91", &wish);
	struct fit_result *result = fit_make(&fitted, &wish, false);

	(void)state;
	assert_ptr_equal(result->robust, &fitted.robust);
	assert_true(result->diagnosis->points && isfinite(result->parameters[USL_ALPHA].high));
	assert_true(!result->choice && !result->predictions && !result->suggestion);
	fit_result_free(result);
	series_release(&fitted.series);
}

static void a_change_that_does_not_suit_the_fit_is_refused_with_its_text(void **state)
{
	struct usl_change changes[] = {{.text = "alpha=-1", .alpha = {USL_ADD, -1}}};
	const struct fit_wish wish = {.level = .95, .changes = changes, .change_count = 1};
	struct fitted fitted = {.series = fitting_read("specsdm91")};
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(fit_series(&fitted, &wish, &err), -1);
	assert_non_null(strstr(err.text, "--what-if alpha=-1: alpha would be -0.97"));
	series_release(&fitted.series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_whole_result_has_all_requested_parts),
	cmocka_unit_test(a_verdict_needs_the_full_law_for_every_fit),
	cmocka_unit_test(a_row_of_csv_needs_only_a_part),
	cmocka_unit_test(a_change_that_does_not_suit_the_fit_is_refused_with_its_text),
};

TEST_FILE(tests);
