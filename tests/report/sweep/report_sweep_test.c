/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sweep/report_sweep.h"

#include "base/err.h"
#include "report/report.h"
#include "stats/series/series_sweep.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct series_level level_of(double n, double throughput, double least, double most)
{
	return (struct series_level){.n = n,
				     .runs = 3,
				     .throughput = throughput,
				     .least = least,
				     .most = most,
				     .speedup = throughput / 100,
				     .wall_s = 1,
				     .cpu_s = n,
				     .inflation = 1,
				     .cpus = n,
				     .others = NAN};
}

static void describe(char *text, size_t size, const struct series_sweep *sweep)
{
	const char *path = file_with("", 0);
	struct err err;
	struct report *report = report_open(path, REPORT_TEXT, &err);
	size_t length;
	FILE *file;

	assert_non_null(report);
	report_sweep(report, sweep);
	assert_int_equal(report_finish(report, 0, &err), 0);
	file = fopen(path, "re");
	assert_non_null(file);
	length = fread(text, 1, size - 1, file);
	fclose(file);
	text[length] = '\0';
	for (char *c = text; (c = strchr(c, '\n'));)
		*c = ' ';
}

static const struct {
	size_t count, best, widest;
	double others, full_n;
	const char *said, *not_said;
} cases[] = {
	{3, 2, 0, .05, NAN, "Throughput is highest at N = 4: 350, 3.50x that of N = 1.", "!"},
	{1, 0, 0, NAN, NAN, "Throughput at N = 1 is 100, the median of 3 runs.", "!"},
	{3, 0, 0, NAN, NAN, "Throughput is highest at N = 1 (100); at N = 4 it is 3.50x that.",
	 "!"},
	{3, 2, 1, NAN, NAN, "! Runs at N = 2 differ by a factor of 2.00: repeat", "busy"},
	{3, 2, 0, 1.7, NAN, "! Other programs used up to 1.7 CPUs", "busy"},
	{3, 2, 0, NAN, 2, "! All 2 CPUs are busy from N = 2 on: beyond it threads wait for a CPU. ",
	 "Other programs used"},
	{3, 2, 0, NAN, 4, "! All 2 CPUs are busy from N = 4 on. ", "wait for a CPU"},
	{3, 2, 0, 1.7, 2, "from N = 2 on, 1.7 by other programs: use an idle", "! Other programs"},
};

static void a_sweep_tells_its_best_n_and_its_disturbances(void **state)
{
	const struct series_level levels[] = {level_of(1, 100, 99, 101), level_of(2, 190, 100, 200),
					      level_of(4, 350, 350, 350)};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_level copy[COUNT(levels)];
		struct series_sweep sweep = {.levels = copy,
					     .count = cases[i].count,
					     .best = cases[i].best,
					     .widest = cases[i].widest,
					     .others = cases[i].others,
					     .full_n = cases[i].full_n,
					     .cpus = 2};
		char text[4096];

		memcpy(copy, levels, sizeof(copy));
		describe(text, sizeof(text), &sweep);
		if (!strstr(text, cases[i].said))
			fail_msg("no '%s' in: %s", cases[i].said, text);
		if (strstr(text, cases[i].not_said))
			fail_msg("'%s' in: %s", cases[i].not_said, text);
	}
}

static void cpu_time_beyond_the_work_is_reported(void **state)
{
	static const struct {
		double inflation;
		const char *said;
	} told[] = {{1.2, NULL},
		    {.85, NULL},
		    {NAN, NULL},
		    {3.8, "! CPU time grows with N (1.00 s at N = 1, 4.00 s at N = 4): try"},
		    {1.5, "! The same work takes 1.50x the CPU time at N = 4 of that at N = 1:"},
		    {.5, "! CPU time grows less than the work (1.00 s at N = 1, 4.00 s at"}};

	(void)state;
	for (size_t i = 0; i < COUNT(told); i++) {
		struct series_level levels[] = {level_of(1, 100, 99, 101),
						level_of(4, 350, 350, 350)};
		const struct series_sweep sweep = {
			.levels = levels, .count = 2, .best = 1, .inflated = 1, .full_n = NAN};
		char text[4096];

		levels[1].inflation = told[i].inflation;
		describe(text, sizeof(text), &sweep);
		if (told[i].said ? !strstr(text, told[i].said) : !!strchr(text, '!'))
			fail_msg("%g: %s", told[i].inflation, text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cpu_time_beyond_the_work_is_reported),
	cmocka_unit_test(a_sweep_tells_its_best_n_and_its_disturbances),
};

TEST_FILE(tests);
