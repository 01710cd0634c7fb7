/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scheduler shows within an occurrence, and what of its excess that explains; see rdam.h.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_CAUSES_H
#define PSCAL_STATS_RDAM_RDAM_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/block_trace.h"
#include "stats/rdam/rdam.h"

/* Time in each cause; on-CPU is what remains of the duration. */
struct rdam_times {
	uint64_t ns[RDAM_CAUSES];
};

struct rdam_states {
	const struct block_trace *trace;
	struct rdam_times **totals; /* of each thread: before each of its intervals, and behind */
	uint64_t walks_left;	    /* intervals that may still be looked at one by one */
};

/* Where in the intervals of a thread the last time was found: the next one is near. */
struct rdam_cursor {
	size_t begin, end, fault; /* the same in its faults */
};

void rdam_states_init(struct rdam_states *states, const struct block_trace *trace);
void rdam_states_release(struct rdam_states *states);

/* Of the thread in [begin_ns, end_ns). What no interval covers is RDAM_UNKNOWN. */
void rdam_states_within(struct rdam_times *times, const struct rdam_states *states, size_t thread,
			uint64_t begin_ns, uint64_t end_ns, struct rdam_cursor *cursor);

/* Adds the excess over `fastest` to `causes_s`, multiplied by `every`. */
void rdam_split(double causes_s[RDAM_CAUSES], const struct rdam_times *times,
		const struct rdam_times *fastest, double every);

/* Who ended the sleep of a row's occurrences; see rdam_row. */
struct rdam_wakes {
	struct rdam_waker *wakers; /* of each thread, and of those that have no number */
	uint32_t *met;
	size_t met_count, met_capacity;
};

void rdam_wakes_init(struct rdam_wakes *wakes, const struct block_trace *trace);
void rdam_wakes_release(struct rdam_wakes *wakes);

/* Returns -1 when there is too much to look at. */
int rdam_wakes_add(struct rdam_wakes *wakes, struct rdam_states *states, size_t thread,
		   uint64_t begin_ns, uint64_t end_ns, struct rdam_cursor *cursor);

/* Those who matter most go into the row, all are forgotten. */
void rdam_wakes_take(struct rdam_row *row, struct rdam_wakes *wakes);

#endif
