/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include "support.h"

#include <errno.h>
#include <string.h>

static void setting_returns_minus_one_and_keeps_the_sentence(void **state)
{
	struct err err = {"old"};

	(void)state;
	assert_int_equal(err_set(&err, "%s: row %d is odd", "a.csv", 7), -1);
	assert_string_equal(err.text, "a.csv: row 7 is odd");
}

static void the_text_of_errno_can_be_part_of_it(void **state)
{
	struct err err;

	(void)state;
	errno = ENOENT;
	err_set(&err, "x: %m");
	assert_string_equal(err.text, "x: No such file or directory");
}

static void wrapping_says_where_in_front(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, "is odd");
	assert_int_equal(err_wrap(&err, "row %d", 7), -1);
	assert_int_equal(err_wrap(&err, "%s", "a.csv"), -1);
	assert_string_equal(err.text, "a.csv: row 7: is odd");
}

static void what_is_too_long_is_cut_and_ends(void **state)
{
	static const size_t lengths[] = {1, 1000, 1022, 1023, 1024, 1025, 3000};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t kept = lengths[i] < 1023 ? lengths[i] : 1023;
		struct err err;

		memset(text, 'x', lengths[i]);
		text[lengths[i]] = '\0';
		err_set(&err, "%s", text);
		assert_int_equal(strlen(err.text), kept);
		assert_memory_equal(err.text, text, kept);
		err_wrap(&err, "where");
		assert_memory_equal(err.text, "where: x", 8);
		assert_int_equal(strlen(err.text), kept + 7 < 1023 ? kept + 7 : 1023);
		err_set(&err, "inner");
		err_wrap(&err, "%s", text);
		assert_int_equal(strlen(err.text), kept + 7 < 1023 ? kept + 7 : 1023);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(setting_returns_minus_one_and_keeps_the_sentence),
	cmocka_unit_test(the_text_of_errno_can_be_part_of_it),
	cmocka_unit_test(wrapping_says_where_in_front),
	cmocka_unit_test(what_is_too_long_is_cut_and_ends),
};

TEST_FILE(tests);
