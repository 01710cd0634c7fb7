/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of a folder of tests. Each file of tests is a link to the program, named as the file,
 * so each file runs in a process of its own:
 *
 *	tests/FOLDER/FILE_test [PATTERN]
 *
 * runs the tests of FILE_test.c, or those with a name that fits PATTERN ('*' and '?').
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The linker sets these to the begin and the end of the section. */
extern const struct test_file *const __start_test_files[];
extern const struct test_file *const __stop_test_files[];

/* True if the path of the file is .../NAME.c. */
static bool is_called(const struct test_file *file, const char *name)
{
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;
	size_t length = strlen(name);

	return strncmp(base, name, length) == 0 && strcmp(base + length, ".c") == 0;
}

int main(int argc, char **argv)
{
	const char *name = program_invocation_short_name;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	for (const struct test_file *const *at = __start_test_files; at < __stop_test_files; at++)
		if (is_called(*at, name))
			return _cmocka_run_group_tests(name, (*at)->tests, (*at)->count,
						       (*at)->set_up, (*at)->tear_down);
	fprintf(stderr, "%s: there is no file of tests of that name in this program\n", name);
	return 1;
}
