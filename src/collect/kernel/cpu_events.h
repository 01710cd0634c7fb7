/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perf events that are open on every CPU that runs, for all threads, with one ring per CPU that
 * all of them share.
 */
#ifndef PSCAL_COLLECT_KERNEL_CPU_EVENTS_H
#define PSCAL_COLLECT_KERNEL_CPU_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/cpu_list.h"
#include "collect/kernel/ring.h"

struct err;

struct cpu_event {
	const char *name; /* "sched:sched_switch"; borrowed */
	struct perf_event_attr attr;
	bool apart;    /* not opened with the others: see cpu_events_open_apart() */
	int *fds;      /* by number of CPU, see below; -1: it is not open there */
	uint64_t *ids; /* the same: what the kernel calls it in its samples */
};

struct cpu_events {
	struct cpu_event *events; /* borrowed; the first has the ring */
	size_t event_count;
	struct ring *rings;
	int *cpus; /* number 0, 1, ... of an open CPU to what the kernel calls it; one that went
		    * offline and came back has two numbers */
	size_t cpu_count, cpu_capacity;
	size_t ring_bytes; /* of each */
	bool tells_lost;   /* the kernel does */
};

/*
 * Opens events, of which name and attr are filled in, on `cpus`, as their attrs say: disabled.
 * One that goes offline meanwhile is passed over. Returns 0, or -1 with a sentence; release them
 * in both cases.
 */
int cpu_events_open(struct cpu_events *events, struct cpu_event *table, size_t count,
		    const struct cpu_list *cpus, struct err *err);
void cpu_events_release(struct cpu_events *events);

/*
 * One CPU more, which has come online: its number is what cpu_count was, unless it is gone again.
 * Pointers into the struct change. Returns 0, or -1 with a sentence.
 */
int cpu_events_add(struct cpu_events *events, int cpu, struct err *err);

/* Opens number `index` of the table, which is apart, on CPU number `at`. 0, or -1 with a sentence.
 */
int cpu_events_open_apart(struct cpu_events *events, size_t index, size_t at, struct err *err);
void cpu_events_close_apart(struct cpu_events *events, size_t index, size_t at);

/* ioctl(2) on number `index` of the table, on every CPU. Returns 0, or -1 with errno. */
int cpu_events_control(const struct cpu_events *events, size_t index, unsigned long request,
		       const void *argument);

/* The same on CPU number `at`; nothing where the event is not open. */
int cpu_events_control_at(const struct cpu_events *events, size_t index, size_t at,
			  unsigned long request, const void *argument);

/*
 * How many of its records CPU number `at` had no room for. PERF_RECORD_LOST tells the same, but
 * only with the next record that has room. 0 where the kernel does not say (before Linux 6.0), and
 * for an event with a read_format of its own.
 */
uint64_t cpu_events_lost(const struct cpu_events *events, size_t index, size_t at);

/* How often it happened while it was enabled, on all CPUs together, written or not. */
uint64_t cpu_events_hits(const struct cpu_events *events, size_t index);

#endif
