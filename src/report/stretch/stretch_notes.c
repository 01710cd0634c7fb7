/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch_private.h"

#include "base/alloc.h"
#include "report/report.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Verdict: the work --------------------------------------------------------------------- */

/* From here on one block is most of all stretch. */
static const double MOST = 0.5;

/* " (95 % interval of the stretch: 3.1 % to 33.4 %)"; "" */
static char *say_interval(const struct rate_ratio *stretch)
{
	char from[VALUE_SIZE], to[VALUE_SIZE];

	if (isnan(stretch->from) || isnan(stretch->to))
		return xstrdup("");
	return xasprintf(" (95 %% interval of the stretch: %s to %s)",
			 format_value(from, stretch->from, UNIT_SHARE),
			 format_value(to, stretch->to, UNIT_SHARE));
}

/* "On 2 cores" */
static char *say_where(const struct stretch_column *column)
{
	return column->cores > 0
		       ? xasprintf("On %g core%s", column->cores, column->cores == 1 ? "" : "s")
		       : xstrdup("In parallel");
}

static char *say_work(const struct stretch_view *view, const struct stretch_column *column)
{
	char serial[VALUE_SIZE], parallel[VALUE_SIZE], share[VALUE_SIZE], *how, *where, *interval,
		*text;

	if (isnan(column->stretch.value))
		return xstrdup("There are too few samples of work to say by how much it is "
			       "stretched.");
	format_value(share, fabs(column->stretch.value), UNIT_SHARE);
	how = strcmp(share, "0.0 %") == 0 ? xstrdup("as much CPU time as")
					  : xasprintf("%s %s CPU time than", share,
						      column->stretch.value < 0 ? "less" : "more");
	where = say_where(column);
	interval = say_interval(&column->stretch);
	text = xasprintf("%s the work takes %s in serial, %s instead of %s%s.", where, how,
			 format_value(parallel, column->work_s, UNIT_SPAN),
			 format_value(serial, view->stretch->serial_s, UNIT_SPAN), interval);
	free(how);
	free(where);
	free(interval);
	return text;
}

/* Nothing is known of how sure it is where there is one block, measured and not sampled. */
static bool is_beyond_chance(const struct rate_ratio *stretch)
{
	return stretch->value > 0 && !(stretch->from <= 0);
}

/* Of those that are shown: " Most of that is in matmul: ..."; "" where that may be chance. */
static char *say_block(const struct stretch_view *view)
{
	const struct stretch_row *row = view->row_count ? view->rows[0] : NULL;
	const struct stretch_cell *cell = row ? stretch_view_cell(view, row) : NULL;
	char *name, *text, serial[VALUE_SIZE], parallel[VALUE_SIZE], share[VALUE_SIZE];

	if (!row || !is_beyond_chance(&cell->stretch))
		return xstrdup("");
	name = stretch_view_name(row);
	text = xasprintf(" %s %s%s: %s instead of %s, %s more.",
			 cell->share >= MOST ? "Most of that is in" : "Most stretched is",
			 row->block->path ? "what is below task " : "", name,
			 format_value(parallel, cell->seconds, UNIT_SPAN),
			 format_value(serial, row->serial_s, UNIT_SPAN),
			 format_value(share, cell->stretch.value, UNIT_SHARE));
	free(name);
	return text;
}

/* --- Verdict: the time of the cores -------------------------------------------------------- */

struct said_part {
	const char *name;
	double share;
};

static int most_first(const void *a, const void *b)
{
	const struct said_part *one = a, *other = b;

	return (one->share < other->share) - (one->share > other->share);
}

/* " Of the 2 x 3.10 s of all cores 61 % is serial work; the rest is 20 % no work, ..."; "" */
static char *say_loss(const struct stretch_view *view, const struct stretch_column *column)
{
	double seconds[STRETCH_PARTS], all_s = column->loss.cores * column->loss.wall_s;
	struct said_part parts[STRETCH_PARTS];
	char wall[VALUE_SIZE], share[STRETCH_PARTS][VALUE_SIZE];

	if (!column->has_loss)
		return xstrdup("");
	stretch_view_loss(seconds, view, column);
	for (enum stretch_part i = 0; i < STRETCH_PARTS; i++)
		parts[i] = (struct said_part){stretch_part_name(i), seconds[i] / all_s};
	qsort(parts + 1, STRETCH_PARTS - 1, sizeof(*parts), most_first);
	for (size_t i = 0; i < STRETCH_PARTS; i++)
		format_value(share[i], parts[i].share, UNIT_SHARE);
	return xasprintf(
		" Of the %g x %s of all cores %s is %s; the rest is %s %s, %s %s, %s %s and %s %s.",
		column->cores, format_value(wall, column->loss.wall_s, UNIT_SPAN), share[0],
		parts[0].name, share[1], parts[1].name, share[2], parts[2].name, share[3],
		parts[3].name, share[4], parts[4].name);
}

