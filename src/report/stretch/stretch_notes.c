/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_private.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "report/report.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The verdict --------------------------------------------------------------------------- */

/* Returns "with 2 threads on 2 cores". */
static char *say_where(const struct stretch_column *column)
{
	const char *threads = plural(column->threads, "", "s");

	if (!(column->cores > 0))
		return xasprintf("with %zu thread%s", column->threads, threads);
	return xasprintf("with %zu thread%s on %g core%s", column->threads, threads, column->cores,
			 column->cores == 1 ? "" : "s");
}

/* Returns " (95 %: -4.4 to 16.4 %)", or "". */
static char *say_interval(const struct rate_ratio *stretch)
{
	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("");
	return xasprintf(" (95 %%: %.1f to %.1f %%)", 100 * stretch->from, 100 * stretch->to);
}

/*
 * The words of a finding: start and verb of the sentence, and the start of the next one, on a row.
 */
static const struct {
	const char *start, *verb, *row, *most;
} findings[] = {
	[STRETCH_EQUAL] = {"No certain change: ", "took", " It grew in", " It grew in"},
	[STRETCH_MORE] = {"", "needs", " It grew most in", " Most of that is in"},
	[STRETCH_LESS] = {"", "needs", " It grew in", " It grew in"},
};

/* Returns "12 % more", "5.2 % less", "the same". */
static char *say_change(double change)
{
	char share[VALUE_SIZE];

	format_value(share, fabs(change), UNIT_SHARE);
	if (strcmp(share, "0.0 %") == 0)
		return xstrdup("the same");
	return xasprintf("%s %s", share, change < 0 ? "less" : "more");
}

static char *say_work(const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);
	const struct stretch_run *run = &view->stretch->runs[view->stretch->run_count - 1];
	enum stretch_finding finding = view->verdict.finding;
	char *change = say_change(column->stretch.value), *where = say_where(column);
	char *interval = say_interval(&column->stretch), *text;
	char serial[VALUE_SIZE], parallel[VALUE_SIZE];

	text = xasprintf("%s%s %s %s CPU time %s: %s instead of %s%s.", findings[finding].start,
			 run->program ? run->program : "the program", findings[finding].verb,
			 change, where, format_value(parallel, column->work_s, UNIT_SPAN),
			 format_value(serial, view->stretch->serial_s, UNIT_SPAN), interval);
	free(change);
	free(where);
	free(interval);
	return text;
}

/* Returns " Most of that is in matmul: 260 ms instead of 208 ms, 25.1 % more.", or "". */
static char *say_row(const struct stretch_view *view)
{
	const struct stretch_verdict *verdict = &view->verdict;
	const struct stretch_row *row = verdict->row;
	char *name, *change, *text, serial[VALUE_SIZE], parallel[VALUE_SIZE];
	const struct stretch_cell *cell;

	if (!row)
		return xstrdup("");
	cell = stretch_view_cell(view, row);
	name = stretch_view_name(row);
	change = say_change(cell->stretch.value);
	text = xasprintf("%s %s%s: %s instead of %s, %s.",
			 verdict->is_most ? findings[verdict->finding].most
					  : findings[verdict->finding].row,
			 row->block->path ? "the tasks below " : "", name,
			 format_value(parallel, cell->seconds, UNIT_SPAN),
			 format_value(serial, row->serial_s, UNIT_SPAN), change);
	free(name);
	free(change);
	return text;
}

/* --- Alerts -------------------------------------------------------------------------------- */

/* The shares of core time, work or time that change the meaning of the numbers. */
static const double QUEUE_MOST = .1, SEVERAL_MOST = .05, UNKNOWN_MOST = .01, ALONE_MOST = .1,
		    UNNAMED_MOST = .5;

static void alert_core_time(struct report *report, const struct stretch_view *view)
{
	const struct stretch_verdict *verdict = &view->verdict;

	report_alert_if(report, verdict->run_queue_share > QUEUE_MOST,
			"%.0f %% of the core time was run-queue wait: repeat on an idle machine.",
			100 * verdict->run_queue_share);
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		report_alert_if(report, column->loss.crowded_s > 0 && !column->has_loss,
				"%zu threads ran at once on %g core%s: the core time is unknown "
				"(--cores).",
				column->threads, column->cores, column->cores == 1 ? "" : "s");
	}
}

static void alert_base(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->base_count; i++) {
		double several = stretch_run_several_share(&view->stretch->runs[i]);

		report_alert_if(report, several > SEVERAL_MOST,
				"%s is not serial: several threads ran for %.0f %% of its time.",
				view->paths[i], 100 * several);
	}
}

