/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of a recording, as a tree, and the blocks of code that workers ran of them: what the
 * interval table of [Huynh, Nakashima and Taura 2013, section 4] holds. Read in one pass; memory is
 * for tasks and blocks (see the structs), twice that while it is read.
 *
 * A child that begins on a thread on which its parent is in a block runs in place: the parent's
 * block ends there, as at a spawn, and goes on when the child has ended.
 */
#ifndef PSCAL_STATS_TASK_TREE_H
#define PSCAL_STATS_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event_source.h"
#include "decode/selection.h"
#include "decode/task_step.h"

struct err;

#define TASK_NONE UINT32_MAX

struct task {
	uint64_t id; /* in its process */
	int32_t pid;
	uint32_t parent;   /* TASK_NONE: it has none, or it is not on record */
	uint32_t index;	   /* among the parent's children, as the program counts them */
	uint32_t level;	   /* 0: without a parent */
	uint32_t site;	   /* where it begins, a block of the source */
	bool in_place;	   /* the parent's thread ran it at once, and it was never ready */
	bool ended;	   /* else the recording, or its thread, ended before */
	uint64_t ready_ns; /* it was spawned then; in place, or not known: begin_ns */
	uint64_t begin_ns, end_ns;
	uint64_t synced_ns; /* the parent went on from the sync that waited for it; 0: never */
	size_t first;	    /* its intervals, in the order of time, in `intervals` */
	uint32_t interval_count;
};

/* A worker ran this block of a task. */
struct task_interval {
	uint64_t begin_ns, end_ns;
	uint64_t running_ns; /* of that on a CPU; where there are no states, all of it */
	uint32_t task;
	uint32_t worker;	 /* of the tree's */
	uint32_t site, site_end; /* blocks of the source: where it begins and ends */
	uint8_t step, step_end;	 /* enum task_step; in_place: TASK_SPAWN, TASK_SPAWNED */
};

/* Behind interval `after` (of the tree's) a task waits for these of its children. */
struct task_sync {
	size_t after;
	size_t first, count; /* in `synced`, tasks */
};

struct task_worker {
	int32_t tid, pid;
	char comm[COMM_SIZE];
	uint64_t begin_ns, end_ns; /* of its thread */
};

struct task_tree {
	struct task *tasks; /* by the time at which they begin; a parent before its children */
	size_t task_count, task_capacity;
	struct task_interval *intervals; /* sorted by task, then by time */
	size_t interval_count, interval_capacity;
	struct task_sync *syncs; /* sorted by `after` */
	size_t sync_count, sync_capacity;
	uint32_t *synced;
	size_t synced_count, synced_capacity;
	struct task_worker *workers; /* threads that ran any block */
	size_t worker_count, worker_capacity;
	const struct blocks *blocks;		     /* names of sites; borrowed from the source */
	uint64_t begin_ns, end_ns;		     /* from the first step to the last */
	uint64_t origin_ns;			     /* what people count times from */
	uint64_t never_ended, never_synced, orphans; /* tasks; steps of unknown ones */
	bool has_states;			     /* something of the scheduler is on record */
	struct quality quality;
};

/*
 * Reads `source` to its end; it is borrowed for as long as the tree lives. Returns 0, or -1 with a
 * sentence, also when no task is on record.
 */
int task_tree_read(struct task_tree *tree, struct event_source *source,
		   const struct selection *selection, struct err *err);
void task_tree_release(struct task_tree *tree);

/*
 * The path of a task from its root: indices with dots, "0.1.17"; at most `size` bytes with the NUL.
 * Returns its whole length, as snprintf does.
 */
size_t task_tree_path(char *text, size_t size, const struct task_tree *tree, uint32_t task);

/* A site's name in its parts; `file` is NULL and `line` 0 where that is not known. */
struct site_name {
	const char *function, *file;
	int function_length, file_length;
	uint32_t line;
};
struct site_name task_site_name(const struct task_tree *tree, uint32_t site);

#endif
