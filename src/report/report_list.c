/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_list.h"

static const struct column columns[] = {
	{"name", "event", UNIT_NONE, -24},
	{"alias", "or", UNIT_NONE, -21},
	{"pmu", "PMU", UNIT_NONE, -10},
	{"available", "available", UNIT_NONE, -9},
	{"description", "description", UNIT_NONE, -1},
};

static const struct table table = {
	.key = "events",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

void report_list_begin(struct report *report)
{
	report_begin(report, &table);
}

void report_list_event(struct report *report, const struct counter_known *known,
		       enum counter_access access)
{
	report_row(report, (struct cell[]){
				   cell_text(known->name),
				   cell_text(known->alias),
				   cell_text(known->pmu),
				   cell_text(counter_access_name(access)),
				   cell_text(known->description),
			   });
}

void report_list_end(struct report *report, size_t left_out)
{
	report_end(report);
	if (left_out)
		report_warning(report,
			       "Left out: %zu events that this machine does not count. --all lists "
			       "them too.",
			       left_out);
}
