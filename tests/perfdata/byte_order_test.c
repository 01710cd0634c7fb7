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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_turned_one_by_one),
		cmocka_unit_test(a_number_is_turned_only_where_it_has_to_be),
	};

	return RUN_TESTS(tests);
}
