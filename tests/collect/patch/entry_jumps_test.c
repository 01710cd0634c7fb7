/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/object_patches.h"

#include "base/alloc.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)

enum { ADDRESS = 0x401000 };

/* Bytes; '[' is the begin of a function, "{N" that of one whose first N bytes are overwritten. */
static void jumps_into_changed_entries_are_found(void **state)
{
	static const struct {
		const char *code;
		bool found;
	} cases[] = {
		/* jmp to its entry, and after it */
		{"[ eb 01 90 {5 48 89 f8 89 c1 c3", false},
		{"[ eb 08 90 {5 48 89 f8 89 c1 c3 90 c3", false},
		/* ... into it, as mempcpy does into memmove after 48 89 f8 */
		{"[ 48 89 f8 48 01 d0 eb 03 {5 48 89 f8 89 c1 c3", true},
		/* a conditional jump; from after it; je, 32 bits; call; jmp */
		{"{5 48 89 f8 89 c1 c3 [ 74 fb c3", true},
		{"[ 0f 84 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		{"[ e8 03 00 00 00 c3 {5 48 89 f8 89 c1 c3", true},
		{"[ e9 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		/* to the first byte after the overwritten ones, from before and by 32 bits */
		{"[ eb 05 {5 48 89 f8 89 c1 c3", false},
		{"[ e9 05 00 00 00 {5 48 89 f8 89 c1 c3", false},
		/* jrcxz; loop */
		{"[ e3 03 {5 48 89 f8 89 c1 c3", true},
		{"{5 48 89 f8 89 c1 c3 [ e2 fb c3", true},
		/* the last instruction of the code */
		{"{5 48 89 f8 89 c1 c3 [ e9 f8 ff ff ff", true},
		/* after bytes that are no instruction */
		{"[ 06 06 eb 03 {5 48 89 f8 89 c1 c3", true},
		/* a function begins with it; the one before seems to continue over it */
		{"[ 90 48 b8 [ e9 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		/* before the first known function */
		{"eb 03 90 {5 48 89 f8 89 c1 c3", true},
		/* mov eax, 0x06e9; add [rax], al: bytes inside of an instruction are no jump */
		{"[ b8 e9 06 00 00 00 90 90 {5 48 89 f8 89 c1 c3", false},
		/* ... before the first known function */
		{"e9 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		{"b8 e9 06 00 00 00 90 90 {5 48 89 f8 89 c1 c3", false},
		/* mov al, 0xeb; add al, 0x90 */
		{"[ b0 eb 04 90 {5 48 89 f8 89 c1 c3", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct changed_entry entry = {0, 0, false};
		uint8_t code[256];
		uint64_t starts[4];
		size_t count = 0, start_count = 0;
		unsigned number;

		for (const char *text = cases[i].code; *text; text++) {
			if (*text == '[' || *text == '{')
				starts[start_count++] = ADDRESS + count;
			if (*text == '{')
				entry = (struct changed_entry){ADDRESS + count,
							       (uint64_t)(*++text - '0'), false};
			else if (*text != ' ' && *text != '[' &&
				 sscanf(text++, "%2x", &number) == 1)
				code[count++] = (uint8_t)number;
		}
		entry_jumps_find(&entry, 1, code, count, ADDRESS, starts, start_count);
		if (entry.jumped_into != cases[i].found)
			fail_msg("%s", cases[i].code);
	}
}

/* A jump of 8 bits reaches 127 bytes ahead, and 128 back. */
static void short_jumps_are_found_as_far_as_they_reach(void **state)
{
	enum { FAR = 120, LENGTH = 5 };
	static const uint8_t entry_code[] = {0x48, 0x89, 0xf8, 0x89, 0xc1, 0xc3};

	(void)state;
	for (int ahead = 0; ahead <= 1; ahead++) {
		uint8_t code[2 * FAR];
		size_t at = ahead ? FAR : 0, jump = ahead ? 0 : FAR;
		uint64_t starts[] = {ADDRESS, ADDRESS + FAR};
		struct changed_entry entry = {ADDRESS + at, LENGTH, false};

		memset(code, 0x90, sizeof(code));
		memcpy(code + at, entry_code, sizeof(entry_code));
		code[jump] = 0xeb;
		code[jump + 1] = (uint8_t)(at + 3 - (jump + 2));
		entry_jumps_find(&entry, 1, code, sizeof(code), ADDRESS, starts, 2);
		assert_true(entry.jumped_into);
	}
}

/* Each of so many mov $imm64, %rax holds bytes that would be a jump if read on their own. */
static void bytes_that_look_like_jumps_are_read_once(void **state)
{
	enum { COUNT = 40000, BYTES = 10, LENGTH = 5 };
	static const uint8_t mov[] = {0x48, 0xb8, 0xe9};
	uint64_t starts[] = {ADDRESS, ADDRESS + BYTES};
	struct changed_entry entry = {ADDRESS, LENGTH, false};
	uint8_t *code = xcalloc(COUNT, BYTES);
	clock_t begin = clock();

	(void)state;
	for (int32_t i = 0; i < COUNT; i++) {
		int32_t distance = 1 - (i * BYTES + (int32_t)sizeof(mov) + 4);

		memcpy(code + i * BYTES, mov, sizeof(mov));
		memcpy(code + i * BYTES + sizeof(mov), &distance, sizeof(distance));
	}
	entry_jumps_find(&entry, 1, code, (size_t)COUNT * BYTES, ADDRESS, starts, 2);
	assert_false(entry.jumped_into);
	code[BYTES * (COUNT - 1)] = code[BYTES * (COUNT - 1) + 1] = 0x90; /* now they are a jump */
	entry_jumps_find(&entry, 1, code, (size_t)COUNT * BYTES, ADDRESS, starts, 2);
	assert_true(entry.jumped_into);
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
	free(code);
}

#else

static void bytes_that_look_like_jumps_are_read_once(void **state)
{
	(void)state;
	skip();
}

static void short_jumps_are_found_as_far_as_they_reach(void **state)
{
	(void)state;
	skip();
}

static void jumps_into_changed_entries_are_found(void **state)
{
	(void)state;
	skip();
}

#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(jumps_into_changed_entries_are_found),
	cmocka_unit_test(short_jumps_are_found_as_far_as_they_reach),
	cmocka_unit_test(bytes_that_look_like_jumps_are_read_once),
};

TEST_FILE(tests);
