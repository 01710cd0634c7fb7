/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/entry_jumps.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

enum { ADDRESS = 0x401000 };

/* Bytes; '[' where a function begins, "{N" where one does whose first N bytes are overwritten. */
static void jumps_into_changed_entries_are_found(void **state)
{
	static const struct {
		const char *code;
		bool found;
	} cases[] = {
		/* jmp to its entry, and behind it */
		{"[ eb 01 90 {5 48 89 f8 89 c1 c3", false},
		{"[ eb 08 90 {5 48 89 f8 89 c1 c3 90 c3", false},
		/* ... into it, as mempcpy does into memmove: 48 89 f8 has been done already */
		{"[ 48 89 f8 48 01 d0 eb 03 {5 48 89 f8 89 c1 c3", true},
		/* a condition; from behind; je, 32 bits; call; jmp */
		{"{5 48 89 f8 89 c1 c3 [ 74 fb c3", true},
		{"[ 0f 84 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		{"[ e8 03 00 00 00 c3 {5 48 89 f8 89 c1 c3", true},
		{"[ e9 03 00 00 00 {5 48 89 f8 89 c1 c3", true},
		/* before any function that is known */
		{"eb 03 90 {5 48 89 f8 89 c1 c3", true},
		/* mov eax, 0x06e9; add [rax], al: what is inside of an instruction is no jump */
		{"[ b8 e9 06 00 00 00 90 90 {5 48 89 f8 89 c1 c3", false},
		/* mov al, 0xeb; add al, 0x90 */
		{"[ b0 eb 04 90 {5 48 89 f8 89 c1 c3", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct changed_entry entry = {0, 0, false};
		uint8_t code[64];
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

#else

static void jumps_into_changed_entries_are_found(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_into_changed_entries_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
