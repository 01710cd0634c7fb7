/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events that the perf collector sees the scheduler through: which they are, on which CPUs they
 * are open, and whether they are on. What comes out of their rings is slim_records' business.
 */
#ifndef PSCAL_COLLECT_SCHED_SCHED_EVENTS_H
#define PSCAL_COLLECT_SCHED_SCHED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/cpu_events.h"
#include "collect/kernel/cpu_list.h"
#include "collect/sched/slim_records.h"
#include "perfdata/perfdata_write.h"

struct collector_options;
struct err;

enum sched_event {
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP_NEW,
	SCHED_FORK,
	SCHED_EXIT,
	SCHED_TASK,   /* no tracepoint: carries the kernel's COMM, FORK and EXIT records */
	SCHED_HIDDEN, /* ... and its SWITCH records, on CPUs where it hides switches */
	SCHED_EVENTS,
	SCHED_TRACEPOINTS = SCHED_TASK,
	SCHED_DESCRIBED = SCHED_HIDDEN, /* in the file SCHED_TASK stands for both, as with perf */
};

struct sched_events {
	struct cpu_event table[SCHED_EVENTS]; /* as the kernel is asked for them */
	struct cpu_events open;
	struct perfdata_event described[SCHED_DESCRIBED]; /* as the file has them */
	struct perf_event_attr attrs[SCHED_DESCRIBED];
	uint64_t ids[SCHED_DESCRIBED];
	int epoll;		     /* readable when a ring has filled up to its mark */
	bool births_on, switches_on; /* what is on; births follow the target in a pause too */
	struct thread_filter filter; /* of the kernel */
	struct cpu_mask hiding;	     /* where the kernel hides switches */
	struct cpu_mask doubtful;    /* ... and where that is not known yet */
};

/*
 * Opens all but SCHED_HIDDEN on these CPUs, off, and says in `slim` what will be in the rings.
 * Returns 0, or -1 with a sentence; release them in both cases.
 */
int sched_events_open(struct sched_events *events, struct slim_records *slim,
		      const struct collector_options *options, const struct cpu_list *cpus,
		      struct err *err);
void sched_events_release(struct sched_events *events);

/*
 * Finds out on which CPUs of `mask` (NULL: on all), from number `first` on, the kernel hides
 * switches, and opens SCHED_HIDDEN there. All must be off there. Where others run all the time it
 * remains in doubt. Returns 0, or -1 with a sentence.
 */
int sched_events_find_hidden(struct sched_events *events, const struct slim_layout *layout,
			     size_t first, const struct cpu_mask *mask, struct err *err);

/*
 * What is known by now of CPU number `at`. SCHED_HIDDEN is open unless it is known to be of no use,
 * or is `spared` for now: it is not cheap. Returns 0, or -1 with a sentence.
 */
int sched_events_settle(struct sched_events *events, size_t at, enum hidden hides, bool spared,
			struct err *err);

/* Switches them on and off. Returns 0, or -1 with a sentence. */
int sched_events_set(struct sched_events *events, bool births, bool switches, struct err *err);

/* Only threads that pass are recorded from now on; once only. Returns 0, or -1 with a sentence. */
int sched_events_filter(struct sched_events *events, const struct thread_filter *filter,
			struct err *err);

/*
 * A CPU that has come online: with all of the above, unless it is gone again. Returns 0, or -1
 * with a sentence.
 */
int sched_events_add_cpu(struct sched_events *events, const struct slim_layout *layout, int cpu,
			 struct err *err);

#endif
