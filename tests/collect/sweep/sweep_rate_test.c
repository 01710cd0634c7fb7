/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "base/io/files.h"
#include "collect/sweep/sweep_run.h"

#include <string.h>
#include <unistd.h>

/* The throughput of a run at N = 4 that took 2 s. */
static int take(double *throughput, const char *work, enum sweep_rate_kind kind,
		const char *pattern, const char *output, struct err *err)
{
	struct sweep_rate rate;
	int fd = scratch_file_open(err);
	const struct sweep_rate_run run = {.n = 4, .wall_ns = 2000000000, .output = fd};
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(scratch_file_write(fd, output, strlen(output), err), 0);
	rc = sweep_rate_init(&rate, work, kind, pattern, err);
	if (!rc)
		rc = sweep_rate_take(throughput, &rate, &run, err);
	sweep_rate_release(&rate);
	close(fd);
	return rc;
}

static void the_throughput_is_work_by_time_or_a_printed_number(void **state)
{
	static const struct {
		const char *work;
		enum sweep_rate_kind kind;
		const char *pattern, *output;
		double throughput;
	} cases[] = {
		{"1", SWEEP_RATE_WALL, NULL, "", .5},
		{"1000", SWEEP_RATE_WALL, NULL, "", 500},
		{"1000*n", SWEEP_RATE_WALL, NULL, "", 2000},
		{"2.5e9", SWEEP_RATE_WALL, NULL, "", 1.25e9},
		{"1", SWEEP_RATE_MATCH, "rate: ([0-9.]+)", "rate: 12.5\n", 12.5},
		{"1", SWEEP_RATE_MATCH, "rate: ([0-9.]+)", "rate: 1\nrate: 2\nthe rate: 3 or 4\n",
		 3},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)", "1 22 333", 333},
		{"1", SWEEP_RATE_MATCH, "^([0-9]+)", "1 22\n7 8", 7},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)$", "1 22\n7 8\r\n", 8},
		{"1", SWEEP_RATE_MATCH, "(a*)x|([0-9.e+]+) ops", "2e3 ops\n", -1},
		{"1", SWEEP_RATE_MATCH, "([0-9.e+]+) (k|M)?ops", "2.5e+3 Mops", 2500},
		{"1", SWEEP_RATE_MATCH, "^[0-9]+,([0-9]+),", "4,1234,9\n", 1234},
		{"1", SWEEP_RATE_MATCH, "at ([0-9]+)", "at 77, 88.\n", 77},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)", "it ran at 77.\n", 77},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)$", "run-8\n", 8},
		{"1", SWEEP_RATE_MATCH, "([0-9.]+)s", "8.5s e\n", 8.5},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)", "12 elements\n", 12},
		{"1", SWEEP_RATE_MATCH, "(1[0-9]*)", "10-12\n", 12},
		{"6", SWEEP_RATE_TIME, "took ([0-9.]+) s", "took 3 s\n", 2},
		{"6*n", SWEEP_RATE_TIME, "took ([0-9.]+) s", "took 3 s\n", 8},
		{"1", SWEEP_RATE_MATCH, "([0-9]*)", "12", -1}, /* the last match is empty */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double throughput = 0;
		struct err err;
		int rc = take(&throughput, cases[i].work, cases[i].kind, cases[i].pattern,
			      cases[i].output, &err);

		assert_int_equal(rc, cases[i].throughput > 0 ? 0 : -1);
		if (!rc)
			assert_close(throughput, cases[i].throughput, 1e-12);
	}
}

static void an_output_without_a_throughput_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *work;
		enum sweep_rate_kind kind;
		const char *pattern, *output, *sentence;
	} cases[] = {
		{"0", SWEEP_RATE_WALL, NULL, "", "--work 0: is not a number above 0"},
		{"-1", SWEEP_RATE_WALL, NULL, "", "--work -1"},
		{"n", SWEEP_RATE_WALL, NULL, "", "--work n"},
		{"5*m", SWEEP_RATE_WALL, NULL, "", "--work 5*m"},
		{"1", SWEEP_RATE_MATCH, "[0-9]+", "1", "put parentheses around the number"},
		{"1", SWEEP_RATE_MATCH, "([0-9]+", "1", "is not an extended regular expression"},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)", "none", "the pattern matches nothing"},
		{"1", SWEEP_RATE_MATCH, "=(.*)", "=1,234.5", "'1,234.5', which is not a number"},
		{"1", SWEEP_RATE_MATCH, "=(.*)", "=nan", "'nan', which is not a number"},
		{"1", SWEEP_RATE_MATCH, "=(.*)", "=0.0", "0.0, which is not above 0"},
		{"1", SWEEP_RATE_TIME, "=(.*)", "=-3", "-3, which is not above 0"},
		{"1", SWEEP_RATE_MATCH, "=([0-9.]+)", "=1,532\n", "'1,532', and the group"},
		{"1", SWEEP_RATE_MATCH, "=([0-9.]+)", "=1.5e+06\n", "'1.5e+06', and the"},
		{"1", SWEEP_RATE_MATCH, "([0-9.]+)", "1.5e+06\n", "matches only '06'"},
		{"1", SWEEP_RATE_MATCH, "([0-9]+)", "1,234.5 per s\n", "matches only '5'"},
		{"1", SWEEP_RATE_MATCH, "([0-9]+) ops", "12.5 ops", "'12.5', and the group"},
		{"1", SWEEP_RATE_TIME, "took: *([0-9]+)", "took: 3.25 s", "'3.25', and the group"},
		{"1", SWEEP_RATE_MATCH, "([0-9.]+)", "rate: -5", "'-5', and the group"},
		{"1", SWEEP_RATE_MATCH, "=(.*)", "=\033[31m", "'?[31m', which is not a number"},
		{"1e308", SWEEP_RATE_TIME, "=(.*)", "=1e-9", "too large"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double throughput;
		struct err err = {.text = ""};

		assert_int_equal(take(&throughput, cases[i].work, cases[i].kind, cases[i].pattern,
				      cases[i].output, &err),
				 -1);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("case %zu: %s", i, err.text);
	}
}

static bool is_called_twice(void *context)
{
	int *calls = context;

	return ++*calls == 2;
}

static void a_long_search_can_be_given_up(void **state)
{
	int calls = 0;
	struct err err;
	struct sweep_rate rate;
	double throughput;
	struct sweep_rate_run run = {
		.n = 1, .output = scratch_file_open(&err), .give_up = is_called_twice};

	(void)state;
	run.context = &calls;
	assert_int_equal(sweep_rate_init(&rate, "1", SWEEP_RATE_MATCH, "last ([0-9])", &err), 0);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(scratch_file_write(run.output, "a line\n", 7, &err), 0);
	assert_int_equal(scratch_file_write(run.output, "last 1\n", 7, &err), 0);
	assert_int_equal(sweep_rate_take(&throughput, &rate, &run, &err), -1);
	assert_int_equal(calls, 2);
	sweep_rate_release(&rate);
	close(run.output);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_throughput_is_work_by_time_or_a_printed_number),
	cmocka_unit_test(an_output_without_a_throughput_is_refused_with_a_reason),
	cmocka_unit_test(a_long_search_can_be_given_up),
};

TEST_FILE(tests);
