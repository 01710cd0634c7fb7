/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_timeline.h"

static const struct column columns[] = {
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

static const struct table table = {
	.key = "timeline",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

void report_timeline_begin(struct report *report)
{
	report_begin(report, &table);
}

static struct cell cell_id(int32_t id)
{
	return id < 0 ? cell_null() : cell_count(id);
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
