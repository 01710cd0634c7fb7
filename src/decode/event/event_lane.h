/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of one CPU, in the order of their times. They come almost so: one is added at the end,
 * or moved a few places ahead of it.
 */
#ifndef PSCAL_DECODE_EVENT_EVENT_LANE_H
#define PSCAL_DECODE_EVENT_EVENT_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct lane_entry {
	struct event event;
	uint64_t serial; /* tells which of two events of the same time came first */
};

/* Begins as zero. */
struct event_lane {
	struct lane_entry *entries; /* a ring */
	size_t size, mask;	    /* a power of two or 0, and what to take an index by */
	size_t begin, end;	    /* count up for ever */
	uint64_t last_ns;	    /* the time of the last event that was added */
};

void event_lane_release(struct event_lane *lane);

static inline bool event_lane_is_empty(const struct event_lane *lane)
{
	return lane->begin == lane->end;
}

/* The oldest; there must be one. */
static inline const struct lane_entry *event_lane_head(const struct event_lane *lane)
{
	return &lane->entries[lane->begin & lane->mask];
}

/* The one after the next is fetched, as with many CPUs it is not in a cache when it is needed. */
static inline void event_lane_drop_head(struct event_lane *lane)
{
	const struct lane_entry *soon = &lane->entries[(lane->begin + 2) & lane->mask];

	__builtin_prefetch(soon);
	__builtin_prefetch(&soon->serial);
	lane->begin++;
}

/* Makes the ring, which is full, larger. */
__attribute__((cold)) void event_lane_grow(struct event_lane *lane);

/* What stands behind the last event. */
static inline struct lane_entry *event_lane_end(const struct event_lane *lane)
{
	return &lane->entries[lane->end & lane->mask];
}

/* The same, to make the next event there. */
static inline struct lane_entry *event_lane_room(struct event_lane *lane)
{
	if (lane->end - lane->begin >= lane->size)
		event_lane_grow(lane);
	return event_lane_end(lane);
}

/*
 * What was made there takes its place behind all that are not younger. Returns false when that is
 * too far away, and leaves all as it was.
 */
bool event_lane_insert(struct event_lane *lane);

static inline bool event_lane_take(struct event_lane *lane)
{
	size_t last = (lane->end - 1) & lane->mask;

	if (lane->end != lane->begin &&
	    lane->entries[lane->end & lane->mask].event.time_ns < lane->entries[last].event.time_ns)
		return event_lane_insert(lane);
	lane->end++;
	return true;
}

#endif
