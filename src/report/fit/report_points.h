/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points of a fit: measured, fitted, and what each of them does to it.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_POINTS_H
#define PSCAL_REPORT_FIT_REPORT_POINTS_H

struct fit_view;
struct report;

void report_points(struct report *report, const struct fit_view *view);

#endif
