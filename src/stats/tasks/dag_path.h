/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The critical path of tasks: of all chains of blocks that had to run one after the other, the one
 * that takes the most time on CPUs. A block comes behind the block of its task before it, behind
 * the one that spawned its task, behind the last blocks of the children that its task had waited
 * for, or that ran in place, and behind its siblings' blocks before a barrier.
 *
 * Memory while it is looked for is some 30 bytes for each block and 50 for each task.
 */
#ifndef PSCAL_STATS_TASKS_DAG_PATH_H
#define PSCAL_STATS_TASKS_DAG_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "stats/tasks/task_joins.h"

struct task_tree;

struct dag_path {
	struct task_joins joins;
	/*
	 * From the first to the last: intervals of the tree, and from its interval_count on the
	 * joins.
	 */
	size_t *steps;
	size_t step_count;
	uint64_t span_ns; /* how long it takes */
	/* Blocks that come before themselves, by clocks that differ: they are taken as first. */
	uint64_t contradictions;
};

void dag_path_init(struct dag_path *path, const struct task_tree *tree);
void dag_path_release(struct dag_path *path);

#endif
