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
	static const char *const names[RDAM_ORDERS] = {"score",	      "grouped", "lost", "total",
						       "occurrences", "median",	 "p99",	 "name"};

	return names[order];
}

static double value_of(const struct rdam_row *row, enum rdam_order order)
{
	const double values[RDAM_ORDERS] = {
		[RDAM_BY_SCORE] = row->score,	  [RDAM_BY_GROUPED] = row->grouped_score,
		[RDAM_BY_LOST] = row->lost_s,	  [RDAM_BY_TOTAL] = row->total_s,
		[RDAM_BY_MEDIAN] = row->median_s, [RDAM_BY_OCCURRENCES] = (double)row->occurrences,
		[RDAM_BY_P99] = row->p99_s,
	};

	return values[order];
}

/* Rows are an array in the order of scores, which decides where nothing else does. */
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
		if (rdam->rows[i].score >= view->threshold)
			view->rows[view->row_count++] = &rdam->rows[i];
	view->below = rdam->row_count - view->row_count;
	if (view->row_count)
		qsort_r(view->rows, view->row_count, sizeof(*view->rows), compare_rows,
			&view->order);
	if (view->row_count > view->limit) {
		view->beyond = view->row_count - view->limit;
		view->row_count = view->limit;
	}
}

void rdam_view_release(struct rdam_view *view)
{
	free(view->rows);
}

/* --- Threads ------------------------------------------------------------------------------- */

/* A thread by its number, or another cause of a wakeup as of timeline.h. To be freed. */
static char *name_thread(const struct rdam_view *view, uint32_t by)
{
	const struct block_thread *thread;

	if (by == BY_STRANGER)
		return xstrdup("a thread that is not of the target");
	if (by == BY_INTERRUPT)
		return xstrdup("an interrupt: time, or a device");
	if (by >= view->trace->thread_count)
		return xstrdup("something that is not on record");
	thread = &view->trace->threads[by];
	if (!*thread->comm)
		return xasprintf("thread %d", (int)thread->tid);
	return xasprintf("thread %d (%s)", (int)thread->tid, thread->comm);
}

static size_t threads_with_blocks(const struct block_trace *trace)
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
	static const char *const words[RDAM_KINDS] = {"CPU wait", "blocked", "page faults", "disk",
						      "stopped",  "unknown", "on CPU"};

	return words[kind];
}

/* --- Callers ------------------------------------------------------------------------------- */

/* Where a function is entered it is the innermost of the chain itself. */
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

/* --- Verdict: the costliest row ------------------------------------------------------------ */

/* From here on a part is most of a whole. */
static const double MOST = 0.5;

static char *say_occurrences(const struct rdam_view *view, const struct rdam_row *row)
{
	if (view->trace->every <= 1)
		return xasprintf("its %" PRIu64 " occurrences", row->occurrences);
	return xasprintf("its occurrences, of which %" PRIu64 " are on record,", row->occurrences);
}

static char *say_cost(const struct rdam_view *view, const struct rdam_row *row)
{
	char lost[VALUE_SIZE], least[VALUE_SIZE], wall[VALUE_SIZE];
	char *where = rdam_view_where(view, row), *occurrences = say_occurrences(view, row);
	char *text =
		xasprintf("%s in %s took %s longer than if each had been as fast as the fastest, "
			  "%s: %.3g %% of %s wall time of %s.",
			  occurrences, where, format_value(lost, row->lost_s, UNIT_SPAN),
			  format_value(least, row->min_s, UNIT_SPAN), 100 * row->score,
			  row->thread == SIZE_MAX ? "their" : "the thread's",
			  format_value(wall, row->wall_s, UNIT_SPAN));

	free(where);
	free(occurrences);
	return text;
}

