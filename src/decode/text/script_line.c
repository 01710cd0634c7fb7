/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_line.h"

#include "decode/event/scan.h"
#include "decode/text/call_text.h"
#include "decode/text/sched_fields.h"
#include "decode/text/script_head.h"
#include "decode/text/script_record.h"
#include "decode/text/script_times.h"

/* What the lines so far say of the text. */
struct script_state {
	enum tid_column tids;
	struct script_times times;
	struct script_told told;
	struct script_told looked; /* for it ahead; it was not there so far */
	bool traced, will_be;	   /* there has been a tracepoint; there is one further down */
	uint64_t look_in;	   /* for that so many lines further down */
	uint64_t own, foreign; /* switches whose head has the number that they have, and another */
	uint64_t timeless;     /* scheduling events without a time */
	bool no_times;	       /* as almost all: a time elsewhere is part of a name */
	/* What else was amiss with lines that gave no event. */
	bool traceless, tidless, of_perf_trace, others;
};

/* --- What a line says ----------------------------------------------------------------------- */

/*
 * The head has the numbers of the container in which perf ran, or those of processes (-F pid): it
 * does not say who a thread is. One odd line is no proof.
 */
static bool heads_are_foreign(const struct script_state *state)
{
	return state->foreign > 2 && state->foreign > state->own / 64;
}

static struct event new_event(const struct script_state *state, const struct script_head *head)
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

/* What the event says, whatever it is of. Returns 1, 0 or -1 as those who know do. */
static int read_event(struct event *event, struct blocks *blocks, const struct script_head *head)
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

	*event = new_event(state, head);
	*lost = 0;
	if (head->is_record)
		return script_record_parse(event, lost, head->fields, &state->told);
	switch (read_event(event, reading->blocks, head)) {
	case 0:
		return LINE_OTHER;
	case 1:
		return LINE_EVENT;
	default:
		return LINE_MALFORMED;
	}
}

/* Finds the head by what follows it. False: there is none. */
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
 * A record of a birth is written a moment before sched_process_fork, one of an end before the last
 * sched_switch. If the text has these, which is not known of the first, the record tells no more
 * than who is who. So does one from before the tracepoints are on: nothing has begun by then.
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

/* --- What it tells of the text -------------------------------------------------------------- */

