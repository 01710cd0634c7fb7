/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracepoints pscal:enter, pscal:leave and pscal:mark: their payload, and their format texts,
 * in which the names of the blocks are. The kernel has no such tracepoints; their numbers are
 * higher than any of its own.
 */
#ifndef PSCAL_COLLECT_BLOCK_TRACEPOINTS_H
#define PSCAL_COLLECT_BLOCK_TRACEPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "probe/spool.h"

enum { BLOCK_TRACEPOINT_ENTER, BLOCK_TRACEPOINT_LEAVE, BLOCK_TRACEPOINT_MARK, BLOCK_TRACEPOINTS };

/* Behind `args_place` are so many values as that says. */
struct block_payload {
	uint16_t type; /* block_tracepoint_type() */
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
	uint32_t block;
	uint32_t args_place; /* bytes to it from the beginning, and its size in bytes << 16 */
	uint64_t args[SPOOL_VALUES_MAX];
};

enum { BLOCK_PAYLOAD_FIXED = offsetof(struct block_payload, args) };

/* "pscal:enter" */
const char *block_tracepoint_name(size_t which);
uint16_t block_tracepoint_type(size_t which);

/* To be freed. `names` are those of the blocks by number. */
char *block_tracepoint_text(size_t which, char *const *names, size_t count);

#endif
