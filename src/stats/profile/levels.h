/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes T_j, the wall time during which exactly j threads are active [Peternier et al., ICPE
 * 2013], in one pass over the changes of a timeline.
 *
 * A change may correct the interval that it ends, back to the thread's last change: all levels
 * assumed from there on have one thread more or less. So time is kept in segments. A segment begins
 * where an open interval begins: no correction ends within one. The level of a time is its level in
 * the segment, plus the corrections of this segment and of all before it. So a correction, which
 * applies to a segment and all behind it, is noted in that segment alone.
 *
 * A segment without an open interval that begins with it is merged into the one before. Its own
 * corrections become part of its levels, and are passed on to the next segment. The smaller set of
 * levels goes into the larger one, so that each level moves O(log n) times. There are never more
 * segments than living threads, however long the trace; n changes cost O(n log^2 n) at worst. The
 * result is exact.
 */
#ifndef PSCAL_STATS_PROFILE_LEVELS_H
#define PSCAL_STATS_PROFILE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"

struct levels;

/*
 * `interval_ns` > 0: levels are also kept for each interval of this length. `most` 0: up to
 * LEVELS_INTERVALS_MAX intervals. Else up to `most` of them: their length doubles when there would
 * be more.
 */
enum { LEVELS_INTERVALS_MAX = 1 << 20 };
struct levels *levels_new(uint64_t interval_ns, size_t most);
void levels_free(struct levels *levels);

/* Begins the timeline at this time, which may be before its first change. */
void levels_begin(struct levels *levels, uint64_t begin_ns);

/* Returns a copy that goes on independently. */
struct levels *levels_copy(struct levels *levels);

/* Takes changes in the order of their end_ns. Returns -1 if there are too many intervals. */
int levels_add(struct levels *levels, const struct change *change);

/* Joins each two intervals: half as many, twice as long. */
void levels_join_intervals(struct levels *levels);

/* The result for one interval, or for the whole time. */
struct level_times {
	uint64_t begin_ns;   /* since the beginning of the timeline */
	uint64_t *wall_ns;   /* [j]: exactly j threads active, j = 0..max_active */
	size_t max_active;   /* the largest j with wall_ns[j] > 0 */
	uint64_t unknown_ns; /* time with at least one thread in an unknown state */
	uint64_t total_ns;   /* the sum of all */
};

/* Computes the result so far. The caller releases it. */
void levels_sum(struct levels *levels, struct level_times *times);

/* Computes the result for each interval. The caller releases each, and frees *list. */
size_t levels_intervals(struct levels *levels, struct level_times **list);

/* Gives the result for each interval, one by one; `take` releases each. */
void levels_each_interval(struct levels *levels,
			  void (*take)(void *context, struct level_times *times), void *context);

void level_times_release(struct level_times *times);

/* Returns the mean number of ready threads over the known time; NAN if less than half is known. */
double level_times_mean(const struct level_times *times);

/* Returns the CPU time that ready threads could have used on `cores` cores in the known time. */
double level_times_usable_ns(const struct level_times *times, uint64_t cores);

#endif
