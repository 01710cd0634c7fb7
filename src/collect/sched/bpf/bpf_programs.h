/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs of sched.bpf.c in the kernel, and the memory that they share with the recorder.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_PROGRAMS_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/sched/bpf/bpf_preempt.h"
#include "collect/sched/bpf/bpf_record.h"

struct err;
struct ring_buffer;
struct sched_bpf;

struct bpf_programs_options {
	uint64_t base_ns;	  /* of CLOCK_MONOTONIC: the times of records count from here */
	bool wide, alone, stacks; /* see collector.h */
};

struct bpf_programs {
	struct sched_bpf *skeleton;
	struct bpf_ring *rings; /* by CPU */
	struct bpf_slot *slots;
	uint32_t *flags; /* BPF_FLAGS_WORDS words */
	struct bpf_preempt preempt;
	size_t cpu_count;
	size_t ring_slots; /* of each CPU */
	struct ring_buffer *wakes;
	int wake_fd; /* readable when a ring has become fuller by a quarter */
};

/* All of them on their tracepoints, with nothing to do. Returns 0, or -1 with a sentence; close
 * them in both cases. */
int bpf_programs_open(struct bpf_programs *programs, const struct bpf_programs_options *options,
		      struct err *err);
void bpf_programs_close(struct bpf_programs *programs);

/* The descriptor is not readable any more. */
void bpf_programs_clear_wakes(struct bpf_programs *programs);

/* BPF_MODE_ bits: what they do from now on. */
void bpf_programs_set_mode(struct bpf_programs *programs, uint32_t mode);

/* BPF_FLAG_ bits of a thread. */
void bpf_programs_set_flag(struct bpf_programs *programs, int tid, uint32_t flag);
void bpf_programs_clear_flag(struct bpf_programs *programs, int tid, uint32_t flag);

/* How often the kernel left a program out, because it was running already. */
uint64_t bpf_programs_missed(const struct bpf_programs *programs);

/* The user stack of this number into ips[PERF_MAX_STACK_DEPTH]; returns its depth, or 0. */
size_t bpf_programs_stack(const struct bpf_programs *programs, uint32_t id, uint64_t *ips);

#endif
