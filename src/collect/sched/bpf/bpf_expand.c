/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/ring.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/sched/bpf/bpf_private.h"
#include "collect/target/lineage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { COMM_BYTES = 16 };

/* The last known name of a thread. */
struct bpf_name {
	pid_t pid;
	char comm[COMM_BYTES];
	enum bpf_call call; /* the present call of the thread; 0: none known */
	uint64_t call_ns;   /* ... its begin */
	bool waits;	    /* ... off its CPU */
};

/* --- Layouts ------------------------------------------------------------------------------- */

/* The numbers of the fields, in the order of `fields` below. */
enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO };
enum { WAKE_COMM, WAKE_PID, WAKE_PRIO, WAKE_CPU, WAKE_SUCCESS };
enum { PARENT_COMM, PARENT_PID, CHILD_COMM, CHILD_PID };
enum { EXIT_COMM, EXIT_PID, EXIT_PRIO, EXIT_GROUP_DEAD };

#define WAKE_FIELDS                                            \
	{                                                      \
		"comm", "pid", "prio", "target_cpu", "success" \
	}

static const struct {
	const char *name;
	const char *fields[TRACEFS_FIELDS];
} kinds[BPF_EXPAND_CALL] = {
	[BPF_EXPAND_SWITCH] = {"sched:sched_switch",
			       {"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm",
				"next_pid", "next_prio"}},
	[BPF_EXPAND_WAKING] = {"sched:sched_waking", WAKE_FIELDS},
	[BPF_EXPAND_WAKEUP_NEW] = {"sched:sched_wakeup_new", WAKE_FIELDS},
	[BPF_EXPAND_FORK] = {"sched:sched_process_fork",
			     {"parent_comm", "parent_pid", "child_comm", "child_pid"}},
	[BPF_EXPAND_EXIT] = {"sched:sched_process_exit", {"comm", "pid", "prio", "group_dead"}},
	[BPF_EXPAND_TASK] = {"dummy", {NULL}},
	[BPF_EXPAND_START] = {"thread-start", {NULL}},
};

static void describe(struct bpf_expand *expand, enum bpf_expand_kind kind, const char *name)
{
	struct perf_event_attr *attr = &expand->attrs[kind];

	if (kind == BPF_EXPAND_TASK || kind == BPF_EXPAND_START) {
		*attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
		attr->comm = attr->comm_exec = attr->task = kind == BPF_EXPAND_TASK;
		attr->context_switch = kind == BPF_EXPAND_TASK && expand->stacks;
	} else {
		*attr = record_attr(PERF_TYPE_TRACEPOINT, expand->formats[kind].type);
	}
	if (kind == BPF_EXPAND_START || (kind == BPF_EXPAND_SWITCH && expand->stacks))
		attr->sample_type |= RECORD_STACK_TYPE;
	expand->ids[kind] = RECORD_SCHED_ID + (uint64_t)kind;
	expand->events[kind] = (struct perfdata_event){name, attr, &expand->ids[kind], 1};
}

int bpf_expand_init(struct bpf_expand *expand, uint64_t base_ns, const char *tracefs,
		    const struct bpf_expand_stacks *stacks, struct lineage *lineage,
		    struct err *err)
{
	*expand = (struct bpf_expand){.base_ns = base_ns, .stacks = stacks, .lineage = lineage};
	for (enum bpf_expand_kind kind = 0; kind < BPF_EXPAND_CALL; kind++) {
		if (kind < BPF_EXPAND_TASK &&
		    tracefs_format_read(&expand->formats[kind], tracefs, kinds[kind].name,
					kinds[kind].fields, err))
			return -1;
		describe(expand, kind, kinds[kind].name);
	}
	expand->event_count = BPF_EXPAND_CALL;
	return 0;
}

/* --- Layouts of calls ---------------------------------------------------------------------- */

#if defined(__x86_64__)
#define NUMBER_OF(call) SYS_##call
#else
#define NUMBER_OF(call) 0 /* sched.bpf.c supports no other registers */
#endif

