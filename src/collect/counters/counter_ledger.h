/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose counts are whose. Events are opened on a thread and inherited by all that it creates: a
 * family. The kernel gives
 *  - a PERF_RECORD_READ of each event and CPU when a thread ends that inherited them: its own;
 *  - with read(2) the sum over the whole family, those that have ended and those that live.
 * So a thread on which events were opened has what the others leave of the sum, if they have all
 * ended. What several left that lived to the end cannot be told apart. Kernels 5.13 to 6.17 and
 * some later ones forget to write those records (perf_event_exit_event()): there the same is true
 * of those that have ended.
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_LEDGER_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/perf_events.h"

struct counter_ledger;

/* `records`: how many a thread leaves when it ends, one for each CPU and event. */
struct counter_ledger *counter_ledger_new(size_t event_count, size_t records);
void counter_ledger_free(struct counter_ledger *ledger);

/*
 * Events were opened on this thread; families are numbered 0, 1, ... Whether a thread that it
 * created before `sure_ns` has inherited them is not certain.
 */
void counter_ledger_begin(struct counter_ledger *ledger, pid_t pid, pid_t tid, uint64_t sure_ns);

/* A thread of the family has created this one. */
void counter_ledger_birth(struct counter_ledger *ledger, size_t family, pid_t pid, pid_t tid,
			  uint64_t time_ns);

/* What a thread of the family that ends has counted of one event on one CPU. */
struct counter_read {
	pid_t pid, tid;
	size_t event;
	uint64_t time_ns;
	struct perf_count count;
};

/*
 * Returns the counts of the thread, by event, when this is the last of its records, else NULL.
 * Valid until the next call. Records may come before that of its birth.
 */
const struct perf_count *counter_ledger_end(struct counter_ledger *ledger, size_t family,
					    const struct counter_read *read);

/* Records are missing. */
void counter_ledger_lost(struct counter_ledger *ledger);

/*
 * Takes from the sums of a family what its ended threads have; says whose the rest is. Returns
 * false when there is none.
 */
struct counter_rest {
	pid_t pid;
	pid_t tid; /* -1: of several threads */
};
bool counter_ledger_rest(struct counter_rest *rest, struct perf_count *sums,
			 const struct counter_ledger *ledger, size_t family);

/* Adds what an event counted on one CPU to what it counted on the others. */
void counter_add(struct perf_count *sum, const struct perf_count *count);

#endif
