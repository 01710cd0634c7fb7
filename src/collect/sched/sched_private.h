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
 * Opens the perf collector: tracepoints of the scheduler on every CPU. Returns NULL with an error
 * if the kernel refuses them.
 */
struct collector *perf_collector_open(const struct collector_options *options, struct err *err);

/*
 * Opens the task collector, which watches the scheduler as far as an ordinary user may: the user's
 * own threads, by the records that the kernel writes when one of them gets or leaves a CPU. It has
 * no wakeups. Process ids are those of the namespace of the recorder. Returns NULL with an error if
 * even that is not allowed, or `options` ask for more.
 */
struct collector *task_collector_open(const struct collector_options *options, struct err *err);

/* --- sched_records.c ------------------------------------------------------------------------- */

/*
 * Records with only what the kernel alone knows, and their completion on the way to the file. A
 * collector that writes less into its rings costs its target less. Of other threads, only their use
 * of a CPU gets into the file.
 */

/* The sample types to ask of the kernel: for tracepoints, and for all else. */
enum {
	SCHED_TRACEPOINT_TYPE = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
	SCHED_STACK_TYPE = SCHED_TRACEPOINT_TYPE | PERF_SAMPLE_CALLCHAIN,
	SCHED_OTHER_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};

/* The layout of all samples, as their event is known only after their fields have been found. */
struct sched_layout {
	struct sample_layout tracepoint, other; /* set by sched_layout_init() */
	size_t next_pid_offset;			/* in the fields of sched_switch */
	size_t state_offset;			/* ... leaving thread; 0: not known */
	size_t comm_offset;			/* ... its name; 0: not known */
};

/* Initializes the layouts. With `stacks` tracepoints have SCHED_STACK_TYPE (an empty stack). */
void sched_layout_init(struct sched_layout *layout, bool stacks);

struct sched_tracepoint {
	uint64_t type; /* its number in the kernel */
	uint64_t id;   /* in the file */
	bool stack;    /* in the file */
	size_t whom;   /* offset of the affected thread in its fields; 0: none */
	uint64_t received;
};

enum { SCHED_TRACEPOINTS_MAX = 8 };

/* One switch: the thread that left the CPU, and the thread that got it. 0 is the idle task. */
struct switch_pair {
	pid_t from, to;
};

/*
 * Evidence that the kernel hides switches of a CPU. Some guest kernels never show perf a switch out
 * of the idle task of some of their CPUs: threads are seen to leave these CPUs for idle, and then
 * other threads leave that were never seen to come. Seen with Linux 6.18 under KVM, on all CPUs
 * except the boot CPU. On such machines some threads leave any CPU unseen, which only the records
 * of the next thread show.
 */
enum hidden {
	HIDDEN_PERHAPS, /* the CPU was not idle in between */
	HIDDEN_NO,
	HIDDEN_YES,
};

/* The state of a CPU by the records of its ring. */
struct sched_ring {
	struct switch_pair shown; /* of the last sched_switch */
	uint64_t switches;	  /* sched_switches so far */
	uint64_t records;	  /* PERF_RECORD_SWITCHes so far, of any thread */
	uint64_t hidden;	  /* useful switches so far that it did not show */
	enum hidden hides;	  /* evidence that it hides switches out of the idle task */
	uint64_t lost;		  /* records that it had no room for, as far as reported */
	uint64_t last_ns;	  /* time of its last record */
};

/* The completion of records. It begins as zero; the caller fills in the first members. */
struct sched_records {
	struct sched_layout layout;
	struct sched_tracepoint tracepoints[SCHED_TRACEPOINTS_MAX]; /* sched_switch is the first */
	size_t tracepoint_count;
	uint64_t other_id; /* in the file, of records that are not samples */
	struct thread_filter filter;
	struct lineage *lineage; /* borrowed */

	struct sched_ring *rings; /* by number */
	size_t ring_capacity;
	uint64_t lost;
	struct pid_set unseen; /* threads of the target that have left a CPU unseen */
};

/* Learns births, execs and ends from a record: of all rings before any is completed. */
void sched_records_learn(struct sched_records *records, const struct perf_event_header *record);

/* Completes a record from ring `number`, that of CPU `cpu`. Records without news are left out. */
void sched_records_complete(struct sched_records *records, struct recording *recording,
			    size_t number, uint32_t cpu, const struct perf_event_header *record);

/* Returns the state of ring `number`; valid until the next record. */
const struct sched_ring *sched_ring(struct sched_records *records, size_t number);

void sched_records_release(struct sched_records *records);

/* Judges one CPU by all switches that were seen in a period. */
enum hidden hidden_switches_judge(const struct switch_pair *pairs, size_t count);

/*
 * Finds out about the CPUs from number `first` on for which `found` is HIDDEN_PERHAPS, with threads
 * that sleep there for some 100 us a few times. Event 0 must be sched_switch, off, with samples of
 * the layout of `records`; its records and hits are removed. Takes a few milliseconds.
 */
void hidden_switches_find(enum hidden *found, struct perf_events *events, size_t first,
			  const struct sched_records *records);

#endif
