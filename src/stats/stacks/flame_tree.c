/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stacks/flame_tree.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "stats/stacks/folded_stacks.h"

#include <stdlib.h>
#include <string.h>

/* Of the heaviest stacks; the time of the others is cut off at the root. */
enum { FLAME_ROWS_MAX = 4096 };

/* A tree that grows. */
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

/* The child of this name, which is made if there is none. Places are numbered as nodes are, from 1. */
static uint32_t child_of(struct flame_maker *maker, uint32_t parent, const char *name,
			 size_t length)
{
	uint64_t place = (uint64_t)parent << 32 | map_add(&maker->names, name, length);
	uint32_t number = map_add_u64(&maker->places, place) + 1;

	return number < maker->tree->count ? number : add_node(maker, name, length, parent, 0);
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
}

/* --- Small branches -------------------------------------------------------------------------- */

/* Parents stand before their children, and take as much time at least. */
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

/*
 * The nodes that take `least_s` or more and, of those that take just that, the first. Beneath each
 * of them one has the time of what is gone.
 */
static void cut(struct flame_tree *tree, double least_s)
{
	struct flame_tree kept = {.nodes = NULL};
	struct flame_maker maker = {.tree = &kept};
	uint32_t *numbers = xcalloc(tree->count, sizeof(*numbers));
	double *lost_s = xcalloc(FLAME_NODES_MAX, sizeof(*lost_s));
	size_t count;

	for (size_t i = 0; i < tree->count; i++) {
		const struct flame_node *node = &tree->nodes[i];
		uint32_t parent = i ? numbers[node->parent] : FLAME_NONE;

		numbers[i] = FLAME_NONE;
		if (i && parent == FLAME_NONE)
			continue;
		if (node->time_s >= least_s && kept.count < FLAME_NODES_MAX) {
			numbers[i] = add_node(&maker, node->name, strlen(node->name), parent,
					      node->time_s);
		} else {
			lost_s[parent] += node->time_s;
		}
	}
	count = kept.count;
	for (uint32_t i = 0; i < count; i++)
		if (lost_s[i] > 0)
			add_node(&maker, "...", 3, i, lost_s[i]);
	free(lost_s);
	free(numbers);
	flame_tree_release(tree);
	*tree = kept;
}

void flame_tree_init(struct flame_tree *tree, const struct folded_stacks *stacks)
{
	struct flame_maker maker = {.tree = tree};
	double rest_s = stacks->left_out_s;

	*tree = (struct flame_tree){.count = 0};
	if (!stacks->count || stacks->unknown_s >= stacks->total_s)
		return;
	add_node(&maker, "all", 3, FLAME_NONE, 0);
	for (size_t i = 0; i < stacks->count; i++)
		if (i < FLAME_ROWS_MAX)
			add_stack(&maker, &stacks->rows[i]);
		else
			rest_s += stacks->rows[i].time_s;
	map_release(&maker.names);
	map_release(&maker.places);
	if (tree->count > FLAME_NODES_MAX)
		cut(tree, least_time(tree));
	if (rest_s > 0) {
		maker.capacity = tree->count;
		add_node(&maker, "...", 3, 0, rest_s);
		tree->nodes[0].time_s += rest_s;
	}
}

void flame_tree_release(struct flame_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->nodes[i].name);
	free(tree->nodes);
	*tree = (struct flame_tree){.count = 0};
}
