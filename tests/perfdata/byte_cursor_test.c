/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/byte_cursor.h"

#include "support.h"

static const char bytes[] = "\x01\x02\x03\x04"
			    "\x01\x02\x03\x04\x05\x06\x07\x08"
			    "abc\0"
			    "de";
enum { LENGTH = sizeof(bytes) - 1 }; /* the last text has no NUL */

static void what_is_there_is_taken_one_after_the_other(void **state)
{
	struct byte_cursor cursor = {.at = bytes, .left = LENGTH};
	uint32_t four;
	uint64_t eight;

	(void)state;
	memcpy(&four, bytes, sizeof(four));
	memcpy(&eight, bytes + sizeof(four), sizeof(eight));
	assert_int_equal(byte_cursor_u32(&cursor), four);
	assert_int_equal(byte_cursor_u64(&cursor), eight);
	assert_string_equal(byte_cursor_text(&cursor), "abc");
	assert_ptr_equal(byte_cursor_take(&cursor, 2), bytes + LENGTH - 2);
	assert_int_equal(cursor.left, 0);
	assert_false(cursor.short_of);
}

static void numbers_of_the_other_byte_order_are_turned(void **state)
{
	struct byte_cursor cursor = {.at = bytes, .left = LENGTH, .swapped = true};
	uint32_t four;
	uint64_t eight;

	(void)state;
	memcpy(&four, bytes, sizeof(four));
	memcpy(&eight, bytes + sizeof(four), sizeof(eight));
	assert_int_equal(byte_cursor_u32(&cursor), __builtin_bswap32(four));
	assert_int_equal(byte_cursor_u64(&cursor), __builtin_bswap64(eight));
}

static void what_is_not_there_is_nothing_and_remembered(void **state)
{
	static const struct {
		size_t left;
		char what;
	} cases[] = {
		{3, '4'}, {0, '4'}, {7, '8'}, {0, 't'}, {2, 't'}, {2, 'b'}, {2, 's'}, {2, 'S'},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct byte_cursor cursor = {.at = bytes + LENGTH - cases[i].left,
					     .left = cases[i].left};

		switch (cases[i].what) {
		case '4':
			assert_int_equal(byte_cursor_u32(&cursor), 0);
			break;
		case '8':
			assert_int_equal(byte_cursor_u64(&cursor), 0);
			break;
		case 't':
			assert_null(byte_cursor_text(&cursor));
			break;
		case 'b':
			assert_null(byte_cursor_take(&cursor, UINT64_MAX));
			break;
		case 's':
			byte_cursor_skip(&cursor, 3, 1);
			break;
		default: /* a product that wraps */
			byte_cursor_skip(&cursor, UINT64_MAX / 8 + 2, 8);
			break;
		}
		assert_true(cursor.short_of);
		assert_int_equal(cursor.left, cases[i].left);
	}
}

static void nothing_may_be_passed_over(void **state)
{
	struct byte_cursor cursor = {.at = bytes, .left = 0};

	(void)state;
	byte_cursor_skip(&cursor, 0, 8);
	assert_false(cursor.short_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_taken_one_after_the_other),
		cmocka_unit_test(numbers_of_the_other_byte_order_are_turned),
		cmocka_unit_test(what_is_not_there_is_nothing_and_remembered),
		cmocka_unit_test(nothing_may_be_passed_over),
	};

	return RUN_TESTS(tests);
}