/* Blocks around others have their causes from these. */
static char *say_inner(const struct rdam_row *row, const struct rdam_row *inner)
{
	char lost[VALUE_SIZE];

	if (inner == row)
		return xstrdup("");
	return xasprintf(" Most of that, %s, is lost within it, in %s.",
			 format_value(lost, inner->lost_s, UNIT_SPAN), inner->name);
}

/* --- Verdict: the causes ------------------------------------------------------------------- */

/*
 * The name of the waker that ended most of the sleep for which most of the excess is: that ended by
 * threads of the target, or else the other. To be freed; NULL: there is none. A block may sleep for
 * long in any case.
 */
static char *say_waker(const struct rdam_view *view, const struct rdam_row *row, bool own)
{
	const struct rdam_waker *most = NULL;
	double slept = 0;

	for (size_t i = 0; i < row->waker_count; i++) {
		if ((row->wakers[i].thread < BY_INTERRUPT) != own)
			continue;
		slept += row->wakers[i].slept_s;
		most = most ? most : &row->wakers[i];
	}
	if (!most || most->slept_s < MOST * slept || most->thread == BY_NOBODY)
		return NULL;
	return name_thread(view, most->thread);
}

static char *say_blocked(const struct rdam_view *view, const struct rdam_row *row)
{
	bool own = row->causes_s[RDAM_BLOCKED] > row->causes_s[RDAM_BLOCKED_OTHER];
	char *waker = say_waker(view, row, own), *text;

	if (waker)
		text = xasprintf("it was blocked, mostly until %s let it go on", waker);
	else if (own)
		text = xstrdup("it was blocked until one of several other threads of the program "
			       "let it go on");
	else
		text = xstrdup("it was blocked until something else than a thread of the program "
			       "let it go on");
	free(waker);
	return text;
}

static char *say_cpu_wait(const struct rdam_row *row)
{
	const double *s = row->causes_s;
	double all = s[RDAM_CPU_WAIT_OWN] + s[RDAM_CPU_WAIT_STRANGER] + s[RDAM_CPU_WAIT];

	if (s[RDAM_CPU_WAIT_OWN] > MOST * all)
		return xstrdup("it waited for a CPU that another thread of the program had");
	if (s[RDAM_CPU_WAIT_STRANGER] > MOST * all)
		return xstrdup("it waited for a CPU that another program had");
	return xstrdup("it waited for a CPU");
}

/* Of CPU waits and blocking more is known. */
static char *say_kind(const struct rdam_view *view, const struct rdam_row *row, enum rdam_kind kind)
{
	static const char *const sentences[RDAM_KINDS] = {
		[RDAM_KIND_PAGE_FAULTS] = "it waited for the kernel to give it memory that it "
					  "touched for the first time, or again (page faults)",
		[RDAM_KIND_DISK] = "it waited for a device without being interruptible",
		[RDAM_KIND_STOPPED] = "it was stopped by a signal or a debugger",
		[RDAM_KIND_UNKNOWN] = "what it did is unknown",
		[RDAM_KIND_ON_CPU] = "it was on a CPU and slower, or did more: caches, memory, "
				     "shared cache lines, spinning",
	};

	if (kind == RDAM_KIND_CPU_WAIT)
		return say_cpu_wait(row);
	return kind == RDAM_KIND_BLOCKED ? say_blocked(view, row) : xstrdup(sentences[kind]);
}

static char *say_causes(const struct rdam_view *view, const struct rdam_row *row)
{
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);
	double first = kinds.seconds[kinds.order[0]], second = kinds.seconds[kinds.order[1]];
	char *what, *text;

	if (!(row->lost_s > 0) || !view->trace->has_states)
		return xstrdup("");
	what = say_kind(view, row, kinds.order[0]);
	if (first >= MOST * row->lost_s)
		text = xasprintf(" For %.3g %% of that %s.", 100 * first / row->lost_s, what);
	else
		text = xasprintf(" For %.3g %% of that %s, and %.3g %% is %s.",
				 100 * first / row->lost_s, what, 100 * second / row->lost_s,
				 rdam_kind_words(kinds.order[1]));
	free(what);
	return text;
}

