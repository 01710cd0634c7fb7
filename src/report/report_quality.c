/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_quality.h"

#include <inttypes.h>

static const struct column columns[] = {
	{"events", "events", UNIT_NONE, 0},
	{"lost", "lost", UNIT_NONE, 0},
	{"late", "late", UNIT_NONE, 0},
	{"malformed", "malformed", UNIT_NONE, 0},
	{"repaired_wakes", "repaired wakes", UNIT_NONE, 0},
	{"missed_wakes", "missed wakes", UNIT_NONE, 0},
	{"missed_switch_ins", "missed switch-ins", UNIT_NONE, 0},
	{"missed_switch_outs", "missed switch-outs", UNIT_NONE, 0},
	{"wrapped", "wrapped", UNIT_NONE, 0},
	{"truncated", "truncated", UNIT_NONE, 0},
};

static const struct table table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static void note(struct report *report, uint64_t count, const char *sentence)
{
	if (count)
		report_warning(report, "Data quality: %" PRIu64 " %s", count, sentence);
}

static void write_notes(struct report *report, const struct quality *quality)
{
	note(report, quality->lost,
	     "records were lost, because the recorder could not keep up; what the threads that "
	     "they "
	     "may concern did then is unknown.");
	note(report, quality->late,
	     "events were older than what came before them, and are taken as having happened when "
	     "they were read.");
	note(report, quality->malformed, "records or lines could not be understood.");
	note(report, quality->missed_wakes,
	     "wakes were counted by the kernel but not recorded: where a thread slept, it may have "
	     "been runnable for a moment before it ran.");
	note(report, quality->repaired_wakes,
	     "times a sleeping thread got a CPU with no wake on record; it is taken to have slept "
	     "up "
	     "to then.");
	note(report, quality->missed_switch_ins,
	     "times a thread left a CPU with no record of its getting it, as kernels do that hide "
	     "switches out of the idle task: it was active if its wake is on record, else what it "
	     "did is unknown.");
	note(report, quality->missed_switch_outs,
	     "times a running thread's CPU was given away with no record of its leaving; what it "
	     "did "
	     "is unknown.");
	if (quality->wrapped)
		report_warning(report,
		               "Data quality: thread numbers began anew while it was recorded: "
		               "threads born after that may be missing.");
	if (quality->truncated)
		report_warning(report, "Data quality: the input ends before it should.");
}

void report_quality(struct report *report, const struct quality *quality)
{
	report_group(report, "quality");
	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_count((int64_t)quality->events),
				   cell_count((int64_t)quality->lost),
				   cell_count((int64_t)quality->late),
				   cell_count((int64_t)quality->malformed),
				   cell_count((int64_t)quality->repaired_wakes),
				   cell_count((int64_t)quality->missed_wakes),
				   cell_count((int64_t)quality->missed_switch_ins),
				   cell_count((int64_t)quality->missed_switch_outs),
				   cell_bool(quality->wrapped),
				   cell_bool(quality->truncated),
			   });
	report_end(report);
	report_ungroup(report);
	write_notes(report, quality);
}
