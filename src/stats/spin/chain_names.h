/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call chains as people name them: by the functions of the program, the innermost first, as in
 * "pool_take < worker". Those of the C library and of that of C++ are left out: in which of them a
 * thread waits is what the call is, and not where the program makes it.
 *
 * Chains of frame pointers are not as good as they look, and so:
 *  - They end where code leads nowhere that is known, or a place is not behind a call: a library
 *    that has no frame pointers uses the register for something else.
 *  - Where it leaves the register alone, the function that has called it is missing, as its own
 *    frame is that of its caller. It is known all the same where the caller names it in its call.
 *
 * What has no symbols is "program+0x1234", by the place in its file.
 */
#ifndef PSCAL_STATS_SPIN_CHAIN_NAMES_H
#define PSCAL_STATS_SPIN_CHAIN_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct chains;
struct samples;

/* Of deeper chains the outer functions are left out. */
enum { CHAIN_NAME_FUNCTIONS = 6 };

struct chain_name {
	char *functions[CHAIN_NAME_FUNCTIONS];
	size_t count;
	char *text; /* "pool_take < worker" */
};

struct chain_names;

/* Both are complete, and borrowed until it is freed. */
struct chain_names *chain_names_new(const struct chains *chains, const struct samples *samples);
void chain_names_free(struct chain_names *names);

/* The number of a chain's name, the same of all that are named so, from 1 on; 0: it has none. */
uint32_t chain_names_find(struct chain_names *names, uint32_t chain);

/* The name of this number, of which there is one; borrowed until the next is looked for. */
const struct chain_name *chain_names_get(const struct chain_names *names, uint32_t number);

/* So many there are by now. */
size_t chain_names_count(const struct chain_names *names);

#endif
