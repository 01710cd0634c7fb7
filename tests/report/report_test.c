/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fact_row {
	int32_t cores;
	double wall_s, mean;
};

static const struct column fact_columns[] = {
	{"cores", "cores", FIELD(fact_row, cores)},
	{"wall_s", "wall time", UNIT_SECONDS, FIELD(fact_row, wall_s)},
	{"mean", "threads ready", UNIT_DECIMAL, FIELD(fact_row, mean), .absent = "-"},
};
static const struct table facts = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

struct row {
	const char *name;
	double wall_s, share, bar;
	bool flagged;
	struct values list;
};

static const struct column row_columns[] = {
	{"name", "thread", UNIT_NONE, -8, FIELD(row, name)},
	{"wall_s", "wall time", UNIT_SECONDS, FIELD(row, wall_s)},
	{"share", "share", UNIT_SHARE, FIELD(row, share)},
	{NULL, "", UNIT_BAR, FIELD(row, bar)},
	{"flagged", "flagged", FIELD(row, flagged)},
	{"list", "list", UNIT_NONE, -10, FIELD(row, list)},
};
static const struct table rows = {
	.key = "rows", .title = "All rows", .in = REPORT_ALL, COLUMNS(row_columns)};

struct change_row {
	uint64_t time_ns;
	const char *comm, *state;
};

static const struct column stream_columns[] = {
	{"time_s", "time", UNIT_STAMP, 16, NS(change_row, time_ns)},
	{"comm", "thread", UNIT_NONE, -8, FIELD(change_row, comm)},
	{"state", "state", UNIT_NONE, -10, FIELD(change_row, state)},
};
static const struct table stream = {
	.key = "changes", .layout = LAYOUT_STREAM, .in = REPORT_ALL, COLUMNS(stream_columns)};

static void write_facts(struct report *report)
{
	report_table(report, &facts, (&(struct fact_row){4, 0.1, NAN}), 1);
}

static void write_row(struct report *report, const char *name, double wall_s)
{
	static const char *const list[] = {"a", "b"};

	report_row(report,
		   &(struct row){name, wall_s, 0.5, 0.1, true, {.texts = list, .count = 2}});
}

static void write_rows(struct report *report)
{
	report_begin(report, &rows);
	write_row(report, "one", 0.1);
	write_row(report, NULL, INFINITY);
	report_end(report);
}

struct member_row {
	double share, unknown_share, cost_ns;
	uint64_t wall_ns, unknown_ns;
	size_t count, unknown_count;
	int32_t tid, unknown_tid;
	uint8_t step;
	bool flagged;
	char comm[16];
	const char *text, *no_text;
	struct values numbers, counts, no_values;
	struct truth holds, may_hold;
	struct cell mixed;
};

static const struct member_row member_row = {
	.share = 0.5,
	.unknown_share = NAN,
	.cost_ns = 1.5e6,
	.wall_ns = 2500000000,
	.unknown_ns = UINT64_MAX,
	.count = 3,
	.unknown_count = SIZE_MAX,
	.tid = 17,
	.unknown_tid = -1,
	.step = 200,
	.flagged = true,
	.comm = "worker",
	.text = "text",
	.numbers = {.numbers = (const double[]){0.5, NAN}, .count = 2},
	.counts = {.counts = (const int32_t[]){1, -2}, .count = 2},
	.holds = {true, true},
	.mixed = {.kind = CELL_TEXT, .text = "all"},
};

static const struct column member_columns[] = {
	{"share", "share", UNIT_SHARE, FIELD(member_row, share)},
	{"unknown_share", "unknown", UNIT_SHARE, FIELD(member_row, unknown_share), .absent = "?"},
	{"cost_s", "cost", UNIT_SPAN, NS(member_row, cost_ns)},
	{"wall_s", "wall time", UNIT_SECONDS, NS(member_row, wall_ns)},
	{"unknown_s", "unknown", UNIT_SECONDS, NS(member_row, unknown_ns)},
	{"count", "count", FIELD(member_row, count)},
	{"unknown_count", "unknown", FIELD(member_row, unknown_count)},
	{"tid", "tid", FIELD(member_row, tid)},
	{"unknown_tid", "unknown", FIELD(member_row, unknown_tid)},
	{"step", FIELD(member_row, step)},
	{NULL, "flagged", FIELD(member_row, flagged)},
	{"comm", "thread", UNIT_NONE, -1, FIELD(member_row, comm)},
	{"text", "text", FIELD(member_row, text)},
	{"no_text", "none", FIELD(member_row, no_text)},
	{"numbers", FIELD(member_row, numbers)},
	{"counts", FIELD(member_row, counts)},
	{"no_values", FIELD(member_row, no_values)},
	{"holds", FIELD(member_row, holds)},
	{"may_hold", FIELD(member_row, may_hold)},
	{"mixed", "mixed", FIELD(member_row, mixed)},
	{"in_need", "in need", FIELD(member_row, tid), .needs = 1},
	{"in_need_too", "in need, too", FIELD(member_row, tid), .needs = 2},
};

