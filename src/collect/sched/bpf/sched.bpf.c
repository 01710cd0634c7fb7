/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of the bpf collector. They record the threads of the target and the threads and
 * processes that these create, as compact records in memory that the recorder reads: bpf_record.h.
 *
 * A program reads the flags of threads before it takes the time of a record. So a record that
 * relies on a name that another program has recorded is not older than that name.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "collect/sched/bpf/bpf_kernel.h"
#include "collect/sched/bpf/bpf_record.h"

/* --- Settings by the recorder ---------------------------------------------------------------- */

const volatile __u64 base_ns;	/* the origin of times */
const volatile __u64 slot_mask; /* the number of slots in a ring, minus 1 */
const volatile bool wide;	/* record all threads */
const volatile bool alone;	/* do not record children, unless wide */
const volatile bool stacks;	/* record the stack of a thread that blocks */

const volatile __s64 count_from_queue; /* see bpf_private.h */

const volatile bool call_stacks;       /* record the stack of a thread in a recorded call */
const volatile __u32 calls[BPF_CALLS]; /* numbers of the calls of enum bpf_call; 0: not recorded */
const volatile __u32 start_at;	       /* see thread_layout.h; 0: unknown */
const volatile __u32 stack_at;	       /* see thread_stack_offset(); 0: unknown */

volatile __u32 mode; /* BPF_MODE_ bits */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, BPF_FLAGS_WORDS * sizeof(__u32));
} flags SEC(".maps");

/* Rings and their slots by CPU. The recorder sets the number of CPUs and the size of `slots`. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_ring));
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_slot));
} slots SEC(".maps");

/* Wakes the recorder each time that another quarter of a ring has been filled. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakes SEC(".maps");

/* User stacks. The recorder sets the size if stacks are recorded. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} user_stacks SEC(".maps");

char licence[] SEC("license") = "GPL";

/* --- Flags of threads ------------------------------------------------------------------------ */

static __always_inline volatile __u32 *flags_word(__u32 tid)
{
	const __u32 zero = 0;
	__u32 *words = bpf_map_lookup_elem(&flags, &zero);

	return words ? words + BPF_FLAGS_INDEX(tid) : NULL;
}

static __always_inline __u32 flags_of(__u32 tid)
{
	volatile __u32 *word = flags_word(tid);

	return word ? *word >> BPF_FLAGS_SHIFT(tid) : 0;
}

static __always_inline void set_flag(__u32 tid, __u32 flag)
{
	volatile __u32 *word = flags_word(tid);

	if (word)
		__sync_fetch_and_or(word, flag << BPF_FLAGS_SHIFT(tid));
}

static __always_inline void clear_flags(__u32 tid, __u32 which)
{
	volatile __u32 *word = flags_word(tid);

	if (word)
		__sync_fetch_and_and(word, ~(which << BPF_FLAGS_SHIFT(tid)));
}

static __always_inline bool recorded(__u32 of_thread)
{
	return wide || of_thread & BPF_FLAG_RECORD;
}

static __always_inline bool hands_on(__u32 of_parent)
{
	return of_parent & BPF_FLAG_BIRTHS || (recorded(of_parent) && (wide || !alone));
}

/* The verifier checks a function of numbers without `static` once, and not at each call. */

/* --- Rings ----------------------------------------------------------------------------------- */

enum { RESERVE_TRIES = 3 };

static __always_inline __u64 now(void)
{
	return bpf_ktime_get_ns() - base_ns;
}

/* The place and time of a record. Its slots are consecutive, except at the end of the ring. */
struct place {
	struct bpf_slot *slots; /* NULL: no room */
	struct bpf_ring *ring;
	__u64 at;
	__u64 time;
};

static __always_inline struct bpf_slot *slot(const struct place *place, __u32 index)
{
	return place->slots + ((place->at + index) & slot_mask);
}

/*
 * Reserves `count` slots. A program that is interrupted by another one between reading and changing
 * the head fails to change it, and tries again.
 */
