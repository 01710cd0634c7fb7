/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every unit test needs: cmocka in its order of includes, and floating-point comparison
 * (cmocka 1.1.5 compares doubles as floats).
 */
#ifndef PSCAL_TESTS_SUPPORT_H
#define PSCAL_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
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

#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
