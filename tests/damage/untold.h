/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damage that no reader can detect: after it each event is a possible one, and contradicts no other
 * event.
 */
#ifndef PSCAL_TESTS_DAMAGE_UNTOLD_H
#define PSCAL_TESTS_DAMAGE_UNTOLD_H

#include "seeds/seeds.h"

#include <stdint.h>

struct untold {
	const char *name;
	const char *reason;
};

/* The kinds from 0 on; NULL after the last. */
const struct untold *untold_get(size_t number);

/* The kinds of all changes of the events by mutant `number`, as bits; 0: a reader can detect some
 * change. */
uint32_t untold_kinds(const struct seed *seed, uint64_t number);

/* Prints the events, and the lines or records, that only the seed (-) or the mutant (+) has. */
void untold_print(const struct seed *seed, uint64_t number);

#endif
