/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a profile, and its pictures. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_PROFILE_H
#define PSCAL_REPORT_PROFILE_REPORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/profile/profile.h"

struct err;
struct overhead;
struct report;

/* The order of threads or groups: largest first, names from A on. */
enum profile_order {
	PROFILE_BY_CPU,
	PROFILE_BY_WAIT,
	PROFILE_BY_BLOCKED,
	PROFILE_BY_SWITCHES,
	PROFILE_BY_COMM,
	PROFILE_BY_START,
};

struct profile_view {
	const struct profile *profile;
	const struct overhead *overhead;
	const int32_t *targets; /* the processes that are the target, where it was named so */
	size_t target_count;
	bool is_machine;   /* the target is all threads of the machine */
	const char *again; /* arguments that name this recording; NULL: it cannot be read again */
	unsigned recorded_cores; /* that the recording tells of; 0: it does not */
	enum profile_by by;
	bool has_by; /* it was asked for: CSV has these rows, not the levels */
	enum profile_order order;
	size_t limit; /* rows of threads or groups at most; 0: as many as there is room for */
	bool all;     /* text: all tables, of all rows */
	bool summary; /* text: only verdict, warnings and facts ... */
	/* ... and a forecast follows, which tells of the quality; and of other programs, too. */
	bool has_forecast, others_told;
};

/* Verdict, facts, tables, the quality of the data and the cost of the recording. */
void report_profile(struct report *report, const struct profile_view *view);

/* The table of threads or groups alone. */
void report_members(struct report *report, const struct profile_view *view, enum profile_by by);

/* The times of each number of ready threads in each group. */
void report_group_levels(struct report *report, const struct profile *profile, enum profile_by by);

/* The longest of these times in all threads, and beside them the first threads or groups; text. */
void report_overview(struct report *report, const struct profile_view *view);

/* The values of counters, in all threads together and in each. */
void report_counters(struct report *report, const struct profile *profile);

/* The cost of the recording for its target and for the machine, as far as it is known. */
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
