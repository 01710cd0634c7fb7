/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a call chain, by the symbols of the files that they are in.
 *
 * Chains of frame pointers are not as good as they look, and so:
 *  - They end where code leads nowhere that is known, or a place is not behind a call: a library
 *    that has no frame pointers uses the register for something else.
 *  - Where it leaves the register alone, the function that has called it is missing, as its own
 *    frame is that of its caller. It is known all the same where the caller names it in its call.
 */
#ifndef PSCAL_STATS_SPIN_CHAIN_FUNCTIONS_H
#define PSCAL_STATS_SPIN_CHAIN_FUNCTIONS_H

#include <stdbool.h>

struct chain;
struct symbol;
struct symbol_finder;

/* The innermost first, as long as `take` returns true. */
void chain_functions(struct symbol_finder *finder, const struct chain *chain,
		     bool (*take)(void *context, const struct symbol *symbol), void *context);

#endif
