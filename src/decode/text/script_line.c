/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads lines of perf script, with any -F that keeps time and trace. */
#include "decode/event/event.h"
#include "decode/text/call_text.h"
#include "decode/text/line_layout.h"
#include "decode/text/scan.h"
#include "decode/text/sched_fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* --- Heads --------------------------------------------------------------------------------- */

/*
 * The beginning of a line of perf script. -F drops any column but never changes their order:
 *
 *	COMM PID/TID [CPU] MISC TIME: PERIOD EVENT: FIELDS
 *	COMM PID/TID [CPU] MISC TIME: PERF_RECORD_...
 *
 * The name of a thread may look like all this, but has at most 15 characters. So a head may seem to
 * end at several places, and only the text behind them shows which is the right one.
 */

/* Says if a text has the column of thread numbers. A name may look like one. */
enum tid_column { TID_COLUMN_UNKNOWN, TID_COLUMN_THERE, TID_COLUMN_MISSING };

struct script_head {
	uint64_t time_ns;
	int32_t cpu, pid, tid; /* -1: not known, or not printed */
	const char *comm;
	size_t comm_length;
	bool has_tid;
	const char *name; /* the name of the event, without its system; NULL: not printed */
	size_t name_length;
	bool is_record;	    /* `fields` are PERF_RECORD_... */
	const char *fields; /* the rest, up to the NUL of the line */
	bool certain; /* the head does not end within the name of a thread: others need no try */
};

/* Skips the letters of -F misc, if any, backwards. Returns the rest. */
static const char *head_skip_misc(const char *end, const char *line)
{
	const char *at = end;

	while (at > line && strchr("KUHGgMESp", at[-1]))
		at--;
	if (at == end || at == line || !scan_is_blank(at[-1]))
		return end;
	at = scan_back_blanks(at, line);
	return at > line && (at[-1] == ']' || isdigit((unsigned char)at[-1])) ? at : end;
}

/* Reads "[CPU]", or perf's "[-01]" for an unknown one. NULL: something else in brackets. */
static const char *head_cpu(struct script_head *head, const char *end, const char *line)
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

/* Reads a number or -1 that ends at `end`. Returns its beginning, or NULL. */
static const char *head_id(int32_t *id, const char *end, const char *line)
{
	const char *begin = scan_back_digits(end, line);

	if (begin > line && begin[-1] == '-')
		begin--;
	return begin < end && scan_number(begin, id) == end ? begin : NULL;
}

/* Reads "PID/TID" or "TID" that ends at `end`. Returns its beginning, or NULL. */
static const char *head_ids(struct script_head *head, const char *end, const char *line)
{
	const char *begin = head_id(&head->tid, end, line);

	if (begin && begin > line && begin[-1] == '/')
		begin = head_id(&head->pid, begin - 1, line);
	return begin && (begin == line || scan_is_blank(begin[-1])) ? begin : NULL;
}

/* Returns true for ":TID", which stands for a name that perf does not know. */
static bool head_is_unresolved(const struct script_head *head)
{
	const char *end = head->comm + head->comm_length;
	int32_t number = -1;

	return *head->comm == ':' && scan_number(head->comm + 1, &number) == end &&
	       number == head->tid;
}

static bool head_comm(struct script_head *head, const char *line, const char *end)
{
	end = scan_back_blanks(end, line);
	head->comm = scan_blanks(line);
	head->comm_length = end > head->comm ? (size_t)(end - head->comm) : 0;
	if (head->comm_length >= COMM_SIZE)
		return false;
	if (head_is_unresolved(head))
		head->comm_length = 0;
	return true;
}

/* Reads the columns before the time, which begins at `at`. */
static bool head_thread(struct script_head *head, const char *line, const char *at,
			enum tid_column tids)
{
	const char *begin;

	head->cpu = head->pid = head->tid = -1;
	at = head_skip_misc(scan_back_blanks(at, line), line);
	if (at > line && at[-1] == ']') {
		begin = head_cpu(head, at, line);
		if (begin)
			at = scan_back_blanks(begin, line);
		else if (tids == TID_COLUMN_THERE)
			return false;
	}
	begin = tids == TID_COLUMN_MISSING ? NULL : head_ids(head, at, line);
	head->has_tid = begin;
	if (!begin) {
		if (tids == TID_COLUMN_THERE)
			return false;
		head->pid = head->tid = -1;
		begin = at;
	}
	return head_comm(head, line, begin);
}

