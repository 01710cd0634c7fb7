/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conclusions from the rows of rdam.h: the costliest row, and the kinds of its causes. */
#ifndef PSCAL_STATS_RDAM_RDAM_VERDICT_H
#define PSCAL_STATS_RDAM_RDAM_VERDICT_H

#include "stats/rdam/rdam.h"

/* Kinds of causes, each the sum of some causes. */
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

/* The sums, and the kinds in their order, the largest first. */
struct rdam_kinds {
	double seconds[RDAM_KINDS];
	enum rdam_kind order[RDAM_KINDS];
};

struct rdam_kinds rdam_kinds_of(const double causes_s[RDAM_CAUSES]);

/* Returns the dependence that explains most of a row's score; NULL: none is known. */
const struct rdam_dependence *rdam_strongest_dependence(const struct rdam_row *row);

/*
 * Returns the score without the part that follows from arguments, which is no interference. For a
 * function whose work is known to depend on its arguments in an unknown way this part is the time
 * that it ran longer, and the page faults of it.
 */
double rdam_disturbed_score(const struct rdam_row *row);

enum rdam_finding {
	RDAM_NOT_COMPARED, /* no block was called twice, to its end and in one thread */
	RDAM_NOTHING_LOST, /* each call was as fast as the fastest */
	RDAM_BELOW,	   /* no row reaches the threshold */
	RDAM_COSTLY,
};

/* The verdict, which borrows all pointers. The rest is 0 without compared rows or lost time. */
struct rdam_verdict {
	enum rdam_finding finding;
	const struct rdam_row *row; /* the costliest row, by rdam_costliest() */
	/* the row within it in which the time is lost, or the row itself */
	const struct rdam_row *inner;
	struct rdam_kinds kinds; /* the kinds of the causes of `inner` */
	size_t kind_count;	 /* the number of kinds that explain most; 0: none is known */
	/* the main cause of the first kind; RDAM_CAUSES: there are several */
	enum rdam_cause cause;
	const struct rdam_waker *waker; /* the waker that ended most of the sleep; NULL: none did */
	/* Causes that may be no interference. */
	const struct rdam_dependence *dependence; /* explains most of the row's score; NULL: none */
	bool known_dependent;			  /* the name says so, but no test */
	const struct rdam_row *higher; /* a row with a higher, but doubtful score; NULL */
};

struct rdam_verdict rdam_verdict_of(const struct rdam *rdam, const struct rdam_trace *trace,
				    double threshold);

/*
 * Returns the row to report first: the one with the highest rdam_disturbed_score(). A row of many
 * calls goes first if it has at least half of that, and `threshold` or more, or if no row has
 * `threshold`. There must be a row.
 */
const struct rdam_row *rdam_costliest(const struct rdam *rdam, double threshold);

/*
 * Returns the row within `row`, as deep as possible, in which most of the time of `row` is lost, or
 * `row` itself if there is none.
 */
const struct rdam_row *rdam_innermost(const struct rdam *rdam, const struct rdam_trace *trace,
				      const struct rdam_row *row);

/* Returns the duration of the slowest call of a row; *begin_s: its begin on the timeline. */
double rdam_slowest_s(const struct rdam_trace *trace, const struct rdam_row *row, double *begin_s);

#endif
