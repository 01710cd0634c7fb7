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
 * A what-if: waiting at a site, or the CPU time of a function or of threads, takes this share of its
 * time. Several shares make several what-ifs, of which each takes the next one; a change with one
 * share is the same in all of them.
 */
struct forecast_change {
	const char *text; /* as it was asked for, "SITE=SHARE" */
	char *site;	  /* its name or its number, or as work_find() takes it */
	double *shares;	  /* 0..1; of CPU time also more */
	size_t share_count;
};

enum { FORECAST_WHAT_IFS = 8 };

/* One of the changes of a what-if. */
struct forecast_changed {
	const char *name; /* of the site, function or threads */
	uint32_t site;	  /* PROGRAM_NONE: it is CPU time */
	double share;
	uint64_t samples; /* that tell a function's CPU time ... */
	double cpu_share; /* ... which is that part of the program's; NaN: a site */
	bool coarse;	  /* see work.h */
};

/* Waits and work that cost less, and what the program takes then. */
struct forecast_what_if {
	char *text;			  /* "table=0, compress=50%" */
	struct forecast_changed *changes; /* `change_count` of them */
	size_t change_count;
	double *site_costs;
	struct work_change *works;
	size_t work_count;
	struct program program; /* with them; empty where there are none */
	struct forecast_points points;
};

/*
 * As many as the longest list of the changes has shares. Returns their number, or 0 with a sentence.
 */
size_t what_ifs_count(const struct forecast_change *changes, size_t count, struct err *err);

/*
 * Fills in all but `program` and `points` of the what-if of that number, by the names of `program`
 * after recognise(), and its `work`. The caller releases in any case. Returns 0, or -1 with a
 * sentence.
 */
int what_if_find(struct forecast_what_if *what_if, size_t which,
		 const struct forecast_change *changes, size_t count, const struct program *program,
		 struct work *work, struct err *err);
void what_if_release(struct forecast_what_if *what_if);

#endif
