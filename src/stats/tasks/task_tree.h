/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of a recording, as a tree, and the segments that workers ran of them: what the
 * interval table of [Huynh, Nakashima and Taura 2013, section 4] holds. Read in one pass. Memory is
 * 80 bytes for a task, 48 for a segment and 8 for each of its counters, 24 for each time that a
 * thread was off its CPU, and about twice that while it is read: some 1 GB for ten million steps.
 *
 * What the steps of a task mean, and what is made of those that make no sense:
 *  - A segment lasts from a step that starts one to the next step of its task, wherever that is
 *    seen, but no longer than its thread, and is the worker's on whose thread it began.
 *  - A task that begins on a thread which is in a segment of another runs in place: that segment
 *    ends there, and the other goes on when it has ended. It is `in_place` if the other is its
 *    parent.
 *  - A task that does a step while another one, begun in place, hides it: the segment of the other
 *    has ended without being seen to (an exception, longjmp), and it hides nothing any more.
 *  - So has the segment of a task whose thread goes on with another one, or that goes on itself.
 *  - A child belongs to the spawn with its index, the n-th child to the n-th of that index, even
 *    if it began before that was seen, by a clock a little behind. Where there is none it counts
 *    as spawned by the segment in which its parent was, or had been last, when it began.
 *  - A sync waits for all children spawned before and not yet waited for, or for those that are
 *    named. One that runs in place is waited for as it ends.
 *  - A sync of which that is told waits for all below these, too, and below those that are named
 *    and have been waited for: for all that none nearer has waited for.
 *  - A task that is not waited for otherwise is waited for with its parent, if it has ended when
 *    that sync is over: as at the end of a task that must not end before its children.
 *  - A parent that begins after its child, by its clock, is known from there on.
 *  - Steps of tasks that have not begun, or have ended, are counted and nothing else (`orphans`).
 *  - A task that begins again is another one: its process has done an exec.
 *  - What never ended, lasts to the end of its thread if it is in a segment, else to its last
 *    segment.
 */
#ifndef PSCAL_STATS_TASKS_TASK_TREE_H
#define PSCAL_STATS_TASKS_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "decode/event/quality.h"

struct blocks;
struct change;
struct err;
struct event_source;
struct mark;
struct selection;

#define TASK_NONE	  UINT32_MAX
#define TASK_UNKNOWN_SITE UINT32_MAX

/* --- Counters ------------------------------------------------------------------------------ */

/*
 * The events and counts in each segment of the tasks of a tree: not in those of others
 * that ran in place meanwhile. Some is known from any recording of the scheduler and of page
 * faults:
 *
 *	switches	the worker was switched out, as it waits or was preempted
 *	migrations	it got another CPU than the one that it had before
 *	faults		it touched memory that was not there (--tasks=faults)
 *
 * The last one is not known where page faults are not on record, the others not where the scheduler
 * is not. Of a segment in which it is not known whether its worker was on a CPU migrations are not
 * known; nor are switches, if records of them may be missing: kernels that hide some from us hide
 * how threads get a CPU, and not how they leave it.
 */
#define TASK_COUNT_UNKNOWN UINT64_MAX

/* Those that every tree has. */
enum { TASK_SWITCHES, TASK_MIGRATIONS, TASK_FAULTS, TASK_COUNTERS_DERIVED };

struct task_counter {
	char *name;
	bool in_ns;	  /* it counts time */
	uint64_t *values; /* of each interval, or TASK_COUNT_UNKNOWN; NULL: of none */
};

struct task_counters {
	struct task_counter *items;
	size_t count;
};

static inline uint64_t task_counter_value(const struct task_counter *counter, size_t interval)
{
	return counter->values ? counter->values[interval] : TASK_COUNT_UNKNOWN;
}

/* Of segments together: not known where it is not of one of them. */
static inline uint64_t task_count_sum(uint64_t sum, uint64_t value)
{
	return sum == TASK_COUNT_UNKNOWN || value == TASK_COUNT_UNKNOWN ? TASK_COUNT_UNKNOWN
									: sum + value;
}

/* The number of the counter with this name, or how many there are. */
size_t task_counters_find(const struct task_counters *counters, const char *name);

/* --- The tree ------------------------------------------------------------------------------ */

struct task {
	uint64_t id; /* in its process */
	int32_t pid;
	uint32_t parent;   /* TASK_NONE: it has none, or it is not on record */
	uint32_t index;	   /* among the parent's children, as the program counts them */
	uint32_t level;	   /* 0: without a parent */
	uint32_t site;	   /* where it begins, a place in the source, or TASK_UNKNOWN_SITE */
	bool in_place;	   /* the parent's thread ran it at once, and it was never ready */
	bool begun;	   /* else it is only known as a parent, and has no times of its own */
	bool ended;	   /* else the recording, or its thread, ended before */
	uint64_t ready_ns; /* it had been spawned then; in place, or not known: begin_ns */
	uint64_t begin_ns, end_ns;
	uint64_t synced_ns; /* the one that waited for it in a sync went on; 0: none did */
	size_t first;	    /* its intervals, in the order of time, in `intervals` */
	uint32_t interval_count;
	uint32_t spawn; /* behind which interval of its parent it was spawned, from 0 on, or began
			   in place; TASK_NONE: not known */
};

