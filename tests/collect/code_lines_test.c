/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/code_lines.h"

#include "support.h"

#include <link.h>
#include <string.h>

#define SELF "/proc/self/exe"

/* The first object is the program itself. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

static void an_instruction_is_of_a_line(void **state)
{
	struct code_lines *lines = code_lines_open(SELF);
	uint32_t line = 0, here = __LINE__;
	const char *file;
	uint64_t base;

	(void)state;
	dl_iterate_phdr(take_base, &base);
	assert_non_null(lines);
	file = code_lines_find(&line, lines, (uintptr_t)an_instruction_is_of_a_line - base);
	assert_non_null(file);
	assert_non_null(strstr(file, "code_lines_test.c"));
	assert_in_range(line, here - 3, here + 5);
	code_lines_close(lines);
}

static void what_is_no_code_is_of_no_line(void **state)
{
	struct code_lines *lines = code_lines_open(SELF);
	uint32_t line;

	(void)state;
	assert_null(code_lines_find(&line, lines, 0));
	assert_null(code_lines_find(&line, lines, UINT64_MAX));
	assert_null(code_lines_find(&line, NULL, 4096));
	code_lines_close(lines);
}

static void what_is_no_program_has_no_lines(void **state)
{
	static const char *const paths[] = {"/no/such/file", "/dev/null", "/proc/self/maps",
					    "GNUmakefile", "."};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_null(code_lines_open(paths[i]));
	code_lines_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_is_of_a_line),
		cmocka_unit_test(what_is_no_code_is_of_no_line),
		cmocka_unit_test(what_is_no_program_has_no_lines),
	};

	return RUN_TESTS(tests);
}
