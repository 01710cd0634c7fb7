/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records with no more in them than the kernel alone knows, and what completes them on their way
 * to the file. A collector that writes less into its rings costs less for what it watches. Of
 * threads beside the target nothing gets there but that they have a CPU.
 */
#ifndef PSCAL_COLLECT_SCHED_SLIM_RECORDS_H
#define PSCAL_COLLECT_SCHED_SLIM_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/sched/hidden_switches.h"
#include "collect/target/lineage.h"
#include "collect/target/thread_filter.h"

struct recording;

/* What is asked of the kernel: for tracepoints, and for all else. */
enum {
	SLIM_TRACEPOINT_TYPE = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	SLIM_STACK_TYPE = SLIM_TRACEPOINT_TYPE | PERF_SAMPLE_CALLCHAIN,
	SLIM_OTHER_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};

/* Samples do not tell their event before one has found its fields, so all have one layout. */
struct slim_layout {
	bool stacks;		/* SLIM_STACK_TYPE for every tracepoint, with an empty stack */
	size_t next_pid_offset; /* in the fields of sched_switch */
	size_t state_offset;	/* ... of the one that leaves; 0: not known */
};

struct slim_tracepoint {
	uint64_t type; /* its number in the kernel */
	uint64_t id;   /* in the file */
	bool stack;    /* in the file */
	size_t whom;   /* in its fields, the thread that something is done to; 0: there is none */
	uint64_t received;
};

enum { SLIM_TRACEPOINTS_MAX = 8 };

/* What the records of one ring have told. */
struct slim_ring {
	struct switch_pair shown; /* by the last sched_switch */
	uint64_t switches;	  /* sched_switches so far */
	uint64_t records;	  /* PERF_RECORD_SWITCHes so far, of any thread */
	uint64_t hidden;	  /* switches so far that it did not show and that are of use */
	enum hidden hides;	  /* switches out of the idle task */
	uint64_t lost;		  /* records that it had no room for, as far as it told */
	uint64_t last_ns;	  /* time of its last record */
};

/* Begins as zero; the first part is filled in by the caller. */
struct slim_records {
	struct slim_layout layout;
	struct slim_tracepoint tracepoints[SLIM_TRACEPOINTS_MAX]; /* sched_switch is the first */
	size_t tracepoint_count;
	uint64_t other_id; /* in the file, of records that are no samples */
	struct thread_filter filter;
	struct lineage *lineage; /* borrowed */

	struct slim_ring *rings; /* by number */
	size_t ring_capacity;
	uint64_t lost;
};

/*
 * Learns of births, execs and ends from a record. All records of all rings, before any is
 * completed.
 */
void slim_learn(struct slim_records *slim, const struct perf_event_header *record);

/* Completes a record from ring `number`, that of CPU `cpu`. What says nothing new is left out. */
void slim_complete(struct slim_records *slim, struct recording *recording, size_t number,
		   uint32_t cpu, const struct perf_event_header *record);

/* What a sample of sched_switch tells. Returns -1 for a record that is none. */
int slim_switch_pair(struct switch_pair *pair, const struct perf_event_header *record,
		     const struct slim_layout *layout);

/* Ring `number`; valid until the next record. */
const struct slim_ring *slim_ring(struct slim_records *slim, size_t number);

void slim_release(struct slim_records *slim);

#endif
