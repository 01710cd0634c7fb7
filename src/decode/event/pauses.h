/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a recording was off, as the user wanted. Births and ends of threads were still recorded, so
 * that the target is known; they say nothing of what anybody did before or after.
 */
#ifndef PSCAL_DECODE_EVENT_PAUSES_H
#define PSCAL_DECODE_EVENT_PAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

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

#endif
