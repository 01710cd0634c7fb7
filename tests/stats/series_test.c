/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series.h"

#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The caller releases the series whatever is returned. */
static int read_text(struct series *series, const char *text, struct err *err)
{
	struct input *input = input_open(file_with(text, strlen(text)), err);
	struct csv_table *table;
	int rc;

	assert_non_null(input);
	table = csv_table_read(input, err);
	assert_non_null(table);
	rc = series_read(series, table, err);
	csv_table_free(table);
	input_close(input);
	return rc;
}

/* Each text holds the points (2, 30) and (4, 50). */
static void columns_are_found_by_name_or_position(void **state)
{
	static const char *const texts[] = {
		"2,30\n4,50\n",
		"n,throughput\n2,30\n4,50\n",
		"throughput,n\n30,2\n50,4\n",
		"Threads,TPUT\n2,30\n4,50\n",
		"host,cores,seconds,rate\na,2,1,30\nb,4,1,50\n",
		"ops,processors\n30,2\n50,4\n",
		"load,throughput\n2,30\n4,50\n",
		"concurrency,ops\n2,30\n4,50\n",
		"N,C\n2,30\n4,50\n",
		"x,y\n2,30\n4,50\n",
		"y,x\n30,2\n50,4\n",
		"N,X\n2,30\n4,50\n",
		"X,N\n30,2\n50,4\n",
		"x,ops/s\n2,30\n4,50\n",
		"users,X\n2,30\n4,50\n",
		"users,requests\n2,30\n4,50\n",
		"users,requests,errors\n2,30,0\n4,50,0\n",
		"users,throughput\n2,30\n4,50\n",
		"requests,threads\n30,2\n50,4\n",
		"n,c,throughput\n2,1.9,30\n4,3.2,50\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct series series;
		struct err err = {""};

		if (read_text(&series, texts[i], &err))
			fail_msg("%s: %s", texts[i], err.text);
		assert_int_equal(series.count, 2);
		assert_close(series.points[0].n, 2, 0);
		assert_close(series.points[0].throughput, 30, 0);
		assert_close(series.points[1].n, 4, 0);
		assert_close(series.points[1].throughput, 50, 0);
		series_release(&series);
	}
}

static void bad_points_are_told_with_file_line_and_column(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{"n,throughput\n1,20\n0,30\n", ":3: column 1: N must be above 0, not 0"},
		{"throughput,n\n20,1\n30,-4\n", ":3: column 2: N must be above 0, not -4"},
		{"1,20\n2,0\n", ":2: column 2: the throughput must be above 0, not 0"},
		{"1,20\n2,-3\n", ":2: column 2: the throughput must be above 0, not -3"},
		{"n,throughput\n1,fast\n", ":2: column 2 ('throughput'): 'fast' is not a number"},
		{"n,throughput\n1,nan\n", ":2: column 2 ('throughput'): 'nan' is not a number"},
		{"n,throughput\n1,inf\n", ":2: column 2 ('throughput'): 'inf' is not a number"},
		{"n,throughput\n1\n", ":2: column 2 ('throughput'): there is no number"},
		{"1,20\n2x,30\n", ":2: column 1: '2x' is not a number"},
		{"n;throughput\n1;20,500\n",
		 ":2: column 2 ('throughput'): '20,500' is not a number"},
		{"1,20,5\n2,39,1\n", ":1: there are 3 columns and no header"},
		{"1\n2\n", ":1: there is one column"},
		{"n,a,b\n1,2,3\n", "does not say which column is the throughput; call it"},
		{"a,b,ops\n1,2,3\n", "does not say which column is the number of threads; call"},
		{"n,throughput\n", ": holds a header and no points"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series;
		struct err err = {""};

		assert_int_equal(read_text(&series, cases[i].text, &err), -1);
		if (!strstr(err.text, cases[i].why) || strncmp(err.text, "/tmp/", 5) != 0)
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
	}
}

static void replicates_count_as_one_n(void **state)
{
	struct series series;
	struct err err;

	(void)state;
	assert_int_equal(read_text(&series, "8,1\n1,2\n8,3\n2.5,4\n1,5\n", &err), 0);
	assert_int_equal(series.count, 5);
	assert_int_equal(series_distinct(&series), 3);
	assert_close(series_max_n(&series), 8, 0);
	series_release(&series);
}

static void distinct_n_are_counted_however_many(void **state)
{
	static const size_t counts[] = {1, 2, 511, 512, 513, 514, 5000};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		struct series series = {.count = 3 * counts[i]};

		series.points = calloc(series.count, sizeof(*series.points));
		assert_non_null(series.points);
		for (size_t k = 0; k < series.count; k++)
			series.points[k].n = .1 * (double)(k % counts[i] + 1);
		assert_int_equal(series_distinct(&series), counts[i]);
		series_release(&series);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_name_or_position),
		cmocka_unit_test(bad_points_are_told_with_file_line_and_column),
		cmocka_unit_test(replicates_count_as_one_n),
		cmocka_unit_test(distinct_n_are_counted_however_many),
	};

	return RUN_TESTS(tests);
}
