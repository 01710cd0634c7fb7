/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events that a recording is made of, open on every CPU that runs, with one ring per CPU.
 */
#ifndef PSCAL_COLLECT_TRACEPOINTS_H
#define PSCAL_COLLECT_TRACEPOINTS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/cpu_list.h"
#include "collect/ring.h"

struct err;

enum tracepoint_kind {
	TRACEPOINT_SWITCH,
	TRACEPOINT_WAKING,
	TRACEPOINT_WAKEUP_NEW,
	TRACEPOINT_FORK,
	TRACEPOINT_EXIT,
	TRACEPOINT_TASK, /* no tracepoint: carries the kernel's COMM, FORK and EXIT records */
	TRACEPOINT_COUNT,
};

/* What they are called: "sched:sched_switch", and "dummy" for TRACEPOINT_TASK. */
extern const char *const tracepoint_names[TRACEPOINT_COUNT];

struct tracepoint {
	struct perf_event_attr attr;
	int *fds;      /* one for each CPU */
	uint64_t *ids; /* one for each CPU: the identifier in its samples */
};

struct tracepoints {
	struct tracepoint events[TRACEPOINT_COUNT];
	struct ring *rings; /* one for each CPU */
	size_t cpu_count;
	size_t ring_bytes; /* of each */
};

/* Which events a call is about. */
enum tracepoints_part {
	TRACEPOINTS_LIFE = 1,  /* fork, exit and the names of tasks */
	TRACEPOINTS_SCHED = 2, /* switches and wakes */
	TRACEPOINTS_ALL = 3,
};

/*
 * Opens all events, disabled, on `cpus`. `root` is the directory of tracefs. Returns 0, or -1
 * with a sentence; release them in both cases.
 */
int tracepoints_open(struct tracepoints *points, const char *root, const struct cpu_list *cpus,
		     struct err *err);
void tracepoints_release(struct tracepoints *points);

/*
 * Switches and wakes that have nothing to do with a thread id of at least `first` are not recorded.
 * That follows all descendants of process `first` while ids grow. Returns 0, or -1 with a sentence.
 */
int tracepoints_filter(const struct tracepoints *points, pid_t first, struct err *err);

int tracepoints_enable(const struct tracepoints *points, enum tracepoints_part part,
		       struct err *err);
void tracepoints_disable(const struct tracepoints *points);

/* How often an event happened while it was enabled, on all CPUs together, written or not. */
uint64_t tracepoints_hits(const struct tracepoints *points, enum tracepoint_kind kind);

#endif
