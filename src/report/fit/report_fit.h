/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fitted Universal Scalability Law as rows: its facts, intervals, the models side by side, the
 * points beside the curve, predictions, and warnings. In JSON each fit is one element of an array;
 * in CSV it is one row, of the facts.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_FIT_H
#define PSCAL_REPORT_FIT_REPORT_FIT_H

#include <stdbool.h>

struct fit_result;
struct report;
struct usl_finding;

/* In text and JSON the result has to be whole. `details` lists in text too what each point does to the
 * fit. */
void report_fit(struct report *report, const struct fit_result *result, bool details);

/* "does not hold: 0.0277285, at most 0.0641035 with 95 %". The caller frees. */
char *report_finding(const struct usl_finding *finding, double level);

#endif
