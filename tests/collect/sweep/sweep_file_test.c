/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "collect/sweep/sweep.h"
#include "stats/series/series.h"
#include "table_file.h"

#include <unistd.h>

struct fixture {
	char root[64];
	char path[80];
	struct sweep_head head;
	char told[256];
	struct err err;
};

static void tell(void *context, const char *sentence)
{
	struct fixture *fixture = context;

	snprintf(fixture->told, sizeof(fixture->told), "%s", sentence);
}

static void set_up(struct fixture *fixture)
{
	*fixture = (struct fixture){.told = ""};
	dir_make(fixture->root);
	snprintf(fixture->path, sizeof(fixture->path), "%s/s.csv", fixture->root);
	sweep_head_add(&fixture->head, "command", "./bench -T{n}", true);
	sweep_head_add(&fixture->head, "kernel", "Linux 6.1", true);
	sweep_head_add(&fixture->head, "load", "0.10", false);
}

static struct sweep_file *open_it(struct fixture *fixture, enum sweep_rows rows)
{
	return sweep_file_open(fixture->path, &fixture->head, rows, tell, fixture, &fixture->err);
}

static void add(struct sweep_file *file, uint64_t n, size_t repeat, double throughput)
{
	const struct sweep_row row = {n, repeat, throughput, 1 / throughput, -1, 0.25, 0.5};
	struct err err;

	assert_int_equal(sweep_file_add(file, &row, &err), 0);
}

static char *contents(const struct fixture *fixture)
{
	static char text[4096];
	FILE *in = fopen(fixture->path, "re");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	return text;
}

static void put(const struct fixture *fixture, const char *text)
{
	dir_put(fixture->root, "s.csv", text);
}

/* A file with two rows. */
static void begin(struct fixture *fixture)
{
	struct sweep_file *file = open_it(fixture, SWEEP_ROWS_CONTINUE);

	assert_non_null(file);
	add(file, 1, 1, 10);
	add(file, 2, 1, 19.5);
	sweep_file_close(file);
}

static void rows_are_there_as_soon_as_they_are_added(void **state)
{
	static const char want[] = "# command: ./bench -T{n}\n"
				   "# kernel: Linux 6.1\n"
				   "# load: 0.10\n"
				   "n,throughput,wall_s,cpu_s,repeat,load,others\n"
				   "1,10,0.1,,1,0.25,0.5\n";
	struct fixture fixture;
	struct sweep_file *file;
	struct err err;

	(void)state;
	set_up(&fixture);
	file = open_it(&fixture, SWEEP_ROWS_CONTINUE);
	assert_non_null(file);
	add(file, 1, 1, 10);
	assert_string_equal(strchr(contents(&fixture), '\n') + 1, want);
	assert_memory_equal(contents(&fixture), "# sweep of pscal ", 17);
	assert_int_equal(sweep_file_remark(file, "failed", "N = 2, run 1", &err), 0);
	assert_non_null(strstr(contents(&fixture), "0.25,0.5\n# failed: N = 2, run 1\n"));
	sweep_file_close(file);
	dir_remove(fixture.root);
}

static void a_fit_takes_the_file_as_it_is(void **state)
{
	struct fixture fixture;
	struct csv_table *table;
	struct series series;
	struct err err;

	(void)state;
	set_up(&fixture);
	begin(&fixture);
	table = table_file_read(fixture.path, &err);
	assert_non_null(table);
	assert_int_equal(table_file_series(&series, table, NULL, &err), 0);
	assert_int_equal(series.count, 2);
	assert_close(series.points[1].n, 2, 0);
	assert_close(series.points[1].throughput, 19.5, 0);
	series_release(&series);
	csv_table_free(table);
	dir_remove(fixture.root);
}

static void existing_rows_are_kept_and_known(void **state)
{
	struct fixture fixture;
	struct sweep_file *file;

	(void)state;
	set_up(&fixture);
	begin(&fixture);
	file = open_it(&fixture, SWEEP_ROWS_CONTINUE);
	assert_non_null(file);
	assert_int_equal(sweep_file_rows(file), 2);
	assert_true(sweep_file_has(file, 1, 1));
	assert_true(sweep_file_has(file, 2, 1));
	assert_false(sweep_file_has(file, 1, 2));
	assert_false(sweep_file_has(file, 3, 1));
	add(file, 1, 2, 11);
	sweep_file_close(file);
	assert_string_equal(fixture.told, "");
	assert_non_null(strstr(contents(&fixture), "\n2,19.5,0.051282051,,1,0.25,0.5\n1,11,"));
	assert_null(strstr(strstr(contents(&fixture), "# command") + 1, "# command"));
	dir_remove(fixture.root);
}

