/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether workers were on a CPU, from the changes of a timeline: how much of each block they were,
 * and when not. Memory is 24 bytes for each time that a thread was not, or may not have been, once
 * there is any worker.
 */
#ifndef PSCAL_STATS_TASKS_TASK_PRESENCE_H
#define PSCAL_STATS_TASKS_TASK_PRESENCE_H

#include "stats/tasks/task_tree.h"

struct change;

struct task_presence_thread {
	struct task_worker worker; /* what it is, as one */
	bool appeared;
	uint32_t number; /* of the worker + 1; 0: it is none so far */
};

/* Begins as zero. */
struct task_presence {
	struct task_presence_thread *threads; /* by their number in the timeline */
	size_t capacity;
	bool has_workers;
	bool has_states; /* something of the scheduler is on record */
};

void task_presence_release(struct task_presence *presence);

void task_presence_take(struct task_presence *presence, const struct change *change);

/* Which worker of the tree a thread is, one more if it was none. */
uint32_t task_presence_worker(struct task_presence *presence, struct task_tree *tree, size_t thread,
			      int32_t tid, int32_t pid);

/* Workers get what is known of their threads. */
void task_presence_give(struct task_presence *presence, struct task_tree *tree);

/* How much of each interval was on a CPU; those of each worker are in the order of time. */
void task_presence_measure(struct task_tree *tree);

#endif
