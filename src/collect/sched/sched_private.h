/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the collectors that watch the scheduler. */
#ifndef PSCAL_COLLECT_SCHED_SCHED_PRIVATE_H
#define PSCAL_COLLECT_SCHED_SCHED_PRIVATE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/recording/collector.h"
#include "collect/target/lineage.h"
#include "collect/target/pid_set.h"
#include "collect/target/thread_filter.h"
#include "perfdata/sample.h"

struct perf_events;
struct recording;

/* --- The collectors, beside that of collect/sched/bpf ----------------------------------------- */

/*
 * The perf collector: tracepoints of the scheduler on every CPU. Returns NULL with a sentence when
 * the kernel does not let us.
 */
struct collector *perf_collector_open(const struct collector_options *options, struct err *err);

/*
 * The task collector watches the scheduler as far as an ordinary user may: his own threads, by the
 * records that the kernel writes when one of them gets or leaves a CPU. It does not say when a
 * thread was woken. Process ids are those of the namespace that the recorder is in. Returns NULL
 * with a sentence when even that is not allowed, or cannot give what `options` ask for.
 */
struct collector *task_collector_open(const struct collector_options *options, struct err *err);

/* --- sched_records.c ------------------------------------------------------------------------- */

/*
 * Records with no more in them than the kernel alone knows, and their completion on the way to the
 * file. A collector that writes less into its rings costs its target less. Of threads beside the
 * target nothing gets into the file but that they have a CPU.
 */

/* The sample types to ask of the kernel: for tracepoints, and for all else. */
enum {
	SCHED_TRACEPOINT_TYPE = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	SCHED_STACK_TYPE = SCHED_TRACEPOINT_TYPE | PERF_SAMPLE_CALLCHAIN,
	SCHED_OTHER_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};

/* Samples do not tell their event before one has found its fields, so all have one layout. */
struct sched_layout {
	struct sample_layout tracepoint, other; /* as sched_layout_init() makes them */
	size_t next_pid_offset;			/* in the fields of sched_switch */
	size_t state_offset;			/* ... of the one that leaves; 0: not known */
	size_t comm_offset;			/* ... its name; 0: not known */
};

/* With `stacks` every tracepoint has SCHED_STACK_TYPE, with an empty stack. */
void sched_layout_init(struct sched_layout *layout, bool stacks);

struct sched_tracepoint {
	uint64_t type; /* its number in the kernel */
	uint64_t id;   /* in the file */
	bool stack;    /* in the file */
	size_t whom;   /* in its fields, the thread that something is done to; 0: there is none */
	uint64_t received;
};

enum { SCHED_TRACEPOINTS_MAX = 8 };

/* One switch: the thread that left the CPU, and the thread that got it. 0 is the idle task. */
struct switch_pair {
	pid_t from, to;
};

/*
 * Some guest kernels never show perf a switch out of the idle task of some of their CPUs: threads
 * are seen to leave these CPUs for idle, and then other threads are seen to leave that were never
 * seen to come. Seen with Linux 6.18 under KVM, on all CPUs but the one that booted. There certain
 * threads leave any CPU unseen, which only the records of the next thread tell.
 */
enum hidden {
	HIDDEN_PERHAPS, /* the CPU was not idle in between */
	HIDDEN_NO,
	HIDDEN_YES,
};

/* The state by the records of one ring. */
struct sched_ring {
	struct switch_pair shown; /* by the last sched_switch */
	uint64_t switches;	  /* sched_switches so far */
	uint64_t records;	  /* PERF_RECORD_SWITCHes so far, of any thread */
	uint64_t hidden;	  /* switches so far that it did not show and that are of use */
	enum hidden hides;	  /* switches out of the idle task */
	uint64_t lost;		  /* records that it had no room for, as far as it told */
	uint64_t last_ns;	  /* time of its last record */
};

/* Begins as zero; the first part is filled in by the caller. */
struct sched_records {
	struct sched_layout layout;
	struct sched_tracepoint tracepoints[SCHED_TRACEPOINTS_MAX]; /* sched_switch is the first */
	size_t tracepoint_count;
	uint64_t other_id; /* in the file, of records that are no samples */
	struct thread_filter filter;
	struct lineage *lineage; /* borrowed */

	struct sched_ring *rings; /* by number */
	size_t ring_capacity;
	uint64_t lost;
	struct pid_set unseen; /* threads of the target that once left a CPU unseen */
};

/*
 * Learns of births, execs and ends from a record. All records of all rings, before any is
 * completed.
 */
void sched_records_learn(struct sched_records *records, const struct perf_event_header *record);

/* Completes a record from ring `number`, that of CPU `cpu`. What says nothing new is left out. */
void sched_records_complete(struct sched_records *records, struct recording *recording,
			    size_t number, uint32_t cpu, const struct perf_event_header *record);

/* Ring `number`; valid until the next record. */
const struct sched_ring *sched_ring(struct sched_records *records, size_t number);

void sched_records_release(struct sched_records *records);

/* The answer of the switches of one CPU: all that were seen of a time. */
enum hidden hidden_switches_judge(const struct switch_pair *pairs, size_t count);

/*
 * Finds out about the CPUs from number `first` on where `found` says perhaps, by threads that sleep
 * on them for some 100 us a few times. Event 0 must be sched_switch, off, with samples of the layout
 * of `records`; it leaves no record and no hit. Takes a few milliseconds.
 */
void hidden_switches_find(enum hidden *found, struct perf_events *events, size_t first,
			  const struct sched_records *records);

#endif
