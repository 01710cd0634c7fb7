/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/err.h"
#include "stats/series/reading.h"
#include "support.h"
#include "table_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
		"users,throughput\n2,30\n4,50\n",
		"requests,threads\n30,2\n50,4\n",
		"n,c,throughput\n2,1.9,30\n4,3.2,50\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct series series;
		struct err err = {.text = ""};

		if (reading_text(&series, texts[i], NULL, &err))
			fail_msg("%s: %s", texts[i], err.text);
		assert_int_equal(series.count, 2);
		assert_close(series.points[0].n, 2, 0);
		assert_close(series.points[0].throughput, 30, 0);
		assert_close(series.points[1].n, 4, 0);
		assert_close(series.points[1].throughput, 50, 0);
		series_release(&series);
	}
}

static void bad_points_are_reported_with_file_line_and_column(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{"n,throughput\n1,20\n0,30\n", ":3: column 1 ('n'): N must be above 0, not 0"},
		{"throughput,n\n20,1\n30,-4\n", ":3: column 2 ('n'): N must be above 0, not -4"},
		{"1,20\n2,0\n", ":2: column 2: the throughput must be above 0, not 0"},
		{"1,20\n2,-3\n", ":2: column 2: the throughput must be above 0, not -3"},
		{"n,throughput\n1,fast\n", ":2: column 2 ('throughput'): 'fast' is not a number"},
		{"n,throughput\n1,nan\n", ":2: column 2 ('throughput'): 'nan' is not a number"},
		{"n,throughput\n1,inf\n", ":2: column 2 ('throughput'): 'inf' is not a number"},
		{"n,throughput\n1\n", ":2: column 2 ('throughput'): there is no number"},
		{"1,20\n2x,30\n", ":2: column 1: '2x' is not a number"},
		{"n;throughput\n1;20,500\n",
		 ":2: column 2 ('throughput'): '20,500' is not a number"},
		{"1,20,5\n2,39,1\n", ":1: 3 columns and no header"},
		{"1\n2\n", ":1: one column"},
		{"n,a,b\n1,2,3\n", "the header names no throughput; name its column"},
		{"a,b,ops\n1,2,3\n", "the header names no number of threads; name"},
		{"users,requests,errors\n2,30,0\n", "the header names no throughput"},
		{"a,b,c\n2,30,0\n", "the header names no number of threads; name"},
		{"n,throughput\n", ": has a header and no points"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series;
		struct err err = {.text = ""};

		assert_int_equal(reading_text(&series, cases[i].text, NULL, &err), -1);
		if (!strstr(err.text, cases[i].why) || strncmp(err.text, "/tmp/", 5) != 0)
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
	}
}

/* Files that people and programs write, and rows that are no measurement: (1, 10), (2, 18.5), (4,
 * 31). */
