/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sparse.h"

#include "base/alloc.h"

#include <stdlib.h>

void sparse_set(struct sparse *sparse, uint32_t index, void *pointer)
{
	void ***leaf = &sparse->leaves[index / SPARSE_LEAF];

	if (!*leaf)
		*leaf = xcalloc(SPARSE_LEAF, sizeof(**leaf));
	(*leaf)[index % SPARSE_LEAF] = pointer;
}

void sparse_release(struct sparse *sparse)
{
	for (size_t i = 0; i < SPARSE_LEAVES; i++)
		free(sparse->leaves[i]);
}