static const char *end_of_word(const char *at)
{
	while (*at && !scan_is_blank(*at))
		at++;
	return at;
}

/* Reads SYSTEM:NAME, or NAME alone; either may have modifiers behind it, as in cycles:u. */
static void head_name(struct script_head *head, const char *begin, const char *end)
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

/* Reads the columns behind the time: a period perhaps, then the event. */
static void head_event(struct script_head *head, const char *at)
{
	const char *end;

	at = scan_blanks(at);
	end = at + strspn(at, "0123456789");
	if (end > at && scan_is_blank(*end))
		at = scan_blanks(end);
	head->name = NULL;
	head->name_length = 0;
	head->fields = at;
	head->is_record = scan_word(at, "PERF_RECORD_");
	if (head->is_record)
		return;
	end = end_of_word(at);
	/* A word with a digit first is the time if the name of the thread ends in a number. */
	if (end - at < 2 || end[-1] != ':' || isdigit((unsigned char)*at))
		return;
	head_name(head, at, end);
	head->fields = scan_blanks(end);
}

/* Finds the next possible head of `line` from *from on. Returns false if there is none. */
static bool script_head_find(struct script_head *head, const char *line, const char **from,
			     enum tid_column tids)
{
	const char *comm_end = scan_blanks(line) + COMM_SIZE - 1;

	for (const char *dot = strchr(*from, '.'); dot; dot = strchr(dot + 1, '.')) {
		const char *begin = scan_back_digits(dot, line);
		const char *colon = dot + 1 + strspn(dot + 1, "0123456789");
		size_t digits;

		if (*colon != ':' || (begin > line && !scan_is_blank(begin[-1])) ||
		    scan_decimal(begin, &head->time_ns, &digits) != colon ||
		    !head_thread(head, line, begin, tids))
			continue;
		head_event(head, colon + 1);
		head->certain = colon >= comm_end ||
				(head->name && head->name + head->name_length >= comm_end) ||
				(head->is_record && head->fields >= comm_end);
		*from = colon;
		return true;
	}
	return false;
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * The records that perf script prints with --show-switch-events, --show-task-events,
 * --show-lost-events and the like (perf_event__fprintf in tools/perf/util/event.c).
 */

/* Facts that the text has elsewhere: records of them are ignored. */
struct script_told {
	bool births; /* births, in sched_process_fork */
	bool ends;   /* ends, in sched_switch */
};

/* A record while it is read. */
struct script_record {
	struct event *event; /* has the head of the line */
	uint64_t lost;	     /* the number of lost records, if the record has it */
	const struct script_told *told;
	bool foreign; /* the head has numbers of a namespace, and does not show the thread */
};

/* Reads ` IN`, ` OUT` or ` OUT preempt`; CPU_WIDE has both threads: `prev pid/tid: 1/2`. */
static enum line_kind record_switch(struct script_record *record, const char *at)
{
	struct event *event = record->event;
	const char *out = scan_word(at, " OUT"), *in = scan_word(at, " IN"), *before;

	if (!out && !in)
		return LINE_MALFORMED;
	event->kind = out ? EVENT_SWITCH_OUT : EVENT_SWITCH_IN;
	if (out)
		event->state =
			scan_word(scan_blanks(out), "preempt") ? STATE_RUNNABLE : STATE_INACTIVE;
	before = out || record->foreign ? NULL : scan_word(scan_blanks(in), "prev pid/tid:");
	if (before && (before = scan_number(scan_blanks(before), &event->other_pid)) &&
	    *before == '/')
		scan_number(before + 1, &event->other);
	if (event->tid < 0 && event->other <= 0)
		return LINE_OTHER; /* the thread has ended and lost its number */
	return LINE_EVENT;
}

/* Reads `: NAME:PID/TID`, or ` exec: NAME:PID/TID`. A name may have colons: the last one counts. */
static enum line_kind record_comm(struct script_record *record, const char *at)
{
	struct event *event = record->event;
	const char *exec = scan_word(at, " exec");
	const char *name = scan_word(exec ? exec : at, ": ");
	const char *colon = name ? strrchr(name, ':') : NULL;
	const char *slash = colon ? scan_number(colon + 1, &event->pid) : NULL;

