/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/err.h"
#include "stats/series/reading.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each second at `n`: no work in the first ten, then 10 n, as a count and as a total. */
static void add_run(char *text, size_t *second, size_t *total, size_t n, size_t seconds)
{
	for (size_t i = 0; i < seconds; i++) {
		size_t count = i < 10 ? 0 : 10 * n + i % 2;

		*total += count;
		sprintf(text + strlen(text), "%zu,%zu,%zu,%zu,%zu\n", ++*second, n, count, count,
			*total);
	}
}

static char *make_log(void)
{
	char *text = calloc(1, 1 << 14);
	size_t second = 0, total = 0;

	assert_non_null(text);
	strcpy(text, "s,n,rate,count,total\n");
	add_run(text, &second, &total, 1, 60);
	add_run(text, &second, &total, 4, 40);
	add_run(text, &second, &total, 1, 52);
	return text;
}

static void each_run_gives_the_mean_over_its_steady_window(void **state)
{
	static const struct {
		enum quantity quantity;
		const char *column;
		double from, to;
		size_t cut_start, cut_end; /* of the first */
	} cases[] = {
		{QUANTITY_THROUGHPUT, "rate", 11, 60, 10, 0},
		/* The first row has no row before it. */
		{QUANTITY_COUNT, "count", 12, 56, 11, 4},
		{QUANTITY_TOTAL, "total", 12, 56, 11, 4},
	};
	char *text = make_log();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.from_log = true,
						 .columns = {{QUANTITY_TIME, "s"},
							     {QUANTITY_N, "n"},
							     {cases[i].quantity, cases[i].column}},
						 .column_count = 3};
		struct series series;
		struct err err = {.text = ""};

		if (reading_text(&series, text, &request, &err))
			fail_msg("%s", err.text);
		assert_int_equal(series.count, 3);
		assert_close(series.points[0].n, 1, 0);
		assert_close(series.points[0].throughput, 10.5, .01);
		assert_close(series.points[1].n, 4, 0);
		assert_close(series.points[1].throughput, 40.5, .01);
		assert_close(series.points[2].n, 1, 0);
		assert_close(series.points[2].throughput, 10.5, .01);
		assert_close(series.windows[0].from, cases[i].from, 0);
		assert_close(series.windows[0].to, cases[i].to, 0);
		assert_int_equal(series.windows[0].rows, 60);
		assert_int_equal(series.windows[0].cut_start, cases[i].cut_start);
		assert_int_equal(series.windows[0].cut_end, cases[i].cut_end);
		assert_int_equal(series.windows[1].rows, 40);
		series_release(&series);
	}
	free(text);
}

/* Rows of 1 s and of 3 s, with 10 for each second. */
static void uneven_intervals_count_by_their_length(void **state)
{
	static const char text[] = "time_ms,n,completions\n0,2,7\n1000,2,10\n4000,2,30\n"
				   "5000,2,10\n5500,2,7\n5600,2,0\n6000,2,3\n7000,3,1\n8000,3,5\n";
	struct series_request request = {.from_log = true};
	struct series series;
	struct err err = {.text = ""};

	(void)state;
	if (reading_text(&series, text, &request, &err))
		fail_msg("%s", err.text);
	assert_int_equal(series.count, 2);
	/* Five of six intervals are the batch. */
	assert_close(series.points[0].throughput, 57 / 5.6, 1e-14);
	assert_close(series.points[1].throughput, 5, 1e-15);
	assert_close(series.windows[0].to, 5.6, 1e-15);
	series_release(&series);
}

static void a_contradicting_log_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"time,n,total\n1,1,5\n1,1,9\n", ":3: column 1 ('time'): the time does not grow"},
		{"time,n,total\n2,1,5\n1,1,9\n", ":3: column 1 ('time'): the time does not grow"},
		{"time,n,total\n1,1,5\n2,1,4\n", ":3: column 3 ('total'): the total falls from 5"},
		{"time,n,count\n1,1,5\n2,1,-4\n", "the count must not be below 0, as -4 is"},
		{"time,n,count\n1,1,5\n2,2,4\n3,2,4\n", ":2: column 2 ('n'): N = 1"},
		{"time,n,count\n1,1,5\n2,1,0\n",
		 ":3: column 3 ('count'): the steady window at N = 1 ends here"},
		{"time,n,count\n0,1,5\n1e-320,1,5\n", ":3: column 3 ('count'): the throughput"},
		{"time,n,throughput\n1,0,5\n", ":2: column 2 ('n'): N must be above 0"},
		{"time,n,throughput\n10:04:22,1,5\n", "'10:04:22' is not a number"},
		{"time,n,count\n1.7e12,1,5\n1.8e12,1,5\n",
		 ":2: column 1 ('time'): 1700000000000 s is the year"},
		{"n,count\n1,5\n", "the header names no time of each row"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.from_log = true};
		struct series series;
		struct err err = {.text = ""};

		assert_int_equal(reading_text(&series, cases[i].text, &request, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
	}
}

static void numbers_that_never_fall_are_refused_as_counts(void **state)
{
	struct series_request request = {.from_log = true};
	char text[1000] = "time,n,completions\n";
	struct series series;
	struct err err = {.text = ""};

	(void)state;
	for (int i = 0; i < 30; i++)
		sprintf(text + strlen(text), "%d,%d,%d\n", i, 1 + i / 15, 100 * i);
	assert_int_equal(reading_text(&series, text, &request, &err), -1);
	assert_non_null(strstr(err.text, "column 3 never falls, as a total does; use "
					 "--columns time:T,n:N,total:3"));
	series_release(&series);
}

static void windows_without_an_error_give_no_weights(void **state)
{
	struct series_request request = {.from_log = true, .weighting = WEIGHTS_STEADY};
	struct series series;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(reading_text(&series, "n,throughput\n1,5\n2,8\n", &request, &err), -1);
	assert_non_null(strstr(err.text, "the window at N = 1 has no error estimate"));
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_run_gives_the_mean_over_its_steady_window),
	cmocka_unit_test(uneven_intervals_count_by_their_length),
	cmocka_unit_test(a_contradicting_log_is_refused),
	cmocka_unit_test(numbers_that_never_fall_are_refused_as_counts),
	cmocka_unit_test(windows_without_an_error_give_no_weights),
};

TEST_FILE(tests);