static void write_members(struct report *report)
{
	static const struct table table = {.key = "rows", .has = 1, COLUMNS(member_columns)};

	report_table(report, &table, &member_row, 1);
}

static void write_members_as_facts(struct report *report)
{
	const struct table table = {
		.key = "facts", .layout = LAYOUT_FACTS, .has = 2, COLUMNS(member_columns)};

	report_table(report, &table, &member_row, 1);
}

/* The output of `write`; the caller frees it. */
static char *written(void (*write)(struct report *report), enum report_format format)
{
	const char *path = file_with("", 0);
	struct err err = {.text = ""};
	struct report *report = report_open(path, format, &err);
	char *text = xcalloc(1 << 16, 1);
	FILE *file;

	assert_non_null(report);
	write(report);
	assert_int_equal(report_finish(report, 0, &err), 0);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

static void assert_written(void (*write)(struct report *report), enum report_format format,
			   const char *want)
{
	char *text = written(write, format);

	assert_string_equal(text, want);
	free(text);
}

static json_t *json_written(void (*write)(struct report *report))
{
	char *text = written(write, REPORT_JSON);
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("%s in '%s'", error.text, text);
	free(text);
	return json;
}

/* --- Text ---------------------------------------------------------------------------------- */

static void facts_are_lines_below_one_another(void **state)
{
	(void)state;
	assert_written(write_facts, REPORT_TEXT,
		       "cores          4\n"
		       "wall time      0.1000 s\n"
		       "threads ready  -\n");
}

static void write_half_of_the_facts(struct report *report)
{
	report_table(report, &facts, (&(struct fact_row){4, NAN, 1}), 1);
}

static void a_fact_that_is_null_has_no_line(void **state)
{
	(void)state;
	assert_written(write_half_of_the_facts, REPORT_TEXT,
		       "cores          4\n"
		       "threads ready  1\n");
}

static void rows_are_aligned_below_a_title(void **state)
{
	(void)state;
	assert_written(write_rows, REPORT_TEXT,
		       "All rows\n"
		       "thread  wall time   share       flagged  list\n"
		       "one      0.1000 s  50.0 %  ###      yes  a b\n"
		       "-               -  50.0 %  ###      yes  a b\n");
}

static void a_column_without_a_label_is_not_in_text(void **state)
{
	(void)state;
	assert_written(
		write_members, REPORT_TEXT,
		" share  unknown     cost  wall time  unknown  count  unknown  tid  unknown  "
		"flagged  thread  text  none  mixed  in need\n"
		"50.0 %        ?  1.50 ms   2.5000 s        -      3        -   17        -  "
		"    yes  worker  text     -    all       17\n");
	assert_written(write_members_as_facts, REPORT_TEXT,
		       "share         50.0 %\n"
		       "unknown       ?\n"
		       "cost          1.50 ms\n"
		       "wall time     2.5000 s\n"
		       "count         3\n"
		       "tid           17\n"
		       "flagged       yes\n"
		       "thread        worker\n"
		       "text          text\n"
		       "mixed         all\n"
		       "in need, too  17\n");
}

static void write_stream(struct report *report)
{
	static const struct change_row changes[] = {{1500000001, "one", "running"},
						    {2000000000, "longer than wide", NULL}};

	report_table(report, &stream, changes, COUNT(changes));
}

static void a_stream_has_columns_of_fixed_width(void **state)
{
	(void)state;
	assert_written(write_stream, REPORT_TEXT,
		       "            time  thread    state\n"
		       "     1.500000001  one       running\n"
		       "     2.000000000  longer than wide  -\n");
}

static void write_two_tables_and_notes(struct report *report)
{
	write_facts(report);
	report_note(report, "A note.");
	write_rows(report);
	report_warning(report, "A %s.", "warning");
	assert_int_equal(report_set(report, REPORT_QUIET, NULL), 0);
	report_warning(report, "Another.");
	report_note(report, "The end.");
}

static void an_empty_line_separates_parts(void **state)
{
	(void)state;
	assert_written(write_two_tables_and_notes, REPORT_TEXT,
		       "cores          4\n"
		       "wall time      0.1000 s\n"
		       "threads ready  -\n"
		       "\n"
		       "A note.\n"
		       "\n"
		       "All rows\n"
		       "thread  wall time   share       flagged  list\n"
		       "one      0.1000 s  50.0 %  ###      yes  a b\n"
		       "-               -  50.0 %  ###      yes  a b\n"
		       "\n"
		       "A warning.\n"
		       "\n"
		       "The end.\n");
}

static void write_long_note(struct report *report)
{
	char word[101];

	memset(word, 'x', 100);
	word[100] = '\0';
	for (int length = 1; length <= 100; length++)
		report_note(report, "%s %.*s and some more words that fill the line up %s", word,
			    length, word, "to its end, and beyond it, so that it must be broken");
}

static void notes_are_broken_into_lines_of_80_columns(void **state)
{
	char *text = written(write_long_note, REPORT_TEXT), *rest = text;
	size_t broken = 0;

	(void)state;
	for (char *line; (line = strsep(&rest, "\n"));) {
		size_t length = strlen(line);

		if (length > 80 && strchr(line, ' '))
			fail_msg("%zu columns: '%s'", length, line);
		assert_true(!length || (line[0] != ' ' && line[length - 1] != ' '));
		broken += length > 70 && length <= 80;
	}
	assert_true(broken > 50); /* lines are not too short */
	free(text);
}

static void write_notes_with_units(struct report *report)
{
	char word[81];

	memset(word, 'x', 80);
	word[80] = '\0';
	for (int length = 1; length <= 80; length++)
		report_note(report, "%.*s 12.3 %% of 4.5 ms, 6 s.", length, word);
}

static void a_number_and_its_unit_stay_on_one_line(void **state)
{
	char *text = written(write_notes_with_units, REPORT_TEXT), *rest = text;

	(void)state;
	for (char *line; (line = strsep(&rest, "\n"));)
		assert_null(memchr("%ms", *line ? *line : '-', 3));
	free(text);
}

/* --- CSV ----------------------------------------------------------------------------------- */

static void csv_has_keys_and_raw_values(void **state)
{
	(void)state;
	assert_written(write_two_tables_and_notes, REPORT_CSV,
		       "name,wall_s,share,flagged,list\n"
		       "one,0.1,0.5,true,a b\n"
		       ",,0.5,true,a b\n");
}

static void write_hostile_names(struct report *report)
{
	static const char *const names[] = {
		"a,b", "a\"b", "a\nb", "a\r", "a b", "'", "\xff", "", "\x7f\xc2\x9b\xe2\x80\xae",
		"=a"};

	report_begin(report, &rows);
	for (size_t i = 0; i < COUNT(names); i++)
		write_row(report, names[i], 1);
	report_end(report);
}

static void csv_quotes_characters_that_end_a_cell(void **state)
{
	(void)state;
	assert_written(write_hostile_names, REPORT_CSV,
		       "name,wall_s,share,flagged,list\n"
		       "\"a,b\",1,0.5,true,a b\n"
		       "\"a\"\"b\",1,0.5,true,a b\n"
		       "a\xef\xbf\xbd"
		       "b,1,0.5,true,a b\n"
		       "a\xef\xbf\xbd,1,0.5,true,a b\n"
		       "a b,1,0.5,true,a b\n"
		       "',1,0.5,true,a b\n"
		       "\xef\xbf\xbd,1,0.5,true,a b\n"
		       ",1,0.5,true,a b\n"
		       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd,1,0.5,true,a b\n"
		       "=a,1,0.5,true,a b\n");
}

/* Also if the table is a copy at another address. */
static void write_one_table_twice(struct report *report)
{
	static const struct change_row change = {1500000001, "one", "running"};
	const struct table again = stream;

	write_stream(report);
	write_stream(report);
	report_table(report, &again, &change, 1);
}

static void csv_has_the_header_of_a_table_once(void **state)
{
	(void)state;
	assert_written(write_one_table_twice, REPORT_CSV,
		       "time_s,comm,state\n"
		       "1.500000001,one,running\n"
		       "2,longer than wide,\n"
		       "1.500000001,one,running\n"
		       "2,longer than wide,\n"
		       "1.500000001,one,running\n");
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_has_facts_as_members_and_rows_as_an_array(void **state)
{
	json_t *json = json_written(write_two_tables_and_notes);
	json_t *all = json_object_get(json, "rows"), *row = json_array_get(all, 0);

	(void)state;
	assert_int_equal(json_object_size(json), 4);
	assert_int_equal(json_integer_value(json_object_get(json, "cores")), 4);
	assert_true(json_real_value(json_object_get(json, "wall_s")) == 0.1);
	assert_true(json_is_null(json_object_get(json, "mean")));
	assert_int_equal(json_array_size(all), 2);
	assert_int_equal(json_object_size(row), 5); /* no bar */
	assert_string_equal(json_string_value(json_object_get(row, "name")), "one");
	assert_true(json_is_true(json_object_get(row, "flagged")));
	assert_int_equal(json_array_size(json_object_get(row, "list")), 2);
	assert_string_equal(json_string_value(json_array_get(json_object_get(row, "list"), 1)),
			    "b");
	row = json_array_get(all, 1);
	assert_true(json_is_null(json_object_get(row, "name")));
	assert_true(json_is_null(json_object_get(row, "wall_s")));
	json_decref(json);
}

#define MEMBERS                                                                                   \
	"\"share\": 0.5, \"unknown_share\": null, \"cost_s\": 0.0015, \"wall_s\": 2.5, "          \
	"\"unknown_s\": null, \"count\": 3, \"unknown_count\": null, \"tid\": 17, "               \
	"\"unknown_tid\": null, \"step\": 200, \"comm\": \"worker\", \"text\": \"text\", "        \
	"\"no_text\": null, \"numbers\": [0.5, null], \"counts\": [1, -2], \"no_values\": null, " \
	"\"holds\": true, \"may_hold\": null, \"mixed\": \"all\", "

static void a_column_without_a_key_is_in_text_only(void **state)
{
	json_t *want = json_loads("{\"rows\": [{" MEMBERS "\"in_need\": 17}]}", 0, NULL);
	json_t *facts_wanted = json_loads("{\"facts\": {" MEMBERS "\"in_need_too\": 17}}", 0, NULL);
	json_t *json = json_written(write_members);
	json_t *facts_json = json_written(write_members_as_facts);

	(void)state;
	assert_true(json_equal(json, want));
	assert_true(json_equal(facts_json, facts_wanted));
	json_decref(want);
	json_decref(facts_wanted);
	json_decref(json);
	json_decref(facts_json);
}

static const double numbers[] = {
	0.1, 1.0 / 3, 1e-300, 1.7976931348623157e308, -2.5, 1, 123456789.123456789, 5e-324};

static void write_numbers(struct report *report)
{
	report_begin(report, &rows);
	for (size_t i = 0; i < COUNT(numbers); i++)
		write_row(report, "x", numbers[i]);
	report_end(report);
}

static void every_number_is_read_back_exactly_from_json_and_csv(void **state)
{
	json_t *json = json_written(write_numbers);
	char *text = written(write_numbers, REPORT_CSV), *rest = text;

	(void)state;
	strsep(&rest, "\n");
	for (size_t i = 0; i < COUNT(numbers); i++) {
		json_t *row = json_array_get(json_object_get(json, "rows"), i);
		const char *line = strsep(&rest, "\n");

		assert_true(json_real_value(json_object_get(row, "wall_s")) == numbers[i]);
		assert_true(strtod(strchr(line, ',') + 1, NULL) == numbers[i]);
	}
	json_decref(json);
	free(text);
}

static const struct digits_row {
	double number;
	uint64_t ns;
} digit_rows[] = {
	{0.1, 0},
	{1.0 / 3, 1},
	{295807e-9, 295807},
	{5e-324, 1000000000},
	{123456789012345680, 12345678901234567891u},
	{0.1 + 0.2, 1500000000},
};

static void write_digits(struct report *report)
{
	static const struct column columns[] = {{"number", FIELD(digits_row, number)},
						{"time_s", NS(digits_row, ns)}};
	static const struct table table = {.key = "rows", .in = REPORT_ALL, COLUMNS(columns)};

	report_table(report, &table, digit_rows, COUNT(digit_rows));
}

static void numbers_have_the_fewest_exact_digits_and_times_all_digits(void **state)
{
	(void)state;
	assert_written(write_digits, REPORT_CSV,
		       "number,time_s\n"
		       "0.1,0\n"
		       "0.3333333333333333,0.000000001\n"
		       "0.000295807,0.000295807\n"
		       "4.94065645841247e-324,1\n"
		       "1.2345678901234568e+17,12345678901.234567891\n"
		       "0.30000000000000004,1.5\n");
	assert_written(write_digits, REPORT_JSON,
		       "{\n\"rows\": [\n"
		       "{\"number\": 0.1, \"time_s\": 0.0},\n"
		       "{\"number\": 0.3333333333333333, \"time_s\": 0.000000001},\n"
		       "{\"number\": 0.000295807, \"time_s\": 0.000295807},\n"
		       "{\"number\": 4.94065645841247e-324, \"time_s\": 1.0},\n"
		       "{\"number\": 1.2345678901234568e+17, \"time_s\": 12345678901.234567891},\n"
		       "{\"number\": 0.30000000000000004, \"time_s\": 1.5}]\n}\n");
}

static void write_keys_twice(struct report *report)
{
	static const struct column columns[] = {{"ns", FIELD(digits_row, ns)},
						{"number", FIELD(digits_row, number)},
						{"ns", FIELD(digits_row, number)}};
	static const struct table table = {.key = "rows", .in = REPORT_ALL, COLUMNS(columns)};

	report_table(report, &table, digit_rows, 1);
}

static void an_object_has_a_member_once(void **state)
{
	(void)state;
	assert_written(write_keys_twice, REPORT_JSON,
		       "{\n\"rows\": [\n{\"ns\": 0, \"number\": 0.1}]\n}\n");
	assert_written(write_keys_twice, REPORT_CSV, "ns,number,ns\n0,0.1,0.1\n");
}

static void any_name_gives_valid_json(void **state)
{
	static const char *const want[] = {"a,b",
					   "a\"b",
					   "a\nb",
					   "a\r",
					   "a b",
					   "'",
					   "\xef\xbf\xbd",
					   "",
					   "\x7f\xc2\x9b\xe2\x80\xae",
					   "=a"};
	json_t *json = json_written(write_hostile_names);

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		json_t *row = json_array_get(json_object_get(json, "rows"), i);

		assert_string_equal(json_string_value(json_object_get(row, "name")), want[i]);
	}
	json_decref(json);
}

static void json_escapes_control_characters_of_terminals(void **state)
{
	char *text = written(write_hostile_names, REPORT_JSON);

	(void)state;
	assert_non_null(strstr(text, "\"\\u007F\\u009B\\u202E\""));
	free(text);
}

static void write_wide_names(struct report *report)
{
	static const char *const names[] = {"\xc3\xa4", "\xe4\xb8\xad\xe6\x96\x87", "\x1b\xff"};

	report_begin(report, &rows);
	for (size_t i = 0; i < COUNT(names); i++)
		write_row(report, names[i], 1);
	report_end(report);
	report_begin(report, &stream);
	for (size_t i = 0; i < COUNT(names); i++)
		report_row(report, &(struct change_row){1000000000, names[i], "x"});
	report_end(report);
}

static void columns_are_as_wide_as_their_cells(void **state)
{
	(void)state;
	assert_written(write_wide_names, REPORT_TEXT,
		       "All rows\n"
		       "thread    wall time   share       flagged  list\n"
		       "\xc3\xa4          1.0000 s  50.0 %  ###      yes  a b\n"
		       "\xe4\xb8\xad\xe6\x96\x87       1.0000 s  50.0 %  ###      yes  a b\n"
		       "\\x1b\\xff   1.0000 s  50.0 %  ###      yes  a b\n"
		       "\n"
		       "            time  thread    state\n"
		       "     1.000000000  \xc3\xa4         x\n"
		       "     1.000000000  \xe4\xb8\xad\xe6\x96\x87      x\n"
		       "     1.000000000  \\x1b\\xff  x\n");
}

static void write_groups(struct report *report)
{
	report_group(report, "first");
	write_facts(report);
	report_ungroup(report);
	report_group(report, "second");
	write_rows(report);
	report_ungroup(report);
	write_stream(report);
}

static void groups_are_objects(void **state)
{
	json_t *json = json_written(write_groups);
	json_t *first = json_object_get(json, "first");

	(void)state;
	assert_int_equal(json_object_size(json), 3);
	assert_int_equal(json_object_size(first), 3);
	assert_int_equal(json_array_size(json_object_get(json_object_get(json, "second"), "rows")),
			 2);
	assert_int_equal(json_array_size(json_object_get(json, "changes")), 2);
	json_decref(json);
}

static void write_array(struct report *report)
{
	for (int i = 0; i < 3; i++) {
		report_group(report, NULL);
		write_facts(report);
		report_ungroup(report);
	}
}

static void groups_without_a_key_are_elements_of_an_array(void **state)
{
	json_t *json = json_written(write_array);

	(void)state;
	assert_int_equal(json_array_size(json), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(json_object_size(json_array_get(json, i)), 3);
	json_decref(json);
}

static void write_array_inside(struct report *report)
{
	report_verdict(report, "Two of them.");
	report_array(report, "items");
	for (int i = 0; i < 2; i++) {
		report_group(report, NULL);
		report_facts(report, NULL, row_columns, &(struct row){.name = "a"});
		report_ungroup(report);
	}
	report_array_end(report);
	report_array(report, "none");
	report_array_end(report);
}

static void an_array_may_be_in_an_object(void **state)
{
	json_t *json = json_written(write_array_inside);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "items")), 2);
	assert_int_equal(json_array_size(json_object_get(json, "none")), 0);
	json_decref(json);
}