static __always_inline bool reserve(__u64 *at, struct bpf_ring *ring, __u32 count)
{
	for (int i = 0; i < RESERVE_TRIES; i++) {
		__u64 head = *(volatile __u64 *)&ring->head;

		if (head + count - *(volatile __u64 *)&ring->tail > slot_mask + 1)
			return false;
		if (__sync_val_compare_and_swap(&ring->head, head, head + count) == head) {
			*at = head;
			return true;
		}
	}
	return false;
}

/* Makes a record visible by its first slot, which is written after the others. */
static __always_inline void publish(const struct place *place, __u64 word0, __u64 word1)
{
	struct bpf_slot *first = slot(place, 0);

	first->words[1] = word1;
	__sync_lock_test_and_set(&first->words[0], word0);
}

static __always_inline void lose(struct bpf_ring *ring)
{
	if (!ring->lost)
		ring->lost_ns = now();
	__sync_fetch_and_add(&ring->lost, 1);
}

static __always_inline void wake_recorder(__u64 at, __u32 count)
{
	__u64 quarter = (slot_mask + 1) / 4;
	__u8 nothing = 0;

	if ((at ^ (at + count)) & quarter)
		bpf_ringbuf_output(&wakes, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

static __always_inline struct bpf_ring *ring_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&rings, &cpu);
}

/* Writes a record of the losses of this CPU, once its ring has room again. */
__noinline int tell_lost(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bpf_ring *ring = ring_of(cpu);
	struct place place = {.slots = bpf_map_lookup_elem(&slots, &cpu)};
	__u64 since_ns, now_ns = now();

	if (!ring || !place.slots || !reserve(&place.at, ring, 2))
		return false;
	since_ns = ring->lost_ns;
	slot(&place, 1)->words[0] = now_ns;
	slot(&place, 1)->words[1] = __sync_lock_test_and_set(&ring->lost, 0);
	publish(&place, BPF_WORD0(since_ns, 0), BPF_WORD1(BPF_RECORD_LOST, 0, 0, 0));
	return true;
}

/* Reserves a record of `count` slots in the ring of this CPU. */
static __always_inline struct place room_in(struct bpf_ring *ring, __u32 count, __u64 time)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bpf_slot *ring_slots = bpf_map_lookup_elem(&slots, &cpu);
	struct place place = {.ring = ring, .time = time};

	if (!ring_slots)
		return place;
	if ((!ring->lost || tell_lost()) && reserve(&place.at, ring, count)) {
		place.slots = ring_slots;
		wake_recorder(place.at, count);
	} else {
		lose(ring);
	}
	return place;
}

static __always_inline void put_ids(struct bpf_slot *to, __u32 pid, __u32 other_pid)
{
	struct bpf_ids *ids = (struct bpf_ids *)to;

	ids->pid = pid;
	ids->other_pid = other_pid;
}

/* Writes a record of the name of a thread. Returns false if there is no room. */
static __always_inline bool put_name(struct place place, struct task_struct *task, const char *comm,
				     enum bpf_name_reason reason)
{
	__u32 tid = task->pid;

	if (!place.slots)
		return false;
	bpf_probe_read_kernel(slot(&place, 1), sizeof(struct bpf_slot), comm);
	put_ids(slot(&place, 2), task->tgid, 0);
	publish(&place, BPF_WORD0(place.time, 0), BPF_WORD1(BPF_RECORD_NAME, tid, 0, reason));
	set_flag(tid, BPF_FLAG_NAMED);
	return true;
}

/* --- Unseen switches ------------------------------------------------------------------------- */

/*
 * Some kernels of virtual machines run no tracepoint while certain threads are current: such a
 * thread leaves its CPU unseen, and the next one gets it unseen. If a CPU runs another thread than
 * the last one that was seen to get it, a switch is missing. Its time comes from the kernel's
 * accounts: sched_info has the time when a thread got its CPU, by the clock of that CPU's run
 * queue, and sum_exec_runtime the time for which the thread before it has run.
 */

/* The largest difference of the clocks of two CPUs, and of a time of sched_info and ours. */
enum { CLOCKS_DIFFER_NS = 10000 };

