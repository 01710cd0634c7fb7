/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The what-ifs of a forecast: the requested changes, and the part of the program that each one
 * changes.
 */
#ifndef PSCAL_REPLAY_FORECAST_WHAT_IF_H
#define PSCAL_REPLAY_FORECAST_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/forecast_points.h"
#include "replay/program/work.h"

struct err;

/*
 * A change: waiting at a site, or the CPU time of a function or of threads, takes a share of its
 * time. Several shares make several what-ifs, of which each takes the next share; a change with one
 * share is the same in all of them.
 */
struct forecast_change {
	const char *text; /* "SITE=SHARE" as given on the command line */
	char *site;	  /* name or number of a site, or text for work_find() */
	double *shares;	  /* 0..1; of CPU time also more */
	size_t share_count;
};

enum { FORECAST_WHAT_IFS = 8 };

/* A change in one what-if. */
struct forecast_changed {
	const char *name; /* name of the site, function or threads */
	uint32_t site;	  /* PROGRAM_NONE: CPU time */
	double share;
	uint64_t samples; /* samples in the function */
	double cpu_share; /* share of the program's CPU time; NaN: a site */
	uint64_t hold_ns; /* as in struct work_part */
	bool coarse;	  /* as in struct work_part */
};

/* A what-if: the changes of the program, and the forecast with them. */
struct forecast_what_if {
	char *text;			  /* "table=0, compress=50%" */
	struct forecast_changed *changes; /* [change_count] */
	size_t change_count;
	double *site_costs;
	struct work_change *works;
	size_t work_count;
	struct program program; /* the program with changed CPU time; empty if no CPU time
				   changes */
	struct forecast_points points;
};

/*
 * Returns the number of what-ifs, the largest number of shares of a change; 0 with an error if two
 * changes have different numbers of shares, other than one.
 */
size_t what_ifs_count(const struct forecast_change *changes, size_t count, struct err *err);

/*
 * Fills in all but `program` and `points` of what-if `which`, with the names of `program` after
 * recognise(), and its `work`. The caller always releases `what_if`. Returns 0, or -1 with an
 * error.
 */
int what_if_find(struct forecast_what_if *what_if, size_t which,
		 const struct forecast_change *changes, size_t count, const struct program *program,
		 struct work *work, struct err *err);
void what_if_release(struct forecast_what_if *what_if);

#endif
