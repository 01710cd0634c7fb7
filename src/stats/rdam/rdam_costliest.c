/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_costliest.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

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

/* A row of many occurrences tells more, but rows of few may be all that cost much. */
const struct rdam_row *rdam_costliest(const struct rdam *rdam, double threshold)
{
	const struct rdam_row *often = costliest_row(rdam, false);
	const struct rdam_row *any = costliest_row(rdam, true);

	if (often &&
	    (rdam_disturbed_score(often) >= threshold || rdam_disturbed_score(any) < threshold))
		return often;
	return any ? any : rdam->rows;
}

/* --- Within one another -------------------------------------------------------------------- */

/* Which blocks are entered within the slowest occurrence. To be freed. */
static bool *blocks_within(const struct block_trace *trace, const struct rdam_row *row)
{
	const struct block_thread *thread = &trace->threads[row->slowest.thread];
	bool *within = xcalloc(trace->blocks->count, sizeof(*within));

	for (size_t i = row->slowest.first + 1; i < row->slowest.last; i++)
		within[block_of_token(thread->tokens[i])] = true;
	within[row->block] = false;
	return within;
}

/* The one within which loses most, and at least half as much; NULL. */
static const struct rdam_row *costliest_within(const struct rdam *rdam,
					       const struct block_trace *trace,
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

const struct rdam_row *rdam_innermost(const struct rdam *rdam, const struct block_trace *trace,
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

double rdam_slowest_s(const struct block_trace *trace, const struct rdam_row *row, double *begin_s)
{
	const struct block_thread *thread = &trace->threads[row->slowest.thread];
	uint64_t begin_ns = thread->times_ns[row->slowest.first];

	*begin_s = ((double)begin_ns - (double)trace->origin_ns) / 1e9;
	return (double)(thread->times_ns[row->slowest.last] - begin_ns) / 1e9;
}
