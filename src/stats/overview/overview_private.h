/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overview while it is made, for the files of this folder. */
#ifndef PSCAL_STATS_OVERVIEW_OVERVIEW_PRIVATE_H
#define PSCAL_STATS_OVERVIEW_OVERVIEW_PRIVATE_H

#include <stdbool.h>

#include "stats/overview/overview.h"
#include "stats/usage/time_bins.h"

/* --- Strips ------------------------------------------------------------------------------------ */

/*
 * The states of threads in bins of equal length. A strip is one thread: spans of bins that have the
 * same state all the time, and of single bins with how long it was in each. Bins become longer, two
 * of them one, where there would be too many spans; what a bin has is exact all the same.
 */
enum {
	STRIP_RUNNING,
	STRIP_RUNNABLE,
	STRIP_BLOCKED,
	STRIP_DISK,
	STRIP_STOPPED,
	STRIP_UNKNOWN,
	STRIP_KINDS
};

/* The index in OVERVIEW_LETTERS of the letter for a state; -1: the thread is not there. */
int strip_kind(enum thread_state state);

struct strip_span {
	uint32_t first, count; /* bins; several are the same, and full of one kind */
	float ns[STRIP_KINDS]; /* in each of them */
};

struct strip {
	struct strip_span *spans; /* in the order of time; in other bins the thread is not there */
	size_t count, capacity;
	struct strip_span open; /* that more may be added to; count 0: there is none */
};

/* The thread is in a state from..to, which is not before anything that was added. */
void strip_add(struct strip *strip, uint64_t bin_ns, int kind, uint64_t from_ns, uint64_t to_ns);

/* The same with each `factor` bins as one. `to` is empty. */
void strip_join(struct strip *to, const struct strip *from, uint64_t bin_ns, uint32_t factor);

/* As overview.h has it, of `bins`; to be freed. */
char *strip_text(const struct strip *strip, size_t bins);

void strip_release(struct strip *strip);

/* --- The critical path ------------------------------------------------------------------------- */

/*
 * For each thread the path on which it came to be where it is: it was woken by a thread, which had
 * been woken before. What a thread waited for is not on it, but what its waker did instead; waits that
 * no thread of the target ended are. Memory is bounded: on long paths short turns become one.
 */
struct wake_path {
	struct path_turn *oldest, *newest, *spare; /* in the order of their beginnings */
	size_t count;
	uint64_t least_ns; /* neighbours that are shorter become one */
	struct path_thread *threads;
	size_t thread_count, thread_capacity, alive;
	/* The end of the path: when a thread ran last, its turn unless it is in it, what it did there. */
	uint32_t last_thread;
	struct path_turn *last;
	uint64_t end_ns;
	uint64_t spent_ns[PATH_KINDS];
	struct path_turns *turns; /* their memory */
};

/* Zero is one without changes, but for `least_ns`. The interval is since the timeline began. */
void wake_path_take(struct wake_path *path, const struct change *change, uint64_t from_ns,
		    uint64_t to_ns);
/* Fills in the path to the last time that a thread ran; threads by their number. */
void wake_path_finish(struct wake_path *path, struct overview *overview);
void wake_path_release(struct wake_path *path);

/* --- The reader -------------------------------------------------------------------------------- */

enum lane { LANE_RUNNING, LANE_RUNNABLE, LANE_UNSURE, LANES, LANE_NONE };

/* The longest of all that came, the shortest of them first: a heap. */
struct waits {
	struct overview_wait *items;
	size_t count, capacity, most;
};

static inline uint64_t wait_ns(const struct overview_wait *wait)
{
	return wait->end_ns - wait->begin_ns;
}

struct reader_thread {
	struct strip strip;
	uint64_t begin_ns, end_ns;
	uint32_t creator;
	char comm[COMM_SIZE];
	bool begun;
};

struct overview_reader {
	const struct timeline *timeline;
	uint64_t begin_ns, end_ns;
	bool begun;
	struct time_bins bins;	       /* as long as those of the profile */
	uint64_t state_bin_ns;	       /* of the strips: that, or a multiple of it */
	struct reader_thread *threads; /* by number */
	size_t thread_count, thread_capacity;
	size_t span_count, span_most;
	struct waits longest, wakeups;
	struct wake_path path;
};

#endif
