/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_notes.h"

#include "base/alloc.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A serial run may start and end threads, and have helpers; more than this is not serial. */
static const double SEVERAL_MOST = .05;

/* Of all time: where for more it is not known whether threads ran, that is said. */
static const double UNKNOWN_MOST = .01;

/* Of work: where more is in blocks that only one side has, that is said. */
static const double ALONE_MOST = .1;

/* Of work: where less has names, that is said. */
static const double NAMED_LEAST = .5;

static void note_left_out(struct report *report, const struct stretch_view *view)
{
	if (view->below)
		report_note(
			report,
			"%zu row%s with less than %.3g %% of the work on each side %s left out; "
			"--min-share 0 shows them.",
			view->below, view->below == 1 ? "" : "s", 100 * view->min_share,
			view->below == 1 ? "is" : "are");
	if (view->beyond)
		report_note(report, "%zu more row%s left out; --limit shows more.", view->beyond,
			    view->beyond == 1 ? " is" : "s are");
}

static void note_base(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->base_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		double several = stretch_run_several_share(run);

		if (several > SEVERAL_MOST)
			report_note(
				report,
				"%s is not of a serial run: for %.0f %% of the time in which it "
				"ran several threads did at once. What it takes for serial work "
				"may be stretched already.",
				view->paths[i], 100 * several);
	}
}

/* Such blocks are no stretch of anything, though they count among all of it. */
static void note_alone(struct report *report, const struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;
	double serial_s = 0, parallel_s = 0, serial_share, parallel_share;

	for (size_t i = 0; i < stretch->row_count; i++) {
		const struct stretch_row *row = &stretch->rows[i];
		double seconds = stretch_view_cell(view, row)->seconds;

		serial_s += seconds > 0 ? 0 : row->serial_s;
		parallel_s += row->serial_s > 0 ? 0 : seconds;
	}
	serial_share = serial_s > 0 ? serial_s / stretch->serial_s : 0;
	parallel_share = parallel_s > 0 ? parallel_s / stretch_view_last(view)->work_s : 0;
	if (fmax(serial_share, parallel_share) > ALONE_MOST)
		report_note(report,
			    "%.0f %% of the work in serial and %.0f %% of that in parallel is in "
			    "blocks that the other does not have: these cannot be compared%s.",
			    100 * serial_share, 100 * parallel_share,
			    stretch->by == STRETCH_BY_PATH
				    ? ", as threads begin elsewhere; --by function compares what "
				      "they do"
				    : "");
}

/* Of the recording that has the fewest. */
static void note_names(struct report *report, const struct stretch_view *view)
{
	double least = 1;
	size_t worst = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];

		if (run->named_s >= least * run->work_s)
			continue;
		least = run->named_s / run->work_s;
		worst = i;
	}
	if (least < NAMED_LEAST)
		report_note(report,
			    "For %.0f %% of the work of %s the function is not known: files have "
			    "no symbols, are gone, or have changed since it was recorded; see "
			    "--symfs.",
			    100 * (1 - least), view->paths[worst]);
}

static void note_programs(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;

	for (size_t i = 1; i < view->stretch->run_count; i++)
		if (runs[0].program && runs[i].program &&
		    strcmp(runs[0].program, runs[i].program) != 0) {
			report_note(
				report, "%s is of %s and %s of %s: functions are compared by name.",
				view->paths[0], runs[0].program, view->paths[i], runs[i].program);
			return;
		}
}

static void note_files(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;

	for (size_t i = 1; i < view->stretch->run_count; i++) {
		const char *path;
		size_t changed = stretch_files_changed(&path, &runs[0].files, &runs[i].files);
		char *more = changed > 1 ? xasprintf(" (and %zu more)", changed - 1) : xstrdup("");

		if (changed)
			report_note(report,
				    "%s%s is another file in %s than in %s: it has been built "
				    "again or replaced, so that functions of one name may not be "
				    "the same code.",
				    path, more, view->paths[i], view->paths[0]);
		free(more);
		if (changed)
			return;
	}
}

static void note_lines(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++)
		if (view->stretch->runs[i].unread_lines)
			report_warning(report, "%s: %s.", view->paths[i],
				       view->stretch->runs[i].unread_lines);
}

