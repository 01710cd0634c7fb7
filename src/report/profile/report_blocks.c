/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_blocks.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Spans --------------------------------------------------------------------------------- */

static const struct column columns[] = {
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

static const struct table table = {
	.key = "blocks",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
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
	.column_count = sizeof(count_columns) / sizeof(count_columns[0]),
};

void report_blocks_begin(struct report *report)
{
	report_begin(report, &table);
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

static const char *plural(uint64_t count, const char *one, const char *more)
{
	return count == 1 ? one : more;
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

/* --- The text ------------------------------------------------------------------------------ */

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
