/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a recording, all in one layout: sample_type RECORD_SAMPLE_TYPE, sample_id_all. A
 * collector that has less data per event (to be cheap) completes it with these functions. Source:
 * linux/perf_event.h.
 */
#ifndef PSCAL_COLLECT_RECORDING_RECORD_H
#define PSCAL_COLLECT_RECORDING_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perfdata/perfdata.h"

struct lineage;
struct proc_map;
struct recording;
struct task_body;
struct thread_body;

#define RECORD_SAMPLE_TYPE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_RAW)

/*
 * Ids of events without a descriptor; the kernel counts its own up from 1. One id stands for an
 * event on all CPUs. Each collector counts up from its number here; for ids from PERFDATA_ASIDE_ID
 * on see perfdata.h.
 */
#define RECORD_SCHED_ID	  (UINT64_C(1) << 62)
#define RECORD_SAMPLER_ID PERFDATA_ASIDE_ID
#define RECORD_STARTS_ID  (PERFDATA_ASIDE_ID + 32)
#define RECORD_SYNC_ID	  (PERFDATA_ASIDE_ID + 64)
#define RECORD_SOCKET_ID  (PERFDATA_ASIDE_ID + 96)
#define RECORD_BLOCK_ID	  (PERFDATA_ASIDE_ID + 128)
#define RECORD_UPROBE_ID  (PERFDATA_ASIDE_ID + 4096) /* two for each of at most 1000 functions */
#define RECORD_COUNTER_ID (RECORD_SCHED_ID + 65536)  /* one for each counter */

/* The trailer of every record but samples, with sample_id_all and RECORD_SAMPLE_TYPE. */
struct record_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id; /* of the event */
};

/* The size of a thread's name, with its NUL. */
enum { RECORD_COMM_SIZE = 16 };

/* The event, the time and the CPU of a record, and the thread on that CPU. */
struct record_place {
	uint64_t id; /* of the event */
	uint64_t time_ns;
	pid_t pid, tid; /* pid -1: not known */
	uint32_t cpu;
	const char *comm; /* its name, at most 15 bytes; NULL: not known */
};

/* Returns the attr of such records, for a tracepoint of this number or a software event. */
struct perf_event_attr record_attr(uint32_t type, uint64_t config);

/* Adds a sample of a tracepoint. With `stack` its attr also has RECORD_STACK_TYPE. */
#define RECORD_STACK_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)

struct record_stack {
	const uint64_t *ips; /* PERF_CONTEXT_USER first; may be empty */
	size_t depth;
	/* Words that follow a call (0: no more), and a mark; see sample_user_chain(). */
	const uint64_t *words;
	size_t word_count;
};
void record_sample(struct recording *recording, const struct record_place *place,
		   const struct record_stack *stack, const void *raw, size_t raw_size);

/*
 * Adds PERF_RECORD_FORK or PERF_RECORD_EXIT, by `type`: the birth or end of `pid`, `tid` of `task`,
 * which its parents created, at the time of `place`.
 */
void record_task(struct recording *recording, uint32_t type, const struct record_place *place,
		 const struct task_body *task);

/* Names the thread of `place` `comm` (at most 15 bytes are used); `exec`: since an exec. */
void record_comm(struct recording *recording, const struct record_place *place, const char *comm,
		 int exec);

/* Records that `lost` records of this CPU are missing. */
void record_lost(struct recording *recording, const struct record_place *place, uint64_t lost);

/*
 * Records that the thread of `place` left its CPU to the thread `other`, or got it from there, by
 * the bits PERF_RECORD_MISC_SWITCH_OUT and _OUT_PREEMPT of `misc`. It adds
 * PERF_RECORD_SWITCH_CPU_WIDE, or PERF_RECORD_SWITCH if `other` is unknown: NULL.
 */
void record_switch(struct recording *recording, uint16_t misc, const struct record_place *place,
		   const struct thread_body *other);

/*
 * Adds a PERF_RECORD_SWITCH for each thread of the target in the sched_switch of `place`, where
 * `next` got the CPU: hotspot computes the time off the CPU only from these.
 */
void record_both_sides(struct recording *recording, const struct record_place *place,
		       bool preempted, const struct thread_body *next, struct lineage *lineage);

/* Adds PERF_RECORD_READ: a count in the thread of `place`, in the layout of RECORD_READ_FORMAT. */
#define RECORD_READ_FORMAT \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)
void record_read(struct recording *recording, const struct record_place *place, uint64_t value,
		 uint64_t enabled_ns, uint64_t running_ns);

/*
 * Records a thread that existed before the recording: its birth and its name, as if at time 0. `id`
 * is that of an event with RECORD_SAMPLE_TYPE; `parent` created the thread's process.
 */
void record_existing(struct recording *recording, uint64_t id, pid_t pid, pid_t tid, pid_t parent,
		     const char *comm);

/*
 * Records a mapping that exists at `time_ns`; 0: since before the recording. `id` is that of an
 * event with RECORD_SAMPLE_TYPE, possibly without RAW.
 */
void record_mapped(struct recording *recording, uint64_t id, uint64_t time_ns,
		   const struct proc_map *map);

/*
 * Records that the thread of `place` begins with `function`, whose argument points to these words
 * (0: not known): see PERFDATA_START_WORDS. The attr of the event is that of a dummy, with
 * RECORD_STACK_TYPE.
 */
void record_thread_start(struct recording *recording, const struct record_place *place,
			 uint64_t function, uint64_t *words, size_t count);

/*
 * Records the mapping of the stack of the thread of `place`, as "[stack:TID]", its name in Linux up
 * to 4.4. Numbers that are no addresses of memory are not recorded.
 */
void record_thread_stack(struct recording *recording, const struct record_place *place,
			 uint64_t begin, uint64_t size);

#endif
