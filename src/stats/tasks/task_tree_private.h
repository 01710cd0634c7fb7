/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree while it is read. */
#ifndef PSCAL_STATS_TASKS_TASK_TREE_PRIVATE_H
#define PSCAL_STATS_TASKS_TASK_TREE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "stats/tasks/task_tree.h"

/* --- Steps --------------------------------------------------------------------------------- */

/*
 * Turns steps of tasks, in their order, into segments, spawns and waits by the rules of
 * task_tree.h. Memory is some 90 bytes for each task beside the tree, 32 for each task and each
 * segment if there are counters, 24 for each spawn and each sync, 8 for each child that a sync
 * names.
 */
enum task_stage {
	TASK_NOT_BEGUN,
	TASK_RUNS,    /* one of its segments is open, on `worker` */
	TASK_HIDDEN,  /* another task has begun in place of its segment, and not ended */
	TASK_PENDING, /* the task is in no segment: it waits, or steps are missing */
	TASK_OVER,
};

struct task_progress {
	uint64_t since_ns; /* TASK_RUNS: the begin of its segment */
	uint32_t since;	   /* TASK_RUNS: the site of this */
	uint32_t worker;
	uint32_t below, above; /* the task that it hides, and the one that hides it */
	uint32_t spawn, wait;  /* the last ones that are not over, or TASK_NONE */
	uint32_t named;	       /* the children that its next sync names, the last one first */
	uint8_t stage, step;
};

/* A spawn of a child; `after`: the number of the task's last interval before it, or TASK_NONE. */
struct task_spawn {
	uint64_t ready_ns;
	uint32_t parent, index;
	uint32_t after;
};

/* A wait of a task for some children, or for all; synced_ns 0: it has not gone on. */
struct task_wait {
	uint64_t synced_ns;
	uint32_t task, after;
	uint32_t named;
	bool deep; /* also for the descendants of these */
};

struct task_named {
	uint32_t index;
	uint32_t next; /* TASK_NONE: the first one */
};

struct task_reader {
	/*
	 * Its intervals are in the order of their ends. Its tasks have no `first` and no level, and
	 * only those in place have ready_ns and spawn; there are no syncs yet.
	 */
	struct task_tree *tree;
	struct task_progress *progress; /* [task] */
	size_t progress_capacity;
	uint32_t *current; /* [worker]: the task of its current segment */
	size_t current_capacity;
	struct task_spawn *spawns;
	size_t spawn_count, spawn_capacity;
	struct task_wait *waits;
	size_t wait_count, wait_capacity;
	struct task_named *named;
	size_t named_count, named_capacity;
	/* Both arrays hold counts plus one; 0: not known. */
	uint64_t *opened; /* [task][counter of the source]: at the begin of its segment */
	size_t opened_capacity;
	uint64_t *counted; /* [interval][counter] */
	size_t counted_capacity;
	struct map numbers; /* the numbers of tasks, by process and id */
	uint32_t *newest;   /* [number]: the task that has the id now */
	size_t newest_capacity;
};

/* `tree` is empty. */
void task_reader_init(struct task_reader *reader, struct task_tree *tree);
void task_reader_release(struct task_reader *reader);

/* Takes `event`, an EVENT_STEP of a worker of the tree in process `pid`. */
void task_reader_take(struct task_reader *reader, uint32_t worker, int32_t pid, uint64_t time_ns,
		      const struct event *event);

/* Adds the counters of the program's threads to those of the tree. */
void task_reader_give_counters(const struct task_reader *reader);

/* Ends open segments with the threads of their workers, after all steps. */
void task_reader_finish(struct task_reader *reader);

/* --- Links --------------------------------------------------------------------------------- */

/*
 * Joins each child to its spawn and to its sync by the rules of task_tree.h, when all steps are
 * known and the intervals are sorted. Sets ready_ns, spawn and synced_ns of the tree's tasks, its
 * syncs, and the number of tasks without a wait.
 */
void task_links_make(struct task_reader *reader);

/* --- Counters ------------------------------------------------------------------------------ */

/*
 * Returns a unique name for another counter: "counted-faults" if there is one of faults. Names must
 * differ in more than case, which SQL ignores. The caller frees the name.
 */
char *task_counters_new_name(const struct task_counters *counters, const char *name);

#endif
