/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/probe_place.h"

#include "code/function_table.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BYTES(text)  (const uint8_t *)(text), sizeof(text) - 1

/* Beginnings of functions of glibc 2.36, and made-up ones. */
static void a_probe_is_at_an_instruction_that_the_kernel_emulates(void **state)
{
	static const struct {
		const uint8_t *code;
		size_t size;
		unsigned arguments;
		size_t place;
		bool returns, steps;
	} cases[] = {
		/* push %r14 */
		{BYTES("\x41\x56\xc3"), 1, 0, false, false},
		/* mov $1,%esi; jmp: the register of the object does not change */
		{BYTES("\xbe\x01\0\0\0\xe9\0\x10\0\0"), 1, 5, false, false},
		{BYTES("\xbe\x01\0\0\0\xe9\0\x10\0\0"), 2, 0, false, true},
		/* mov 0x10(%rdi),%eax; mov %eax,%edx; and $0x17f,%edx; and $0x7c,%eax; jne */
		{BYTES("\x8b\x47\x10\x89\xc2\x81\xe2\x7f\x01\0\0\x83\xe0\x7c\x0f\x85\xac\0\0\0"
		       "\x53\x5b\xc3"),
		 1, 14, false, false},
		{BYTES("\x8b\x47\x10\x89\xc2\x81\xe2\x7f\x01\0\0\x83\xe0\x7c\x0f\x85\xac\0\0\0"
		       "\x53\x5b\xc3"),
		 3, 0, false, true},
		/* endbr64; push %rbx */
		{BYTES("\xf3\x0f\x1e\xfa\x53\x5b\xc3"), 3, 4, false, false},
		{BYTES("\xf3\x0f\x1e\xfa\x53\x5b\xc3"), 4, 4, true, false},
		/* sub $8,%rsp; jmp: the return address is no longer on top of the stack */
		{BYTES("\x48\x83\xec\x08\xe9\0\x10\0\0"), 1, 4, false, false},
		{BYTES("\x48\x83\xec\x08\xe9\0\x10\0\0"), 1, 0, true, true},
		/* xor %ecx,%ecx; push %rbx */
		{BYTES("\x31\xc9\x53\x5b\xc3"), 3, 2, true, false},
		{BYTES("\x31\xc9\x53\x5b\xc3"), 4, 0, true, true},
		/* mov 8(%rdi),%esi; mov (%rdi),%rax; cmp; je; ...; jne back to cmp */
		{BYTES("\x8b\x77\x08\x48\x8b\x07\x3d\xff\xff\xff\x7f\x74\x0b\x48\x8d\x50\x01\xf0"
		       "\x48\x0f\xb1\x17\x75\xee\xc3"),
		 1, 0, false, true},
		/* a jump to the first instruction: a call of itself */
		{BYTES("\xf3\x0f\x1e\xfa\x53\xeb\xf9"), 1, 4, false, false},
		/* mov %rdi,%rax; push; jmp *%rax */
		{BYTES("\x48\x89\xf8\x53\xff\xe0"), 1, 0, false, true},
		/* ret first; cut off; no code */
		{BYTES("\xc3\x53"), 1, 0, false, true},
		{BYTES("\x48\x89\xf8\x53\x48"), 1, 0, false, true},
		{BYTES(""), 1, 0, false, true},
	};

	(void)state;
#if !defined(__x86_64__)
	skip();
#endif
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct probe_place place = probe_place_find(cases[i].code, cases[i].size,
							    cases[i].arguments, cases[i].returns);

		if (place.offset != cases[i].place || place.is_cheap == cases[i].steps)
			fail_msg("case %zu: at %zu, cheap %d, not %zu", i, (size_t)place.offset,
				 place.is_cheap, cases[i].place);
	}
}

#if defined(__x86_64__)

__asm__(".text\n"
	".type called, @function\n"
	"called: .cfi_startproc\n"
	"nop\n"
	"middle: nop\n"
	"ret\n"
	".cfi_endproc\n"
	".size called, . - called\n"
	".type middle, @function\n"
	".size middle, . - middle\n"
	".type part, @function\n"
	"part: .cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"nop\n"
	"ret\n"
	".cfi_endproc\n"
	".size part, . - part\n"
	".type unknown, @function\n"
	"unknown: nop\n"
	"ret\n"
	".size unknown, . - unknown\n");

static uint64_t address_of(const struct function_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->items[i].name, name) == 0)
			return table->items[i].address;
	fail_msg("there is no %s", name);
	return 0;
}

static void the_unwind_table_tells_where_functions_begin(void **state)
{
	static const char *const cases[][2] = {
		{"main", NULL},
		{"called", NULL},
		{"middle", "is inside a function of the unwind table"},
		{"part", "is part of a function that jumps to it"},
		{"unknown", "is not in the unwind table: its use of the stack is unknown"},
	};
	struct Dwarf_CFI_s *unwind;
	struct function_table table;

	(void)state;
	assert_int_equal(function_table_read(&table, "/proc/self/exe"), 0);
	unwind = unwind_table_open(&table.object);
	assert_non_null(unwind);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = unwind_table_trouble(unwind, address_of(&table, cases[i][0]));

		if (why && cases[i][1])
			assert_string_equal(why, cases[i][1]);
		else
			assert_ptr_equal(why, cases[i][1]);
	}
	unwind_table_close(unwind);
	function_table_release(&table);
}

#else

static void the_unwind_table_tells_where_functions_begin(void **state)
{
	(void)state;
	skip();
}

#endif

static void without_an_unwind_table_no_function_is_known(void **state)
{
	struct object object;

	(void)state;
	object_open(&object, "/etc/passwd");
	assert_null(unwind_table_open(&object));
	assert_null(unwind_table_trouble(NULL, 0x1000));
	unwind_table_close(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_probe_is_at_an_instruction_that_the_kernel_emulates),
	cmocka_unit_test(the_unwind_table_tells_where_functions_begin),
	cmocka_unit_test(without_an_unwind_table_no_function_is_known),
};

TEST_FILE(tests);
