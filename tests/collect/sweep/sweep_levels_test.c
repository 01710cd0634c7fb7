/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/sweep/sweep_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void a_list_is_numbers_and_ranges_ascending_each_once(void **state)
{
	static const struct {
		const char *text, *levels;
	} cases[] = {
		{"1", "1 "},
		{"8,4,2,1,4", "1 2 4 8 "},
		{"1-4", "1 2 3 4 "},
		{"1-16:3", "1 4 7 10 13 16 "},
		{"1-15:3", "1 4 7 10 13 "},
		{"1-64x2", "1 2 4 8 16 32 64 "},
		{"1-48x2,48", "1 2 4 8 16 32 48 "},
		{"3-100x3", "3 9 27 81 "},
		{"5-5", "5 "},
		{"1048576", "1048576 "},
		{"1-2,2-3x2", "1 2 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sweep_levels levels;
		struct err err;
		char text[256] = "";

		assert_int_equal(sweep_levels_parse(&levels, cases[i].text, &err), 0);
		for (size_t j = 0; j < levels.count; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%" PRIu64 " ",
				 levels.n[j]);
		assert_string_equal(text, cases[i].levels);
		sweep_levels_release(&levels);
	}
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const cases[] = {
		"",    "0",	"1,",	 "a",	  "4-1",     "1-8x1",	  "1-8x0",  "1-8:0",
		"4x2", "4:2",	"-4",	 "1.5",	  "1-8:",    "1-8x",	  "1-8x2x", " 1",
		"1;2", "1-2-3", "0-4x2", "1-1e3", "1048577", "1-1048576", "1-4097",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sweep_levels levels;
		struct err err = {""};

		assert_int_equal(sweep_levels_parse(&levels, cases[i], &err), -1);
		assert_non_null(strstr(err.text, cases[i]));
		sweep_levels_release(&levels);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_numbers_and_ranges_ascending_each_once),
		cmocka_unit_test(what_is_no_list_is_refused),
	};

	return RUN_TESTS(tests);
}
