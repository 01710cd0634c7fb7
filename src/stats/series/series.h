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

#include "stats/series/series_columns.h"

struct csv_table;
struct err;

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
	bool usual;		/* as any reader would take them */
};

/*
 * The steady part of a time series of measurements: MSER-5.
 *
 * The values are taken in batches of five. Of the batch means Z_1 .. Z_k the first d are cut, with
 * the d that makes the squared standard error of the mean of the others least,
 *
 *	MSER(d) = sum_{i > d} (Z_i - mean)^2 / (k - d)^2,
 *
 * as bias makes it large and so does cutting what is good. Only the first half may be cut, and five
 * batches are left in any case, since the error of fewer is small by chance: a cut at this limit
 * means that no steady part was found. K. P. White, "An effective truncation heuristic for bias
 * reduction in simulation output", Simulation 69(6), 1997; batches: Spratt 1998.
 */

enum { STEADY_BATCH = 5, STEADY_BATCHES_KEPT = 5, STEADY_BATCHES_ENOUGH = 10 };

struct steady {
	size_t begin, end; /* values[begin..end) are the window */
	size_t batches;	   /* in it */
	bool at_limit;	   /* as much was cut as may be: never steady */
	bool ends_off;	   /* not asked to, cutting the end would move the mean by more than 2 % */
	double mean;	   /* of the batch means in it */
	double se;	   /* ... its standard error, were batches independent; NaN if unknown */
	/*
	 * The least-squares line through the batch means: its rise over the window relative to
	 * their mean, and the p that it has none (two-sided t-test). NaN for fewer than 3 batches.
	 */
	double rise, rise_p;
};

/*
 * `count` > 0. What fills no batch at the end is left out; of fewer than STEADY_BATCH values all
 * are taken. With `cut_end` the end is cut by the same rule, turn by turn with the beginning until
 * neither changes; together they may cut half.
 */
void steady_find(struct steady *steady, const double *values, size_t count, bool cut_end);

/* Does the throughput still rise or fall in the window: surely (p < 0.01) and by more than 2 %? */
bool steady_trends(const struct steady *steady);

/* A run of a log, a stretch of rows with the same N. The mean over its steady window is a
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
	char *file;   /* where it was read */
	char *name;   /* of several in a table: "kmeans, large"; NULL: it is the only one */
	char *source; /* both, for sentences */
	struct series_point *points;
	/*
	 * The weight of each point in a fit: 1 / its variance, up to a common factor; > 0, and
	 * 1 on average. NULL where all count alike.
	 */
	double *weights;
	double *trust; /* what a robust fit leaves each point of its weight, 0..1; NULL: all */
	struct series_window *windows; /* of a log: the run of each point; else NULL */
	size_t count;
	/* Of the file of a sweep on all CPUs, else NULL: how many CPUs the program kept busy
	 * at each point, and how many something else did; NaN where that is not known. */
	struct series_load {
		double own, others;
	} * loads;
	size_t cpus; /* that the program was allowed, where there are loads */
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

/* A column that was said. */
struct column_choice {
	enum quantity quantity; /* what it holds; QUANTITY_UNKNOWN: as its name or place says */
	const char *column;	/* its name, or its number from 1 */
};

/* A column whose text names the series of a table. */
struct series_key {
	const char *column; /* its name, or its number from 1 */
	const char *value;  /* of the series to read; NULL: each */
};

enum weighting {
	WEIGHTS_NONE,	    /* all points count alike */
	WEIGHTS_RELATIVE,   /* constant relative error */
	WEIGHTS_COLUMN,	    /* a column of weights */
	WEIGHTS_DEVIATIONS, /* a column of standard deviations */
	WEIGHTS_STEADY,	    /* the standard errors of the steady windows of a log */
};

enum { COLUMN_CHOICES = 3 };

/* The way to read a table; all zero: as its names say. Texts are borrowed. */
struct series_request {
	struct column_choice columns[COLUMN_CHOICES];
	size_t column_count;
	double work;		 /* done in that time; 0: 1 */
	const char *work_column; /* ... or the column with it; NULL: none */
	enum weighting weighting;
	const char *weight_column;
	bool from_log; /* rows are a time series */
	bool cut_end;  /* ... that may end badly */
	struct series_key keys[SERIES_KEYS];
	size_t key_count;
	bool pooled; /* all rows are of one series, whatever columns of text say */
};

/*
 * Takes the points from a table as the request says, NULL: by the names of its columns
 * (series_columns.h).
 *
 * A time T becomes a throughput W / T with the work W of the request (1); a latency R becomes N /
 * R, by Little's law for N clients that do not think between requests; a speedup is a throughput
 * in units of that of one. Times and latencies count in seconds where their names give a unit.
 *
 * A log of a run has rows in the order of time, each with N and with the throughput, the number
 * completed since the row before, or the number completed in all; each of its runs becomes a point.
 *
 * A table has one series, unless the request names the columns that tell several apart. A column of
 * text that seems to do so and is not named is refused with a list of the series: no curve describes
 * them all.
 *
 * Adds the series to the array *series of *count. Returns 0, or -1 with a sentence that names file,
 * line and column: a cell that is no number, or not above 0, a column that cannot be told, no points.
 * The caller releases each series, and frees the array, in any case.
 */
int series_read(struct series **series, size_t *count, const struct csv_table *table,
		const struct series_request *request, struct err *err);
void series_release(struct series *series);

/* The number of different N: a curve has no more parameters than that. */
size_t series_distinct(const struct series *series);

/* The largest N. */
double series_max_n(const struct series *series);

/* The largest throughput. */
double series_max_throughput(const struct series *series);

#endif
