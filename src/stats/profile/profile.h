/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parallelism profile of a target [Peternier et al., ICPE 2013, section 2]: T_j, and the states
 * of each thread. It takes one pass over a timeline, and memory for the threads, not for the
 * events.
 */
#ifndef PSCAL_STATS_PROFILE_PROFILE_H
#define PSCAL_STATS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/counts.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/durations.h"
#include "stats/profile/levels.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/thread_names.h"

struct err;
struct profiler;

/*
 * The counts of events in each thread of a target. An event that shared the PMU with others counted
 * only for a part of the time: its value is scaled up by time enabled / time running, as if it had
 * counted at the same rate all the time.
 */
struct counter_value {
	double value; /* scaled; NAN: the event was never on the PMU */
	double share; /* the share of the time on the PMU; NAN: not known */
};

enum { COUNTER_SEVERAL = -1 };

struct counter_row {
	/* its number in the target; COUNTER_SEVERAL: several threads of process `pid` */
	ptrdiff_t thread;
	int32_t pid;
	size_t counter; /* a place in `counters` */
	struct counter_value value;
};

struct counter_table {
	struct counter *counters; /* the counters in the order of the recording */
	struct counter_value *totals;
	size_t counter_count;
	struct counter_row *rows; /* sorted by thread and counter; those of several threads last */
	size_t row_count;
};

/* `threads` are in the order of their numbers; counts of other threads are ignored. */
void counter_table_init(struct counter_table *table, const struct counts *counts,
			const struct counted_thread *threads, size_t thread_count);
void counter_table_release(struct counter_table *table);

/*
 * Parallelism over time: the mean numbers of threads that were active, and of those in an unknown
 * state, in bins of equal length. There are at most ACTIVITY_BINS bins, and more than half as many
 * unless the time has fewer nanoseconds: when time goes beyond the last bin, neighbours are joined.
 * So memory is constant, and a change takes constant time, however long its interval. A thread is
 * active while it is `running` or `ready`.
 *
 * Unlike in T_j (levels.h) each thread counts by itself: if one is unknown, the others still count,
 * and the true parallelism is up to `unknown` higher than the known one.
 */
enum { ACTIVITY_BINS = 1024 };

struct activity_bin {
	/* Threads, means over the bin. */
	double running;
	double ready; /* runnable, or either running or runnable */
	double unknown;
};

struct activity_times {
	struct activity_bin *bins;
	size_t count;
	uint64_t bin_ns;   /* the length of a bin; the last one is cut at the end */
	uint64_t total_ns; /* since the beginning of the timeline */
};

struct thread_profile {
	int32_t tid, pid; /* pid -1: not known */
	struct thread_name name;
	uint32_t start;			/* the start, see struct change */
	uint64_t begin_ns;		/* the time when it appeared */
	uint64_t state_ns[STATE_COUNT]; /* time in each state */
	uint64_t throttled_ns;		/* throttled time, a part of the runnable time */
	uint64_t switches;		/* times that it left a CPU */
	uint64_t voluntary;		/* the number of these at which it blocked or ended */
	uint64_t involuntary; /* the number of these at which it stayed ready; others: unknown */
	uint64_t wakes;	      /* times that it was woken */
};

enum profile_by {
	PROFILE_BY_THREAD,
	PROFILE_BY_NAME,
	PROFILE_BY_PROCESS,
	PROFILE_BY_FUNCTION, /* no groups of threads: see function_times.h */
};

/* The threads of one name (thread_names_groups), or of one process. */
struct profile_group {
	size_t thread_count;
	/* tid -1; pid -1 of a group by name; the name is that of its first thread */
	struct thread_profile sum;
	struct level_times levels; /* the levels of its threads, over the time of the target */
	double mean_active;	   /* NAN as in struct profile */
};

struct profile {
	struct level_times levels;
	/* NAN: less than half of the wall time, or of the threads' time, is known */
	double mean_active;
	struct level_times *intervals; /* empty if not asked for */
	struct levels *bins; /* the levels in up to PROFILER_BINS_MAX bins; NULL if not asked for */
	size_t interval_count;
	uint64_t interval_ns;
	struct thread_profile *threads; /* the threads in the order of their appearance */
	/* the same threads for thread_finder; NULL if nothing was counted or sampled */
	struct counted_thread *counted;
	size_t thread_count;
	struct profile_group *groups; /* empty if not asked for */
	size_t group_count;
	struct durations waits; /* run-queue waits of threads that were woken or preempted */
	struct activity_times activity; /* empty if not asked for */
	struct counter_table counters;	/* empty if nothing was counted */
	struct spin_table spin;		/* empty if no thread was sampled */
	unsigned cores; /* usable by the target: affinity, else CPUs that it ran on; 0: unknown */
	struct target_quota quota;	     /* the quota of target_info */
	struct level_times throttled_levels; /* throttled time with each number of ready threads */
	struct throttled_time throttled;     /* their sums; zero without a quota */
	uint64_t busy_ns; /* time that the cores were busy with any program; 0: not known */
	struct timeline_calls calls; /* recorded calls */
	struct quality quality;
};

/*
 * Reads `source` to its end. interval_ns 0: no intervals. Returns 0, or -1 with an error, also if
 * the trace has nothing of the target.
 */
int profile_init(struct profile *profile, struct event_source *source,
		 const struct selection *selection, uint64_t interval_ns, struct err *err);
void profile_release(struct profile *profile);

/*
 * Makes a profile in steps, for a caller that shows the profile while it grows. The arguments are
 * borrowed for as long as the profiler lives.
 */
struct profiler *profiler_new(struct event_source *source, const struct selection *selection,
			      uint64_t interval_ns);
/* Asks for profile->groups, not by thread. Call it first. */
void profiler_group(struct profiler *profiler, enum profile_by by);
/*
 * Asks for more, or for less. Call it first. PROFILER_ACTIVITY asks for profile->activity.
 * PROFILER_SUMS asks for no single threads: profile->threads is then one thread with the sums of
 * all, without counters and samples. PROFILER_BINS asks for profile->bins instead of intervals: a
 * bin is 1024 ns, about the resolution of scheduling events, or that times a power of two.
 */
enum { PROFILER_BINS_MAX = 8192, PROFILER_BIN_LEAST_NS = 1024 };
enum profiler_wish { PROFILER_ACTIVITY, PROFILER_SUMS, PROFILER_BINS };
void profiler_want(struct profiler *profiler, enum profiler_wish wish);
/*
 * Lets another reader see all changes in the same pass: `take` gets each change.
 * profiler_timeline() lends the timeline. Call it first.
 */
void profiler_watch(struct profiler *profiler,
		    void (*take)(void *context, const struct change *change), void *context);
struct timeline *profiler_timeline(struct profiler *profiler);
int profiler_run(struct profiler *profiler, struct err *err);
void profiler_free(struct profiler *profiler);

/*
 * Makes the profile up to the last event: after profiler_run(), or while that waits for input; then
 * the profile is as if the trace ended there. After profiler_run() has returned 0 the profile takes
 * the threads, so call it only once. The caller releases it.
 */
void profiler_profile(struct profile *profile, struct profiler *profiler);

#endif
