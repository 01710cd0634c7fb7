/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Durations in constant memory: number, sum, longest, and quantiles to DURATIONS_ERROR of their
 * value. They are counted in buckets whose bounds grow by a power of two in equal steps, as in
 * HdrHistogram [Tene 2012].
 */
#ifndef PSCAL_STATS_PROFILE_DURATIONS_H
#define PSCAL_STATS_PROFILE_DURATIONS_H

#include <stdint.h>

enum {
	DURATIONS_STEP_BITS = 5, /* steps of each power of two */
	DURATIONS_BUCKETS = (64 - DURATIONS_STEP_BITS + 1) << DURATIONS_STEP_BITS,
};

/* The middle of a bucket is at most this far from anything in it, relative. */
#define DURATIONS_ERROR (1. / (2 << DURATIONS_STEP_BITS))

/* Zero is one without durations. */
struct durations {
	uint64_t count, sum_ns, longest_ns;
	uint64_t buckets[DURATIONS_BUCKETS];
};

void durations_add(struct durations *durations, uint64_t ns);

/* The smallest duration that `share` of all do not exceed; share 0..1. NAN where there is none. */
double durations_quantile(const struct durations *durations, double share);

#endif
