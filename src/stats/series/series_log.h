/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series from the log of a run: rows in the order of time, each with N and with the throughput,
 * with what was completed since the row before, or with what was completed in all.
 *
 * A run is a stretch of rows with the same N; an N may come back and is then another run. Each run
 * becomes one point: the mean over its steady window (steady.h). Of completions a row's throughput
 * is what was completed between the row before and this one, by the time between; the mean over a
 * window is all that was completed in it by all its time. An interval in which N changed belongs to
 * no run, nor does what was before the first row.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_LOG_H
#define PSCAL_STATS_SERIES_SERIES_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series/steady.h"

struct csv_table;
struct err;
struct series;
struct series_columns;

/* Of one run. */
struct series_window {
	double n;
	double from,
		to;  /* of the window: times in seconds if their unit is known, or row numbers */
	size_t rows; /* of the run */
	size_t cut_start, cut_end; /* of these rows, before and behind the window */
	double mean;		   /* throughput in the window */
	struct steady steady;
};

/* Fills points and windows. Returns 0, or -1 with a sentence that names file, line and column. */
int series_log_read(struct series *series, const struct csv_table *table,
		    const struct series_columns *columns, bool cut_end, struct err *err);

#endif