/* A worker ran this segment of a task. */
struct task_interval {
	uint64_t begin_ns, end_ns;
	uint64_t running_ns; /* of that on a CPU; all but what it is known not to have been */
	uint32_t task;
	uint32_t worker;	 /* of the tree's */
	uint32_t site, site_end; /* places in the source: where it begins and ends */
	/*
	 * enum task_step. Around a task that runs in place they are what that one does, with its
	 * sites: TASK_BEGIN ends the segment before, TASK_END begins the one behind. An end that is
	 * not on record is TASK_NO_STEP, and TASK_UNKNOWN_SITE.
	 */
	uint8_t step, step_end;
};

/* Behind interval `after` (of the tree's) a task waits for these: children, and what is below. */
struct task_sync {
	size_t after;
	size_t first, count; /* in `synced`, tasks */
};

/* A worker was not on a CPU, or it is not known whether it was. */
enum task_absence_kind { TASK_WAITS_FOR_CPU, TASK_SLEEPS, TASK_STATE_UNKNOWN };
struct task_absence {
	uint64_t begin_ns, end_ns;
	enum task_absence_kind kind;
};

struct task_worker {
	int32_t tid, pid;
	size_t thread; /* its number in the timeline */
	char comm[COMM_SIZE];
	uint64_t begin_ns, end_ns;     /* of its thread */
	struct task_absence *absences; /* in the order of time; else it was on a CPU */
	size_t absence_count, absence_capacity;
};

struct task_tree {
	struct task *tasks; /* as they are first heard of, mostly by begin; a parent comes first */
	size_t task_count, task_capacity;
	struct task_interval *intervals; /* sorted by task, then by time */
	size_t interval_count, interval_capacity;
	struct task_counters counters; /* in the intervals */
	struct task_sync *syncs;       /* sorted by `after` */
	size_t sync_count, sync_capacity;
	uint32_t *synced;
	size_t synced_count, synced_capacity;
	struct task_worker *workers; /* threads that ran any segment */
	size_t worker_count, worker_capacity;
	const struct blocks *blocks; /* names of sites; borrowed from the source */
	uint64_t begin_ns, end_ns;   /* from the first step to the last, or to what never ended */
	uint64_t origin_ns;	     /* what people count times from */
	uint64_t never_ended;	     /* tasks, as are */
	uint64_t never_synced;	     /* ... those that no sync waited for */
	uint64_t never_begun;	     /* ... and those that are only known as parents */
	uint64_t never_run;	     /* children that were spawned, and have not begun */
	uint64_t orphans;	     /* steps of tasks that are not known */
	uint64_t lost;		     /* steps that were not recorded */
	uint64_t unknown_ns;	     /* in segments, where it is not known what the thread did */
	uint32_t levels;	     /* how deep the tree is: 1: roots alone */
	bool has_states;	     /* something of the scheduler is on record */
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
 * The same for a caller that reads the timeline itself: it makes the reader before that, hands on
 * marks and changes, and tells in the end where the timeline begins. The reader is freed before
 * the tree is released; a tree that could not be finished is empty.
 */
struct task_tree_reader;
struct task_tree_reader *task_tree_reader_new(struct task_tree *tree, struct event_source *source);
void task_tree_reader_mark(struct task_tree_reader *reader, const struct mark *mark);
void task_tree_reader_change(struct task_tree_reader *reader, const struct change *change);
int task_tree_reader_finish(struct task_tree_reader *reader, uint64_t origin_ns, struct err *err);
void task_tree_reader_free(struct task_tree_reader *reader);

/*
 * The path of a task from its root: indices with dots, "0.1.17", at the end of `text`. NULL: with
 * its NUL it has more than `size` bytes, as where the tree is deep; that is known after so many.
 */
const char *task_tree_path(char *text, size_t size, const struct task_tree *tree, uint32_t task);

/* --- Sites --------------------------------------------------------------------------------- */

/*
 * Where in the source a step of a task is, as recordings have it: "FUNCTION FILE:LINE", or
 * "FUNCTION+0x12" where the line is not known. `file` is NULL and `line` 0 where that is not
 * known.
 */
struct site_name {
	const char *function, *file;
	int function_length, file_length;
	uint32_t line;
};

/*
 * The parts of a site, which are borrowed; an unknown site is in function "?". The function is
 * without the offset in it, and the parts that a compiler makes of a function count as that:
 * "sort.part.3" is "sort". But the body of an OpenMP construct is a task of its own:
 * "sort._omp_fn.3" stays that.
 */
struct site_name task_site_name(const struct task_tree *tree, uint32_t site);

#endif
