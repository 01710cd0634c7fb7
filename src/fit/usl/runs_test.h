/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs test of Wald and Wolfowitz (1940): do the signs of values in their order change as often
 * as those of independent ones would? Few runs of the same sign tell of a curve that passes by the
 * values.
 */
#ifndef PSCAL_FIT_USL_RUNS_TEST_H
#define PSCAL_FIT_USL_RUNS_TEST_H

#include <stddef.h>

struct runs_test {
	size_t above, below; /* values above and below 0; those that are 0 have no sign */
	size_t runs;
	/*
	 * How likely signs in any order have as few runs or fewer, and twice the smaller one of
	 * that and of as many or more, at most 1. NaN where one of the signs is missing. Exact up
	 * to RUNS_EXACT signs, beyond by the normal distribution.
	 */
	double p_few, p;
};

enum { RUNS_EXACT = 1000 };

void runs_test(struct runs_test *test, const double *values, size_t count);

#endif
