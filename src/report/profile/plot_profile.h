/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile as a picture: T_j, and parallelism over time.
 */
#ifndef PSCAL_REPORT_PROFILE_PLOT_PROFILE_H
#define PSCAL_REPORT_PROFILE_PLOT_PROFILE_H

struct err;
struct profile;
struct report;

/* Of what `source` names, into the file `path` as plot_save says. 0, or -1 with a sentence. */
int plot_profile(const struct profile *profile, const char *source, const char *path,
		 struct err *err);

/* Parallelism over time with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_profile(struct report *report, const struct profile *profile, struct err *err);

#endif