static void unusual_files_are_read_or_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;	 /* 0: length of the string */
		const char *why; /* NULL: the file is read */
	} cases[] = {
		/* Read files. */
		{"\xef\xbb\xbfn,throughput\n1,10\n2,18.5\n4,31\n", 0, NULL},
		{"n,throughput\r\n1,10\r\n2,18.5\r\n4,31\r\n", 0, NULL},
		{"n,throughput\r1,10\r2,18.5\r4,31", 0, NULL},
		{"n;throughput\n1;10\n2;18.5\n4;31\n", 0, NULL},
		{"n;throughput\n1;10\n2;18,5\n4;31\n", 0, NULL},
		{"n;throughput\n1,0;10,0\n2,0;18,5\n4,0;31,0\n", 0, NULL},
		{"n\tthroughput\n1\t10\n2\t18.5\n4\t31\n", 0, NULL},
		{"n\tthroughput\n1\t10\n2\t18,5\n4\t31\n", 0, NULL},
		{"\"n\",\"throughput\"\n\"1\",\"10\"\n\"2\",\"18.5\"\n\"4\",\"31\"\n", 0, NULL},
		{"\"n\";\"throughput\"\n\"1\";\"10\"\n\"2\";\"18,5\"\n4;31\n", 0, NULL},
		{"# of today\nn,throughput\n\n1,10\n# and\n2,18.5\n\n4,31\n\n", 0, NULL},
		{"n,throughput,\n1,10,\n2,18.5,,\n4,31\n", 0, NULL},
		{" n , throughput \n 1 , 10 \n 2 ,\t18.5\n4, 31", 0, NULL},
		{"n,throughput\n1,1e1\n2,1.85E+1\n4,+31\n", 0, NULL},
		{"n,throughput\n1,10.0000000000000000000000000\n2.0,18.5\n004,31.\n", 0, NULL},
		{"n   throughput\n1 10\n 2\t18.5 \n4  31", 0, NULL},
		/* Refused files. */
		{"n,throughput\n1,ten\n", 0, ":2: column 2 ('throughput'): 'ten' is not a number"},
		{"n,throughput\n1,10\n2\n", 0, ":3: column 2 ('throughput'): there is no number"},
		{"n,throughput\n1,10\n,18.5\n", 0, ":3: column 1 ('n'): there is no number"},
		{"n,throughput\n0,10\n", 0, ":2: column 1 ('n'): N must be above 0, not 0"},
		{"n,throughput\n-0,10\n", 0, ":2: column 1 ('n'): N must be above 0, not -0"},
		{"n,throughput\n1,-10\n", 0, "the throughput must be above 0, not -10"},
		{"n,throughput\n1,1e-999\n", 0, "the throughput must be above 0, not 0"},
		{"n,throughput\n1,nan\n", 0, ":2: column 2 ('throughput'): 'nan' is not a number"},
		{"n,throughput\n1,-NaN\n", 0, "'-NaN' is not a number"},
		{"n,throughput\n1,inf\n", 0, "'inf' is not a number"},
		{"n,throughput\nInfinity,1\n", 0, "'Infinity' is not a number"},
		{"n,throughput\n1,1e309\n", 0, "'1e309' is not a number"},
		{"n,throughput\n1,1e308\n", 0,
		 ":2: column 2 ('throughput'): a throughput of 1e+308 is too large"},
		{"n,throughput\n1,1e-308\n", 0, "a throughput of 1e-308 is too small"},
		{"n,throughput\n1,4e-320\n", 0, "a throughput of 3.99996e-320 is too small"},
		{"n,throughput\n1e308,1\n", 0,
		 ":2: column 1 ('n'): an N of 1e+308 is too large; give it in"},
		{"n,throughput\n1e-308,1\n", 0, "an N of 1e-308 is too small"},
		{"n,throughput\n1,0x1p3\n", 0, "'0x1p3' is not a number"},
		{"n,throughput\n1,10ms\n", 0, "'10ms' is not a number: a unit belongs into"},
		{"n,throughput\n1,10 %\n", 0, "'10 %' is not a number"},
		{"n,throughput\n1,1_000\n", 0, "'1_000' is not a number"},
		{"n,throughput\n1,1 000\n", 0, "'1 000' is not a number"},
		{"n,throughput\n1,1.000.000\n", 0, "'1.000.000' is not a number"},
		{"n;throughput\n1;1,000\n2;2,000\n", 0, ":2: column 2 ('throughput'): '1,000' is"},
		{"n;throughput\n1;10,5\n2;18.5\n", 0, ":2: column 2 ('throughput'): '10,5' is"},
		{"n,throughput\n1,10,5\n2,18,5\n", 0, ":2: has more cells than the first row"},
		{"1,10,5\n2,18,5\n", 0, ":1: 3 columns and no header"},
		{"throughput\n10\n18.5\n", 0, ":2: one column"},
		{"n,throughput\n1,\"10\n2,18.5\n", 0, ":2: a quoted cell begins in this row"},
		{"n,throughput\n", 0, ": has a header and no points"},
		{"\n\n# nothing\n", 0, ": holds no table"},
		{"\xff\xfen\0,\0x\0\n\0", 10, ":1: holds a NUL byte: this is not text, or text in"},
		{"n,throughput\n1,1\0000\n", 18, ":2: holds a NUL byte"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = cases[i].length ? cases[i].length : strlen(cases[i].bytes);
		struct series series;
		struct err err = {.text = ""};
		int rc = reading_bytes(&series, cases[i].bytes, length, NULL, &err);

		if (rc ? !cases[i].why || !strstr(err.text, cases[i].why) : cases[i].why != NULL)
			fail_msg("'%s': '%s'", cases[i].bytes, err.text);
		if (!rc) {
			assert_int_equal(series.count, 3);
			assert_close(series.points[0].n, 1, 0);
			assert_close(series.points[0].throughput, 10, 0);
			assert_close(series.points[1].n, 2, 0);
			assert_close(series.points[1].throughput, 18.5, 0);
			assert_close(series.points[2].n, 4, 0);
			assert_close(series.points[2].throughput, 31, 0);
		}
		series_release(&series);
	}
}

