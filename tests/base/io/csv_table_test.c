/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/csv_table.h"

#include "base/err.h"
#include "base/io/input.h"
#include "support.h"
#include "table_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct csv_table *read_bytes(const void *bytes, size_t length, struct err *err)
{
	return table_file_read(file_with(bytes, length), err);
}

static struct csv_table *read_text(const char *text)
{
	struct err err = {.text = ""};
	struct csv_table *table = read_bytes(text, strlen(text), &err);

	if (!table)
		fail_msg("%s", err.text);
	return table;
}

static void assert_refused(const void *bytes, size_t length, const char *why)
{
	struct err err = {.text = ""};

	assert_null(read_bytes(bytes, length, &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void assert_refused_text(const char *text, const char *why)
{
	assert_refused(text, strlen(text), why);
}

static void assert_line(const struct csv_table *table, size_t row, size_t line)
{
	struct err err = {.text = "it"};
	char end[32];

	snprintf(end, sizeof(end), ":%zu: it", line);
	assert_int_equal(csv_table_wrap(table, row, CSV_WHOLE_ROW, &err), -1);
	if (!strstr(err.text, end))
		fail_msg("'%s' does not end in '%s'", err.text, end);
}

static void all_spellings_of_a_table_are_read_alike(void **state)
{
	static const char *const texts[] = {
		"n,throughput\n1,20\n4,78.5\n",
		"n,throughput\r\n1,20\r\n4,78.5\r\n",
		"n,throughput\r1,20\r4,78.5",
		"n,throughput\n1,20\n4,78.5",
		"\xef\xbb\xbfn,throughput\n1,20\n4,78.5\n",
		"n;throughput\n1;20\n4;78.5\n",
		"n\tthroughput\n1\t20\n4\t78.5\n",
		"n,throughput\t\n1,20\n4,78.5\n",
		"\"n\",\"throughput\"\n\"1\",\"20\"\n\"4\",\"78.5\"\n",
		"  n , throughput\n 1,\t20 \n4 ,78.5\n",
		"# made by hand\n\nn,throughput\n\n  # one\n1,20\n   \n4,78.5\n\n",
		"n,throughput,\n1,20,\n,,\n4,78.5,,\n",
		"n throughput\n1  20\n 4\t78.5 \n",
		"\"n\"   throughput\n1 20\n4 \"78.5\"\n",
		"# made by hand\n# n throughput\n1 20\n4 78.5\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct csv_table *table = read_text(texts[i]);
		struct err err;
		double value;

		assert_non_null(csv_table_heading(table, 0));
		assert_int_equal(csv_table_rows(table), 2);
		assert_int_equal(csv_table_columns(table), 2);
		assert_int_equal(csv_table_find(table, "n"), 0);
		assert_int_equal(csv_table_find(table, "throughput"), 1);
		assert_string_equal(csv_table_cell(table, 0, 1), "20");
		assert_int_equal(csv_table_number(table, &value, 1, 1, &err), 0);
		assert_close(value, 78.5, 0);
		csv_table_free(table);
	}
}

static void a_first_row_of_names_is_a_header(void **state)
{
	static const struct {
		const char *text;
		bool header;
	} cases[] = {
		{"n,x\n", true},	 {"\"\",n\n", true}, {"threads,1\n", true},
		{"nanoseconds\n", true}, {"1,2\n", false},   {"-1.5e3,2\n", false},
		{".5,2\n", false},	 {"1,5\n", false},   {"\"1,5\"\t20\n", false},
		{"4 threads\n", false},	 {"nan,2\n", false}, {"-inf,2\n", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_table *table = read_text(cases[i].text);

		assert_int_equal(csv_table_heading(table, 0) != NULL, cases[i].header);
		assert_int_equal(csv_table_rows(table), !cases[i].header);
		csv_table_free(table);
	}
}

static void columns_are_found_by_name_in_any_case(void **state)
{
	struct csv_table *table = read_text("N, Threads ,Throughput\n1,2,3\n");
	struct csv_table *nameless = read_text("1,2\n");

	(void)state;
	assert_int_equal(csv_table_find(table, "threads"), 1);
	assert_int_equal(csv_table_find(table, "THROUGHPUT"), 2);
	assert_int_equal(csv_table_find(table, "thread"), -1);
	assert_int_equal(csv_table_find(nameless, "1"), -1);
	csv_table_free(table);
	csv_table_free(nameless);
}

/* R's write.table writes such tables. */
static void where_blanks_separate_cells_rows_may_have_names(void **state)
{
	struct csv_table *table = read_text("\"n\" \"x y\"\n\"a b\" 1 20\n\"c\" 4 78.5\n");

	(void)state;
	assert_int_equal(csv_table_columns(table), 3);
	assert_string_equal(csv_table_heading(table, 0), "");
	assert_string_equal(csv_table_heading(table, 2), "x y");
	assert_string_equal(csv_table_cell(table, 0, 0), "a b");
	assert_string_equal(csv_table_cell(table, 1, 2), "78.5");
	csv_table_free(table);
	assert_refused_text("n x\n1 20\na 4 78\n", "has more cells than the first row");
	assert_refused_text("n,x\na,1,20\n", "has more cells than the first row");
}

static void a_comment_names_columns_only_if_it_has_as_many_words(void **state)
{
	static const struct {
		const char *text;
		bool header;
	} cases[] = {
		{"# n x\n1 2\n", true},	   {"#n x\n 1  2\n", true},
		{"# n x\n1\t2\n", false},  {"# n of x\n1 2\n", false},
		{"# n x\n\n1 2\n", false}, {"# 1 x\n1 2\n", false},
		{"# n vs\n1 2\n", false},  {"# time Versus n\n1 2 3\n", false},
		{"# n x:\n1 2\n", false},  {"# n x y\n1 2\n", false},
		{"# n x\n1 2 3\n", false}, {"# n x\n1 2.\n", true},
		{"# n,x\n1,2\n", false},   {"# n x\n1,2\n", false},
		{"# n\n1\n", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_table *table = read_text(cases[i].text);

		assert_int_equal(csv_table_heading(table, 0) != NULL, cases[i].header);
		assert_int_equal(csv_table_rows(table), 1);
		csv_table_free(table);
	}
}

static void comments_with_a_key_are_facts(void **state)
{
	struct csv_table *table =
		read_text("# sweep\n# cpus: 0-1\n#twice: a\nn,x\n1,2\n# twice: b\n"
			  "# again: c d\n2,3\n# again: c d\n");
	struct csv_table *none = read_text("1,2\n");

	(void)state;
	assert_string_equal(csv_table_fact(table, "cpus"), "0-1");
	assert_string_equal(csv_table_fact(table, "again"), "c d");
	assert_null(csv_table_fact(table, "twice"));
	assert_null(csv_table_fact(table, "cpu"));
	assert_null(csv_table_fact(table, "sweep"));
	assert_null(csv_table_fact(none, "cpus"));
	csv_table_free(table);
	csv_table_free(none);
}

static void a_short_row_has_no_cell_where_it_ends(void **state)
{
	struct csv_table *table = read_text("a,b,c\n1\n1,,3\n");

	(void)state;
	assert_string_equal(csv_table_cell(table, 0, 0), "1");
	assert_null(csv_table_cell(table, 0, 1));
	assert_null(csv_table_cell(table, 0, 1000));
	assert_string_equal(csv_table_cell(table, 1, 1), "");
	csv_table_free(table);
}

static void quoted_cells_hold_separators_quotes_and_line_ends(void **state)
{
	struct csv_table *table = read_text("name,n\n\"a,\"\"b\"\"\n\n# c\",1\nd,2\n");

	(void)state;
	assert_int_equal(csv_table_rows(table), 2);
	assert_string_equal(csv_table_cell(table, 0, 0), "a,\"b\"\n\n# c");
	assert_line(table, 0, 2);
	assert_line(table, 1, 5);
	csv_table_free(table);
}

static void rows_know_their_line_past_comments_and_empty_lines(void **state)
{
	struct csv_table *table = read_text("# one\nn,x\n\n1,2\n# five\n\n3,4\n");

	(void)state;
	assert_line(table, 0, 4);
	assert_line(table, 1, 7);
	csv_table_free(table);
}

static void decimal_commas_are_read_where_they_separate_nothing(void **state)
{
	static const char *const texts[] = {
		"n;x\n1;20,5\n",
		"n\tx\n1\t20,5\n",
		"1;20,5\n2;1,000\n",
		"1;+20,5\n;,25\n",
		"1;20,5;21.11.2026\n",
		"1;20,5;\"a, b\"\n",
		"1;205,0e-1\n",
		"1;20,5;-1,000\n",
		"0,125;+20,5\n",
		"1234,567;20,5\n",
		"1,250e3;20,500\n",
		",125;20,500\n",
		"1;20,5;1,2,3 and more\n",
		"1;20,5;,;.;\n",
		"-1,2;20,500\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct csv_table *table = read_text(texts[i]);
		struct err err = {.text = ""};
		double value;

		if (csv_table_number(table, &value, 0, 1, &err))
			fail_msg("%s", err.text);
		assert_close(value, 20.5, 0);
		csv_table_free(table);
	}
}

static void a_cell_that_is_no_number_is_reported_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{"n,x\n1,abc\n", ":2: column 2 ('x'): 'abc' is not a number"},
		{"# x\n1,2x\n", ":2: column 2: '2x' is not a number"},
		{"# x\n1,10ms\n", ":2: column 2: '10ms' is not a number: a unit belongs into"},
		{"1,100 req/s\n", ":1: column 2: '100 req/s' is not a number: a unit belongs into"},
		{"n;x\n1;1,000\n", "'1,000' is not a number: its comma may be one of decimals or"},
		{"n;x\n-1,000;12,000\n1;123,456\n", "'12,000' is not a number: its comma may"},
		{"n;x\n1;1,000\n1;2026-11-21 10:00:00,123\n", "its comma may be one of decimals"},
		{"n;x\n1;1,000\n2;20.5\n", "'1,000' is not a number: other numbers have"},
		{"n;x\n20,5;1,2.3\n", "'1,2.3' is not a number: write a decimal point, and no"},
		{"n;x\n20,5;1,2,3\n", "'1,2,3' is not a number: write a decimal point, and no"},
		{"n;x\n20,5;1,5x\n", "'1,5x' is not a number: write a decimal point, and no"},
		{"n;x\n20,5;nan,1\n", "'nan,1' is not a number: write a decimal point, and no"},
		{"n;x\n20,5;,\n", "',' is not a number: write a decimal point, and no"},
		{"n;x\n1;20,5\n2;20.5\n", "'20,5' is not a number: other numbers have a decimal"},
		{"n;x\n1;1,000,000\n2;20,5\n", "'1,000,000' is not a number: write a decimal"},
		{"n;x\n1;1.000,5\n2;20,5\n", "'1.000,5' is not a number: write a decimal point"},
		{"n,x\n1,\"20,5\"\n", "'20,5' is not a number: write a decimal point"},
		{"n,x\n1,\"1,000\"\n", "'1,000' is not a number: write a decimal point"},
		{"n,x\n1\n", ":2: column 2 ('x'): there is no number"},
		{"n,x,y\n1,,3\n", ":2: column 2 ('x'): there is no number"},
		{"n,x\n1,nan\n", "'nan' is not a number"},
		{"n,x\n1,1e999\n", "'1e999' is not a number"},
		{"n,x\n1,0x10\n", "'0x10' is not a number"},
		{"n,\x1b[2Jx\n1,\x1b[31m\n", ":2: column 2 ('?[2Jx'): '?[31m' is not a number"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_table *table = read_text(cases[i].text);
		struct err err = {.text = ""};
		double value;

		assert_int_equal(csv_table_number(table, &value, 0, 1, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		csv_table_free(table);
	}
}

static void a_text_that_is_no_table_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{"\n# nothing\n,,\n", ": holds no table"},
		{"n,x\n1,2\n1,20,5\n",
		 ":3: has more cells than the first row; write decimal points"},
		{"n,x\n1,\"2\n3,4\n", ":2: a quoted cell begins in this row and does not end"},
		{"n,x\r\"1\n# 2\n3,4\n", ":1: a quoted cell begins in this row and does not end"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].why);
	assert_refused("PERFILE2\0\0\0", 11, ":1: holds a NUL byte");
	assert_refused("\xff\xfe"
		       "n\0,\0x\0\n\0",
		       10, ":1: holds a NUL byte");
}

/* `head`, then `count` times `piece`. */
static char *repeated(const char *head, const char *piece, size_t count, size_t *length)
{
	size_t begin = strlen(head), step = strlen(piece);
	char *text = malloc(begin + count * step + 1);

	assert_non_null(text);
	memcpy(text, head, begin);
	for (size_t i = 0; i < count; i++)
		memcpy(text + begin + i * step, piece, step);
	*length = begin + count * step;
	return text;
}

static void a_table_that_is_too_large_is_refused(void **state)
{
	static const struct {
		const char *head, *piece;
		size_t count;
		const char *why;
	} cases[] = {
		{"n,", "x", CSV_CELL_BYTES_MAX + 1, ":1: holds a cell too long"},
		{"n\n", "1,", CSV_COLUMNS_MAX + 1, ":2: has too many cells"},
		{"", "x", INPUT_LINE_MAX + 9, ":1: the row is too long"},
		{"n,x\n1,\"", "2\n", INPUT_LINE_MAX, ":2: the row is too long"},
		{"n\n", "1\n", CSV_ROWS_MAX, ":4194305: the table has too many rows"},
		{"n,x\n", "1,2345678901234567890123456789012345678901234567890123456789\n",
		 CSV_TEXT_BYTES_MAX / 60, ": the table is too large"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length;
		char *text = repeated(cases[i].head, cases[i].piece, cases[i].count, &length);

		assert_refused(text, length, cases[i].why);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_spellings_of_a_table_are_read_alike),
	cmocka_unit_test(a_first_row_of_names_is_a_header),
	cmocka_unit_test(columns_are_found_by_name_in_any_case),
	cmocka_unit_test(where_blanks_separate_cells_rows_may_have_names),
	cmocka_unit_test(a_comment_names_columns_only_if_it_has_as_many_words),
	cmocka_unit_test(comments_with_a_key_are_facts),
	cmocka_unit_test(a_short_row_has_no_cell_where_it_ends),
	cmocka_unit_test(quoted_cells_hold_separators_quotes_and_line_ends),
	cmocka_unit_test(rows_know_their_line_past_comments_and_empty_lines),
	cmocka_unit_test(decimal_commas_are_read_where_they_separate_nothing),
	cmocka_unit_test(a_cell_that_is_no_number_is_reported_with_its_place),
	cmocka_unit_test(a_text_that_is_no_table_is_refused_with_a_sentence),
	cmocka_unit_test(a_table_that_is_too_large_is_refused),
};

TEST_FILE(tests);