static __always_inline void take_over(struct bpf_ring *ring, struct task_struct *task, __u64 time,
				      __u64 sum_ns, bool of_target)
{
	if (of_target && ring->tid && time > ring->since_ns)
		ring->ran_ns += time - ring->since_ns;
	ring->task = (__u64)task;
	ring->tid = task->pid;
	ring->since_ns = time;
	ring->sum_ns = sum_ns;
	ring->left_as = 0;
}

/*
 * Returns the time when `last` left its CPU to `current`. The account of `current` is useless if
 * other threads, whose switches are not recorded, ran in between; the idle thread has none.
 */
static __always_inline __u64 taken_over_at(struct bpf_ring *ring, struct task_struct *last,
					   struct task_struct *current, __u32 of_current,
					   __u64 time)
{
	__u64 at = ring->since_ns, sum_ns = 0;

	if (!ring->ahead_ns)
		ring->ahead_ns = ahead_by(time, current);
	if (current->pid && recorded(of_current))
		at = current->sched_info.last_arrival + ring->ahead_ns;
	else if (!bpf_core_read(&sum_ns, sizeof(sum_ns), &last->se.sum_exec_runtime))
		at += sum_ns - ring->sum_ns;
	if ((__s64)at < (__s64)ring->since_ns)
		at = ring->since_ns;
	return at < time ? at : time;
}

/*
 * Returns the state in which `last` left its CPU then. It is known until the thread runs again; if
 * that happened without a recorded wakeup, the thread is taken to have slept.
 */
static __always_inline __u32 left_as(struct bpf_ring *ring, struct task_struct *last, bool to_idle,
				     __u64 at)
{
	__u64 then = at - ring->ahead_ns + CLOCKS_DIFFER_NS;
	unsigned long long arrived = 0, queued = 0;
	__u32 tid = 0, state = 0, exit_state = 0;

	if (!ring->tid || ring->left_as)
		return ring->left_as;
	bpf_core_read(&tid, sizeof(tid), &last->pid);
	if (tid != ring->tid)
		return EXIT_DEAD;
	bpf_core_read(&arrived, sizeof(arrived), &last->sched_info.last_arrival);
	bpf_core_read(&queued, sizeof(queued), &last->sched_info.last_queued);
	bpf_core_read(&state, sizeof(state), &last->__state);
	bpf_core_read(&exit_state, sizeof(exit_state), &last->exit_state);
	if (arrived < then)
		state = reported(false, state, exit_state);
	if (arrived < then && state)
		return state;
	return to_idle || arrived >= then || queued >= then ? TASK_INTERRUPTIBLE
							    : BPF_STATE_PREEMPTED;
}

static __always_inline void tell_unseen(struct bpf_ring *ring, struct task_struct *last,
					struct task_struct *current, __u32 of_current, __u64 at)
{
	__u32 state = left_as(ring, last, !current->pid, at), prio = 0;
	struct place place;

	if (!(of_current & BPF_FLAG_NAMED) &&
	    !put_name(room_in(ring, 3, at), current, current->comm, BPF_NAME_FIRST))
		return;
	bpf_core_read(&prio, sizeof(prio), &last->prio);
	place = room_in(ring, 1, at);
	if (place.slots)
		publish(&place, BPF_WORD0(at, current->prio),
			BPF_WORD1(BPF_RECORD_SWITCH, ring->tid, current->pid,
				  BPF_DETAIL(prio, state)));
}

__noinline int come_unseen(void)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct bpf_ring *ring = ring_of(bpf_get_smp_processor_id());
	__u32 of_current = flags_of(current->pid);
	__u64 last, at = now();
	__u32 of_last;

	if (!ring)
		return 0;
	of_last = flags_of(ring->tid);
	last = ring->task;
	if (__sync_val_compare_and_swap(&ring->task, last, (__u64)current) != last)
		return 0; /* an interrupting program has recorded it */
	if (kernel_accounts(current) && current->pid != ring->tid &&
	    recorded(of_current | of_last)) {
		at = taken_over_at(ring, (void *)last, current, of_current, at);
		tell_unseen(ring, (void *)last, current, of_current, at);
	}
	take_over(ring, current, at, current->se.prev_sum_exec_runtime, recorded(of_last));
	return 0;
}