	if (!slash || *slash != '/' || !scan_number(slash + 1, &event->tid))
		return LINE_MALFORMED;
	event->kind = exec && event->time_ns ? EVENT_EXEC : EVENT_TASK;
	event_set_comm(event->comm, name, (size_t)(colon - name));
	return LINE_EVENT;
}

/* Reads `(PID:TID):(PPID:PTID)`. */
static bool record_family(struct event *event, const char *at)
{
	struct {
		const char *before;
		int32_t *number;
	} parts[] = {{"(", &event->pid},
		     {":", &event->tid},
		     {"):(", &event->other_pid},
		     {":", &event->other}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		at = scan_word(at, parts[i].before);
		at = at ? scan_number(at, parts[i].number) : NULL;
		if (!at)
			return false;
	}
	/* The name in the head is that of the parent, or of no thread. */
	event_set_comm(event->comm, "", 0);
	return *at == ')';
}

/* Time 0: perf found the thread. For the rest see decode/kernel/perfdata_events.c. */
static enum line_kind record_fork(struct script_record *record, const char *at)
{
	struct event *event = record->event;
	event->kind = EVENT_TASK;
	if (!record_family(event, at))
		return LINE_MALFORMED;
	if (event->time_ns && !record->told->births)
		*event = event_birth(event);
	return LINE_EVENT;
}

static enum line_kind record_exit(struct script_record *record, const char *at)
{
	struct event *event = record->event;
	event->kind = record->told->ends ? EVENT_LAST : EVENT_END;
	if (!record_family(event, at))
		return LINE_MALFORMED;
	event->other_pid = event->other = -1;
	return event->time_ns ? LINE_EVENT : LINE_OTHER;
}

/* Undoes the birth or end of a record, which the text has elsewhere, too. */
static void script_record_untell(struct event *event)
{
	bool birth = event->kind == EVENT_FORK;

	if (birth) /* event_birth() is its own inverse */
		*event = event_birth(event);
	event->kind = birth ? EVENT_TASK : EVENT_LAST;
}

/* Reads ` lost N`. Some perf leave out the number of lost samples: then it counts as one. */
static enum line_kind record_lost(struct script_record *record, const char *at)
{
	struct event *event = record->event;
	at += strcspn(at, "0123456789");
	if (!scan_unsigned(at, &record->lost))
		record->lost = 1;
	event->kind = EVENT_GAP;
	return LINE_EVENT;
}

/* The records of use; others are ignored. */
static const struct {
	const char *name;
	enum line_kind (*read)(struct script_record *record, const char *at);
} records[] = {
	{"SWITCH", record_switch},     {"SWITCH_CPU_WIDE", record_switch},
	{"COMM", record_comm},	       {"FORK", record_fork},
	{"EXIT", record_exit},	       {"LOST", record_lost},
	{"LOST_SAMPLES", record_lost},
};

/* Parses `text`, which begins with PERF_RECORD_ and ends in a NUL. */
static enum line_kind script_record_parse(struct script_record *record, const char *text)
{
	const char *name = scan_word(text, "PERF_RECORD_");
	size_t length = name ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") : 0;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (strlen(records[i].name) == length && memcmp(name, records[i].name, length) == 0)
			return records[i].read(record, name + length);
	return scan_word(name, "SWITCH_") ? LINE_MALFORMED : LINE_OTHER;
}

/* --- Times --------------------------------------------------------------------------------- */

/*
 * The origin of the times of a text: the boot of the machine, the epoch, the first event
 * (--reltime), or each from the event before (--deltatime). All but the last are treated alike.
 */

/* The reading of times; a new one is all zero. */
struct script_times {
	bool are_deltas;
	uint64_t sum_ns;  /* the sum of the deltas */
	uint64_t last_ns; /* as printed */
	uint64_t count, backward;
	bool from_zero; /* the first time is 0 */
};

/* Returns the time of an event from the printed time. Every printed time must pass here. */
static uint64_t script_times_read(struct script_times *times, uint64_t printed_ns)
{
	if (!times->count++)
		times->from_zero = printed_ns == 0;
	times->backward += printed_ns < times->last_ns;
	times->last_ns = printed_ns;
	if (!times->are_deltas)
		return printed_ns;
	times->sum_ns += printed_ns;
	return times->sum_ns;
}

/*
 * Returns true for times that begin with 0 and then often go back: perf prints events in the order
 * of their times, so these are differences.
 */
static bool script_times_look_like_deltas(const struct script_times *times)
{
	return times->from_zero && times->backward && times->backward >= times->count / 8;
}

/* --- The event of a line ------------------------------------------------------------------- */

/* The facts about the text that earlier lines have shown. */
struct script_state {
	enum tid_column tids;
	struct script_times times;
	struct script_told told;
	struct script_told looked; /* facts searched for ahead, and not found so far */
	bool traced, will_be;	   /* a tracepoint was read; one is further down */
	uint64_t look_in;	   /* the number of lines before the next search for it */
	uint64_t own, foreign; /* switches with the thread of their head, and with another one */
	uint64_t timeless;     /* scheduling events without times */
	bool no_times;	       /* almost all are: a time elsewhere is part of a name */
	bool named;	       /* scheduling events have names */
	/* Further faults of lines without events. */
	bool traceless, tidless, of_perf_trace;
};

/*
 * Returns true if heads have the numbers of the container in which perf ran, or those of processes
 * (-F pid), and so do not show the thread. One odd line is no proof.
 */
static bool heads_are_foreign(const struct script_state *state)
{
	return state->foreign > 2 && state->foreign > state->own / 64;
}

/*
 * Returns true for a line that contradicts itself: its head has another thread than the one that
 * raises such an event. A single number may be that of the process, but 0 is the idle thread.
 */
static bool head_contradicts(const struct script_state *state, const struct script_head *head,
			     const struct event *event)
{
	bool known = head->tid >= 0 && (head->pid >= 0 || !head->tid || !event->tid);

	return known && !head->is_record && state->own > 2 && !heads_are_foreign(state) &&
	       sched_fields_contradict(event, head->tid);
}

/* Returns true for the rest of a scheduling event whose name is damaged, in a text with names. */
static bool is_event_without_name(const struct script_state *state, const struct script_head *head)
{
	static const char *const marks[] = {
		" sched:sched_", "prev_pid=", "next_pid=", "child_pid=", " target_cpu=", " ==> "};
	const char *end = head->name ? head->name + head->name_length : NULL;

	if (head->is_record || !state->named)
		return false;
	if (scan_word(head->fields, "sched:sched_") && strchr(head->fields, ' '))
		return true;
	if (end && head->name[-1] == ':')
		return strspn(head->name, SCAN_NAME) < head->name_length;
	if (end)
		return *end == ':' && sched_fields_know(end + 1, strcspn(end + 1, ": "));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(head->fields, marks[i]))
			return true;
	return scan_begins_anew(head->fields);
}

