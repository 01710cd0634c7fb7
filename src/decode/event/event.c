/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event.h"

#include <string.h>

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
	/* In this order: a dying thread is dead whatever else it is, D|K is a killable D. */
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
	/* 0 is R; 0x100 and above say that it was preempted (R+). */
	return STATE_RUNNABLE;
}

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

void event_set_comm(char comm[COMM_SIZE], const char *name, size_t length)
{
	if (length > COMM_SIZE - 1)
		length = COMM_SIZE - 1;
	length = strnlen(name, length);
	memcpy(comm, name, length);
	memset(comm + length, 0, COMM_SIZE - length);
}
