/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/sched_fields.h"

#include "decode/event/event.h"
#include "decode/text/call_text.h"
#include "decode/text/scan.h"

#include <stdlib.h>

/* The characters of a state: letters, signs between and behind them, or a number. */
#define STATE_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+|?"

/* Skips a priority: negative for deadlines, and below MAX_PRIO of the kernel. */
static const char *skip_prio(const char *at)
{
	int32_t prio;

	at = scan_number(*at == '-' ? at + 1 : at, &prio);
	return at && prio < 140 ? at : NULL;
}

/* --- The format of libtraceevent's plugin -------------------------------------------------- */

/*
 * The fields of sched_switch and of wakes as libtraceevent's plugin prints them in place of the
 * kernel's own format (libtraceevent, plugins/plugin_sched_switch.c):
 *
 *	COMM:PID [PRIO] STATE ==> COMM:PID [PRIO]
 *	COMM:PID [PRIO] [success=N] [CPU:NNN]
 */

/* Skips ` [PRIO]`. Returns the rest. */
static const char *compact_skip_prio(const char *at)
{
	at = scan_word(at, " [");
	at = at ? skip_prio(at) : NULL;
	return at ? scan_word(at, "]") : NULL;
}

/*
 * Reads `COMM:PID [PRIO]`. A name may hold the same, but not after its 15 characters: the last
 * match within them is the right one. Searches back from *from, and leaves that at the match.
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

/* Returns true behind the last field, or before another one. */
static bool is_end_of_number(const char *at)
{
	return at && (!*at || *at == ' ' || (*at == '\r' && !at[1]));
}

/*
 * Returns the state. The plugin has one list of letters for all kernels, "SDTtZXxW". From Linux
 * 4.14 on its W is the kernel's I, an idle kernel thread; before, W is never alone.
 */
static enum thread_state compact_state(const char *letters)
{
	return *letters == 'W' ? STATE_SLEEPING : thread_state_of_letters(letters);
}

/* Read `fields`, up to a NUL, into `event`. Return false if they are something else. */
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

/* Turns a wakeup that failed (success=0) into an EVENT_TASK. */
static bool sched_compact_wake(struct event *event, const char *fields)
{
	const char *from = compact_end(fields);
	const char *rest = compact_task(event->other_comm, &event->other, fields, &from);

	if (rest && scan_word(rest, " success=0"))
		event->kind = EVENT_TASK;
	return is_end_of_number(rest);
}

/* Returns true for fields that only a wakeup has, without the name of the event. */
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

/* --- The kernel's own format --------------------------------------------------------------- */

/*
 * Reads `COMM KEY=NUMBER`, where `key` begins with the blank. A name may hold the same, but not
 * after its 15 characters: the last match within them is the right one. Returns the rest.
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

/* Returns true behind a thread number: at the end, as of a cut line, or before a priority. */
static bool is_tail(const char *at, const char *key)
{
	const char *prio;

	if (!is_end_of_number(at))
		return false;
	prio = scan_word(at, key);
	return prio ? !*prio || is_end_of_number(skip_prio(prio)) : *at != ' ';
}

/* Reads a state, a number if the kernel's list of letters could not be used. */
static enum thread_state read_state(const char *text)
{
	if (isdigit((unsigned char)*text))
		return thread_state_of_bits(strtoull(text, NULL, 0));
	/* Linux 4.2 to 4.13 print D|N for the later I: an idle kernel thread. */
	if (scan_word(text, "D|N"))
		return STATE_SLEEPING;
	return thread_state_of_letters(text);
}

/*
 * Reads ` prev_prio=N prev_state=S ==> next_comm=`, which trace-cmd prints without the arrow if it
 * prints only fields. Returns the rest.
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

/* Reads `comm=C pid=N prio=N [success=N] target_cpu=N`. */
static bool read_wake(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "comm=");
	const char *rest;

	if (!begin)
		return sched_compact_wake(event, fields);
	rest = read_task(event->other_comm, &event->other, begin, " pid=");
	if (rest && strstr(rest, " success=0"))
		event->kind = EVENT_TASK; /* a wakeup that failed: it only shows a name */
	return is_tail(rest, " prio=");
}

/* Reads `comm=C pid=N child_comm=C child_pid=N`, or with the names of fields: `parent_comm=C`. */
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

/* Reads `comm=C pid=N prio=N ...`. */
static bool read_exit(struct event *event, const char *fields)
{
	const char *begin = scan_word(fields, "comm=");

	return begin && is_tail(read_task(event->comm, &event->tid, begin, " pid="), " prio=");
}

/* Reads `comm=C pid=N runtime=N [ns] ...`. */
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

/* The events of use. A new one is a line here. */
static const struct sched_event events[] = {
	{"sched_switch", EVENT_SWITCH, read_switch},
	{"sched_waking", EVENT_WAKE, read_wake},
	{"sched_wakeup", EVENT_WAKE, read_wake},
	{"sched_wakeup_new", EVENT_FORK, read_wake},
	{"sched_process_fork", EVENT_FORK, read_fork},
	{"sched_process_exit", EVENT_EXIT, read_exit},
	{"sched_stat_runtime", EVENT_RAN, read_ran},
};

/* Returns the name of an event by fields that no other event has, or "". */
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
		found.pid = -1; /* the process of the head belongs to another thread */
	if (found.tid != event->tid && found.kind == EVENT_RAN)
		found.cpu = -1; /* and that thread's CPU is not this one's */
	*event = found;
	return 1;
}
