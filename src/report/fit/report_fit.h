/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fitted Universal Scalability Law as rows: its facts, intervals, the models side by side, the
 * points beside the curve, predictions, and warnings. CSV has one row of the facts. In JSON each
 * fit is a group of the caller, an element of an array.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_FIT_H
#define PSCAL_REPORT_FIT_REPORT_FIT_H

#include <stdbool.h>

struct err;
struct fit_result;
struct report;
struct usl_comparison;
struct usl_sample;

/*
 * Adds a fit. In text and JSON `result` must be complete. `several`: there are more series, so that
 * text names each.
 */
void report_fit(struct report *report, const struct fit_result *result, bool several);

/* Text: adds the next command for a complete result, the last line. */
void report_fit_next(struct report *report, const struct fit_result *result);

/* Adds the changes between two series: a row for each quantity, and a sentence. */
void report_compare(struct report *report, const struct usl_comparison *comparison,
		    const struct usl_sample *a, const struct usl_sample *b, double level);

/* Returns that sentence: the result of the tests at the level, 0..1. The caller frees it. */
char *report_compare_verdict(const struct usl_comparison *comparison, double level);

/*
 * Draws a complete result into the file `path` like plot_save(): the points, the curve with its
 * bands and the other laws; below, the efficiency and the residual of each point. Returns 0, or -1
 * with an error.
 */
int plot_fit(const struct fit_result *result, const char *path, struct err *err);

/* The same with characters into a report. Returns 0, or -1 with an error. */
int chart_fit(struct report *report, const struct fit_result *result, struct err *err);

#endif
