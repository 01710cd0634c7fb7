/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small program as a file for this machine, though its code is of x86-64: some functions, one of
 * which jumps into another, their symbols, their unwind table, an id, and the lines of their source.
 * Debug information also has a variable at its address, struct { int before, lock; } [3]. Never run.
 */
#ifndef PSCAL_TESTS_SEEDS_ELF_SEED_H
#define PSCAL_TESTS_SEEDS_ELF_SEED_H

#include "seeds/seeds.h"

/* The load address; its functions begin every ELF_SEED_FUNCTION bytes from ELF_SEED_TEXT on. */
enum { ELF_SEED_ADDRESS = 0x400000, ELF_SEED_TEXT = 0x400, ELF_SEED_FUNCTION = 32 };

/* The caller frees the bytes. */
struct bytes elf_seed_make(void);

#endif
