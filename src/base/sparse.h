/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array of pointers with a large range of indexes of which few are used: two levels, so that a
 * look-up is two loads.
 */
#ifndef PSCAL_BASE_SPARSE_H
#define PSCAL_BASE_SPARSE_H

#include <stddef.h>
#include <stdint.h>

enum { SPARSE_LEAF = 1 << 11, SPARSE_LEAVES = 1 << 11 };

/* Indexes run from 0 to SPARSE_MAX - 1. */
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

/* Frees the array, not what its pointers point to. */
void sparse_release(struct sparse *sparse);

#endif