static __always_inline void see_current(struct bpf_ring *ring)
{
	struct task_struct *current = bpf_get_current_task_btf();

	if (mode & BPF_MODE_SWITCHES && ring->task != (__u64)current)
		come_unseen();
}

/* Reserves a record of the present time, after a record of a missing switch, if any. */
static __always_inline struct place make_room(__u32 count)
{
	struct bpf_ring *ring = ring_of(bpf_get_smp_processor_id());

	if (!ring)
		return (struct place){.slots = NULL};
	see_current(ring);
	return room_in(ring, count, now());
}

/* Runs on each CPU before the recorder reads the rings. */
SEC("raw_tp")
int on_look(void *ctx)
{
	struct bpf_ring *ring = ring_of(bpf_get_smp_processor_id());

	if (ring)
		see_current(ring);
	return 0;
}

/* --- Names ----------------------------------------------------------------------------------- */

static __noinline bool tell_first_name(struct task_struct *task)
{
	return put_name(make_room(3), task, task->comm, BPF_NAME_FIRST);
}

/* Returns true if the name of the thread is recorded, so that a record may mention the thread. */
static __always_inline bool named(struct task_struct *task, __u32 of_task)
{
	return of_task & BPF_FLAG_NAMED || tell_first_name(task);
}

/* --- System calls ---------------------------------------------------------------------------- */

/*
 * Calls in which a thread waits or wakes another one are read from its registers when that happens.
 * Other calls cost nothing, while a tracepoint of system calls makes all of them slower, in all
 * programs.
 */

/* Returns the recorded call that these registers of user code are in; 0: none. */
static __always_inline __u32 call_of(struct pt_regs *regs)
{
	if (!bpf_core_field_exists(regs->orig_ax) || regs->cs != USER_CS)
		return 0;
	for (__u32 i = 0; i < BPF_CALLS; i++)
		if (calls[i] && regs->orig_ax == calls[i])
			return i + 1;
	return 0;
}

static __always_inline void put_arguments(const struct place *place, struct pt_regs *regs)
{
	slot(place, 1)->words[0] = regs->di;
	slot(place, 1)->words[1] = regs->si;
	slot(place, 2)->words[0] = regs->dx;
	slot(place, 2)->words[1] = regs->r10;
	slot(place, 3)->words[0] = regs->r8;
	slot(place, 3)->words[1] = regs->r9;
}

/* Puts `word` as return `count` of the call at `at`, if it is one; returns whether it is. */
__noinline int put_return(__u64 at, __u32 count, __u64 word, __u64 stack)
{
	const __u64 most = 1ULL << 47, own = 1 << 20;
	__u32 cpu = bpf_get_smp_processor_id(), to = 1 + count;
	struct place place = {.at = at};

	if (word <= own || word >= most || word - stack <= own || !follows_call(word))
		return 0;
	place.slots = bpf_map_lookup_elem(&slots, &cpu);
	if (!place.slots || count >= BPF_CALL_RETURNS)
		return 0;
	slot(&place, 4 + to / 2)->words[to % 2] = word;
	return 1;
}

/* Puts the returns at the top of a stack. */
__noinline int put_returns(__u64 at, __u64 stack)
{
	__u64 words[BPF_CALL_WORDS];
	__u32 count = 0;

	if (bpf_probe_read_user(words, sizeof(words), (void *)stack))
		return 0;
	for (__u32 i = 0; i < BPF_CALL_WORDS && count < BPF_CALL_RETURNS; i++)
		count += (__u32)put_return(at, count, words[i], stack);
	return 0;
}

/* Writes a record of a call; `task` is the current thread. */
static __noinline void put_call(void *ctx, struct task_struct *task, __u32 call,
				struct pt_regs *regs)
{
	struct bpf_ring *ring = ring_of(bpf_get_smp_processor_id());
	bool stack = call_stacks && ring && bpf_ring_stack_due(ring, now());
	struct place place = make_room(stack ? BPF_CALL_SLOTS : 4);

