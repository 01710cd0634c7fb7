/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "decode/open_text.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HEAD "#timestamp #ThreadId #Event\n"

/* The example in the thesis. */
static void a_trace_tells_the_blocks_that_threads_enter_and_leave(void **state)
{
	static const char text[] =
		HEAD "0.00175s   1       Enter function Foo(arg1=17)\n"
		     "0.20573s   1       Enter function Bar(n=42.23)\n"
		     "0.21248s   2       Enter function Baz(a=21, b=40)\n"
		     "0.31054s   2       Leave function Baz(a=21, b=40) return value=91\n";
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
		int32_t tid;
		const char *name;
		int32_t count;
		double arguments[2];
	} want[] = {
		{1750000, EVENT_ENTER, 1, "Foo", 1, {17}},
		{205730000, EVENT_ENTER, 1, "Bar", 1, {42.23}},
		{212480000, EVENT_ENTER, 2, "Baz", 2, {21, 40}},
		{310540000, EVENT_LEAVE, 2, "Baz", 1, {91}},
	};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.tid, want[i].tid);
		assert_int_equal(event.place, i + 2);
		assert_string_equal(source->blocks.items[event.block].name, want[i].name);
		assert_int_equal(event.count, want[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], want[i].arguments[k], 1e-15);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_string_equal(blocks_argument(&source->blocks, 0, 0), "arg1");
	assert_string_equal(blocks_argument(&source->blocks, 2, 1), "b");
	event_source_free(source);
}

/* x is met first, then z, then y. */
static void arguments_keep_their_places(void **state)
{
	static const char text[] = HEAD "1s 1 Enter function f(t=\"a, b\", x=1, z=2)\n"
					"2s 1 Enter function f(z=3, x=4)\n"
					"3s 1 Enter function f(z=5, y=6)\n"
					"4s 1 Enter function f(x=7, z=nan, y=8)\n"
					"5s 1 Enter function f(x=1, y=2, z=3, u=4, v=5, w=6)\n";
	static const struct {
		int32_t count;
		double arguments[BLOCK_ARGUMENTS];
	} want[] = {{2, {1, 2}}, {2, {4, 3}}, {0, {0}}, {1, {7}}, {4, {1, 3, 2, 4}}};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.count, want[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], want[i].arguments[k], 0);
	}
	event_source_free(source);
}

static void lines_that_cannot_be_read_are_counted_and_reported(void **state)
{
	static const char text[] = HEAD "1s 1 Enter function f(a=1)\n"
					"rubbish\n"
					"# a comment\n"
					"2s 1 Leave function \0 f(a=1)\n"
					"3s 1 Leave function f(a=1)\n";
	static const struct text_event want[] = {
		{EVENT_ENTER, 1000000000, 2, QUALITY_EVENTS},
		{EVENT_NOTE, 0, 3, QUALITY_MALFORMED},
		{EVENT_NOTE, 0, 5, QUALITY_MALFORMED},
		{EVENT_LEAVE, 3000000000, 6, QUALITY_EVENTS},
	};

	(void)state;
	for (int audited = 0; audited < 2; audited++) {
		struct event_source *source =
			assert_text_events(text, sizeof(text) - 1, want, COUNT(want), audited);

		assert_int_equal(source->quality.malformed, 2);
		event_source_free(source);
	}
}

static void a_text_of_malformed_lines_is_refused(void **state)
{
	static const char text[] = HEAD "# nothing\nrubbish\n";

	(void)state;
	assert_text_refused(text, sizeof(text) - 1,
			    "holds no line in which a thread enters or leaves");
}

/* The event of one line; false: none. */
static bool read_one(struct event *event, struct event_source **source, const char *line)
{
	char *text = xasprintf(HEAD "%s\n", line);
	struct err err;
	bool found;

	*source = open_text(text, strlen(text));
	found = event_source_next(*source, event, &err) > 0;
	free(text);
	return found;
}

