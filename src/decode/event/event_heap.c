/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event_heap.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

void event_heap_release(struct event_heap *heap)
{
	free(heap->keys);
	free(heap->slots);
	free(heap->unused);
	*heap = (struct event_heap){0};
}

static bool is_before(const struct heap_key *a, const struct heap_key *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

static size_t take_slot(struct event_heap *heap)
{
	if (heap->unused_count)
		return heap->unused[--heap->unused_count];
	array_reserve(&heap->slots, &heap->slot_capacity, heap->slot_count + 1);
	return heap->slot_count++;
}

void event_heap_push(struct event_heap *heap, const struct event *event, uint64_t serial)
{
	struct heap_key key = {event->time_ns, serial, take_slot(heap)};
	size_t i = heap->count;

	heap->slots[key.slot] = *event;
	array_reserve(&heap->keys, &heap->capacity, heap->count + 1);
	heap->count++;
	for (; i && is_before(&key, &heap->keys[(i - 1) / 2]); i = (i - 1) / 2)
		heap->keys[i] = heap->keys[(i - 1) / 2];
	heap->keys[i] = key;
}

void event_heap_pop(struct event_heap *heap, struct event *event)
{
	size_t slot = heap->keys[0].slot, i = 0;
	struct heap_key last = heap->keys[--heap->count];

	*event = heap->slots[slot];
	array_reserve(&heap->unused, &heap->unused_capacity, heap->unused_count + 1);
	heap->unused[heap->unused_count++] = slot;
	for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
		if (child + 1 < heap->count &&
		    is_before(&heap->keys[child + 1], &heap->keys[child]))
			child++;
		if (!is_before(&heap->keys[child], &last))
			break;
		heap->keys[i] = heap->keys[child];
		i = child;
	}
	if (heap->count)
		heap->keys[i] = last;
}