static void half_a_line_is_dropped_and_reported(void **state)
{
	struct fixture fixture;
	struct sweep_file *file;
	size_t whole;

	(void)state;
	set_up(&fixture);
	begin(&fixture);
	whole = strlen(contents(&fixture));
	for (size_t cut = 1; cut <= 31; cut++) { /* the last row has 31 bytes before its end */
		assert_int_equal(truncate(fixture.path, (off_t)(whole - cut)), 0);
		file = open_it(&fixture, SWEEP_ROWS_CONTINUE);
		assert_non_null(file);
		assert_true(sweep_file_has(file, 1, 1));
		assert_false(sweep_file_has(file, 2, 1));
		assert_non_null(strstr(fixture.told, "dropped the last line"));
		add(file, 2, 1, 19.5);
		sweep_file_close(file);
		assert_int_equal(strlen(contents(&fixture)), whole);
	}
	dir_remove(fixture.root);
}

static void another_command_or_machine_is_refused_unless_asked_for(void **state)
{
	struct fixture fixture;
	struct sweep_file *file;
	char *old;

	(void)state;
	set_up(&fixture);
	begin(&fixture);
	fixture.head.facts[2].value = "7.00"; /* the load is no condition of a match */
	sweep_file_close(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	fixture.head.facts[1].value = "Linux 6.6";
	assert_null(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	assert_non_null(strstr(fixture.err.text, "measured with another kernel: 'Linux 6.1', not "
						 "'Linux 6.6'"));

	file = open_it(&fixture, SWEEP_ROWS_APPEND);
	assert_non_null(file);
	assert_int_equal(sweep_file_rows(file), 2);
	sweep_file_close(file);
	assert_non_null(strstr(contents(&fixture), "0.25,0.5\n# kernel: Linux 6.6\n"));
	file = open_it(&fixture, SWEEP_ROWS_CONTINUE); /* the user has accepted the change */
	assert_non_null(file);
	sweep_file_close(file);

	file = open_it(&fixture, SWEEP_ROWS_NEW);
	assert_non_null(file);
	assert_int_equal(sweep_file_rows(file), 0);
	sweep_file_close(file);
	assert_null(strstr(contents(&fixture), "Linux 6.1"));
	strcat(fixture.path, ".old");
	old = contents(&fixture);
	assert_non_null(strstr(old, "\n2,19.5,"));
	dir_remove(fixture.root);
}

static void a_file_without_rows_begins_anew(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	sweep_file_close(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	fixture.head.facts[0].value = "./other {n}";
	sweep_file_close(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	assert_null(strstr(contents(&fixture), "./bench"));
	assert_non_null(strstr(contents(&fixture), "# command: ./other {n}\n"));
	dir_remove(fixture.root);
}

static void a_file_that_is_no_sweep_is_not_touched(void **state)
{
#define HEAD "# sweep of pscal 0.1.0\nn,throughput,wall_s,cpu_s,repeat,load,others\n"
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"n,throughput\n1,10\n", "is not a sweep"},
		{"half a line", "is not a sweep"},
		{"\n", "is not a sweep"},
		{"# sweeping the floor\n", "is not a sweep"},
		{HEAD "1,2,3\n", "s.csv:3: is not a row of"},
		{HEAD "1,2,3,4,5,6,7,8\n", "s.csv:3: is not a row of"},
		{HEAD "one,2,3,4,5,6,7\n", "s.csv:3: is not a row of"},
		{HEAD "0,2,3,4,5,6,7\n", "s.csv:3: is not a row of"},
		{HEAD "1,2,3,4,-5,6,7\n", "s.csv:3: is not a row of"},
		{"# sweep of pscal 0.1.0\n1,2,3,4,5,6,7\n", "s.csv:2: is not a row of"},
		{"# sweep of pscal 0.1.0\nn,rate\n", "s.csv:2: is not a row of"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;

		set_up(&fixture);
		put(&fixture, cases[i].text);
		assert_null(open_it(&fixture, SWEEP_ROWS_CONTINUE));
		if (!strstr(fixture.err.text, cases[i].sentence))
			fail_msg("case %zu: %s", i, fixture.err.text);
		assert_null(open_it(&fixture, SWEEP_ROWS_APPEND));
		assert_string_equal(contents(&fixture), cases[i].text);
		dir_remove(fixture.root);
	}
}

static void bytes_of_any_kind_are_no_sweep(void **state)
{
	static const char bytes[] = "# sweep of pscal 0.1.0\n\0\n";
	struct fixture fixture;
	FILE *out;

	(void)state;
	set_up(&fixture);
	out = fopen(fixture.path, "we");
	assert_non_null(out);
	fwrite(bytes, 1, sizeof(bytes) - 1, out);
	fclose(out);
	assert_null(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	assert_non_null(strstr(fixture.err.text, "is not a sweep"));
	dir_remove(fixture.root);
}

static void two_sweeps_do_not_write_the_same_file(void **state)
{
	static const enum sweep_rows ways[] = {SWEEP_ROWS_CONTINUE, SWEEP_ROWS_APPEND,
					       SWEEP_ROWS_NEW};
	struct fixture fixture;
	struct sweep_file *first;

	(void)state;
	set_up(&fixture);
	first = open_it(&fixture, SWEEP_ROWS_CONTINUE);
	assert_non_null(first);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		assert_null(open_it(&fixture, ways[i]));
		assert_non_null(strstr(fixture.err.text, "another sweep writes to it"));
	}
	add(first, 1, 1, 10); /* and no process has renamed it */
	assert_non_null(strstr(contents(&fixture), "\n1,10,"));
	sweep_file_close(first);
	sweep_file_close(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	dir_remove(fixture.root);
}

static void a_link_that_begins_anew_is_kept_as_a_link(void **state)
{
	struct fixture fixture;
	char real[80], text[8];

	(void)state;
	set_up(&fixture);
	snprintf(real, sizeof(real), "%s/real.csv", fixture.root);
	assert_int_equal(symlink("real.csv", fixture.path), 0);
	begin(&fixture); /* its target */
	assert_int_equal(access(real, F_OK), 0);
	fixture.head.facts[0].value = "./other {n}";
	sweep_file_close(open_it(&fixture, SWEEP_ROWS_NEW));
	assert_int_equal(readlink(fixture.path, text, sizeof(text)), -1);
	assert_null(strstr(contents(&fixture), "19.5"));
	strcat(fixture.path, ".old");
	assert_int_equal(readlink(fixture.path, text, sizeof(text)), 8);
	assert_non_null(strstr(contents(&fixture), "\n2,19.5,"));
	dir_remove(fixture.root);
}

static void a_failed_write_is_an_error(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	strcpy(fixture.path, "/dev/full");
	assert_null(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	assert_string_equal(fixture.err.text, "/dev/full: cannot write: No space left on device");
	strcpy(fixture.path, "/no/such/place");
	assert_null(open_it(&fixture, SWEEP_ROWS_CONTINUE));
	assert_string_equal(fixture.err.text, "/no/such/place: cannot write: No such file or "
					      "directory; make its directory first");
	dir_remove(fixture.root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_are_there_as_soon_as_they_are_added),
	cmocka_unit_test(a_fit_takes_the_file_as_it_is),
	cmocka_unit_test(existing_rows_are_kept_and_known),
	cmocka_unit_test(half_a_line_is_dropped_and_reported),
	cmocka_unit_test(another_command_or_machine_is_refused_unless_asked_for),
	cmocka_unit_test(a_file_without_rows_begins_anew),
	cmocka_unit_test(a_file_that_is_no_sweep_is_not_touched),
	cmocka_unit_test(bytes_of_any_kind_are_no_sweep),
	cmocka_unit_test(two_sweeps_do_not_write_the_same_file),
	cmocka_unit_test(a_link_that_begins_anew_is_kept_as_a_link),
	cmocka_unit_test(a_failed_write_is_an_error),
};

TEST_FILE(tests);
