/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs whose wall time on any number of cores is known by theory, to test forecasts made of the
 * recordings of mock/machine.h.
 */
#ifndef PSCAL_TESTS_MOCK_THEORY_H
#define PSCAL_TESTS_MOCK_THEORY_H

#include <stddef.h>
#include <stdint.h>

#include "mock/machine.h"

/* With an exact theory the two are equal. */
struct theory_range {
	double lo_s, hi_s;
};

struct theory_case {
	const char *name;
	enum mock_calls calls; /* recorded calls */
	struct mock_program *(*make)(uint64_t seed);
	struct theory_range (*wall)(const struct mock_program *program, unsigned cores);
	double goal; /* largest relative error of a forecast, outside of the range */
	unsigned seeds;
};

/* NULL after the last one. */
const struct theory_case *theory_case(size_t number);

/* The error relative to the nearer end of the range; < 0 below, > 0 above, 0 within. */
double theory_error(struct theory_range range, double wall_s);

#endif
