/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/byte_order.h"

#include "support.h"

#include <string.h>

static void numbers_are_turned_one_by_one(void **state)
{
	static const struct {
		const char *layout, *bytes, *want;
	} cases[] = {
		{"", "abcdefgh", "abcdefgh"},
		{"8", "abcdefgh", "hgfedcba"},
		{"44", "abcdefgh", "dcbahgfe"},
		{"2214", "abcdefghij", "badceihgfj"},
		{"4", "abcdefgh", "dcbaefgh"},
		{"448", "abcdefgh1234", "dcbahgfe1234"},
		{"4*", "abcd12345678abcdefghtail", "dcba87654321hgfedcbatail"},
		{"*", "abcdefg", "abcdefg"},
		{"b", "\x01\x80\x03\x40\x55\x0f\xff\x12", "\x80\x01\xc0\x02\xaa\xf0\xff\x48"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[32] = "";
		size_t length = strlen(cases[i].bytes);

		memcpy(bytes, cases[i].bytes, length);
		byte_order_swap(bytes, length, cases[i].layout);
		if (strcmp(bytes, cases[i].want) != 0)
			fail_msg("'%s' of '%s' is '%s'", cases[i].layout, cases[i].bytes, bytes);
	}
}

static void a_number_is_turned_only_where_it_has_to_be(void **state)
{
	(void)state;
	assert_int_equal(byte_order_u16(0x1234, true), 0x3412);
	assert_int_equal(byte_order_u16(0x1234, false), 0x1234);
	assert_int_equal(byte_order_u32(0x12345678, true), 0x78563412);
	assert_int_equal(byte_order_u32(0x12345678, false), 0x12345678);
	assert_true(byte_order_u64(0x123456789abcdef0, true) == 0xf0debc9a78563412);
	assert_true(byte_order_u64(0x123456789abcdef0, false) == 0x123456789abcdef0);
}

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_are_turned_one_by_one),
	cmocka_unit_test(a_number_is_turned_only_where_it_has_to_be),
	cmocka_unit_test(what_is_there_is_taken_one_after_the_other),
	cmocka_unit_test(numbers_of_the_other_byte_order_are_turned),
	cmocka_unit_test(what_is_not_there_is_nothing_and_remembered),
	cmocka_unit_test(nothing_may_be_passed_over),
};

TEST_FILE(tests);
