/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/script_line.h"

#include "decode/scan.h"
#include "decode/sched_fields.h"

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

	return *begin == ':' && scan_number(begin + 1, &number) == end && number == tid;
}

/* What stands before the time: "[CPU]", "PID/TID" or "TID", and the name. */
static bool read_thread(struct event *event, const char *line, const char *at)
{
	const char *begin;

	at = scan_back_blanks(at, line);
	if (at > line && at[-1] == ']') {
		begin = scan_back_digits(at - 1, line);
		if (begin == line || begin[-1] != '[' || !scan_number(begin, &event->cpu))
			return false;
		at = scan_back_blanks(begin - 1, line);
	}
	begin = scan_back_digits(at, line);
	if (begin > line && begin[-1] == '-')
		begin--;
	if (begin == at || !scan_number(begin, &event->tid))
		return false;
	if (begin > line && begin[-1] == '/') {
		at = begin - 1;
		begin = scan_back_digits(at, line);
		if (begin > line && begin[-1] == '-')
			begin--;
		if (begin == at || !scan_number(begin, &event->pid))
			return false;
	}
	if (begin > line && !scan_is_blank(begin[-1]))
		return false;
	at = scan_back_blanks(begin, line);
	line = scan_blanks(line);
	if (at > line && !is_unresolved(line, at, event->tid))
		event_set_comm(event->comm, line, (size_t)(at - line));
	return true;
}

/* What follows the time: a period perhaps, and the event. Returns its fields, or NULL. */
static const char *read_name(const char *at, const char **name, size_t *length)
{
	const char *end;
	int32_t period;

	at = scan_blanks(at);
	end = scan_number(at, &period);
	if (end && scan_is_blank(*end))
		at = scan_blanks(end);
	end = at;
	while (*end && !scan_is_blank(*end))
		end++;
	if (scan_word(at, "PERF_RECORD_SWITCH")) { /* has no colon */
		*length = (size_t)(end - at);
		*name = at;
		return scan_blanks(end);
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
	return scan_blanks(end);
}

/*
 * Finds the time, and with it the rest. Returns the fields of the event, or NULL. What lies in the
 * first 15 bytes may be a name that looks like a whole head ("a 1 2.5: b:"): the next one counts.
 */
static const char *read_head(struct event *event, const char *line, const char **name,
			     size_t *length)
{
	const char *comm_end = scan_blanks(line) + COMM_SIZE - 1, *result = NULL;
	const struct event empty = *event;

	for (const char *dot = strchr(line, '.'); dot; dot = strchr(dot + 1, '.')) {
		const char *begin = scan_back_digits(dot, line);
		const char *colon = dot + 1 + strspn(dot + 1, "0123456789");
		struct event found = empty;
		const char *fields, *found_name;
		size_t found_length;

		if (*colon != ':' || (begin > line && !scan_is_blank(begin[-1])) ||
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

/* Comments, call chains (indented addresses) and empty lines are no events. */
static bool is_plain(const char *line)
{
	const char *at = scan_blanks(line);

	if (!*at || *at == '#' || strstr(at, "PERF_RECORD_"))
		return true;
	return at > line && at[strspn(at, "0123456789abcdef")] == ' ';
}

static enum line_kind parse(struct line_reading *reading, struct event *event, const char *line,
			    size_t length)
{
	struct event found = {.cpu = -1, .pid = -1, .tid = -1, .other_pid = -1, .other = -1};
	const char *name, *fields;
	size_t name_length;

	(void)reading;
	if (strlen(line) != length)
		return LINE_MALFORMED; /* a NUL within */
	fields = read_head(&found, line, &name, &name_length);
	if (!fields)
		return is_plain(line) ? LINE_OTHER : LINE_MALFORMED;
	switch (sched_fields_parse(&found, name, name_length, fields)) {
	case 0:
		return LINE_OTHER;
	case 1:
		*event = found;
		return LINE_EVENT;
	default:
		return LINE_MALFORMED;
	}
}

/* There is nothing else that it could be. */
static bool is(const char *bytes, size_t length)
{
	(void)bytes, (void)length;
	return true;
}

static const char *complaint(const struct line_reading *reading)
{
	(void)reading;
	return "holds no scheduling events that can be read; print them with "
	       "'perf script --ns -F comm,pid,tid,cpu,time,event,trace'";
}

const struct line_layout script_line_layout = {.is = is, .parse = parse, .complaint = complaint};
