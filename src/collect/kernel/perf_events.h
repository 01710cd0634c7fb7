/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of perf events, and the rings that the kernel writes their records into: one ring for each
 * CPU, which all events of a set share.
 *
 *	perf_events_open(&events, table, count, PERF_ON_CPUS, NULL, &err)
 *	perf_events_set(&events, index, true, &err)
 *	... ring_read(&events.rings[i]), as ring.h says, when events.wake_fd is readable
 *
 * Events on CPUs cover all threads there, and need privileges. Every user may open events on their
 * own threads, and on all threads that these create if the attrs say `inherit`. Inherited events
 * can only be mapped when they are bound to a CPU: so each is open once per thread and CPU, but
 * without rings, for counting alone, once per thread.
 */
#ifndef PSCAL_COLLECT_KERNEL_PERF_EVENTS_H
#define PSCAL_COLLECT_KERNEL_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/cpu_list.h"
#include "collect/kernel/ring.h"

struct err;

enum perf_scope { PERF_ON_CPUS, PERF_ON_THREADS, PERF_ON_THREADS_UNMAPPED };

struct perf_event {
	const char *name;	     /* "sched:sched_switch"; borrowed */
	struct perf_event_attr attr; /* all of a table have one clock; `disabled` is set here */
	bool in_group; /* is on the hardware together with the one before it in the table */
	bool apart;    /* is opened by perf_events_set_apart() alone */
	bool on;       /* as perf_events_set() said; */
	char *filter;  /* as perf_events_filter() said, or NULL */
};

/* A place is a thread on a CPU, and what is open there: number thread * cpu_count + CPU. */
struct perf_events {
	struct perf_event *table; /* borrowed */
	size_t event_count;
	enum perf_scope scope;
	int *cpus; /* number 0, 1, ... of a CPU to what the kernel calls it; one that went offline
		    * and came back has two numbers; a single -1 without rings */
	size_t cpu_count, cpu_capacity;
	struct ring *rings; /* by number of CPU; NULL without */
	int *ring_fds;	    /* the same */
	size_t ring_capacity, ring_fd_capacity;
	size_t ring_bytes; /* of each that is opened from now on */
	int wake_fd;	   /* readable when a ring is a quarter full; -1 without rings */
	pid_t *tids;	   /* the threads that were added; on CPUs a single -1, for all */
	size_t thread_count, thread_capacity;
	int *fds;      /* by place and event; -1: it is not open there */
	uint64_t *ids; /* the same: what the kernel calls the event; ascending, but for `apart` */
	size_t fd_capacity, id_capacity;
	const char *online_path; /* borrowed */
	struct cpu_list online;	 /* at the last look */
	uint64_t next_look_ns;
};

/*
 * Makes the rings, as large as there is use for and as the kernel allows the user
 * (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK), and on CPUs opens the events, which are off. The
 * list of CPUs is read from `online_path` (NULL: CPU_ONLINE_PATH). Returns 0, or -1 with a
 * sentence; release them in both cases.
 */
int perf_events_open(struct perf_events *events, struct perf_event *table, size_t count,
		     enum perf_scope scope, const char *online_path, struct err *err);

/* An event that is zero or has been released is left alone. */
void perf_events_release(struct perf_events *events);

/*
 * Opens all events on a thread: on or off as they are elsewhere. Returns 1, 0 when the thread has
 * ended, or -1 with a sentence: then nothing is open on this thread.
 */
int perf_events_add(struct perf_events *events, pid_t tid, struct err *err);

/*
 * Looks once a second whether CPUs have come online, and opens events on CPUs there too: `prepare`
 * (or NULL) is called with the number of the first of them, with all events off; then they get the
 * filters of the others and are on as these are. A CPU that goes and comes back between two looks
 * goes unseen. Returns 0, or -1 with a sentence.
 */
int perf_events_look(struct perf_events *events,
		     int (*prepare)(void *context, size_t first, struct err *err), void *context,
		     struct err *err);

/*
 * Switches event `index` of the table on or off, with all that was inherited. A thread that is
 * being created by a thread with inherited events may keep the old state: call it again a little
 * later. Returns 0, or -1 with a sentence.
 */
int perf_events_set(struct perf_events *events, size_t index, bool on, struct err *err);

/* Of tracepoint `index`, only what the filter lets pass is recorded. 0, or -1 with a sentence. */
int perf_events_filter(struct perf_events *events, size_t index, const char *filter,
		       struct err *err);

/* Opens event `index`, which is apart, on CPU number `at`, or closes it. 0, or -1 and a sentence. */
int perf_events_set_apart(struct perf_events *events, size_t index, size_t at, bool is_open,
			  struct err *err);

/* The descriptor of event `index` on CPU number `at`, of the first thread; -1: it is not open. */
int perf_events_fd(const struct perf_events *events, size_t index, size_t at);

/* ring_read() of all rings. */
void perf_events_mark(struct perf_events *events);

/*
 * The number of the thread that the event `id` of a record was opened on, and the number of the
 * event. Returns false where the id is none of these.
 */
bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *thread, size_t *index);

/* The count of an event. */
struct perf_count {
	uint64_t value;	     /* while it was on the hardware */
	uint64_t enabled_ns; /* that the thread ran, on all CPUs; 0: read_format lacks it */
	uint64_t running_ns; /* that it was on the hardware meanwhile; the same */
};

/*
 * Event `index` on all CPUs together, in the thread of this number and those of its descendants
 * that were not added. The attr must not ask for PERF_FORMAT_GROUP.
 */
struct perf_count perf_events_count(const struct perf_events *events, size_t thread, size_t index);

/*
 * Of events on CPUs: how many records CPU number `at` had no room for. PERF_RECORD_LOST tells the
 * same, but only with the next record that has room. 0 where the kernel does not say (before Linux
 * 6.0), and for events with a read_format of their own.
 */
uint64_t perf_events_lost(const struct perf_events *events, size_t at);

#endif
