/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void assert_close_at(double got, double want, double tolerance, const char *what, const char *file,
		     int line)
{
	double allowed = want == 0 ? tolerance : tolerance * fabs(want);

	if (fabs(got - want) <= allowed)
		return;
	print_error("%s is %.17g, not %.17g to %g\n", what, got, want, tolerance);
	_fail(file, line);
}

bool is_nightly(void)
{
	return getenv("NIGHTLY") != NULL;
}

static char path[] = "/tmp/pscal-test-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

const char *file_with(const void *bytes, size_t length)
{
	static int made;
	FILE *file;

	if (!made++) {
		int fd = mkstemp(path);

		assert_true(fd >= 0);
		close(fd);
		atexit(remove_file);
	}
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return path;
}