/* The calls, with the fields of their number and arguments. */
static const struct {
	uint32_t number;
	const char *enter, *exit;
	const char *fields[TRACEFS_FIELDS];
} calls[BPF_CALLS] = {
	[BPF_CALL_FUTEX - 1] = {NUMBER_OF(futex),
				"syscalls:sys_enter_futex",
				"syscalls:sys_exit_futex",
				{"__syscall_nr", "uaddr", "op", "val", "utime", "uaddr2", "val3"}},
	[BPF_CALL_NANOSLEEP - 1] = {NUMBER_OF(nanosleep),
				    "syscalls:sys_enter_nanosleep",
				    "syscalls:sys_exit_nanosleep",
				    {"__syscall_nr", "rqtp", "rmtp"}},
	[BPF_CALL_CLOCK_NANOSLEEP - 1] = {NUMBER_OF(clock_nanosleep),
					  "syscalls:sys_enter_clock_nanosleep",
					  "syscalls:sys_exit_clock_nanosleep",
					  {"__syscall_nr", "which_clock", "flags", "rqtp", "rmtp"}},
};

uint32_t bpf_expand_call_number(enum bpf_call call)
{
	return calls[call - 1].number;
}

int bpf_expand_calls(struct bpf_expand *expand, const char *tracefs,
		     const struct bpf_expand_stacks *stacks, struct err *err)
{
	static const char *const of_return[] = {"__syscall_nr", "ret", NULL};

	for (int i = 0; i < BPF_CALLS; i++) {
		const enum bpf_expand_kind begin = (enum bpf_expand_kind)(BPF_EXPAND_CALL + i);
		const enum bpf_expand_kind end = (enum bpf_expand_kind)(BPF_EXPAND_RETURN + i);

		if (tracefs_format_read(&expand->formats[begin], tracefs, calls[i].enter,
					calls[i].fields, err) ||
		    tracefs_format_read(&expand->formats[end], tracefs, calls[i].exit, of_return,
					err))
			return -1;
		describe(expand, begin, calls[i].enter);
		describe(expand, end, calls[i].exit);
		if (stacks)
			expand->attrs[begin].sample_type |= RECORD_STACK_TYPE;
	}
	expand->call_stacks = stacks;
	expand->event_count = BPF_EXPAND_COUNT;
	return 0;
}

void bpf_expand_no_calls(struct bpf_expand *expand)
{
	expand->event_count = BPF_EXPAND_CALL;
}

void bpf_expand_release(struct bpf_expand *expand)
{
	for (uint32_t tid = 0; (tid = sparse_next(&expand->names, tid)) < SPARSE_MAX; tid++)
		free(sparse_get(&expand->names, tid));
	sparse_release(&expand->names);
	pid_set_release(&expand->callers);
}

/* --- Names --------------------------------------------------------------------------------- */

/* The name of a thread whose name was not recorded for lack of room. */
static const struct bpf_name unknown = {.pid = -1, .comm = "<...>"};

/* Returns a thread's name. All idle threads have number 0; `idle` is room for their names. */
static const struct bpf_name *name_of(const struct bpf_expand *expand, pid_t tid,
				      const struct bpf_event *event, struct bpf_name *idle)
{
	const struct bpf_name *name;

	if (tid == 0) {
		*idle = (struct bpf_name){.pid = 0};
		snprintf(idle->comm, sizeof(idle->comm), "swapper/%u", event->cpu);
		return idle;
	}
	name = sparse_get(&expand->names, (uint32_t)tid);
	return name ? name : &unknown;
}

/* Learns the name of a thread from slots 1 and 2 of a record. */
static struct bpf_name *learn(struct bpf_expand *expand, const struct bpf_event *event)
{
	struct bpf_name *name = sparse_get(&expand->names, (uint32_t)event->tid);
	struct bpf_ids ids;

	if (!name) {
		name = xcalloc(1, sizeof(*name));
		sparse_set(&expand->names, (uint32_t)event->tid, name);
	}
	memcpy(&ids, &event->body[1], sizeof(ids));
	name->pid = (pid_t)ids.pid;
	memset(name->comm, 0, sizeof(name->comm));
	memcpy(name->comm, &event->body[0],
	       strnlen((const char *)&event->body[0], sizeof(name->comm) - 1));
	return name;
}

/* --- Payloads ------------------------------------------------------------------------------ */

/* The payload of a tracepoint, as this kernel would write it. */
struct payload {
	const struct tracefs_format *format;
	size_t size;
	uint8_t bytes[TRACEFS_PAYLOAD_MAX];
};

