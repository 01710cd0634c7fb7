/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How `pscal fit` was asked to read its points.
 */
#ifndef PSCAL_CMD_FIT_FIT_POINTS_H
#define PSCAL_CMD_FIT_FIT_POINTS_H

#include <popt.h>

#include "stats/series/series_columns.h"

struct err;

struct fit_points {
	struct series_request request; /* borrows from what is below */
	/* Options as they were written. */
	char *columns, *work, *weights;
	int time, from_log, cut_end;
};

/* Fills the table of the options, of FIT_POINTS_OPTIONS lines. */
enum { FIT_POINTS_OPTIONS = 7 };
void fit_points_table(struct poptOption table[FIT_POINTS_OPTIONS], struct fit_points *points);

/* Checks what was written. Returns 0, or -1 with a sentence: wrong usage. */
int fit_points_read(struct fit_points *points, struct err *err);

void fit_points_release(struct fit_points *points);

#endif
