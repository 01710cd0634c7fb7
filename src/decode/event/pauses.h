/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The times of which a recording has nothing: it was off, or the kernel has written over what was
 * recorded.
 */
#ifndef PSCAL_DECODE_EVENT_PAUSES_H
#define PSCAL_DECODE_EVENT_PAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

/*
 * Pauses: the user did not want that time. Births and ends of threads were still recorded, so that
 * the target is known; they do not say what any thread did before or after.
 */
struct pause {
	uint64_t begin_ns, end_ns;
};

/* Begins as zero. */
struct pauses {
	struct pause *list; /* in the order of their times */
	size_t count, capacity;
};

/* In the order of their times. */
void pauses_add(struct pauses *pauses, uint64_t begin_ns, uint64_t end_ns);

/*
 * What an event means: itself outside of pauses. In a pause a birth is followed by a gap, as what
 * the two threads do then is unknown, an exit is an end, and what shows that a thread does
 * something is left out: others of its kind are missing. Returns how many events are in `out`.
 */
enum { PAUSES_OUT_MAX = 2 };
size_t pauses_apply(const struct pauses *pauses, const struct event *event,
		    struct event out[PAUSES_OUT_MAX]);

void pauses_release(struct pauses *pauses);

/*
 * Rings that the kernel writes over (perf record --overwrite) have forgotten their beginning, each
 * CPU's up to another time. Nothing is known of before the last of them begins, but for births and
 * ends, which are told by another ring.
 *
 * Whether a ring was full, so that it has forgotten something, is told by its size: a power of two
 * in pages, and not less by more than a record.
 */

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