static void numbers_of_any_size_keep_their_value(void **state)
{
	static const double values[] = {1e70, 1e-70, 4294967297, 1234567890123456789., .1};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct series series;
		struct err err = {.text = ""};

		snprintf(text, sizeof(text), "n,throughput\n9999999999,%.17g\n%.17g,3\n", values[i],
			 values[i]);
		if (reading_text(&series, text, NULL, &err))
			fail_msg("%s", err.text);
		assert_close(series.points[0].n, 9999999999, 0);
		assert_close(series.points[0].throughput, values[i], 0);
		assert_close(series.points[1].n, values[i], 0);
		series_release(&series);
	}
}

static void times_latencies_and_speedups_become_throughput(void **state)
{
	static const struct {
		const char *text; /* one point at N = 4 */
		double work;
		double throughput;
	} cases[] = {
		{"threads,elapsed\n4,20\n", 0, 1. / 20},
		{"threads,elapsed\n4,20\n", 100, 5},
		{"threads,time_ms\n4,20\n", 0, 50},
		{"threads,Wall time (us)\n4,20\n", 3, 150000},
		{"users,latency_ms\n4,20\n", 0, 200},
		{"users,R\n4,20\n", 0, .2},
		{"n,speedup\n4,3.5\n", 0, 3.5},
		{"n,S(N)\n4,3.5\n", 0, 3.5},
		{"n,time,speedup\n4,20,3.5\n", 0, 1. / 20},
		{"n,throughput,time,latency\n4,20,1,1\n", 0, 20},
		{"nodes,threads,tput\n4,4,7\n", 0, 7},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.work = cases[i].work};
		struct series series;
		struct err err = {.text = ""};

		/* The last one has two N, neither of which varies. */
		if (reading_text(&series, cases[i].text, &request, &err)) {
			assert_int_equal(i, COUNT(cases) - 1);
			assert_non_null(strstr(err.text, "may both be the N"));
		} else {
			assert_close(series.points[0].n, 4, 0);
			assert_close(series.points[0].throughput, cases[i].throughput, 1e-15);
		}
		series_release(&series);
	}
}

