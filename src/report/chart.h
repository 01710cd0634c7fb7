/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drawing with characters in a report that is text; others pass over it. */
#ifndef PSCAL_REPORT_CHART_H
#define PSCAL_REPORT_CHART_H

struct err;
struct plot_script;
struct report;

/* As large as the report may be, up to 160 by 40. Returns 0, or -1 with a sentence. */
int chart_print(struct report *report, struct plot_script *script, struct err *err);

#endif
