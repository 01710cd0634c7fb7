/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_timeline.h"

#include "base/printable.h"
#include "report/profile/report_profile.h"
#include "report/report.h"
#include "stats/spin/thread_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Intervals ----------------------------------------------------------------------------- */

struct interval {
	struct change change;
	const char *name, *function;
	uint64_t start_ns, end_ns, duration_ns;
	const char *state;
};

static const struct column interval_columns[] = {
	{"start_s", "start", UNIT_STAMP, 14, NS(interval, start_ns)},
	{"end_s", "end", UNIT_STAMP, 14, NS(interval, end_ns), .detail = true},
	{"duration_s", "seconds", UNIT_STAMP, 14, NS(interval, duration_ns)},
	{"tid", "tid", UNIT_NONE, 7, FIELD(interval, change.tid)},
	{"pid", "pid", UNIT_NONE, 7, FIELD(interval, change.pid), .detail = true},
	{"comm", NULL, UNIT_NONE, 0, FIELD(interval, change.comm)},
	{NULL, "thread", UNIT_NONE, -15, FIELD(interval, name)},
	{"state", "state", UNIT_NONE, -8, FIELD(interval, state)},
	{"cpu", "cpu", UNIT_NONE, 3, FIELD(interval, change.cpu)},
	{"waker", "waker", UNIT_NONE, 7, FIELD(interval, change.waker)},
	{"name", NULL, UNIT_NONE, 0, FIELD(interval, name)},
	{"start_function", NULL, UNIT_NONE, 0, FIELD(interval, function)},
};
static const struct table interval_table = {.key = "timeline",
					    .layout = LAYOUT_STREAM,
					    .in = REPORT_ALL,
					    .top = SIZE_MAX, /* --limit gives the number */
					    COLUMNS(interval_columns)};

void report_timeline_begin(struct report *report)
{
	report_begin(report, &interval_table);
}

void report_timeline_interval(struct report *report, const struct change *change,
			      struct thread_names *names, uint64_t origin_ns)
{
	char name[THREAD_NAME_SIZE];

	report_row(report,
		   &(struct interval){
			   .change = *change,
			   .name = thread_names_label(name, names, change->comm, change->start),
			   .function = thread_names_function(names, change->start),
			   .start_ns = change->begin_ns - origin_ns,
			   .end_ns = change->end_ns - origin_ns,
			   .duration_ns = change->end_ns - change->begin_ns,
			   .state = thread_state_name(change->state),
		   });
}

void report_timeline_summary(struct report *report, const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	char wall[VALUE_SIZE], cpu[VALUE_SIZE];
	uint64_t switches = 0, cpu_ns = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		switches += profile->threads[i].switches;
		cpu_ns += profile->threads[i].state_ns[STATE_RUNNING];
	}
	report_verdict(report,
		       "%zu thread%s in %s, with %s of CPU time and %" PRIu64 " context switch%s.",
		       profile->thread_count, plural(profile->thread_count, "", "s"),
		       format_value(wall, (double)profile->levels.total_ns / 1e9, UNIT_SPAN),
		       format_value(cpu, (double)cpu_ns / 1e9, UNIT_SPAN), switches,
		       plural(switches, "", "es"));
	report_quality_alerts(report, &profile->quality);
	report_members(report, view, view->by);
}

/* --- Blocks as spans ----------------------------------------------------------------------- */

struct span {
	struct block_span of;
	uint64_t enter_ns, leave_ns, duration_ns; /* all bits set: the span is open */
	double shares[SPAN_STATES];
	const char *block;
};