static void a_line_has_a_thread_and_a_block(void **state)
{
	static const struct {
		const char *text;
		uint64_t time_ns;
		int32_t tid;
		bool leave;
		const char *name;
		int32_t count;
		double arguments[2];
	} cases[] = {
		{"0.00175s   1       Enter function Foo(arg1=17)",
		 1750000,
		 1,
		 false,
		 "Foo",
		 1,
		 {17}},
		{"0.31054s   2       Leave function Baz(a=21, b=40) return value=91",
		 310540000,
		 2,
		 true,
		 "Baz",
		 1,
		 {91}},
		{"3 4194303 Enter function f", 3000000000, 4194303, false, "f", 0, {0}},
		{"3.0000000019s 7\tEnter function f() ", 3000000001, 7, false, "f", 0, {0}},
		{"1s 1 Enter function f(int, char)", 1000000000, 1, false, "f(int, char)", 0, {0}},
		{"1s 1 Enter function f(int, char)(a=1, b=2)",
		 1000000000,
		 1,
		 false,
		 "f(int, char)",
		 2,
		 {1, 2}},
		{"1s 1 Enter function std::map<int, f(A*)>::operator()(int)()",
		 1000000000,
		 1,
		 false,
		 "std::map<int, f(A*)>::operator()(int)",
		 0,
		 {0}},
		{"1s 1 Enter function open(path=\"a) (b\\\", c=1\", flags=2)",
		 1000000000,
		 1,
		 false,
		 "open",
		 1,
		 {2}},
		{"1s 1 Enter function f(v={1, 2}, g=h(3, 4))", 1000000000, 1, false, "f", 0, {0}},
		{"1s 1 Enter function f( v = {1, 2} , g=h(3, 4), a=5)",
		 1000000000,
		 1,
		 false,
		 "f",
		 1,
		 {5}},
		{"1s 1 Leave function f return value=\"x\"", 1000000000, 1, true, "f", 0, {0}},
		{"1s 1 Leave function f return value=10.0.0.1", 1000000000, 1, true, "f", 0, {0}},
		{"1s 1 Leave function f return value=(nil)", 1000000000, 1, true, "f", 0, {0}},
		{"1s 1 Leave function f return value=none at all",
		 1000000000,
		 1,
		 true,
		 "f",
		 0,
		 {0}},
		{"1s 1 Enter function f(s=\" return value=2\")", 1000000000, 1, false, "f", 0, {0}},
		{"1s 1 Leave function f(s=\" return value=2\") return value=3",
		 1000000000,
		 1,
		 true,
		 "f",
		 1,
		 {3}},
		{"1s 1 Enter function f(a=\"x\\\", y\", b=2)", 1000000000, 1, false, "f", 1, {2}},
		{"1s 1 Leave function f(a=1)", 1000000000, 1, true, "f", 0, {0}},
		{"1s 1 Enter function f(a-b=1)", 1000000000, 1, false, "f(a-b=1)", 0, {0}},
		{"1s 1 Enter function f(1a=1)", 1000000000, 1, false, "f(1a=1)", 0, {0}},
		{"1s 1 Enter function f)", 1000000000, 1, false, "f)", 0, {0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event_source *source;
		struct event event;

		if (!read_one(&event, &source, cases[i].text))
			fail_msg("cannot be read: %s", cases[i].text);
		assert_int_equal(event.time_ns, cases[i].time_ns);
		assert_int_equal(event.tid, cases[i].tid);
		assert_int_equal(event.kind, cases[i].leave ? EVENT_LEAVE : EVENT_ENTER);
		assert_string_equal(source->blocks.items[event.block].name, cases[i].name);
		if (event.count != cases[i].count)
			fail_msg("%d arguments: %s", event.count, cases[i].text);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], cases[i].arguments[k], 1e-15);
		event_source_free(source);
	}
}

