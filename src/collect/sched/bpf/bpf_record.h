/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the programs in the kernel and the recorder share, as declared for both sides.
 *
 * A record is one slot of 16 bytes, or a few in a row:
 *
 *	word 0: time 56 bits | priority 8 bits
 *	word 1: tid 22 | other tid 22 | kind 3 | detail 17 bits
 *
 * Neither word is ever zero, so a slot with a zero is not finished: the kernel writes the first
 * slot of a record last, and the recorder clears slots that it has read. Times are ns since the
 * base that was set when the programs were loaded, so that 56 bits last for two years.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_RECORD_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_RECORD_H

#include <linux/types.h>

struct bpf_slot {
	__u64 words[2];
};

enum bpf_record_kind {
	/*
	 * tid begins with a function of the program; slot 1: its address (word 0) and the process,
	 * slots 2 to 4: the memory that its argument points to, slot 5: address and size of its
	 * stack
	 */
	BPF_RECORD_START = 0,
	/* tid left its CPU to other, of this priority; detail: BPF_DETAIL of priority and state */
	BPF_RECORD_SWITCH = 1,
	/* likewise; slot 1: the stack of tid (word 0) */
	BPF_RECORD_SWITCH_STACK = 2,
	/*
	 * tid wakes other, which has this priority and will run on CPU detail; +BPF_WAKE_NEW: for
	 * the first time, _HARD, _SOFT: tid was only interrupted
	 */
	BPF_RECORD_WAKE = 3,
	/* the name of tid; detail: enum bpf_name_reason; slot 1: name, slot 2: struct bpf_ids */
	BPF_RECORD_NAME = 4,
	/* other has created tid; slots as above; detail: 1 without the tracepoint of a birth */
	BPF_RECORD_FORK = 5,
	/*
	 * tid, of this priority, begins to end, a child of other; detail: it is the last of its
	 * process; slot 1: struct bpf_ids
	 */
	BPF_RECORD_EXIT = 6,
	/* records were lost since this time; slot 1: end of the loss, number of records */
	BPF_RECORD_LOST = 7,
	/*
	 * tid leaves its CPU, or wakes the thread of the next record, in a system call. Its kind in
	 * a slot is LOST, with a detail: enum bpf_call, and BPF_CALL_STACK; slots 1 to 3: the
	 * arguments, and with a stack slot 4: its number (word 0), and from word 1 on
	 * BPF_CALL_RETURNS return addresses, the innermost first (0: no more)
	 */
	BPF_RECORD_CALL = 8,
};

/* The system calls in which threads wait for each other, from 1 on. */
enum bpf_call {
	BPF_CALL_FUTEX = 1,
	BPF_CALL_NANOSLEEP,
	BPF_CALL_CLOCK_NANOSLEEP,
	BPF_CALLS = BPF_CALL_CLOCK_NANOSLEEP,
};
enum { BPF_CALL_ARGUMENTS = 6 };
#define BPF_CALL_STACK 8U
#define BPF_CALL_MASK  7U

/*
 * Return addresses are found at the top of the stack, as words that follow a call: the C library is
 * built without frame pointers, and so are most programs, so that a walk of frame pointers finds
 * nothing. Some words left there by earlier calls are found, too.
 */
#define BPF_CALL_RETURNS 3  /* two functions of the library, and their caller */
#define BPF_CALL_WORDS	 40 /* the wait for a condition has its caller at 31 in glibc 2.36 */
#define BPF_CALL_SLOTS	 (4 + (1 + BPF_CALL_RETURNS) / 2)

enum bpf_name_reason { BPF_NAME_FIRST, BPF_NAME_RENAMED, BPF_NAME_EXEC };

/* The processes of the two threads of a record. */
struct bpf_ids {
	__u32 pid, other_pid;
	__u64 unused;
};

/* The words that the argument of a thread's function points to. */
#define BPF_START_WORDS 6
#define BPF_START_SLOTS (3 + BPF_START_WORDS / 2)

