/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/mapped_files.h"

#include "code/elf_functions.h"
#include "support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const struct file_set *library, const char *part)
{
	for (size_t i = 0; i < library->count; i++)
		if (strstr(library->paths[i], part))
			return true;
	return false;
}

static void a_process_has_its_program_and_its_library_once(void **state)
{
	struct file_set library = {.count = 0};
	size_t count;

	(void)state;
	c_library_of_process(&library, getpid(), "/proc");
	count = library.count;
	assert_true(has(&library, "/libc"));
	assert_true(has(&library, "/tests/code/tests"));
	c_library_of_process(&library, getpid(), "/proc");
	assert_int_equal(library.count, count);
	file_set_release(&library);
}

static void a_command_is_found_as_a_shell_does(void **state)
{
	struct file_set library = {.count = 0};

	(void)state;
	c_library_of_command(&library, "env");
	assert_true(has(&library, "/env"));
	assert_int_equal(library.count, 2); /* and its loader */
	file_set_release(&library);
	c_library_of_command(&library, "no-such-command-anywhere");
	assert_int_equal(library.count, 0);
	file_set_release(&library);
}

static void a_process_that_has_ended_adds_nothing(void **state)
{
	struct file_set library = {.count = 0};

	(void)state;
	c_library_of_process(&library, 99999999, "/proc");
	assert_int_equal(library.count, 0);
	file_set_release(&library);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_process_has_its_program_and_its_library_once),
	cmocka_unit_test(a_command_is_found_as_a_shell_does),
	cmocka_unit_test(a_process_that_has_ended_adds_nothing),
};

TEST_FILE(tests);
