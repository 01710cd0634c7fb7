/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_columns.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "stats/series/series.h"
#include "support.h"
#include "table_file.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int find(struct series_columns *columns, const char *text,
		const struct series_request *request, struct err *err)
{
	struct csv_table *table = table_file_read(file_with(text, strlen(text)), err);
	int rc;

	assert_non_null(table);
	rc = series_columns_find(columns, table, request, err);
	csv_table_free(table);
	return rc;
}

/* Finds columns in a table with these names and the rows 1, 2, 3, ... and 2, 4, 6, ... */
static int find_in(struct series_columns *columns, const char *header,
		   const struct series_request *request, struct err *err)
{
	char text[500];
	size_t count = 1;

	for (const char *comma = header; (comma = strchr(comma, ',')); comma++)
		count++;
	strcat(strcpy(text, header), "\n");
	for (size_t row = 1; row <= 2; row++)
		for (size_t i = 1; i <= count; i++)
			sprintf(text + strlen(text), "%zu%s", row * i, i < count ? "," : "\n");
	return find(columns, text, request, err);
}

static void names_determine_the_columns(void **state)
{
	static const struct {
		const char *header;
		int n, value; /* from 1 */
		enum quantity quantity;
		bool usual;
	} cases[] = {
		{"n,throughput", 1, 2, QUANTITY_THROUGHPUT, true},
		{"host,cores,seconds,rate", 2, 4, QUANTITY_THROUGHPUT, true},
		{"date,Threads,Throughput (req/s),latency_ms", 2, 3, QUANTITY_THROUGHPUT, true},
		{"timestamp,users,tput_ops_s", 2, 3, QUANTITY_THROUGHPUT, true},
		{"n,threads,throughput", 1, 3, QUANTITY_THROUGHPUT, true},
		{"threads,ops,seconds,rate", 1, 4, QUANTITY_THROUGHPUT, true},
		{"threads,tput,throughput", 1, 3, QUANTITY_THROUGHPUT, true},
		{"threads,ops,throughput_sd", 1, 2, QUANTITY_THROUGHPUT, true},
		{"n,c,throughput", 1, 3, QUANTITY_THROUGHPUT, true},
		{"x,y", 1, 2, QUANTITY_THROUGHPUT, true},
		{"X,N", 2, 1, QUANTITY_THROUGHPUT, false},
		{"threads,foo", 1, 2, QUANTITY_THROUGHPUT, false},
		{"requests,threads", 2, 1, QUANTITY_THROUGHPUT, false},
		{"a,b", 1, 2, QUANTITY_THROUGHPUT, false},
		{"a,tput", 1, 2, QUANTITY_THROUGHPUT, true},
		{"tput,a", 2, 1, QUANTITY_THROUGHPUT, true},
		{"x,a", 1, 2, QUANTITY_THROUGHPUT, false},
		{"n,requests", 1, 2, QUANTITY_THROUGHPUT, false},
		{"threads,frames/s", 1, 2, QUANTITY_THROUGHPUT, false},
		{"z,x,y", 2, 3, QUANTITY_THROUGHPUT, true},
		{"threads,elapsed", 1, 2, QUANTITY_TIME, false},
		{"threads,real (s)", 1, 2, QUANTITY_TIME, false},
		{"threads,elapsed_s,user_s,cpu_s", 1, 2, QUANTITY_TIME, false},
		{"elapsed_s,threads,host", 2, 1, QUANTITY_TIME, false},
		{"clients,latency_ms,p99_latency_ms", 1, 2, QUANTITY_LATENCY, false},
		{"cores,speedup,efficiency", 1, 2, QUANTITY_SPEEDUP, false},
		{"cores,time,speedup", 1, 2, QUANTITY_TIME, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct series_request request = {.column_count = 0};
		struct series_columns columns;
		struct err err = {.text = ""};

		if (find_in(&columns, cases[i].header, &request, &err))
			fail_msg("'%s': %s", cases[i].header, err.text);
		if (columns.n + 1 != cases[i].n || columns.value + 1 != cases[i].value ||
		    columns.quantity != cases[i].quantity || columns.usual != cases[i].usual)
			fail_msg("'%s': N is %d, %s is %d, %susual", cases[i].header, columns.n + 1,
				 quantity_name(columns.quantity), columns.value + 1,
				 columns.usual ? "" : "not ");
	}
}

static void unclear_names_are_refused_with_a_question(void **state)
{
	static const struct {
		const char *header, *why;
	} cases[] = {
		{"threads,cores,throughput", "column 1 ('threads') and column 2 ('cores') may both "
					     "be the N; choose with --columns"},
		{"threads,tput,rate", "column 2 ('tput') and column 3 ('rate') may both be"},
		{"threads,ops,seconds",
		 "column 2 ('ops') may be throughput, or the work done in column 3; use"},
		{"threads,time,latency", "column 2 ('time') and column 3 ('latency') may both"},
		{"threads,wall,elapsed", "column 2 ('wall') and column 3 ('elapsed') may both be"},
		{"threads,s", "the name of column 2 ('s') does not tell its quantity; say "
			      "--columns 1,time:2 if it is a run time, else 1,throughput:2"},
		{"threads,a,b", "names no throughput; name its column 'throughput', or choose it "
				"with --columns: "},
		{"a,b,throughput", "the header names no number of threads; name its"},
		{"time,throughput", "the header names no number of threads; name its"},
		{"threads,cpu_time",
		 "the name of column 2 ('cpu_time') does not tell its quantity"},
		{"threads,ns/op", "the name of column 2 ('ns/op') does not tell its quantity"},
		{"threads,p99_latency_ms",
		 "the name of column 2 ('p99_latency_ms') does not tell its quantity"},
		{"threads,cpu_time,p99_ms", "the header names no throughput"},
		{"Laufzeit [s],n", "the name of column 1 ('Laufzeit [s]') does not tell its "
				   "quantity; say --columns 2,time:1"},
		{"n,x,y", "column 2 ('x') and column 3 ('y') may both be the throughput"},
		{"threads,timestamp", "the header names no throughput"},
		{"timestamp,threads", "the header names no throughput"},
		{"threads,total", "the header names no throughput"},
		{"timestamp,tput", "the header names no number of threads"},
		{"timestamp,a", "the header names no number of threads"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct series_request request = {.column_count = 0};
		struct series_columns columns;
		struct err err = {.text = ""};

		assert_int_equal(find_in(&columns, cases[i].header, &request, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
	}
}

static void of_two_columns_of_n_the_one_that_varies_is_chosen(void **state)
{
	static const struct {
		const char *text;
		int n;
	} cases[] = {
		{"nodes,threads,tput\n1,1,5\n1,2,9\n", 1},
		{"threads,nodes,tput\n1,1,5\n2,1,9\n", 0},
		{"users,threads,nodes,tput\n8,1,1,5\n8,1,2,9\n", 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct series_request request = {.column_count = 0};
		struct series_columns columns;
		struct err err = {.text = ""};

		if (find(&columns, cases[i].text, &request, &err))
			fail_msg("%s", err.text);
		assert_int_equal(columns.n, cases[i].n);
	}
}

static void options_can_name_the_columns(void **state)
{
	static const struct {
		const char *header;
		enum quantity first, second;
		const char *columns[2];
		int n, value; /* from 1 */
		enum quantity quantity;
	} cases[] = {
		{"a,b,c", 0, 0, {"3", "1"}, 3, 1, QUANTITY_THROUGHPUT},
		{"a,b,c", 0, QUANTITY_TIME, {"1", "b"}, 1, 2, QUANTITY_TIME},
		{"a,b,c", QUANTITY_LATENCY, 0, {"1", "B"}, 2, 1, QUANTITY_LATENCY},
		{"threads,elapsed,rate", 0, 0, {"threads", "elapsed"}, 1, 2, QUANTITY_TIME},
		{"threads,elapsed,rate", 0, 0, {"elapsed", "threads"}, 1, 2, QUANTITY_TIME},
		{"load,threads,s", 0, 0, {"threads", "3"}, 0, 0, 0},
		{"load,threads,s", 0, QUANTITY_SPEEDUP, {"threads", "3"}, 2, 3, QUANTITY_SPEEDUP},
		{"load,threads", 0, 0, {"load", "threads"}, 0, 0, 0},
		{"n,cpu_time", 0, 0, {"1", "2"}, 0, 0, 0},
		{"n,cpu_time", 0, QUANTITY_TIME, {"1", "2"}, 1, 2, QUANTITY_TIME},
		{"load,threads", 0, QUANTITY_THROUGHPUT, {"load", "2"}, 1, 2, QUANTITY_THROUGHPUT},
		{"load,threads",
		 QUANTITY_THROUGHPUT,
		 QUANTITY_N,
		 {"1", "2"},
		 2,
		 1,
		 QUANTITY_THROUGHPUT},
		{"load,threads", QUANTITY_TIME, QUANTITY_TIME, {"1", "2"}, 0, 0, 0},
		{"a,b", 0, 0, {"1", "3"}, 0, 0, 0},
		{"a,b", 0, 0, {"1", "0"}, 0, 0, 0},
		{"a,b", 0, 0, {"2", "b"}, 0, 0, 0},
		{"a,a", 0, 0, {"1", "a"}, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct series_request request = {
			.columns = {{cases[i].first, cases[i].columns[0]},
				    {cases[i].second, cases[i].columns[1]}},
			.column_count = 2};
		struct series_columns columns;
		struct err err = {.text = ""};
		int rc = find_in(&columns, cases[i].header, &request, &err);

		if ((rc == 0) != (cases[i].n > 0))
			fail_msg("case %zu: %d, '%s'", i, rc, err.text);
		if (rc)
			continue;
		assert_int_equal(columns.n + 1, cases[i].n);
		assert_int_equal(columns.value + 1, cases[i].value);
		assert_int_equal(columns.quantity, cases[i].quantity);
	}
}

static void a_log_has_a_clock_too(void **state)
{
	static const struct {
		const char *header;
		int n, value, clock;	/* from 1; 0: none */
		enum quantity quantity; /* UNKNOWN: refused */
	} cases[] = {
		{"time_s,threads,throughput", 2, 3, 1, QUANTITY_THROUGHPUT},
		{"n,throughput", 1, 2, 0, QUANTITY_THROUGHPUT},
		{"timestamp,n,completions", 2, 3, 1, QUANTITY_COUNT},
		{"time,n,requests_total", 2, 3, 1, QUANTITY_TOTAL},
		{"elapsed,timestamp,n,total", 3, 4, 2, QUANTITY_TOTAL},
		{"n,completions", 0, 0, 0, QUANTITY_UNKNOWN},
		{"time,n,ops", 0, 0, 0, QUANTITY_UNKNOWN},
		{"time,throughput", 0, 0, 0, QUANTITY_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct series_request request = {.from_log = true};
		struct series_columns columns;
		struct err err = {.text = ""};
		int rc = find_in(&columns, cases[i].header, &request, &err);

		if ((rc == 0) != (cases[i].quantity != QUANTITY_UNKNOWN))
			fail_msg("'%s': %s", cases[i].header, err.text);
		if (rc)
			continue;
		assert_int_equal(columns.n + 1, cases[i].n);
		assert_int_equal(columns.value + 1, cases[i].value);
		assert_int_equal(columns.clock + 1, cases[i].clock);
		assert_int_equal(columns.quantity, cases[i].quantity);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_determine_the_columns),
	cmocka_unit_test(unclear_names_are_refused_with_a_question),
	cmocka_unit_test(of_two_columns_of_n_the_one_that_varies_is_chosen),
	cmocka_unit_test(options_can_name_the_columns),
	cmocka_unit_test(a_log_has_a_clock_too),
};

TEST_FILE(tests);
