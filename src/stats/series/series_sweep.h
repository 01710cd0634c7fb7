/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results of a sweep: medians and ranges of the runs at each N.
 */
#ifndef PSCAL_STATS_SERIES_SERIES_SWEEP_H
#define PSCAL_STATS_SERIES_SERIES_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

struct csv_table;
struct err;

/* The runs at one N. NaN: unknown. */
struct series_level {
	double n;
	size_t runs;
	double throughput, least, most; /* median and range */
	double speedup;			/* the speedup of the median, relative to the smallest N */
	double wall_s, cpu_s;		/* medians */
	double inflation;		/* CPU time for the same work, relative to the smallest N */
	double cpus, others;		/* medians of the CPUs used, by the program and by others */
	bool full;			/* they use 9/10 of the CPUs that the program may use */
};

struct series_sweep {
	struct series_level *levels; /* the levels by N; empty: nothing was measured */
	size_t count, runs;
	size_t best;	 /* the level with the largest median */
	size_t widest;	 /* the level with the largest ratio most / least */
	size_t inflated; /* the level whose inflation is farthest from 1 */
	double others;	 /* the largest one of all levels; NaN: not known */
	size_t cpus;	 /* CPUs that the program may use at each N; 0: not known */
	double full_n;	 /* the N from which on all levels are full; NaN: none is */
};

/*
 * Reads the table that a sweep wrote. Returns 0, or -1 with an error, for example if a cell is no
 * number. The caller releases the result in either case.
 */
int series_sweep_read(struct series_sweep *sweep, const struct csv_table *table, struct err *err);
void series_sweep_release(struct series_sweep *sweep);

/* Returns the points of a series by N: runs, medians and ranges; else NaN. The caller frees it. */
struct series;
struct series_level *series_levels(const struct series *series, size_t *count);

/* Returns the CPUs that the program of a sweep may use at each N, or 0: not known, or N. */
size_t series_sweep_cpus(const struct csv_table *table);

#endif