void stretch_note_verdict(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);
	char *work = say_work(view, column), *block = say_block(view);
	char *loss = say_loss(view, column);

	report_note(report, "%s%s%s", work, block, loss);
	free(work);
	free(block);
	free(loss);
}

/* --- Counters: memory ---------------------------------------------------------------------- */

/* Between the two they were waited for one after the other, as far as that can be told. */
static const double SEVERAL_AT_ONCE = 1.5, LESS_THAN_ONE = .5;

/* On memory, from the misses of the last cache, if there are more in parallel. */
static void note_memory(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	for (size_t i = 0; i < column->surplus_count; i++) {
		const struct stretch_surplus *surplus = &column->surplus[i];
		double at_once = stretch_surplus_at_once(surplus);
		char cost[VALUE_SIZE], meaning[64] = "they were waited for one after the other";

		if (at_once >= SEVERAL_AT_ONCE)
			snprintf(meaning, sizeof(meaning),
				 "some %.2g of them were on their way at once", at_once);
		else if (at_once <= LESS_THAN_ONE)
			snprintf(meaning, sizeof(meaning),
				 "something else has stretched it, or memory was busy");
		report_note_if(report, !isnan(at_once),
			       "If nothing but %s has stretched the work, each one more has cost "
			       "%s; where memory answers in %.0f ns, %s.",
			       surplus->counter, format_value(cost, surplus->cost_s, UNIT_SPAN),
			       1e9 * STRETCH_MEMORY_S, meaning);
	}
}

/* --- Notes --------------------------------------------------------------------------------- */

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
	report_note_if(report, view->below,
		       "%zu row%s with less than %.3g %% of the work on each side %s left out; "
		       "--min-share 0 shows them.",
		       view->below, plural(view->below, "", "s"), 100 * view->min_share,
		       plural(view->below, "is", "are"));
	report_note_if(report, view->beyond, "%zu more row%s left out; --limit shows more.",
		       view->beyond, plural(view->beyond, " is", "s are"));
}

