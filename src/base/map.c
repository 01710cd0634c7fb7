/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/map.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct map_slot {
	uint32_t hash;
	uint32_t taken; /* the number of the key + 1; 0: the slot is free */
};

enum { SLOTS_MIN = 64 };

/* The finaliser of SplitMix64 [Steele, Lea and Flood 2014]. */
static uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
	word = (word ^ word >> 27) * 0x94d049bb133111ebu;
	return word ^ word >> 31;
}

static uint32_t hash_of_u64(const struct map *map, uint64_t key)
{
	return (uint32_t)mix(key ^ map->seed);
}

static uint32_t hash_of_bytes(const struct map *map, const char *key, size_t size)
{
	uint64_t hash = mix(map->seed ^ size), word;

	for (; size >= sizeof(word); key += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		hash = mix(hash ^ word);
	}
	word = 0;
	memcpy(&word, key, size);
	return (uint32_t)mix(hash ^ word);
}

/* Makes a seed from the 16 random bytes that the kernel gives each process. */
static uint64_t make_seed(const struct map *map)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t words[2] = {0};

	if (random)
		memcpy(words, random, sizeof(words));
	return mix(words[0] ^ mix(words[1] ^ (uintptr_t)map));
}

/* --- Slots --------------------------------------------------------------------------------- */

/* The bytes of key 0 begin at 0, those of others where the key before them ends. */
static size_t begin_of(const struct map *map, uint32_t number)
{
	return number ? map->keys[number - 1] : 0;
}

static bool has_bytes(const struct map *map, uint32_t number, const void *key, size_t size)
{
	size_t begin = begin_of(map, number);

	return map->keys[number] - begin == size && memcmp(map->bytes + begin, key, size) == 0;
}

/* Returns the slot of the key, or the free slot for it. */
static struct map_slot *slot_of_u64(const struct map *map, uint32_t hash, uint64_t key)
{
	size_t mask = map->slot_count - 1, at = hash & mask;

	while (map->slots[at].taken &&
	       (map->slots[at].hash != hash || map->keys[map->slots[at].taken - 1] != key))
		at = (at + 1) & mask;
	return &map->slots[at];
}

static struct map_slot *slot_of_bytes(const struct map *map, uint32_t hash, const void *key,
				      size_t size)
{
	size_t mask = map->slot_count - 1, at = hash & mask;

	while (map->slots[at].taken && (map->slots[at].hash != hash ||
					!has_bytes(map, map->slots[at].taken - 1, key, size)))
		at = (at + 1) & mask;
	return &map->slots[at];
}

/* Makes room for one more key, with at most half of the slots taken. */
static void reserve_slot(struct map *map)
{
	struct map_slot *old = map->slots;
	size_t old_count = map->slot_count;

	if (2 * (map->count + 1) <= old_count)
		return;
	if (!old_count)
		map->seed = make_seed(map);
	map->slot_count = old_count ? 2 * old_count : SLOTS_MIN;
	map->slots = xcalloc(map->slot_count, sizeof(*map->slots));
	for (size_t i = 0; i < old_count; i++) {
		size_t at = old[i].hash & (map->slot_count - 1);

		if (!old[i].taken)
			continue;
		while (map->slots[at].taken)
			at = (at + 1) & (map->slot_count - 1);
		map->slots[at] = old[i];
	}
	free(old);
}

static uint32_t take_slot(struct map *map, struct map_slot *slot, uint32_t hash, uint64_t key)
{
	assert(map->count < UINT32_MAX / 2);
	array_reserve(&map->keys, &map->key_capacity, map->count + 1);
	map->keys[map->count++] = key;
	*slot = (struct map_slot){hash, (uint32_t)map->count};
	return slot->taken - 1;
}

/* ------------------------------------------------------------------------------------------- */

uint32_t map_add_u64(struct map *map, uint64_t key)
{
	struct map_slot *slot;
	uint32_t hash;

	reserve_slot(map);
	hash = hash_of_u64(map, key);
	slot = slot_of_u64(map, hash, key);
	return slot->taken ? slot->taken - 1 : take_slot(map, slot, hash, key);
}

uint32_t map_add(struct map *map, const void *key, size_t size)
{
	struct map_slot *slot;
	size_t begin;
	uint32_t hash;

	reserve_slot(map);
	hash = hash_of_bytes(map, key, size);
	slot = slot_of_bytes(map, hash, key, size);
	if (slot->taken)
		return slot->taken - 1;
	begin = begin_of(map, (uint32_t)map->count);
	array_reserve(&map->bytes, &map->byte_capacity, begin + size + 1);
	memcpy(map->bytes + begin, key, size);
	return take_slot(map, slot, hash, begin + size);
}

/* A free slot has taken == 0, and 0 - 1 is MAP_NONE. */
uint32_t map_find_u64(const struct map *map, uint64_t key)
{
	return map->count ? slot_of_u64(map, hash_of_u64(map, key), key)->taken - 1 : MAP_NONE;
}

uint32_t map_find(const struct map *map, const void *key, size_t size)
{
	return map->count ? slot_of_bytes(map, hash_of_bytes(map, key, size), key, size)->taken - 1
			  : MAP_NONE;
}

const void *map_key(const struct map *map, uint32_t number, size_t *size)
{
	size_t begin = begin_of(map, number);

	*size = map->keys[number] - begin;
	return map->bytes + begin;
}

void map_release(struct map *map)
{
	free(map->slots);
	free(map->keys);
	free(map->bytes);
	*map = (struct map){0};
}

/* --- Sparse arrays -------------------------------------------------------------------------- */

void sparse_set(struct sparse *sparse, uint32_t index, void *pointer)
{
	void ***leaf = &sparse->leaves[index / SPARSE_LEAF];

	if (!*leaf)
		*leaf = xcalloc(SPARSE_LEAF, sizeof(**leaf));
	(*leaf)[index % SPARSE_LEAF] = pointer;
}

uint32_t sparse_next(const struct sparse *sparse, uint32_t from)
{
	uint32_t index = from;

	while (index < SPARSE_MAX && !sparse_get(sparse, index))
		index = sparse->leaves[index / SPARSE_LEAF]
				? index + 1
				: (index / SPARSE_LEAF + 1) * SPARSE_LEAF;
	return index;
}

void sparse_release(struct sparse *sparse)
{
	for (size_t i = 0; i < SPARSE_LEAVES; i++)
		free(sparse->leaves[i]);
}
