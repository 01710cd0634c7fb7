/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damages an input as disks, networks, crashes, other programs and people do. */
#ifndef PSCAL_TESTS_DAMAGE_MUTATE_H
#define PSCAL_TESTS_DAMAGE_MUTATE_H

#include "seeds/seeds.h"

/*
 * Mutant `number` of a seed: the same bytes for the same number, on every machine. Number 0 is the
 * seed itself. The caller frees it.
 */
struct bytes mutant_make(const struct seed *seed, uint64_t number);

/* The number of kinds of damage to inputs of this kind, and the name of each. */
size_t mutate_count(enum seed_kind kind);
const char *mutate_name(enum seed_kind kind, size_t way);

/* Damages `bytes` in this way; another `random` chooses other places. */
struct random;
void mutate(struct bytes *bytes, enum seed_kind kind, size_t way, struct random *random);

#endif