/* Bits of linux/trace_events.h. */
enum { PAYLOAD_HARDIRQ = 0x08, PAYLOAD_SOFTIRQ = 0x10 };

/* Stores a number in a field. A missing field has size 0. */
static void put_number(struct payload *payload, const struct tracefs_field *field, int64_t value)
{
	uint8_t *to = payload->bytes + field->offset;

	switch (field->size) {
	case 1:
		*to = (uint8_t)value;
		break;
	case 2:
		memcpy(to, &(int16_t){(int16_t)value}, 2);
		break;
	case 4:
		memcpy(to, &(int32_t){(int32_t)value}, 4);
		break;
	case 8:
		memcpy(to, &value, 8);
		break;
	default:
		break;
	}
}

/* Begins a payload, zero except for the type and the current thread. */
static void payload_begin(struct payload *payload, const struct tracefs_format *format, pid_t tid)
{
	payload->format = format;
	payload->size = format->size;
	memset(payload->bytes, 0, format->size);
	put_number(payload, &format->common_type, format->type);
	put_number(payload, &format->common_pid, tid);
}

/* Stores a number in field number `index`. */
static void payload_put_number(struct payload *payload, size_t index, int64_t value)
{
	put_number(payload, &payload->format->fields[index], value);
}

/* Stores a name in field number `index`. `text` is padded with zeros. */
static void payload_put_comm(struct payload *payload, size_t index, const char text[COMM_BYTES])
{
	const struct tracefs_field *field = &payload->format->fields[index];
	size_t length = strnlen(text, COMM_BYTES - 1);

	if (!field->dynamic) {
		if (field->size >= COMM_BYTES)
			memcpy(payload->bytes + field->offset, text, COMM_BYTES);
		return;
	}
	if (payload->size + length + 1 > TRACEFS_PAYLOAD_MAX)
		return;
	put_number(payload, field, (int64_t)((length + 1) << 16 | (payload->size - field->from)));
	memcpy(payload->bytes + payload->size, text, length);
	payload->bytes[payload->size + length] = '\0';
	payload->size += length + 1;
}

/* --- Records ------------------------------------------------------------------------------- */

static struct record_place place_of(const struct bpf_expand *expand, const struct bpf_event *event,
				    enum bpf_expand_kind kind, pid_t pid, pid_t tid)
{
	return (struct record_place){
		.id = expand->ids[kind],
		.time_ns = expand->base_ns + event->time_ns,
		.pid = pid,
		.tid = tid,
		.cpu = event->cpu,
	};
}

/* --- Calls --------------------------------------------------------------------------------- */

/*
 * Returns the stack of this number, behind the mark of user code, with depth 0 if there is none.
 * The number is an error of the kernel then: -EFAULT if the thread has no user stack, others if the
 * table has no place for this one.
 */
static struct record_stack fetch_stack(struct bpf_expand *expand,
				       const struct bpf_expand_stacks *stacks, uint64_t id,
				       uint64_t ips[1 + PERF_MAX_STACK_DEPTH])
{
	int32_t number = (int32_t)id;
	struct record_stack stack = {.ips = ips,
				     .depth = stacks->get(stacks->context, (uint32_t)id, ips + 1)};

	expand->missed_stacks += number < 0 && number != -EFAULT;
	ips[0] = PERF_CONTEXT_USER;
	stack.depth += stack.depth > 0;
	return stack;
}

static void expand_call(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	struct bpf_name *name = sparse_get(&expand->names, (uint32_t)event->tid);
	enum bpf_call call = (enum bpf_call)(event->detail & BPF_CALL_MASK);
	enum bpf_expand_kind kind = BPF_EXPAND_CALL + call - 1;
	uint64_t ips[1 + PERF_MAX_STACK_DEPTH], words[1 + BPF_CALL_RETURNS];
	struct record_stack stack = {.ips = ips};
	struct record_place place;
	struct payload payload;

	if (call < 1 || call > BPF_CALLS || expand->event_count <= kind || !name)
		return;
	if (expand->call_stacks && event->detail & BPF_CALL_STACK) {
		memcpy(words, &event->body[3], sizeof(words));
		stack = fetch_stack(expand, expand->call_stacks, words[0], ips);
		stack.words = words + 1;
		stack.word_count = BPF_CALL_RETURNS;
	}
	place = place_of(expand, event, kind, name->pid, event->tid);
	payload_begin(&payload, &expand->formats[kind], event->tid);
	payload_put_number(&payload, 0, calls[call - 1].number);
	for (size_t i = 0; i < BPF_CALL_ARGUMENTS; i++)
		payload_put_number(&payload, 1 + i, (int64_t)event->body[i / 2].words[i % 2]);
	record_sample(recording, &place, expand->call_stacks ? &stack : NULL, payload.bytes,
		      payload.size);
	name->call = call;
	name->call_ns = event->time_ns;
	name->waits = false;
	expand->calls++;
	if (call == BPF_CALL_FUTEX && event->tid != name->pid)
		pid_set_add(&expand->callers, name->pid);
}

