/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "report/report_text.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Order --------------------------------------------------------------------------------- */

const char *rdam_order_name(enum rdam_order order)
{
	static const char *const names[RDAM_ORDERS] = {"score", "grouped", "lost", "total",
						       "calls", "p50",	   "p99",  "name"};

	return names[order];
}

static double value_of(const struct rdam_row *row, enum rdam_order order)
{
	const double values[RDAM_ORDERS] = {
		[RDAM_BY_SCORE] = row->score,  [RDAM_BY_GROUPED] = row->grouped_score,
		[RDAM_BY_LOST] = row->lost_s,  [RDAM_BY_TOTAL] = row->total_s,
		[RDAM_BY_P50] = row->median_s, [RDAM_BY_CALLS] = (double)row->occurrences,
		[RDAM_BY_P99] = row->p99_s,
	};

	return values[order];
}

/* Compares two rows. Rows are in an array by score, whose order decides between equals. */
static int compare_rows(const void *left, const void *right, void *context)
{
	const struct rdam_row *a = *(const struct rdam_row *const *)left;
	const struct rdam_row *b = *(const struct rdam_row *const *)right;
	enum rdam_order order = *(const enum rdam_order *)context;
	double x = value_of(a, order), y = value_of(b, order);
	int names = order == RDAM_BY_NAME ? strcmp(a->name, b->name) : 0;

	if (names || x < y || x > y)
		return names ? names : x < y ? 1 : -1;
	return (a > b) - (a < b);
}

void rdam_view_init(struct rdam_view *view)
{
	const struct rdam *rdam = view->rdam;

	view->rows = xcalloc(rdam->row_count, sizeof(*view->rows));
	for (size_t i = 0; i < rdam->row_count; i++)
		if (rdam->rows[i].score >= view->min_score)
			view->rows[view->row_count++] = &rdam->rows[i];
	view->below = rdam->row_count - view->row_count;
	if (view->row_count)
		qsort_r(view->rows, view->row_count, sizeof(*view->rows), compare_rows,
			&view->order);
}

void rdam_view_release(struct rdam_view *view)
{
	free(view->rows);
}

/* --- Threads ------------------------------------------------------------------------------- */

/*
 * Returns a thread with its number, or another cause of a wakeup (timeline.h). The caller frees it.
 */
static char *name_thread(const struct rdam_view *view, uint32_t by)
{
	const struct rdam_thread *thread;

	if (by == BY_STRANGER)
		return xstrdup("another program");
	if (by == BY_INTERRUPT)
		return xstrdup("a timer or a device");
	if (by >= view->trace->thread_count)
		return xstrdup("an unrecorded event");
	thread = &view->trace->threads[by];
	if (!*thread_name_text(&thread->name))
		return xasprintf("thread %d", (int)thread->tid);
	return xasprintf("thread %d (%s)", (int)thread->tid, thread_name_text(&thread->name));
}

static size_t threads_with_blocks(const struct rdam_trace *trace)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->thread_count; i++)
		count += trace->threads[i].count > 0;
	return count;
}

char *rdam_view_where(const struct rdam_view *view, const struct rdam_row *row)
{
	size_t threads = threads_with_blocks(view->trace);

	if (row->thread != SIZE_MAX)
		return name_thread(view, (uint32_t)row->thread);
	return xasprintf("%zu thread%s", threads, plural(threads, "", "s"));
}

/* --- Causes -------------------------------------------------------------------------------- */

const char *rdam_kind_words(enum rdam_kind kind)
{
	static const char *const words[RDAM_KINDS] = {"run queue", "blocked", "page faults", "disk",
						      "stopped",   "unknown", "on CPU"};

	return words[kind];
}

/* --- Callers ------------------------------------------------------------------------------- */

/* If stacks are recorded at the entry of the function, the innermost function is the row's own. */
size_t rdam_view_callers(const struct rdam_view *view, const struct rdam_row *row, uint32_t number,
			 const char *const **first)
{
	const struct chain_name *name = chain_names_get(view->names, number);
	const char *block = view->trace->blocks->items[row->block].name;
	bool own = name->count && strcmp(name->functions[0], block) == 0;

	*first = (const char *const *)name->functions + own;
	return name->count - own;
}

/* --- Dependence ---------------------------------------------------------------------------- */

const char *rdam_view_dependence_name(const struct rdam_view *view, const struct rdam_row *row,
				      const struct rdam_dependence *dependence, char text[32])
{
	size_t i = (size_t)(dependence - row->dependence);
	const char *name;

	if (i == RDAM_CALLS)
		return "calls";
	name = blocks_argument(view->trace->blocks, row->block, i);
	snprintf(text, 32, "arg%zu", i + 1);
	return name ? name : text;
}

