/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the kernel counts why a CPU must not be taken from what runs there: preempt_count() of
 * linux/preempt.h, which tells whether it serves an interrupt. That is in thread_info, but on x86
 * it is a variable of each CPU. As such variables lie at the same distance from one another on
 * every CPU, and a thread knows the queue of its CPU, which is another one, the distance is enough.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_PREEMPT_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

struct bpf_preempt {
	bool known;
	int64_t from_queue; /* bytes from the queue of a CPU to its count; 0: in thread_info */
};

/* Of the kernel with these types. */
struct bpf_preempt bpf_preempt_find(const struct btf *btf);

/* Of this one. */
struct bpf_preempt bpf_preempt_of_kernel(void);

#endif