/* Alerts of rows on one side only: they are counted in all work, but have no inflation. */
static void alert_alone(struct report *report, const struct stretch_view *view)
{
	const struct stretch_verdict *verdict = &view->verdict;

	report_alert_if(report, fmax(verdict->serial_alone, verdict->parallel_alone) > ALONE_MOST,
			"Not compared: %.0f %% of the serial and %.0f %% of the parallel work%s.",
			100 * verdict->serial_alone, 100 * verdict->parallel_alone,
			view->stretch->by == STRETCH_BY_PATH ? "; try --by function" : "");
}

static void alert_programs(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;

	for (size_t i = 1; i < view->stretch->run_count; i++)
		if (runs[0].program && runs[i].program &&
		    strcmp(runs[0].program, runs[i].program) != 0) {
			report_alert(report,
				     "%s is of %s and %s is of %s: functions are compared by "
				     "name.",
				     view->paths[0], runs[0].program, view->paths[i],
				     runs[i].program);
			return;
		}
}

static void alert_files(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;
	size_t changed = 0;

	for (size_t i = 1; i < view->stretch->run_count && !changed; i++) {
		char more[64] = "";
		const char *path;

		changed = stretch_files_changed(&path, &runs[0].files, &runs[i].files);
		if (changed > 1)
			snprintf(more, sizeof(more), " (and %zu more)", changed - 1);
		report_alert_if(report, changed,
				"%s%s differs between %s and %s: functions may be other code.",
				changed ? path : "", more, view->paths[0], view->paths[i]);
	}
}

static void alert_states(struct report *report, const struct stretch_view *view)
{
	bool told = false;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		bool unsure = run->unknown_s > UNKNOWN_MOST * run->cores * run->wall_s;
		char unknown[VALUE_SIZE];

		report_alert_if(
			report, !run->has_states && !told,
			"%s has samples only (of %.3g ms), so core time is unknown: record with "
			"'pscal record -F 997'.",
			view->paths[i], 1e3 * run->tick_s);
		told |= !run->has_states;
		report_alert_if(report, run->has_states && unsure,
				"%s: thread states are unknown for %s.", view->paths[i],
				format_value(unknown, run->unknown_s, UNIT_SPAN));
	}
}

static void alert_repeats(struct report *report, const struct stretch_view *view)
{
	report_alert_if(
		report, !stretch_view_last(view)->has_repeats,
		"Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.");
}

void stretch_say_verdict(struct report *report, const struct stretch_view *view)
{
	const struct stretch_verdict *verdict = &view->verdict;
	char *work = verdict->finding == STRETCH_UNSURE
			     ? xstrdup("There are too few samples of work to compare it.")
			     : say_work(view);
	char *row = verdict->finding == STRETCH_UNSURE ? xstrdup("") : say_row(view);

	report_verdict(report, "%s%s", work, row);
	free(work);
	free(row);
	alert_core_time(report, view);
	alert_base(report, view);
	alert_programs(report, view);
	alert_files(report, view);
	alert_alone(report, view);
	alert_states(report, view);
	alert_repeats(report, view);
	report_alert_if(report, verdict->unnamed_share > UNNAMED_MOST,
			"%.0f %% of the work of %s has no function names: install debug symbols, "
			"or see --symfs.",
			100 * verdict->unnamed_share, view->paths[verdict->unnamed_run]);
}

/* --- Counters: memory ---------------------------------------------------------------------- */

/* Between these two numbers misses were waited for one after the other, as far as known. */
static const double SEVERAL_AT_ONCE = 1.5, LESS_THAN_ONE = .5;

/*
 * Notes memory as a cause, from the misses of the last cache, if parallel runs have more of them.
 */
static void note_memory(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	for (size_t i = 0; i < column->surplus_count; i++) {
		const struct stretch_surplus *surplus = &column->surplus[i];
		double at_once = stretch_surplus_at_once(surplus);
		char cost[VALUE_SIZE], meaning[64] = "they come one after the other";

		if (at_once >= SEVERAL_AT_ONCE)
			snprintf(meaning, sizeof(meaning), "about %.2g are in flight at once",
				 at_once);
		else if (at_once <= LESS_THAN_ONE)
			snprintf(meaning, sizeof(meaning),
				 "something else inflates the work, or memory is busy");
		report_note_if(report, !isnan(at_once),
			       "Each extra %s costs %s if nothing else inflates the work. Memory "
			       "answers in %.0f ns: %s.",
			       surplus->counter, format_value(cost, surplus->cost_s, UNIT_SPAN),
			       1e9 * STRETCH_MEMORY_S, meaning);
	}
}