/* --- The verdict --------------------------------------------------------------------------- */

/* The place where a call spent the time, by the kind of its main cause. */
static const char *const kind_clauses[RDAM_KINDS] = {
	[RDAM_KIND_RUN_QUEUE] = "in the run queue",
	[RDAM_KIND_BLOCKED] = "blocked",
	[RDAM_KIND_PAGE_FAULTS] = "in page faults",
	[RDAM_KIND_DISK] = "in uninterruptible sleep, mostly for a disk",
	[RDAM_KIND_STOPPED] = "stopped by a signal or a debugger",
	[RDAM_KIND_UNKNOWN] = "in an unknown state",
	[RDAM_KIND_ON_CPU] = "on a CPU: slower caches or memory, spinning, or more to do",
};

/* The same by a cause that is known in detail. */
static const char *const cause_clauses[RDAM_CAUSES] = {
	[RDAM_CPU_WAIT_OWN] = "in the run queue behind other threads of the program",
	[RDAM_CPU_WAIT_STRANGER] = "in the run queue behind other programs",
	[RDAM_BLOCKED] = "blocked until one of several threads of the program woke it",
	[RDAM_BLOCKED_OTHER] = "blocked until something outside the program woke it",
};

static char *say_main_cause(const struct rdam_view *view, const struct rdam_verdict *verdict)
{
	const char *clause = verdict->cause < RDAM_CAUSES ? cause_clauses[verdict->cause] : NULL;
	char *waker, *text;

	if (!verdict->waker)
		return xstrdup(clause ? clause : kind_clauses[verdict->kinds.order[0]]);
	waker = name_thread(view, verdict->waker->thread);
	text = xasprintf("blocked until %s woke it", waker);
	free(waker);
	return text;
}

/* Returns ", 43 % of it blocked until thread 101 woke it, 29 % in the run queue", or "". */
static char *say_causes(const struct rdam_view *view, const struct rdam_verdict *verdict)
{
	static const double NEARLY_ALL = 0.95;
	const enum rdam_kind *order = verdict->kinds.order;
	const double *seconds = verdict->kinds.seconds;
	double all = verdict->inner->lost_s;
	char *main, *text;

	if (!verdict->kind_count)
		return xstrdup("");
	main = say_main_cause(view, verdict);
	text = seconds[order[0]] >= NEARLY_ALL * all
		       ? xasprintf(", %s", main)
		       : xasprintf(", %.0f %% of it %s", 100 * seconds[order[0]] / all, main);
	if (verdict->kind_count > 1)
		xappend(&text, "", ", %.0f %% %s", 100 * seconds[order[1]] / all,
			kind_clauses[order[1]]);
	free(main);
	return text;
}

/* Returns "thread 102 (server) lost 4.00 ms in it (52.2 % of 7.66 ms)". */
static char *say_cost(const struct rdam_view *view, const struct rdam_verdict *verdict)
{
	const struct rdam_row *row = verdict->row;
	char lost[VALUE_SIZE], wall[VALUE_SIZE], *where = rdam_view_where(view, row);
	char *text = xasprintf("%s lost %s in it (%.3g %% of %s)", where,
			       format_value(lost, row->lost_s, UNIT_SPAN), 100 * row->score,
			       format_value(wall, row->wall_s, UNIT_SPAN));

	if (verdict->inner != row)
		xappend(&text, "", ", %s of that in %s",
			format_value(lost, verdict->inner->lost_s, UNIT_SPAN),
			verdict->inner->name);
	free(where);
	return text;
}

char *rdam_view_verdict(const struct rdam_view *view, const struct rdam_verdict *verdict)
{
	char *cost, *causes, *text;

	if (verdict->finding == RDAM_NOT_COMPARED)
		return xstrdup("No function was called twice to its end in one thread: there is "
			       "nothing to compare.");
	if (verdict->finding == RDAM_NOTHING_LOST)
		return xstrdup("Nothing is lost: every call is as fast as the fastest call of its "
			       "function.");
	cost = say_cost(view, verdict);
	causes = say_causes(view, verdict);
	if (verdict->finding == RDAM_COSTLY)
		text = xasprintf("%s costs most: %s%s.", verdict->row->name, cost, causes);
	else
		text = xasprintf("No function loses %.3g %% or more of its thread's time to "
				 "interference. The most: %s, where %s%s.",
				 100 * view->costly_score, verdict->row->name, cost, causes);
	free(cost);
	free(causes);
	return text;
}
