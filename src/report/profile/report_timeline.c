/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_timeline.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cell cell_id(int32_t id)
{
	return id < 0 ? cell_null() : cell_count(id);
}

/* --- Intervals ----------------------------------------------------------------------------- */

static const struct column interval_columns[] = {
	{"start_s", "start", UNIT_STAMP, 14},
	{"end_s", "end", UNIT_STAMP, 14},
	{"duration_s", "seconds", UNIT_STAMP, 14},
	{"tid", "tid", UNIT_NONE, 7},
	{"pid", "pid", UNIT_NONE, 7},
	{"comm", "thread", UNIT_NONE, -15},
	{"state", "state", UNIT_NONE, -8},
	{"cpu", "cpu", UNIT_NONE, 3},
	{"waker", "waker", UNIT_NONE, 7},
};

static const struct table interval_table = {
	.key = "timeline",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = interval_columns,
	.column_count = COUNT(interval_columns),
};

void report_timeline_begin(struct report *report)
{
	report_begin(report, &interval_table);
}

void report_timeline_interval(struct report *report, const struct change *change,
			      uint64_t origin_ns)
{
	report_row(report, (struct cell[]){
				   cell_seconds(change->begin_ns - origin_ns),
				   cell_seconds(change->end_ns - origin_ns),
				   cell_seconds(change->end_ns - change->begin_ns),
				   cell_count(change->tid),
				   cell_id(change->pid),
				   cell_text(change->comm),
				   cell_text(thread_state_name(change->state)),
				   cell_id(change->cpu),
				   cell_id(change->waker),
			   });
}

void report_timeline_end(struct report *report)
{
	report_end(report);
}

/* --- Blocks as spans ----------------------------------------------------------------------- */

static const struct column span_columns[] = {
	{"enter_s", "enter", UNIT_STAMP, 14},
	{"leave_s", "leave", UNIT_STAMP, 14},
	{"duration_s", "seconds", UNIT_STAMP, 14},
	{"tid", "tid", UNIT_NONE, 7},
	{"comm", "thread", UNIT_NONE, -15},
	{"depth", "depth", UNIT_NONE, 5},
	{"running_share", "running", UNIT_SHARE, 8},
	{"runnable_share", "runnable", UNIT_SHARE, 8},
	{"sleeping_share", "sleeping", UNIT_SHARE, 8},
	{"disk_share", "disk", UNIT_SHARE, 8},
	{"other_share", "other", UNIT_SHARE, 8},
	{"block", "block", UNIT_NONE, -5},
};

static const struct table span_table = {
	.key = "blocks",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = span_columns,
	.column_count = COUNT(span_columns),
};

static const struct column count_columns[] = {
	{"open_calls", "open", UNIT_NONE, 0},	 {"unwound_calls", "unwound", UNIT_NONE, 0},
	{"stray_leaves", "stray", UNIT_NONE, 0}, {"too_deep_calls", "too deep", UNIT_NONE, 0},
	{"every", "every", UNIT_NONE, 0},
};

static const struct table count_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = count_columns,
	.column_count = COUNT(count_columns),
};

void report_blocks_begin(struct report *report)
{
	report_begin(report, &span_table);
}

static struct cell share_cell(const struct block_span *span, enum span_state state)
{
	uint64_t whole_ns = span->leave_ns - span->enter_ns;

	return whole_ns ? cell_number((double)span->state_ns[state] / (double)whole_ns)
			: cell_null();
}

void report_blocks_span(struct report *report, const struct block_span *span,
			const struct blocks *blocks, uint64_t origin_ns)
{
	bool open = span->open;

	report_row(report,
		   (struct cell[]){
			   cell_seconds(span->enter_ns - origin_ns),
			   open ? cell_null() : cell_seconds(span->leave_ns - origin_ns),
			   open ? cell_null() : cell_seconds(span->leave_ns - span->enter_ns),
			   cell_count(span->tid),
			   cell_text(span->comm),
			   cell_count(span->depth),
			   share_cell(span, SPAN_RUNNING),
			   share_cell(span, SPAN_RUNNABLE),
			   share_cell(span, SPAN_SLEEPING),
			   share_cell(span, SPAN_DISK),
			   share_cell(span, SPAN_OTHER),
			   cell_text(blocks->items[span->block].name),
		   });
}

