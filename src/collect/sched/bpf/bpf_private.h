/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the bpf collector, in the recorder. */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_PRIVATE_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_PRIVATE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "collect/kernel/tracefs.h"
#include "collect/sched/bpf/bpf_record.h"
#include "collect/target/pid_set.h"
#include "perfdata/perfdata_write.h"

struct bpf_merge_head;
struct btf;
struct err;
struct lineage;
struct recording;

/* --- bpf_merge.c ----------------------------------------------------------------------------- */

/*
 * Reads the rings of all CPUs that the programs in the kernel fill, in the order of time. See
 * bpf_record.h for their contents.
 */

/* One decoded record. */
struct bpf_event {
	uint64_t time_ns; /* since the base time of the rings */
	uint32_t cpu;
	enum bpf_record_kind kind;
	pid_t tid, other;
	int prio;
	uint32_t detail;
	struct bpf_slot body[BPF_CALL_SLOTS - 1]; /* as many as the kind has */
};

/* Returns a priority: 0 to 140, or -1 with a deadline. */
static inline int bpf_event_prio(uint8_t prio)
{
	return prio > 140 ? (int8_t)prio : prio;
}

struct bpf_merge {
	struct bpf_ring *rings; /* by CPU; borrowed, as are the slots */
	struct bpf_slot *slots;
	size_t cpu_count;
	size_t ring_slots; /* of each CPU; a power of two */

	uint64_t limit_ns;
	uint64_t *at;		      /* by CPU: slots read so far */
	struct bpf_merge_head *heads; /* a heap of the next records of CPUs that have one */
	size_t head_count;
};

void bpf_merge_init(struct bpf_merge *merge, struct bpf_ring *rings, struct bpf_slot *slots,
		    size_t cpu_count, size_t ring_slots);
void bpf_merge_release(struct bpf_merge *merge);

/*
 * Begins a round over records until `limit_ns`, which must be in the past. Younger ones wait for
 * the next round, as records that they depend on may be on their way into another ring.
 */
void bpf_merge_begin(struct bpf_merge *merge, uint64_t limit_ns);

/*
 * Returns the next record; false at the end of the round. Times only go back if a program in the
 * kernel was interrupted by another one.
 */
bool bpf_merge_next(struct bpf_merge *merge, struct bpf_event *event);

/* Returns the slots read on all CPUs since the beginning. */
uint64_t bpf_merge_read(const struct bpf_merge *merge);

/* Returns the slots reserved on all CPUs and not read, finished or not. */
uint64_t bpf_merge_left(const struct bpf_merge *merge);

/*
 * Returns the losses of a CPU that it has not reported, as nothing has happened on it since; after
 * a round. `stopped`: nothing more will happen.
 */
bool bpf_merge_take_lost(struct bpf_merge *merge, struct bpf_event *event, uint32_t cpu,
			 bool stopped);

/* --- bpf_expand.c ---------------------------------------------------------------------------- */

/*
 * Converts compact records of the programs in the kernel to records of a recording: samples of
 * tracepoints as this kernel would have written them, names, births and ends of threads.
 */

/* The events in the header of the recording. */
enum bpf_expand_kind {
	BPF_EXPAND_SWITCH,
	BPF_EXPAND_WAKING,
	BPF_EXPAND_WAKEUP_NEW,
	BPF_EXPAND_FORK,
	BPF_EXPAND_EXIT,
	BPF_EXPAND_TASK,  /* no tracepoint: COMM, FORK and EXIT records, as the kernel's */
	BPF_EXPAND_START, /* no tracepoint: see PERFDATA_START_WORDS in perfdata/perfdata.h */
	/* The begin and the end of each kind of call, if calls are recorded. */
	BPF_EXPAND_CALL,
	BPF_EXPAND_RETURN = BPF_EXPAND_CALL + BPF_CALLS,
	BPF_EXPAND_COUNT = BPF_EXPAND_RETURN + BPF_CALLS,
};

/* A source of stacks: stores stack `id` in ips[PERF_MAX_STACK_DEPTH]; returns its depth. */
struct bpf_expand_stacks {
	size_t (*get)(void *context, uint32_t id, uint64_t *ips);
	void *context;
};

struct bpf_expand {
	uint64_t base_ns; /* the base of the times of events */
	const struct bpf_expand_stacks *stacks;
	struct lineage *lineage; /* borrowed; learns births, execs and ends */
	uint64_t calls;		 /* calls recorded */
	uint64_t missed_stacks;	 /* stacks that the kernel had no room for */
	uint64_t lost_ns;	 /* time until which records were lost, in the times of events */
	/* Processes in which threads other than the first have called futex. */
	struct pid_set callers;
	struct tracefs_format formats[BPF_EXPAND_COUNT];
	struct perf_event_attr attrs[BPF_EXPAND_COUNT];
	uint64_t ids[BPF_EXPAND_COUNT];
	struct perfdata_event events[BPF_EXPAND_COUNT]; /* for the header of the recording */
	size_t event_count;
	const struct bpf_expand_stacks *call_stacks;
	struct sparse names; /* by tid: struct bpf_name */
};

/*
 * Reads the formats below `tracefs`. `stacks` (NULL: none are recorded) and `lineage` are borrowed.
 * Returns 0, or -1 with an error; the caller releases it in both cases.
 */
int bpf_expand_init(struct bpf_expand *expand, uint64_t base_ns, const char *tracefs,
		    const struct bpf_expand_stacks *stacks, struct lineage *lineage,
		    struct err *err);
void bpf_expand_release(struct bpf_expand *expand);

/*
 * Reads the formats of calls, too; `stacks` is borrowed (NULL: none). A call begins when its thread
 * leaves its CPU or wakes another one, and ends when the thread has its CPU again or the other one
 * is awake: its return value is unknown, and recorded as 0. Returns 0, or -1 with an error and no
 * recording of calls.
 */
int bpf_expand_calls(struct bpf_expand *expand, const char *tracefs,
		     const struct bpf_expand_stacks *stacks, struct err *err);

void bpf_expand_no_calls(struct bpf_expand *expand);

/* Returns the number of a call on this machine; 0: the programs in the kernel do not see it. */
uint32_t bpf_expand_call_number(enum bpf_call call);

/* Converts an event. Events must come in the order of time, as from bpf_merge. */
void bpf_expand(struct bpf_expand *expand, struct recording *recording,
		const struct bpf_event *event);

/* --- bpf_preempt.c --------------------------------------------------------------------------- */

/*
 * The kernel's count of reasons not to preempt the thread on a CPU: preempt_count() of
 * linux/preempt.h, which shows whether the CPU serves an interrupt. It is in thread_info, but on
 * x86 a variable of each CPU. Such variables have the same distance from one another on every CPU,
 * and a thread refers to the queue of its CPU, which is another one, so the distance is enough.
 */

struct bpf_preempt {
	bool known;
	/* Bytes from the queue of a CPU to its count; 0: the count is in thread_info. */
	int64_t from_queue;
};

/* Finds the count of the kernel with these types. */
struct bpf_preempt bpf_preempt_find(const struct btf *btf);

/* Finds the count of the running kernel. */
struct bpf_preempt bpf_preempt_of_kernel(void);

#endif