static void recordings_are_recognised_by_their_first_bytes(void **state)
{
	static const struct {
		const char *bytes;
		bool keeps;
	} cases[] = {{"PERFILE2\1", true},
		     {"2ELIFREP", true},
		     {"# tracer: nop", true},
		     {"a 1/1 [0] 1.0: sched:sched_switch: prev", true},
		     {"SQLite format 3", false},
		     {"cores,wall_s", false},
		     {"PERF", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(report_keeps(cases[i].bytes, strlen(cases[i].bytes)),
				 cases[i].keeps);
}

static void write_no_rows(struct report *report)
{
	report_begin(report, &rows);
	report_end(report);
	report_begin(report, &stream);
	report_end(report);
}

static void a_table_without_rows_is_an_empty_array(void **state)
{
	json_t *json = json_written(write_no_rows);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 0);
	assert_int_equal(json_array_size(json_object_get(json, "changes")), 0);
	assert_int_equal(json_object_size(json), 2);
	json_decref(json);
}

/* --- Outputs ------------------------------------------------------------------------------- */

static void write_series(struct report *report)
{
	struct err err;

	assert_int_equal(report_set(report, REPORT_SERIES, &err), 0);
	for (int i = 0; i < 2; i++) {
		write_facts(report);
		report_group(report, "group");
		write_rows(report);
		report_ungroup(report);
		assert_int_equal(report_next(report, &err), 0);
	}
	write_facts(report);
}

static void a_series_is_lines_of_json(void **state)
{
	char *text = written(write_series, REPORT_JSON), *rest = text, *line;
	static const int has_group[] = {1, 1, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(has_group) / sizeof(has_group[0]); i++) {
		json_t *json;

		line = strsep(&rest, "\n");
		assert_non_null(line);
		json = json_loads(line, 0, NULL);
		assert_non_null(json);
		assert_int_equal(json_integer_value(json_object_get(json, "cores")), 4);
		assert_int_equal(json_is_object(json_object_get(json, "group")), has_group[i]);
		json_decref(json);
	}
	assert_string_equal(rest, "");
	free(text);
}

static void a_series_of_text_has_empty_lines_between(void **state)
{
	(void)state;
	assert_written(write_series, REPORT_TEXT,
		       "cores          4\n"
		       "wall time      0.1000 s\n"
		       "threads ready  -\n"
		       "\n"
		       "All rows\n"
		       "thread  wall time   share       flagged  list\n"
		       "one      0.1000 s  50.0 %  ###      yes  a b\n"
		       "-               -  50.0 %  ###      yes  a b\n"
		       "\n"
		       "cores          4\n"
		       "wall time      0.1000 s\n"
		       "threads ready  -\n"
		       "\n"
		       "All rows\n"
		       "thread  wall time   share       flagged  list\n"
		       "one      0.1000 s  50.0 %  ###      yes  a b\n"
		       "-               -  50.0 %  ###      yes  a b\n"
		       "\n"
		       "cores          4\n"
		       "wall time      0.1000 s\n"
		       "threads ready  -\n");
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_CSV, REPORT_JSON};
	struct err err = {.text = ""};

	(void)state;
	assert_null(report_open("/nonexistent/file", REPORT_TEXT, &err));
	assert_string_equal(err.text, "/nonexistent/file: cannot write: No such file or directory; "
				      "make its directory first");
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct report *report = report_open("/dev/full", formats[i], &err);

		write_rows(report);
		assert_int_equal(report_finish(report, 0, &err), -1);
		assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
	}
}