static void end_call(struct bpf_expand *expand, struct recording *recording,
		     const struct bpf_event *event, pid_t tid, struct bpf_name *name)
{
	enum bpf_expand_kind kind = BPF_EXPAND_RETURN + name->call - 1;
	struct record_place place = place_of(expand, event, kind, name->pid, tid);
	struct payload payload;

	payload_begin(&payload, &expand->formats[kind], tid);
	payload_put_number(&payload, 0, calls[name->call - 1].number);
	record_sample(recording, &place, NULL, payload.bytes, payload.size);
	name->call = 0;
}

/*
 * Returns a thread in a call; NULL: none, or records were lost since, so that its end is unknown.
 */
static struct bpf_name *find_call(const struct bpf_expand *expand, pid_t tid)
{
	struct bpf_name *name = sparse_get(&expand->names, (uint32_t)tid);

	return name && name->call && name->call_ns > expand->lost_ns ? name : NULL;
}

/* Notes that `tid` leaves its CPU, in the call that was reported before, or in none. */
static void leave_in_call(struct bpf_expand *expand, struct recording *recording,
			  const struct bpf_event *event, pid_t tid)
{
	struct bpf_name *name = find_call(expand, tid);

	if (!name)
		return;
	if (name->waits)
		end_call(expand, recording, event, tid, name);
	else
		name->waits = true;
}

/* Ends the call of `tid`, which has its CPU again after it left it, or whose wakeup is done. */
static void return_from_call(struct bpf_expand *expand, struct recording *recording,
			     const struct bpf_event *event, pid_t tid, bool waited)
{
	struct bpf_name *name = find_call(expand, tid);

	if (name && name->waits == waited)
		end_call(expand, recording, event, tid, name);
}

/* --- Switches, wakeups, births and ends ------------------------------------------------------ */

/* Returns the state as the kernel reports it: its highest bit. */
static int64_t highest_bit(uint32_t state)
{
	return state ? 1 << (31 - __builtin_clz(state)) : 0;
}

/* EXIT_DEAD and EXIT_ZOMBIE of linux/sched.h. */
enum { ENDED = 0x10 | 0x20 };

/* Records both sides of a switch. Threads born since the last pass are judged now, in order. */
static void put_sides(struct bpf_expand *expand, struct recording *recording,
		      struct record_place place, const struct bpf_event *event, pid_t next_pid)
{
	const int64_t state = highest_bit(event->detail & BPF_STATE_MASK);

	place.id = expand->ids[BPF_EXPAND_TASK];
	lineage_settle(expand->lineage, place.time_ns);
	record_both_sides(recording, &place, !state || state == BPF_STATE_PREEMPTED,
			  &(struct thread_body){(uint32_t)next_pid, (uint32_t)event->other},
			  expand->lineage);
}

static void put_switch(struct bpf_expand *expand, struct recording *recording,
		       const struct bpf_event *event, const struct record_stack *stack)
{
	struct bpf_name idle, next_idle;
	const struct bpf_name *prev = name_of(expand, event->tid, event, &idle);
	const struct bpf_name *next = name_of(expand, event->other, event, &next_idle);
	struct record_place place =
		place_of(expand, event, BPF_EXPAND_SWITCH, prev->pid, event->tid);
	uint8_t prio = (uint8_t)(event->detail >> 9);
	struct payload payload;

	payload_begin(&payload, &expand->formats[BPF_EXPAND_SWITCH], event->tid);
	payload_put_comm(&payload, PREV_COMM, prev->comm);
	payload_put_number(&payload, PREV_PID, event->tid);
	payload_put_number(&payload, PREV_PRIO, bpf_event_prio(prio));
	payload_put_number(&payload, PREV_STATE, highest_bit(event->detail & BPF_STATE_MASK));
	payload_put_comm(&payload, NEXT_COMM, next->comm);
	payload_put_number(&payload, NEXT_PID, event->other);
	payload_put_number(&payload, NEXT_PRIO, event->prio);
	leave_in_call(expand, recording, event, event->tid);
	record_sample(recording, &place, stack, payload.bytes, payload.size);
	if (stack)
		put_sides(expand, recording, place, event, next->pid);
	return_from_call(expand, recording, event, event->other, true);
	if (highest_bit(event->detail & BPF_STATE_MASK) & ENDED)
		lineage_end(expand->lineage, event->tid, place.time_ns);
}

