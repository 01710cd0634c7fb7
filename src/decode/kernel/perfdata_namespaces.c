/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "base/alloc.h"

#include <stdlib.h>

void namespaces_learn(struct namespaces *namespaces, int32_t inside, int32_t outside)
{
	uint32_t number;

	if (inside <= 0 || outside <= 0)
		return;
	number = map_add_u64(&namespaces->inside, (uint64_t)inside);
	array_reserve(&namespaces->outside, &namespaces->capacity, (size_t)number + 1);
	namespaces->outside[number] = outside;
}

int32_t namespaces_find(const struct namespaces *namespaces, int32_t inside)
{
	uint32_t number =
		inside > 0 ? map_find_u64(&namespaces->inside, (uint64_t)inside) : MAP_NONE;

	return number == MAP_NONE ? -1 : namespaces->outside[number];
}

bool namespaces_join(const struct namespaces *namespaces, struct event *event)
{
	event->pid = namespaces_find(namespaces, event->pid);
	if (event->numbers == NUMBERS_OF_PAYLOAD)
		return true;
	event->tid = namespaces_find(namespaces, event->tid);
	event->other_pid = namespaces_find(namespaces, event->other_pid);
	if (event->kind == EVENT_FORK || event->kind == EVENT_SWITCH_IN)
		event->other = namespaces_find(namespaces, event->other);
	return event->kind == EVENT_FORK ? event->other > 0 : event->tid > 0 || event->other > 0;
}

void namespaces_release(struct namespaces *namespaces)
{
	map_release(&namespaces->inside);
	free(namespaces->outside);
}