static struct event script_event(const struct script_state *state, const struct script_head *head)
{
	struct event event = {.time_ns = head->time_ns,
			      .cpu = head->cpu,
			      .pid = head->pid,
			      .tid = head->tid,
			      .other_pid = -1,
			      .other = -1};

	if (heads_are_foreign(state))
		event.pid = event.tid = -1;
	else
		event_set_comm(event.comm, head->comm, head->comm_length);
	return event;
}

/* Reads the fields of any tracepoint. Returns 1, 0 or -1 as sched_fields_parse() does. */
static int read_tracepoint(struct event *event, struct blocks *blocks,
			   const struct script_head *head)
{
	int rc = sched_fields_parse(event, head->name, head->name_length, head->fields);

	if (rc || !head->name)
		return rc;
	return block_text_parse(event, blocks, head->name, head->name_length, head->fields);
}

static enum line_kind read_fields(const struct line_reading *reading, struct event *event,
				  uint64_t *lost, const struct script_head *head)
{
	const struct script_state *state = reading->state;

	struct script_record record = {
		.event = event, .told = &state->told, .foreign = heads_are_foreign(state)};
	enum line_kind kind;

	*event = script_event(state, head);
	*lost = 0;
	if (head->is_record) {
		kind = script_record_parse(&record, head->fields);
		*lost = record.lost;
		return kind;
	}
	switch (read_tracepoint(event, reading->blocks, head)) {
	case 0:
		return LINE_OTHER;
	case 1:
		return LINE_EVENT;
	default:
		return LINE_MALFORMED;
	}
}

/* Finds the head by the text behind it. Returns false if there is none. */
static bool read_line(const struct line_reading *reading, struct script_head *head,
		      struct event *event, uint64_t *lost, enum line_kind *kind, const char *line)
{
	const struct script_state *state = reading->state;
	struct script_head next;
	const char *from = line;
	bool found = false;

	while (script_head_find(&next, line, &from, state->tids)) {
		*head = next;
		*kind = read_fields(reading, event, lost, head);
		found = true;
		if (*kind == LINE_EVENT || head->certain)
			break;
	}
	return found;
}

