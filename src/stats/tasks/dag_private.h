/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a dag: the nodes into which the tasks of a tree are split, and the level, which is
 * chosen by the number of nodes at each level. Memory is 8 bytes for each segment and 25 for each
 * task.
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
	size_t *section;    /* for each interval: the one with which its node begins */
	uint32_t *sections; /* for each task: how many nodes it makes; without segments none */
	bool *has_children; /* for each task */
	/*
	 * For each task: the interval with which the node begins that spawned it, and the one that
	 * has waited for it, or DAG_NO_SECTION.
	 */
	size_t *from, *to;
	uint32_t *order; /* tasks, such that those that may be one node stand together */
	uint32_t level;
	bool is_lowered, is_grouped;
	uint64_t all_nodes;
};

void dag_shape_init(struct dag_shape *shape, const struct task_tree *tree,
		    const struct task_joins *joins, const struct dag_options *options);
void dag_shape_release(struct dag_shape *shape);

/* Is a task one node, with all that is below it? `level`: where all are. */
bool dag_shape_is_whole(const struct dag_shape *shape, uint32_t task, uint32_t level);

/* May two tasks of the same level that are one node each be one together? */
bool dag_shape_is_alike(const struct dag_shape *shape, uint32_t task, uint32_t other);

/* The sites of a dag, from the segments of the critical path, which are intervals of the tree. */
void dag_add_sites(struct dag *dag, const struct task_tree *tree, const size_t *steps,
		   size_t step_count);

#endif
