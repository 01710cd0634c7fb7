/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the rings of all CPUs that the programs in the kernel fill, in the order of time. See
 * bpf_record.h for what they hold.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_MERGE_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/sched/bpf/bpf_record.h"

/* One record, taken apart. */
struct bpf_event {
	uint64_t time_ns; /* since the base of the rings */
	uint32_t cpu;
	enum bpf_record_kind kind;
	pid_t tid, other;
	int prio;
	uint32_t detail;
	struct bpf_slot body[2]; /* as far as the kind has them */
};

/* Priorities are 0 to 140, and -1 with a deadline. */
static inline int bpf_event_prio(uint8_t prio)
{
	return prio > 140 ? (int8_t)prio : prio;
}

struct bpf_merge_head;

struct bpf_merge {
	struct bpf_ring *rings; /* by CPU; borrowed, as are the slots */
	struct bpf_slot *slots;
	size_t cpu_count;
	size_t ring_slots; /* of each CPU, a power of two */

	uint64_t limit_ns;
	uint64_t *at;		      /* by CPU: what has been read */
	struct bpf_merge_head *heads; /* a heap: the next record of each CPU that has one */
	size_t head_count;
};

void bpf_merge_init(struct bpf_merge *merge, struct bpf_ring *rings, struct bpf_slot *slots,
		    size_t cpu_count, size_t ring_slots);
void bpf_merge_release(struct bpf_merge *merge);

/*
 * Begins a round over what was recorded until `limit_ns`, which must have passed. What is younger
 * stays for the next round, since what it relies on may be on its way into another ring.
 */
void bpf_merge_begin(struct bpf_merge *merge, uint64_t limit_ns);

/*
 * The next record; false at the end of the round. Times go back only where a program in the kernel
 * was interrupted by another one.
 */
bool bpf_merge_next(struct bpf_merge *merge, struct bpf_event *event);

/* Slots that have been read, on all CPUs since the beginning. */
uint64_t bpf_merge_read(const struct bpf_merge *merge);

/* Slots that the kernel has taken on all CPUs and that have not been read, finished or not. */
uint64_t bpf_merge_left(const struct bpf_merge *merge);

/*
 * After a round: what a CPU lost and did not tell, since nothing happened on it afterwards. With
 * `stopped`, nothing will.
 */
bool bpf_merge_take_lost(struct bpf_merge *merge, struct bpf_event *event, uint32_t cpu,
			 bool stopped);

#endif
