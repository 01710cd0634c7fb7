/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a profile, and its pictures. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_PROFILE_H
#define PSCAL_REPORT_PROFILE_REPORT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct overhead;
struct profile;
struct report;

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

/*
 * T_j, and parallelism over time, as a picture: of what `source` names, into the file `path` as
 * plot_save says. Returns 0, or -1 with a sentence.
 */
int plot_profile(const struct profile *profile, const char *source, const char *path,
		 struct err *err);

/* Parallelism over time with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_profile(struct report *report, const struct profile *profile, struct err *err);

#endif
