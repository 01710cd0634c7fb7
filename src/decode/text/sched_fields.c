/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/sched_fields.h"

#include "decode/event/event.h"
#include "decode/text/call_text.h"
#include "decode/text/scan.h"

#include <stdlib.h>

/* All that a state is made of: letters, signs between and behind them, or a number. */
#define STATE_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+|?"

/* A priority, which is negative of deadlines and below MAX_PRIO of the kernel. */
static const char *skip_prio(const char *at)
{
	int32_t prio;

	at = scan_number(*at == '-' ? at + 1 : at, &prio);
	return at && prio < 140 ? at : NULL;
}

/* --- By libtraceevent's plugin ------------------------------------------------------------- */

/*
 * The fields of sched_switch and of wakes as libtraceevent's plugin prints them in place of the
 * kernel's own format (libtraceevent, plugins/plugin_sched_switch.c):
 *
 *	COMM:PID [PRIO] STATE ==> COMM:PID [PRIO]
 *	COMM:PID [PRIO] [success=N] [CPU:NNN]
 */

/* ` [PRIO]`. Returns what follows. */
static const char *compact_skip_prio(const char *at)
{
	at = scan_word(at, " [");
	at = at ? skip_prio(at) : NULL;
	return at ? scan_word(at, "]") : NULL;
}

/*
 * `COMM:PID [PRIO]`. A name may hold the same, but not after its 15 characters: the last place
 * within them is the right one, from *from back, where it is left.
 */
static const char *compact_task(char comm[COMM_SIZE], int32_t *pid, const char *begin,
				const char **from)
{
	for (const char *at = *from; at >= begin; at--) {
		const char *rest = *at == ':' ? scan_number(at + 1, pid) : NULL;

		rest = rest ? compact_skip_prio(rest) : NULL;
		if (!rest)
			continue;
		event_set_comm(comm, begin, (size_t)(at - begin));
		*from = at;
		return rest;
	}
	return NULL;
}

static const char *compact_end(const char *begin)
{
	return begin + strnlen(begin, COMM_SIZE - 1);
}

/* Behind the last field, or before another one. */
static bool is_end_of_number(const char *at)
{
	return at && (!*at || *at == ' ' || (*at == '\r' && !at[1]));
}

/*
 * The plugin has one list of letters for all kernels, "SDTtZXxW". From Linux 4.14 on it prints W
 * for what the kernel calls I, a kernel thread with nothing to do; before, W is never alone.
 */
static enum thread_state compact_state(const char *letters)
{
	return *letters == 'W' ? STATE_SLEEPING : thread_state_of_letters(letters);
}

/* Fill in what `fields` say, up to a NUL. False: they are something else. */
static bool sched_compact_switch(struct event *event, const char *fields)
{
	const char *from = compact_end(fields), *rest;

	for (; (rest = compact_task(event->comm, &event->tid, fields, &from)); from--) {
		const char *letters = scan_word(rest, " ");
		const char *next, *next_from;

		if (!letters || !*letters)
			continue;
		next = scan_word(letters + strspn(letters, STATE_LETTERS), " ==> ");
		if (!next)
			continue;
		event->state = compact_state(letters);
		next_from = compact_end(next);
		return is_end_of_number(
			compact_task(event->other_comm, &event->other, next, &next_from));
	}
	return false;
}

/* Of a wakeup that did not happen (success=0) it makes an EVENT_TASK. */
static bool sched_compact_wake(struct event *event, const char *fields)
{
	const char *from = compact_end(fields);
	const char *rest = compact_task(event->other_comm, &event->other, fields, &from);

	if (rest && scan_word(rest, " success=0"))
		event->kind = EVENT_TASK;
	return is_end_of_number(rest);
}

/* Is it a wake beyond doubt, even if no name of an event says so? */
static bool sched_compact_is_wake(const char *fields)
{
	const char *from = compact_end(fields), *rest;
	char comm[COMM_SIZE];
	int32_t number;

	rest = compact_task(comm, &number, fields, &from);
	if (!rest)
		return false;
	if (scan_word(rest, " success="))
		rest = scan_number(rest + strlen(" success="), &number);
	return rest && scan_word(rest, " CPU:");
}

/* --- By the kernel's own format ------------------------------------------------------------ */

/*
 * `COMM KEY=NUMBER`, where `key` begins with the blank. A name may hold the same, but not after its
 * 15 characters: the last place within them is the right one. Returns what follows the number.
 */
static const char *read_task(char comm[COMM_SIZE], int32_t *number, const char *begin,
			     const char *key)
{
	size_t length = strnlen(begin, COMM_SIZE - 1);

	for (const char *at = begin + length; at >= begin; at--) {
		const char *rest = *at == ' ' ? scan_word(at, key) : NULL;

		rest = rest ? scan_number(rest, number) : NULL;
		if (!rest)
			continue;
		event_set_comm(comm, begin, (size_t)(at - begin));
		return rest;
	}
	return NULL;
}

/* Behind the number of a thread: nothing, as where a line is cut, or its priority. */
static bool is_tail(const char *at, const char *key)
{
	const char *prio;

	if (!is_end_of_number(at))
		return false;
	prio = scan_word(at, key);
	return prio ? !*prio || is_end_of_number(skip_prio(prio)) : *at != ' ';
}

/* A number stands where the kernel's list of letters could not be used. */
static enum thread_state read_state(const char *text)
{
	if (isdigit((unsigned char)*text))
		return thread_state_of_bits(strtoull(text, NULL, 0));
	/* Linux 4.2 to 4.13 print D|N for what is I later: a kernel thread with nothing to do. */
	if (scan_word(text, "D|N"))
		return STATE_SLEEPING;
	return thread_state_of_letters(text);
}

