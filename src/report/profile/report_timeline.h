/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_PROFILE_REPORT_TIMELINE_H
#define PSCAL_REPORT_PROFILE_REPORT_TIMELINE_H

#include "decode/timeline/timeline.h"
#include "report/report.h"

/* Intervals as they end. Times are given from `origin_ns` on. */
void report_timeline_begin(struct report *report);
void report_timeline_interval(struct report *report, const struct change *change,
			      uint64_t origin_ns);
void report_timeline_end(struct report *report);

#endif
