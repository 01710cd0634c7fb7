/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"

#include "base/err.h"
#include "random.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_double_is_a_whole_finite_decimal_number(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0},
		    {"7", 7},
		    {"-7.25", -7.25},
		    {"+3", 3},
		    {".5", 0.5},
		    {"5.", 5},
		    {"1e3", 1000},
		    {"1E-3", 0.001},
		    {"007", 7},
		    {"-0", 0},
		    {"1.7976931348623157e308", 1.7976931348623157e308},
		    {"0.1", 0.1},
		    {"1e-320", 1e-320}};
	static const char *const bad[] = {"",	   " 1",  "1 ",	   "1x",  "x1",	  "0x10", "inf",
					  "-inf",  "nan", "1e309", "-",	  "+",	  ".",	  "1,5",
					  "--1",   "1e",  "1.2.3", "e5",  "\t1",  "1\n",  "-nan",
					  "0x1p4", "INF", "+inf",  "1e+", "1_000"};
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		value = -1;
		if (parse_double(&value, good[i].text))
			fail_msg("'%s' was refused", good[i].text);
		if (value != good[i].value)
			fail_msg("'%s' became %.17g", good[i].text, value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!parse_double(&value, bad[i]))
			fail_msg("'%s' was taken for %g", bad[i], value);
}

/* Numbers of up to 18 digits, with a point at any place or without one. */
static void short_decimals_are_the_doubles_that_strtod_gives(void **state)
{
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		uint64_t divisor = 1;
		double value, expected;
		char text[64];
		int point;

		for (size_t k = random_below(&random, 18); k > 0; k--)
			divisor *= 10;
		point = snprintf(text, sizeof(text), "%" PRIu64, random_next(&random) % divisor);
		point = (int)random_below(&random, (size_t)point + 2);
		if (point <= (int)strlen(text)) {
			memmove(text + point + 1, text + point, strlen(text + point) + 1);
			text[point] = '.';
		}
		expected = strtod(text, NULL);
		if (parse_double(&value, text) || value != expected)
			fail_msg("'%s' became %.17g, not %.17g", text, value, expected);
	}
}

static void a_whole_number_has_digits_only_and_fits(void **state)
{
	static const struct {
		const char *text;
		uint64_t max, value;
	} good[] = {
		{"0", 0, 0},
		{"0", UINT64_MAX, 0},
		{"10", 10, 10},
		{"00010", 10, 10},
		{"4294967295", UINT32_MAX, UINT32_MAX},
		{"18446744073709551615", UINT64_MAX, UINT64_MAX},
	};
	static const struct {
		const char *text;
		uint64_t max;
	} bad[] = {
		{"", 10},
		{"11", 10},
		{"1", 0},
		{"7", 5},
		{"-1", 10},
		{"+1", 10},
		{" 1", 10},
		{"1 ", 10},
		{"1.0", 10},
		{"1e3", UINT64_MAX},
		{"0x1", UINT64_MAX},
		{"4294967296", UINT32_MAX},
		{"18446744073709551616", UINT64_MAX},
		{"99999999999999999999999", UINT64_MAX},
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		value = 77;
		if (parse_u64(&value, good[i].text, good[i].max) || value != good[i].value)
			fail_msg("'%s' became %" PRIu64, good[i].text, value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!parse_u64(&value, bad[i].text, bad[i].max))
			fail_msg("'%s' was taken, at most %" PRIu64, bad[i].text, bad[i].max);
}

static void seconds_may_have_a_unit(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} good[] = {{"2", 2},	     {"0.5", 0.5},  {"3s", 3},	    {"250ms", 0.25},
		    {"10us", 10e-6}, {"7ns", 7e-9}, {"1e2ms", 0.1}, {"0", 0},
		    {"1.5s", 1.5},   {"2m", 120},   {"2min", 120},  {"1.5h", 5400}};
	static const char *const bad[] = {"",	"s",	"ms",	"-1",	 "-1s",	 "1 s", "1M",
					  "1d", "2sec", "1.s2", "1e400", "1sms", "x",	" 1"};
	double seconds;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		if (parse_seconds(&seconds, good[i].text, &err))
			fail_msg("%s", err.text);
		assert_close(seconds, good[i].seconds, 1e-15);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		char want[64];

		if (!parse_seconds(&seconds, bad[i], &err))
			fail_msg("'%s' was taken for %g s", bad[i], seconds);
		snprintf(want, sizeof(want), "'%s' is not a time", bad[i]);
		assert_non_null(strstr(err.text, want));
	}
}

static void a_time_that_is_too_long_to_be_one_is_refused(void **state)
{
	char text[128];
	double seconds;
	struct err err;

	(void)state;
	memset(text, '0', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse_seconds(&seconds, text, &err), -1);
}