static const struct table short_rows = {.key = "rows", .top = 1, COLUMNS(row_columns)};
static const struct table more_rows = {.key = "more", .detail = true, COLUMNS(row_columns)};

static void write_a_screen(struct report *report)
{
	report_verdict(report, "%s used 1.27 of 2 CPUs.", "pigz");
	report_alert(report,
		     "Other programs used 47 %% of the CPUs during the recording, which is %s.",
		     "more than a forecast may leave out");
	report_alert_if(report, false, "This does not hold.");
	report_begin(report, &short_rows);
	write_row(report, "one", 0.1);
	write_row(report, "two", 0.2);
	write_row(report, "three", 0.3);
	report_end(report);
	report_rows(report, &more_rows, NULL, 0, sizeof(struct row));
	report_warning(report, "Recording cost 0.3 ms.");
	report_detail(report, "Waits below 1 us are not counted.");
	report_next_step(report, "pscal forecast");
}

static void the_verdict_comes_first_and_the_next_step_last(void **state)
{
	(void)state;
	assert_written(
		write_a_screen, REPORT_TEXT,
		"pigz used 1.27 of 2 CPUs.\n"
		"! Other programs used 47 % of the CPUs during the recording, which is more than\n"
		"  a forecast may leave out.\n"
		"\n"
		"thread  wall time   share       flagged  list\n"
		"one      0.1000 s  50.0 %  ###      yes  a b\n"
		"... 2 more; --all\n"
		"\n"
		"Recording cost 0.3 ms.\n"
		"\n"
		"next: pscal forecast\n");
}

