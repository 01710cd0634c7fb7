/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The perf events by which calls are recorded in which threads wait for each other: tracepoints of
 * system calls, and probes on the C library. They are open on every CPU, have rings of their own,
 * and write no more than the kernel alone knows; what completes that is sync_tracer's business.
 */
#ifndef PSCAL_COLLECT_SYNC_EVENTS_H
#define PSCAL_COLLECT_SYNC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cpu_events.h"
#include "collect/cpu_list.h"
#include "collect/perfdata_write.h"
#include "collect/sync_probes.h"
#include "collect/thread_filter.h"

struct err;

enum { SYNC_TRACEPOINTS = 8, SYNC_EVENTS_MAX = SYNC_TRACEPOINTS + SYNC_PROBES };

struct sync_events {
	struct cpu_event table[SYNC_EVENTS_MAX]; /* as the kernel is asked for them */
	struct cpu_events open;
	struct perfdata_event described[SYNC_EVENTS_MAX]; /* as the file has them */
	struct perf_event_attr attrs[SYNC_EVENTS_MAX];
	uint64_t ids[SYNC_EVENTS_MAX];
	size_t count;
	bool stacks; /* of who calls; samples then have an empty one where that is not wanted */
	bool on;
	struct thread_filter filter;
	char names[SYNC_PROBES][32];
};

/*
 * The tracepoints, and the events of `probes` (NULL: none), on these CPUs; off. `root` is the
 * directory of tracefs. Returns 0, or -1 with a sentence; release them in both cases.
 */
int sync_events_open(struct sync_events *events, const char *root, const struct sync_probes *probes,
		     bool stacks, const struct cpu_list *cpus, struct err *err);
void sync_events_release(struct sync_events *events);

/* Both return 0, or -1 with a sentence. */
int sync_events_set(struct sync_events *events, bool on, struct err *err);
int sync_events_filter(struct sync_events *events, const struct thread_filter *filter,
		       struct err *err);

/* A CPU that has come online: with all of the above. Returns 0, or -1 with a sentence. */
int sync_events_add_cpu(struct sync_events *events, int cpu, struct err *err);

/* Which of them has this number in the kernel; SYNC_EVENTS_MAX: none. */
size_t sync_events_find(const struct sync_events *events, uint16_t type);

#endif
