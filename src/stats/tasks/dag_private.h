/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a dag: the nodes into which the tasks of a tree are split, and the level, which
 * follows from the number of nodes at each level. Memory is 8 bytes for each segment and 25 for
 * each task.
 */
#ifndef PSCAL_STATS_TASKS_DAG_PRIVATE_H
#define PSCAL_STATS_TASKS_DAG_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#define DAG_NO_SECTION SIZE_MAX

struct dag_shape {
	const struct task_tree *tree;
	size_t *section;    /* [interval]: the interval with which its node begins */
	uint32_t *sections; /* [task]: the number of its nodes; 0 without segments */
	bool *has_children; /* [task] */
	/*
	 * [task]: the interval that begins the node which spawned it, and the one that begins the
	 * node which has waited for it, or DAG_NO_SECTION.
	 */
	size_t *from, *to;
	uint32_t *order; /* tasks, those that may be one node next to each other */
	uint32_t level;
	bool is_lowered, is_grouped;
	uint64_t all_nodes;
};

void dag_shape_init(struct dag_shape *shape, const struct task_tree *tree,
		    const struct task_joins *joins, const struct dag_options *options);
void dag_shape_release(struct dag_shape *shape);

/* Returns true if a task is one node with all its descendants; at `level` all are. */
bool dag_shape_is_whole(const struct dag_shape *shape, uint32_t task, uint32_t level);

/* Returns true if two tasks of the same level that are one node each may be one node together. */
bool dag_shape_is_alike(const struct dag_shape *shape, uint32_t task, uint32_t other);

/* Adds the sites of a dag; `steps` are the segments of the critical path, intervals of the tree. */
void dag_add_sites(struct dag *dag, const struct task_tree *tree, const size_t *steps,
		   size_t step_count);

#endif
