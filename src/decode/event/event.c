/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event.h"

#include "base/alloc.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- States of threads --------------------------------------------------------------------- */

const char *thread_state_name(enum thread_state state)
{
	static const char *const names[STATE_COUNT] = {
		[STATE_NONE] = "none",	       [STATE_UNKNOWN] = "unknown",
		[STATE_ACTIVE] = "active",     [STATE_RUNNING] = "running",
		[STATE_RUNNABLE] = "runnable", [STATE_INACTIVE] = "inactive",
		[STATE_SLEEPING] = "sleeping", [STATE_DISK] = "disk",
		[STATE_STOPPED] = "stopped",
	};

	return names[state];
}

enum thread_state thread_state_of_letters(const char *letters)
{
	switch (*letters) {
	case 'R':
		return STATE_RUNNABLE;
	case 'S':
	case 'I': /* idle kernel thread */
	case 'P': /* parked */
		return STATE_SLEEPING;
	case 'D':
		return STATE_DISK;
	case 'T':
	case 't':
		return STATE_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return STATE_NONE;
	default:
		return STATE_UNKNOWN;
	}
}

enum thread_state thread_state_of_bits(uint64_t prev_state)
{
	/* The order counts: a dying thread is dead whatever its other bits; D|K is a killable D. */
	static const struct {
		uint64_t bits;
		enum thread_state state;
	} table[] = {
		{0x30, STATE_NONE},	/* X, Z */
		{0x02, STATE_DISK},	/* D */
		{0x0c, STATE_STOPPED},	/* T, t */
		{0xc1, STATE_SLEEPING}, /* S, P, I */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (prev_state & table[i].bits)
			return table[i].state;
	/* 0 is R; 0x100 and above mark a preempted thread (R+). */
	return STATE_RUNNABLE;
}

/* --- Calls --------------------------------------------------------------------------------- */

static const char *const call_names[SYNC_CALLS] = {
	[SYNC_NONE] = "none",
	[SYNC_FUTEX_WAIT] = "futex_wait",
	[SYNC_FUTEX_WAKE] = "futex_wake",
	[SYNC_FUTEX_MOVE] = "futex_move",
	[SYNC_FUTEX_LOCK] = "futex_lock",
	[SYNC_FUTEX_UNLOCK] = "futex_unlock",
	[SYNC_SLEEP] = "sleep",
	[SYNC_YIELD] = "yield",
	[SYNC_MUTEX_LOCK] = "mutex_lock",
	[SYNC_MUTEX_TRYLOCK] = "mutex_trylock",
	[SYNC_MUTEX_UNLOCK] = "mutex_unlock",
	[SYNC_READ_LOCK] = "read_lock",
	[SYNC_WRITE_LOCK] = "write_lock",
	[SYNC_RW_UNLOCK] = "rw_unlock",
	[SYNC_COND_WAIT] = "cond_wait",
	[SYNC_COND_SIGNAL] = "cond_signal",
	[SYNC_COND_BROADCAST] = "cond_broadcast",
	[SYNC_BARRIER_INIT] = "barrier_init",
	[SYNC_BARRIER_WAIT] = "barrier_wait",
	[SYNC_SEM_INIT] = "sem_init",
	[SYNC_SEM_WAIT] = "sem_wait",
	[SYNC_SEM_POST] = "sem_post",
};

const char *sync_call_name(enum sync_call call)
{
	return call_names[call];
}

enum sync_call sync_call_of_name(const char *name)
{
	for (int call = SYNC_NONE + 1; call < SYNC_CALLS; call++)
		if (strcmp(call_names[call], name) == 0)
			return (enum sync_call)call;
	return SYNC_NONE;
}

/* --- Steps of tasks ------------------------------------------------------------------------ */

const char *task_step_name(unsigned step)
{
	static const char *const names[TASK_STEPS] = {
		[TASK_BEGIN] = "begin",	    [TASK_END] = "end",		[TASK_SPAWN] = "spawn",
		[TASK_SPAWNED] = "spawned", [TASK_SYNC_OF] = "sync_of", [TASK_SYNC] = "sync",
		[TASK_SYNCED] = "synced",   [TASK_PAUSE] = "pause",	[TASK_RESUME] = "resume",
		[TASK_BARRIER] = "barrier",
	};

	return step < TASK_STEPS ? names[step] : NULL;
}

/* --- Events -------------------------------------------------------------------------------- */

struct event event_birth(const struct event *task)
{
	struct event birth = *task;