static void note_base(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->base_count; i++) {
		double several = stretch_run_several_share(&view->stretch->runs[i]);

		report_note_if(report, several > SEVERAL_MOST,
			       "%s is not of a serial run: for %.0f %% of the time in which it ran "
			       "several threads did at once. What it takes for serial work may be "
			       "stretched already.",
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
	report_note_if(
		report, fmax(serial_share, parallel_share) > ALONE_MOST,
		"%.0f %% of the work in serial and %.0f %% of that in parallel is in blocks that "
		"the other does not have: these cannot be compared%s.",
		100 * serial_share, 100 * parallel_share,
		stretch->by == STRETCH_BY_PATH
			? ", as threads begin elsewhere; --by function compares what they do"
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
	report_note_if(report, least < NAMED_LEAST,
		       "For %.0f %% of the work of %s the function is not known: files have no "
		       "symbols, are gone, or have changed since it was recorded; see --symfs.",
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
	size_t changed = 0;

	for (size_t i = 1; i < view->stretch->run_count && !changed; i++) {
		char more[64] = "";
		const char *path;

		changed = stretch_files_changed(&path, &runs[0].files, &runs[i].files);
		if (changed > 1)
			snprintf(more, sizeof(more), " (and %zu more)", changed - 1);
		report_note_if(report, changed,
			       "%s%s is another file in %s than in %s: it has been built again or "
			       "replaced, so that functions of one name may not be the same code.",
			       changed ? path : "", more, view->paths[i], view->paths[0]);
	}
}

static void note_lines(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const char *unread = view->stretch->runs[i].unread_lines;

		report_warning_if(report, unread, "%s: %s.", view->paths[i], unread);
	}
}

static void note_states(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		bool unsure = run->unknown_s > UNKNOWN_MOST * run->cores * run->wall_s;

		report_note_if(report, !run->has_states,
			       "%s has samples only: seconds are their number times %.3g ms, and "
			       "where cores had no work is not known. pscal record -F 997 takes "
			       "along what the scheduler does.",
			       view->paths[i], 1e3 * run->tick_s);
		report_note_if(report, run->has_states && unsure,
			       "%s: for %.3g s of its threads nothing says that they ran, and "
			       "nothing that they did not; that is delay or no work.",
			       view->paths[i], run->unknown_s);
	}
}

/* Steps of tasks that make no sense: how many, and the words for one and for several. */
static const struct {
	size_t offset;
	const char *one, *several;
} task_flaws[] = {
	{offsetof(struct task_tree, lost),
	 "step of a task was lost while it was recorded: a block is missing, or ends too late.",
	 "steps of tasks were lost while it was recorded: blocks are missing, or end too late."},
	{offsetof(struct task_tree, orphans),
	 "step is of a task that is not known, and is left out.",
	 "steps are of tasks that are not known, and are left out."},
	{offsetof(struct task_tree, never_begun),
	 "task is known only by its children; its own work is missing.",
	 "tasks are known only by their children; their own work is missing."},
	{offsetof(struct task_tree, never_run),
	 "task was spawned and has not begun; that it waited is not in the delay.",
	 "tasks were spawned and have not begun; that they waited is not in the delay."},
	{offsetof(struct task_tree, never_ended),
	 "task has not ended; a block that it is in lasts to the end of its thread.",
	 "tasks have not ended; blocks that they are in last to the end of their threads."},
	{offsetof(struct task_tree, never_synced),
	 "task has begun for which no sync waits; who waited for it without saying so counts as a "
	 "task that could run.",
	 "tasks have begun for which no sync waits; who waited for them without saying so counts "
	 "as a task that could run."},
};

static void note_tasks(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const char *tree = (const char *)view->stretch->runs[i].tree;

		for (size_t k = 0; tree && k < sizeof(task_flaws) / sizeof(task_flaws[0]); k++) {
			uint64_t count = *(const uint64_t *)(tree + task_flaws[k].offset);

			report_warning_if(report, count, "%s: %" PRIu64 " %s", view->paths[i],
					  count,
					  plural(count, task_flaws[k].one, task_flaws[k].several));
		}
	}
}

static void note_cores(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		report_note_if(report, column->loss.crowded_s > 0 && !column->has_loss,
			       "%zu threads ran at once where there should have been %g core%s, so "
			       "that it is not known where the time of the cores went; see "
			       "--cores.",
			       column->threads, column->cores, column->cores == 1 ? "" : "s");
	}
}

static void note_repeats(struct report *report, const struct stretch_view *view)
{
	bool several = view->stretch->base_count > 1;

	for (size_t i = 0; i < view->stretch->column_count; i++)
		several |= view->stretch->columns[i].run_count > 1;
	report_note_if(report, !several,
		       "Intervals are those of %s; how much runs vary is not in them. Give several "
		       "recordings of each, see --base.",
		       stretch_by_tasks(view->stretch->by) ? "blocks that take differently long"
							   : "counting samples");
}

static bool is_flaw(const struct stretch_run *run, enum quality_fact fact)
{
	return quality_value(&run->quality, fact) && quality_words(fact)->meaning;
}

static void note_quality(struct report *report, const struct stretch_view *view,
			 enum quality_fact fact)
{
	const struct quality_words *words = quality_words(fact);
	bool is_count = quality_kind(fact) == QUALITY_COUNT;
	char *where = xstrdup("");
	uint64_t sum = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		if (!is_flaw(&view->stretch->runs[i], fact))
			continue;
		xappend(&where, "", "%s%s", *where ? ", " : "", view->paths[i]);
		sum += quality_value(&view->stretch->runs[i].quality, fact);
	}
	report_warning_if(report, sum && is_count, "Data quality of %s: %s: %" PRIu64 ". %s", where,
			  words->what, sum, words->meaning);
	report_warning_if(report, sum && !is_count, "Data quality of %s: %s", where,
			  words->meaning);
	free(where);
}

void stretch_notes(struct report *report, const struct stretch_view *view)
{
	note_memory(report, view);
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
