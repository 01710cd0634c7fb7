/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/chains.h"

#include "base/alloc.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct interned_chain {
	uint64_t time_ns;
	uint64_t hash;
	size_t first; /* of its frames */
	int32_t pid;
	uint32_t count;
};

enum { FIRST_SLOTS = 64 };

void chains_release(struct chains *chains)
{
	free(chains->items);
	free(chains->frames);
	free(chains->slots);
	*chains = (struct chains){0};
}

size_t chain_user_part(uint64_t frames[CHAIN_FRAMES_MAX], const void *ips, size_t count)
{
	bool user = false;
	size_t found = 0;

	for (size_t i = 0; i < count && found < CHAIN_FRAMES_MAX; i++) {
		uint64_t ip;

		memcpy(&ip, (const char *)ips + i * sizeof(ip), sizeof(ip));
		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			user = ip == (uint64_t)PERF_CONTEXT_USER;
		else if (user)
			frames[found++] = ip;
	}
	return found;
}

/* Multiplied by 2^64 over the golden ratio, of which the high bits are well mixed. */
static uint64_t hash_of(int32_t pid, const uint64_t *frames, size_t count)
{
	const uint64_t golden = 0x9e3779b97f4a7c15;
	uint64_t hash = (uint64_t)(uint32_t)pid * golden;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ frames[i]) * golden;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_same(const struct chains *chains, const struct interned_chain *item,
		    const struct interned_chain *other, const uint64_t *frames)
{
	return item->hash == other->hash && item->pid == other->pid &&
	       item->count == other->count &&
	       !memcmp(chains->frames + item->first, frames, item->count * sizeof(*frames));
}

/* Where the chain is, or where it would be. */
static uint32_t *slot_of(const struct chains *chains, const struct interned_chain *wanted,
			 const uint64_t *frames)
{
	for (size_t i = wanted->hash;; i++) {
		uint32_t *slot = &chains->slots[i & (chains->slot_count - 1)];

		if (!*slot || is_same(chains, &chains->items[*slot - 1], wanted, frames))
			return slot;
	}
}

static void chains_grow(struct chains *chains)
{
	free(chains->slots);
	chains->slot_count = chains->slot_count ? 2 * chains->slot_count : FIRST_SLOTS;
	chains->slots = xcalloc(chains->slot_count, sizeof(*chains->slots));
	for (size_t i = 0; i < chains->count; i++) {
		const struct interned_chain *item = &chains->items[i];

		*slot_of(chains, item, chains->frames + item->first) = (uint32_t)i + 1;
	}
}

uint32_t chains_add(struct chains *chains, int32_t pid, uint64_t time_ns, const uint64_t *frames,
		    size_t count)
{
	struct interned_chain item = {.time_ns = time_ns, .pid = pid};
	uint32_t *slot;

	if (!count)
		return 0;
	if (count > CHAIN_FRAMES_MAX)
		count = CHAIN_FRAMES_MAX;
	item.count = (uint32_t)count;
	item.hash = hash_of(pid, frames, count);
	item.first = chains->frame_count;
	if (2 * chains->count >= chains->slot_count)
		chains_grow(chains);
	slot = slot_of(chains, &item, frames);
	if (*slot)
		return *slot;
	if (chains->count == CHAINS_MAX || count > CHAINS_FRAMES_MAX - chains->frame_count) {
		chains->dropped++;
		return 0;
	}
	array_reserve(&chains->frames, &chains->frame_capacity, item.first + count);
	memcpy(chains->frames + item.first, frames, count * sizeof(*frames));
	chains->frame_count += count;
	array_reserve(&chains->items, &chains->capacity, chains->count + 1);
	chains->items[chains->count++] = item;
	*slot = (uint32_t)chains->count;
	return *slot;
}

struct chain chains_get(const struct chains *chains, uint32_t number)
{
	const struct interned_chain *item;

	if (!number || number > chains->count)
		return (struct chain){.pid = -1};
	item = &chains->items[number - 1];
	return (struct chain){item->pid, item->time_ns, chains->frames + item->first, item->count};
}