/*
 * Weighs a record of a birth or an end. The first is written a moment before sched_process_fork,
 * the second before the last sched_switch. If the text has these, which is not known at first, the
 * record only names its thread. So does one from before the first tracepoint: its thread is older
 * than that.
 */
static void weigh_record(struct line_reading *reading, struct script_state *state,
			 struct event *event)
{
	bool *looked = event->kind == EVENT_FORK ? &state->looked.births : &state->looked.ends;

	if (event->kind != EVENT_FORK && event->kind != EVENT_END)
		return;
	if (state->will_be && !state->traced) {
		script_record_untell(event);
		return;
	}
	if (*looked || state->look_in)
		return;
	*looked = state->traced;
	reading->looks_ahead = true;
}

/* --- Facts about the whole text ------------------------------------------------------------ */

static void script_note_event(struct script_state *state, const struct script_head *head,
			      const struct event *event)
{
	if (state->tids == TID_COLUMN_UNKNOWN)
		state->tids = head->has_tid ? TID_COLUMN_THERE : TID_COLUMN_MISSING;
	if (head->is_record)
		return;
	state->traced = true;
	state->named |= head->name != NULL;
	/* sched_wakeup_new does not count: it comes later than either. */
	state->told.births |= event->kind == EVENT_FORK && strstr(head->fields, "child_pid=");
	if (event->kind != EVENT_SWITCH)
		return;
	state->told.ends = true;
	if (head->tid > 0 && event->tid > 0) {
		state->own += head->tid == event->tid;
		state->foreign += head->tid != event->tid;
	}
}

static void script_note_no_event(struct script_state *state, const struct script_head *head,
				 enum line_kind kind)
{
	if (kind == LINE_MALFORMED && !*head->fields)
		state->traceless = true;
	else if (head->is_record && scan_word(head->fields, "PERF_RECORD_SWITCH") && head->tid < 0)
		state->tidless = true;
}

/* Returns true for call chains (indented addresses), records without a head, and empty lines. */
static bool is_plain(const char *line)
{
	const char *at = scan_blanks(line);

	if (!*at || strstr(at, "PERF_RECORD_"))
		return true;
	/* The second line of a PERF_RECORD_NAMESPACES, and those behind it. */
	if (scan_word(line, "\t\t[") || scan_word(line, "\t\t "))
		return true;
	return at > line && scan_is_blank(at[strspn(at, "0123456789abcdef")]);
}

static enum line_kind read_headless(struct script_state *state, const char *line)
{
	if (*scan_blanks(line) == '#')
		return scan_begins_anew(line) ? LINE_MALFORMED : LINE_OTHER;
	/* First, as the name before it may look like the address of a call chain. */
	if (strstr(line, "sched:sched_") || strstr(line, "sched_switch:") ||
	    strstr(line, "prev_comm=") || strstr(line, " PERF_RECORD_SWITCH ") ||
	    strstr(line, " PERF_RECORD_SWITCH_")) {
		state->timeless++;
		return LINE_MALFORMED;
	}
	if (is_plain(line))
		return LINE_OTHER;
	if (strstr(line, "pid=") || strstr(line, " ==> "))
		return LINE_PIECE;
	state->of_perf_trace |= strstr(line, " ms): ") != NULL;
	return LINE_MALFORMED;
}

static enum line_kind script_line_parse(struct line_reading *reading, struct event *event,
					const char *line, size_t length)
{
	struct script_state *state = reading->state;
	enum line_kind kind = LINE_OTHER;
	struct script_head head;
	struct event found;
	uint64_t lost = 0;

	reading->headed = reading->looks_ahead = false;
	state->look_in -= state->look_in > 0;
	if (strlen(line) != length)
		return LINE_MALFORMED; /* a NUL within the line */
	if (state->no_times || !read_line(reading, &head, &found, &lost, &kind, line))
		return read_headless(state, line);
	reading->headed = kind == LINE_EVENT || head.name || head.is_record;
	found.time_ns = script_times_read(&state->times, head.time_ns);
	if (kind != LINE_EVENT) {
		script_note_no_event(state, &head, kind);
		return kind == LINE_OTHER && (is_event_without_name(state, &head) ||
					      (strstr(head.fields, " sched:sched_") &&
					       scan_begins_anew(head.fields)))
			       ? LINE_MALFORMED
			       : kind;
	}
	if (head.is_record)
		weigh_record(reading, state, &found);
	script_note_event(state, &head, &found);
	if (head_contradicts(state, &head, &found))
		return LINE_MALFORMED;
	reading->quality->lost += lost;
	reading->quality->malformed += scan_begins_anew(head.fields);
	*event = found;
	return LINE_EVENT;
}

