/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/digrams.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 256 };

void digrams_init(struct digrams *digrams, size_t places)
{
	*digrams = (struct digrams){.at = xreallocarray(NULL, places, sizeof(*digrams->at))};
	memset(digrams->at, 0xff, places * sizeof(*digrams->at));
	digrams->slot_count = SLOTS_MIN;
	digrams->slots = xcalloc(SLOTS_MIN, sizeof(*digrams->slots));
}

void digrams_release(struct digrams *digrams)
{
	for (size_t i = 0; i < digrams->batch_count; i++)
		free(digrams->batches[i].places);
	free(digrams->batches);
	free(digrams->unused_batches);
	free(digrams->at);
	free(digrams->items);
	free(digrams->unused);
	free(digrams->heap);
	free(digrams->fresh);
	free(digrams->slots);
}

/* --- Counting ------------------------------------------------------------------------------ */

static size_t find_slot(const struct digrams *digrams, uint64_t key)
{
	size_t mask = digrams->slot_count - 1;
	uint64_t hash = (key ^ key >> 29) * 0x9e3779b97f4a7c15;
	size_t at = (size_t)(hash >> 32) & mask;

	while (digrams->slots[at] && digrams->fresh[digrams->slots[at] - 1].key != key)
		at = (at + 1) & mask;
	return at;
}

static __attribute__((cold, noinline)) void grow_slots(struct digrams *digrams)
{
	free(digrams->slots);
	digrams->slot_count *= 2;
	digrams->slots = xcalloc(digrams->slot_count, sizeof(*digrams->slots));
	for (size_t i = 0; i < digrams->fresh_count; i++) {
		struct new_digram *fresh = &digrams->fresh[i];

		fresh->slot = (uint32_t)find_slot(digrams, fresh->key);
		digrams->slots[fresh->slot] = (uint32_t)i + 1;
	}
}

void digrams_meet(struct digrams *digrams, uint32_t place, uint32_t left, uint32_t right,
		  uint32_t rank)
{
	uint64_t key = (uint64_t)left << 32 | right;
	size_t slot;

	if (2 * digrams->fresh_count >= digrams->slot_count)
		grow_slots(digrams);
	slot = find_slot(digrams, key);
	if (!digrams->slots[slot]) {
		array_reserve(&digrams->fresh, &digrams->fresh_capacity, digrams->fresh_count + 1);
		digrams->fresh[digrams->fresh_count++] =
			(struct new_digram){.key = key, .rank = rank, .slot = (uint32_t)slot};
		digrams->slots[slot] = (uint32_t)digrams->fresh_count;
	}
	digrams->at[place] = digrams->slots[slot] - 1;
	digrams->fresh[digrams->at[place]].count++;
}

static uint32_t take_number(struct digrams *digrams)
{
	if (digrams->unused_count)
		return digrams->unused[--digrams->unused_count];
	array_reserve(&digrams->items, &digrams->capacity, digrams->count + 1);
	return (uint32_t)digrams->count++;
}

static uint32_t take_batch(struct digrams *digrams, size_t places, uint32_t live)
{
	uint32_t batch;

	if (digrams->unused_batch_count) {
		batch = digrams->unused_batches[--digrams->unused_batch_count];
	} else {
		array_reserve(&digrams->batches, &digrams->batch_capacity,
			      digrams->batch_count + 1);
		batch = (uint32_t)digrams->batch_count++;
	}
	digrams->batches[batch].places = xreallocarray(NULL, places, sizeof(uint32_t));
	digrams->batches[batch].live = live;
	return batch;
}

/* Pairs that occur at least twice get a number and room for their places. */
void digrams_count(struct digrams *digrams)
{
	uint32_t live = 0, batch, *places;
	size_t room = 0;

	for (size_t i = 0; i < digrams->fresh_count; i++) {
		struct new_digram *fresh = &digrams->fresh[i];

		digrams->slots[fresh->slot] = 0;
		fresh->number = DIGRAM_NONE;
		live += fresh->count > 1;
		room += fresh->count > 1 ? fresh->count : 0;
	}
	if (!live)
		return;
	batch = take_batch(digrams, room, live);
	places = digrams->batches[batch].places;
	for (size_t i = 0; i < digrams->fresh_count; i++) {
		struct new_digram *fresh = &digrams->fresh[i];

		if (fresh->count < 2)
			continue;
		fresh->number = take_number(digrams);
		digrams->items[fresh->number] =
			(struct digram){.places = places, .rank = fresh->rank, .batch = batch};
		places += fresh->count;
	}
}

/* --- The heap ------------------------------------------------------------------------------ */

static bool goes_before(const struct digram_entry *a, const struct digram_entry *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->count != b->count)
		return a->count > b->count;
	return a->place < b->place;
}

static void push(struct digrams *digrams, uint32_t number)
{
	const struct digram *digram = &digrams->items[number];
	struct digram_entry entry = {digram->rank, digram->count, digram->places[digram->first],
				     number};
	struct digram_entry *heap;
	size_t at = digrams->heap_count++;

	array_reserve(&digrams->heap, &digrams->heap_capacity, digrams->heap_count);
	heap = digrams->heap;
	for (; at && goes_before(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = entry;
}

static struct digram_entry pop(struct digrams *digrams)
{
	struct digram_entry *heap = digrams->heap, top = heap[0];
	size_t count = --digrams->heap_count, at = 0, child;
	struct digram_entry last = heap[count];

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && goes_before(&heap[child + 1], &heap[child]))
			child++;
		if (!goes_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

void digrams_place(struct digrams *digrams, uint32_t place)
{
	uint32_t *at = &digrams->at[place];
	struct digram *digram;

	if (*at == DIGRAM_NONE)
		return;
	*at = digrams->fresh[*at].number;
	if (*at == DIGRAM_NONE)
		return;
	digram = &digrams->items[*at];
	digram->places[digram->size++] = place;
	digram->count++;
}

void digrams_end(struct digrams *digrams)
{
	for (size_t i = 0; i < digrams->fresh_count; i++)
		if (digrams->fresh[i].number != DIGRAM_NONE)
			push(digrams, digrams->fresh[i].number);
	digrams->fresh_count = 0;
}

/* --- Replacing ----------------------------------------------------------------------------- */

void digrams_retire(struct digrams *digrams, uint32_t number)
{
	uint32_t batch = digrams->items[number].batch;

	array_reserve(&digrams->unused, &digrams->unused_capacity, digrams->unused_count + 1);
	digrams->unused[digrams->unused_count++] = number;
	if (--digrams->batches[batch].live)
		return;
	free(digrams->batches[batch].places);
	digrams->batches[batch].places = NULL;
	array_reserve(&digrams->unused_batches, &digrams->unused_batch_capacity,
		      digrams->unused_batch_count + 1);
	digrams->unused_batches[digrams->unused_batch_count++] = batch;
}

static void find_first(struct digrams *digrams, uint32_t number)
{
	struct digram *digram = &digrams->items[number];

	while (digrams->at[digram->places[digram->first]] != number)
		digram->first++;
}

uint32_t digrams_next(struct digrams *digrams)
{
	while (digrams->heap_count) {
		struct digram_entry entry = pop(digrams);
		struct digram *digram = &digrams->items[entry.number];

		if (digram->count)
			find_first(digrams, entry.number);
		if (digram->count < 2) {
			if (digram->count)
				digrams_remove(digrams, digram->places[digram->first]);
			digrams_retire(digrams, entry.number);
			continue;
		}
		if (digram->count == entry.count && digram->places[digram->first] == entry.place)
			return entry.number;
		push(digrams, entry.number);
	}
	return DIGRAM_NONE;
}
