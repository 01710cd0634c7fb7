/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that come in any order, the oldest first. */
#ifndef PSCAL_DECODE_EVENT_EVENT_HEAP_H
#define PSCAL_DECODE_EVENT_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct heap_key {
	uint64_t time_ns;
	uint64_t serial; /* tells which of two events of the same time came first */
	size_t slot;
};

/* Begins as zero. */
struct event_heap {
	struct heap_key *keys; /* small, as they move; the oldest is keys[0] */
	size_t count, capacity;
	struct event *slots; /* the events stay where they are */
	size_t slot_count, slot_capacity;
	size_t *unused; /* slots that hold nothing */
	size_t unused_count, unused_capacity;
};

void event_heap_push(struct event_heap *heap, const struct event *event, uint64_t serial);

/* Takes the oldest away; there must be one. */
void event_heap_pop(struct event_heap *heap, struct event *event);

void event_heap_release(struct event_heap *heap);

#endif
