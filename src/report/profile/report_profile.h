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

/* The order of threads or groups: the largest first, names in alphabetical order. */
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
	const int32_t *targets; /* the processes of the target, if the command named them */
	size_t target_count;
	bool is_machine;	 /* the target is all threads of the machine */
	const char *again;	 /* arguments that name this recording; NULL: it cannot be read
				    again */
	unsigned recorded_cores; /* cores of the recording, by itself; 0: unknown */
	enum profile_by by;
	bool has_by; /* `by` was requested: CSV has these rows, not the levels */
	enum profile_order order;
	size_t limit; /* largest number of threads or groups; 0: as many as fit */
	bool all;     /* text: all tables with all rows */
	bool summary; /* text: only verdict, warnings and facts */
	/* of a summary: a forecast follows, which reports the quality; and also other programs */
	bool has_forecast, others_told;
};

/* Adds verdict, facts, tables, the quality of the data and the cost of the recording. */
void report_profile(struct report *report, const struct profile_view *view);

/* Adds the table of threads or groups alone. */
void report_members(struct report *report, const struct profile_view *view, enum profile_by by);

/* Adds the times with each number of ready threads in each group. */
void report_group_levels(struct report *report, const struct profile *profile, enum profile_by by);

/*
 * Text: adds the longest times with a number of ready threads, and beside them the first threads
 * or groups.
 */
void report_overview(struct report *report, const struct profile_view *view);

/* Adds the values of counters, for all threads together and for each. */
void report_counters(struct report *report, const struct profile *profile);

/* Adds the cost of the recording for its target and for the machine, as far as known. */
void report_overhead(struct report *report, const struct overhead *overhead);

/*
 * Draws T_j, and the ready threads over time, into the file `path` like plot_save(). `source` names
 * the recording. Returns 0, or -1 with an error.
 */
int plot_profile(const struct profile *profile, const char *source, const char *path,
		 struct err *err);

/*
 * Draws the ready threads over time with characters into a report. Returns 0, or -1 with an error.
 */
int chart_profile(struct report *report, const struct profile *profile, struct err *err);

#endif
