/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * T_j, the wall time during which exactly j threads are active [Peternier et al., ICPE 2013], in
 * one pass over the changes of a timeline.
 *
 * A change may correct the interval that it ends, back to where the thread's last change was: all
 * that was believed from there on has one thread more or less. So time is kept in segments: one
 * begins where an interval begins that is still open, and no correction ends within one. The level
 * of a time is what its segment has it as, plus the corrections of this segment and of all before
 * it. A correction, which concerns a segment and all behind it, is then noted in that segment alone.
 *
 * A segment that no open interval begins with any more is merged into the one before. That lacks
 * nothing but the corrections of the segment itself, which become part of its levels, and are handed
 * on to the one behind. The smaller set of levels goes into the larger one, so that
 * each level is moved O(log n) times. There are never more segments than threads alive, however long
 * the trace, and n changes cost O(n log^2 n) at worst; the result is exact.
 */
#ifndef PSCAL_STATS_PROFILE_LEVELS_H
#define PSCAL_STATS_PROFILE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"

struct levels;

/*
 * `interval_ns` > 0: levels are also kept for each interval of this length, up to
 * LEVELS_INTERVALS_MAX of them; or up to `most` of them, unless that is 0, which become twice as long
 * whenever there would be more.
 */
enum { LEVELS_INTERVALS_MAX = 1 << 20 };
struct levels *levels_new(uint64_t interval_ns, size_t most);
void levels_free(struct levels *levels);

/* The timeline begins here, not at its first change. */
void levels_begin(struct levels *levels, uint64_t begin_ns);

/* The same once more, which can go on by itself. */
struct levels *levels_copy(struct levels *levels);

/* Changes must come in the order of their end_ns. Returns -1 when there are too many intervals. */
int levels_add(struct levels *levels, const struct change *change);

/* Each two intervals become one, so that there are half as many, twice as long. */
void levels_join_intervals(struct levels *levels);

/* The result for one interval, or for all of the time. */
struct level_times {
	uint64_t begin_ns;   /* since the timeline began */
	uint64_t *wall_ns;   /* [j]: exactly j threads active, j = 0..max_active */
	size_t max_active;   /* the largest j with wall_ns[j] > 0 */
	uint64_t unknown_ns; /* at least one thread's activity is not known */
	uint64_t total_ns;   /* sum of all */
};

/* Everything so far. The caller releases it. */
void levels_sum(struct levels *levels, struct level_times *times);

/* The same for each interval. The caller releases each, and frees *list. */
size_t levels_intervals(struct levels *levels, struct level_times **list);

/* The same without memory for all of them: `take` releases each. */
void levels_each_interval(struct levels *levels,
			  void (*take)(void *context, struct level_times *times), void *context);

void level_times_release(struct level_times *times);

/* Mean number of ready threads over the time that is known; NAN when less than half of it is. */
double level_times_mean(const struct level_times *times);

/* The CPU time that ready threads could have used on `cores` cores, where it is known. */
double level_times_usable_ns(const struct level_times *times, uint64_t cores);

#endif
