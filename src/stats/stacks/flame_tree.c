/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stacks/flame_tree.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "stats/stacks/folded_stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The heaviest stacks that have nodes; the time of the others is cut off at the root. */
enum { FLAME_ROWS_MAX = 4096 };

/* A tree under construction. */
struct flame_maker {
	struct flame_tree *tree;
	size_t capacity;
	struct map names, places; /* a place is parent and name */
};

static uint32_t add_node(struct flame_maker *maker, const char *name, size_t length,
			 uint32_t parent, double time_s)
{
	struct flame_tree *tree = maker->tree;
	uint32_t number = (uint32_t)tree->count;
	struct flame_node *node;

	array_reserve(&tree->nodes, &maker->capacity, tree->count + 1);
	node = &tree->nodes[tree->count++];
	*node = (struct flame_node){.name = strndup(name, length),
				    .time_s = time_s,
				    .parent = parent,
				    .child = FLAME_NONE,
				    .next = FLAME_NONE};
	if (parent != FLAME_NONE) {
		node->next = tree->nodes[parent].child;
		tree->nodes[parent].child = number;
	}
	return number;
}

/* Returns the child with this name, new if need be. Places are numbered as nodes are, from 1 on. */
static uint32_t child_of(struct flame_maker *maker, uint32_t parent, const char *name,
			 size_t length)
{
	uint64_t place = (uint64_t)parent << 32 | map_add(&maker->names, name, length);
	uint32_t number = map_add_u64(&maker->places, place) + 1;

	return number < maker->tree->count ? number : add_node(maker, name, length, parent, 0);
}

/* Adds the time of the bins to the node; NULL: none. */
static void add_bins(struct flame_tree *tree, uint32_t at, const float *bins_s)
{
	struct flame_node *node = &tree->nodes[at];

	if (!bins_s)
		return;
	if (!node->bins_s)
		node->bins_s = xcalloc(FOLDED_BINS, sizeof(*node->bins_s));
	for (size_t i = 0; i < FOLDED_BINS; i++)
		node->bins_s[i] += bins_s[i];
}

static void add_stack(struct flame_maker *maker, const struct folded_row *row)
{
	uint32_t at = 0;

	for (const char *part = row->stack; part; part = strchr(part, ';')) {
		part += *part == ';';
		at = child_of(maker, at, part, strcspn(part, ";"));
		maker->tree->nodes[at].time_s += row->time_s;
	}
	maker->tree->nodes[0].time_s += row->time_s;
	add_bins(maker->tree, at, row->bins_s);
}

/* --- Small branches -------------------------------------------------------------------------- */

/* Returns the least time of a node to keep. Parents come first, with at least as much time. */
static double least_time(const struct flame_tree *tree)
{
	double *times = xcalloc(tree->count, sizeof(*times)), least;

	for (size_t i = 0; i < tree->count; i++)
		times[i] = tree->nodes[i].time_s;
	sort_items(times, tree->count, compare_doubles);
	least = times[tree->count - FLAME_NODES_MAX];
	free(times);
	return least;
}

/* The places of a tree's nodes in the tree that is kept. */
struct flame_cut {
	struct flame_maker maker;
	uint32_t *numbers; /* the number of the node, or of the last kept one above it */
	bool *is_kept;
	uint32_t *rests; /* [kept]: the node below it with the time of its cut nodes */
};

static uint32_t rest_of(struct flame_cut *cut, uint32_t above)
{
	if (cut->rests[above] == FLAME_NONE)
		cut->rests[above] = add_node(&cut->maker, "...", 3, above, 0);
	return cut->rests[above];
}

/*
 * Keeps or cuts a node. The time of a node includes the nodes below: the time of cut nodes is added
 * once, with the uppermost one. The bins of a node exclude the nodes below: each node adds its own.
 */
static void cut_node(struct flame_cut *cut, const struct flame_tree *tree, uint32_t at)
{
	const struct flame_node *node = &tree->nodes[at];
	uint32_t above = at ? cut->numbers[node->parent] : FLAME_NONE;
	struct flame_tree *kept = cut->maker.tree;
	uint32_t to;

	cut->numbers[at] = above;
	if (cut->is_kept[at]) {
		to = cut->numbers[at] =
			add_node(&cut->maker, node->name, strlen(node->name), above, node->time_s);
	} else {
		to = rest_of(cut, above);
		kept->nodes[to].time_s += cut->is_kept[node->parent] ? node->time_s : 0;
	}
	add_bins(kept, to, node->bins_s);
}

/*
 * Keeps the nodes with `least_s` or more, the first ones of those with just that. Each kept node
 * may get one below it with the time of its cut nodes.
 */
static void cut(struct flame_tree *tree, double least_s)
{
	struct flame_tree kept = {.bin_ns = tree->bin_ns};
	struct flame_cut cut = {
		.maker.tree = &kept,
		.numbers = xcalloc(tree->count, sizeof(*cut.numbers)),
		.is_kept = xcalloc(tree->count, sizeof(*cut.is_kept)),
		.rests = xcalloc((size_t)2 * FLAME_NODES_MAX, sizeof(*cut.rests)),
	};
	size_t count = 0;

	memset(cut.rests, 0xff, (size_t)2 * FLAME_NODES_MAX * sizeof(*cut.rests));
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct flame_node *node = &tree->nodes[i];

		cut.is_kept[i] = (!i || cut.is_kept[node->parent]) && node->time_s >= least_s &&
				 count < FLAME_NODES_MAX;
		count += cut.is_kept[i];
		cut_node(&cut, tree, i);
	}
	free(cut.rests);
	free(cut.is_kept);
	free(cut.numbers);
	flame_tree_release(tree);
	*tree = kept;
}

/* Adds the time of the stacks beyond FLAME_ROWS_MAX. */
static void add_rest(struct flame_tree *tree, const struct folded_stacks *stacks)
{
	struct flame_maker maker = {.tree = tree, .capacity = tree->count};
	double rest_s = stacks->left_out_s;
	uint32_t rest;

	for (size_t i = FLAME_ROWS_MAX; i < stacks->count; i++)
		rest_s += stacks->rows[i].time_s;
	if (!(rest_s > 0))
		return;
	rest = add_node(&maker, "...", 3, 0, rest_s);
	tree->nodes[0].time_s += rest_s;
	for (size_t i = FLAME_ROWS_MAX; i < stacks->count; i++)
		add_bins(tree, rest, stacks->rows[i].bins_s);
}

void flame_tree_init(struct flame_tree *tree, const struct folded_stacks *stacks)
{
	struct flame_maker maker = {.tree = tree};

	*tree = (struct flame_tree){.bin_ns = stacks->bin_ns};
	if (!stacks->count || stacks->unknown_s >= stacks->total_s)
		return;
	add_node(&maker, "all", 3, FLAME_NONE, 0);
	for (size_t i = 0; i < stacks->count && i < FLAME_ROWS_MAX; i++)
		add_stack(&maker, &stacks->rows[i]);
	map_release(&maker.names);
	map_release(&maker.places);
	if (tree->count > FLAME_NODES_MAX)
		cut(tree, least_time(tree));
	add_rest(tree, stacks);
}

void flame_tree_release(struct flame_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->nodes[i].name);
		free(tree->nodes[i].bins_s);
	}
	free(tree->nodes);
	*tree = (struct flame_tree){.count = 0};
}
