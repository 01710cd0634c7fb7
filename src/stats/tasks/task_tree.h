/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of a recording, as a tree, and the segments that workers ran of them, as in the
 * interval table of [Huynh, Nakashima and Taura 2013, section 4]. Read in one pass. Memory is 80
 * bytes for a task, 48 for a segment and 8 for each of its counters, 24 for each absence of a
 * thread from its CPU, and about twice that while reading: some 1 GB for ten million steps.
 *
 * The meaning of the steps of a task, also of contradictory ones:
 *  - A segment lasts from a step that starts one to the next step of its task on any thread, but no
 *    longer than its thread, and belongs to the worker on whose thread it began.
 *  - A task that begins on a thread in a segment of another task runs in place: that segment ends,
 *    and the other task goes on when this one has ended. It is `in_place` if the other is its
 *    parent.
 *  - A step of a task that another one, begun in place, hides: the end of the other's segment is
 *    missing (an exception, longjmp), and it hides nothing any more.
 *  - The end of a segment is also missing if its thread goes on with another task, or its task
 *    starts another segment.
 *  - A child belongs to the spawn with its index, the n-th child to the n-th spawn of that index,
 *    even if it began earlier, by a clock a little behind. Without such a spawn it counts as
 *    spawned by the last segment that its parent began before the child.
 *  - A sync waits for all children spawned before and not yet waited for, or for those that it
 *    names. The end of a child in place is the wait for it.
 *  - A deep sync waits for all descendants of these, too, and of named ones that were waited for:
 *    for all that no nearer sync has waited for.
 *  - A task without a wait of its own is waited for with its parent, if it has ended when that sync
 *    is over: as at the end of a task that must not end before its children.
 *  - A parent may begin after its child, by its clock: the begin of the child adds it to the tree.
 *  - Steps of tasks that have not begun, or have ended, are only counted (`orphans`).
 *  - A task that begins again is another one: its process has done an exec.
 *  - A task that never ended lasts to the end of its thread if it is in a segment, else to the end
 *    of its last segment.
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
 * The counters of each segment of a task, without tasks that ran in place in between. Some follow
 * from any recording of the scheduler and of page faults:
 *
 *	switches	the worker was switched out, as it waits or was preempted
 *	migrations	it got another CPU than before
 *	faults		it had a page fault (--tasks=faults)
 *
 * The last one needs recorded page faults, the others scheduling events. Migrations are not known
 * in a segment whose worker is in an unknown state for a time; nor are switches, if records of them
 * may be missing. Kernels that hide switches hide switch-ins, and not switch-outs.
 */
#define TASK_COUNT_UNKNOWN UINT64_MAX

/* The counters of every tree. */
enum { TASK_SWITCHES, TASK_MIGRATIONS, TASK_FAULTS, TASK_COUNTERS_DERIVED };

struct task_counter {
	char *name;
	bool in_ns;	  /* the counter counts nanoseconds */
	uint64_t *values; /* [interval], or TASK_COUNT_UNKNOWN; NULL: not known */
};

struct task_counters {
	struct task_counter *items;
	size_t count;
};

static inline uint64_t task_counter_value(const struct task_counter *counter, size_t interval)
{
	return counter->values ? counter->values[interval] : TASK_COUNT_UNKNOWN;
}

/* Adds up counts of segments: the sum is unknown if one of them is. */
static inline uint64_t task_count_sum(uint64_t sum, uint64_t value)
{
	return sum == TASK_COUNT_UNKNOWN || value == TASK_COUNT_UNKNOWN ? TASK_COUNT_UNKNOWN
									: sum + value;
}

/* Returns the number of the counter with this name, or the number of counters if there is none. */
size_t task_counters_find(const struct task_counters *counters, const char *name);

/* --- The tree ------------------------------------------------------------------------------ */

struct task {
	uint64_t id; /* unique in its process */
	int32_t pid;
	uint32_t parent;   /* TASK_NONE: none, or not recorded */
	uint32_t index;	   /* the program's index among the parent's children */
	uint32_t level;	   /* 0: without a parent */
	uint32_t site;	   /* the place in the source of its begin, or TASK_UNKNOWN_SITE */
	bool in_place;	   /* the parent's thread ran it at once: it was never ready */
	bool begun;	   /* else the task is only known as a parent, and has no times */
	bool ended;	   /* else the recording, or its thread, ended before */
	uint64_t ready_ns; /* the time of its spawn; in place, or not known: begin_ns */
	uint64_t begin_ns, end_ns;
	uint64_t synced_ns; /* the end of the sync that waited for it; 0: none did */
	size_t first;	    /* the first of its intervals, which are sorted by time */
	uint32_t interval_count;
	/* the parent's interval, from 0 on, that spawned it or began it in place; or TASK_NONE */
	uint32_t spawn;
};

