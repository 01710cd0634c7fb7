/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fit as a picture: the points, the curve with its bands and the laws beside it; below, the
 * efficiency and what each point misses the curve by.
 */
#ifndef PSCAL_REPORT_FIT_PLOT_FIT_H
#define PSCAL_REPORT_FIT_PLOT_FIT_H

struct err;
struct fit_result;
struct report;

/* Of a whole result, into the file `path`, as plot_save says. Returns 0, or -1 with a sentence. */
int plot_fit(const struct fit_result *result, const char *path, struct err *err);

/* The same with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_fit(struct report *report, const struct fit_result *result, struct err *err);

#endif
