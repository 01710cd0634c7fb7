/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "base/err.h"
#include "fit/fit_result.h"
#include "fit/fitting.h"
#include "report/report.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text about a fit, with blanks for newlines. */
static void describe(char *text, size_t size, const struct usl *usl, const struct series *series,
		     enum report_format format)
{
	const struct fit_wish wish = {.form = usl->form, .level = .95};
	const struct fitted fitted = {.series = *series, .usl = *usl};
	struct fit_result *result = fit_make(&fitted, &wish, true);
	const char *path = file_with("", 0);
	struct err err;
	struct report *report = report_open(path, format, &err);
	FILE *file;
	size_t length;

	assert_non_null(report);
	report_fit(report, result, false);
	report_fit_next(report, result);
	assert_int_equal(report_finish(report, 0, &err), 0);
	fit_result_free(result);
	file = fopen(path, "re");
	assert_non_null(file);
	length = fread(text, 1, size - 1, file);
	fclose(file);
	text[length] = '\0';
	for (char *c = text; (c = strchr(c, '\n'));)
		*c = ' ';
}

static const struct {
	const char *what; /* part of the text */
	struct usl_form form;
	struct series_point points[5];
} laws[] = {
	{"100 % useful", {.model = USL_FULL}, {{1, 5}, {2, 10}, {4, 20}, {8, 40}, {16, 80}}},
	/* alpha = 1/4: D = 4.75 at 16 */
	{"79 % lost (79 to 79)",
	 {.model = USL_AMDAHL},
	 {{1, 10}, {2, 16}, {4, 160. / 7}, {8, 320. / 11}, {16, 640. / 19}}},
	{"21 % useful (21 to 21)",
	 {.model = USL_AMDAHL},
	 {{1, 10}, {2, 16}, {4, 160. / 7}, {8, 320. / 11}, {16, 640. / 19}}},
	{"next: pscal record -- COMMAND; pscal forecast --why  # at N = 16",
	 {.model = USL_AMDAHL},
	 {{1, 10}, {2, 16}, {4, 160. / 7}, {8, 320. / 11}, {16, 640. / 19}}},
	/* beta = 1/100: D = 3.4 at 16 */
	{"71 % lost (71 to 71)",
	 {.model = USL_FULL},
	 {{1, 10}, {2, 20 / 1.02}, {4, 40 / 1.12}, {8, 80 / 1.56}, {16, 160 / 3.4}}},
	{"next: perf c2c record",
	 {.model = USL_FULL},
	 {{1, 10}, {2, 20 / 1.02}, {4, 40 / 1.12}, {8, 80 / 1.56}, {16, 160 / 3.4}}},
	/* alpha = -.05, beta = .01: D = 1 again at 5 */
	{"! alpha is negative: throughput grows faster than N up to N = 5.",
	 {.model = USL_FULL, .unbounded = true},
	 {{1, 10}, {2, 20 / .97}, {4, 40 / .97}, {8, 80 / 1.21}, {16, 160 / 2.65}}},
	/* alpha = .3, beta = -.01 */
	{"which is no possible cost",
	 {.model = USL_FULL, .unbounded = true},
	 {{1, 10}, {2, 20 / 1.28}, {4, 40 / 1.78}, {8, 80 / 2.54}, {16, 160 / 3.1}}},
};

static void each_sign_of_the_parameters_has_its_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(laws); i++) {
		struct series_point points[COUNT(laws[i].points)];
		struct series series = {.points = points, .count = COUNT(points)};
		char text[16384];
		struct usl usl;

		memcpy(points, laws[i].points, sizeof(points));
		usl = fitting_fit_form(&series, &laws[i].form);
		describe(text, sizeof(text), &usl, &series, REPORT_TEXT);
		if (!strstr(text, laws[i].what))
			fail_msg("no '%s' in: %s", laws[i].what, text);
	}
}

static void the_shares_are_those_of_the_terms_and_sum_to_1(void **state)
{
	static const char *const sets[] = {"specsdm91", "raytracer6", "cisco", "seed_table4"};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct series series = fitting_read(sets[i]);
		struct usl usl = fitting_fit(&series, USL_FULL);
		double n, useful, contention, coherency, low, high;
		char text[65536];
		const char *meaning;

		describe(text, sizeof(text), &usl, &series, REPORT_JSON);
		meaning = strstr(text, "\"meaning\"");
		assert_non_null(meaning);
		assert_int_equal(sscanf(meaning,
					"\"meaning\": { \"n\": %lf, \"useful_share\": %lf, "
					"\"useful_share_low\": %lf, \"useful_share_high\": %lf, "
					"\"contention_share\": %lf, \"contention_share_low\": %*f, "
					"\"contention_share_high\": %*f, \"coherency_share\": %lf",
					&n, &useful, &low, &high, &contention, &coherency),
				 6);
		assert_close(n, usl.largest_n, 1e-15);
		assert_close(useful, usl_throughput(&usl, n) / (n * usl.gamma), 1e-12);
		assert_close(contention, useful * usl.alpha * (n - 1), 1e-12);
		assert_close(useful + contention + coherency, 1, 1e-12);
		assert_true(low < useful && useful < high);
		series_release(&series);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_sign_of_the_parameters_has_its_words),
	cmocka_unit_test(the_shares_are_those_of_the_terms_and_sum_to_1),
};

TEST_FILE(tests);
