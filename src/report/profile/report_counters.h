/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_PROFILE_REPORT_COUNTERS_H
#define PSCAL_REPORT_PROFILE_REPORT_COUNTERS_H

#include "report/report.h"
#include "stats/profile/profile.h"

/* What was counted, in all threads together and in each. */
void report_counters(struct report *report, const struct profile *profile);

#endif
