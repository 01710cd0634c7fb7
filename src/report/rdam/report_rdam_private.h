/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of rows, for the table, the sentences and the picture of report_rdam.h. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_PRIVATE_H

#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam_verdict.h"

/* Chooses the rows and sorts them. The caller releases them. */
void rdam_view_init(struct rdam_view *view);
void rdam_view_release(struct rdam_view *view);

/* Returns "run queue", ... */
const char *rdam_kind_words(enum rdam_kind kind);

/*
 * Returns the number of callers in call chain `number` of a row, and the innermost caller in
 * *first.
 */
size_t rdam_view_callers(const struct rdam_view *view, const struct rdam_row *row, uint32_t number,
			 const char *const **first);

/*
 * Returns the name of a dependence: "n", "arg1", "calls". It is valid as long as `text` and the
 * trace.
 */
const char *rdam_view_dependence_name(const struct rdam_view *view, const struct rdam_row *row,
				      const struct rdam_dependence *dependence, char text[32]);

/* Returns the verdict, a sentence, which the caller frees. */
char *rdam_view_verdict(const struct rdam_view *view, const struct rdam_verdict *verdict);

#endif
