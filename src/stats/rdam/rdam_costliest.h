/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of rdam.h that cost most, and the kinds of their causes. */
#ifndef PSCAL_STATS_RDAM_RDAM_COSTLIEST_H
#define PSCAL_STATS_RDAM_RDAM_COSTLIEST_H

#include "stats/rdam/rdam.h"

/* Kinds of causes, each a sum of some. */
enum rdam_kind {
	RDAM_KIND_CPU_WAIT,
	RDAM_KIND_BLOCKED,
	RDAM_KIND_PAGE_FAULTS,
	RDAM_KIND_DISK,
	RDAM_KIND_STOPPED,
	RDAM_KIND_UNKNOWN,
	RDAM_KIND_ON_CPU,
	RDAM_KINDS,
};

/* The sums, and the kinds with the largest first. */
struct rdam_kinds {
	double seconds[RDAM_KINDS];
	enum rdam_kind order[RDAM_KINDS];
};

struct rdam_kinds rdam_kinds_of(const double causes_s[RDAM_CAUSES]);

/* Of what a duration depends on that explains most of a row's score; NULL: on nothing known. */
const struct rdam_dependence *rdam_strongest_dependence(const struct rdam_row *row);

/*
 * The score without what follows from arguments: that is no interference. Of a function whose work
 * is known to depend on them, but not how, this is what it ran longer, and what memory it touched
 * for that.
 */
double rdam_disturbed_score(const struct rdam_row *row);

/*
 * The row to tell of first: the one with the highest of these scores; a row of many occurrences if
 * one has `threshold` or more, or none has. There is a row.
 */
const struct rdam_row *rdam_costliest(const struct rdam *rdam, double threshold);

/*
 * The row in which most of what `row` loses is lost, within it and as deep as can be said; `row`
 * itself if there is none.
 */
const struct rdam_row *rdam_innermost(const struct rdam *rdam, const struct block_trace *trace,
				      const struct rdam_row *row);

/* The slowest occurrence of a row: its duration, and when it began since the timeline did. */
double rdam_slowest_s(const struct block_trace *trace, const struct rdam_row *row, double *begin_s);

#endif
