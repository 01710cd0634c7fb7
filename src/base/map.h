/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for keys: the first key is 0, the next new one 1, and so on. The caller keeps the values
 * that belong to the keys in an array, at these numbers.
 *
 *	struct map map = {0};
 *	uint32_t number = map_add(&map, name, strlen(name));
 *	if (number == list->count) {	the key is new
 *		array_reserve(&list->items, &list->capacity, list->count + 1);
 *		list->items[list->count++] = ...;
 *	}
 *
 * Keys are bytes of any length, or numbers of 64 bits; a map has keys of one kind. They take their
 * places in an open hash table, which is at most half full, by a random seed: no input can make all
 * its keys fall into one place.
 */
#ifndef PSCAL_BASE_MAP_H
#define PSCAL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

/* Zero is a map without keys. */
struct map {
	size_t count; /* of its keys */

	/* Its own: */
	struct map_slot *slots;
	size_t slot_count;
	uint64_t *keys; /* of each number: the key, or where its bytes end */
	size_t key_capacity;
	char *bytes;
	size_t byte_capacity;
	uint64_t seed;
};

/* The number of the key, which is added if it is not there yet. */
uint32_t map_add(struct map *map, const void *key, size_t size);
uint32_t map_add_u64(struct map *map, uint64_t key);

/* MAP_NONE: the key is not there. */
uint32_t map_find(const struct map *map, const void *key, size_t size);
uint32_t map_find_u64(const struct map *map, uint64_t key);

/* The bytes of a key; they stay until one is added. */
const void *map_key(const struct map *map, uint32_t number, size_t *size);

/* Afterwards it is a map without keys. */
void map_release(struct map *map);

/* --- Small numbers -------------------------------------------------------------------------- */

/*
 * An array of pointers with a large range of indexes of which few are used: two levels, so that a
 * look-up is two loads. Indexes run from 0 to SPARSE_MAX - 1.
 */
enum { SPARSE_LEAF = 1 << 11, SPARSE_LEAVES = 1 << 11 };
enum { SPARSE_MAX = SPARSE_LEAF * SPARSE_LEAVES };

struct sparse {
	void **leaves[SPARSE_LEAVES];
};

static inline void *sparse_get(const struct sparse *sparse, uint32_t index)
{
	void **leaf = index < SPARSE_MAX ? sparse->leaves[index / SPARSE_LEAF] : NULL;

	return leaf ? leaf[index % SPARSE_LEAF] : NULL;
}

/* `index` must be below SPARSE_MAX. */
void sparse_set(struct sparse *sparse, uint32_t index, void *pointer);

/* The lowest index from `from` on that has a pointer; SPARSE_MAX when there is none. */
uint32_t sparse_next(const struct sparse *sparse, uint32_t from);

/* Frees the array, not what its pointers point to. */
void sparse_release(struct sparse *sparse);

#endif
