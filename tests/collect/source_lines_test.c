/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/source_lines.h"

#include "stripped.h"
#include "support.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SELF "/proc/self/exe"

/* It begins with its first line, or as optimised code does with its first statement. */
enum { LINE = __LINE__ + 1 };
__attribute__((noinline)) static int twice(volatile int *number)
{
	*number *= 2;
	return *number;
}

/* An address in memory to where that stands in the file; the first object is the program itself. */
static int take_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *at = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && *at >= begin && *at < begin + segment->p_filesz) {
			*at += segment->p_offset - begin;
			return 1;
		}
	}
	fail_msg("%jx is not in the program", (uintmax_t)*at);
	return -1;
}

static void code_has_the_line_that_it_was_made_from(void **state)
{
	struct source_lines lines = {0};
	volatile int number = 1;
	uint64_t offset = (uint64_t)(uintptr_t)twice;
	struct source_line line;

	(void)state;
	assert_int_equal(twice(&number), 2);
	dl_iterate_phdr(take_offset, &offset);
	assert_true(source_lines_find(&line, &lines, SELF, offset));
	assert_true(strstr(line.file, "source_lines_test.c"));
	assert_in_range(line.line, LINE, LINE + 2);
	for (uint64_t i = 0; i < 8; i++)
		if (source_lines_find(&line, &lines, SELF, offset + i))
			assert_in_range(line.line, LINE, LINE + 5);
	assert_int_equal(lines.count, 1);
	source_lines_release(&lines);
}

static void lines_are_found_in_a_separate_file(void **state)
{
	static const char *const places[] = {NULL, "bin/program.debug"};
	uint64_t offset = (uint64_t)(uintptr_t)twice;

	(void)state;
	dl_iterate_phdr(take_offset, &offset);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stripped stripped;
		struct source_lines lines = {.root = stripped.root};
		struct source_line line;

		stripped_make(&stripped, places[i]);
		assert_true(source_lines_find(&line, &lines, stripped.program, offset));
		assert_true(strstr(line.file, "source_lines_test.c"));
		assert_in_range(line.line, LINE, LINE + 2);
		source_lines_release(&lines);
		assert_int_equal(remove(stripped.debug), 0);
		assert_false(source_lines_find(&line, &lines, stripped.program, offset));
		source_lines_release(&lines);
		stripped_remove(&stripped);
	}
}

static void what_is_no_code_has_no_line(void **state)
{
	static const uint64_t offsets[] = {0, UINT64_MAX, UINT64_C(1) << 63};
	struct source_lines lines = {0};
	struct source_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		assert_false(source_lines_find(&line, &lines, SELF, offsets[i]));
	source_lines_release(&lines);
}

static void what_is_no_program_has_no_lines(void **state)
{
	static const char *const paths[] = {"/",	   "/is/nowhere",     "/dev/null",
					    "GNUmakefile", "/proc/self/maps", "."};
	struct source_lines lines = {0};
	struct source_line line;
	char *text = strdup(file_with("\177ELF and no more", 15));

	(void)state;
	assert_false(source_lines_find(&line, &lines, text, 4));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_false(source_lines_find(&line, &lines, paths[i], 4));
	source_lines_release(&lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_the_line_that_it_was_made_from),
		cmocka_unit_test(lines_are_found_in_a_separate_file),
		cmocka_unit_test(what_is_no_code_has_no_line),
		cmocka_unit_test(what_is_no_program_has_no_lines),
	};

	return RUN_TESTS(tests);
}
