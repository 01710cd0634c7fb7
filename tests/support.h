/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every unit test needs: cmocka in its order of includes, and floating-point comparison
 * (cmocka 1.1.5 compares doubles as floats).
 */
#ifndef PSCAL_TESTS_SUPPORT_H
#define PSCAL_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* |got - want| <= tolerance * |want|, or <= tolerance where want is 0. Fails with both numbers. */
#define assert_close(got, want, tolerance) \
	assert_close_at((got), (want), (tolerance), #got, __FILE__, __LINE__)

void assert_close_at(double got, double want, double tolerance, const char *what, const char *file,
		     int line);

/* A file with `text` below a fresh directory that goes away with the program. Returns its path;
 * valid until the next call. */
const char *file_with(const void *bytes, size_t length);

/* Is this the round of `make nightly`, which has time for all that a test can try? */
bool is_nightly(void);

struct test_file {
	const char *path;
	const struct CMUnitTest *tests;
	size_t count;
	CMFixtureFunction set_up, tear_down; /* around all of them; NULL is none */
};

/*
 * Ends a file: these are its tests. All files of a folder are one program (run_tests.c). It finds
 * them in a section, as that needs neither a list that may lack one nor code that runs before main.
 */
#define TEST_FILE(tests) TEST_FILE_WITH(tests, NULL, NULL)
#define TEST_FILE_WITH(tests, set_up, tear_down) \
	TEST_FILE_OF(tests, sizeof(tests) / sizeof((tests)[0]), set_up, tear_down)
/* What a file ends with where none of its tests is for the machine. */
#define NO_TESTS TEST_FILE_OF(NULL, 0, NULL, NULL)

#define TEST_FILE_OF(tests, count, set_up, tear_down)                                          \
	static const struct test_file test_file = {__FILE__, tests, count, set_up, tear_down}; \
	static const struct test_file *const listed_test_file                                  \
		__attribute__((used, section("test_files"))) = &test_file

/* What a program of its own, with a main of its own, does. */
#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
