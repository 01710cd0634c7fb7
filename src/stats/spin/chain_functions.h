/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a call chain, by the symbols of their files.
 *
 * Chains of frame pointers have two weaknesses:
 *  - Code without frame pointers may use their register for something else. A chain ends at a place
 *    that is unknown, or is not behind a call.
 *  - Code that leaves the register alone hides its caller, as its frame is that of the caller's
 *    caller. The caller is known all the same if its own caller names it in a call.
 */
#ifndef PSCAL_STATS_SPIN_CHAIN_FUNCTIONS_H
#define PSCAL_STATS_SPIN_CHAIN_FUNCTIONS_H

#include <stdbool.h>

struct chain;
struct symbol;
struct symbol_finder;

/* Calls `take` for each function, the innermost first, as long as it returns true. */
void chain_functions(struct symbol_finder *finder, const struct chain *chain,
		     bool (*take)(void *context, const struct symbol *symbol), void *context);

#endif
