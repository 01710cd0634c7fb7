/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_verdict.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rdam_kinds rdam_kinds_of(const double causes_s[RDAM_CAUSES])
{
	static const enum rdam_kind kinds[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = RDAM_KIND_RUN_QUEUE,
		[RDAM_CPU_WAIT_STRANGER] = RDAM_KIND_RUN_QUEUE,
		[RDAM_CPU_WAIT] = RDAM_KIND_RUN_QUEUE,
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

const struct rdam_dependence *rdam_strongest_dependence(const struct rdam_row *row)
{
	const struct rdam_dependence *best = NULL;

	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		const struct rdam_dependence *dependence = &row->dependence[i];

		if (dependence->depends && (!best || dependence->score < best->score))
			best = dependence;
	}
	return best;
}

/* --- The costliest row --------------------------------------------------------------------- */

double rdam_disturbed_score(const struct rdam_row *row)
{
	double work = row->causes_s[RDAM_ON_CPU] + row->causes_s[RDAM_PAGE_FAULTS] +
		      row->causes_s[RDAM_UNKNOWN];

	if (!row->known_dependent || rdam_strongest_dependence(row) || !(row->lost_s > 0))
		return row->grouped_score;
	return row->score * fmax(0, 1 - work / row->lost_s);
}

/* `doubtful`: rows of any kind. */
static const struct rdam_row *costliest_row(const struct rdam *rdam, bool doubtful)
{
	const struct rdam_row *best = NULL;

	for (size_t i = 0; i < rdam->row_count; i++) {
		const struct rdam_row *row = &rdam->rows[i];

		if ((doubtful || (!row->few && !row->overlapping)) &&
		    (!best || rdam_disturbed_score(row) > rdam_disturbed_score(best)))
			best = row;
	}
	return best;
}

/* A row of many calls is more reliable, unless it costs much less than one of few. */
const struct rdam_row *rdam_costliest(const struct rdam *rdam, double threshold)
{
	static const double NEAR = 0.5;
	const struct rdam_row *often = costliest_row(rdam, false);
	const struct rdam_row *any = costliest_row(rdam, true);
	double most = any ? rdam_disturbed_score(any) : 0;
	double score = often ? rdam_disturbed_score(often) : 0;

	if (often && score >= NEAR * most && (score >= threshold || most < threshold))
		return often;
	return any ? any : rdam->rows;
}

/* --- Rows within rows ---------------------------------------------------------------------- */

/* Returns the blocks that are entered within the slowest call. The caller frees the array. */
static bool *blocks_within(const struct rdam_trace *trace, const struct rdam_row *row)
{
	const struct rdam_thread *thread = &trace->threads[row->slowest.thread];
	bool *within = xcalloc(trace->blocks->count, sizeof(*within));

	for (size_t i = row->slowest.first + 1; i < row->slowest.last; i++)
		within[block_of_token(thread->tokens[i])] = true;
	within[row->block] = false;
	return within;
}

/* Returns the costliest row within `row`, with at least half of its loss, or NULL. */
static const struct rdam_row *costliest_within(const struct rdam *rdam,
					       const struct rdam_trace *trace,
					       const struct rdam_row *row)
{
	static const double MOST = 0.5;
	const struct rdam_row *best = NULL;
	bool *within = blocks_within(trace, row);

	for (size_t i = 0; i < rdam->row_count; i++) {
		const struct rdam_row *other = &rdam->rows[i];

		if (other->thread == row->thread && other->is_block && within[other->block] &&
		    other->grouped_score >= MOST * row->grouped_score &&
		    other->lost_s <= row->lost_s &&
		    (!best || other->grouped_score > best->grouped_score))
			best = other;
	}
	free(within);
	return best;
}

const struct rdam_row *rdam_innermost(const struct rdam *rdam, const struct rdam_trace *trace,
				      const struct rdam_row *row)
{
	enum { DEPTH = 16 }; /* blocks may call each other in turn */

	for (int i = 0; i < DEPTH; i++) {
		const struct rdam_row *next = costliest_within(rdam, trace, row);

		if (!next)
			break;
		row = next;
	}
	return row;
}

double rdam_slowest_s(const struct rdam_trace *trace, const struct rdam_row *row, double *begin_s)
{
	const struct rdam_thread *thread = &trace->threads[row->slowest.thread];
	uint64_t begin_ns = thread->times_ns[row->slowest.first];

	*begin_s = ((double)begin_ns - (double)trace->origin_ns) / 1e9;
	return (double)(thread->times_ns[row->slowest.last] - begin_ns) / 1e9;
}

/* --- The verdict --------------------------------------------------------------------------- */

/* From this share on a part is most of a whole. */
static const double MAIN_PART = 0.5;

/* Returns the cause with most of the time of its kind, or RDAM_CAUSES. */
static enum rdam_cause main_cause(const double causes_s[RDAM_CAUSES], const enum rdam_cause *of,
				  size_t count)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += causes_s[of[i]];
	for (size_t i = 0; i < count; i++)
		if (causes_s[of[i]] > MAIN_PART * all)
			return of[i];
	return RDAM_CAUSES;
}