/* A segment of a task that a worker ran. */
struct task_interval {
	uint64_t begin_ns, end_ns;
	uint64_t running_ns; /* time on a CPU; unknown states count as on a CPU */
	uint32_t task;
	uint32_t worker;	 /* an index of the tree's workers */
	uint32_t site, site_end; /* places in the source of its begin and its end */
	/*
	 * Of enum task_step. Next to a task in place they are steps of that task, with its sites:
	 * TASK_BEGIN ends the segment before, TASK_END begins the one behind. An end that is not
	 * recorded is TASK_NO_STEP, at TASK_UNKNOWN_SITE.
	 */
	uint8_t step, step_end;
};

/* A wait of a task behind interval `after` of the tree, for children and their descendants. */
struct task_sync {
	size_t after;
	size_t first, count; /* the part of `synced`, which has tasks */
};

/* An interval in which a worker was not on a CPU, or maybe not. */
enum task_absence_kind { TASK_WAITS_FOR_CPU, TASK_SLEEPS, TASK_STATE_UNKNOWN };
struct task_absence {
	uint64_t begin_ns, end_ns;
	enum task_absence_kind kind;
};

struct task_worker {
	int32_t tid, pid;
	size_t thread; /* the number of the thread in the timeline */
	char comm[COMM_SIZE];
	uint64_t begin_ns, end_ns;     /* the life of the thread */
	struct task_absence *absences; /* sorted by time; at all other times it was on a CPU */
	size_t absence_count, absence_capacity;
};

struct task_tree {
	/* in the order of their first steps, mostly by begin; a parent comes first */
	struct task *tasks;
	size_t task_count, task_capacity;
	struct task_interval *intervals; /* sorted by task, then by time */
	size_t interval_count, interval_capacity;
	struct task_counters counters; /* the counters of the intervals */
	struct task_sync *syncs;       /* sorted by `after` */
	size_t sync_count, sync_capacity;
	uint32_t *synced;
	size_t synced_count, synced_capacity;
	struct task_worker *workers; /* threads that ran a segment */
	size_t worker_count, worker_capacity;
	const struct blocks *blocks; /* names of sites; borrowed from the source */
	/* from the first step to the last, or to the end of open tasks */
	uint64_t begin_ns, end_ns;
	uint64_t origin_ns;    /* the time from which reports count */
	uint64_t never_ended;  /* tasks without an end */
	uint64_t never_synced; /* tasks for which no sync waited */
	uint64_t never_begun;  /* tasks known only as parents */
	uint64_t never_run;    /* children that were spawned, but did not begin */
	uint64_t orphans;      /* steps of unknown tasks */
	uint64_t lost;	       /* steps that were not recorded */
	uint64_t unknown_ns;   /* time of segments in which the thread's state is unknown */
	uint32_t levels;       /* the depth of the tree; 1: only roots */
	bool has_states;       /* some states are known */
	struct quality quality;
};

/*
 * Reads `source`, which is borrowed for as long as the tree lives, to its end. Returns 0, or -1
 * with an error, also if no task is recorded.
 */
int task_tree_read(struct task_tree *tree, struct event_source *source,
		   const struct selection *selection, struct err *err);
void task_tree_release(struct task_tree *tree);

/*
 * Reads a tree for a caller that reads the timeline itself. It makes the reader before that, passes
 * marks and changes on, and gives the beginning of the timeline at the end. The reader is freed
 * before the tree is released; a tree that could not be finished is empty.
 */
struct task_tree_reader;
struct task_tree_reader *task_tree_reader_new(struct task_tree *tree, struct event_source *source);
void task_tree_reader_mark(struct task_tree_reader *reader, const struct mark *mark);
void task_tree_reader_change(struct task_tree_reader *reader, const struct change *change);
int task_tree_reader_finish(struct task_tree_reader *reader, uint64_t origin_ns, struct err *err);
void task_tree_reader_free(struct task_tree_reader *reader);

/*
 * Returns the path of a task from its root: indices with dots, "0.1.17", at the end of `text`.
 * NULL: it has more than `size` bytes with its NUL, as in a deep tree.
 */
const char *task_tree_path(char *text, size_t size, const struct task_tree *tree, uint32_t task);

/* --- Sites --------------------------------------------------------------------------------- */

/*
 * The place of a step in the source, as recorded: "FUNCTION FILE:LINE", or "FUNCTION+0x12" if the
 * line is not known. Then `file` is NULL and `line` 0.
 */
struct site_name {
	const char *function, *file;
	int function_length, file_length;
	uint32_t line;
};

/*
 * Returns the parts of a site, which are borrowed; an unknown site has the function "?". The
 * function has no offset, and parts that a compiler makes of a function have its name:
 * "sort.part.3" is "sort". But the body of an OpenMP construct is a task of its own:
 * "sort._omp_fn.3" keeps its name.
 */
struct site_name task_site_name(const struct task_tree *tree, uint32_t site);

#endif