	birth.kind = EVENT_FORK;
	birth.pid = task->other_pid;
	birth.tid = task->other;
	birth.other_pid = task->pid;
	birth.other = task->tid;
	return birth;
}

static int32_t step_count(const struct task_step_fields *fields)
{
	switch (fields->step) {
	case TASK_BEGIN:
	case TASK_SPAWN:
	case TASK_SYNC_OF:
		return (int32_t)(uint32_t)fields->index;
	case TASK_SYNC:
		return fields->index == 1;
	default:
		return 0;
	}
}

int event_set_step(struct event *event, const struct task_step_fields *fields)
{
	if (fields->step == TASK_NO_STEP || fields->step >= TASK_STEPS ||
	    fields->index > UINT32_MAX)
		return -1;
	event->step = (enum task_step)fields->step;
	event->object = fields->task;
	event->object2 = fields->step == TASK_BEGIN ? fields->value : 0;
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		event->counted[i] = TASK_UNCOUNTED;
	event->count = step_count(fields);
	return 0;
}

void event_set_comm(char comm[COMM_SIZE], const char *name, size_t length)
{
	if (length > COMM_SIZE - 1)
		length = COMM_SIZE - 1;
	length = strnlen(name, length);
	memcpy(comm, name, length);
	memset(comm + length, 0, COMM_SIZE - length);
}

/* --- Events of calls ----------------------------------------------------------------------- */

/* The system calls. SYNC_NONE: the field op of the entry shows the call, its return does not. */
static const struct {
	const char *name;
	enum event_kind kind;
	enum sync_call call;
} system_events[CALL_EVENT_SYSTEM] = {
	{"sys_enter_futex", EVENT_CALL, SYNC_NONE},
	{"sys_exit_futex", EVENT_RETURN, SYNC_NONE},
	{"sys_enter_nanosleep", EVENT_CALL, SYNC_SLEEP},
	{"sys_exit_nanosleep", EVENT_RETURN, SYNC_SLEEP},
	{"sys_enter_clock_nanosleep", EVENT_CALL, SYNC_SLEEP},
	{"sys_exit_clock_nanosleep", EVENT_RETURN, SYNC_SLEEP},
	{"sys_enter_sched_yield", EVENT_CALL, SYNC_YIELD},
	{"sys_exit_sched_yield", EVENT_RETURN, SYNC_YIELD},
};

/* The events of sockets, of the system "sock". */
static const struct {
	const char *name, *object, *count;
} socket_events[CALL_EVENT_SOCKET - CALL_EVENT_SYSTEM] = {
	{"sk_data_ready", "skaddr", NULL},
	{"sock_recv_length", "sk", "ret"},
	{"sock_send_length", "sk", "ret"},
	{"inet_sock_set_state", "skaddr", "newstate"},
};

static bool is_system_event(int number)
{
	return number < CALL_EVENT_SYSTEM;
}

static bool is_socket_event(int number)
{
	return number >= CALL_EVENT_SYSTEM && number < CALL_EVENT_SOCKET;
}

static bool is_futex_event(int number)
{
	return is_system_event(number) && system_events[number].kind == EVENT_CALL &&
	       system_events[number].call == SYNC_NONE;
}

static enum sync_call probe_of_event(int number)
{
	return (enum sync_call)(SYNC_MUTEX_LOCK + number - CALL_EVENT_SOCKET);
}

static const char *name_of_event(int number)
{
	if (is_socket_event(number))
		return socket_events[number - CALL_EVENT_SYSTEM].name;
	return is_system_event(number) ? system_events[number].name
				       : sync_call_name(probe_of_event(number));
}

/* Returns "syscalls", "sock" or "pscal". */
static const char *system_of_event(int number)
{
	if (is_socket_event(number))
		return "sock";
	return is_system_event(number) ? "syscalls" : "pscal";
}

int call_event_find(const char *system, const char *name, size_t length)
{
	for (int number = 0; number < CALL_EVENTS; number++)
		if ((!system || !strcmp(system, system_of_event(number))) &&
		    strlen(name_of_event(number)) == length &&
		    !memcmp(name_of_event(number), name, length))
			return number;
	return -1;
}

const char *call_event_field(int number, enum call_field field)
{
	static const char *const of_futex[CALL_FIELDS] = {"uaddr", "uaddr2", "val", "op"};
	static const char *const of_probe[CALL_FIELDS] = {"object", "object2", "count"};

	if (is_socket_event(number)) {
		const char *object = socket_events[number - CALL_EVENT_SYSTEM].object;
		const char *count = socket_events[number - CALL_EVENT_SYSTEM].count;

		return field == CALL_FIELD_OBJECT  ? object
		       : field == CALL_FIELD_COUNT ? count
						   : NULL;
	}
	if (is_system_event(number))
		return is_futex_event(number) ? of_futex[field] : NULL;
	return of_probe[field];
}

bool call_event_needs(int number, enum call_field field)
{
	if (is_futex_event(number))
		return field == CALL_FIELD_OBJECT || field == CALL_FIELD_OP;
	return !is_system_event(number) && field == CALL_FIELD_OBJECT;
}

/* Returns the meaning of an operation of futex(2), or SYNC_NONE if it neither waits nor wakes. */
static enum sync_call futex_call(uint64_t op)
{
	switch ((uint32_t)op & (uint32_t)FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		return SYNC_FUTEX_WAIT;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
		return SYNC_FUTEX_WAKE;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		return SYNC_FUTEX_MOVE;
	case FUTEX_LOCK_PI:
	case 13: /* FUTEX_LOCK_PI2, Linux 5.14 */
	case FUTEX_TRYLOCK_PI:
		return SYNC_FUTEX_LOCK;
	case FUTEX_UNLOCK_PI:
		return SYNC_FUTEX_UNLOCK;
	default:
		return SYNC_NONE;
	}
}

/*
 * Returns the number of threads to wake, or the expected value of the word: for FUTEX_WAIT_BITSET,
 * a wait with an absolute time-out, the complement, which is below 0. Mutexes use FUTEX_WAIT.
 */
static int32_t futex_count(enum sync_call call, uint64_t op, int32_t value)
{
	switch ((uint32_t)op & (uint32_t)FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return value;
	case FUTEX_WAIT_BITSET:
		return ~value;
	default:
		return call == SYNC_FUTEX_WAKE || call == SYNC_FUTEX_MOVE ? value : 0;
	}
}

/* Returns the low 32 bits of `value`; "all threads" is INT_MAX, or ~0 in some programs. */
static int32_t count_of(uint64_t value)
{
	uint32_t count = (uint32_t)value;

	return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

static bool socket_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS])
{
	event->kind = EVENT_SOCKET;
	event->socket = (enum socket_event)(SOCKET_READY + number - CALL_EVENT_SYSTEM);
	event->object = values[CALL_FIELD_OBJECT];
	event->object2 = 0;
	event->count = (int32_t)(uint32_t)values[CALL_FIELD_COUNT];
	return true;
}

bool call_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS])
{
	enum sync_call call =
		is_system_event(number) ? system_events[number].call : probe_of_event(number);
	int32_t count = 0;

	if (is_socket_event(number))
		return socket_event_make(event, number, values);
	if (is_futex_event(number)) {
		call = futex_call(values[CALL_FIELD_OP]);
		if (call == SYNC_NONE)
			return false;
		count = futex_count(call, values[CALL_FIELD_OP],
				    count_of(values[CALL_FIELD_COUNT]));
	}
	event->kind = is_system_event(number) ? system_events[number].kind : EVENT_CALL;
	event->call = call;
	event->object = values[CALL_FIELD_OBJECT];
	event->object2 = call == SYNC_FUTEX_MOVE || !is_system_event(number)
				 ? values[CALL_FIELD_OBJECT2]
				 : 0;
	event->count = is_system_event(number) ? count : count_of(values[CALL_FIELD_COUNT]);
	return true;
}
