/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/enter_leave_line.h"

#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_piece(const struct piece *piece, const char *want, const char *text)
{
	if (!want && !piece->at)
		return;
	if (!want || !piece->at || strlen(want) != piece->length ||
	    memcmp(piece->at, want, piece->length) != 0)
		fail_msg("'%.*s', not '%s': %s", piece->at ? (int)piece->length : 4,
			 piece->at ? piece->at : "none", want ? want : "none", text);
}

static void a_line_says_who_enters_or_leaves_what(void **state)
{
	static const struct {
		const char *text;
		uint64_t time_ns;
		int32_t tid;
		bool leave;
		const char *name, *arguments, *result;
	} cases[] = {
		{"0.00175s   1       Enter function Foo(arg1=17)", 1750000, 1, false, "Foo",
		 "arg1=17", NULL},
		{"0.31054s   2       Leave function Baz(a=21, b=40) return value=91", 310540000, 2,
		 true, "Baz", "a=21, b=40", "91"},
		{"3 4194303 Enter function f", 3000000000, 4194303, false, "f", NULL, NULL},
		{"3.0000000019s 7\tEnter function f() ", 3000000001, 7, false, "f", "", NULL},
		{"1s 1 Enter function f(int, char)", 1000000000, 1, false, "f(int, char)", NULL,
		 NULL},
		{"1s 1 Enter function f(int, char)(a=1, b=2)", 1000000000, 1, false, "f(int, char)",
		 "a=1, b=2", NULL},
		{"1s 1 Enter function std::map<int, f(A*)>::operator()(int)()", 1000000000, 1,
		 false, "std::map<int, f(A*)>::operator()(int)", "", NULL},
		{"1s 1 Enter function open(path=\"a) (b\\\", c=1\", flags=2)", 1000000000, 1, false,
		 "open", "path=\"a) (b\\\", c=1\", flags=2", NULL},
		{"1s 1 Enter function f(v={1, 2}, g=h(3, 4))", 1000000000, 1, false, "f",
		 "v={1, 2}, g=h(3, 4)", NULL},
		{"1s 1 Leave function f return value=\"x\"", 1000000000, 1, true, "f", NULL,
		 "\"x\""},
		{"1s 1 Leave function f(s=\" return value=2\") return value=3", 1000000000, 1, true,
		 "f", "s=\" return value=2\"", "3"},
		{"1s 1 Enter function f(a=\"x\\\", y\", b=2)", 1000000000, 1, false, "f",
		 "a=\"x\\\", y\", b=2", NULL},
		{"1s 1 Leave function f(a=1)", 1000000000, 1, true, "f", "a=1", NULL},
		{"1s 1 Enter function f)", 1000000000, 1, false, "f)", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct enter_leave_line line;

		if (enter_leave_line_parse(&line, cases[i].text) != 1)
			fail_msg("cannot be read: %s", cases[i].text);
		assert_int_equal(line.time_ns, cases[i].time_ns);
		assert_int_equal(line.tid, cases[i].tid);
		assert_int_equal(line.leave, cases[i].leave);
		assert_piece(&line.name, cases[i].name, cases[i].text);
		assert_piece(&line.arguments, cases[i].arguments, cases[i].text);
		assert_piece(&line.result, cases[i].result, cases[i].text);
	}
}

static void what_is_no_such_line_is_told_from_comments(void **state)
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
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct enter_leave_line line;

		if (enter_leave_line_parse(&line, cases[i].text) != cases[i].rc)
			fail_msg("not %d: '%s'", cases[i].rc, cases[i].text);
	}
}

static void the_first_line_names_the_columns(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{"#timestamp #ThreadId #Event", true},
		{"#timestamp   #ThreadId\t#Event ", true},
		{"#timestamp #ThreadId #Event\r", true},
		{"#timestamp #ThreadId", false},
		{"#timestamp #ThreadId #Events", false},
		{"# tracer: nop", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(enter_leave_line_is_head(cases[i].text, strlen(cases[i].text)),
				 cases[i].is);
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
		struct piece value = {cases[i].text, strlen(cases[i].text)};
		double number = 0;

		if (enter_leave_number(&number, &value) != cases[i].rc)
			fail_msg("not %d: '%s'", cases[i].rc, cases[i].text);
		if (!cases[i].rc)
			assert_close(number, cases[i].number, 1e-15);
	}
}

static void arguments_come_one_by_one(void **state)
{
	static const struct {
		const char *text;
		const char *want[4]; /* name, value, name, value */
	} cases[] = {
		{"a=1, b=2", {"a", "1", "b", "2"}},
		{" a = {1, 2} , b=f(3, 4)", {"a", "{1, 2}", "b", "f(3, 4)"}},
		{"a=\"x\\\", y\", b=2", {"a", "\"x\\\", y\"", "b", "2"}},
		{"a=1), b=2]", {"a", "1)", "b", "2]"}}, /* what was never opened */
		{"a=\"never closed, b=2", {"a", "\"never closed, b=2", NULL, NULL}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct piece rest = {cases[i].text, strlen(cases[i].text)};
		struct argument argument;

		for (size_t k = 0; k < 4 && cases[i].want[k]; k += 2) {
			assert_int_equal(enter_leave_argument(&argument, &rest), 1);
			assert_piece(&argument.name, cases[i].want[k], cases[i].text);
			assert_piece(&argument.value, cases[i].want[k + 1], cases[i].text);
		}
		assert_int_equal(enter_leave_argument(&argument, &rest), 0);
	}
}

static void numbers_have_less_than_64_characters(void **state)
{
	char text[65];
	struct piece value = {text, 63};
	double number;

	(void)state;
	memset(text, '0', sizeof(text));
	text[62] = '7';
	assert_int_equal(enter_leave_number(&number, &value), 0);
	assert_close(number, 7, 1e-15);
	value.length = 64;
	assert_int_equal(enter_leave_number(&number, &value), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_says_who_enters_or_leaves_what),
		cmocka_unit_test(what_is_no_such_line_is_told_from_comments),
		cmocka_unit_test(the_first_line_names_the_columns),
		cmocka_unit_test(numbers_are_finite_and_whole),
		cmocka_unit_test(arguments_come_one_by_one),
		cmocka_unit_test(numbers_have_less_than_64_characters),
	};

	return RUN_TESTS(tests);
}
