/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted more often in parallel runs, for people, and what that says of memory. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_COUNTERS_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_COUNTERS_H

#include "report/report.h"
#include "report/stretch/stretch_view.h"

/* Of the last column: of all work, and of each block that is shown those that are to be. */
void report_stretch_counters(struct report *report, const struct stretch_view *view);

/* What misses of the last cache say of memory, if there are more in parallel. */
void report_stretch_memory(struct report *report, const struct stretch_view *view);

#endif
