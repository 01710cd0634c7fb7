/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was taken of a log, and what was cut: a row for each stretch with one N.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_STEADY_H
#define PSCAL_REPORT_FIT_REPORT_STEADY_H

struct report;
struct series;

/* JSON: "steady", an array without elements where the series is no log. */
void report_steady(struct report *report, const struct series *series);

/* Sentences for who believes the windows, to be freed; NULL: all is well. */
char *report_steady_unsettled(const struct series *series);
char *report_steady_short(const struct series *series);
char *report_steady_trend(const struct series *series);
char *report_steady_end(const struct series *series);

#endif