static const struct column span_columns[] = {
	{"enter_s", "enter", UNIT_STAMP, 14, NS(span, enter_ns)},
	{"leave_s", "leave", UNIT_STAMP, 14, NS(span, leave_ns)},
	{"duration_s", "seconds", UNIT_STAMP, 14, NS(span, duration_ns)},
	{"tid", "tid", UNIT_NONE, 7, FIELD(span, of.tid)},
	{"comm", "thread", UNIT_NONE, -15, FIELD(span, of.comm)},
	{"depth", "depth", UNIT_NONE, 5, FIELD(span, of.depth)},
	{"running_share", "running", UNIT_SHARE, 8, FIELD(span, shares[SPAN_RUNNING])},
	{"runnable_share", "runnable", UNIT_SHARE, 8, FIELD(span, shares[SPAN_RUNNABLE])},
	{"sleeping_share", "sleeping", UNIT_SHARE, 8, FIELD(span, shares[SPAN_SLEEPING])},
	{"disk_share", "disk", UNIT_SHARE, 8, FIELD(span, shares[SPAN_DISK])},
	{"other_share", "other", UNIT_SHARE, 8, FIELD(span, shares[SPAN_OTHER])},
	{"block", "block", UNIT_NONE, -5, FIELD(span, block)},
};
static const struct table span_table = {
	.key = "blocks", .layout = LAYOUT_STREAM, .in = REPORT_ALL, COLUMNS(span_columns)};

void report_blocks_begin(struct report *report)
{
	report_begin(report, &span_table);
}

void report_blocks_span(struct report *report, const struct block_span *span,
			const struct blocks *blocks, uint64_t origin_ns)
{
	uint64_t whole_ns = span->leave_ns - span->enter_ns;
	struct span row = {.of = *span,
			   .enter_ns = span->enter_ns - origin_ns,
			   .leave_ns = span->open ? UINT64_MAX : span->leave_ns - origin_ns,
			   .duration_ns = span->open ? UINT64_MAX : whole_ns,
			   .block = blocks->items[span->block].name};

	for (size_t i = 0; i < SPAN_STATES; i++)
		row.shares[i] = (double)span->state_ns[i] / (double)whole_ns; /* NaN if empty */
	report_row(report, &row);
}

struct span_counts {
	struct block_spans_counts of;
	uint64_t every;
};

static const struct column count_columns[] = {
	{"open_calls", FIELD(span_counts, of.open)},
	{"unwound_calls", FIELD(span_counts, of.unwound)},
	{"stray_leaves", FIELD(span_counts, of.stray)},
	{"too_deep_calls", FIELD(span_counts, of.deep)},
	{"every", FIELD(span_counts, every)},
};
static const struct table count_table = {.layout = LAYOUT_FACTS, COLUMNS(count_columns)};

void report_blocks_end(struct report *report, const struct block_spans_counts *counts,
		       uint64_t every)
{
	const struct span_counts facts = {*counts, every ? every : 1};

	report_end(report);
	report_table(report, &count_table, &facts, 1);
	report_note_if(report, every > 1,
		       "One in %" PRIu64
		       " calls of a function is recorded; depth counts only these.",
		       every);
	report_note_if(report, counts->open, "%" PRIu64 " %s.", counts->open,
		       plural(counts->open, "call is open: its end is not recorded",
			      "calls are open: their end is not recorded"));
	report_warning_if(report, counts->unwound,
			  "%" PRIu64
			  " call%s ended with the enclosing call, without a leave of %s own.",
			  counts->unwound, plural(counts->unwound, "", "s"),
			  plural(counts->unwound, "its", "their"));
	report_warning_if(report, counts->stray,
			  "%" PRIu64 " %s of functions that the thread was not in.", counts->stray,
			  plural(counts->stray, "leave is", "leaves are"));
	report_warning_if(report, counts->deep, "%" PRIu64 " calls are nested too deeply.",
			  counts->deep);
}

/* --- Blocks as text ------------------------------------------------------------------------ */

void report_enter_leave_begin(struct report *report)
{
	report_line(report, "#timestamp #ThreadId #Event");
}

/* Prints the shortest number that is read back as the same value. */
static void print_value(char *to, size_t size, double value)
{
	int digits = 15;

	do
		snprintf(to, size, "%.*g", digits, value);
	while (digits++ < 17 && strtod(to, NULL) != value);
}

static void print_arguments(char *to, size_t size, const struct event *event,
			    const struct blocks *blocks)
{
	size_t used = 0;

	*to = '\0';
	for (int32_t i = 0; i < event->count && used < size; i++) {
		const char *name = blocks_argument(blocks, event->block, (size_t)i);
		char number[32], own[64] = "";

		print_value(number, sizeof(number), event->arguments[i]);
		if (name)
			printable_copy(own, sizeof(own), PRINTABLE_DATA, name);
		else
			snprintf(own, sizeof(own), "arg%d", i + 1);
		used += (size_t)snprintf(to + used, size - used, "%s%s=%s", i ? ", " : "", own,
					 number);
	}
}