static void comments_differ_from_malformed_lines(void **state)
{
	static const struct {
		const char *text;
		int rc;
	} cases[] = {
		{"", 0},
		{"  ", 0},
		{"#timestamp #ThreadId #Event", 0},
		{"  # a comment", 0},
		{"x", -1},
		{"1s", -1},
		{"1s 1", -1},
		{"1s 1 Enter function", -1},
		{"1s 1 Enter function ", -1},
		{"1s 1 Enter function (a=1)", -1},
		{"1s 1 Leave function  return value=1", -1},
		{"1s 1 Enter block f", -1},
		{"-1s 1 Enter function f", -1},
		{"1ms 1 Enter function f", -1},
		{"1.5.2s 1 Enter function f", -1},
		{"1s 0 Enter function f", -1},
		{"1s -1 Enter function f", -1},
		{"1s 2147483648 Enter function f", -1},
		{"18446744074s 1 Enter function f", -1},
		{"99999999999999999999s 1 Enter function f", -1},
		{"1s 1 Enter function f(a=1) return value=5", -1},
		{"1s 1 Enter function f(a=1(b=2) return value=5", -1},
		{"1s 1 Leave function f return value=1or()(int)(n=0x1f)", -1},
		{"1s 1 Leave function f return value=\"x\"(n=1)", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event_source *source;
		struct event event;

		if (read_one(&event, &source, cases[i].text) ||
		    (int)source->quality.malformed != -cases[i].rc)
			fail_msg("not %d: '%s'", cases[i].rc, cases[i].text);
		event_source_free(source);
	}
}

static void the_first_line_names_the_columns(void **state)
{
	static const struct first_lines cases[] = {
		{"#timestamp #ThreadId #Event", true},
		{"#timestamp   #ThreadId\t#Event ", true},
		{"#timestamp #ThreadId #Event\r", true},
		{"#timestamp #ThreadId", false},
		{"#timestamp #ThreadId #Events", false},
		{"# tracer: nop", false},
		{"", false},
	};

	(void)state;
	assert_told_from_first_lines(enter_leave_line_layout.is, cases, COUNT(cases));
}

/* The text as the argument of a function. */
static void check_number(const char *text, bool is, double number)
{
	char *line = xasprintf("1s 1 Enter function f(a=%s)", text);
	struct event_source *source;
	struct event event;

	assert_true(read_one(&event, &source, line));
	if (event.count != is)
		fail_msg("%s a number: '%s'", is ? "not" : "is", text);
	if (is)
		assert_close(event.arguments[0], number, 1e-15);
	event_source_free(source);
	free(line);
}

static void numbers_are_finite_and_whole(void **state)
{
	static const struct {
		const char *text;
		int rc;
		double number;
	} cases[] = {
		{"17", 0, 17},	   {"-3", 0, -3},    {"42.23", 0, 42.23}, {"1e3", 0, 1000},
		{"0x1F", 0, 31},   {"0x", -1, 0},    {"", -1, 0},	  {"nan", -1, 0},
		{"inf", -1, 0},	   {"1e999", -1, 0}, {"12x", -1, 0},	  {"0x1g", -1, 0},
		{"\"17\"", -1, 0}, {"a", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check_number(cases[i].text, !cases[i].rc, cases[i].number);
	}
}

static void numbers_have_less_than_64_characters(void **state)
{
	char text[65] = "";

	(void)state;
	memset(text, '0', 64);
	text[62] = '7';
	check_number(text, false, 0);
	text[63] = '\0';
	check_number(text, true, 7);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_trace_tells_the_blocks_that_threads_enter_and_leave),
	cmocka_unit_test(arguments_keep_their_places),
	cmocka_unit_test(lines_that_cannot_be_read_are_counted_and_reported),
	cmocka_unit_test(a_text_of_malformed_lines_is_refused),
	cmocka_unit_test(a_line_has_a_thread_and_a_block),
	cmocka_unit_test(comments_differ_from_malformed_lines),
	cmocka_unit_test(the_first_line_names_the_columns),
	cmocka_unit_test(numbers_are_finite_and_whole),
	cmocka_unit_test(numbers_have_less_than_64_characters),
};

TEST_FILE(tests);
