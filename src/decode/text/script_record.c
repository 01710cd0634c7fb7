/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_record.h"

#include "decode/event/scan.h"

/* ` IN`, ` OUT` or ` OUT preempt`; what else a CPU_WIDE one has, the other thread says itself. */
static enum line_kind read_switch(struct event *event, uint64_t *lost, const char *at,
				  const struct script_told *told)
{
	const char *out = scan_word(at, " OUT");

	(void)lost, (void)told;
	if (!out && !scan_word(at, " IN"))
		return LINE_MALFORMED;
	if (event->tid < 0)
		return LINE_OTHER; /* it has ended and has no number any more */
	event->kind = out ? EVENT_SWITCH_OUT : EVENT_SWITCH_IN;
	if (out)
		event->state =
			scan_word(scan_blanks(out), "preempt") ? STATE_RUNNABLE : STATE_INACTIVE;
	return LINE_EVENT;
}

/* `: NAME:PID/TID`, or ` exec: NAME:PID/TID`. A name may hold a colon, so the last one counts. */
static enum line_kind read_comm(struct event *event, uint64_t *lost, const char *at,
				const struct script_told *told)
{
	const char *exec = scan_word(at, " exec");
	const char *name = scan_word(exec ? exec : at, ": ");
	const char *colon = name ? strrchr(name, ':') : NULL;
	const char *slash = colon ? scan_number(colon + 1, &event->pid) : NULL;

	(void)lost, (void)told;
	if (!slash || *slash != '/' || !scan_number(slash + 1, &event->tid))
		return LINE_MALFORMED;
	event->kind = exec && event->time_ns ? EVENT_EXEC : EVENT_TASK;
	event_set_comm(event->comm, name, (size_t)(colon - name));
	return LINE_EVENT;
}

/* `(PID:TID):(PPID:PTID)` */
static bool read_family(struct event *event, const char *at)
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
	/* In front of it is the name of the parent, or of nobody. */
	event_set_comm(event->comm, "", 0);
	return *at == ')';
}

/* A thread that perf found has time 0; see decode/kernel/perfdata_events.c for the rest. */
static enum line_kind read_fork(struct event *event, uint64_t *lost, const char *at,
				const struct script_told *told)
{
	(void)lost;
	event->kind = EVENT_TASK;
	if (!read_family(event, at))
		return LINE_MALFORMED;
	if (event->time_ns && !told->births)
		*event = event_birth(event);
	return LINE_EVENT;
}

static enum line_kind read_exit(struct event *event, uint64_t *lost, const char *at,
				const struct script_told *told)
{
	(void)lost;
	event->kind = EVENT_END;
	if (!read_family(event, at))
		return LINE_MALFORMED;
	event->other_pid = event->other = -1;
	return event->time_ns && !told->ends ? LINE_EVENT : LINE_OTHER;
}

void script_record_untell(struct event *event)
{
	if (event->kind == EVENT_FORK) /* what turns one round turns it back */
		*event = event_birth(event);
	event->kind = EVENT_TASK;
}

/* ` lost N`. Some perf leave the number of lost samples out: then it is not known. */
static enum line_kind read_lost(struct event *event, uint64_t *lost, const char *at,
				const struct script_told *told)
{
	(void)told;
	at += strcspn(at, "0123456789");
	if (!scan_unsigned(at, lost))
		*lost = 1;
	event->kind = EVENT_GAP;
	return LINE_EVENT;
}

/* The records that say something; the others are passed over. */
static const struct {
	const char *name;
	enum line_kind (*read)(struct event *event, uint64_t *lost, const char *at,
			       const struct script_told *told);
} records[] = {
	{"SWITCH", read_switch},     {"SWITCH_CPU_WIDE", read_switch},
	{"COMM", read_comm},	     {"FORK", read_fork},
	{"EXIT", read_exit},	     {"LOST", read_lost},
	{"LOST_SAMPLES", read_lost},
};

enum line_kind script_record_parse(struct event *event, uint64_t *lost, const char *text,
				   const struct script_told *told)
{
	const char *name = scan_word(text, "PERF_RECORD_");
	size_t length = name ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") : 0;

	*lost = 0;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (strlen(records[i].name) == length && memcmp(name, records[i].name, length) == 0)
			return records[i].read(event, lost, name + length, told);
	return LINE_OTHER;
}
