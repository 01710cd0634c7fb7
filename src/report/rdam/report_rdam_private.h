/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rows of a view mean, for the table, the sentences and the picture of report_rdam.h. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H

#include "report/rdam/report_rdam.h"

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