/*
 * ` prev_prio=N prev_state=S ==> next_comm=`, without the arrow where trace-cmd prints the fields
 * alone. Returns what follows.
 */
static const char *read_middle(struct event *event, const char *at)
{
	at = scan_word(at, " prev_prio=");
	at = at ? skip_prio(at) : NULL;
	at = at ? scan_word(at, " prev_state=") : NULL;
	if (!at)
		return NULL;
	event->state = read_state(at);
	at += strspn(at, STATE_LETTERS);
	if (scan_word(at, " ==>"))
		at += strlen(" ==>");
	return scan_word(at, " next_comm=");
}

/* `prev_comm=C prev_pid=N prev_prio=N prev_state=S ==> next_comm=C next_pid=N next_prio=N` */
static bool read_switch(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "prev_comm=");
	const char *next = NULL, *at, *rest;

	if (!begin)
		return sched_compact_switch(event, fields);
	for (at = begin + strnlen(begin, COMM_SIZE - 1); !next && at >= begin; at--) {
		rest = *at == ' ' ? scan_word(at, " prev_pid=") : NULL;
		rest = rest ? scan_number(rest, &event->tid) : NULL;
		next = rest ? read_middle(event, rest) : NULL;
		if (next)
			event_set_comm(event->comm, begin, (size_t)(at - begin));
	}
	rest = next ? read_task(event->other_comm, &event->other, next, " next_pid=") : NULL;
	return is_tail(rest, " next_prio=");
}

/* `comm=C pid=N prio=N [success=N] target_cpu=N` */
static bool read_wake(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "comm=");
	const char *rest;

	if (!begin)
		return sched_compact_wake(event, fields);
	rest = read_task(event->other_comm, &event->other, begin, " pid=");
	if (rest && strstr(rest, " success=0"))
		event->kind = EVENT_TASK; /* a wakeup that did not happen: only a name */
	return is_tail(rest, " prio=");
}

/* `comm=C pid=N child_comm=C child_pid=N`, or as the fields are called: `parent_comm=C ...` */
static bool read_fork(struct event *event, const char *fields)
{
	const char *parent = scan_word(fields, "parent_");
	const char *begin = scan_word(parent ? parent : fields, "comm=");
	const char *key = parent ? " parent_pid=" : " pid=";
	const char *rest = begin ? read_task(event->comm, &event->tid, begin, key) : NULL;
	const char *child = rest ? scan_word(rest, " child_comm=") : NULL;

	child = child ? read_task(event->other_comm, &event->other, child, " child_pid=") : NULL;
	return is_end_of_number(child);
}

/* `comm=C pid=N prio=N ...` */
static bool read_exit(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "comm=");

	return begin && is_tail(read_task(event->comm, &event->tid, begin, " pid="), " prio=");
}

/* `comm=C pid=N runtime=N [ns] ...` */
static bool read_ran(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "comm=");
	const char *rest = begin ? read_task(event->comm, &event->tid, begin, " pid=") : NULL;

	rest = rest ? scan_word(rest, " runtime=") : NULL;
	return rest && scan_unsigned(rest, &event->ran_ns);
}

struct sched_event {
	const char *name;
	enum event_kind kind;
	bool (*read)(struct event *event, const char *fields);
};

/* The events that tell something. A new one is a line here. */
static const struct sched_event events[] = {
	{"sched_switch", EVENT_SWITCH, read_switch},
	{"sched_waking", EVENT_WAKE, read_wake},
	{"sched_wakeup", EVENT_WAKE, read_wake},
	{"sched_wakeup_new", EVENT_FORK, read_wake},
	{"sched_process_fork", EVENT_FORK, read_fork},
	{"sched_process_exit", EVENT_EXIT, read_exit},
	{"sched_stat_runtime", EVENT_RAN, read_ran},
};

/* The kind of an event without a name, by its fields: enough that no other event has it. */
static const char *guess_name(const char *fields)
{
	struct event event = {.cpu = -1};

	if (scan_word(fields, "prev_comm=") || sched_compact_switch(&event, fields))
		return "sched_switch";
	if (sched_compact_is_wake(fields))
		return "sched_waking";
	if (!scan_word(fields, "comm="))
		return "";
	if (read_fork(&event, fields))
		return "sched_process_fork";
	if (read_ran(&event, fields))
		return "sched_stat_runtime";
	return strstr(fields, " target_cpu=") ? "sched_waking" : "";
}

static const struct sched_event *find_event(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strncmp(name, events[i].name, length) == 0 && !events[i].name[length])
			return &events[i];
	return NULL;
}

bool sched_fields_know(const char *name, size_t length)
{
	return find_event(name, length);
}

int sched_fields_parse(struct event *event, const char *name, size_t length, const char *fields)
{
	const struct sched_event *known;
	struct event found = *event;

	if (!name) {
		name = guess_name(fields);
		length = strlen(name);
	}
	known = find_event(name, length);
	if (!known)
		return call_text_parse(event, name, length, fields);
	found.kind = known->kind;
	if (!known->read(&found, fields))
		return -1;
	if (found.tid != event->tid)
		found.pid = -1; /* the one of the header is another's */
	if (found.tid != event->tid && found.kind == EVENT_RAN)
		found.cpu = -1; /* and where that one runs this one does not */
	*event = found;
	return 1;
}
