/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/entry_patch.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

enum { ADDRESS = 0x401000 };

#if defined(__x86_64__)

/* Bytes in hexadecimal; '|' ends the function, and the rest belongs to no function. */
struct code {
	uint8_t bytes[128];
	size_t size, room;
};

static struct code code_of(const char *text)
{
	struct code code = {{0}, 0, 0};
	size_t count = 0, size = 0;
	int used;
	unsigned byte;

	for (; *text; text += used) {
		used = 1;
		if (*text == '|')
			size = count;
		else if (sscanf(text, "%2x%n", &byte, &used) == 1)
			code.bytes[count++] = (uint8_t)byte;
	}
	code.size = size ? size : count;
	code.room = count - code.size;
	return code;
}

/* The moved bytes, with "+N" before a displacement to ADDRESS + N; or the reason of a refusal. */
static const char *text_of(char *text, size_t size, const char *bytes)
{
	struct code code = code_of(bytes);
	struct plan_patch patch;
	struct entry_reader *reader = entry_reader_new();
	const char *why =
		entry_patch_make(&patch, reader, code.bytes, code.size, code.room, ADDRESS);
	size_t at = 0;

	entry_reader_free(reader);
	if (why)
		return why;
	assert_int_equal(patch.block, ADDRESS);
	assert_memory_equal(patch.before, code.bytes + (patch.address - ADDRESS), patch.length);
	at += (size_t)snprintf(text, size, "%u at %lu:", patch.length, patch.address - ADDRESS);
	for (size_t i = 0; i < patch.moved_length; i++) {
		for (size_t k = 0; k < patch.fixup_count; k++)
			if (patch.fixups[k].at == i)
				at += (size_t)snprintf(text + at, size - at, " [%+ld from %u]",
						       (long)(patch.fixups[k].target - ADDRESS),
						       patch.fixups[k].end);
		at += (size_t)snprintf(text + at, size - at, " %02x", patch.moved[i]);
	}
	return text;
}

static void entries_move_or_are_refused_with_a_reason(void **state)
{
	static const char *const cases[][2] = {
		/* push rbp; mov rbp, rsp; sub rsp, 16; leave; ret */
		{"55 48 89 e5 48 83 ec 10 c9 c3", "8 at 0: 55 48 89 e5 48 83 ec 10"},
		/* endbr64 stays; push r15; push r14; push rbx; pop...; ret */
		{"f3 0f 1e fa 41 57 41 56 53 5b 41 5e 41 5f c3", "5 at 4: 41 57 41 56 53"},
		/* mov eax, [rip + 0x10]; ret */
		{"8b 05 10 00 00 00 c3", "6 at 0: 8b 05 [+22 from 6] 10 00 00 00"},
		/* cmp dword [rip + 0x10], 5; ret: an immediate after the displacement */
		{"83 3d 10 00 00 00 05 c3", "7 at 0: 83 3d [+23 from 7] 10 00 00 00 05"},
		/* test rdi, rdi; je +2; inc eax; ret */
		{"48 85 ff 74 02 ff c0 c3", "5 at 0: 48 85 ff 0f 84 [+7 from 9] 00 00 00 00"},
		/* jmp +0x100 */
		{"e9 00 01 00 00", "5 at 0: e9 [+261 from 5] 00 00 00 00"},
		/* jmp short +0x20; with nops after it */
		{"eb 20 | 66 90 66 90", "6 at 0: e9 [+34 from 5] 00 00 00 00"},
		/* mov eax, edi; ret; nops */
		{"89 f8 c3 | 0f 1f 44 00 00", "8 at 0: 89 f8 c3"},
		{"89 f8 c3", "is too short for a jump"},
		{"89 f8 c3 | 55 48 89 e5", "is too short for a jump"},
		{"c3", "is too short for a jump"},
		/* loop +0; nop...; ret */
		{"e2 00 90 90 90 90 c3", "begins with a jump that reaches only near places"},
		/* call +0; ret */
		{"e8 00 00 00 00 c3", "begins with a call that could not be unwound"},
		{"0f 05 90 90 90 c3", "begins with a trap or a system call"},
		{"06 07 c3 c3 c3 c3", "begins with unknown instructions"},
		/* dec edi; xor eax, eax; nop; jne to the entry; ret */
		{"ff cf 31 c0 90 75 f9 c3", "jumps back to its entry"},
		/* the same to the second instruction, and to the first one that is not moved */
		{"ff cf 31 c0 90 75 fb c3", "jumps back to its entry"},
		{"ff cf 31 c0 90 75 fe c3", "5 at 0: ff cf 31 c0 90"},
		/* push rbp, rbx, rax, rcx, rdx; jmp to the last of them, and to itself */
		{"55 53 50 51 52 eb fd", "jumps back to its entry"},
		{"55 53 50 51 52 eb fe", "5 at 0: 55 53 50 51 52"},
		/* test edi, edi; jg +2; nop...: all conditions */
		{"85 ff 7f 02 90 90 90 c3", "5 at 0: 85 ff 0f 8f [+6 from 8] 00 00 00 00 90"},
		/* xor eax, eax; ret; bytes that are no padding */
		{"31 c0 c3 | 48 89 e5", "is too short for a jump"},
		/* mov rbp, [rdi + 8]; push rax; jmp rax */
		{"48 8b 6f 08 50 ff e0", "jumps to unknown places, perhaps to its entry"},
		/* dec edi; xor eax, eax; nop; jmp rax */
		{"ff cf 31 c0 90 ff e0", "jumps to unknown places, perhaps to its entry"},
		/* push rbp; mov rbp, rsp; push rbx; jmp rax */
		{"55 48 89 e5 53 ff e0", "5 at 0: 55 48 89 e5 53"},
		/* push rbp; mov rbp, rsp; pop rbp; ret; a byte that is no instruction */
		{"55 48 89 e5 5d c3 06", "holds unknown instructions, which may jump to its entry"},
		{"f3 0f 1e fa", "is too short for a jump"},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_of(text, sizeof(text), cases[i][0]), cases[i][1]);
}

