/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/err.h"
#include "fit/fit_result.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { POINTS = 12 };

static const struct {
	struct series_point points[POINTS];
	size_t count;
	double level;
	const char *verdict; /* its beginning */
} cases[] = {
	/* clang-format off */
	/* SPEC SDM91 */
	{{{1, 64.9}, {18, 995.9}, {36, 1652.4}, {72, 1853.2}, {108, 1828.9}, {144, 1775}, {216, 1702.2}}, 7, .95,
	 "Throughput peaks at N = 97 (95 %: 78 to 157), with 1884 (1748 to 2031)."},
	{{{1, 20}, {4, 78}, {8, 130}, {12, 170}, {16, 190}, {20, 200}}, 6, .95,
	 "Throughput peaks at N = 24 (95 %: 20 to 36), beyond the largest N measured (20), with "},
	/* The same points at a higher level. */
	{{{1, 20}, {4, 78}, {8, 130}, {12, 170}, {16, 190}, {20, 200}}, 6, .995,
	 "These points do not tell whether throughput peaks above N = 18 or levels off at 334. Measure N > 20."},
	/* About alpha = .1, gamma = 10, whose limit is 100. */
	{{{1, 10}, {2, 18.2}, {4, 30.7}, {8, 47.5}, {16, 63.6}, {32, 78.2}}, 6, .95,
	 "These points do not tell whether throughput peaks above N = 67 or levels off at 99.9. "},
	{{{1, 10}, {2, 20.1}, {4, 39.8}, {8, 80.3}, {16, 159.5}, {32, 320.4}}, 6, .95,
	 "No limit shows up to N = 32: the curve loses 0 % there. Measure N > 32 to tell linear scaling from a limit."},
	{{{1, 10}, {2, 20}, {4, 40}, {8, 80}}, 4, .95, "No limit shows up to N = 8: "},
	/* The curve starts above the first point, and the table of parameters says "23 % lost". */
	{{{1, 100}, {2, 150}, {4, 300}, {8, 520}}, 4, .95,
	 "No limit is certain up to N = 8: the curve loses 23 % there. Measure N > 8 to tell "},
	{{{1, 100}, {2, 212}, {4, 450}, {8, 1010}, {16, 2192}}, 5, .95,
	 "Throughput grows faster than N (superlinear): efficiency is 137 % at N = 16. No limit shows up to N = 16."},
	/* Without a point at N = 1. */
	{{{2, 200}, {4, 410}, {8, 870}, {16, 1900}}, 4, .95,
	 "Throughput grows faster than N (superlinear): efficiency is 102 % at N = 16."},
	/* On a curve with alpha = -.02. */
	{{{1, 100}, {2, 200 / .98}, {4, 400 / .94}, {8, 800 / .86}}, 4, .95,
	 "Throughput grows faster than N (superlinear): efficiency is 116 % at N = 8."},
	/* A peak at 16.2, which is shown as 16, and 16 was measured. */
	{{{1, 99.9}, {2, 181.4}, {4, 305.5}, {8, 440.3}, {12, 487.7}, {16, 503.1}}, 6, .95,
	 "Throughput peaks at N = 16 (95 %: 15 to 17), the largest N measured, with 50"},
	{{{1, 10}, {2, 8.1}, {4, 6.2}, {8, 3.9}, {16, 2.2}}, 5, .95, "Throughput falls from the first N on."},
	{{{1, 10}, {2, 10}, {4, 10}, {8, 10}}, 4, .95, "Throughput is the same at all N: 10."},
	{{{1, 10.1}, {2, 9.9}, {4, 10.05}, {8, 9.97}, {16, 10.02}, {32, 10}}, 6, .95,
	 "Throughput falls from the first N on; growth at first is possible, too."},
	{{{1, 9.8}, {2, 9.9}, {4, 7.7}, {8, 5.8}, {16, 4.2}, {32, 2.5}}, 6, .95,
	 "Throughput peaks at N = 1.1, with "},
	{{{1, 10}, {2, 9}, {4, 13}, {8, 12}, {16, 14}}, 5, .95,
	 "These points do not tell whether throughput peaks or levels off at 13.7. Measure N > 16."},
	/* Known to half a percent, which is less than one N. */
	{{{1, 20}, {2, 37.6}, {4, 69}, {8, 114.6}, {16, 166}, {32, 188.2}, {64, 167}}, 7, .95,
	 "Throughput peaks at N = 32.4 (95 %: 31.8 to 33.2), with 18"},
	{{{1, 10}, {2, 18}, {4, 28}}, 3, .95, "No error estimate: the curve has as many parameters as there are points. Measure at more N."},
	{{{1, 10}, {2, 18}, {2, 19}}, 3, .95, "Too few different N to tell what limits throughput: measure at three or more, beginning with 1."},
	{{{1, 20}, {4, 78}, {8, 133}, {12, 170}}, 4, .2,
	 "Throughput peaks at N = 24 (20 %: 22 to 26), extrapolated beyond twice the largest N measured (12), with "},
	/* Eight cores with two threads each. */
	{{{1, 100}, {2, 198}, {3, 295}, {4, 391}, {5, 484}, {6, 577}, {8, 761}, {10, 770}, {12, 808}, {14, 843}, {16, 881}, {20, 950}}, 12, .95,
	 "Throughput peaks at N = 19 (95 %: 16 to 40), with "},
	/* Each N twice, far from the curve. */
	{{{1, 10}, {1, 10.1}, {2, 18}, {2, 18.1}, {4, 40}, {4, 40.1}, {8, 47}, {8, 47.1}, {16, 50}, {16, 50.1}}, 10, .95,
	 "Throughput peaks at N = 11 (95 %: 9.2 to 19), with "},
	{{{1, 10}, {2, 19.4}, {3, 28}, {4, 35.4}, {6, 48.9}, {8, 47.5}, {12, 75.5}, {16, 86.1}, {24, 96.2}, {32, 98.4}}, 10, .95,
	 "These points do not tell whether throughput peaks above N = 24 or levels off at 142. Measure N > 32."},
	/* clang-format on */
};

static void a_verdict_tells_its_certainty(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_point points[POINTS];
		struct fitted fitted = {.series = {.points = points, .count = cases[i].count}};
		struct fit_wish wish = {.level = cases[i].level};
		struct fit_result *result;
		struct err err;
		char *verdict;

		memcpy(points, cases[i].points, sizeof(points));
		if (fit_series(&fitted, &wish, &err)) {
			wish.form.model = USL_AMDAHL;
			assert_int_equal(fit_series(&fitted, &wish, &err), 0);
		}
		result = fit_make(&fitted, &wish, true);
		verdict = fit_verdict(result);
		fit_result_free(result);
		if (strncmp(verdict, cases[i].verdict, strlen(cases[i].verdict)) != 0)
			fail_msg("'%s' is not '%s'", verdict, cases[i].verdict);
		free(verdict);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_verdict_tells_its_certainty),
};

TEST_FILE(tests);