static void expand_switch(struct bpf_expand *expand, struct recording *recording,
			  const struct bpf_event *event)
{
	static const struct record_stack none = {.depth = 0};

	put_switch(expand, recording, event, expand->stacks ? &none : NULL);
}

static void expand_switch_stack(struct bpf_expand *expand, struct recording *recording,
				const struct bpf_event *event)
{
	uint64_t ips[1 + PERF_MAX_STACK_DEPTH];
	struct record_stack stack;

	if (!expand->stacks)
		return; /* stacks were not requested */
	stack = fetch_stack(expand, expand->stacks, event->body[0].words[0], ips);
	put_switch(expand, recording, event, &stack);
}

/* Returns the flags of the kernel in all trace records. */
static uint8_t flags_of(uint32_t detail)
{
	return (uint8_t)((detail & BPF_WAKE_HARD ? PAYLOAD_HARDIRQ : 0) |
			 (detail & BPF_WAKE_SOFT ? PAYLOAD_SOFTIRQ : 0));
}

static void expand_wake(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	enum bpf_expand_kind kind =
		event->detail & BPF_WAKE_NEW ? BPF_EXPAND_WAKEUP_NEW : BPF_EXPAND_WAKING;
	struct bpf_name idle, other_idle;
	const struct bpf_name *waker = name_of(expand, event->tid, event, &idle);
	const struct bpf_name *woken = name_of(expand, event->other, event, &other_idle);
	struct record_place place = place_of(expand, event, kind, waker->pid, event->tid);
	struct payload payload;

	payload_begin(&payload, &expand->formats[kind], event->tid);
	put_number(&payload, &payload.format->common_flags, flags_of(event->detail));
	payload_put_comm(&payload, WAKE_COMM, woken->comm);
	payload_put_number(&payload, WAKE_PID, event->other);
	payload_put_number(&payload, WAKE_PRIO, event->prio);
	payload_put_number(&payload, WAKE_CPU, event->detail & BPF_WAKE_CPU_MASK);
	payload_put_number(&payload, WAKE_SUCCESS, 1);
	record_sample(recording, &place, NULL, payload.bytes, payload.size);
	return_from_call(expand, recording, event, event->tid, false);
}

static void expand_name(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	struct bpf_name *name = learn(expand, event);
	struct record_place place = place_of(expand, event, BPF_EXPAND_TASK, name->pid, event->tid);

	if (event->detail == BPF_NAME_EXEC) {
		name->call = 0;
		lineage_exec(expand->lineage, name->pid, place.time_ns);
	}
	record_comm(recording, &place, name->comm, event->detail == BPF_NAME_EXEC);
}

/* The range of addresses that a program can map (x86_64: 47 bits); other words are data. */
#define LEAST_ADDRESS UINT64_C(0x1000)
#define MOST_ADDRESS  UINT64_C(0x7fffffffffff)

/* The largest stack. A larger size is wrong: a stack hides other mappings at its place. */
#define MOST_STACK (UINT64_C(1) << 34)

static void expand_start(struct bpf_expand *expand, struct recording *recording,
			 const struct bpf_event *event)
{
	struct record_place place = place_of(expand, event, BPF_EXPAND_START,
					     (pid_t)event->body[0].words[1], event->tid);
	const uint64_t begin = event->body[BPF_START_SLOTS - 2].words[0],
		       size = event->body[BPF_START_SLOTS - 2].words[1];
	uint64_t words[BPF_START_WORDS];

	memcpy(words, &event->body[1], sizeof(words));
	record_thread_start(recording, &place, event->body[0].words[0], words, BPF_START_WORDS);
	place.id = expand->ids[BPF_EXPAND_TASK];
	if (begin >= LEAST_ADDRESS && begin <= MOST_ADDRESS && size <= MOST_STACK)
		record_thread_stack(recording, &place, begin, size);
}

