/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of the rows of rdam.h: the row that costs most, and the kinds of its causes. */
#ifndef PSCAL_STATS_RDAM_RDAM_VERDICT_H
#define PSCAL_STATS_RDAM_RDAM_VERDICT_H

#include "stats/rdam/rdam.h"

/* Kinds of causes, each a sum of some. */
enum rdam_kind {
	RDAM_KIND_RUN_QUEUE,
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

enum rdam_finding {
	RDAM_NOT_COMPARED, /* nothing was called twice, to its end and in one thread */
	RDAM_NOTHING_LOST, /* each call was as fast as the fastest */
	RDAM_BELOW,	   /* no row reaches the threshold */
	RDAM_COSTLY,
};

/* All is borrowed; where nothing is compared or lost the rest is 0. */
struct rdam_verdict {
	enum rdam_finding finding;
	const struct rdam_row *row;   /* that costs most, as of rdam_costliest */
	const struct rdam_row *inner; /* within which it is lost, or the row itself */
	struct rdam_kinds kinds;      /* of the causes of `inner` ... */
	size_t kind_count;	      /* ... so many of which explain most; 0: none is known */
	enum rdam_cause cause; /* of the first kind the main cause; RDAM_CAUSES: several are */
	const struct rdam_waker *waker; /* that ended most of the sleep; NULL: there is no such */
	/* Causes that may be no interference: */
	const struct rdam_dependence *dependence; /* that explains most of the row's score; NULL */
	bool known_dependent;			  /* by its name, and not tested */
	const struct rdam_row *higher;		  /* a higher score that is doubted; NULL */
};

struct rdam_verdict rdam_verdict_of(const struct rdam *rdam, const struct rdam_trace *trace,
				    double threshold);

/*
 * The row to tell of first: the one with the highest of these scores; a row of many calls if it has
 * half of that or more, and `threshold` or more, or none has. There is a row.
 */
const struct rdam_row *rdam_costliest(const struct rdam *rdam, double threshold);

/*
 * The row in which most of what `row` loses is lost, within it and as deep as can be said; `row`
 * itself if there is none.
 */
const struct rdam_row *rdam_innermost(const struct rdam *rdam, const struct rdam_trace *trace,
				      const struct rdam_row *row);

/* The slowest call of a row: its duration, and when it began since the timeline did. */
double rdam_slowest_s(const struct rdam_trace *trace, const struct rdam_row *row, double *begin_s);

#endif
