/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/elf_functions.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wanted {
	const char *name;
	uint64_t offset;
	int times;
};

static void note(void *context, const struct elf_function *function)
{
	struct wanted *wanted = context;

	if (strcmp(function->name, wanted->name) != 0)
		return;
	wanted->offset = function->offset;
	wanted->times++;
}

/* Looked for by its bytes. */
__attribute__((noinline)) int elf_functions_test_mark(int number);
int elf_functions_test_mark(int number)
{
	return number * 7919 + 104729;
}

static void a_function_stands_in_the_file_where_it_is_said_to(void **state)
{
	struct wanted wanted = {.name = "elf_functions_test_mark"};
	unsigned char here[16], there[16];
	int (*mark)(int) = elf_functions_test_mark;
	const void *at;
	FILE *file;

	(void)state;
	elf_functions_each("/proc/self/exe", note, &wanted);
	assert_true(wanted.times >= 1);
	memcpy(&at, &mark, sizeof(at));
	memcpy(here, at, sizeof(here));
	file = fopen("/proc/self/exe", "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)wanted.offset, SEEK_SET), 0);
	assert_int_equal(fread(there, sizeof(there), 1, file), 1);
	fclose(file);
	assert_memory_equal(here, there, sizeof(here));
}

static void what_is_no_program_has_no_functions(void **state)
{
	struct wanted wanted = {.name = "main"};

	(void)state;
	elf_functions_each("/etc/passwd", note, &wanted);
	elf_functions_each("/no/such/file", note, &wanted);
	elf_functions_each("/", note, &wanted);
	elf_functions_each("/dev/null", note, &wanted);
	assert_int_equal(wanted.times, 0);
	assert_null(elf_functions_loader("/etc/passwd"));
}

static void a_program_names_its_loader(void **state)
{
	char *loader = elf_functions_loader("/proc/self/exe");

	(void)state;
	assert_non_null(loader);
	assert_int_equal(access(loader, R_OK), 0);
	free(loader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_stands_in_the_file_where_it_is_said_to),
		cmocka_unit_test(what_is_no_program_has_no_functions),
		cmocka_unit_test(a_program_names_its_loader),
	};
	return RUN_TESTS(tests);
}