/* Notes the usual causes if no counter shows the cause. */
static void note_causes(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);
	bool is_told = false;

	for (size_t i = 0; i < column->surplus_count; i++)
		is_told |= !isnan(stretch_surplus_at_once(&column->surplus[i]));
	report_note_if(report, view->verdict.finding == STRETCH_MORE && !is_told,
		       "Usual causes: memory and caches, or locks that spin. Recordings with -e "
		       "cache-misses tell the cost of a miss.");
}

/* --- Notes --------------------------------------------------------------------------------- */

static void note_left_out(struct report *report, const struct stretch_view *view)
{
	char *count = stretch_view_count(view, view->below);

	report_note_if(report, view->below,
		       "%s with less than %.3g %% of the work %s left out; --all.", count,
		       100 * view->min_share, plural(view->below, "is", "are"));
	free(count);
}

static void note_lines(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const char *unread = view->stretch->runs[i].unread_lines;

		report_warning_if(report, unread, "%s: %s.", view->paths[i], unread);
	}
}

/* Invalid task events, and their treatment. */
static const struct {
	size_t offset; /* offset of their number in the tree */
	const char *what, *meaning;
} task_flaws[] = {
	{offsetof(struct task_tree, lost), "lost task events",
	 "Segments are missing, or end too late."},
	{offsetof(struct task_tree, orphans), "events of unknown tasks", "They are left out."},
	{offsetof(struct task_tree, never_begun), "tasks known only from their children",
	 "Their own work is missing."},
	{offsetof(struct task_tree, never_run), "tasks that never began",
	 "Their wait is not counted."},
	{offsetof(struct task_tree, never_ended), "tasks that never ended",
	 "Their last segment lasts to the end of the thread."},
	{offsetof(struct task_tree, never_synced), "tasks that no sync waits for",
	 "A parent that waits for them counts as a task that could run."},
};

static void note_tasks(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const char *tree = (const char *)view->stretch->runs[i].tree;

		for (size_t k = 0; tree && k < sizeof(task_flaws) / sizeof(task_flaws[0]); k++) {
			uint64_t count = *(const uint64_t *)(tree + task_flaws[k].offset);

			report_warning_if(report, count, "%s: %s: %" PRIu64 ". %s", view->paths[i],
					  task_flaws[k].what, count, task_flaws[k].meaning);
		}
	}
}

static bool is_flaw(const struct stretch_run *run, enum quality_fact fact)
{
	return quality_value(&run->quality, fact) && quality_words(fact)->meaning;
}

static void note_quality(struct report *report, const struct stretch_view *view,
			 enum quality_fact fact)
{
	char *where = xstrdup(""), *sentence;
	bool matters = false;
	uint64_t sum = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		if (!is_flaw(&view->stretch->runs[i], fact))
			continue;
		xappend(&where, "", "%s%s", *where ? ", " : "", view->paths[i]);
		sum += quality_value(&view->stretch->runs[i].quality, fact);
		matters |= quality_matters(&view->stretch->runs[i].quality, fact);
	}
	sentence = report_quality_sentence(fact, sum);
	report_alert_if(report, sentence && matters, "%s: %s", where, sentence);
	report_detail_if(report, sentence && !matters, "%s: %s", where, sentence);
	free(sentence);
	free(where);
}

/* Proposes the next command, for the last recording. */
static void advise(struct report *report, const struct stretch_view *view)
{
	const char *words[] = {"pscal", "stretch", "--by", "line", view->paths[0], NULL, NULL};
	bool by_line = view->verdict.row && view->stretch->by == STRETCH_BY_FUNCTION &&
		       view->verdict.row->block->function;
	char *line;

	words[5] = view->paths[view->stretch->run_count - 1];
	if (!by_line && !stretch_view_last(view)->has_loss)
		return;
	if (!by_line) {
		words[1] = "forecast";
		words[2] = words[5];
		words[3] = NULL;
	}
	line = shell_quote(words);
	report_next_step(report, "%s", line);
	free(line);
}

void stretch_notes(struct report *report, const struct stretch_view *view)
{
	note_memory(report, view);
	note_causes(report, view);
	note_left_out(report, view);
	note_lines(report, view);
	note_tasks(report, view);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		note_quality(report, view, fact);
	report_detail(report,
		      "Work inflation: CPU time that the same work takes longer in parallel. Idle: "
		      "core time with nothing to run. Intervals: 95 %%.");
	advise(report, view);
}
