/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "fit/usl/usl_compare.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The p-values of alpha, of beta, of gamma, and of alpha and beta together. */
static const struct {
	double alpha, beta, gamma, both;
	const char *verdict;
} cases[] = {
	{.004, .5, .5, .01,
	 "Contention (alpha) fell from 0.028 to 0.011 (p = 0.004); coherency (beta): no "
	 "significant change (p = 0.5)."},
	{.5, 1e-9, .5, .01,
	 "Contention (alpha): no significant change (p = 0.5); coherency (beta) rose from 0.0001 "
	 "to "
	 "0.0002 (p < 1e-06)."},
	{.2, .3, .01, .01,
	 "Contention (alpha): no significant change (p = 0.2); coherency (beta): no significant "
	 "change (p = 0.3). Together alpha and beta changed (p = 0.01); the points do not "
	 "show which one."},
	{.2, .3, .01, .06,
	 "Contention (alpha): no significant change (p = 0.2); coherency (beta): no significant "
	 "change (p = 0.3)."},
	{.04, NAN, .01, NAN, "Contention (alpha) fell from 0.028 to 0.011 (p = 0.04)."},
	{NAN, NAN, .01, NAN, "The throughput of one (gamma) rose from 10 to 12 (p = 0.01)."},
	{NAN, NAN, NAN, NAN,
	 "No error estimate: one of the curves has as many parameters as there are points. Measure "
	 "at more N."},
};

static void verdicts_name_the_changes_and_their_certainty(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct usl_comparison comparison = {
			.changes =
				{
					[USL_ALPHA] = {.a = .028, .b = .011, .p = cases[i].alpha},
					[USL_BETA] = {.a = .0001, .b = .0002, .p = cases[i].beta},
					[USL_GAMMA] = {.a = 10, .b = 12, .p = cases[i].gamma},
				},
			.p = cases[i].both,
		};
		char *verdict = report_compare_verdict(&comparison, .95);

		assert_string_equal(verdict, cases[i].verdict);
		free(verdict);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(verdicts_name_the_changes_and_their_certainty),
};

TEST_FILE(tests);