#define LOOKS	  "reads its return address"
#define ELSEWHERE "changes to another stack"

static void functions_are_judged_by_their_use_of_the_return_address(void **state)
{
	static const char *const cases[][2] = {
		/* sub rsp, 0x18; mov [rsp + 8], rdi; mov rax, [rsp + 0x20]; add rsp, 0x18; ret:
		 * the seventh argument */
		{"48 83 ec 18 48 89 7c 24 08 48 8b 44 24 20 48 83 c4 18 c3", NULL},
		/* ... mov rax, [rsp + 0x18]: its return address */
		{"48 83 ec 18 48 89 7c 24 08 48 8b 44 24 18 48 83 c4 18 c3", LOOKS},
		/* push rbp; mov rbp, rsp; mov rax, [rbp + 8]; pop rbp; ret */
		{"55 48 89 e5 48 8b 45 08 5d c3", LOOKS},
		/* ... mov rax, [rbp + 16] */
		{"55 48 89 e5 48 8b 45 10 5d c3", NULL},
		/* rbp is no frame pointer: mov rax, [rbp + 8] */
		{"55 48 89 fd 48 8b 45 08 5d c3", NULL},
		/* setjmp: lea rdx, [rsp + 8]; mov rax, [rsp]; mov [rdi], rax; xor eax, eax; ret */
		{"48 8d 54 24 08 48 8b 04 24 48 89 07 31 c0 c3", LOOKS},
		/* vfork: pop rdi; mov eax, 58; syscall; push rdi; ret */
		{"5f b8 3a 00 00 00 0f 05 57 c3", LOOKS},
		/* mov rax, rdi; push rax; ret: a jump */
		{"48 89 f8 50 c3", "returns to an address that it pushed itself"},
		/* lea rax, [rsp]: the address of the return address */
		{"48 8d 04 24 48 89 07 c3", LOOKS},
		/* a coroutine: push rbp; mov [rdi], rsp; mov rsp, rsi; pop rbp; ret */
		{"55 48 89 27 48 89 f4 5d c3", ELSEWHERE},
		/* setcontext: mov rsp, [rdi + 0xa0]; ret */
		{"48 8b a7 a0 00 00 00 c3", ELSEWHERE},
		/* an array of varying size: push rbp; mov rbp, rsp; sub rsp, rdi; leave; ret */
		{"55 48 89 e5 48 29 fc c9 c3", NULL},
		/* ... mov r12, rsp; sub rsp, rdi; mov rsp, r12; ret */
		{"49 89 e4 48 29 fc 4c 89 e4 c3", NULL},
		/* aligned: lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; mov rbp,
		 * rsp; push r10; pop r10; pop rbp; lea rsp, [r10 - 8]; ret */
		{"4c 8d 54 24 08 48 83 e4 e0 41 ff 72 f8 55 48 89 e5 41 52 41 5a 5d 49 8d 62 f8 c3",
		 NULL},
		/* an early return: test edi, edi; je +5; push rbx; pop rbx; ret; (at +5 from the
		 * jump) mov rax, [rsp + 8]; ret */
		{"85 ff 74 03 53 5b c3 48 8b 44 24 08 c3", NULL},
		/* ... mov rax, [rsp]: no push on that path */
		{"85 ff 74 03 53 5b c3 48 8b 04 24 c3", LOOKS},
		/* a switch: push rbx; sub rsp, 8; jmp rax; mov rax, [rsp + 16]; add rsp, 8; pop
		 * rbx; ret */
		{"53 48 83 ec 08 ff e0 48 8b 44 24 10 48 83 c4 08 5b c3", LOOKS},
		/* ... mov rax, [rsp + 24] */
		{"53 48 83 ec 08 ff e0 48 8b 44 24 18 48 83 c4 08 5b c3", NULL},
		/* lea rsp, [rsp - 8]; mov rax, [rsp + 8]; add rsp, 8; ret */
		{"48 8d 64 24 f8 48 8b 44 24 08 48 83 c4 08 c3", LOOKS},
		/* ... mov rax, [rsp + 16] */
		{"48 8d 64 24 f8 48 8b 44 24 10 48 83 c4 08 c3", NULL},
		/* 16 bytes that overlap the return address: movups [rsp - 8], xmm0; ret */
		{"0f 11 44 24 f8 c3", LOOKS},
		/* nop [rsp]; ret */
		{"0f 1f 04 24 c3", NULL},
	};

	struct entry_reader *reader = entry_reader_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code = code_of(cases[i][0]);
		struct plan_patch patch;
		const char *why =
			entry_patch_make(&patch, reader, code.bytes, code.size, 0, ADDRESS);

		if ((why && cases[i][1]) ? strcmp(why, cases[i][1]) != 0 : why != cases[i][1])
			fail_msg("%s: %s", cases[i][0], why ? why : "nothing");
	}
	entry_reader_free(reader);
}

