/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallelism over time: how many threads were active on average, and of how many it is not known
 * whether they were, in bins of equal length. There are at most ACTIVITY_BINS of them, and more
 * than half as many unless the time has fewer nanoseconds: whenever time goes on beyond the last
 * one, neighbours are taken together. So memory is constant, and a change takes constant time,
 * however long its interval.
 *
 * Unlike in T_j (levels.h) each thread counts by itself: where one is unknown, what is known of the
 * others remains, and the true parallelism is from `active` to `active` + `unknown`.
 */
#ifndef PSCAL_STATS_PROFILE_ACTIVITY_H
#define PSCAL_STATS_PROFILE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"

enum { ACTIVITY_BINS = 1024 };

struct activity;

struct activity *activity_new(void);
void activity_free(struct activity *activity);

/* The timeline begins here, not at its first change. */
void activity_begin(struct activity *activity, uint64_t begin_ns);

/* The same once more, which can go on by itself. */
struct activity *activity_copy(const struct activity *activity);

void activity_add(struct activity *activity, const struct change *change);

struct activity_bin {
	double active, unknown; /* threads, as the mean over the bin */
};

struct activity_times {
	struct activity_bin *bins;
	size_t count;
	uint64_t bin_ns;   /* the length of each; the last one ends with the time */
	uint64_t total_ns; /* since the timeline began */
};

/* Everything so far. The caller releases it. */
void activity_sum(const struct activity *activity, struct activity_times *times);
void activity_times_release(struct activity_times *times);

#endif
