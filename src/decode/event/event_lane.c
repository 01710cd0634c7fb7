/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event_lane.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Beyond this many places moving costs more than what the heap of the stray ones does. */
enum { MOVES_MAX = 32, FIRST_SIZE = 8 };

void event_lane_release(struct event_lane *lane)
{
	free(lane->entries);
	*lane = (struct event_lane){0};
}

/*
 * Where a number has one more bit now, its entry moves up by the old size; the others stay. A large
 * ring is not copied elsewhere for it, which would take the memory of both.
 */
void event_lane_grow(struct event_lane *lane)
{
	size_t before = lane->size, size = before ? 2 * before : FIRST_SIZE;

	lane->entries = xreallocarray(lane->entries, size, sizeof(*lane->entries));
	lane->size = size;
	lane->mask = size - 1;
	for (size_t i = lane->begin; i != lane->end; i++)
		if (i & before)
			lane->entries[i & lane->mask] = lane->entries[i & (before - 1)];
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
