/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which columns of a table a series is read from, and what they hold.
 *
 * They are found by their names, or said. What the names leave open is not guessed:
 * several columns that may be the same, or none, are told in a sentence.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_COLUMNS_H
#define PSCAL_STATS_SERIES_SERIES_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

struct csv_table;
struct err;
struct series_request;

/*
 * The contents of a column of measurements, by its name.
 *
 * Case does not matter. A unit may stand in brackets ("Latency (ms)") or behind the name
 * ("latency_ms", "tput_ops_s", "requests per second"); words that change nothing ("mean", "num",
 * "of") are passed over. What has two meanings, and what has none, is not guessed.
 */

enum quantity {
	QUANTITY_UNKNOWN,
	QUANTITY_UNCLEAR, /* it has two meanings: s is seconds, or a speedup; or is some time */
	QUANTITY_N,	  /* what works at the same time */
	QUANTITY_THROUGHPUT,
	QUANTITY_TIME,	  /* for a fixed amount of work */
	QUANTITY_LATENCY, /* of one request, on average */
	QUANTITY_SPEEDUP, /* throughput in units of that of one */
	QUANTITY_COUNT,	  /* what was completed since the row before */
	QUANTITY_TOTAL,	  /* ... since the beginning */
	QUANTITY_CLOCK,	  /* when it was measured */
	QUANTITY_X,	  /* throughput beside N, and N beside y */
	QUANTITY_Y,	  /* throughput beside x */
	QUANTITIES
};

struct column_name {
	enum quantity quantity;
	bool plain;   /* n, throughput: beyond all doubt */
	bool weak;    /* ops: throughput, but beside a time it may be a count */
	double scale; /* of a time or a latency: its unit in seconds; 1 where it has none */
	bool scaled;  /* ... the name says the unit */
};

/* `name` may be NULL: a column without one. */
struct column_name column_name_read(const char *name);

/* "throughput", "time": what a quantity is called. */
const char *quantity_name(enum quantity quantity);

/* So many columns of text may name the series of a table. */
enum { SERIES_KEYS = 4 };

struct series_columns {
	int n, value;
	int clock, work, weight; /* -1: there is none */
	/* Of the value: THROUGHPUT, TIME, LATENCY or SPEEDUP; of a log also COUNT or TOTAL. */
	enum quantity quantity;
	double scale;	       /* of the value, if it is a time or a latency: seconds */
	double clock_scale;    /* of the clock */
	bool usual;	       /* no other columns could be meant than these */
	int keys[SERIES_KEYS]; /* of the request */
};

/* Returns 0, or -1 with a sentence that says which columns there are. */
int series_columns_find(struct series_columns *columns, const struct csv_table *table,
			const struct series_request *request, struct err *err);

/* The rows of a table by series, and in each in the order of the table. */
struct series_split {
	size_t *rows;
	size_t *begins;	  /* of each series in `rows`, and the end of the last one */
	struct map names; /* the numbers of the series, in the order of their first rows */
};

/* By the keys of the request. Returns 0, or -1 with a sentence: there is no series, or there are too
 * many. The caller releases in any case. */
int series_split_rows(struct series_split *split, const struct csv_table *table,
		      const struct series_columns *columns, const struct series_request *request,
		      struct err *err);
void series_split_release(struct series_split *split);

/* Returns -1 with a sentence, and sets the keys of the columns, if columns of text that nothing was
 * said of name several series; else 0. */
int series_refuse_several(const struct csv_table *table, struct series_columns *columns,
			  struct err *err);

#endif