/*
 * Returns the waker that ended most of the sleep, by threads of the target (`own`), or by others.
 * The caller asks for the kind with most of the excess: a call may sleep for long anyway.
 */
static const struct rdam_waker *main_waker(const struct rdam_row *row, bool own)
{
	const struct rdam_waker *most = NULL;
	double slept = 0;

	for (size_t i = 0; i < row->waker_count; i++) {
		if ((row->wakers[i].thread < BY_INTERRUPT) != own)
			continue;
		slept += row->wakers[i].slept_s;
		most = most ? most : &row->wakers[i];
	}
	return most && most->slept_s >= MAIN_PART * slept && most->thread != BY_NO_THREAD ? most
											  : NULL;
}

static void find_causes(struct rdam_verdict *verdict, const struct rdam_row *row)
{
	static const enum rdam_cause queue[] = {RDAM_CPU_WAIT_OWN, RDAM_CPU_WAIT_STRANGER,
						RDAM_CPU_WAIT};
	static const enum rdam_cause sleep[] = {RDAM_BLOCKED, RDAM_BLOCKED_OTHER};
	const struct rdam_kinds *kinds = &verdict->kinds;

	verdict->kinds = rdam_kinds_of(row->causes_s);
	verdict->kind_count = kinds->seconds[kinds->order[0]] >= MAIN_PART * row->lost_s ? 1 : 2;
	if (kinds->order[0] == RDAM_KIND_RUN_QUEUE) {
		verdict->cause = main_cause(row->causes_s, queue, 3);
	} else if (kinds->order[0] == RDAM_KIND_BLOCKED) {
		verdict->cause = main_cause(row->causes_s, sleep, 2);
		verdict->waker = main_waker(row, verdict->cause == RDAM_BLOCKED);
	}
}

static void find_doubts(struct rdam_verdict *verdict, const struct rdam *rdam)
{
	const struct rdam_row *row = verdict->row, *first = rdam->rows;
	const struct rdam_dependence *on = rdam_strongest_dependence(row);

	verdict->dependence = on && on->score < row->score ? on : NULL;
	verdict->known_dependent = row->known_dependent && !on;
	if (first != row && strcmp(first->name, row->name) != 0)
		verdict->higher = first;
}

struct rdam_verdict rdam_verdict_of(const struct rdam *rdam, const struct rdam_trace *trace,
				    double threshold)
{
	struct rdam_verdict verdict = {.finding = RDAM_NOT_COMPARED, .cause = RDAM_CAUSES};

	if (!rdam->row_count)
		return verdict;
	verdict.row = verdict.inner = rdam_costliest(rdam, threshold);
	verdict.finding = RDAM_NOTHING_LOST;
	if (!(verdict.row->lost_s > 0))
		return verdict;
	verdict.finding = rdam_disturbed_score(verdict.row) >= threshold ? RDAM_COSTLY : RDAM_BELOW;
	verdict.inner = rdam_innermost(rdam, trace, verdict.row);
	if (verdict.inner->lost_s > 0 && trace->has_states)
		find_causes(&verdict, verdict.inner);
	find_doubts(&verdict, rdam);
	return verdict;
}