/* Each moved instruction is complete, or the entry is refused. */
static void any_bytes_are_moved_or_refused(void **state)
{
	struct entry_reader *reader = entry_reader_new();
	uint64_t seed = 1;
	size_t moved = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t code[24];
		struct plan_patch patch;

		for (size_t i = 0; i < sizeof(code); i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			code[i] = (uint8_t)(seed >> 56);
		}
		if (entry_patch_make(&patch, reader, code, 1 + (size_t)round % 20,
				     (size_t)round % 4, ADDRESS))
			continue;
		moved++;
		assert_in_range(patch.length, 5, PLAN_MOVED_MAX);
		assert_in_range(patch.moved_length, 1, PLAN_MOVED_MAX);
		assert_in_range(patch.fixup_count, 0, PLAN_FIXUPS_MAX);
		for (size_t i = 0; i < patch.fixup_count; i++)
			assert_in_range(patch.fixups[i].at + 4, 4, patch.moved_length);
	}
	entry_reader_free(reader);
	assert_true(moved > 100);
}

#endif

static const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
	cmocka_unit_test(entries_move_or_are_refused_with_a_reason),
	cmocka_unit_test(functions_are_judged_by_their_use_of_the_return_address),
	cmocka_unit_test(any_bytes_are_moved_or_refused),
#endif
};

TEST_FILE(tests);
