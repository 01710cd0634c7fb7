/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_private.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_formatted(struct cell cell, enum unit unit, const char *want)
{
	char text[256];

	assert_ptr_equal(format_cell(text, sizeof(text), &cell, unit), text);
	assert_string_equal(text, want);
}

static void a_number_has_its_unit(void **state)
{
	static const struct {
		double number;
		enum unit unit;
		const char *text;
	} cases[] = {
		{1.23456, UNIT_SECONDS, "1.2346 s"},
		{0, UNIT_SECONDS, "0.0000 s"},
		{12345.6, UNIT_SPAN, "12346 s"},
		{1.23456, UNIT_SPAN, "1.23 s"},
		{0.9996, UNIT_SPAN, "1.00 s"},
		{0.9994, UNIT_SPAN, "999 ms"},
		{0.0123456, UNIT_SPAN, "12.3 ms"},
		{99.96e-6, UNIT_SPAN, "100 us"},
		{1e-6, UNIT_SPAN, "1.00 us"},
		{25e-9, UNIT_SPAN, "25 ns"},
		{0, UNIT_SPAN, "0 ns"},
		{-1e-12, UNIT_SPAN, "0 ns"},
		{-1e-9, UNIT_SPAN, "-1 ns"},
		{12.345678901, UNIT_STAMP, "12.345678901"},
		{0.1234, UNIT_SHARE, "12.3 %"},
		{1, UNIT_SHARE, "100.0 %"},
		{-0.0004, UNIT_SHARE, "0.0 %"},
		{-0.0006, UNIT_SHARE, "-0.1 %"},
		{1.932, UNIT_FACTOR, "1.93x"},
		{1.0 / 3, UNIT_DECIMAL, "0.333333"},
		{1234567, UNIT_DECIMAL, "1.23457e+06"},
		{1884.3, UNIT_SHORT, "1884"},
		{.0000386211, UNIT_SHORT, "0.0000386"},
		{.02772, UNIT_SHORT, "0.0277"},
		{61.2463, UNIT_SHORT, "61.2"},
		{89.9952, UNIT_SHORT, "90.0"},
		{216, UNIT_SHORT, "216"},
		{1234567, UNIT_SHORT, "1234567"},
		{1.5e12, UNIT_SHORT, "1.5e+12"},
		{-.00201, UNIT_SHORT, "-0.00201"},
		{0, UNIT_SHORT, "0"},
		{4, UNIT_NONE, "4"},
		{0, UNIT_BAR, ""},
		{-1, UNIT_BAR, ""},
		{0.1, UNIT_BAR, "###"},
		{1, UNIT_BAR, "##############################"},
		{7, UNIT_BAR, "##############################"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_formatted(cell_number(cases[i].number), cases[i].unit, cases[i].text);
}

static void a_missing_number_is_a_dash(void **state)
{
	(void)state;
	assert_formatted(((struct cell){.kind = CELL_NULL}), UNIT_NONE, "-");
	assert_formatted(cell_text(NULL), UNIT_NONE, "-");
	assert_formatted(cell_number(NAN), UNIT_SECONDS, "-");
	assert_formatted(cell_number(INFINITY), UNIT_FACTOR, "-");
	assert_formatted(cell_number(-INFINITY), UNIT_BAR, "-");
}

static void counts_truths_texts_and_lists_are_shown_plainly(void **state)
{
	static const char *const list[] = {"one", "two", "three"};
	static const struct values values = {.texts = list, .count = 3};

	(void)state;
	assert_formatted(cell_count(0), UNIT_NONE, "0");
	assert_formatted(cell_count(INT64_MIN), UNIT_NONE, "-9223372036854775808");
	assert_formatted(cell_count(INT64_MAX), UNIT_NONE, "9223372036854775807");
	assert_formatted(cell_bool(true), UNIT_NONE, "yes");
	assert_formatted(cell_bool(false), UNIT_NONE, "no");
	assert_formatted(cell_text("a text"), UNIT_NONE, "a text");
	assert_formatted(cell_text(""), UNIT_NONE, "");
	assert_formatted(cell_values(&values), UNIT_NONE, "one two three");
	assert_formatted(cell_values(&(struct values){.texts = list}), UNIT_NONE, "");
}

static void a_text_cannot_control_the_terminal(void **state)
{
	(void)state;
	assert_formatted(cell_text("a\x1b[2Jb\nc\td\x7f"
				   "e\r"),
			 UNIT_NONE, "a\\x1b[2Jb\\x0ac\\x09d\\x7fe\\x0d");
	assert_formatted(cell_text("\xc3\xa4"), UNIT_NONE, "\xc3\xa4");
}

static void a_text_that_does_not_fit_is_cut(void **state)
{
	static const char *const list[] = {"one", "two", "three"};
	static const struct values values = {.texts = list, .count = 3};
	const struct cell cells[] = {cell_text("a text"), cell_values(&values),
				     cell_count(123456789), cell_number(1)};
	static const enum unit units[] = {UNIT_NONE, UNIT_NONE, UNIT_NONE, UNIT_BAR};

	(void)state;
	for (size_t i = 0; i < COUNT(cells); i++) {
		char whole[64];

		format_cell(whole, sizeof(whole), &cells[i], units[i]);
		for (size_t size = 1; size < 32; size++) {
			char *text = malloc(size); /* the sanitizer watches its end */
			size_t kept = strlen(whole) < size ? strlen(whole) : size - 1;

			format_cell(text, size, &cells[i], units[i]);
			assert_int_equal(strlen(text), kept);
			assert_memory_equal(text, whole, kept);
			free(text);
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_number_has_its_unit),
	cmocka_unit_test(a_missing_number_is_a_dash),
	cmocka_unit_test(counts_truths_texts_and_lists_are_shown_plainly),
	cmocka_unit_test(a_text_cannot_control_the_terminal),
	cmocka_unit_test(a_text_that_does_not_fit_is_cut),
};

TEST_FILE(tests);
