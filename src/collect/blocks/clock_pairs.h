/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the time stamp counter says in the clock of our recordings: both are read together now and
 * then, and between two such moments time is taken to go on evenly. Both sides of the comparison
 * drift (the kernel steers CLOCK_MONOTONIC to the time of others), so how far off the next pair is
 * from where the last two lead to is kept: no time in between is worse than that.
 */
#ifndef PSCAL_COLLECT_BLOCKS_CLOCK_PAIRS_H
#define PSCAL_COLLECT_BLOCKS_CLOCK_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct clock_pair {
	uint64_t ticks, ns;
};

/* So many are kept; the older half of them goes then. */
enum { CLOCK_PAIRS_MAX = 4096 };

/* Begins as zero. */
struct clock_pairs {
	struct clock_pair *items; /* in their order */
	size_t count, capacity;
	uint64_t drift_ns; /* the largest there was */

	/* What the time asked for last lay in: items `last` and `last` + 1, and the rate there. */
	size_t last;
	double ns_per_tick; /* 0: nothing has been asked for since the last pair came */
};

void clock_pairs_release(struct clock_pairs *pairs);

/* Reads both. Does nothing where there is no such counter. */
void clock_pairs_take(struct clock_pairs *pairs);

/* One that has been read; what is not later than the last one is passed over. */
void clock_pairs_add(struct clock_pairs *pairs, struct clock_pair pair);

/*
 * `ticks` in ns; also before the first pair and behind the last one, as the two next to it lead
 * there. Needs two pairs; else 0.
 */
uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks);

#endif
