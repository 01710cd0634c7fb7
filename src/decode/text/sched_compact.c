/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/sched_compact.h"

#include "decode/event/scan.h"

/* ` [PRIO]`, which can be negative. Returns what follows. */
static const char *skip_prio(const char *at)
{
	int32_t prio;

	at = scan_word(at, " [");
	if (!at)
		return NULL;
	at = scan_number(*at == '-' ? at + 1 : at, &prio);
	return at ? scan_word(at, "]") : NULL;
}

/*
 * `COMM:PID [PRIO]`. A name may hold the same, but not after its 15 characters: the last place
 * within them is the right one, from *from back, where it is left.
 */
static const char *read_task(char comm[COMM_SIZE], int32_t *pid, const char *begin,
			     const char **from)
{
	for (const char *at = *from; at >= begin; at--) {
		const char *rest = *at == ':' ? scan_number(at + 1, pid) : NULL;

		rest = rest ? skip_prio(rest) : NULL;
		if (!rest)
			continue;
		event_set_comm(comm, begin, (size_t)(at - begin));
		*from = at;
		return rest;
	}
	return NULL;
}

static const char *furthest(const char *begin)
{
	return begin + strnlen(begin, COMM_SIZE - 1);
}

/*
 * The plugin has one list of letters for all kernels, "SDTtZXxW". From Linux 4.14 on it prints W
 * for what the kernel calls I, a kernel thread with nothing to do; before, W is never alone.
 */
static enum thread_state state_of(const char *letters)
{
	return *letters == 'W' ? STATE_SLEEPING : thread_state_of_letters(letters);
}

bool sched_compact_switch(struct event *event, const char *fields)
{
	const char *from = furthest(fields), *rest;

	for (; (rest = read_task(event->comm, &event->tid, fields, &from)); from--) {
		const char *letters = scan_word(rest, " ");
		const char *next, *next_from;

		if (!letters || !*letters)
			continue;
		next = scan_word(letters + strcspn(letters, " "), " ==> ");
		if (!next)
			continue;
		event->state = state_of(letters);
		next_from = furthest(next);
		return read_task(event->other_comm, &event->other, next, &next_from);
	}
	return false;
}

bool sched_compact_wake(struct event *event, const char *fields)
{
	const char *from = furthest(fields);
	const char *rest = read_task(event->other_comm, &event->other, fields, &from);

	if (rest && scan_word(rest, " success=0"))
		event->kind = EVENT_TASK;
	return rest;
}

bool sched_compact_is_wake(const char *fields)
{
	const char *from = furthest(fields), *rest;
	char comm[COMM_SIZE];
	int32_t number;

	rest = read_task(comm, &number, fields, &from);
	if (!rest)
		return false;
	if (scan_word(rest, " success="))
		rest = scan_number(rest + strlen(" success="), &number);
	return rest && scan_word(rest, " CPU:");
}
