/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_overhead.h"

#include <inttypes.h>

static const struct column columns[] = {
	{"switch_cost_s", "added to a switch", UNIT_SECONDS, 0},
	{"switches", "switches", UNIT_NONE, 0},
	{"call_cost_s", "added to a call", UNIT_SECONDS, 0},
	{"calls", "calls", UNIT_NONE, 0},
	{"system_call_cost_s", "added to a system call", UNIT_SECONDS, 0},
	{"system_calls", "system calls", UNIT_NONE, 0},
	{"block_cost_s", "added to a block", UNIT_SECONDS, 0},
	{"blocks", "blocks", UNIT_NONE, 0},
	{"uprobe_cost_s", "added by a probe", UNIT_SECONDS, 0},
	{"uprobes", "calls probed", UNIT_NONE, 0},
	{"step_cost_s", "added to a step of a task", UNIT_SECONDS, 0},
	{"steps", "steps of tasks", UNIT_NONE, 0},
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

/* Of the CPU time of the target. */
static double share(const struct overhead *overhead, double added_s)
{
	return overhead->added_s > 0 ? overhead->added_share * added_s / overhead->added_s : 0;
}

/* Of blocks, which are recorded from inside or by probes in the kernel. */
static void write_blocks(struct report *report, const struct overhead *overhead)
{
	double blocks_s = (double)overhead->blocks * overhead->block_ns / 1e9;
	double probed_s = overhead->blocks_s - blocks_s;

	if (blocks_s > 0)
		report_note(report,
			    "To record its blocks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " of %.0f ns each.",
			    1e3 * blocks_s, 100 * share(overhead, blocks_s), overhead->blocks,
			    overhead->block_ns);
	if (overhead->probed > 0 && overhead->probed_ns > 0)
		report_note(report,
			    "To record its functions by probes in the kernel has cost about %.2f "
			    "ms of CPU (%.2g %%): %" PRIu64 " calls of %.0f ns each.",
			    1e3 * probed_s, 100 * share(overhead, probed_s), overhead->probed,
			    overhead->probed_ns);
}

static void write_note(struct report *report, const struct overhead *overhead)
{
	double switches_s = (double)overhead->switches * overhead->switch_ns / 1e9;

	if (overhead->has_switch_cost)
		report_note(report,
			    "Recording has cost about %.2f ms of CPU in %" PRIu64 " switches of "
			    "the target (%.2g %% of its CPU time), measured as %.0f ns a switch.",
			    1e3 * switches_s, overhead->switches, 100 * share(overhead, switches_s),
			    overhead->switch_ns);
	if (overhead->calls_s > 0)
		report_note(report,
			    "To record its calls has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " calls of the C library of %.0f ns each, and %" PRIu64
			    " system calls of %.0f ns.",
			    1e3 * overhead->calls_s, 100 * share(overhead, overhead->calls_s),
			    overhead->calls, overhead->call_ns, overhead->system_calls,
			    overhead->system_call_ns);
	write_blocks(report, overhead);
	if (overhead->steps_s > 0)
		report_note(report,
			    "To record its tasks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " steps of %.1f ns each.",
			    1e3 * overhead->steps_s, 100 * share(overhead, overhead->steps_s),
			    overhead->steps, overhead->step_ns);
	if (overhead->recorder_s > 0)
		report_note(report, "The recorder itself took %.0f ms of CPU.",
			    1e3 * overhead->recorder_s);
}

void report_overhead(struct report *report, const struct overhead *overhead)
{
	bool known = overhead->has_switch_cost || overhead->calls_s > 0 || overhead->blocks_s > 0 ||
		     overhead->steps_s > 0;

	if (!known && overhead->recorder_s <= 0)
		return;
	report_group(report, "overhead");
	report_begin(report, &table);
	report_row(
		report,
		(struct cell[]){
			if_known(overhead->has_switch_cost, cell_number(overhead->switch_ns / 1e9)),
			cell_count((int64_t)overhead->switches),
			if_known(overhead->call_ns > 0, cell_number(overhead->call_ns / 1e9)),
			cell_count((int64_t)overhead->calls),
			if_known(overhead->system_call_ns > 0,
				 cell_number(overhead->system_call_ns / 1e9)),
			cell_count((int64_t)overhead->system_calls),
			if_known(overhead->block_ns > 0, cell_number(overhead->block_ns / 1e9)),
			cell_count((int64_t)overhead->blocks),
			if_known(overhead->probed_ns > 0, cell_number(overhead->probed_ns / 1e9)),
			cell_count((int64_t)overhead->probed),
			if_known(overhead->step_ns > 0, cell_number(overhead->step_ns / 1e9)),
			cell_count((int64_t)overhead->steps),
			if_known(known, cell_number(overhead->added_s)),
			if_known(known, cell_number(overhead->added_share)),
			if_known(overhead->recorder_s > 0, cell_number(overhead->recorder_s)),
		});
	report_end(report);
	report_ungroup(report);
	write_note(report, overhead);
}
