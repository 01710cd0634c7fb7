/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/scan.h"

#include "support.h"

static void numbers_are_taken_up_to_the_limit_of_their_type(void **state)
{
	static const struct {
		const char *text;
		int64_t number; /* -2: no number */
	} cases[] = {
		{"0", 0},
		{"007x", 7},
		{"-1 ", -1},
		{"-12", -2},
		{"2147483647", INT32_MAX},
		{"2147483648", -2},
		{"", -2},
		{" 1", -2},
		{"99999999999999999999999", -2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int32_t number = -2;

		if (!scan_number(cases[i].text, &number))
			number = -2;
		assert_int_equal(number, cases[i].number);
	}
}

static void large_numbers_are_taken_up_to_64_bits(void **state)
{
	uint64_t number;

	(void)state;
	assert_non_null(scan_unsigned("18446744073709551615", &number));
	assert_true(number == UINT64_MAX);
	assert_null(scan_unsigned("18446744073709551616", &number));
	assert_null(scan_unsigned("-1", &number));
}

static void seconds_have_nine_significant_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t time_ns;
		const char *rest; /* NULL: no seconds */
	} cases[] = {
		{"0.00175s", 1750000, "s"},
		{"2", 2000000000, ""},
		{"2. ", 2000000000, " "},
		{"1.0000000019x", 1000000001, "x"},
		{"1.2.3", 1200000000, ".3"},
		{"18446744073.709551615", UINT64_MAX, ""},
		{"18446744073.709551616", 0, NULL},
		{"18446744074", 0, NULL},
		{".5", 0, NULL},
		{"-1", 0, NULL},
		{"", 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t time_ns = 0;
		const char *rest = scan_seconds(cases[i].text, &time_ns);

		assert_int_equal(rest != NULL, cases[i].rest != NULL);
		if (!rest)
			continue;
		assert_string_equal(rest, cases[i].rest);
		assert_true(time_ns == cases[i].time_ns);
	}
}

static void whole_lines_come_one_after_the_other(void **state)
{
	static const char text[] = "one\n\ntwo\nnot whole";
	struct scan_lines lines = {.at = text, .left = sizeof(text) - 1};

	(void)state;
	assert_true(scan_lines_next(&lines));
	assert_string_equal(lines.line, "one");
	assert_int_equal(lines.length, 3);
	assert_true(scan_lines_next(&lines));
	assert_string_equal(lines.line, "");
	assert_true(scan_lines_next(&lines));
	assert_string_equal(lines.line, "two");
	assert_false(scan_lines_next(&lines));
}

static void a_line_without_room_is_skipped(void **state)
{
	char text[4096];
	struct scan_lines lines = {.at = text, .left = sizeof(text)};

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(lines.line) - 1] = '\n'; /* fits exactly */
	text[2 * sizeof(lines.line)] = '\n'; /* one byte too many */
	text[2 * sizeof(lines.line) + 3] = '\n';
	assert_true(scan_lines_next(&lines));
	assert_int_equal(lines.length, sizeof(lines.line) - 1);
	assert_true(scan_lines_next(&lines));
	assert_string_equal(lines.line, "aa");
	assert_false(scan_lines_next(&lines));
}

static void a_decimal_has_a_point_and_digits_around_it(void **state)
{
	static const struct {
		const char *text;
		uint64_t value; /* 0: no number */
		size_t digits;
		const char *rest;
	} cases[] = {
		{"1.5", 1500000000, 1, ""},
		{"9999999999.999999999:", 9999999999999999999U, 9, ":"},
		{"12345678901.5", 0, 0, ""},
		{"1.1234567890", 0, 0, ""},
		{"1.", 0, 0, ""},
		{".5", 0, 0, ""},
		{"15", 0, 0, ""},
		{"", 0, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value;
		size_t digits;
		const char *rest = scan_decimal(cases[i].text, &value, &digits);

		assert_int_equal(rest != NULL, cases[i].value != 0);
		if (!rest)
			continue;
		assert_true(value == cases[i].value);
		assert_int_equal(digits, cases[i].digits);
		assert_string_equal(rest, cases[i].rest);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_decimal_has_a_point_and_digits_around_it),
	cmocka_unit_test(numbers_are_taken_up_to_the_limit_of_their_type),
	cmocka_unit_test(large_numbers_are_taken_up_to_64_bits),
	cmocka_unit_test(seconds_have_nine_significant_decimals),
	cmocka_unit_test(whole_lines_come_one_after_the_other),
	cmocka_unit_test(a_line_without_room_is_skipped),
};

TEST_FILE(tests);
