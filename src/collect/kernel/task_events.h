/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perf events that are open on threads, and on all that these threads create where their attrs say
 * `inherit`. What an ordinary user may have where cpu_events is refused.
 *
 * Inherited events can only be mapped when they are bound to a CPU. So each event is open once per
 * thread and CPU, and all events of a CPU share one ring. Without rings, for counting alone, an
 * event is open once per thread.
 *
 *	task_events_open(&events, table, count, &cpus, &err)
 *	task_events_add(&events, tid, &err), for each thread
 *	... ring_read(&events.rings[i]), as ring.h says, or task_events_count()
 */
#ifndef PSCAL_COLLECT_KERNEL_TASK_EVENTS_H
#define PSCAL_COLLECT_KERNEL_TASK_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/cpu_list.h"
#include "collect/kernel/ring.h"

struct err;

struct task_event {
	const char *name;	     /* "task-clock"; borrowed */
	struct perf_event_attr attr; /* all of a table have one clock; `disabled` is set here */
	bool in_group; /* is on the hardware together with the one before it in the table */
};

struct task_events {
	const struct task_event *table; /* borrowed */
	size_t event_count;
	int *cpus; /* number 0, 1, ... to what the kernel calls it; a single -1 without rings */
	size_t cpu_count;
	struct ring *rings; /* by number of CPU; NULL without */
	int *ring_fds;	    /* the same: readable when a ring is a quarter full */
	size_t ring_bytes;  /* of each */
	pid_t *tids;	    /* the threads that were added */
	size_t thread_count, thread_capacity;
	int *fds;      /* by thread, CPU and event, in this order of weight */
	uint64_t *ids; /* the same: what the kernel calls the event; ascending */
	size_t fd_capacity, id_capacity;
	bool on;
};

/*
 * Makes the rings of `cpus`: as large as the kernel allows the user (kernel.perf_event_mlock_kb,
 * RLIMIT_MEMLOCK), all the same, down to a page; ring_bytes says how large. With NULL for `cpus`
 * there are none. The events are off. Returns 0, or -1 with a sentence; release them in both cases.
 */
int task_events_open(struct task_events *events, const struct task_event *table, size_t count,
		     const struct cpu_list *cpus, struct err *err);
void task_events_release(struct task_events *events);

/*
 * Opens all events of the table on a thread; they are on if the others are. Returns 1, 0 when the
 * thread has ended, or -1 with a sentence: then nothing is open on this thread.
 */
int task_events_add(struct task_events *events, pid_t tid, struct err *err);

/*
 * On or off, with all that was inherited. A thread that is just being created by one that inherited
 * the events may keep the state from before: say it again a little later. Returns 0, or -1 with a
 * sentence.
 */
int task_events_switch(struct task_events *events, bool on, struct err *err);

/* The number of the added thread that the event `id` of a record comes from; -1: not from here. */
ptrdiff_t task_events_origin(const struct task_events *events, uint64_t id);

/* Which event of the table that is; the first, where it is not from here. */
size_t task_events_index(const struct task_events *events, uint64_t id);

/* What event `index` of the table has counted. */
struct task_count {
	uint64_t value;	     /* while it was on the hardware */
	uint64_t enabled_ns; /* that the thread ran; 0 unless read_format asks for it */
	uint64_t running_ns; /* that it was on the hardware meanwhile; the same */
};

/*
 * ... for the added thread number `thread` and those of its descendants that were not added. The
 * attr must not ask for PERF_FORMAT_GROUP. Returns 0, or -1 with errno.
 */
int task_events_count(struct task_count *count, const struct task_events *events, size_t thread,
		      size_t index);

#endif