static void columns_without_a_throughput_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
		double work;
	} cases[] = {
		{"n,time\n1,0\n", ":2: column 2 ('time'): the time must be above 0, not 0", 0},
		{"n,time\n1,1e-310\n", ":2: column 2 ('time'): a throughput of inf is too large",
		 0},
		{"n,time_ns\n1,1e308\n", ":2: column 2 ('time_ns'): a throughput of 0 is too small",
		 1e-300},
		{"n,latency\n1,-1\n", "the latency must be above 0, not -1", 0},
		{"n,throughput\n1,5\n", "--work needs a time, but column 2 is read as", 10},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series_request request = {.work = cases[i].work};
		struct series series;
		struct err err = {.text = ""};

		assert_int_equal(reading_text(&series, cases[i].text, &request, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
	}
}

static void replicates_count_as_one_n(void **state)
{
	struct series series;
	struct err err;

	(void)state;
	assert_int_equal(reading_text(&series, "8,1\n1,2\n8,3\n2.5,4\n1,5\n", NULL, &err), 0);
	assert_int_equal(series.count, 5);
	assert_int_equal(series_distinct(&series), 3);
	assert_close(series_max_n(&series), 8, 0);
	series_release(&series);
}

static void any_number_of_distinct_n_is_counted(void **state)
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

static struct csv_table *table_of(const char *text)
{
	struct err err = {.text = ""};
	struct csv_table *table = table_file_read(file_with(text, strlen(text)), &err);

	assert_non_null(table);
	return table;
}

static void text_that_names_several_series_is_refused_with_a_list(void **state)
{
	static const struct {
		const char *text;
		const char *why; /* NULL: one series */
	} cases[] = {
		{"program,n,throughput\na,1,1\na,2,2\nb,1,3\n",
		 "column 1 ('program') names 2 series: 'a', 'b'; fit each by itself with --series "
		 "program, one of them with --series 'program=a', or all as one with --series "
		 "none"},
		{"n,throughput,used on\n1,1,a\n2,2,b\n4,3,a\n", "column 3 ('used on') names 2"},
		{"n,throughput,p,q\n1,1,a,x\n2,2,a,x\n1,3,a,y\n2,4,a,y\n1,5,b,x\n2,6,b,x\n",
		 "column 3 ('p') and column 4 ('q') name 3 series: 'a, x', 'a, y', 'b, x'; fit "
		 "each by "
		 "itself with --series p,q, one of them with --series 'p=a,q=x'"},
		{"n,throughput,p\n1,1,\n2,2,a\n4,3,a\n", "names 2 series: '', 'a'"},
		{"n,throughput,p\n1,1,a\n2,2,\n1,3,b\n2,4,\n", "names 3 series: 'a', '', 'b'"},
		{"n,throughput,p(q)\n1,1,a\n2,2,a\n1,3,b\n", "--series 3, one of them"},
		{"n,throughput,p\n1,1,\"a,b\"\n2,2,\"a,b\"\n1,3,c\n",
		 "one of them with --series 'p=c', or"},
		{"n,throughput,p\n1,1,\"a,b\"\n2,2,\"a,b\"\n1,3,d'\n", "with --series p, or all"},
		{"n,throughput,chunk\n1,1,auto\n2,2,auto\n1,3,16\n", "2 series: 'auto', '16'"},
		{"n,throughput,p\n1,1,\n2,2,a remark\n4,3,\n", NULL},
		{"n,throughput,p\n1,1,a\n2,2,\n4,3,\n", NULL},
		{"n,throughput,errors\n1,1,-\n2,2,-\n4,3,0\n", NULL},
		{"n,throughput,sd\n1,1,n/a\n2,2,n/a\n4,3,.5\n", NULL},
		{"n,throughput,cpu\n1,1,99%\n2,2,99%\n4,3,390%\n", NULL},
		{"n,throughput,rss\n1,1,12 MB\n2,2,12 MB\n4,3,13 MB\n", NULL},
		{"n,throughput,start\n1,1,12:00\n2,2,12:00\n4,3,12:01\n", NULL},
		{"day,n,throughput\n2026-01-01,1,1\n2026-01-01,2,2\n2026-01-02,4,3\n", NULL},
		{"n,throughput,p\n1,1,a\n2,2,b\n4,3,c\n1,1,a\n", NULL},
		{"n,throughput,p\n1,1,a\n2,2,a\n4,3,a\n", NULL},
		{"n,throughput,p\n1,1,1\n2,2,1\n4,3,2\n8,4,2\n", NULL},
		{"n,throughput,date\n1,1,mon\n2,2,mon\n4,3,tue\n", NULL},
		{"n,throughput,p\n1,1\n2,2\n4,3\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_table *table = table_of(cases[i].text);
		struct series series;
		struct err err = {.text = ""};
		int rc = table_file_series(&series, table, NULL, &err);

		assert_int_equal(rc, cases[i].why ? -1 : 0);
		if (cases[i].why && !strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		series_release(&series);
		csv_table_free(table);
	}
}

static void series_are_separated_in_the_order_of_their_first_rows(void **state)
{
	static const struct {
		struct series_request request;
		const char *names[3];
		size_t count, points[3];
		double throughput[3]; /* of the last point */
	} cases[] = {
		{{.pooled = true}, {NULL}, 1, {6}, {6}},
		{{.keys = {{"P", NULL}}, .key_count = 1}, {"b", "a"}, 2, {3, 3}, {6, 5}},
		{{.keys = {{"3", "a"}}, .key_count = 1}, {"a"}, 1, {3}, {5}},
		{{.keys = {{"q", NULL}, {"p", NULL}}, .key_count = 2},
		 {"x, b", "x, a", "y, b"},
		 3,
		 {2, 3, 1},
		 {4, 5, 6}},
		{{.keys = {{"q", "x"}, {"p", NULL}}, .key_count = 2},
		 {"x, b", "x, a"},
		 2,
		 {2, 3},
		 {4, 5}},
	};
	struct csv_table *table = table_of(
		"n,throughput,p,q\n1,1,b,x\n1,2,a,x\n2,3,a,x\n2,4,b,x\n4,5,a,x\n4,6,b,y\n");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series *series = NULL;
		struct err err = {.text = ""};
		size_t count = 0;

		if (series_read(&series, &count, table, &cases[i].request, &err))
			fail_msg("%s", err.text);
		assert_int_equal(count, cases[i].count);
		for (size_t k = 0; k < count; k++) {
			if (cases[i].names[k])
				assert_string_equal(series[k].name, cases[i].names[k]);
			else
				assert_null(series[k].name);
			assert_int_equal(series[k].count, cases[i].points[k]);
			assert_close(series[k].points[series[k].count - 1].throughput,
				     cases[i].throughput[k], 0);
			series_release(&series[k]);
		}
		free(series);
	}
	csv_table_free(table);
}

static void a_bad_cell_of_a_series_is_reported_with_its_line(void **state)
{
	const struct series_request request = {.keys = {{"p", "a"}}, .key_count = 1};
	struct csv_table *table = table_of("n,throughput,p\n1,1,b\n1,x,b\n\n1,2,a\n2,y,a\n");
	struct series series;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(table_file_series(&series, table, &request, &err), -1);
	if (!strstr(err.text, ":6: column 2 ('throughput'): 'y' is not a number"))
		fail_msg("%s", err.text);
	series_release(&series);
	csv_table_free(table);
}

static void a_missing_series_is_refused_with_the_names_of_all(void **state)
{
	const struct series_request request = {.keys = {{"p", "c"}}, .key_count = 1};
	struct csv_table *table = table_of("n,throughput,p\n1,1,b\n1,2,a\n");
	struct series series;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(table_file_series(&series, table, &request, &err), -1);
	if (!strstr(err.text, ": --series: no row is of this series; there are 'b', 'a'"))
		fail_msg("%s", err.text);
	series_release(&series);
	csv_table_free(table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(text_that_names_several_series_is_refused_with_a_list),
	cmocka_unit_test(series_are_separated_in_the_order_of_their_first_rows),
	cmocka_unit_test(a_bad_cell_of_a_series_is_reported_with_its_line),
	cmocka_unit_test(a_missing_series_is_refused_with_the_names_of_all),
	cmocka_unit_test(columns_are_found_by_name_or_position),
	cmocka_unit_test(bad_points_are_reported_with_file_line_and_column),
	cmocka_unit_test(unusual_files_are_read_or_refused_with_a_sentence),
	cmocka_unit_test(numbers_of_any_size_keep_their_value),
	cmocka_unit_test(times_latencies_and_speedups_become_throughput),
	cmocka_unit_test(columns_without_a_throughput_are_refused),
	cmocka_unit_test(replicates_count_as_one_n),
	cmocka_unit_test(any_number_of_distinct_n_is_counted),
};

TEST_FILE(tests);
