/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_overhead.h"

#include <inttypes.h>

static const struct column columns[] = {
	{"switch_cost_s", "added to a switch", UNIT_SECONDS, 0},
	{"switches", "switches", UNIT_NONE, 0},
	{"added_s", "added", UNIT_SECONDS, 0},
	{"added_share", "share", UNIT_SHARE, 0},
	{"recorder_s", "recorder", UNIT_SECONDS, 0},
};

static const struct table table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static struct cell if_known(bool known, struct cell cell)
{
	return known ? cell : cell_null();
}

static void write_note(struct report *report, const struct overhead *overhead)
{
	if (overhead->has_switch_cost)
		report_note(report,
			    "Recording has cost about %.2f ms of CPU in %" PRIu64 " switches of "
			    "the target (%.2g %% of its CPU time), measured as %.0f ns a switch.",
			    1e3 * overhead->added_s, overhead->switches,
			    100 * overhead->added_share, overhead->switch_ns);
	if (overhead->recorder_s > 0)
		report_note(report, "The recorder itself took %.0f ms of CPU.",
			    1e3 * overhead->recorder_s);
}

void report_overhead(struct report *report, const struct overhead *overhead)
{
	bool known = overhead->has_switch_cost;

	if (!known && overhead->recorder_s <= 0)
		return;
	report_group(report, "overhead");
	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){
			   if_known(known, cell_number(overhead->switch_ns / 1e9)),
			   cell_count((int64_t)overhead->switches),
			   if_known(known, cell_number(overhead->added_s)),
			   if_known(known, cell_number(overhead->added_share)),
			   if_known(overhead->recorder_s > 0, cell_number(overhead->recorder_s)),
		   });
	report_end(report);
	report_ungroup(report);
	write_note(report, overhead);
}
