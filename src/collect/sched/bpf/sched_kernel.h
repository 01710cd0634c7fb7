/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sched.bpf.c uses of the kernel. libbpf finds out when it loads the programs where each
 * member lies in the kernel that runs, and which types there are, so only the names matter here.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_SCHED_KERNEL_H
#define PSCAL_COLLECT_SCHED_BPF_SCHED_KERNEL_H

#include <linux/types.h>

#include <stdbool.h>

#define KERNEL __attribute__((preserve_access_index))

struct thread_info {
	__u32 cpu;
	__u32 preempt_count; /* not on x86 */
} KERNEL;

/* A struct of one number. */
struct refcount_struct {
	struct {
		__u32 counter;
	} KERNEL refs;
} KERNEL;

/* The queues of a CPU. */
struct rq;

struct cfs_rq {
	struct rq *rq;
} KERNEL;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} KERNEL;

struct signal_struct {
	struct {
		int counter;
	} KERNEL live;
} KERNEL;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	int prio;
	struct sched_entity se;
	__u32 exit_state;
	__u32 pid, tgid;
	struct task_struct *real_parent;
	char comm[16];
	struct signal_struct *signal;
} KERNEL;

struct task_struct___before_5_14 {
	long state;
} KERNEL;

struct task_struct___before_5_16 {
	__u32 cpu;
} KERNEL;

struct linux_binprm;

/* Arguments that newer kernels give: the state since 5.18, whether the process ends since 6.16. */
typedef void (*btf_trace_sched_switch)(void *, bool, struct task_struct *, struct task_struct *,
				       unsigned int);
typedef void (*btf_trace_sched_process_exit)(void *, struct task_struct *, bool);

/* linux/sched.h. Bits of TASK_REPORT have meant the same since 4.14. */
enum {
	TASK_UNINTERRUPTIBLE = 0x2,
	TASK_REPORT = 0x7f,
	TASK_DEAD = 0x80,
	TASK_IDLE = 0x402,
	TASK_RTLOCK_WAIT = 0x1000,
	TASK_FROZEN = 0x8000,
};

/* linux/preempt.h: interrupts that are being served, of three kinds. */
enum {
	SOFTIRQ_SERVED = 1 << 8,
	HARDIRQ_MASK = 0xf << 16,
	NMI_MASK = 0xf << 20,
};

#endif
