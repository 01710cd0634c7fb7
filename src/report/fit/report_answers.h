/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was asked of a fit as rows: at which N something is reached, the curve with other
 * parameters, and whether claims hold.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_ANSWERS_H
#define PSCAL_REPORT_FIT_REPORT_ANSWERS_H

struct fit_view;
struct report;
struct usl_finding;

/* Each is left out of text where nothing was asked, and empty in JSON. */
void report_answers(struct report *report, const struct fit_view *view);
void report_changes(struct report *report, const struct fit_view *view);
void report_findings(struct report *report, const struct fit_view *view);

/* "does not hold: 0.0277285, at most 0.0641035 with 95 %". The caller frees. */
char *report_finding(const struct usl_finding *finding, double level);

#endif
