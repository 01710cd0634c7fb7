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
	RDAM_BY_GROUPED, /* the score with what durations depend on taken into account */
	RDAM_BY_LOST,
	RDAM_BY_TOTAL,
	RDAM_BY_CALLS,
	RDAM_BY_P50,
	RDAM_BY_P99,
	RDAM_BY_NAME,
	RDAM_ORDERS,
};

/* As it is typed: "score", ... */
const char *rdam_order_name(enum rdam_order order);

/* From here on a function is costly, unless the user says otherwise. */
#define RDAM_COSTLY_SCORE 0.2

/* All is borrowed. */
struct rdam_view {
	const struct rdam *rdam;
	const struct rdam_trace *trace;
	struct chain_names *names; /* of the chains of stacks; NULL: there are none */
	const char *path;	   /* of the recording */
	const char *again;	   /* arguments that name it; NULL: it cannot be read again */
	double costly_score;	   /* from here on the verdict calls a row costly */
	double min_score;	   /* rows with less are left out */
	enum rdam_order order;
	enum rdam_min min;
	/* Made by report_rdam, in a copy: */
	const struct rdam_row **rows; /* that are shown, in order */
	size_t row_count;
	size_t below; /* left out by the score */
};

/* "thread 17 (worker)", "4 threads": where a row was measured. To be freed. */
char *rdam_view_where(const struct rdam_view *view, const struct rdam_row *row);

/*
 * All of it: in text the function that costs most in a sentence, and a table; in CSV and JSON the
 * rows. The JSON is an array: report_set comes first.
 */
void report_rdam(struct report *report, const struct rdam_view *view);

/*
 * The row that costs most as a picture: how its durations are spread, what was lost with which of
 * them and why, and in which threads. Of what view->path names, into the file `path` as plot_save
 * says. The view's rdam has the classes of its first row. 0, or -1 with a sentence.
 */
int plot_rdam(const struct rdam_view *view, const char *path, struct err *err);

#endif
