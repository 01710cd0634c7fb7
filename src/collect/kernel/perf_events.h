/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of perf events, and the rings into which the kernel writes their records: one ring for each
 * CPU, which all events of a set share.
 *
 *	perf_events_open(&events, table, count, PERF_ON_CPUS, NULL, &err)
 *	perf_events_set(&events, index, true, &err)
 *	... ring_read(&events.rings[i]), see ring.h, when events.wake_fd is readable
 *
 * Events on CPUs cover all threads there, and need privileges. Every user may open events on their
 * own threads, and on all threads that these create if the attrs say `inherit`. Inherited events
 * can only be mapped if they are bound to a CPU: so each is open once per thread and CPU, but
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
	struct perf_event_attr attr; /* all of a table have one clock; `disabled` is ignored */
	bool in_group;		     /* shares the hardware with the event before it in the table */
	bool apart;		     /* opened by perf_events_set_apart() alone */
	bool on;		     /* set by perf_events_set() */
	char *filter;		     /* set by perf_events_filter(), or NULL */
};

/* The open events of a table. A place is a thread on a CPU: number thread * cpu_count + CPU. */
struct perf_events {
	struct perf_event *table; /* borrowed */
	size_t event_count;
	enum perf_scope scope;
	/*
	 * The kernel's numbers of CPU 0, 1, ... of the set; one that was offline in between has
	 * two; a single -1 without rings.
	 */
	int *cpus;
	size_t cpu_count, cpu_capacity;
	struct ring *rings; /* by number of CPU; NULL: none */
	int *ring_fds;	    /* likewise */
	size_t ring_capacity, ring_fd_capacity;
	size_t ring_bytes; /* size of each ring opened from now on */
	int wake_fd;	   /* readable when a ring is a quarter full; -1 without rings */
	pid_t *tids;	   /* added threads; on CPUs a single -1, for all */
	size_t thread_count, thread_capacity;
	int *fds;      /* by place and event; -1: not open */
	uint64_t *ids; /* likewise: the kernel's ids of events; ascending, except of `apart` */
	size_t fd_capacity, id_capacity;
	const char *online_path; /* borrowed */
	struct cpu_list online;	 /* at the last look */
	uint64_t next_look_ns;
};

/*
 * Makes the rings, as large as useful and as the kernel allows (kernel.perf_event_mlock_kb,
 * RLIMIT_MEMLOCK), and on CPUs opens the events, which are off. The list of CPUs is read from
 * `online_path` (NULL: CPU_ONLINE_PATH). Returns 0, or -1 with an error; the caller releases the
 * events in both cases.
 */
int perf_events_open(struct perf_events *events, struct perf_event *table, size_t count,
		     enum perf_scope scope, const char *online_path, struct err *err);

/* Closes all events and rings. Events that are all zero, or released, are left alone. */
void perf_events_release(struct perf_events *events);

/*
 * Opens all events on a thread, on or off as they are elsewhere. Returns 1, 0 if the thread has
 * ended, or -1 with an error and nothing open on this thread.
 */
int perf_events_add(struct perf_events *events, pid_t tid, struct err *err);

/*
 * Checks once a second for CPUs that have come online, and opens events on CPUs there too: calls
 * `prepare` (or NULL) with the number of the first of them, with all events off; then they get the
 * filters and states of the others. A CPU that goes and comes back between two checks is missed.
 * Returns 0, or -1 with an error.
 */
int perf_events_look(struct perf_events *events,
		     int (*prepare)(void *context, size_t first, struct err *err), void *context,
		     struct err *err);

/*
 * Switches event `index` of the table on or off, with all inherited events. A thread that is being
 * created meanwhile by a thread with inherited events may keep the old state: the caller repeats
 * the call a little later. Returns 0, or -1 with an error.
 */
int perf_events_set(struct perf_events *events, size_t index, bool on, struct err *err);

/*
 * Records only events of tracepoint `index` that pass the filter. Returns 0, or -1 with an error.
 */
int perf_events_filter(struct perf_events *events, size_t index, const char *filter,
		       struct err *err);

/* Opens or closes event `index`, which is apart, on CPU number `at`. 0, or -1 with an error. */
int perf_events_set_apart(struct perf_events *events, size_t index, size_t at, bool is_open,
			  struct err *err);

/* Returns the descriptor of event `index` on CPU number `at`, of the first thread; -1: not open. */
int perf_events_fd(const struct perf_events *events, size_t index, size_t at);

/* Calls ring_read() for all rings. */
void perf_events_mark(struct perf_events *events);

/*
 * Finds the number of the thread on which the event `id` of a record was opened, and the number of
 * the event. Returns false for an unknown id.
 */
bool perf_events_find(const struct perf_events *events, uint64_t id, size_t *thread, size_t *index);

/* The count of an event. */
struct perf_count {
	uint64_t value;	     /* count while it was on the hardware */
	uint64_t enabled_ns; /* time that the thread ran, on all CPUs; 0: not in read_format */
	uint64_t running_ns; /* time that it was on the hardware; likewise */
};

/*
 * Returns event `index` summed over all CPUs, in the thread of this number and those of its
 * descendants that were not added. The attr must not ask for PERF_FORMAT_GROUP.
 */
struct perf_count perf_events_count(const struct perf_events *events, size_t thread, size_t index);

/*
 * Returns the records that CPU number `at` had no room for; of events on CPUs. PERF_RECORD_LOST
 * reports the same, but only with the next record that has room. 0: the kernel does not count them
 * (before Linux 6.0), or the event has a read_format of its own.
 */
uint64_t perf_events_lost(const struct perf_events *events, size_t at);

#endif
