/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the cost of varying durations that are reported, their order, and their words. */
#ifndef PSCAL_REPORT_RDAM_RDAM_VIEW_H
#define PSCAL_REPORT_RDAM_RDAM_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam.h"

struct chain_names;

enum rdam_order {
	RDAM_BY_SCORE,
	RDAM_BY_GROUPED, /* the score with what durations depend on taken into account */
	RDAM_BY_LOST,
	RDAM_BY_TOTAL,
	RDAM_BY_OCCURRENCES,
	RDAM_BY_MEDIAN,
	RDAM_BY_P99,
	RDAM_BY_NAME,
	RDAM_ORDERS,
};

/* As it is typed: "score", ... */
const char *rdam_order_name(enum rdam_order order);

/* All is borrowed but what rdam_view_init makes. */
struct rdam_view {
	const struct rdam *rdam;
	const struct block_trace *trace;
	struct chain_names *names; /* of the chains of stacks; NULL: there are none */
	const char *path;	   /* of the recording, for advice */
	double threshold;	   /* rows with less are left out */
	size_t limit;		   /* and so are those after so many */
	enum rdam_order order;
	enum rdam_min min;
	/* Made: */
	const struct rdam_row **rows; /* that are shown */
	size_t row_count;
	size_t below, beyond; /* left out by the threshold, and by the limit */
};

/* Chooses the rows and puts them in order. To be released. */
void rdam_view_init(struct rdam_view *view);
void rdam_view_release(struct rdam_view *view);

/* "thread 17 (worker)", "4 threads": where a row was measured. To be freed. */
char *rdam_view_where(const struct rdam_view *view, const struct rdam_row *row);

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

/* "CPU wait", ... */
const char *rdam_kind_words(enum rdam_kind kind);

/* The sums, and the kinds with the largest first. */
struct rdam_kinds {
	double seconds[RDAM_KINDS];
	enum rdam_kind order[RDAM_KINDS];
};

struct rdam_kinds rdam_kinds_of(const double causes_s[RDAM_CAUSES]);

/*
 * The row in which most of what `row` loses is lost, within it and as deep as can be said; `row`
 * itself if there is none.
 */
const struct rdam_row *rdam_view_innermost(const struct rdam_view *view,
					   const struct rdam_row *row);

/* The slowest occurrence of a row: its duration, and when it began since the timeline did. */
double rdam_view_slowest_s(const struct rdam_view *view, const struct rdam_row *row,
			   double *begin_s);

/* Of a call chain of a row, the functions that have called its block: their number, and *first. */
size_t rdam_view_callers(const struct rdam_view *view, const struct rdam_row *row, uint32_t number,
			 const char *const **first);

/* Of what a duration depends on that explains most of a row's score; NULL: on nothing known. */
const struct rdam_dependence *rdam_view_dependence(const struct rdam_row *row);

/* The name of a dependence: "n", "arg1", "calls". Valid as long as `text` and the trace. */
const char *rdam_view_dependence_name(const struct rdam_view *view, const struct rdam_row *row,
				      const struct rdam_dependence *dependence, char text[32]);

/* The cost of varying durations in a few sentences. To be freed. */
char *rdam_view_verdict(const struct rdam_view *view);

#endif
