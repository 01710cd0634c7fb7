/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of tasks, one after the other, to blocks of code and to what is spawned and waited for: the
 * rules of task_tree.h, while a tree is read. Memory is 40 bytes for each task beside what the tree
 * has, 32 for each task and each block where something is counted, 24 for each spawn and each sync,
 * 8 for each child that a sync names.
 */
#ifndef PSCAL_STATS_TASKS_TASK_DRAFTS_H
#define PSCAL_STATS_TASKS_TASK_DRAFTS_H

#include "stats/tasks/task_tree.h"

enum task_stage {
	TASK_NOT_BEGUN,
	TASK_RUNS,    /* a block of it is open, on `worker` */
	TASK_HIDDEN,  /* another task has begun in place of that block, and has not ended */
	TASK_PENDING, /* in no block: it waits, or what it does is not on record */
	TASK_OVER,
};

struct task_draft {
	uint64_t since_ns; /* TASK_RUNS: its block began then, */
	uint32_t since;	   /* ... at this site */
	uint32_t worker;
	uint32_t below, above; /* the task that it hides, that hides it */
	uint32_t spawn, wait;  /* the last of each that is not over, or TASK_NONE */
	uint32_t named;	       /* what its next sync waits for, the last one first */
	uint8_t stage, step;
};

/* A task was about to create a child; `after`: behind which of its own intervals, or TASK_NONE. */
struct task_spawn {
	uint64_t ready_ns;
	uint32_t parent, index;
	uint32_t after;
};

/* A task began to wait for some, or for all; 0: it has not gone on. */
struct task_wait {
	uint64_t synced_ns;
	uint32_t task, after;
	uint32_t named;
	bool deep; /* also for what is below those */
};

struct task_named {
	uint32_t index;
	uint32_t next; /* TASK_NONE: this is the first one */
};

struct task_drafts {
	/*
	 * Its intervals are in the order of their ends, its tasks have no `first`, no level, and no
	 * ready_ns and spawn but those in place; it has no syncs.
	 */
	struct task_tree *tree;
	struct task_draft *drafts; /* of each task */
	size_t draft_capacity;
	uint32_t *current; /* for each worker: the task of the block in which it is */
	size_t current_capacity;
	struct task_spawn *spawns;
	size_t spawn_count, spawn_capacity;
	struct task_wait *waits;
	size_t wait_count, wait_capacity;
	struct task_named *named;
	size_t named_count, named_capacity;
	/* These are one more than what was counted; 0: not known. */
	uint64_t *opened; /* of each task: of each counter of the source, when its block began */
	size_t opened_capacity;
	uint64_t *counted; /* of each interval: of each counter */
	size_t counted_capacity;
	uint32_t *slots; /* a hash table of tasks by process and number; 0: free, else task + 1 */
	size_t slot_count;
};

/* `tree` is empty. */
void task_drafts_init(struct task_drafts *steps, struct task_tree *tree);
void task_drafts_release(struct task_drafts *steps);

/* A worker of the tree does what `event`, an EVENT_STEP, says, in process `pid`. */
void task_drafts_take(struct task_drafts *steps, uint32_t worker, int32_t pid, uint64_t time_ns,
		      const struct event *event);

/* Adds what the program's threads have counted to the counters of the tree. */
void task_drafts_give_counters(const struct task_drafts *steps);

/* There is no more: blocks that are open end with the threads of their workers. */
void task_drafts_finish(struct task_drafts *steps);

#endif
