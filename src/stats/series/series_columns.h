/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which columns of a table a series is read from, and what they hold.
 *
 * They are found by their names (column_name.h), or said. What the names leave open is not guessed:
 * several columns that may be the same, or none, are told in a sentence.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_COLUMNS_H
#define PSCAL_STATS_SERIES_SERIES_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series/column_name.h"

struct csv_table;
struct err;

/* A column that was said. */
struct column_choice {
	enum quantity quantity; /* what it holds; QUANTITY_UNKNOWN: as its name or place says */
	const char *column;	/* its name, or its number from 1 */
};

enum weighting {
	WEIGHTS_NONE,	    /* all points count alike */
	WEIGHTS_RELATIVE,   /* constant relative error */
	WEIGHTS_COLUMN,	    /* a column of weights */
	WEIGHTS_DEVIATIONS, /* a column of standard deviations */
	WEIGHTS_STEADY,	    /* the standard errors of the steady windows of a log */
};

enum { COLUMN_CHOICES = 3 };

/* How a table is to be read; all zero: as its names say. Texts are borrowed. */
struct series_request {
	struct column_choice columns[COLUMN_CHOICES];
	size_t column_count;
	bool time;		 /* what was measured is a time */
	double work;		 /* done in that time; 0: 1 */
	const char *work_column; /* ... or the column with it; NULL: none */
	enum weighting weighting;
	const char *weight_column;
	bool from_log; /* rows are a time series */
	bool cut_end;  /* ... that may end badly */
};

struct series_columns {
	int n, value;
	int clock, work, weight; /* -1: there is none */
	/* Of the value: THROUGHPUT, TIME, LATENCY or SPEEDUP; of a log also COUNT or TOTAL. */
	enum quantity quantity;
	double scale;	    /* of the value, if it is a time or a latency: seconds */
	double clock_scale; /* of the clock */
	bool usual;	    /* nobody could think of other columns than these */
};

/* Returns 0, or -1 with a sentence that says which columns there are. */
int series_columns_find(struct series_columns *columns, const struct csv_table *table,
			const struct series_request *request, struct err *err);

#endif
