/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of an overview, for the files of this folder. */
#ifndef PSCAL_STATS_OVERVIEW_OVERVIEW_PRIVATE_H
#define PSCAL_STATS_OVERVIEW_OVERVIEW_PRIVATE_H

#include <stdbool.h>

#include "stats/overview/overview.h"
#include "stats/usage/time_bins.h"

/* --- Strips ------------------------------------------------------------------------------ */

/*
 * The states of threads in bins of equal length. A strip belongs to one thread: its spans are bins
 * with the same state all the time, and single bins with the time in each state. Bins are joined in
 * pairs if there are too many spans; the times of a bin stay exact.
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

/* Returns the index of a state in OVERVIEW_LETTERS; -1: the thread does not exist. */
int strip_kind(enum thread_state state);

struct strip_span {
	uint32_t first, count; /* bins; several are equal, and full of one kind */
	float ns[STRIP_KINDS]; /* the time in each of the bins */
};

struct strip {
	/* sorted by time; in bins without a span the thread does not exist */
	struct strip_span *spans;
	size_t count, capacity;
	struct strip_span open; /* the last span, which may grow; count 0: none */
};

/* Adds an interval of the thread in a state, which is not before those already added. */
void strip_add(struct strip *strip, uint64_t bin_ns, int kind, uint64_t from_ns, uint64_t to_ns);

/* Adds `from` to `to`, which is empty, with each `factor` bins joined. */
void strip_join(struct strip *to, const struct strip *from, uint64_t bin_ns, uint32_t factor);

/* Returns the text of overview.h for `bins` bins; the caller frees it. */
char *strip_text(const struct strip *strip, size_t bins);

void strip_release(struct strip *strip);

/* --- The critical path ------------------------------------------------------------------- */

/*
 * The path of each thread to its current state: a thread was woken by another, which had been woken
 * before. The wait of a woken thread is not on its path, but the work of its waker instead; waits
 * that no thread of the target ended are. Memory is bounded: on long paths short turns are joined.
 */
struct wake_path {
	struct path_turn *oldest, *newest, *spare; /* turns in the order of their beginnings */
	size_t count;
	uint64_t least_ns; /* neighbours that are shorter are joined */
	struct path_thread *threads;
	size_t thread_count, thread_capacity, alive;
	/* The end of the path: when a thread last ran, and its turn (NULL: it is still in it). */
	uint32_t last_thread;
	struct path_turn *last;
	uint64_t end_ns;
	uint64_t spent_ns[PATH_KINDS];
	struct path_turns *turns; /* the memory of all turns */
};

/* Takes a change, with times on the timeline. An empty path is all zero, except for `least_ns`. */
void wake_path_take(struct wake_path *path, const struct change *change, uint64_t from_ns,
		    uint64_t to_ns);
/* Adds the path up to the last time that a thread ran, with threads by their numbers. */
void wake_path_finish(struct wake_path *path, struct overview *overview);
void wake_path_release(struct wake_path *path);

/* --- The reader -------------------------------------------------------------------------- */

enum lane { LANE_RUNNING, LANE_RUNNABLE, LANE_UNSURE, LANES, LANE_NONE };

/* The longest waits, as a heap with the shortest of them first. */
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
	struct time_bins bins;	       /* have the length of those of the profile */
	uint64_t state_bin_ns;	       /* the bin of the strips: one or several of `bins` */
	struct reader_thread *threads; /* the threads, by number */
	size_t thread_count, thread_capacity;
	size_t span_count, span_most;
	struct waits longest, wakeups;
	struct wake_path path;
};

#endif
