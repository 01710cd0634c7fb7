/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the columns of a table that hold a series, and their meaning.
 *
 * Columns are found by their names, or chosen by the user. If the names do not decide, for example
 * if several columns may be the same, the reader reports an error, and does not guess.
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
 * The meaning of a column of measurements, by its name.
 *
 * Case does not matter. A unit may stand in brackets ("Latency (ms)") or behind the name
 * ("latency_ms", "tput_ops_s", "requests per second"); words that change nothing ("mean", "num",
 * "of") are ignored. A name with two meanings, or with none, is not guessed.
 */

enum quantity {
	QUANTITY_UNKNOWN,
	QUANTITY_UNCLEAR, /* two meanings: s is seconds, or a speedup; or some kind of time */
	QUANTITY_N,	  /* the number of threads, cores or clients */
	QUANTITY_THROUGHPUT,
	QUANTITY_TIME,	  /* the time of a fixed amount of work */
	QUANTITY_LATENCY, /* the mean time of a request */
	QUANTITY_SPEEDUP, /* throughput relative to N = 1 */
	QUANTITY_COUNT,	  /* completed since the row before */
	QUANTITY_TOTAL,	  /* completed since the beginning */
	QUANTITY_CLOCK,	  /* the time of the measurement */
	QUANTITY_X,	  /* throughput beside N, and N beside y */
	QUANTITY_Y,	  /* throughput beside x */
	QUANTITIES
};

struct column_name {
	enum quantity quantity;
	bool plain;   /* n, throughput: certain */
	bool weak;    /* ops: throughput, but beside a time it may be a count */
	double scale; /* the unit of a time or a latency in seconds, 1 without a unit */
	bool scaled;  /* the name has the unit */
};

/* Returns the meaning of a name; NULL: a column without one. */
struct column_name column_name_read(const char *name);

/* Returns the name of a quantity: "throughput", "time". */
const char *quantity_name(enum quantity quantity);

/* The largest number of columns of text that name the series of a table. */
enum { SERIES_KEYS = 4 };

struct series_columns {
	int n, value;
	int clock, work, weight; /* -1: none */
	/* THROUGHPUT, TIME, LATENCY or SPEEDUP; of a log also COUNT or TOTAL. */
	enum quantity quantity;
	double scale;	       /* the unit of a time or a latency in seconds */
	double clock_scale;    /* the unit of the clock in seconds */
	bool usual;	       /* no other columns may be meant */
	int keys[SERIES_KEYS]; /* the keys of the request */
};

/* Returns 0, or -1 with an error that lists the columns. */
int series_columns_find(struct series_columns *columns, const struct csv_table *table,
			const struct series_request *request, struct err *err);

/* The rows of a table by series, and in each in the order of the table. */
struct series_split {
	size_t *rows;
	size_t *begins;	  /* the begin of each series in `rows`, and the end of the last one */
	struct map names; /* numbers of the series, in the order of their first rows */
};

/*
 * Splits the rows by the keys of the request. Returns 0, or -1 with an error: there is no series,
 * or there are too many. The caller releases the result in either case.
 */
int series_split_rows(struct series_split *split, const struct csv_table *table,
		      const struct series_columns *columns, const struct series_request *request,
		      struct err *err);
void series_split_release(struct series_split *split);

/*
 * Returns -1 with an error, and sets the keys of the columns, if columns of text that the user did
 * not name tell several series apart; else 0.
 */
int series_refuse_several(const struct csv_table *table, struct series_columns *columns,
			  struct err *err);

#endif
