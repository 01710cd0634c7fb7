/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perf events that are open on every CPU that runs, for all threads, with one ring per CPU that
 * all of them share.
 */
#ifndef PSCAL_COLLECT_CPU_EVENTS_H
#define PSCAL_COLLECT_CPU_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cpu_list.h"
#include "collect/ring.h"

struct err;

struct cpu_event {
	const char *name; /* "sched:sched_switch"; borrowed */
	struct perf_event_attr attr;
	int *fds;      /* by number of CPU, see below */
	uint64_t *ids; /* the same: what the kernel calls it in its samples */
};

struct cpu_events {
	struct cpu_event *events; /* borrowed; the first has the ring */
	size_t event_count;
	struct ring *rings;
	int *cpus; /* number 0, 1, ... of an open CPU to what the kernel calls it */
	size_t cpu_count, cpu_capacity;
	size_t ring_bytes; /* of each */
};

/*
 * Opens events, of which name and attr are filled in, on `cpus`, as their attrs say: disabled.
 * One that goes offline meanwhile is passed over. Returns 0, or -1 with a sentence; release them
 * in both cases.
 */
int cpu_events_open(struct cpu_events *events, struct cpu_event *table, size_t count,
		    const struct cpu_list *cpus, struct err *err);
void cpu_events_release(struct cpu_events *events);

/* ioctl(2) on number `index` of the table, on every CPU. Returns 0, or -1 with errno. */
int cpu_events_control(const struct cpu_events *events, size_t index, unsigned long request,
		       const void *argument);

/* How often it happened while it was enabled, on all CPUs together, written or not. */
uint64_t cpu_events_hits(const struct cpu_events *events, size_t index);

#endif
