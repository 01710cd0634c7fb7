/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/script_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* Goes back over blanks, no further than `begin`. */
static const char *back_blanks(const char *at, const char *begin)
{
	while (at > begin && is_blank(at[-1]))
		at--;
	return at;
}

static const char *back_digits(const char *at, const char *begin)
{
	while (at > begin && isdigit((unsigned char)at[-1]))
		at--;
	return at;
}

/* A number that an int32_t holds; NULL when there is none. -1 is perf's "not known". */
static const char *take_number(const char *at, int32_t *value)
{
	int64_t sum = 0;

	if (at[0] == '-' && at[1] == '1' && !isdigit((unsigned char)at[2])) {
		*value = -1;
		return at + 2;
	}
	if (!isdigit((unsigned char)*at))
		return NULL;
	for (; isdigit((unsigned char)*at); at++) {
		sum = sum * 10 + (*at - '0');
		if (sum > INT32_MAX)
			return NULL;
	}
	*value = (int32_t)sum;
	return at;
}

static const char *take_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return strncmp(at, word, length) == 0 ? at + length : NULL;
}

/* --- COMM [PID/]TID [CPU] TIME: ------------------------------------------------------------ */

/* Seconds, a dot and up to 9 digits, up to `colon`. */
static bool read_time(uint64_t *time_ns, const char *begin, const char *dot, const char *colon)
{
	uint64_t seconds = 0, fraction = 0;
	int digits = 0;

	if (begin == dot || dot - begin > 10 || colon - dot < 2 || colon - dot > 10)
		return false;
	for (const char *at = begin; at < dot; at++)
		seconds = seconds * 10 + (uint64_t)(*at - '0');
	for (const char *at = dot + 1; at < colon; at++, digits++)
		fraction = fraction * 10 + (uint64_t)(*at - '0');
	for (; digits < 9; digits++)
		fraction *= 10;
	*time_ns = seconds * 1000000000 + fraction;
	return true;
}

/* ":TID" stands for a name that perf does not know. */
static bool is_unresolved(const char *begin, const char *end, int32_t tid)
{
	int32_t number;

	return *begin == ':' && take_number(begin + 1, &number) == end && number == tid;
}

/* What stands before the time: "[CPU]", "PID/TID" or "TID", and the name. */
static bool read_thread(struct event *event, const char *line, const char *at)
{
	const char *begin;

	at = back_blanks(at, line);
	if (at > line && at[-1] == ']') {
		begin = back_digits(at - 1, line);
		if (begin == line || begin[-1] != '[' || !take_number(begin, &event->cpu))
			return false;
		at = back_blanks(begin - 1, line);
	}
	begin = back_digits(at, line);
	if (begin > line && begin[-1] == '-')
		begin--;
	if (begin == at || !take_number(begin, &event->tid))
		return false;
	if (begin > line && begin[-1] == '/') {
		at = begin - 1;
		begin = back_digits(at, line);
		if (begin > line && begin[-1] == '-')
			begin--;
		if (begin == at || !take_number(begin, &event->pid))
			return false;
	}
	if (begin > line && !is_blank(begin[-1]))
		return false;
	at = back_blanks(begin, line);
	line = skip_blanks(line);
	if (at > line && !is_unresolved(line, at, event->tid))
		event_set_comm(event->comm, line, (size_t)(at - line));
	return true;
}

/* What follows the time: a period perhaps, and the event. Returns its fields, or NULL. */
static const char *read_name(const char *at, const char **name, size_t *length)
{
	const char *end;
	int32_t period;

	at = skip_blanks(at);
	end = take_number(at, &period);
	if (end && is_blank(*end))
		at = skip_blanks(end);
	end = at;
	while (*end && !is_blank(*end))
		end++;
	if (take_word(at, "PERF_RECORD_SWITCH")) { /* has no colon */
		*length = (size_t)(end - at);
		*name = at;
		return skip_blanks(end);
	}
	if (end - at < 2 || end[-1] != ':')
		return NULL;
	*length = (size_t)(end - at) - 1;
	*name = at;
	for (size_t i = *length; i; i--) {
		if (at[i - 1] == ':') { /* SYSTEM:NAME */
			*name = at + i;
			*length -= i;
			break;
		}
	}
	return skip_blanks(end);
}

/*
 * Finds the time, and with it the rest. Returns the fields of the event, or NULL. What lies in the
 * first 15 bytes may be a name that looks like a whole head ("a 1 2.5: b:"): the next one counts.
 */
