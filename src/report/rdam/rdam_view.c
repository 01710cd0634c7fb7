/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/rdam_view.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "stats/spin/chain_names.h"

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
	switch (order) {
	case RDAM_BY_GROUPED:
		return row->grouped_score;
	case RDAM_BY_LOST:
		return row->lost_s;
	case RDAM_BY_TOTAL:
		return row->total_s;
	case RDAM_BY_OCCURRENCES:
		return (double)row->occurrences;
	case RDAM_BY_MEDIAN:
		return row->median_s;
	case RDAM_BY_P99:
		return row->p99_s;
	default:
		return row->score;
	}
}

/* Rows are an array in the order of scores, which decides where nothing else does. */
static int compare(const void *left, const void *right, void *context)
{
	const struct rdam_row *a = *(const struct rdam_row *const *)left;
	const struct rdam_row *b = *(const struct rdam_row *const *)right;
	enum rdam_order order = *(const enum rdam_order *)context;
	double x = value_of(a, order), y = value_of(b, order);
	int names = order == RDAM_BY_NAME ? strcmp(a->name, b->name) : 0;

	if (names)
		return names;
	if (order != RDAM_BY_NAME && (x < y || x > y))
		return x < y ? 1 : -1;
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
		qsort_r(view->rows, view->row_count, sizeof(*view->rows), compare, &view->order);
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

char *rdam_view_who(const struct rdam_view *view, uint32_t by)
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
		return rdam_view_who(view, (uint32_t)row->thread);
	return xasprintf("%zu thread%s", threads, threads == 1 ? "" : "s");
}

/* --- Within one another -------------------------------------------------------------------- */

/* Which blocks are entered within the slowest occurrence. To be freed. */
static bool *blocks_within(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct block_thread *thread = &view->trace->threads[row->slowest.thread];
	bool *within = xcalloc(view->trace->blocks->count, sizeof(*within));

	for (size_t i = row->slowest.first + 1; i < row->slowest.last; i++)
		within[block_of_token(thread->tokens[i])] = true;
	within[row->block] = false;
	return within;
}

/* The one within which loses most, and at least half as much; NULL. */
static const struct rdam_row *costliest_within(const struct rdam_view *view,
					       const struct rdam_row *row)
{
	static const double MOST = 0.5;
	const struct rdam_row *best = NULL;
	bool *within = blocks_within(view, row);

	for (size_t i = 0; i < view->rdam->row_count; i++) {
		const struct rdam_row *other = &view->rdam->rows[i];

		if (other->thread == row->thread && other->is_block && within[other->block] &&
		    other->grouped_score >= MOST * row->grouped_score &&
		    other->lost_s <= row->lost_s &&
		    (!best || other->grouped_score > best->grouped_score))
			best = other;
	}
	free(within);
	return best;
}

const struct rdam_row *rdam_view_innermost(const struct rdam_view *view, const struct rdam_row *row)
{
	enum { DEPTH = 16 }; /* blocks may call each other in turn */

	for (int i = 0; i < DEPTH; i++) {
		const struct rdam_row *next = costliest_within(view, row);

		if (!next)
			break;
		row = next;
	}
	return row;
}

double rdam_view_slowest_s(const struct rdam_view *view, const struct rdam_row *row,
			   double *begin_s)
{
	const struct block_thread *thread = &view->trace->threads[row->slowest.thread];
	uint64_t begin_ns = thread->times_ns[row->slowest.first];

	*begin_s = ((double)begin_ns - (double)view->trace->origin_ns) / 1e9;
	return (double)(thread->times_ns[row->slowest.last] - begin_ns) / 1e9;
}

/* --- Causes -------------------------------------------------------------------------------- */

const char *rdam_kind_words(enum rdam_kind kind)
{
	static const char *const words[RDAM_KINDS] = {"CPU wait", "blocked", "page faults", "disk",
						      "stopped",  "unknown", "on CPU"};

	return words[kind];
}

struct rdam_kinds rdam_kinds_of(const double causes_s[RDAM_CAUSES])
{
	static const enum rdam_kind kinds[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = RDAM_KIND_CPU_WAIT,
		[RDAM_CPU_WAIT_STRANGER] = RDAM_KIND_CPU_WAIT,
		[RDAM_CPU_WAIT] = RDAM_KIND_CPU_WAIT,
		[RDAM_BLOCKED] = RDAM_KIND_BLOCKED,
		[RDAM_BLOCKED_OTHER] = RDAM_KIND_BLOCKED,
		[RDAM_PAGE_FAULTS] = RDAM_KIND_PAGE_FAULTS,
		[RDAM_DISK] = RDAM_KIND_DISK,
		[RDAM_STOPPED] = RDAM_KIND_STOPPED,
		[RDAM_UNKNOWN] = RDAM_KIND_UNKNOWN,
		[RDAM_ON_CPU] = RDAM_KIND_ON_CPU,
	};
	struct rdam_kinds sums = {{0}, {0}};

	for (size_t i = 0; i < RDAM_CAUSES; i++)
		sums.seconds[kinds[i]] += causes_s[i];
	for (size_t i = 0; i < RDAM_KINDS; i++) {
		size_t place = i;

		for (; place && sums.seconds[sums.order[place - 1]] < sums.seconds[i]; place--)
			sums.order[place] = sums.order[place - 1];
		sums.order[place] = (enum rdam_kind)i;
	}
	return sums;
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

const struct rdam_dependence *rdam_view_dependence(const struct rdam_row *row)
{
	const struct rdam_dependence *best = NULL;

	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		const struct rdam_dependence *dependence = &row->dependence[i];

		if (dependence->depends && (!best || dependence->score < best->score))
			best = dependence;
	}
	return best;
}

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
