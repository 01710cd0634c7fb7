/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the curve describes the points, check by check, and what a failed one means.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_DIAGNOSIS_H
#define PSCAL_REPORT_FIT_REPORT_DIAGNOSIS_H

struct fit_view;
struct report;

void report_diagnosis(struct report *report, const struct fit_view *view);

/* How far N_c moves as points are left out: "from 36 to no peak, farthest without N = 7". It has to
 * be known. The caller frees. */
char *report_drift(const struct fit_view *view);

/*
 * What makes the law itself doubtful, as the end of a sentence: "the curve does not describe these
 * points (lack of fit, p = 0.003)". NULL where nothing does. The caller frees.
 */
char *report_doubt(const struct fit_view *view);

#endif
