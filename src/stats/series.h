/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scaling series: the throughput measured at several levels of concurrency.
 *
 * N counts what works at the same time: threads, cores, processors, clients. Throughput is work
 * done per time, in any unit, the same one in all points. Several points may share an N.
 */
#ifndef PSCAL_STATS_SERIES_H
#define PSCAL_STATS_SERIES_H

#include <stddef.h>

struct csv_table;
struct err;

struct series_point {
	double n;	   /* > 0, finite */
	double throughput; /* > 0, finite */
};

struct series {
	char *source; /* where it was read, for sentences */
	struct series_point *points;
	/*
	 * How much each point counts in a fit: 1 / its variance, up to a common factor; > 0. NULL
	 * where all count alike.
	 */
	double *weights;
	size_t count;
};

static inline double series_weight(const struct series *series, size_t point)
{
	return series->weights ? series->weights[point] : 1;
}

/*
 * Takes the points from a table. The columns are found by name: N is called n, threads, cores,
 * processors, concurrency or load; throughput is called throughput, tput, rate, ops, y or C; x is
 * N beside y, and throughput beside N. Of two columns one name tells the other. Where the header
 * has neither name, and in two columns without a header, N comes first.
 *
 * Returns 0, or -1 with a sentence that names file, line and column: a cell that is no number, or
 * not above 0, a column that cannot be told, no points. The caller releases a series in any case.
 */
int series_read(struct series *series, const struct csv_table *table, struct err *err);
void series_release(struct series *series);

/* How many different N there are: a curve has no more parameters than that. */
size_t series_distinct(const struct series *series);

/* The largest N. */
double series_max_n(const struct series *series);

/* The largest throughput. */
double series_max_throughput(const struct series *series);

#endif
