/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The perf events by which calls are recorded: tracepoints of system calls, and probes on
 * functions. They are open on every CPU, have rings of their own, and write no more than the kernel
 * alone knows; what completes that is call_tracer's business.
 */
#ifndef PSCAL_COLLECT_CALLS_CALL_EVENTS_H
#define PSCAL_COLLECT_CALLS_CALL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/cpu_events.h"
#include "collect/kernel/cpu_list.h"
#include "collect/target/thread_filter.h"
#include "perfdata/perfdata_write.h"

struct err;

enum { CALL_EVENTS_MAX = 24, CALL_EVENT_NAME_SIZE = 64 };

/* Begins as zero, but for what the first three say. */
struct call_events {
	const char *root;  /* the directory of tracefs; borrowed */
	uint64_t first_id; /* in the file, of the first of them */
	bool stacks; /* of who calls; samples then have an empty one where that is not wanted */

	struct cpu_event table[CALL_EVENTS_MAX]; /* as the kernel is asked for them */
	struct cpu_events open;
	struct perfdata_event described[CALL_EVENTS_MAX]; /* as the file has them */
	struct perf_event_attr attrs[CALL_EVENTS_MAX];
	uint64_t ids[CALL_EVENTS_MAX];
	char names[CALL_EVENTS_MAX][CALL_EVENT_NAME_SIZE];
	size_t count;
	bool on;
	struct thread_filter filter;
};

/*
 * What is in `group` of tracefs as `event` is in the file as `system`:`event`; with its stack where
 * `stack` says so and there are any. All come before they are opened. Returns 0, or -1 with a
 * sentence.
 */
int call_events_add(struct call_events *events, const char *group, const char *system,
		    const char *event, bool stack, struct err *err);

/* On these CPUs; off. Returns 0, or -1 with a sentence; release them in both cases. */
int call_events_open(struct call_events *events, const struct cpu_list *cpus, struct err *err);
void call_events_release(struct call_events *events);

/* Both return 0, or -1 with a sentence. */
int call_events_set(struct call_events *events, bool on, struct err *err);
int call_events_filter(struct call_events *events, const struct thread_filter *filter,
		       struct err *err);

/* A CPU that has come online: with all of the above. Returns 0, or -1 with a sentence. */
int call_events_add_cpu(struct call_events *events, int cpu, struct err *err);

/* Which of them has this number in the kernel; CALL_EVENTS_MAX: none. */
size_t call_events_find(const struct call_events *events, uint16_t type);

#endif