static const char *read_head(struct event *event, const char *line, const char **name,
			     size_t *length)
{
	const char *comm_end = skip_blanks(line) + COMM_SIZE - 1, *result = NULL;
	const struct event empty = *event;

	for (const char *dot = strchr(line, '.'); dot; dot = strchr(dot + 1, '.')) {
		const char *begin = back_digits(dot, line);
		const char *colon = dot + 1 + strspn(dot + 1, "0123456789");
		struct event found = empty;
		const char *fields, *found_name;
		size_t found_length;

		if (*colon != ':' || (begin > line && !is_blank(begin[-1])) ||
		    !read_time(&found.time_ns, begin, dot, colon))
			continue;
		fields = read_name(colon + 1, &found_name, &found_length);
		if (!fields || !read_thread(&found, line, begin))
			continue;
		*event = found;
		*name = found_name;
		*length = found_length;
		result = fields;
		if (found_name + found_length >= comm_end)
			break;
	}
	return result;
}

/* --- FIELDS -------------------------------------------------------------------------------- */

/* The last place where ` KEY=NUMBER` stands. Returns what follows the number, or NULL. */
static const char *find_last(const char *fields, const char *key, const char **place,
			     int32_t *value)
{
	const char *found = NULL;

	for (const char *at = fields; (at = strstr(at, key)); at++)
		if (take_number(at + strlen(key), value))
			found = at;
	if (!found)
		return NULL;
	*place = found;
	return take_number(found + strlen(key), value);
}

/* `prev_comm=C prev_pid=N prev_prio=N prev_state=S ==> next_comm=C next_pid=N next_prio=N` */
static bool read_switch(struct event *event, const char *fields)
{
	const char *comm = take_word(fields, "prev_comm=");
	const char *next = NULL, *place, *at;
	int32_t prio;

	if (!comm)
		return false;
	for (at = comm; !next && (at = strstr(at, " prev_pid=")); at++) {
		const char *rest = take_number(at + strlen(" prev_pid="), &event->tid);
		const char *letters;

		rest = rest ? take_word(rest, " prev_prio=") : NULL;
		rest = rest ? take_number(rest, &prio) : NULL;
		letters = rest ? take_word(rest, " prev_state=") : NULL;
		if (!letters)
			continue;
		rest = letters + strcspn(letters, " ");
		next = take_word(rest, " ==> next_comm=");
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
	const char *comm = take_word(fields, "comm=");
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
	const char *comm = take_word(fields, "comm=");
	const char *child = NULL, *place, *at;

	if (!comm)
		return false;
	for (at = comm; !child && (at = strstr(at, " pid=")); at++) {
		const char *rest = take_number(at + strlen(" pid="), &event->tid);

		child = rest ? take_word(rest, " child_comm=") : NULL;
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
	const char *comm = take_word(fields, "comm=");
	const char *place;

	if (!comm || !find_last(comm, " pid=", &place, &event->tid))
		return false;
	event_set_comm(event->comm, comm, (size_t)(place - comm));
	return true;
}

/* `IN`, `OUT` or `OUT preempt`, and who was or comes there instead */
static bool read_switch_record(struct event *event, const char *fields)
{
	const char *rest = take_word(fields, "OUT");

	if (!rest && !take_word(fields, "IN"))
		return false;
	if (rest) {
		bool preempted = take_word(skip_blanks(rest), "preempt") != NULL;

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
	{"PERF_RECORD_SWITCH", EVENT_SWITCH_IN, read_switch_record},
	{"PERF_RECORD_SWITCH_CPU_WIDE", EVENT_SWITCH_IN, read_switch_record},
};

/* Comments, call chains (indented addresses) and empty lines are no events. */
static bool is_plain(const char *line)
{
	const char *at = skip_blanks(line);

	if (!*at || *at == '#' || strstr(at, "PERF_RECORD_"))
		return true;
	return at > line && at[strspn(at, "0123456789abcdef")] == ' ';
}

enum script_line script_line_parse(struct event *event, const char *line, size_t length)
{
	struct event found = {.cpu = -1, .pid = -1, .tid = -1, .other_pid = -1, .other = -1};
	const char *name, *fields;
	int32_t current;
	size_t name_length;

	if (strlen(line) != length)
		return SCRIPT_LINE_MALFORMED; /* a NUL within */
	fields = read_head(&found, line, &name, &name_length);
	if (!fields)
		return is_plain(line) ? SCRIPT_LINE_OTHER : SCRIPT_LINE_MALFORMED;
	current = found.tid;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strncmp(name, events[i].name, name_length) != 0 || events[i].name[name_length])
			continue;
		found.kind = events[i].kind;
		if (!events[i].read(&found, fields))
			return SCRIPT_LINE_MALFORMED;
		if (found.tid != current)
			found.pid = -1; /* the one of the header is another's */
		*event = found;
		return SCRIPT_LINE_EVENT;
	}
	return SCRIPT_LINE_OTHER;
}
