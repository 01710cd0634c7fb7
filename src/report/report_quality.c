/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_quality.h"

#include <inttypes.h>

static const struct column columns[] = {
	{"events", "events", UNIT_NONE, 0},
	{"lost", "lost", UNIT_NONE, 0},
	{"late", "late", UNIT_NONE, 0},
	{"malformed", "malformed", UNIT_NONE, 0},
	{"fragments", "fragments", UNIT_NONE, 0},
	{"unknown_events", "unknown events", UNIT_NONE, 0},
	{"repaired_wakes", "repaired wakes", UNIT_NONE, 0},
	{"missed_wakes", "missed wakes", UNIT_NONE, 0},
	{"missed_switch_ins", "missed switch-ins", UNIT_NONE, 0},
	{"missed_switch_outs", "missed switch-outs", UNIT_NONE, 0},
	{"no_wakes", "no wakes", UNIT_NONE, 0},
	{"paused_s", "paused", UNIT_SECONDS, 0},
	{"wrapped", "wrapped", UNIT_NONE, 0},
	{"truncated", "truncated", UNIT_NONE, 0},
};

static const struct table table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static void note(struct report *report, const char *what, uint64_t count, const char *meaning)
{
	if (count)
		report_warning(report, "Data quality: %s: %" PRIu64 ". %s", what, count, meaning);
}

static void write_notes(struct report *report, const struct quality *quality)
{
	note(report, "records lost", quality->lost,
	     "The recorder could not keep up; what the threads that they may concern did then is "
	     "unknown.");
	note(report, "late events", quality->late,
	     "They are older than what came before them, and are taken as having happened when "
	     "they were read.");
	note(report, "not understood", quality->malformed,
	     "So many records or lines were passed over.");
	note(report, "fragments", quality->fragments,
	     "So many pieces of lines that a newline in the name of a thread has broken; they "
	     "were joined where that gave an event again.");
	note(report, "unknown events", quality->unknown_events,
	     "So many records belong to events that the file does not describe, and were passed "
	     "over.");
	note(report, "missed wakes", quality->missed_wakes,
	     "The kernel counted them but did not record them: a thread that slept may have been "
	     "runnable for a moment before it ran.");
	note(report, "repaired wakes", quality->repaired_wakes,
	     "So often a sleeping thread got a CPU with no wake on record; it is taken to have "
	     "slept up to then.");
	note(report, "missed switch-ins", quality->missed_switch_ins,
	     "So often a thread left a CPU with no record of its getting it, as with kernels that "
	     "hide switches out of the idle task: it was active if its wake is on record, else "
	     "what it did is unknown.");
	note(report, "missed switch-outs", quality->missed_switch_outs,
	     "So often a running thread's CPU was given away with no record of its leaving; what "
	     "it did is unknown.");
	if (quality->no_wakes)
		report_warning(report, "Data quality: no wakes are on record. A thread that was "
				       "woken counts as blocked until it got a CPU, so the number "
				       "of active threads is a lower bound.");
	if (quality->paused_ns)
		report_warning(report,
			       "Data quality: not recorded at the user's request: %.6g s. What the "
			       "threads did then is unknown.",
			       (double)quality->paused_ns / 1e9);
	if (quality->wrapped)
		report_warning(report, "Data quality: thread numbers began anew while it was "
				       "recorded. Threads born after that may be missing.");
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
				   cell_count((int64_t)quality->fragments),
				   cell_count((int64_t)quality->unknown_events),
				   cell_count((int64_t)quality->repaired_wakes),
				   cell_count((int64_t)quality->missed_wakes),
				   cell_count((int64_t)quality->missed_switch_ins),
				   cell_count((int64_t)quality->missed_switch_outs),
				   cell_bool(quality->no_wakes),
				   cell_seconds(quality->paused_ns),
				   cell_bool(quality->wrapped),
				   cell_bool(quality->truncated),
			   });
	report_end(report);
	report_ungroup(report);
	write_notes(report, quality);
}
