/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rings that the kernel writes over (perf record --overwrite) have forgotten their beginning, each
 * CPU's up to another time. Nothing is known of before the last of them begins, but for births and
 * ends, which are told by another ring.
 *
 * Whether a ring was full, so that it has forgotten something, is told by its size: a power of two
 * in pages, and not less by more than a record.
 */
#ifndef PSCAL_DECODE_EVENT_OVERWRITTEN_H
#define PSCAL_DECODE_EVENT_OVERWRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct overwritten_ring {
	uint64_t begin_ns; /* its oldest record */
	uint64_t bytes;
	uint32_t record_max; /* the largest one */
};

/* Begins as zero. */
struct overwritten {
	struct overwritten_ring *rings; /* by CPU */
	size_t count, capacity;
};

/* A record of `bytes` from such a ring. */
void overwritten_note(struct overwritten *overwritten, int32_t cpu, uint64_t time_ns,
		      uint32_t bytes);

/* When the last of the full ones begins; 0 when none is full. */
uint64_t overwritten_until(const struct overwritten *overwritten);

void overwritten_release(struct overwritten *overwritten);

#endif
