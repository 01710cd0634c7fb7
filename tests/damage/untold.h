/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What nothing can tell from a good recording: damage after which each event is one that could have
 * been, and contradicts no other.
 */
#ifndef PSCAL_TESTS_DAMAGE_UNTOLD_H
#define PSCAL_TESTS_DAMAGE_UNTOLD_H

#include "seeds/seeds.h"

#include <stdint.h>

struct untold {
	const char *name;
	const char *reason;
};

/* The kinds from 0 on; NULL behind the last. */
const struct untold *untold_get(size_t number);

/* The kinds of all changes of the events by mutant `number`, as bits; 0: some could be told. */
uint32_t untold_kinds(const struct seed *seed, uint64_t number);

/* Prints the events, and the lines or records, that only the seed (-) or the mutant (+) has. */
void untold_print(const struct seed *seed, uint64_t number);

#endif
