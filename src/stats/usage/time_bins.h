/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The number of concurrent intervals, as the mean over bins of equal length. Intervals come in any
 * order. When time goes beyond the last bin, neighbours are joined: memory is constant, and an
 * interval takes constant time, however long it is.
 *
 *	time_bins_init(&bins, 1024, 1);
 *	time_bins_add(&bins, 0, from_ns, to_ns);
 *	time_bins_settle(&bins);
 *	for (size_t i = 0; i < time_bins_count(&bins); i++)
 *		... time_bins_mean(&bins, 0, i)
 *	time_bins_release(&bins);
 */
#ifndef PSCAL_STATS_USAGE_TIME_BINS_H
#define PSCAL_STATS_USAGE_TIME_BINS_H

#include <stddef.h>
#include <stdint.h>

struct time_bins {
	uint64_t bin_ns; /* the length of a bin, a power of two; the last one is cut at end_ns */
	uint64_t end_ns; /* the end of the time, which begins at 0 */
	size_t max, lane_count;
	struct time_lane *lanes;
};

/*
 * Makes at most `max` bins, an even number, and more than half as many unless these would be
 * shorter than `least_ns`, a power of two. Each lane counts intervals of one kind.
 */
void time_bins_init(struct time_bins *bins, uint64_t least_ns, size_t max, size_t lane_count);
void time_bins_copy(struct time_bins *copy, const struct time_bins *bins);
void time_bins_release(struct time_bins *bins);

/* Extends the time to `to_ns` at least. */
void time_bins_extend(struct time_bins *bins, uint64_t to_ns);

/* Adds an interval from `from_ns` to `to_ns`. */
void time_bins_add(struct time_bins *bins, size_t lane, uint64_t from_ns, uint64_t to_ns);

/* Completes the counts. Call it after the last time_bins_add(), before reading. */
void time_bins_settle(struct time_bins *bins);
/* Joins each two bins. */
void time_bins_join(struct time_bins *bins);
size_t time_bins_count(const struct time_bins *bins);
double time_bins_mean(const struct time_bins *bins, size_t lane, size_t bin);

#endif
