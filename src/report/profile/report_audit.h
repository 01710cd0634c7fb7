/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with the data as rows: each case, its place in the input, and what was done. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_AUDIT_H
#define PSCAL_REPORT_PROFILE_REPORT_AUDIT_H

#include "decode/timeline/timeline.h"
#include "report/report.h"

/* Of each kind of case so many are listed, the first. */
enum { REPORT_AUDIT_MAX = 1000 };

struct report_audit {
	struct report *report;
	uint64_t seen[QUALITY_FACTS];
};

/* Findings as they come. Times are given from `origin_ns` on; 0: that is not known yet. */
void report_audit_begin(struct report_audit *audit, struct report *report);
void report_audit_finding(struct report_audit *audit, const struct finding *finding,
			  uint64_t origin_ns);
void report_audit_end(struct report_audit *audit);

#endif
