/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks as the tree of a flame graph, without its small branches. */
#ifndef PSCAL_STATS_STACKS_FLAME_TREE_H
#define PSCAL_STATS_STACKS_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

struct folded_stacks;

/* The largest number of nodes; as many again are named "..." for what is cut off below them. */
enum { FLAME_NODES_MAX = 1000 };

#define FLAME_NONE UINT32_MAX

struct flame_node {
	char *name;
	double time_s;	 /* including all nodes below */
	float *bins_s;	 /* [FOLDED_BINS]: excluding all nodes below; NULL: none, or not known */
	uint32_t parent; /* an index; FLAME_NONE for the first node, "all" */
	uint32_t child, next; /* first child, next sibling; FLAME_NONE: none */
};

struct flame_tree {
	struct flame_node *nodes;
	size_t count;	 /* 0: no known stack */
	uint64_t bin_ns; /* the length of a bin, see folded_stacks.h; 0: no bins */
};

void flame_tree_init(struct flame_tree *tree, const struct folded_stacks *stacks);
void flame_tree_release(struct flame_tree *tree);

#endif
