/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recording has cost the target, and others. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_OVERHEAD_H
#define PSCAL_REPORT_PROFILE_REPORT_OVERHEAD_H

#include "report/report.h"
#include "stats/profile/profile.h"

/* JSON: the object "overhead"; text: a sentence; both where the input says what it has cost. */
void report_overhead(struct report *report, const struct overhead *overhead);

#endif
