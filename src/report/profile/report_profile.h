/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_PROFILE_REPORT_PROFILE_H
#define PSCAL_REPORT_PROFILE_REPORT_PROFILE_H

#include "report/report.h"
#include "stats/profile/profile.h"

/* `targets` are the processes that were asked for, none when it was not by process. */
void report_profile(struct report *report, const struct profile *profile, const int32_t *targets,
		    size_t target_count);

/* The values of counters, in all threads together and in each. */
void report_counters(struct report *report, const struct profile *profile);

/*
 * The cost of the recording for its target and for the machine. JSON: the object "overhead"; text:
 * a sentence; both where the input has that cost.
 */
void report_overhead(struct report *report, const struct overhead *overhead);

#endif
