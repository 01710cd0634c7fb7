/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/wall_times.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "support.h"
#include "table_file.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int read_text(struct wall_times *times, const char *text, struct err *err)
{
	struct csv_table *table = table_file_read(file_with(text, strlen(text)), err);
	int rc;

	assert_non_null(table);
	rc = wall_times_read(times, table, err);
	csv_table_free(table);
	return rc;
}

static void runs_on_equal_cores_become_their_mean(void **state)
{
	static const char *const texts[] = {
		"cores,wall_s\n4,3\n1,10\n4,4\n2,6\n4,5\n",
		"wall_s;comment;k\n10;a;1\n6;b;2\n3;c;4\n4;d;4\n5;e;4\n",
		"1,10\n4,5\n2,6\n4,4\n4,3\n",
		"n,cores,time,wall_s\n9,4,8,3\n9,1,8,10\n9,4,8,4\n9,2,8,6\n9,4,8,5\n",
		"Seconds\tThreads\n5\t4\n3\t4\n4\t4\n6\t2\n10\t1\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct wall_times times;
		const struct wall_time *four;
		struct err err = {.text = ""};

		if (read_text(&times, texts[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(times.count, 3);
		assert_int_equal(times.items[0].cores, 1);
		assert_int_equal(times.items[1].cores, 2);
		four = wall_times_find(&times, 4);
		assert_ptr_equal(four, &times.items[2]);
		assert_int_equal(four->runs, 3);
		assert_close(four->mean_s, 4, 1e-15);
		assert_close(four->least_s, 3, 0);
		assert_close(four->most_s, 5, 0);
		assert_close(wall_times_find(&times, 1)->mean_s, 10, 0);
		assert_null(wall_times_find(&times, 3));
		wall_times_release(&times);
	}
}

static const struct {
	const char *text, *sentence;
} bad[] = {
	{"cores,wall_s\n", ": holds no measured wall times"},
	{"a,b\n1,2\n", ": the measured wall times need a column 'cores' and a column 'wall_s'"},
	{"1,2,3\n", ": the measured wall times need a column 'cores'"},
	{"cores,wall_s\n1,2\n0,2\n", ":3: column 1: 0 is not a number of cores"},
	{"cores,wall_s\n1.5,2\n", ":2: column 1: 1.5 is not a number of cores"},
	{"cores,wall_s\n2e6,2\n", ":2: column 1: 2e+06 is not a number of cores"},
	{"cores,wall_s\n1,0\n", ":2: column 2: 0 is not a wall time in seconds"},
	{"cores,wall_s\n1,-1\n", ":2: column 2: -1 is not a wall time in seconds"},
	{"cores,wall_s\n1,1e308\n", ":2: column 2: 1e+308 is not a wall time in seconds"},
	{"cores,wall_s\n1,fast\n", ":2: column 2 ('wall_s'): 'fast' is not a number"},
	{"cores,wall_s\n1\n", ":2: "},
	{"n,time,elapsed\n1,2,3\n", ": column 2 ('time') and column 3 ('elapsed') may both be"},
	{"n,k,wall_s\n1,2,3\n", ": column 1 ('n') and column 2 ('k') may both be 'cores'"},
	{"cores,wall_s,WALL_S\n1,2,3\n", ": column 2 ('wall_s') and column 3 ('WALL_S') may"},
	{"cores,wall_s\n1,.5\n0,2\n", ":3: column 1: 0 is not a number of cores"},
};

static void an_error_has_its_line_and_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct wall_times times;
		struct err err = {.text = ""};

		assert_int_equal(read_text(&times, bad[i].text, &err), -1);
		if (!strstr(err.text, bad[i].sentence))
			fail_msg("'%s' does not say '%s'", err.text, bad[i].sentence);
		wall_times_release(&times);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(runs_on_equal_cores_become_their_mean),
	cmocka_unit_test(an_error_has_its_line_and_column),
};

TEST_FILE(tests);
