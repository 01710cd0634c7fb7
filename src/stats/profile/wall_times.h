/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wall times of a program, measured on several numbers of cores. */
#ifndef PSCAL_STATS_PROFILE_WALL_TIMES_H
#define PSCAL_STATS_PROFILE_WALL_TIMES_H

#include <stddef.h>
#include <stdint.h>

struct csv_table;
struct err;

struct wall_time {
	uint64_t cores;
	size_t runs;
	double mean_s, least_s, most_s; /* the mean and the range of the runs */
};

struct wall_times {
	struct wall_time *items; /* sorted by cores, each number once */
	size_t count;
};

enum { WALL_TIMES_CORES_MAX = 1 << 20 };

/*
 * Reads the wall times from a table with a row for each run. The columns are found by name: cores,
 * k, n, threads, cpus or processors, and wall_s, wall, time_s, time, seconds or elapsed. Two
 * columns without names are cores and seconds.
 *
 * Returns 0, or -1 with an error that names file, line and column. The caller releases the result
 * in either case.
 */
int wall_times_read(struct wall_times *times, const struct csv_table *table, struct err *err);
/* Merges items that are single runs, in any order: one item per number of cores, with the mean. */
void wall_times_merge(struct wall_times *times);
void wall_times_release(struct wall_times *times);

/* Returns the wall time on this number of cores, or NULL if none was measured. */
const struct wall_time *wall_times_find(const struct wall_times *times, uint64_t cores);

#endif