static void note_event(struct script_state *state, const struct script_head *head,
		       const struct event *event)
{
	if (state->tids == TID_COLUMN_UNKNOWN)
		state->tids = head->has_tid ? TID_COLUMN_THERE : TID_COLUMN_MISSING;
	if (head->is_record)
		return;
	state->traced = true;
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

static void note_no_event(struct script_state *state, const struct script_head *head,
			  enum line_kind kind)
{
	if (kind == LINE_MALFORMED && !*head->fields)
		state->traceless = true;
	else if (head->is_record && scan_word(head->fields, "PERF_RECORD_SWITCH") && head->tid < 0)
		state->tidless = true;
	else if (kind == LINE_OTHER && !head->is_record)
		state->others = true;
}

/* Call chains (indented addresses), records without a head, empty lines. */
static bool is_plain(const char *line)
{
	const char *at = scan_blanks(line);

	if (!*at || strstr(at, "PERF_RECORD_"))
		return true;
	/* The second line of a PERF_RECORD_NAMESPACES, and those that follow it. */
	if (scan_word(line, "\t\t[") || scan_word(line, "\t\t "))
		return true;
	return at > line && scan_is_blank(at[strspn(at, "0123456789abcdef")]);
}

static enum line_kind read_headless(struct script_state *state, const char *line)
{
	if (*scan_blanks(line) == '#')
		return LINE_OTHER;
	/* First, as the name in front may look like the address of a call chain. */
	if (strstr(line, "sched:sched_") || strstr(line, "sched_switch:") ||
	    strstr(line, "prev_comm=")) {
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

static enum line_kind parse(struct line_reading *reading, struct event *event, const char *line,
			    size_t length)
{
	struct script_state *state = reading->state;
	enum line_kind kind = LINE_OTHER;
	struct script_head head;
	struct event found;
	uint64_t lost = 0;

	reading->headed = reading->looks_ahead = false;
	state->look_in -= state->look_in > 0;
	if (strlen(line) != length)
		return LINE_MALFORMED; /* a NUL within */
	if (state->no_times || !read_line(reading, &head, &found, &lost, &kind, line))
		return read_headless(state, line);
	reading->headed = kind == LINE_EVENT || head.name || head.is_record;
	found.time_ns = script_times_read(&state->times, head.time_ns);
	if (kind != LINE_EVENT) {
		note_no_event(state, &head, kind);
		return kind;
	}
	if (head.is_record)
		weigh_record(reading, state, &found);
	note_event(state, &head, &found);
	reading->quality->lost += lost;
	*event = found;
	return LINE_EVENT;
}

/* --- The text ------------------------------------------------------------------------------- */

/* There is nothing else that it could be. */
static bool is(const char *bytes, size_t length)
{
	(void)bytes, (void)length;
	return true;
}

struct probe {
	struct script_state state;
	uint64_t lines;
	bool switched; /* there was a switch, of whatever kind */
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

		if (parse(&probing, &event, lines.line, lines.length) == LINE_EVENT)
			probe->switched |= is_switch(event.kind);
		probe->lines++;
		probe->tids_missing |= probe->state.tids == TID_COLUMN_MISSING;
		probe->tids_there |= probe->state.tids == TID_COLUMN_THERE;
		probe->state.tids = TID_COLUMN_UNKNOWN;
	}
}

/* What can be known of the whole only from more than one line. */
static void begin(struct line_reading *reading, const char *bytes, size_t length)
{
	struct script_state *state = reading->state;
	struct probe probe = {.state.tids = TID_COLUMN_UNKNOWN};

	probe_lines(&probe, bytes, length);
	/* A name can look as if a number followed it, but no number looks like a name. */
	if (probe.tids_missing || probe.tids_there)
		state->tids = probe.tids_missing ? TID_COLUMN_MISSING : TID_COLUMN_THERE;
	state->times.are_deltas = script_times_look_like_deltas(&probe.state.times);
	state->no_times = probe.state.timeless > probe.state.times.count;
	state->told = probe.state.told;
	state->will_be = probe.state.traced;
	state->own = probe.state.own;
	state->foreign = probe.state.foreign;
}

/*
 * Where other programs come and go while perf takes inventory, the first tracepoint is a long way
 * off. It is looked for until there is a switch: a text whose switches are records has no other
 * births than these.
 */
static bool look_ahead(struct line_reading *reading, struct event *event, const char *bytes,
		       size_t length)
{
	struct script_state *state = reading->state;
	struct probe probe = {.state.tids = TID_COLUMN_UNKNOWN};

	probe_lines(&probe, bytes, length);
	state->will_be = probe.state.traced;
	if (!state->will_be && !state->traced)
		state->look_in = probe.lines / 2; /* so that no line is looked at too often */
	state->told.births |= probe.state.told.births;
	state->told.ends |= probe.state.told.ends;
	if ((state->will_be && !state->traced) ||
	    (event->kind == EVENT_FORK ? state->told.births : state->told.ends))
		script_record_untell(event);
	return state->traced || state->will_be || probe.switched;
}

#define PRINT "perf script --ns -F comm,pid,tid,cpu,time,event,trace"

static const char *complaint(const struct line_reading *reading)
{
	const struct script_state *state = reading->state;

	if (state->timeless)
		return "holds scheduling events without their times; print them with '" PRINT "'";
	if (state->traceless)
		return "holds scheduling events without what they say (trace); print them with "
		       "'" PRINT "'";
	if (state->tidless)
		return "holds switches that do not say of which thread (tid); print them with "
		       "'" PRINT " --show-switch-events'";
	if (state->of_perf_trace)
		return "is what perf trace prints, which says nothing of scheduling; record with "
		       "'pscal record' or 'perf sched record'";
	if (state->others)
		return "holds events, but none of scheduling; record with 'pscal record' or 'perf "
		       "sched record', then print with '" PRINT "'";
	return "holds no scheduling events that can be read; print them with '" PRINT "'";
}

const struct line_layout script_line_layout = {
	.state_bytes = sizeof(struct script_state),
	.is = is,
	.begin = begin,
	.parse = parse,
	.look_ahead = look_ahead,
	.complaint = complaint,
};
