/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a comparison of parallel runs with serial runs. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stretch/stretch.h"

struct err;
struct report;

/* All is borrowed. */
struct stretch_view {
	const struct stretch *stretch;
	const char *const *paths;	  /* paths of the recordings */
	double min_share;		  /* rows with a lower share on all sides are left out */
	const struct sampled_loss *parts; /* parts of the last column over time; or NULL */
	size_t part_count;
	const size_t *shown; /* counters of the base that text shows in each row */
	size_t shown_count;
	/* Set by report_stretch() and plot_stretch() in a copy: */
	const struct stretch_row **rows; /* the shown rows */
	size_t row_count;
	size_t below; /* number of rows left out by the share */
	struct stretch_verdict verdict;
};

/* Returns the name on the command line: "function", ... */
const char *stretch_by_name(enum stretch_by by);

/* Adds the work that takes longer in parallel, and the use of the other core time. */
void report_stretch(struct report *report, const struct stretch_view *view);

/*
 * Draws the core time and the first rows into a file (report/plot.h). Returns 0, or -1 with an
 * error, also if no row is shown.
 */
int plot_stretch(const struct stretch_view *view, const char *path, struct err *err);

#endif