/* --- Verdict: the rest --------------------------------------------------------------------- */

/* Other threads that lose as much in the same block. */
static char *say_others(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct rdam *rdam = view->rdam;
	size_t others = 0;

	for (size_t i = 0; i < rdam->row_count; i++)
		others += &rdam->rows[i] != row && strcmp(rdam->rows[i].name, row->name) == 0 &&
			  rdam->rows[i].score >= view->threshold;
	if (!others || row->score < view->threshold || !(view->threshold > 0))
		return xstrdup("");
	return xasprintf(" It costs %zu other thread%s %.3g %% or more, too.", others,
			 plural(others, "", "s"), 100 * view->threshold);
}

static char *say_caller(const struct rdam_view *view, const struct rdam_row *row)
{
	uint32_t name = view->names && row->stack_count
				? chain_names_find(view->names, row->stacks[0].chain)
				: 0;
	const char *const *functions;
	size_t callers = name ? rdam_view_callers(view, row, name, &functions) : 0;
	char *text = xstrdup("");

	for (size_t i = 0; i < callers; i++)
		xappend(&text, "", "%s%s%s", i ? " < " : " It is called from ", functions[i],
			i + 1 < callers ? "" : ".");
	return text;
}

static char *say_dependence(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct rdam_dependence *on = rdam_strongest_dependence(row);
	const char *name;
	char text[32];

	if (row->known_dependent && !on)
		return xstrdup(" But what it has to do is known to depend on its arguments, so "
			       "that it ran longer need not be interference.");
	if (!on || !(on->score < row->score))
		return xstrdup("");
	name = rdam_view_dependence_name(view, row, on, text);
	return xasprintf(" But how long it takes depends on %s: with that taken into account the "
			 "score is %.3g %%.",
			 on == &row->dependence[RDAM_CALLS] ? "what is called within it" : name,
			 100 * on->score);
}

static char *say_higher(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct rdam_row *first = view->rdam->rows;
	char *why, *text;

	if (first == row || strcmp(first->name, row->name) == 0)
		return xstrdup("");
	why = rdam_disturbed_score(first) > rdam_disturbed_score(row)
		      ? xasprintf("it has run only %" PRIu64 " times", first->occurrences)
		      : xstrdup("how long it takes depends on what it is given to do");
	text = xasprintf(" (The score of %s is higher, %.3g %%, but %s.)", first->name,
			 100 * first->score, why);
	free(why);
	return text;
}

static char *say_first(const struct rdam_view *view, const struct rdam_row *row)
{
	if (rdam_disturbed_score(row) >= view->threshold)
		return xasprintf("%s costs most: ", row->name);
	return xasprintf("No block costs %.3g %% of wall time or more%s. Most does %s: ",
			 100 * view->threshold,
			 row->score < view->threshold
				 ? ""
				 : ", what durations depend on being taken into account",
			 row->name);
}

static char *say_all(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct rdam_row *inner = rdam_innermost(view->rdam, view->trace, row);
	char *parts[] = {say_cost(view, row),	  say_others(view, row),
			 say_inner(row, inner),	  say_causes(view, inner),
			 say_caller(view, inner), say_dependence(view, row),
			 say_higher(view, row)};
	char *text;

	text = say_first(view, row);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		xappend(&text, "", "%s", parts[i]);
		free(parts[i]);
	}
	return text;
}

char *rdam_view_verdict(const struct rdam_view *view)
{
	const struct rdam_row *row;

	if (!view->rdam->row_count)
		return xstrdup("No block was run often enough, to its end and in one thread, to "
			       "compare how long it takes.");
	row = rdam_costliest(view->rdam, view->threshold);
	if (!(row->lost_s > 0))
		return xstrdup("Each block takes as long as it did when it was fastest: nothing is "
			       "lost.");
	return say_all(view, row);
}
