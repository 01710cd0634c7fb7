/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/stack_use.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <capstone/capstone.h>

static const char *trouble_of(const char *text)
{
	uint8_t code[128];
	size_t count = 0;
	const char *why;
	unsigned byte;
	csh handle;

	for (int used; sscanf(text, "%2x%n", &byte, &used) == 1; text += used)
		code[count++] = (uint8_t)byte;
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), 0);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	why = stack_use_trouble(handle, code, count, 0x401000);
	cs_close(&handle);
	return why;
}

#define LOOKS	  "looks at where it was called from"
#define ELSEWHERE "takes its stack from elsewhere"

static void functions_are_told_by_what_they_do_with_their_return_address(void **state)
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
		{"48 89 f8 50 c3", "returns to what it has put on the stack itself"},
		/* lea rax, [rsp]: where it is */
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
		/* returned from early: test edi, edi; je +5; push rbx; pop rbx; ret; (at +5 from
		 * the jump) mov rax, [rsp + 8]; ret */
		{"85 ff 74 03 53 5b c3 48 8b 44 24 08 c3", NULL},
		/* ... mov rax, [rsp]: nothing has been pushed on that way */
		{"85 ff 74 03 53 5b c3 48 8b 04 24 c3", LOOKS},
		/* a switch: push rbx; jmp rax; mov rax, [rsp + 8]; pop rbx; ret */
		{"53 ff e0 48 8b 44 24 08 5b c3", LOOKS},
		/* ... mov rax, [rsp + 16] */
		{"53 ff e0 48 8b 44 24 10 5b c3", NULL},
		/* lea rsp, [rsp - 8]; mov rax, [rsp + 8]; add rsp, 8; ret */
		{"48 8d 64 24 f8 48 8b 44 24 08 48 83 c4 08 c3", LOOKS},
		/* ... mov rax, [rsp + 16] */
		{"48 8d 64 24 f8 48 8b 44 24 10 48 83 c4 08 c3", NULL},
		/* 16 bytes that end in it: movups [rsp - 8], xmm0; ret */
		{"0f 11 44 24 f8 c3", LOOKS},
		/* nop [rsp]; ret */
		{"0f 1f 04 24 c3", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = trouble_of(cases[i][0]);

		if ((why && cases[i][1]) ? strcmp(why, cases[i][1]) != 0 : why != cases[i][1])
			fail_msg("%s: %s", cases[i][0], why ? why : "nothing");
	}
}

#else

static void functions_are_told_by_what_they_do_with_their_return_address(void **state)
{
	(void)state;
	assert_non_null(stack_use_trouble(0, NULL, 0, 0));
}

#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_are_told_by_what_they_do_with_their_return_address),
};

TEST_FILE(tests);
