/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/payload_field.h"

#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	for (size_t i = 0; i < COUNT(cases); i++)
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
	for (size_t i = 0; i < COUNT(cases); i++) {
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

static void a_name_ends_at_its_nul_or_at_its_size(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *name;
	} cases[] = {
		{"", 0, ""},
		{"a\0rest", 6, "a"},
		{"seven77", 7, "seven77"},
		{"eight888", 8, "eight888"},
		{"thirteen13abc", 13, "thirteen13abc"},
		{"fifteen15151515\0", 16, "fifteen15151515"},
		{"far longer than any name of a thread", 36, "far longer than"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *copy = malloc(cases[i].size + 1); /* its end is watched */
		char comm[COMM_SIZE] = "before";

		memcpy(copy, cases[i].bytes, cases[i].size);
		copy = realloc(copy, cases[i].size ? cases[i].size : 1);
		payload_copy_name(comm, copy, cases[i].size);
		assert_string_equal(comm, cases[i].name);
		free(copy);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_have_their_size_sign_and_byte_order),
	cmocka_unit_test(a_place_lies_within_the_payload_or_counts_for_nothing),
	cmocka_unit_test(a_name_ends_at_its_nul_or_at_its_size),
};

TEST_FILE(tests);