static void expand_fork(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	struct bpf_name idle;
	struct bpf_name *child = learn(expand, event);
	const struct bpf_name *parent = name_of(expand, event->other, event, &idle);
	const struct task_body task = {(uint32_t)child->pid, (uint32_t)parent->pid,
				       (uint32_t)event->tid, (uint32_t)event->other, 0};
	struct record_place place =
		place_of(expand, event, BPF_EXPAND_TASK, parent->pid, event->other);
	struct payload payload;

	child->call = 0;
	lineage_birth(expand->lineage, &(struct lineage_birth){.time_ns = place.time_ns,
							       .pid = child->pid,
							       .tid = event->tid,
							       .parent_pid = parent->pid,
							       .parent_tid = event->other,
							       .ours = true});
	record_task(recording, PERF_RECORD_FORK, &place, &task);
	if (event->detail)
		return; /* a birth that the tracepoint did not show */
	place.id = expand->ids[BPF_EXPAND_FORK];
	payload_begin(&payload, &expand->formats[BPF_EXPAND_FORK], event->other);
	payload_put_comm(&payload, PARENT_COMM, parent->comm);
	payload_put_number(&payload, PARENT_PID, event->other);
	payload_put_comm(&payload, CHILD_COMM, child->comm);
	payload_put_number(&payload, CHILD_PID, event->tid);
	record_sample(recording, &place, NULL, payload.bytes, payload.size);
}

static void expand_exit(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	struct bpf_name idle;
	const struct bpf_name *name = name_of(expand, event->tid, event, &idle);
	struct record_place place = place_of(expand, event, BPF_EXPAND_EXIT, name->pid, event->tid);
	struct payload payload;
	struct bpf_ids ids;

	payload_begin(&payload, &expand->formats[BPF_EXPAND_EXIT], event->tid);
	payload_put_comm(&payload, EXIT_COMM, name->comm);
	payload_put_number(&payload, EXIT_PID, event->tid);
	payload_put_number(&payload, EXIT_PRIO, event->prio);
	payload_put_number(&payload, EXIT_GROUP_DEAD, event->detail);
	record_sample(recording, &place, NULL, payload.bytes, payload.size);

	memcpy(&ids, &event->body[0], sizeof(ids));
	place.id = expand->ids[BPF_EXPAND_TASK];
	record_task(recording, PERF_RECORD_EXIT, &place,
		    &(struct task_body){ids.pid, ids.other_pid, (uint32_t)event->tid,
					(uint32_t)event->other, 0});
}

/* Records a loss at its begin and, for states assumed within it, at its end. */
static void expand_lost(struct bpf_expand *expand, struct recording *recording,
			const struct bpf_event *event)
{
	struct record_place place = place_of(expand, event, BPF_EXPAND_SWITCH, -1, -1);
	uint64_t count = event->body[0].words[1];

	if (!count)
		return;
	if (event->body[0].words[0] > expand->lost_ns)
		expand->lost_ns = event->body[0].words[0];
	expand->lineage->lossy = true;
	record_lost(recording, &place, count > 1 ? count - 1 : count);
	if (count == 1)
		return;
	place.time_ns = expand->base_ns + event->body[0].words[0];
	record_lost(recording, &place, 1);
}

void bpf_expand(struct bpf_expand *expand, struct recording *recording,
		const struct bpf_event *event)
{
	static void (*const expanders[])(struct bpf_expand *, struct recording *,
					 const struct bpf_event *) = {
		[BPF_RECORD_START] = expand_start,
		[BPF_RECORD_SWITCH] = expand_switch,
		[BPF_RECORD_SWITCH_STACK] = expand_switch_stack,
		[BPF_RECORD_WAKE] = expand_wake,
		[BPF_RECORD_NAME] = expand_name,
		[BPF_RECORD_FORK] = expand_fork,
		[BPF_RECORD_EXIT] = expand_exit,
		[BPF_RECORD_LOST] = expand_lost,
		[BPF_RECORD_CALL] = expand_call,
	};

	if (event->kind <= BPF_RECORD_CALL)
		expanders[event->kind](expand, recording, event);
}
