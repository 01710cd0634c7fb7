/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where children of one task wait for each other: the n-th barrier of each of them is that of all
 * which were spawned between the same two syncs of their parent. Roots have no such parent, and
 * nothing is known of what they wait for.
 *
 * What they and those below them have spawned before, and not waited for, is waited for there, too,
 * if it has ended when the first of them goes on: at a barrier of OpenMP all tasks are done.
 */
#ifndef PSCAL_STATS_TASKS_TASK_JOINS_H
#define PSCAL_STATS_TASKS_TASK_JOINS_H

#include <stddef.h>
#include <stdint.h>

struct task_tree;

struct task_join {
	size_t first, count;	       /* in `arrivals`: intervals that end with TASK_BARRIER */
	size_t first_task, task_count; /* in `tasks`: what has been spawned before */
	uint64_t release_ns;	       /* the last one of all these has ended */
	uint64_t resume_ns;	       /* the first one goes on; UINT64_MAX: none does */
};

struct task_joins {
	struct task_join *items;
	size_t count;
	size_t *arrivals;
	size_t arrival_count;
	uint32_t *tasks;
	uint32_t *of_task; /* for each task: its join + 1; 0, or NULL where there are none */
};

void task_joins_init(struct task_joins *joins, const struct task_tree *tree);
void task_joins_release(struct task_joins *joins);

#endif
