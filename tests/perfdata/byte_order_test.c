/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/byte_order.h"

#include "support.h"

#include <string.h>
#include <traceevent/event-parse.h>

static void a_number_is_swapped_only_in_the_other_byte_order(void **state)
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

static void values_are_taken_one_after_the_other(void **state)
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

static void numbers_of_the_other_byte_order_are_swapped(void **state)
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

static void a_missing_value_is_0_and_marks_the_payload(void **state)
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

static void no_field_may_be_skipped(void **state)
{
	struct byte_cursor cursor = {.at = bytes, .left = 0};

	(void)state;
	byte_cursor_skip(&cursor, 0, 8);
	assert_false(cursor.short_of);
}

static void numbers_have_their_size_sign_and_byte_order(void **state)
{
	static const char payload[] = "\xff\xfe\xff\xff\xfd\xff\xff\xff";
	static const struct {
		struct payload_field field;
		bool swapped;
		uint64_t number;
	} cases[] = {
		{{.size = 1}, false, 0xff},
		{{.size = 1, .is_signed = true}, false, UINT64_MAX},
		{{.offset = 1, .size = 2}, false, 0xfffe},
		{{.offset = 1, .size = 2}, true, 0xfeff},
		{{.offset = 4, .size = 4, .is_signed = true}, false, (uint64_t)-3},
		{{.offset = 4, .size = 4}, true, 0xfdffffff},
		{{.size = 8}, false, 0xfffffffdfffffeff},
		{{.size = 0, .is_signed = true}, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(payload_field_number(&cases[i].field, payload, cases[i].swapped),
				 cases[i].number);
}

static void a_place_lies_within_the_payload_or_counts_for_nothing(void **state)
{
	static const struct {
		const char *payload;
		bool relative, inside;
		size_t offset, size;
	} cases[] = {
		{"\x04\0\x04\0wxyz", false, true, 4, 4},
		{"\x08\0\0\0wxyz", false, true, 8, 0},
		{"\x05\0\x04\0wxyz", false, false, 5, 4},
		{"\x09\0\0\0wxyz", false, false, 9, 0},
		{"\xff\xff\xff\xffwxyz", false, false, 0xffff, 0xffff},
		{"\0\0\x04\0wxyz", true, true, 4, 4},
		{"\x01\0\x04\0wxyz", true, false, 5, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct payload_field field = {
			.size = 4, .dynamic = true, .relative = cases[i].relative};
		size_t offset, size;

		assert_int_equal(
			payload_field_place(&field, cases[i].payload, 8, false, &offset, &size),
			cases[i].inside);
		assert_int_equal(offset, cases[i].offset);
		assert_int_equal(size, cases[i].size);
	}
}

static void a_field_has_the_type_in_its_format(void **state)
{
	static const char format[] =
		"name: e\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc char[] text;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] wide;\toffset:28;\tsize:8;\tsigned:0;\n"
		"\nprint fmt: \"%d\", REC->number\n";
	static const struct {
		const char *name;
		struct payload_field field;
		size_t needed;
	} cases[] = {
		{"number", {.offset = 4, .size = 4, .is_signed = true}, 8},
		{"comm", {.offset = 8, .size = 16, .is_array = true}, 24},
		{"text", {.offset = 24, .size = 4, .is_array = true, .dynamic = true}, 28},
		{"wide", {.size = 0}, 0}, /* no place of a text */
		{"other", {.size = 0}, 0},
		{NULL, {.size = 0}, 0},
	};
	struct tep_handle *tep = tep_alloc();

	(void)state;
	assert_int_equal(tep_parse_event(tep, format, sizeof(format) - 1, "s"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct payload_field *want = &cases[i].field;
		size_t needed = 0;
		struct payload_field field =
			payload_field_find(tep_find_event(tep, 7), cases[i].name, &needed);

		assert_int_equal(field.size, want->size);
		assert_int_equal(needed, cases[i].needed);
		if (!field.size)
			continue;
		assert_int_equal(field.offset, want->offset);
		assert_int_equal(field.is_array, want->is_array);
		assert_int_equal(field.is_signed, want->is_signed);
		assert_int_equal(field.dynamic, want->dynamic);
		assert_false(field.relative);
	}
	tep_free(tep);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_field_has_the_type_in_its_format),
	cmocka_unit_test(a_number_is_swapped_only_in_the_other_byte_order),
	cmocka_unit_test(values_are_taken_one_after_the_other),
	cmocka_unit_test(numbers_of_the_other_byte_order_are_swapped),
	cmocka_unit_test(a_missing_value_is_0_and_marks_the_payload),
	cmocka_unit_test(no_field_may_be_skipped),
	cmocka_unit_test(numbers_have_their_size_sign_and_byte_order),
	cmocka_unit_test(a_place_lies_within_the_payload_or_counts_for_nothing),
};

TEST_FILE(tests);
