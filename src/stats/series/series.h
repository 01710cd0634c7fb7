/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scaling series: the throughput measured at several levels of concurrency.
 *
 * N is the number of threads, cores, processors or clients that work at the same time. Throughput
 * is work per time, in any unit, the same one for all points. Several points may share an N.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_H
#define PSCAL_STATS_SERIES_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series/series_columns.h"

struct csv_table;
struct err;

/* The range of values: sums of squares, and squares of these, stay in the range of a double. */
#define SERIES_LEAST 1e-70
#define SERIES_MOST  1e70

struct series_point {
	double n;	   /* > 0; SERIES_LEAST to SERIES_MOST if it was read */
	double throughput; /* the same range */
};

/* The columns from which the points were read. */
struct series_origin {
	char *n, *value;	/* names, or numbers from 1; NULL: the points were not read */
	char *clock;		/* the time column of a log; NULL: none */
	char *work;		/* NULL: 1 */
	char *weights;		/* as the user asked for them; NULL: none */
	enum quantity quantity; /* the meaning of the value column */
	double scale;		/* unit of a time or a latency, in seconds */
	bool usual;		/* the columns that any reader would choose */
};

/*
 * The steady part of a time series of measurements: MSER-5.
 *
 * The values form batches of five. Of the batch means Z_1 .. Z_k the first d are cut, where d
 * minimises the squared standard error of the mean of the others,
 *
 *	MSER(d) = sum_{i > d} (Z_i - mean)^2 / (k - d)^2,
 *
 * which is large with bias, and also if good values are cut. At most the first half is cut, and
 * five batches always remain, as the error of fewer is small by chance: a cut at this limit means
 * that no steady part was found. K. P. White, "An effective truncation heuristic for bias reduction
 * in simulation output", Simulation 69(6), 1997; batches: Spratt 1998.
 */

enum { STEADY_BATCH = 5, STEADY_BATCHES_KEPT = 5, STEADY_BATCHES_ENOUGH = 10 };

struct steady {
	size_t begin, end; /* the window is values[begin..end) */
	size_t batches;	   /* the number of batches in the window */
	bool at_limit;	   /* the largest cut allowed: never steady */
	bool ends_off; /* without cut_end: a cut of the end would move the mean by more than 2 % */
	double mean;   /* the mean of the batches in the window */
	double se;     /* the standard error of `mean` if batches are independent; NaN: unknown */
	/*
	 * The least-squares line through the batch means: its rise over the window relative to
	 * their mean, and the p-value of no rise (two-sided t-test). NaN for fewer than 3 batches.
	 */
	double rise, rise_p;
};

/*
 * Finds the steady window; `count` > 0. Values at the end that fill no batch are left out; fewer
 * than STEADY_BATCH values are all taken. With `cut_end` the end is cut by the same rule, in turns
 * with the beginning until neither changes; together they cut at most half.
 */
void steady_find(struct steady *steady, const double *values, size_t count, bool cut_end);

/* Returns true if the throughput in the window rises or falls by more than 2 %, with p < 0.01. */
bool steady_trends(const struct steady *steady);

/*
 * A run of a log, a stretch of rows with the same N. The mean over its steady window is a point.
 * The same N later in the log is another run.
 */
struct series_window {
	double n;
	/* Of the window: seconds if the unit of time is known, else row numbers. */
	double from, to;
	size_t rows;		   /* the number of rows of the run */
	size_t cut_start, cut_end; /* rows of the run before and behind the window */
	double mean;		   /* throughput in the window */
	struct steady steady;
};

struct series {
	char *file;   /* the file it was read from */
	char *name;   /* the name of one of several series: "kmeans, large"; NULL: the only one */
	char *source; /* file and name, for errors */
	struct series_point *points;
	/*
	 * The weight of each point in a fit: 1 / its variance, up to a common factor; > 0, and 1 on
	 * average. NULL: equal weights.
	 */
	double *weights;
	double *trust; /* the factor that a robust fit gives to each weight, 0..1; NULL: 1 */
	struct series_window *windows; /* the run of each point of a log; else NULL */
	size_t count;
	/*
	 * Of a sweep on all CPUs, else NULL: the CPUs used at each point, by the program and by
	 * others. NaN: not known.
	 */
	struct series_load {
		double own, others;
	} * loads;
	size_t cpus; /* the CPUs that the program may use, if there are loads */
	struct series_origin origin;
};

static inline double series_own_weight(const struct series *series, size_t point)
{
	return series->weights ? series->weights[point] : 1;
}

/* Returns the weight of a point in a fit. */
static inline double series_weight(const struct series *series, size_t point)
{
	return series_own_weight(series, point) * (series->trust ? series->trust[point] : 1);
}

/* A column that the user chose. */
struct column_choice {
	enum quantity quantity; /* the quantity; QUANTITY_UNKNOWN: by name or place of the column */
	const char *column;	/* the name of the column, or its number from 1 */
};

/* A column of text that names the series of a table. */
struct series_key {
	const char *column; /* the name of the column, or its number from 1 */
	const char *value;  /* the name of the series to read; NULL: each */
};

enum weighting {
	WEIGHTS_NONE,	    /* equal weights */
	WEIGHTS_RELATIVE,   /* a constant relative error */
	WEIGHTS_COLUMN,	    /* weights in a column */
	WEIGHTS_DEVIATIONS, /* standard deviations in a column */
	WEIGHTS_STEADY,	    /* standard errors of the steady windows of a log */
};

enum { COLUMN_CHOICES = 3 };

/* The way to read a table; all zero: by the names of the columns. Texts are borrowed. */
struct series_request {
	struct column_choice columns[COLUMN_CHOICES];
	size_t column_count;
	double work;		 /* the work for a time; 0: 1 */
	const char *work_column; /* the column of the work; NULL: none */
	enum weighting weighting;
	const char *weight_column;
	bool from_log; /* rows are a time series */
	bool cut_end;  /* the end of a run may not be steady */
	struct series_key keys[SERIES_KEYS];
	size_t key_count;
	bool pooled; /* all rows are one series, whatever columns of text say */
};

/*
 * Reads the points of a table as `request` says. NULL: by the names of its columns
 * (series_columns.h).
 *
 * A time T becomes a throughput W / T with the work W of the request (1); a latency R becomes N /
 * R, by Little's law for N clients that do not think between requests; a speedup is a throughput in
 * units of that of one. Times and latencies count in seconds where their names give a unit.
 *
 * A log has rows in the order of time, each with N and with the throughput, the number completed
 * since the row before, or the total number completed. Each of its runs becomes a point.
 *
 * A table has one series, unless the request names the columns that tell several apart. Any other
 * column of text that seems to do so is an error, which lists the series: no curve describes them
 * all.
 *
 * Adds the series to the array *series of *count. Returns 0, or -1 with an error that names file,
 * line and column: a cell is no number, or not above 0; a column is not clear; there are no points.
 * The caller releases each series, and frees the array, in either case.
 */
int series_read(struct series **series, size_t *count, const struct csv_table *table,
		const struct series_request *request, struct err *err);
void series_release(struct series *series);

/* Returns the number of different N: a curve has no more parameters than that. */
size_t series_distinct(const struct series *series);

/* Returns the largest N. */
double series_max_n(const struct series *series);

/* Returns the largest throughput. */
double series_max_throughput(const struct series *series);

#endif
