/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/call_event.h"

#include <linux/futex.h>
#include <string.h>

/* The system calls. SYNC_NONE: the field op tells which, and its return does not. */
static const struct {
	const char *name;
	enum event_kind kind;
	enum sync_call call;
} calls[CALL_EVENT_SYSTEM] = {
	{"sys_enter_futex", EVENT_CALL, SYNC_NONE},
	{"sys_exit_futex", EVENT_RETURN, SYNC_NONE},
	{"sys_enter_nanosleep", EVENT_CALL, SYNC_SLEEP},
	{"sys_exit_nanosleep", EVENT_RETURN, SYNC_SLEEP},
	{"sys_enter_clock_nanosleep", EVENT_CALL, SYNC_SLEEP},
	{"sys_exit_clock_nanosleep", EVENT_RETURN, SYNC_SLEEP},
	{"sys_enter_sched_yield", EVENT_CALL, SYNC_YIELD},
	{"sys_exit_sched_yield", EVENT_RETURN, SYNC_YIELD},
};

static bool is_system(int number)
{
	return number < CALL_EVENT_SYSTEM;
}

static bool is_futex(int number)
{
	return is_system(number) && calls[number].kind == EVENT_CALL &&
	       calls[number].call == SYNC_NONE;
}

static enum sync_call probe_of(int number)
{
	return (enum sync_call)(SYNC_MUTEX_LOCK + number - CALL_EVENT_SYSTEM);
}

static const char *name_of(int number)
{
	return is_system(number) ? calls[number].name : sync_call_name(probe_of(number));
}

int call_event_find(const char *system, const char *name, size_t length)
{
	int begin = system && strcmp(system, "syscalls") != 0 ? CALL_EVENT_SYSTEM : 0;
	int end = system && strcmp(system, "pscal") != 0 ? CALL_EVENT_SYSTEM : CALL_EVENTS;

	for (int number = begin; number < end; number++)
		if (strlen(name_of(number)) == length && !memcmp(name_of(number), name, length))
			return number;
	return -1;
}

const char *call_event_field(int number, enum call_field field)
{
	static const char *const of_futex[CALL_FIELDS] = {"uaddr", "uaddr2", "val", "op"};
	static const char *const of_probe[CALL_FIELDS] = {"object", "object2", "count"};

	if (is_system(number))
		return is_futex(number) ? of_futex[field] : NULL;
	return of_probe[field];
}

bool call_event_needs(int number, enum call_field field)
{
	if (is_futex(number))
		return field == CALL_FIELD_OBJECT || field == CALL_FIELD_OP;
	return !is_system(number) && field == CALL_FIELD_OBJECT;
}

/* What futex(2) calls it to what it is for those who wait; SYNC_NONE: nobody waits or is woken. */
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

/* Numbers of 32 bits; "all of them" is INT_MAX, or ~0 in some programs. */
static int32_t count_of(uint64_t value)
{
	uint32_t count = (uint32_t)value;

	return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

bool call_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS])
{
	enum sync_call call = is_system(number) ? calls[number].call : probe_of(number);
	bool wakes, moves;

	if (is_futex(number)) {
		call = futex_call(values[CALL_FIELD_OP]);
		if (call == SYNC_NONE)
			return false;
	}
	wakes = call == SYNC_FUTEX_WAKE || call == SYNC_FUTEX_MOVE;
	moves = call == SYNC_FUTEX_MOVE;
	event->kind = is_system(number) ? calls[number].kind : EVENT_CALL;
	event->call = call;
	event->object = values[CALL_FIELD_OBJECT];
	event->object2 = moves || !is_system(number) ? values[CALL_FIELD_OBJECT2] : 0;
	event->count = wakes || !is_system(number) ? count_of(values[CALL_FIELD_COUNT]) : 0;
	return true;
}
