/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of the cost of varying durations: the rows, their order, sentences and a picture. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_H

#include <stddef.h>

#include "stats/rdam/rdam.h"

struct chain_names;
struct err;
struct report;

enum rdam_order {
	RDAM_BY_SCORE,
	RDAM_BY_GROUPED, /* the score after the dependence of durations is taken into account */
	RDAM_BY_LOST,
	RDAM_BY_TOTAL,
	RDAM_BY_CALLS,
	RDAM_BY_P50,
	RDAM_BY_P99,
	RDAM_BY_NAME,
	RDAM_ORDERS,
};

/* Returns the name of an order on the command line: "score", ... */
const char *rdam_order_name(enum rdam_order order);

/* The default score from which a function is costly. */
#define RDAM_COSTLY_SCORE 0.2

/* All is borrowed. */
struct rdam_view {
	const struct rdam *rdam;
	const struct rdam_trace *trace;
	struct chain_names *names; /* of the chains of stacks; NULL: there are none */
	const char *path;	   /* of the recording */
	const char *again;	   /* arguments that name it; NULL: it cannot be read again */
	const char *again_but_tid; /* the same without --tid; NULL as `again` */
	double costly_score;	   /* from here on the verdict calls a row costly */
	double min_score;	   /* rows with less are left out */
	enum rdam_order order;
	enum rdam_min min;
	/* Set by report_rdam() in a copy: */
	const struct rdam_row **rows; /* the shown rows, in order */
	size_t row_count;
	size_t below; /* number of rows left out by the score */
};

/* Returns "thread 17 (worker)", "4 threads": the place of a row. The caller frees it. */
char *rdam_view_where(const struct rdam_view *view, const struct rdam_row *row);

/*
 * Adds the report: in text a sentence on the function that costs most, and a table; in CSV the
 * rows; in JSON the array "functions".
 */
void report_rdam(struct report *report, const struct rdam_view *view);

/*
 * Draws the row that costs most into the file `path` like plot_save(): the distribution of its
 * durations, the time lost with each and its cause, and the threads. view->path names the
 * recording. The rdam of the view has the classes of its first row. Returns 0, or -1 with an error.
 */
int plot_rdam(const struct rdam_view *view, const char *path, struct err *err);

#endif
