/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of rows, for the table, the sentences and the picture of report_rdam.h. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H

#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam_verdict.h"

/* Chooses the rows and puts them in order. To be released. */
void rdam_view_init(struct rdam_view *view);
void rdam_view_release(struct rdam_view *view);

/* "run queue", ... */
const char *rdam_kind_words(enum rdam_kind kind);

/* Of a call chain of a row, the functions that have called it: their number, and *first. */
size_t rdam_view_callers(const struct rdam_view *view, const struct rdam_row *row, uint32_t number,
			 const char *const **first);

/* The name of a dependence: "n", "arg1", "calls". Valid as long as `text` and the trace. */
const char *rdam_view_dependence_name(const struct rdam_view *view, const struct rdam_row *row,
				      const struct rdam_dependence *dependence, char text[32]);

/* The verdict in a sentence, to be freed. */
char *rdam_view_verdict(const struct rdam_view *view, const struct rdam_verdict *verdict);

#endif