	if (!place.slots)
		return;
	put_arguments(&place, regs);
	if (stack) {
		slot(&place, 4)->words[0] =
			(__u32)bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK);
		put_returns(place.at, regs->sp);
	}
	publish(&place, BPF_WORD0(place.time, task->prio),
		BPF_WORD1(BPF_RECORD_LOST, task->pid, 0, call | (stack ? BPF_CALL_STACK : 0)));
}

static __always_inline bool sees_calls(__u32 on)
{
	return calls[0] && on & BPF_MODE_CALLS;
}

/* Records the call, if any, in which the current thread goes to sleep or wakes another one. */
static __always_inline void see_call(void *ctx, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u32 call = call_of(regs);

	if (call)
		put_call(ctx, task, call, regs);
}

/* --- Functions of threads -------------------------------------------------------------------- */

/*
 * Records the start function of a thread, the memory that its argument points to, and its stack.
 * The C library keeps them in its own description of the thread, which the thread's FS register
 * points to and which begins with its own address. The data is untrusted: readers check it.
 */
static __noinline void tell_start(struct task_struct *parent, struct task_struct *child)
{
	__u64 words[BPF_START_WORDS] = {0}, began[2] = {0}, stack[2] = {0}, self = 0, at;
	struct place place;

	clear_flags(child->pid, BPF_FLAG_BORN);
	if (!start_at || child->tgid != parent->tgid || child->tgid == child->pid)
		return;
	at = bpf_core_field_exists(child->thread.fsbase) ? child->thread.fsbase : 0;
	if (!at || (child != parent && at == parent->thread.fsbase) ||
	    bpf_probe_read_user(&self, sizeof(self), (void *)at) || self != at ||
	    bpf_probe_read_user(began, sizeof(began), (void *)(at + start_at)) || !began[0])
		return;
	for (__u32 i = 0; i < BPF_START_WORDS; i++) /* unmapped memory stays zero */
		bpf_probe_read_user(&words[i], sizeof(words[i]), (__u64 *)began[1] + i);
	if (stack_at)
		bpf_probe_read_user(stack, sizeof(stack), (void *)(at + stack_at));
	place = make_room(BPF_START_SLOTS);
	if (!place.slots)
		return;
	*slot(&place, 1) = (struct bpf_slot){{began[0], child->tgid}};
	for (__u32 i = 0; i < BPF_START_WORDS / 2; i++)
		*slot(&place, 2 + i) = (struct bpf_slot){{words[2 * i], words[2 * i + 1]}};
	*slot(&place, BPF_START_SLOTS - 1) = (struct bpf_slot){{stack[0], stack[1]}};
	publish(&place, BPF_WORD0(place.time, child->prio),
		BPF_WORD1(BPF_RECORD_START, child->pid, parent->pid, 0));
}

/* --- Switches -------------------------------------------------------------------------------- */

static __always_inline void put_switch(void *ctx, struct task_struct *prev, __u32 of_prev,
				       struct task_struct *next, __u32 state)
{
	bool blocks = state && state != BPF_STATE_PREEMPTED;
	bool with_stack = stacks && blocks && recorded(of_prev);
	__u32 kind = with_stack ? BPF_RECORD_SWITCH_STACK : BPF_RECORD_SWITCH;
	struct place place = make_room(with_stack ? 2 : 1);

	if (!place.ring)
		return;
	if (place.slots && with_stack)
		slot(&place, 1)->words[0] =
			(__u32)bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK);
	if (place.slots)
		publish(&place, BPF_WORD0(place.time, next->prio),
			BPF_WORD1(kind, prev->pid, next->pid, BPF_DETAIL(prev->prio, state)));
	/* Even without room: a lost switch is counted, and must not be completed as unseen. */
	place.ring->ahead_ns = ahead_by(place.time, prev);
	take_over(place.ring, next, place.time, next->se.sum_exec_runtime, recorded(of_prev));
}

/*
 * Clears the flags of a thread that has ended, as its number is free. The number of a process whose
 * first thread ends early stays in use: a thread that does an exec may get it.
 */
