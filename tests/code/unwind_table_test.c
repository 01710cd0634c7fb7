/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/probe_place.h"

#include "code/function_table.h"
#include "support.h"

#include <string.h>

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

static void functions_are_what_is_called_as_the_unwind_table_has_it(void **state)
{
	static const char *const cases[][2] = {
		{"main", NULL},
		{"called", NULL},
		{"middle", "is the middle of a function to the unwind table"},
		{"part", "is a part of a function, to which that jumps"},
		{"unknown",
		 "is not in the unwind table, so that nobody knows what it does with the stack"},
	};
	struct unwind_table *unwind;
	struct function_table table;

	(void)state;
	assert_int_equal(function_table_read(&table, "/proc/self/exe"), 0);
	unwind = unwind_table_open(table.path);
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

static void functions_are_what_is_called_as_the_unwind_table_has_it(void **state)
{
	(void)state;
	skip();
}

#endif

static void a_file_without_a_table_knows_nothing(void **state)
{
	(void)state;
	assert_null(unwind_table_open("/nowhere"));
	assert_null(unwind_table_open("/etc/passwd"));
	assert_null(unwind_table_trouble(NULL, 0x1000));
	unwind_table_close(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_are_what_is_called_as_the_unwind_table_has_it),
	cmocka_unit_test(a_file_without_a_table_knows_nothing),
};

TEST_FILE(tests);
