/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The headers that every unit test needs: cmocka in its order of includes, and floating-point
 * comparison (cmocka 1.1.5 compares doubles as floats).
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

/* Writes the bytes to a file in a fresh directory, which is removed when the program ends. Returns
 * its path; valid until the next call. */
const char *file_with(const void *bytes, size_t length);

/* True in `make nightly`, which has time to try all cases of a test. */
bool is_nightly(void);

struct test_file {
	const char *path;
	const struct CMUnitTest *tests;
	size_t count;
	CMFixtureFunction set_up, tear_down; /* around all tests of the file; NULL: none */
};

/*
 * Ends a file: lists its tests. All files of a folder are one program (run_tests.c). The program
 * finds the tests in a section: that needs no list, which may lack a file, and no code that runs
 * before main.
 */
#define TEST_FILE(tests) TEST_FILE_WITH(tests, NULL, NULL)
#define TEST_FILE_WITH(tests, set_up, tear_down) \
	TEST_FILE_OF(tests, sizeof(tests) / sizeof((tests)[0]), set_up, tear_down)
/* Ends a file none of whose tests fits the machine. */
#define NO_TESTS TEST_FILE_OF(NULL, 0, NULL, NULL)

#define TEST_FILE_OF(tests, count, set_up, tear_down)                                          \
	static const struct test_file test_file = {__FILE__, tests, count, set_up, tear_down}; \
	static const struct test_file *const listed_test_file                                  \
		__attribute__((used, section("test_files"))) = &test_file

/* Runs the tests of a program that has a main of its own. */
#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