static __noinline void forget(struct task_struct *task)
{
	bool kept = task->pid == task->tgid && distrusted(task)->signal->live.counter > 0;

	clear_flags(task->pid, BPF_FLAG_NAMED | BPF_FLAG_BORN |
				       (kept ? 0 : BPF_FLAG_RECORD | BPF_FLAG_BIRTHS));
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	__u32 on = mode;
	__u32 of_prev, of_next, state;

	if (!on)
		return 0;
	of_prev = flags_of(prev->pid);
	of_next = flags_of(next->pid);
	if (!recorded(of_prev | of_next))
		return 0;
	if (bpf_core_type_exists(btf_trace_sched_switch))
		state = (__u32)ctx[3];
	else
		state = state_of(prev);
	if (on & BPF_MODE_SWITCHES && named(prev, of_prev) && named(next, of_next)) {
		if (sees_calls(on) && recorded(of_prev) && !preempted &&
		    (state & TASK_REPORT) == TASK_INTERRUPTIBLE)
			see_call(ctx, prev);
		if (of_prev & BPF_FLAG_BORN) /* while the thread still has the CPU */
			tell_start(prev, prev);
		put_switch(ctx, prev, of_prev, next, reported(preempted, state, prev->exit_state));
	}
	if (state & TASK_DEAD && !preempted)
		forget(prev);
	return 0;
}

/* --- Interrupts, in which the current thread has no part ------------------------------------- */

static __always_inline __u32 read_count(const char *at)
{
	__u32 type = (__u32)bpf_core_type_id_kernel(struct refcount_struct), count = 0;

	if (bpf_rdonly_cast)
		return ((struct refcount_struct *)bpf_rdonly_cast(at, type))->refs.counter;
	bpf_probe_read_kernel(&count, sizeof(count), at);
	return count;
}

/* Returns 0 if unknown. A running thread has the queue of its CPU, if the kernel has groups. */
static __always_inline __u32 preempt_count(struct task_struct *current)
{
	if (bpf_core_field_exists(current->thread_info.preempt_count))
		return current->thread_info.preempt_count;
	if (count_from_queue && bpf_core_field_exists(current->se.cfs_rq->rq))
		return read_count((const char *)distrusted(current)->se.cfs_rq->rq +
				  count_from_queue);
	return 0;
}

/* Returns BPF_WAKE_HARD and BPF_WAKE_SOFT for the interrupts that run in `current`. */
static __always_inline __u32 interrupts(struct task_struct *current)
{
	__u32 count = preempt_count(current);

	return (count & (HARDIRQ_MASK | NMI_MASK) ? BPF_WAKE_HARD : 0) |
	       (count & SOFTIRQ_SERVED ? BPF_WAKE_SOFT : 0);
}

/* --- Wakeups --------------------------------------------------------------------------------- */

static __always_inline void put_wake(void *ctx, struct task_struct *waker, __u32 of_waker,
				     struct task_struct *task, __u32 of_task, __u32 how)
{
	struct place place;

	if (!named(waker, of_waker) || !named(task, of_task))
		return;
	if (sees_calls(mode) && recorded(of_waker) && !how)
		see_call(ctx, waker);
	place = make_room(1);
	if (place.slots)
		publish(&place, BPF_WORD0(place.time, task->prio),
			BPF_WORD1(BPF_RECORD_WAKE, waker->pid, task->pid,
				  (cpu_of(task) & BPF_WAKE_CPU_MASK) | how));
}

/* Notes the state of a thread that has gone to sleep, but was not seen to leave its CPU. */
static __always_inline void see_asleep(struct task_struct *task)
{
	struct bpf_ring *ring = ring_of(cpu_of(task));

	if (kernel_accounts(task) && ring && ring->task == (__u64)task && !task->on_cpu)
		ring->left_as = reported(false, state_of(task), task->exit_state);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct task_struct *waker;
	__u32 of_task;

	if (!(mode & BPF_MODE_SWITCHES))
		return 0;
	of_task = flags_of(task->pid);
	if (!recorded(of_task))
		return 0;
	waker = bpf_get_current_task_btf();
	see_asleep(task);
	put_wake(ctx, waker, flags_of(waker->pid), task, of_task, interrupts(waker));
	return 0;
}