static void json_has_the_verdict_and_an_array_of_warnings(void **state)
{
	json_t *json = json_written(write_a_screen);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(json, "verdict")),
			    "pigz used 1.27 of 2 CPUs.");
	assert_int_equal(json_array_size(json_object_get(json, "warnings")), 1);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 3);
	json_decref(json);
}

static enum report_setting screen_setting;

static void write_a_screen_with_a_setting(struct report *report)
{
	assert_int_equal(report_set(report, screen_setting, &(struct err){.text = ""}), 0);
	write_a_screen(report);
}

static void settings_choose_the_parts_of_the_text(void **state)
{
	static const struct {
		enum report_setting setting;
		const char *shown, *hidden;
	} cases[] = {
		{REPORT_QUIET, "! Other programs", "Recording cost"},
		{REPORT_QUIET, "pigz used", "next:"},
		{REPORT_VERBOSE, "Waits below 1 us", "three"},
		{REPORT_ALL_ROWS, "three", "--all"},
		{REPORT_COLOUR, "\033[1mpigz used 1.27 of 2 CPUs.\n\033[0m\033[33m!\033[0m ",
		 "!  "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text;

		screen_setting = cases[i].setting;
		text = written(write_a_screen_with_a_setting, REPORT_TEXT);
		assert_non_null(strstr(text, cases[i].shown));
		assert_null(strstr(text, cases[i].hidden));
		free(text);
	}
}

static void a_report_tells_if_a_set_has_its_format(void **state)
{
	struct err err;
	struct report *report = report_open(file_with("", 0), REPORT_CSV, &err);

	(void)state;
	assert_true(report_shows(report, REPORT_ALL));
	assert_true(report_shows(report, REPORT_CSV | REPORT_JSON));
	assert_false(report_shows(report, REPORT_TEXT | REPORT_JSON));
	assert_int_equal(report_finish(report, 0, &err), 0);
}

static const char *row_order;
static size_t row_limit;

static void write_rows_in_order(struct report *report)
{
	static const struct row some[] = {{"two", 2, NAN, 0, false, {0}},
					  {"one", 1, 0.5, 0, false, {0}},
					  {NULL, 2, 0.2, 0, false, {0}},
					  {"four", 4, 0.7, 0, false, {0}}};
	static const struct table shortened = {
		.key = "some", .in = REPORT_ALL, .top = 3, COLUMNS(row_columns)};

	report_choose_rows(report, row_limit, row_order);
	report_table(report, &shortened, some, 4);
}

static void rows_are_in_the_order_of_a_column_and_limited_in_text(void **state)
{
	static const struct {
		const char *order, *text;
		size_t limit;
	} cases[] = {
		{NULL, "two one - ... 1 more; --all", 0},
		{NULL, "two ... 3 more; --all", 1},
		{"wall_s", "four two - ... 1 more; --all", 0},
		{"wall", "four two - one", 4},
		{"Wall Time", "four two ... 2 more; --all", 2},
		{"share", "four one - two", 9},
		{"name", "four one two -", 9},
		{"thread", "four one two -", 9},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char first[256] = "", *text, *rest, *line;

		row_order = cases[i].order;
		row_limit = cases[i].limit;
		rest = text = written(write_rows_in_order, REPORT_TEXT);
		strsep(&rest, "\n");
		while ((line = strsep(&rest, "\n")) && *line) {
			size_t length = *line == '.' ? strlen(line) : strcspn(line, " ");

			snprintf(first + strlen(first), sizeof(first) - strlen(first), "%s%.*s",
				 *first ? " " : "", (int)length, line);
		}
		assert_string_equal(first, cases[i].text);
		free(text);
		text = written(write_rows_in_order, REPORT_CSV);
		for (size_t k = 0; k < 4; k++)
			assert_non_null(strstr(
				text, ((const char *[]){"\none,", "\ntwo,", "\n,", "\nfour,"})[k]));
		free(text);
	}
}

static void an_order_that_no_table_has_is_refused(void **state)
{
	const char *path = file_with("", 0);
	struct err err;
	struct report *report = report_open(path, REPORT_TEXT, &err);

	(void)state;
	report_choose_rows(report, 0, "wal time");
	write_rows(report);
	assert_int_equal(report_finish(report, 0, &err), -1);
	assert_string_equal(err.text, "--sort wal time: no table has this column; did you mean "
				      "'wall time'?");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(facts_are_lines_below_one_another),
	cmocka_unit_test(a_fact_that_is_null_has_no_line),
	cmocka_unit_test(rows_are_aligned_below_a_title),
	cmocka_unit_test(a_column_without_a_label_is_not_in_text),
	cmocka_unit_test(a_column_without_a_key_is_in_text_only),
	cmocka_unit_test(a_stream_has_columns_of_fixed_width),
	cmocka_unit_test(an_empty_line_separates_parts),
	cmocka_unit_test(notes_are_broken_into_lines_of_80_columns),
	cmocka_unit_test(a_number_and_its_unit_stay_on_one_line),
	cmocka_unit_test(csv_has_keys_and_raw_values),
	cmocka_unit_test(csv_quotes_characters_that_end_a_cell),
	cmocka_unit_test(csv_has_the_header_of_a_table_once),
	cmocka_unit_test(json_has_facts_as_members_and_rows_as_an_array),
	cmocka_unit_test(every_number_is_read_back_exactly_from_json_and_csv),
	cmocka_unit_test(numbers_have_the_fewest_exact_digits_and_times_all_digits),
	cmocka_unit_test(an_object_has_a_member_once),
	cmocka_unit_test(any_name_gives_valid_json),
	cmocka_unit_test(json_escapes_control_characters_of_terminals),
	cmocka_unit_test(columns_are_as_wide_as_their_cells),
	cmocka_unit_test(groups_are_objects),
	cmocka_unit_test(groups_without_a_key_are_elements_of_an_array),
	cmocka_unit_test(an_array_may_be_in_an_object),
	cmocka_unit_test(recordings_are_recognised_by_their_first_bytes),
	cmocka_unit_test(a_table_without_rows_is_an_empty_array),
	cmocka_unit_test(a_series_is_lines_of_json),
	cmocka_unit_test(a_series_of_text_has_empty_lines_between),
	cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
	cmocka_unit_test(the_verdict_comes_first_and_the_next_step_last),
	cmocka_unit_test(json_has_the_verdict_and_an_array_of_warnings),
	cmocka_unit_test(settings_choose_the_parts_of_the_text),
	cmocka_unit_test(rows_are_in_the_order_of_a_column_and_limited_in_text),
	cmocka_unit_test(an_order_that_no_table_has_is_refused),
	cmocka_unit_test(a_report_tells_if_a_set_has_its_format),
};

TEST_FILE(tests);
