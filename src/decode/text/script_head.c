/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_head.h"

#include "decode/event/scan.h"

#include <stdlib.h>

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

/* --- From the time to the left -------------------------------------------------------------- */

/* The letters of -F misc, if there are some: what is left of them. */
static const char *skip_misc(const char *end, const char *line)
{
	const char *at = end;

	while (at > line && strchr("KUHGgMESp", at[-1]))
		at--;
	if (at == end || at == line || !scan_is_blank(at[-1]))
		return end;
	at = scan_back_blanks(at, line);
	return at > line && (at[-1] == ']' || isdigit((unsigned char)at[-1])) ? at : end;
}

/* "[CPU]", where perf has "[-01]" if it is not known. NULL: something else in brackets. */
static const char *read_cpu(struct script_head *head, const char *end, const char *line)
{
	const char *begin = scan_back_digits(end - 1, line);
	bool minus = begin > line && begin[-1] == '-';

	if (minus)
		begin--;
	if (begin == line || begin[-1] != '[')
		return NULL;
	if (minus)
		return strtol(begin, NULL, 10) == -1 ? begin - 1 : NULL;
	return scan_number(begin, &head->cpu) ? begin - 1 : NULL;
}

/* A number or -1 that ends at `end`. Returns where it begins, or NULL. */
static const char *read_id(int32_t *id, const char *end, const char *line)
{
	const char *begin = scan_back_digits(end, line);

	if (begin > line && begin[-1] == '-')
		begin--;
	return begin < end && scan_number(begin, id) == end ? begin : NULL;
}

/* "PID/TID" or "TID" that ends at `end`. Returns where it begins, or NULL. */
static const char *read_ids(struct script_head *head, const char *end, const char *line)
{
	const char *begin = read_id(&head->tid, end, line);

	if (begin && begin > line && begin[-1] == '/')
		begin = read_id(&head->pid, begin - 1, line);
	return begin && (begin == line || scan_is_blank(begin[-1])) ? begin : NULL;
}

/* ":TID" stands for a name that perf does not know. */
static bool is_unresolved(const struct script_head *head)
{
	const char *end = head->comm + head->comm_length;
	int32_t number = -1;

	return *head->comm == ':' && scan_number(head->comm + 1, &number) == end &&
	       number == head->tid;
}

static bool read_comm(struct script_head *head, const char *line, const char *end)
{
	end = scan_back_blanks(end, line);
	head->comm = scan_blanks(line);
	head->comm_length = end > head->comm ? (size_t)(end - head->comm) : 0;
	if (head->comm_length >= COMM_SIZE)
		return false;
	if (is_unresolved(head))
		head->comm_length = 0;
	return true;
}

/* What stands before the time, which begins at `at`. */
static bool read_thread(struct script_head *head, const char *line, const char *at,
			enum tid_column tids)
{
	const char *begin;

	head->cpu = head->pid = head->tid = -1;
	at = skip_misc(scan_back_blanks(at, line), line);
	if (at > line && at[-1] == ']') {
		begin = read_cpu(head, at, line);
		if (begin)
			at = scan_back_blanks(begin, line);
		else if (tids == TID_COLUMN_THERE)
			return false;
	}
	begin = tids == TID_COLUMN_MISSING ? NULL : read_ids(head, at, line);
	head->has_tid = begin;
	if (!begin) {
		if (tids == TID_COLUMN_THERE)
			return false;
		head->pid = head->tid = -1;
		begin = at;
	}
	return read_comm(head, line, begin);
}

/* --- From the time to the right ------------------------------------------------------------- */

static const char *end_of_word(const char *at)
{
	while (*at && !scan_is_blank(*at))
		at++;
	return at;
}

/* The word is SYSTEM:NAME, or NAME alone; either may have modifiers behind it, as in cycles:u. */
static void read_name(struct script_head *head, const char *begin, const char *end)
{
	static const char *const systems[] = {"sched:", "syscalls:", "pscal:"};

	head->name = begin;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		const char *name = scan_word(begin, systems[i]);

		if (name && name < end)
			head->name = name;
	}
	head->name_length = strcspn(head->name, ":/");
}

/* What follows the time: a period perhaps, then the event. */
static void read_event(struct script_head *head, const char *at)
{
	const char *end;

	at = scan_blanks(at);
	end = at + strspn(at, "0123456789");
	if (end > at && scan_is_blank(*end))
		at = scan_blanks(end);
	head->name = NULL;
	head->fields = at;
	head->is_record = scan_word(at, "PERF_RECORD_");
	if (head->is_record)
		return;
	end = end_of_word(at);
	/* What begins with a digit is the time, if the name of the thread ends in one as well. */
	if (end - at < 2 || end[-1] != ':' || isdigit((unsigned char)*at))
		return;
	read_name(head, at, end);
	head->fields = scan_blanks(end);
}

bool script_head_find(struct script_head *head, const char *line, const char **from,
		      enum tid_column tids)
{
	const char *comm_end = scan_blanks(line) + COMM_SIZE - 1;

	for (const char *dot = strchr(*from, '.'); dot; dot = strchr(dot + 1, '.')) {
		const char *begin = scan_back_digits(dot, line);
		const char *colon = dot + 1 + strspn(dot + 1, "0123456789");

		if (*colon != ':' || (begin > line && !scan_is_blank(begin[-1])) ||
		    !read_time(&head->time_ns, begin, dot, colon) ||
		    !read_thread(head, line, begin, tids))
			continue;
		read_event(head, colon + 1);
		head->certain = colon >= comm_end ||
				(head->name && head->name + head->name_length >= comm_end) ||
				(head->is_record && head->fields >= comm_end);
		*from = colon;
		return true;
	}
	return false;
}