/* --- The text ------------------------------------------------------------------------------ */

/* The layout of all other texts. */
static bool script_line_is(const char *bytes, size_t length)
{
	(void)bytes, (void)length;
	return true;
}

struct probe {
	struct script_state state;
	uint64_t lines;
	bool switched; /* a switch of any kind was read */
	bool tids_missing, tids_there;
};

static bool is_switch(enum event_kind kind)
{
	return kind == EVENT_SWITCH || kind == EVENT_SWITCH_IN || kind == EVENT_SWITCH_OUT;
}

static void probe_lines(struct probe *probe, const char *bytes, size_t length)
{
	struct quality quality = {.lost = 0};
	struct line_reading probing = {.state = &probe->state, .quality = &quality};
	struct scan_lines lines = {.at = bytes, .left = length};

	while (scan_lines_next(&lines)) {
		struct event event;

		if (script_line_parse(&probing, &event, lines.line, lines.length) == LINE_EVENT)
			probe->switched |= is_switch(event.kind);
		probe->lines++;
		probe->tids_missing |= probe->state.tids == TID_COLUMN_MISSING;
		probe->tids_there |= probe->state.tids == TID_COLUMN_THERE;
		probe->state.tids = TID_COLUMN_UNKNOWN;
	}
}

/* Learns from the first lines what one line does not show. */
static void script_line_begin(struct line_reading *reading, const char *bytes, size_t length)
{
	struct script_state *state = reading->state;
	struct probe probe = {.state.tids = TID_COLUMN_UNKNOWN};

	probe_lines(&probe, bytes, length);
	/* A name may look as if a number followed it, but no number looks like a name. */
	if (probe.tids_missing || probe.tids_there)
		state->tids = probe.tids_missing ? TID_COLUMN_MISSING : TID_COLUMN_THERE;
	state->times.are_deltas = script_times_look_like_deltas(&probe.state.times);
	state->no_times = probe.state.timeless > probe.state.times.count;
	state->told = probe.state.told;
	state->will_be = probe.state.traced;
	state->named = probe.state.named;
	state->own = probe.state.own;
	state->foreign = probe.state.foreign;
}

/*
 * Looks ahead for a tracepoint: it may be far away, if other programs come and go while perf takes
 * inventory. The search ends at a switch: if switches are records, there are no other births.
 */
static bool script_line_look_ahead(struct line_reading *reading, struct event *event,
				   const char *bytes, size_t length)
{
	struct script_state *state = reading->state;
	struct probe probe = {.state.tids = TID_COLUMN_UNKNOWN};

	probe_lines(&probe, bytes, length);
	state->will_be = probe.state.traced;
	if (!state->will_be && !state->traced)
		state->look_in = probe.lines / 2; /* no line is read too often */
	state->told.births |= probe.state.told.births;
	state->told.ends |= probe.state.told.ends;
	if ((state->will_be && !state->traced) ||
	    (event->kind == EVENT_FORK ? state->told.births : state->told.ends))
		script_record_untell(event);
	return state->traced || state->will_be || probe.switched;
}

#define PRINT "perf script --ns -F comm,pid,tid,cpu,time,event,trace"

static const char *script_line_complaint(const struct line_reading *reading)
{
	const struct script_state *state = reading->state;

	if (state->timeless)
		return "holds scheduling events without their times; print them with '" PRINT "'";
	if (state->traceless)
		return "holds scheduling events without their fields (trace); print them with "
		       "'" PRINT "'";
	if (state->tidless)
		return "holds switches without their thread (tid); print them with '" PRINT
		       " --show-switch-events'";
	if (state->of_perf_trace)
		return "is output of perf trace, which has no scheduling events; record with "
		       "'pscal record' or 'perf sched record'";
	return "holds no scheduling events that can be read; record some with 'pscal record' or "
	       "'perf sched record', and print them with '" PRINT "'";
}

const struct line_layout script_line_layout = {
	.in_order = true,
	.joins = true,
	.has_wakes = true,
	.state_bytes = sizeof(struct script_state),
	.is = script_line_is,
	.begin = script_line_begin,
	.parse = script_line_parse,
	.look_ahead = script_line_look_ahead,
	.complaint = script_line_complaint,
};
