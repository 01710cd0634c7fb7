/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of which theory tells the wall time on any number of cores, to hold forecasts of them
 * against: what mock/machine.h records of them, and no more.
 */
#ifndef PSCAL_TESTS_MOCK_THEORY_H
#define PSCAL_TESTS_MOCK_THEORY_H

#include <stddef.h>
#include <stdint.h>

#include "mock/machine.h"

/* Where theory tells the wall time exactly the two are the same. */
struct theory_range {
	double lo_s, hi_s;
};

struct theory_case {
	const char *name;
	enum mock_calls calls; /* that are recorded */
	struct mock_program *(*make)(uint64_t seed);
	struct theory_range (*wall)(const struct mock_program *program, unsigned cores);
	double goal; /* relative, of each forecast: how far it may be outside */
	unsigned seeds;
};

/* NULL beyond the last one. */
const struct theory_case *theory_case(size_t number);

/* How far outside of the range, relative to its nearer end; < 0 below, > 0 above, 0 within. */
double theory_error(struct theory_range range, double wall_s);

#endif
