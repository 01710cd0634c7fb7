/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scaling series: the throughput measured at several levels of concurrency.
 *
 * N counts what works at the same time: threads, cores, processors, clients. Throughput is work
 * done per time, in any unit, the same one in all points. Several points may share an N.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_H
#define PSCAL_STATS_SERIES_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series/column_name.h"
#include "stats/series/steady.h"

struct csv_table;
struct err;
struct series_request;

/* So that sums of squares, and squares of these, stay in the range of a double. */
#define SERIES_LEAST 1e-70
#define SERIES_MOST  1e70

struct series_point {
	double n;	   /* > 0; SERIES_LEAST to SERIES_MOST where it was read */
	double throughput; /* the same */
};

/* Which columns the points were read from. */
struct series_origin {
	char *n, *value;	/* their names, or numbers from 1; NULL: the points were not read */
	char *clock;		/* of a log; NULL: none */
	char *work;		/* NULL: 1 */
	char *weights;		/* as they were asked for; NULL: none */
	enum quantity quantity; /* that the value was read as */
	double scale;		/* its unit in seconds, if it is a time or a latency */
	bool usual;		/* as anybody would have read them */
};

/* A run of a log, a stretch of rows with the same N. The mean over its steady window (steady.h) is a
 * point; an N that comes back is another run. */
struct series_window {
	double n;
	/* Of the window: times in seconds if their unit is known, or row numbers. */
	double from, to;
	size_t rows;		   /* of the run */
	size_t cut_start, cut_end; /* of these rows, before and behind the window */
	double mean;		   /* throughput in the window */
	struct steady steady;
};

struct series {
	char *source; /* where it was read, for sentences */
	struct series_point *points;
	/*
	 * How much each point counts in a fit: 1 / its variance, up to a common factor; > 0, and
	 * 1 on average. NULL where all count alike.
	 */
	double *weights;
	double *trust; /* what a robust fit leaves each point of its weight, 0..1; NULL: all */
	struct series_window *windows; /* of a log: the run of each point; else NULL */
	size_t count;
	struct series_origin origin;
};

static inline double series_own_weight(const struct series *series, size_t point)
{
	return series->weights ? series->weights[point] : 1;
}

/* The weight of a point in a fit. */
static inline double series_weight(const struct series *series, size_t point)
{
	return series_own_weight(series, point) * (series->trust ? series->trust[point] : 1);
}

/*
 * Takes the points from a table, by the names of its columns (series_columns.h).
 *
 * A time T becomes a throughput W / T with the work W of the request (1); a latency R becomes N /
 * R, by Little's law for N clients that do not think between requests; a speed-up is a throughput
 * in units of that of one. Times and latencies count in seconds where their names give a unit.
 *
 * Returns 0, or -1 with a sentence that names file, line and column: a cell that is no number, or
 * not above 0, a column that cannot be told, no points. The caller releases a series in any case.
 */
int series_read(struct series *series, const struct csv_table *table, struct err *err);

/*
 * The same as a request says (series_columns.h). A log of a run has rows in the order of time, each
 * with N and with the throughput, the number completed since the row before, or the number completed
 * in all; each of its runs becomes a point.
 */
int series_read_as(struct series *series, const struct csv_table *table,
		   const struct series_request *request, struct err *err);
void series_release(struct series *series);

/* How many different N there are: a curve has no more parameters than that. */
size_t series_distinct(const struct series *series);

/* The largest N. */
double series_max_n(const struct series *series);

/* The largest throughput. */
double series_max_throughput(const struct series *series);

#endif