#define BPF_TIME_SHIFT	  8
#define BPF_TID_BITS	  22 /* PID_MAX_LIMIT of linux/threads.h is 1 << 22 */
#define BPF_TID_MASK	  ((1U << BPF_TID_BITS) - 1)
#define BPF_OTHER_SHIFT	  22
#define BPF_KIND_SHIFT	  44
#define BPF_KIND_MASK	  7U
#define BPF_DETAIL_SHIFT  47
#define BPF_DETAIL_MASK	  ((1U << 17) - 1)
#define BPF_WAKE_NEW	  (1U << 16)
#define BPF_WAKE_HARD	  (1U << 15)	      /* in an interrupt ... */
#define BPF_WAKE_SOFT	  (1U << 14)	      /* ... in a soft one */
#define BPF_WAKE_CPU_MASK (BPF_WAKE_SOFT - 1) /* Linux has at most 8192 CPUs */

/* A switch: priority and state of the thread that left: bits of TASK_REPORT, or one of these. */
#define BPF_DETAIL(prio, state) ((__u32)(__u8)(prio) << 9 | (state))
#define BPF_STATE_MASK		0x1ffU
#define BPF_STATE_IDLE		0x80U
#define BPF_STATE_PREEMPTED	0x100U

#define BPF_WORD0(time, prio) ((__u64)(time) << BPF_TIME_SHIFT | (__u8)(prio))
#define BPF_WORD1(kind, tid, other, detail)                                                   \
	((__u64)(tid) | (__u64)(other) << BPF_OTHER_SHIFT | (__u64)(kind) << BPF_KIND_SHIFT | \
	 (__u64)(detail) << BPF_DETAIL_SHIFT)

/* The ring of one CPU: positions count slots and never wrap. */
struct bpf_ring {
	__u64 head;    /* slots that the kernel has reserved */
	__u64 lost;    /* lost records that are not reported yet */
	__u64 lost_ns; /* time of the first of them */

	/* The thread that was last seen to get the CPU. */
	__u64 task;	/* its address in the kernel; 0: not known */
	__u64 since_ns; /* time at which it got the CPU */
	__u64 sum_ns;	/* its run time before */
	__u64 ahead_ns; /* time by which our clock is ahead of that of the CPU's queue */
	__u32 tid;
	__u32 left_as; /* the state from which it was woken, off its CPU; 0: not woken */

	__u64 tail; /* slots that the recorder has read; on its own cache line */
	__u64 pad_tail[7];

	__u64 ran_ns;	 /* time of recorded threads on this CPU, up to the last switch */
	__u64 stacks_ns; /* see bpf_ring_stack_due() */
	__u64 pad_ran[6];
};

/*
 * Returns whether the stack of a call may be recorded, which takes 0.6 us. If there are many calls,
 * some have no stack, so that stacks take at most 0.5 % of the time of a CPU, except for a short
 * while.
 */
#define BPF_STACK_EACH_NS   120000
#define BPF_STACKS_AHEAD_NS 600000

static inline int bpf_ring_stack_due(struct bpf_ring *ring, __u64 now_ns)
{
	if (ring->stacks_ns > now_ns)
		return 0;
	if (ring->stacks_ns + BPF_STACKS_AHEAD_NS < now_ns)
		ring->stacks_ns = now_ns - BPF_STACKS_AHEAD_NS;
	ring->stacks_ns += BPF_STACK_EACH_NS;
	return 1;
}

/* The state of a thread: 4 bits for each tid, 8 tids a word. */
#define BPF_FLAG_RECORD 1U /* the thread, and all that it creates, is recorded */
#define BPF_FLAG_BIRTHS 2U /* only its children are recorded */
#define BPF_FLAG_NAMED	4U /* a record has told its name */
#define BPF_FLAG_BORN \
	8U /* a record has told its birth; until it is woken for the first time; or it
			    * was there before, until it leaves its CPU: how it began is not told */
#define BPF_FLAGS_WORDS (1U << (BPF_TID_BITS - 3))

#define BPF_FLAGS_INDEX(tid) ((__u32)(tid) >> 3 & (BPF_FLAGS_WORDS - 1))
#define BPF_FLAGS_SHIFT(tid) (((__u32)(tid)&7) * 4)

/* The modes of the programs. */
#define BPF_MODE_BIRTHS	  1U
#define BPF_MODE_SWITCHES 2U /* and wakeups */
#define BPF_MODE_CALLS	  4U /* ... and the calls that cause them */

#endif
