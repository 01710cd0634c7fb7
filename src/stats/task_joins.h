/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where children of one task wait for each other: the n-th barrier of each of them is that of all
 * which were spawned between the same two syncs of their parent. Roots have no such parent, and
 * nothing is known of what they wait for.
 */
#ifndef PSCAL_STATS_TASK_JOINS_H
#define PSCAL_STATS_TASK_JOINS_H

#include <stddef.h>
#include <stdint.h>

struct task_tree;

struct task_join {
	size_t first, count; /* in `arrivals`: intervals that end with TASK_BARRIER */
	uint64_t release_ns; /* the last one of them has ended */
};

struct task_joins {
	struct task_join *items;
	size_t count;
	size_t *arrivals;
	size_t arrival_count;
};

void task_joins_init(struct task_joins *joins, const struct task_tree *tree);
void task_joins_release(struct task_joins *joins);

#endif
