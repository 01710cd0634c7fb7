/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of task_tree.h, while a tree is read. */
#ifndef PSCAL_STATS_TASKS_TASK_TREE_PRIVATE_H
#define PSCAL_STATS_TASKS_TASK_TREE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "stats/tasks/task_tree.h"

/* --- Steps --------------------------------------------------------------------------------- */

/*
 * Steps of tasks, one after the other, become segments, spawns and waits by the rules of
 * task_tree.h. Memory is some 90 bytes for each task beside what the tree has, 32 for each task and
 * each segment where something is counted, 24 for each spawn and each sync, 8 for each child that a
 * sync names.
 */
enum task_stage {
	TASK_NOT_BEGUN,
	TASK_RUNS,    /* a segment of it is open, on `worker` */
	TASK_HIDDEN,  /* another task has begun in place of that segment, and has not ended */
	TASK_PENDING, /* in no segment: it waits, or what it does is not on record */
	TASK_OVER,
};

struct task_progress {
	uint64_t since_ns; /* TASK_RUNS: its segment began then, */
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

struct task_reader {
	/*
	 * Its intervals are in the order of their ends, its tasks have no `first`, no level, and no
	 * ready_ns and spawn but those in place; it has no syncs.
	 */
	struct task_tree *tree;
	struct task_progress *progress; /* of each task */
	size_t progress_capacity;
	uint32_t *current; /* for each worker: the task of the segment in which it is */
	size_t current_capacity;
	struct task_spawn *spawns;
	size_t spawn_count, spawn_capacity;
	struct task_wait *waits;
	size_t wait_count, wait_capacity;
	struct task_named *named;
	size_t named_count, named_capacity;
	/* These are one more than what was counted; 0: not known. */
	uint64_t *opened; /* of each task: of each counter of the source, when its segment began */
	size_t opened_capacity;
	uint64_t *counted; /* of each interval: of each counter */
	size_t counted_capacity;
	struct map numbers; /* of the ids of tasks in their processes */
	uint32_t *newest;   /* [of these]: the task that has it now */
	size_t newest_capacity;
};

/* `tree` is empty. */
void task_reader_init(struct task_reader *reader, struct task_tree *tree);
void task_reader_release(struct task_reader *reader);

/* A worker of the tree does what `event`, an EVENT_STEP, says, in process `pid`. */
void task_reader_take(struct task_reader *reader, uint32_t worker, int32_t pid, uint64_t time_ns,
		      const struct event *event);

/* Adds what the program's threads have counted to the counters of the tree. */
void task_reader_give_counters(const struct task_reader *reader);

/* All steps are there: segments that are open end with the threads of their workers. */
void task_reader_finish(struct task_reader *reader);

/* --- Links --------------------------------------------------------------------------------- */

/*
 * Once all steps are known and the intervals are sorted: joins each child to its spawn and to its
 * sync by the rules of task_tree.h. The tree gets ready_ns, spawn and synced_ns of its tasks, its
 * syncs, and the number of tasks for which no task has waited.
 */
void task_links_make(struct task_reader *reader);

/* --- Counters ------------------------------------------------------------------------------ */

/*
 * The name of another counter: "counted-faults" where there is one of faults. Names differ in more
 * than case, as SQL takes no notice of that. To be freed.
 */
char *task_counters_new_name(const struct task_counters *counters, const char *name);

#endif
