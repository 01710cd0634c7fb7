/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of sched.bpf.c that finds out whether the CPU serves an interrupt, so that the current
 * thread has no part in what happens.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_SCHED_INTERRUPTS_H
#define PSCAL_COLLECT_SCHED_BPF_SCHED_INTERRUPTS_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "collect/sched/bpf/bpf_record.h"
#include "collect/sched/bpf/sched_kernel.h"

const volatile __s64 count_from_queue; /* set by the recorder; see bpf_preempt.h */

/*
 * Since Linux 6.2 memory that is no struct of the kernel's can be read as if it were one, in 7 ns.
 * Before that it takes a call, of 50 ns.
 */
extern void *bpf_rdonly_cast(const void *memory, __u32 type) __ksym __weak;

static __always_inline __u32 read_count(const char *at)
{
	__u32 type = (__u32)bpf_core_type_id_kernel(struct refcount_struct), count = 0;

	if (bpf_rdonly_cast)
		return ((struct refcount_struct *)bpf_rdonly_cast(at, type))->refs.counter;
	bpf_probe_read_kernel(&count, sizeof(count), at);
	return count;
}

/* 0 where it is not known. A thread that runs knows the queue of its CPU, if there are groups. */
static __always_inline __u32 preempt_count(struct task_struct *current)
{
	if (bpf_core_field_exists(current->thread_info.preempt_count))
		return current->thread_info.preempt_count;
	if (count_from_queue && bpf_core_field_exists(current->se.cfs_rq->rq))
		return read_count((const char *)current->se.cfs_rq->rq + count_from_queue);
	return 0;
}

/* Is `current` only who was interrupted? */
static __always_inline __u32 interrupts(struct task_struct *current)
{
	__u32 count = preempt_count(current);

	return (count & (HARDIRQ_MASK | NMI_MASK) ? BPF_WAKE_HARD : 0) |
	       (count & SOFTIRQ_SERVED ? BPF_WAKE_SOFT : 0);
}

#endif
