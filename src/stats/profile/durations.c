/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/durations.h"

#include <math.h>
#include <stddef.h>

enum { STEPS = 1 << DURATIONS_STEP_BITS };

/* Returns the bucket: one for each duration below STEPS; above, `shift` bits are dropped. */
static size_t bucket_of(uint64_t ns)
{
	unsigned shift = ns < STEPS ? 0 : 63u - (unsigned)__builtin_clzll(ns) - DURATIONS_STEP_BITS;

	return ((size_t)shift << DURATIONS_STEP_BITS) + (size_t)(ns >> shift);
}

static double bucket_middle(size_t bucket)
{
	size_t shift = bucket < 2 * STEPS ? 0 : (bucket >> DURATIONS_STEP_BITS) - 1;
	double least = ldexp((double)(bucket - (shift << DURATIONS_STEP_BITS)), (int)shift);

	return least + (ldexp(1, (int)shift) - 1) / 2;
}

void durations_add(struct durations *durations, uint64_t ns)
{
	durations->count++;
	durations->sum_ns += ns;
	if (ns > durations->longest_ns)
		durations->longest_ns = ns;
	durations->buckets[bucket_of(ns)]++;
}

double durations_quantile(const struct durations *durations, double share)
{
	uint64_t wanted = (uint64_t)ceil(share * (double)durations->count), seen = 0;
	size_t bucket = 0;

	if (!durations->count)
		return NAN;
	for (; bucket < DURATIONS_BUCKETS - 1; bucket++) {
		seen += durations->buckets[bucket];
		if (seen >= wanted && seen)
			break;
	}
	return fmin(bucket_middle(bucket), (double)durations->longest_ns);
}
