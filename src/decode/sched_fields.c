/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/sched_fields.h"

#include "decode/scan.h"

#include <stdlib.h>

/* The last place where ` KEY=NUMBER` stands. Returns what follows the number, or NULL. */
static const char *find_last(const char *fields, const char *key, const char **place,
			     int32_t *value)
{
	const char *found = NULL;

	for (const char *at = fields; (at = strstr(at, key)); at++)
		if (scan_number(at + strlen(key), value))
			found = at;
	if (!found)
		return NULL;
	*place = found;
	return scan_number(found + strlen(key), value);
}

/* `prev_comm=C prev_pid=N prev_prio=N prev_state=S ==> next_comm=C next_pid=N next_prio=N` */
static bool read_switch(struct event *event, const char *fields)
{
	const char *comm = scan_word(fields, "prev_comm=");
	const char *next = NULL, *place, *at;
	int32_t prio;

	if (!comm)
		return false;
	for (at = comm; !next && (at = strstr(at, " prev_pid=")); at++) {
		const char *rest = scan_number(at + strlen(" prev_pid="), &event->tid);
		const char *letters;

		rest = rest ? scan_word(rest, " prev_prio=") : NULL;
		rest = rest ? scan_number(rest, &prio) : NULL;
		letters = rest ? scan_word(rest, " prev_state=") : NULL;
		if (!letters)
			continue;
		rest = letters + strcspn(letters, " ");
		next = scan_word(rest, " ==> next_comm=");
		event_set_comm(event->comm, comm, (size_t)(at - comm));
		event->state = thread_state_of_letters(letters);
	}
	if (!next || !find_last(next, " next_pid=", &place, &event->other))
		return false;
	event_set_comm(event->other_comm, next, (size_t)(place - next));
	return true;
}

/* `comm=C pid=N prio=N [success=N] target_cpu=N` */
static bool read_wake(struct event *event, const char *fields)
{
	const char *comm = scan_word(fields, "comm=");
	const char *place, *rest;

	rest = comm ? find_last(comm, " pid=", &place, &event->other) : NULL;
	if (!rest)
		return false;
	event_set_comm(event->other_comm, comm, (size_t)(place - comm));
	if (strstr(rest, " success=0"))
		event->kind = EVENT_TASK; /* a wakeup that did not happen: only a name */
	return true;
}

/* `comm=C pid=N child_comm=C child_pid=N` */
static bool read_fork(struct event *event, const char *fields)
{
	const char *comm = scan_word(fields, "comm=");
	const char *child = NULL, *place, *at;

	if (!comm)
		return false;
	for (at = comm; !child && (at = strstr(at, " pid=")); at++) {
		const char *rest = scan_number(at + strlen(" pid="), &event->tid);

		child = rest ? scan_word(rest, " child_comm=") : NULL;
		event_set_comm(event->comm, comm, (size_t)(at - comm));
	}
	if (!child || !find_last(child, " child_pid=", &place, &event->other))
		return false;
	event_set_comm(event->other_comm, child, (size_t)(place - child));
	return true;
}

/* `comm=C pid=N prio=N ...` */
static bool read_exit(struct event *event, const char *fields)
{
	const char *comm = scan_word(fields, "comm=");
	const char *place;

	if (!comm || !find_last(comm, " pid=", &place, &event->tid))
		return false;
	event_set_comm(event->comm, comm, (size_t)(place - comm));
	return true;
}

/* `comm=C pid=N runtime=N [ns] ...` */
static bool read_ran(struct event *event, const char *fields)
{
	const char *comm = scan_word(fields, "comm=");
	const char *place, *rest;

	rest = comm ? find_last(comm, " pid=", &place, &event->tid) : NULL;
	rest = rest ? scan_word(rest, " runtime=") : NULL;
	if (!rest || !isdigit((unsigned char)*rest))
		return false;
	event->ran_ns = strtoull(rest, NULL, 10);
	event_set_comm(event->comm, comm, (size_t)(place - comm));
	return true;
}

/* `IN`, `OUT` or `OUT preempt`, and who was or comes there instead */
static bool read_switch_record(struct event *event, const char *fields)
{
	const char *rest = scan_word(fields, "OUT");

	if (!rest && !scan_word(fields, "IN"))
		return false;
	if (rest) {
		bool preempted = scan_word(scan_blanks(rest), "preempt") != NULL;

		event->kind = EVENT_SWITCH_OUT;
		event->state = preempted ? STATE_RUNNABLE : STATE_INACTIVE;
	}
	if (event->tid < 0)
		event->kind = EVENT_TASK; /* it has ended and has no number any more */
	return true;
}

/* The events that tell something. A new one is a line here. */
static const struct {
	const char *name;
	enum event_kind kind;
	bool (*read)(struct event *event, const char *fields);
} events[] = {
	{"sched_switch", EVENT_SWITCH, read_switch},
	{"sched_waking", EVENT_WAKE, read_wake},
	{"sched_wakeup", EVENT_WAKE, read_wake},
	{"sched_wakeup_new", EVENT_FORK, read_wake},
	{"sched_process_fork", EVENT_FORK, read_fork},
	{"sched_process_exit", EVENT_EXIT, read_exit},
	{"sched_stat_runtime", EVENT_RAN, read_ran},
	{"PERF_RECORD_SWITCH", EVENT_SWITCH_IN, read_switch_record},
	{"PERF_RECORD_SWITCH_CPU_WIDE", EVENT_SWITCH_IN, read_switch_record},
};

int sched_fields_parse(struct event *event, const char *name, size_t length, const char *fields)
{
	struct event found = *event;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strncmp(name, events[i].name, length) != 0 || events[i].name[length])
			continue;
		found.kind = events[i].kind;
		if (!events[i].read(&found, fields))
			return -1;
		if (found.tid != event->tid)
			found.pid = -1; /* the one of the header is another's */
		*event = found;
		return 1;
	}
	return 0;
}
