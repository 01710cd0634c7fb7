/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Durations in constant memory: number, sum, longest, and quantiles with a relative error of
 * DURATIONS_ERROR. The bounds of the buckets grow by a power of two in equal steps, as in
 * HdrHistogram [Tene 2012].
 */
#ifndef PSCAL_STATS_PROFILE_DURATIONS_H
#define PSCAL_STATS_PROFILE_DURATIONS_H

#include <stdint.h>

enum {
	DURATIONS_STEP_BITS = 5, /* each power of two has 2^5 steps */
	DURATIONS_BUCKETS = (64 - DURATIONS_STEP_BITS + 1) << DURATIONS_STEP_BITS,
};

/* The largest relative distance of a duration from the middle of its bucket. */
#define DURATIONS_ERROR (1. / (2 << DURATIONS_STEP_BITS))

/* An empty one is all zero. */
struct durations {
	uint64_t count, sum_ns, longest_ns;
	uint64_t buckets[DURATIONS_BUCKETS];
};

void durations_add(struct durations *durations, uint64_t ns);

/* Returns the smallest duration that `share` (0..1) of all do not exceed; NAN if there is none. */
double durations_quantile(const struct durations *durations, double share);

#endif
