/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which leave belongs to which enter. A leave ends the last enter of its block that is not ended;
 * what was entered since and not left has no leave: a longjmp, an exception, a lost event.
 */
#ifndef PSCAL_STATS_RDAM_BLOCK_CALLS_H
#define PSCAL_STATS_RDAM_BLOCK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/sequences.h"

#define NO_LEAVE UINT32_MAX

/* A block that is met, and its calls that have a leave. */
struct called_block {
	uint32_t block;
	uint32_t calls;
	uint32_t open; /* while they are matched */
	uint32_t end;  /* of its calls so far, while they are listed */
	uint32_t outer_count;
	size_t outer;	 /* its calls within no other of them, or all, in `outer` */
	bool has_nested; /* some of its calls are within others of them */
};

struct block_calls {
	bool each;	  /* `outer` has each call, and not only those within no other of theirs */
	uint32_t *leaves; /* of each enter; NO_LEAVE, as of anything else */
	struct called_block *blocks;
	size_t count, capacity;
	struct occurrence *outer;
	uint64_t unbalanced; /* enters without a leave, leaves without an enter */
	uint32_t *slots;     /* of each block of the trace: its place in `blocks` + 1 */
};

/*
 * Blocks are less than `blocks`; any other token stands between two threads. `slots` is one for
 * each of these, zero, and so again after the release: there may be many blocks, of which each of
 * many threads meets few. With `each` all calls are listed.
 */
void block_calls_init(struct block_calls *calls, const uint32_t *tokens, size_t count,
		      size_t blocks, uint32_t *slots, bool each);
void block_calls_release(struct block_calls *calls);

/* NULL: it is not met. */
const struct called_block *block_calls_of(const struct block_calls *calls, uint32_t block);

#endif