/* --- Births, deaths and names ---------------------------------------------------------------- */

/* Records a birth. Two programs below see it: the second sets `unseen` if the first did not. */
static __always_inline void put_birth(struct task_struct *parent, __u32 of_parent,
				      struct task_struct *child, __u32 unseen)
{
	struct place place;

	if (!named(parent, of_parent))
		return;
	place = make_room(3);
	if (!place.slots)
		return;
	bpf_probe_read_kernel(slot(&place, 1), sizeof(struct bpf_slot), child->comm);
	put_ids(slot(&place, 2), child->tgid, parent->tgid);
	publish(&place, BPF_WORD0(place.time, child->prio),
		BPF_WORD1(BPF_RECORD_FORK, child->pid, parent->pid, unseen));
	set_flag(child->pid, BPF_FLAG_NAMED | (unseen ? 0 : BPF_FLAG_BORN));
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 of_parent;

	if (!mode)
		return 0;
	if (flags_of(child->pid) & (BPF_FLAG_NAMED | BPF_FLAG_BORN)) /* of an earlier thread */
		clear_flags(child->pid, BPF_FLAG_NAMED | BPF_FLAG_BORN);
	of_parent = flags_of(parent->pid);
	if (!hands_on(of_parent))
		return 0;
	set_flag(child->pid, BPF_FLAG_RECORD);
	put_birth(parent, of_parent, child, 0);
	return 0;
}

/*
 * Runs in the creator of each new thread. The program above misses threads of io_uring, and the
 * kernel may skip it while it interrupts another run of itself, which cannot happen here.
 */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *child)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	__u32 of_parent, of_child;

	if (!mode)
		return 0;
	of_parent = flags_of(parent->pid);
	of_child = flags_of(child->pid);
	if (of_child & BPF_FLAG_BORN) {
		tell_start(parent, child);
	} else {
		if (of_child & BPF_FLAG_NAMED)
			clear_flags(child->pid, BPF_FLAG_NAMED);
		if (hands_on(of_parent)) {
			set_flag(child->pid, BPF_FLAG_RECORD);
			put_birth(parent, of_parent, child, 1);
		}
		of_child = flags_of(child->pid);
	}
	if (mode & BPF_MODE_SWITCHES && recorded(of_child))
		put_wake(ctx, parent, flags_of(parent->pid), child, of_child, BPF_WAKE_NEW);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct task_struct *parent = distrusted(task)->real_parent;
	__u32 of_task = flags_of(task->pid);
	__u32 last = 0;
	struct place place;

	if (!mode || !recorded(of_task) || !named(task, of_task))
		return 0;
	if (bpf_core_type_exists(btf_trace_sched_process_exit))
		last = ctx[1] & 1;
	place = make_room(2);
	if (!place.slots)
		return 0;
	put_ids(slot(&place, 1), task->tgid, parent->tgid);
	publish(&place, BPF_WORD0(place.time, task->prio),
		BPF_WORD1(BPF_RECORD_EXIT, task->pid, parent->pid, last));
	return 0;
}

/* A thread that does an exec gets the number of its process; its old number becomes free. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, __u32 old_tid)
{
	__u32 of_task;

	if (!mode)
		return 0;
	if (old_tid != task->pid) {
		if (flags_of(old_tid) & BPF_FLAG_RECORD)
			set_flag(task->pid, BPF_FLAG_RECORD);
		clear_flags(old_tid,
			    BPF_FLAG_RECORD | BPF_FLAG_BIRTHS | BPF_FLAG_NAMED | BPF_FLAG_BORN);
	}
	of_task = flags_of(task->pid);
	if (recorded(of_task))
		put_name(make_room(3), task, task->comm, BPF_NAME_EXEC);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
	__u32 of_task;

	if (!mode)
		return 0;
	of_task = flags_of(task->pid);
	if (!recorded(of_task) && !(of_task & BPF_FLAG_NAMED))
		return 0;
	if (!put_name(make_room(3), task, comm, BPF_NAME_RENAMED))
		clear_flags(task->pid, BPF_FLAG_NAMED); /* recorded at its next mention */
	return 0;
}