void report_blocks_end(struct report *report, const struct block_spans_counts *counts,
		       uint64_t every)
{
	report_end(report);
	report_begin(report, &count_table);
	report_row(report, (struct cell[]){
				   cell_count((int64_t)counts->open),
				   cell_count((int64_t)counts->unwound),
				   cell_count((int64_t)counts->stray),
				   cell_count((int64_t)counts->deep),
				   cell_count(every ? (int64_t)every : 1),
			   });
	report_end(report);
	if (every > 1)
		report_note(report,
			    "One in %" PRIu64
			    " calls of a block is on record; depth is that among these.",
			    every);
	if (counts->open)
		report_note(report, "%" PRIu64 " %s.", counts->open,
			    plural(counts->open, "call is open: no end of it is on record",
				   "calls are open: no end of them is on record"));
	if (counts->unwound)
		report_warning(report,
			       "%" PRIu64 " %s with the call around it, without a leave of "
			       "%s own.",
			       counts->unwound,
			       plural(counts->unwound, "call ended", "calls ended"),
			       plural(counts->unwound, "its", "their"));
	if (counts->stray)
		report_warning(report, "%" PRIu64 " %s of blocks that the thread was not in.",
			       counts->stray, plural(counts->stray, "leave is", "leaves are"));
	if (counts->deep)
		report_warning(report, "%" PRIu64 " calls are too deep to be told.", counts->deep);
}

/* --- Blocks as text ------------------------------------------------------------------------ */

void report_enter_leave_begin(struct report *report)
{
	report_line(report, "#timestamp #ThreadId #Event");
}

/* As short as it can be read again. */
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

	/* Which is read again, so that it is to stay the same. */
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

static const struct column audit_columns[] = {
	{"time_s", "time", UNIT_STAMP, 14},
	{"place", "place", UNIT_NONE, 12},
	{"cpu", "cpu", UNIT_NONE, 3},
	{"tid", "tid", UNIT_NONE, 7},
	{"comm", "thread", UNIT_NONE, -15},
	{"case", "case", UNIT_NONE, -20},
	{"since_s", "since", UNIT_STAMP, 14},
	{"past", "taken as", UNIT_NONE, -8},
	{"action", "what was done", UNIT_NONE, -13},
};

static const struct table audit_table = {
	.key = "audit",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = audit_columns,
	.column_count = COUNT(audit_columns),
};

void report_audit_begin(struct report_audit *audit, struct report *report)
{
	*audit = (struct report_audit){.report = report};
	report_begin(report, &audit_table);
}

static struct cell cell_time(uint64_t time_ns, uint64_t origin_ns)
{
	if (!origin_ns)
		return cell_null();
	return cell_number(((double)time_ns - (double)origin_ns) / 1e9);
}

void report_audit_finding(struct report_audit *audit, const struct finding *finding,
			  uint64_t origin_ns)
{
	const struct quality_words *words = quality_words(finding->fact);
	bool told = finding->past != STATE_NONE;

	if (++audit->seen[finding->fact] > REPORT_AUDIT_MAX)
		return;
	report_row(audit->report,
		   (struct cell[]){
			   cell_time(finding->time_ns, origin_ns),
			   finding->place ? cell_count((int64_t)finding->place) : cell_null(),
			   cell_id(finding->cpu),
			   cell_id(finding->tid),
			   cell_text(*finding->comm ? finding->comm : NULL),
			   cell_text(words->key),
			   told ? cell_time(finding->since_ns, origin_ns) : cell_null(),
			   cell_text(told ? thread_state_name(finding->past) : NULL),
			   cell_text(words->action),
		   });
}

void report_audit_end(struct report_audit *audit)
{
	report_end(audit->report);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		if (audit->seen[fact] > REPORT_AUDIT_MAX)
			report_note(audit->report,
				    "Of %" PRIu64 " cases of %s the first %d are listed; --from, "
				    "--to and --thread choose others.",
				    audit->seen[fact], quality_words(fact)->key, REPORT_AUDIT_MAX);
}
