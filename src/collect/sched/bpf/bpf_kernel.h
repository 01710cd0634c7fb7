/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and constants of the kernel that the BPF programs use, and functions that read them.
 * Include this header behind bpf/bpf_core_read.h.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_KERNEL_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_KERNEL_H

#include "collect/sched/bpf/bpf_record.h"

/*
 * Marks a type of the kernel. When libbpf loads the programs, it finds the places of members in the
 * running kernel, and the existing types, so only the names matter here.
 */
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

/* The queues of a CPU, and their clock. */
struct rq {
	__u64 clock;
} KERNEL;

struct cfs_rq {
	struct rq *rq;
} KERNEL;

struct sched_entity {
	__u64 sum_exec_runtime, prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq;
} KERNEL;

struct sched_info {
	unsigned long long last_arrival, last_queued;
} KERNEL;

struct signal_struct {
	struct {
		int counter;
	} KERNEL live;
} KERNEL;

/* The registers of a thread; only on x86. */
struct thread_struct {
	unsigned long fsbase;
} KERNEL;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	int on_cpu;
	int prio;
	struct sched_entity se;
	struct sched_info sched_info;
	__u32 exit_state;
	__u32 pid, tgid;
	struct task_struct *real_parent;
	char comm[16];
	struct signal_struct *signal;
	struct thread_struct thread;
} KERNEL;

/* The members of older kernels: the state before 5.14, the CPU before 5.16. */
struct task_struct___old {
	long state;
	__u32 cpu;
} KERNEL;

/* The registers of user code at its entry into the kernel, on x86_64. */
struct pt_regs {
	unsigned long orig_ax, di, si, dx, r10, r8, r9, cs, sp;
} KERNEL;

struct linux_binprm;

/* Arguments of newer kernels: the state since 5.18, the end of the process since 6.16. */
typedef void (*btf_trace_sched_switch)(void *, bool, struct task_struct *, struct task_struct *,
				       unsigned int);
typedef void (*btf_trace_sched_process_exit)(void *, struct task_struct *, bool);

/* linux/sched.h. Bits of TASK_REPORT have meant the same since 4.14. */
enum {
	TASK_INTERRUPTIBLE = 0x1,
	TASK_UNINTERRUPTIBLE = 0x2,
	EXIT_DEAD = 0x10,
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

/* asm/segment.h: __USER_CS, as 64-bit code has it. */
enum { USER_CS = 0x33 };

/*
 * Reads memory that is no struct of the kernel as if it were one, in 7 ns, since Linux 6.2. Before
 * that a read takes a call of 50 ns.
 */
extern void *bpf_rdonly_cast(const void *memory, __u32 type) __ksym __weak;

/*
 * Returns the same thread, for reads of pointers in it. If the kernel trusts a pointer to a struct,
 * it searches the names of all its types to decide on the pointers in that struct
 * (btf_nested_type_is_trusted() of the verifier). A read needs no trusted pointer.
 */
static __always_inline struct task_struct *distrusted(struct task_struct *task)
{
	const __u32 type = (__u32)bpf_core_type_id_kernel(struct task_struct);

	return bpf_rdonly_cast ? bpf_rdonly_cast(task, type) : task;
}

/* --- Members that differ between versions ---------------------------------------------------- */

static __always_inline __u32 state_of(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return bpf_core_field_exists(old->state) ? (__u32)old->state : 0;
}

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	return bpf_core_field_exists(old->cpu) ? old->cpu : 0;
}

/* --- State and accounts ---------------------------------------------------------------------- */

/* Returns the state as __trace_sched_switch_state() of the kernel, which keeps the highest bit. */
static __always_inline __u32 reported(bool preempted, __u32 state, __u32 exit_state)
{
	if (preempted)
		return BPF_STATE_PREEMPTED;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		return TASK_UNINTERRUPTIBLE;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return BPF_STATE_IDLE;
	return (state | exit_state) & TASK_REPORT;
}

static __always_inline bool kernel_accounts(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.last_arrival) &&
	       bpf_core_field_exists(task->on_cpu) && bpf_core_field_exists(task->__state) &&
	       bpf_core_field_exists(task->se.cfs_rq->rq);
}

/* Returns the time by which our clock is ahead of that of the queue, set before each switch. */
static __always_inline __u64 ahead_by(__u64 time, struct task_struct *current)
{
	if (bpf_core_field_exists(current->se.cfs_rq->rq))
		return time - distrusted(current)->se.cfs_rq->rq->clock;
	return 0;
}

/*
 * Returns whether a word of a stack follows a call: E8 with a distance below 256 MB, FF 15 with
 * that of a pointer, or FF D0 to D7 of a register (Intel SDM, volume 2A).
 */
static __always_inline bool follows_call(__u64 word)
{
	__u8 code[6];

	if (bpf_probe_read_user(code, sizeof(code), (void *)(word - sizeof(code))))
		return false;
	return (code[1] == 0xe8 && (code[5] < 0x10 || code[5] >= 0xf0)) ||
	       (code[0] == 0xff && code[1] == 0x15) || (code[4] == 0xff && code[5] >> 3 == 0x1a);
}

#endif
