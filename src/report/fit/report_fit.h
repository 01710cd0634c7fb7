/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fitted Universal Scalability Law as rows: its facts, intervals, the models side by side, the
 * points beside the curve, predictions, and warnings; in CSV one row, of the facts. In JSON each fit
 * is a group of the caller, an element of an array.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_FIT_H
#define PSCAL_REPORT_FIT_REPORT_FIT_H

#include <stdbool.h>

struct err;
struct fit_result;
struct report;
struct usl_comparison;
struct usl_sample;

/* In text and JSON the result has to be whole. If it is one of `several`, text names its series. */
void report_fit(struct report *report, const struct fit_result *result, bool several);

/* In text, where to go on from a whole result: the last line. */
void report_fit_next(struct report *report, const struct fit_result *result);

/* The changes between two series: each quantity as a row, and a sentence. */
void report_compare(struct report *report, const struct usl_comparison *comparison,
		    const struct usl_sample *a, const struct usl_sample *b, double level);

/* That sentence: what the tests find at the level, 0..1. The caller frees. */
char *report_compare_verdict(const struct usl_comparison *comparison, double level);

/*
 * A whole result as a picture in the file `path`, as plot_save says: the points, the curve with its
 * bands and the laws beside it; below, the efficiency and what each point misses the curve by.
 * Returns 0, or -1 with a sentence.
 */
int plot_fit(const struct fit_result *result, const char *path, struct err *err);

/* The same with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_fit(struct report *report, const struct fit_result *result, struct err *err);

#endif