static void note_states(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];

		if (!run->has_states)
			report_note(report,
				    "%s has samples only: seconds are their number times %.3g ms, "
				    "and where cores had no work is not known. pscal record -F 997 "
				    "takes along what the scheduler does.",
				    view->paths[i], 1e3 * run->tick_s);
		else if (run->unknown_s > UNKNOWN_MOST * run->cores * run->wall_s)
			report_note(report,
				    "%s: for %.3g s of its threads nothing says that they ran, and "
				    "nothing that they did not; that is delay or no work.",
				    view->paths[i], run->unknown_s);
	}
}

/* What tasks have told that makes no sense; the words for one, and for several. */
static void note_count(struct report *report, const char *path, uint64_t count, const char *one,
		       const char *several)
{
	if (count)
		report_warning(report, "%s: %" PRIu64 " %s", path, count,
			       count == 1 ? one : several);
}

static void note_tasks(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct task_tree *tree = view->stretch->runs[i].tree;
		const char *path = view->paths[i];

		if (!tree)
			continue;
		note_count(report, path, tree->lost,
			   "step of a task was lost while it was recorded: a block is missing, or "
			   "ends too late.",
			   "steps of tasks were lost while it was recorded: blocks are missing, or "
			   "end too late.");
		note_count(report, path, tree->orphans,
			   "step is of a task that is not known, and is left out.",
			   "steps are of tasks that are not known, and are left out.");
		note_count(report, path, tree->never_begun,
			   "task is known only by its children; its own work is missing.",
			   "tasks are known only by their children; their own work is missing.");
		note_count(
			report, path, tree->never_run,
			"task was spawned and has not begun; that it waited is not in the delay.",
			"tasks were spawned and have not begun; that they waited is not in the "
			"delay.");
		note_count(report, path, tree->never_ended,
			   "task has not ended; a block that it is in lasts to the end of its "
			   "thread.",
			   "tasks have not ended; blocks that they are in last to the end of their "
			   "threads.");
		note_count(report, path, tree->never_synced,
			   "task has begun for which no sync waits; who waited for it without "
			   "saying so counts as a task that could run.",
			   "tasks have begun for which no sync waits; who waited for them without "
			   "saying so counts as a task that could run.");
	}
}

static void note_cores(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		if (column->loss.crowded_s > 0 && !column->has_loss)
			report_note(
				report,
				"%zu threads ran at once where there should have been %g core%s, "
				"so that it is not known where the time of the cores went; see "
				"--cores.",
				column->threads, column->cores, column->cores == 1 ? "" : "s");
	}
}

static void note_repeats(struct report *report, const struct stretch_view *view)
{
	bool several = view->stretch->base_count > 1;

	for (size_t i = 0; i < view->stretch->column_count; i++)
		several |= view->stretch->columns[i].run_count > 1;
	if (!several)
		report_note(report,
			    "Intervals are those of %s; how much runs vary is not in them. Give "
			    "several recordings of each, see --base.",
			    stretch_by_tasks(view->stretch->by)
				    ? "blocks that take differently long"
				    : "counting samples");
}

/* Without events of the scheduler what is missing of them is no news. */
static bool is_flaw(const struct stretch_run *run, enum quality_fact fact)
{
	return quality_value(&run->quality, fact) && quality_words(fact)->meaning &&
	       (run->has_states || fact == QUALITY_LOST || fact == QUALITY_DROPPED_SAMPLES);
}

static void note_quality(struct report *report, const struct stretch_view *view,
			 enum quality_fact fact)
{
	const struct quality_words *words = quality_words(fact);
	char *where = xstrdup("");
	uint64_t sum = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		char *longer;

		if (!is_flaw(&view->stretch->runs[i], fact))
			continue;
		longer = xasprintf("%s%s%s", where, *where ? ", " : "", view->paths[i]);
		sum += quality_value(&view->stretch->runs[i].quality, fact);
		free(where);
		where = longer;
	}
	if (sum && quality_kind(fact) == QUALITY_COUNT)
		report_warning(report, "Data quality of %s: %s: %" PRIu64 ". %s", where,
			       words->what, sum, words->meaning);
	else if (sum)
		report_warning(report, "Data quality of %s: %s", where, words->meaning);
	free(where);
}

void report_stretch_notes(struct report *report, const struct stretch_view *view)
{
	note_left_out(report, view);
	note_base(report, view);
	note_programs(report, view);
	note_files(report, view);
	note_alone(report, view);
	note_names(report, view);
	note_lines(report, view);
	note_states(report, view);
	note_tasks(report, view);
	note_cores(report, view);
	note_repeats(report, view);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		note_quality(report, view, fact);
}
