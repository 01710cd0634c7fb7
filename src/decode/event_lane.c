/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event_lane.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Beyond this many places moving costs more than what the heap of the stray ones does. */
enum { MOVES_MAX = 32, FIRST_SIZE = 8 };

void event_lane_release(struct event_lane *lane)
{
	free(lane->entries);
	*lane = (struct event_lane){0};
}

void event_lane_grow(struct event_lane *lane)
{
	size_t count = lane->end - lane->begin, size = lane->size ? 2 * lane->size : FIRST_SIZE;
	struct lane_entry *entries = xreallocarray(NULL, size, sizeof(*entries));

	for (size_t i = 0; i < count; i++)
		entries[i] = lane->entries[(lane->begin + i) & lane->mask];
	free(lane->entries);
	lane->entries = entries;
	lane->size = size;
	lane->mask = size - 1;
	lane->begin = 0;
	lane->end = count;
}

bool event_lane_insert(struct event_lane *lane)
{
	struct lane_entry entry = lane->entries[lane->end & lane->mask];
	size_t first = lane->end - lane->begin > MOVES_MAX ? lane->end - MOVES_MAX : lane->begin;
	size_t place = lane->end;

	while (place > first &&
	       lane->entries[(place - 1) & lane->mask].event.time_ns > entry.event.time_ns)
		place--;
	if (place == first && first != lane->begin)
		return false;
	for (size_t i = lane->end; i > place; i--)
		lane->entries[i & lane->mask] = lane->entries[(i - 1) & lane->mask];
	lane->entries[place & lane->mask] = entry;
	lane->end++;
	return true;
}
