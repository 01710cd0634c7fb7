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
 * Keys are bytes of any length, or numbers of 64 bits; a map has keys of one kind. The map is an
 * open hash table, at most half full, with a random seed: no input can make all its keys collide.
 */
#ifndef PSCAL_BASE_MAP_H
#define PSCAL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

/* A map that is all zero has no keys. */
struct map {
	size_t count; /* number of keys */

	/* Private: */
	struct map_slot *slots;
	size_t slot_count;
	uint64_t *keys; /* of each number: the key, or the end of its bytes */
	size_t key_capacity;
	char *bytes;
	size_t byte_capacity;
	uint64_t seed;
};

/* Returns the number of the key, and adds the key if it is new. */
uint32_t map_add(struct map *map, const void *key, size_t size);
uint32_t map_add_u64(struct map *map, uint64_t key);

/* Returns the number of the key, or MAP_NONE. */
uint32_t map_find(const struct map *map, const void *key, size_t size);
uint32_t map_find_u64(const struct map *map, uint64_t key);

/* Returns the bytes of a key. They are valid until a key is added. */
const void *map_key(const struct map *map, uint32_t number, size_t *size);

/* Frees the memory of the map, which has no keys afterwards. */
void map_release(struct map *map);

/* --- Sparse arrays -------------------------------------------------------------------------- */

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

/* Sets a pointer. `index` must be below SPARSE_MAX. */
void sparse_set(struct sparse *sparse, uint32_t index, void *pointer);

/* Returns the lowest index from `from` on that has a pointer, or SPARSE_MAX. */
uint32_t sparse_next(const struct sparse *sparse, uint32_t from);

/* Frees the array, not what its pointers point to. */
void sparse_release(struct sparse *sparse);

#endif