void report_enter_leave_event(struct report *report, const struct mark *mark,
			      const struct blocks *blocks, uint64_t origin_ns)
{
	const struct event *event = mark->event;
	uint64_t time_ns = mark->time_ns - origin_ns;
	char name[4096], more[512];

	/* The name is read again later: it must stay the same. */
	printable_copy(name, sizeof(name), PRINTABLE_DATA, blocks->items[event->block].name);
	if (event->kind == EVENT_ENTER) {
		print_arguments(more, sizeof(more), event, blocks);
		report_line(report, "%" PRIu64 ".%09" PRIu64 "s %d Enter function %s(%s)",
			    time_ns / 1000000000, time_ns % 1000000000, event->tid, name, more);
		return;
	}
	*more = '\0';
	if (event->count) {
		int used = snprintf(more, sizeof(more), " return value=");

		print_value(more + used, sizeof(more) - (size_t)used, event->arguments[0]);
	}
	report_line(report, "%" PRIu64 ".%09" PRIu64 "s %d Leave function %s()%s",
		    time_ns / 1000000000, time_ns % 1000000000, event->tid, name, more);
}

/* --- Audit --------------------------------------------------------------------------------- */

struct audited {
	struct finding finding;
	double time_s, since_s;
	uint64_t place;
	const char *comm, *flaw, *past, *action;
};

static const struct column audit_columns[] = {
	{"time_s", "time", UNIT_STAMP, 14, FIELD(audited, time_s)},
	{"place", "place", UNIT_NONE, 12, FIELD(audited, place)},
	{"cpu", "cpu", UNIT_NONE, 3, FIELD(audited, finding.cpu)},
	{"tid", "tid", UNIT_NONE, 7, FIELD(audited, finding.tid)},
	{"comm", "thread", UNIT_NONE, -15, FIELD(audited, comm)},
	{"case", "case", UNIT_NONE, -20, FIELD(audited, flaw)},
	{"since_s", "since", UNIT_STAMP, 14, FIELD(audited, since_s)},
	{"past", "taken as", UNIT_NONE, -8, FIELD(audited, past)},
	{"action", "action", UNIT_NONE, -13, FIELD(audited, action)},
};
static const struct table audit_table = {
	.key = "audit", .layout = LAYOUT_STREAM, .in = REPORT_ALL, COLUMNS(audit_columns)};

void report_audit_begin(struct report_audit *audit, struct report *report)
{
	*audit = (struct report_audit){.report = report};
	report_begin(report, &audit_table);
}

static double since_origin_s(uint64_t time_ns, uint64_t origin_ns)
{
	return origin_ns ? ((double)time_ns - (double)origin_ns) / 1e9 : (double)NAN;
}

void report_audit_finding(struct report_audit *audit, const struct finding *finding,
			  uint64_t origin_ns)
{
	const struct quality_words *words = quality_words(finding->fact);
	bool told = finding->past != STATE_NONE;

	if (++audit->seen[finding->fact] > REPORT_AUDIT_MAX)
		return;
	report_row(audit->report,
		   &(struct audited){
			   .finding = *finding,
			   .time_s = since_origin_s(finding->time_ns, origin_ns),
			   .since_s = told ? since_origin_s(finding->since_ns, origin_ns)
					   : (double)NAN,
			   .place = finding->place ? finding->place : UINT64_MAX,
			   .comm = *finding->comm ? finding->comm : NULL,
			   .flaw = words->key,
			   .past = told ? thread_state_name(finding->past) : NULL,
			   .action = words->action,
		   });
}

void report_audit_end(struct report_audit *audit)
{
	bool any = false;

	report_end(audit->report);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		any |= audit->seen[fact] > 0;
	report_note_if(audit->report, !any, "No single event shows a flaw.");
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		report_note_if(audit->report, audit->seen[fact] > REPORT_AUDIT_MAX,
			       "Of %" PRIu64 " cases of %s the first %d are listed; --from, --to "
			       "and --tid choose others.",
			       audit->seen[fact], quality_words(fact)->key, REPORT_AUDIT_MAX);
}