static void a_list_has_numbers_and_ranges_in_the_order_given(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		uint64_t numbers[8];
	} cases[] = {
		{"5", 1, {5}},		 {"1,2,4", 3, {1, 2, 4}},
		{"4,2,2", 3, {4, 2, 2}}, {"1-3,8", 4, {1, 2, 3, 8}},
		{"7-7", 1, {7}},	 {"98-100,1", 4, {98, 99, 100, 1}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t *list;
		struct err err;
		size_t count;

		if (parse_list(&list, &count, cases[i].text, 1, 100, &err))
			fail_msg("%s", err.text);
		assert_int_equal(count, cases[i].count);
		assert_memory_equal(list, cases[i].numbers, count * sizeof(*list));
		free(list);
	}
}

static void a_list_that_is_none_is_refused_and_nothing_is_left_to_free(void **state)
{
	static const char *const bad[] = {
		"",    ",",   "1,",  ",1",    "1,,2", "0",     "101",
		"1-",  "-1",  "3-1", "1-101", "0-3",  "1-2-3", "a",
		"1;2", "1 2", " 1",  "1, 2",  "1.5",  "1--2",  "1-18446744073709551616"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint64_t *list;
		struct err err;
		size_t count;

		if (!parse_list(&list, &count, bad[i], 1, 100, &err))
			fail_msg("'%s' was taken", bad[i]);
		assert_null(list);
		assert_non_null(strstr(err.text, "numbers from 1 to 100"));
	}
}

static void a_list_has_a_largest_length(void **state)
{
	static const struct {
		const char *text;
		int rc;
		size_t count;
	} cases[] = {
		{"1-65536", 0, PARSE_LIST_MAX},	  {"1-65537", -1, 0},
		{"1-65535,7", 0, PARSE_LIST_MAX}, {"1-65535,7,8", -1, 0},
		{"1-60000,1-60000", -1, 0},	  {"0-18446744073709551615", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t *list;
		struct err err;
		size_t count;

		assert_int_equal(parse_list(&list, &count, cases[i].text, 0, UINT64_MAX, &err),
				 cases[i].rc);
		if (!cases[i].rc)
			assert_int_equal(count, cases[i].count);
		free(list);
	}
}

static void a_list_of_doubles_is_read_or_refused_as_a_whole(void **state)
{
	static const char *const bad[] = {"", "1,", "1,,2", "1,x", "1;2", "1,nan", "1-3"};
	double *list;
	struct err err;
	size_t count;

	(void)state;
	assert_int_equal(parse_doubles(&list, &count, "1,2.5,-40,1e3", &err), 0);
	assert_int_equal(count, 4);
	assert_close(list[1], 2.5, 0);
	assert_close(list[3], 1000, 0);
	free(list);
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!parse_doubles(&list, &count, bad[i], &err))
			fail_msg("'%s' was taken", bad[i]);
		assert_null(list);
		assert_non_null(strstr(err.text, "is not a list of numbers"));
	}
}

static void sizes_may_have_a_suffix(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"0", 0},
		    {"4096", 4096},
		    {"12B", 12},
		    {"1K", 1024},
		    {"1.5M", 1536 * 1024},
		    {"2G", UINT64_C(2) << 30},
		    {"3T", UINT64_C(3) << 40}};
	static const char *const bad[] = {"", "K", "-1", "1k", "1 K", "1KB", "nan", "1e19", "inf"};
	uint64_t bytes;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		if (parse_size(&bytes, good[i].text, &err))
			fail_msg("'%s': %s", good[i].text, err.text);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!parse_size(&bytes, bad[i], &err))
			fail_msg("'%s' was taken for a size", bad[i]);
}

static void a_share_is_a_number_or_a_percentage(void **state)
{
	static const char *const bad[] = {"%", "", "5 %", "5%%", "%5"};
	double share;

	(void)state;
	assert_int_equal(parse_share(&share, "0.5"), 0);
	assert_close(share, .5, 1e-15);
	assert_int_equal(parse_share(&share, "12.5%"), 0);
	assert_close(share, .125, 1e-15);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!parse_share(&share, bad[i]))
			fail_msg("'%s' was taken for a share", bad[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_double_is_a_whole_finite_decimal_number),
	cmocka_unit_test(short_decimals_are_the_doubles_that_strtod_gives),
	cmocka_unit_test(a_whole_number_has_digits_only_and_fits),
	cmocka_unit_test(a_share_is_a_number_or_a_percentage),
	cmocka_unit_test(seconds_may_have_a_unit),
	cmocka_unit_test(sizes_may_have_a_suffix),
	cmocka_unit_test(a_time_that_is_too_long_to_be_one_is_refused),
	cmocka_unit_test(a_list_has_numbers_and_ranges_in_the_order_given),
	cmocka_unit_test(a_list_that_is_none_is_refused_and_nothing_is_left_to_free),
	cmocka_unit_test(a_list_has_a_largest_length),
	cmocka_unit_test(a_list_of_doubles_is_read_or_refused_as_a_whole),
};

TEST_FILE(tests);
