/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parallelism profile of a target [Peternier et al., ICPE 2013, section 2]: T_j, and the states
 * of each thread. It is made from a timeline in one pass, with memory for the threads, not for the
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
 * The counts of events in each thread of a target. An event that had to share the PMU with others
 * was on it for a part of the time only: its value is scaled up by time enabled / time running, as
 * if it had counted at the same rate all the time.
 */
struct counter_value {
	double value; /* scaled; NAN when the event never got on the PMU */
	double share; /* of the time that it was there; NAN when that is not known */
};

enum { COUNTER_SEVERAL = -1 };

struct counter_row {
	ptrdiff_t thread; /* its number in the target; COUNTER_SEVERAL: threads of process pid */
	int32_t pid;
	size_t counter; /* its number in `counters` */
	struct counter_value value;
};

struct counter_table {
	struct counter *counters; /* in the order of the recording */
	struct counter_value *totals;
	size_t counter_count;
	struct counter_row *rows; /* by thread and counter; those of several threads last */
	size_t row_count;
};

/* `threads` are in the order of their numbers; counts of others are passed over. */
void counter_table_init(struct counter_table *table, const struct counts *counts,
			const struct counted_thread *threads, size_t thread_count);
void counter_table_release(struct counter_table *table);

/*
 * Parallelism over time: how many threads were active on average, and of how many it is not known
 * whether they were, in bins of equal length. There are at most ACTIVITY_BINS of them, and more
 * than half as many unless the time has fewer nanoseconds: whenever time goes on beyond the last
 * one, neighbours are taken together. So memory is constant, and a change takes constant time,
 * however long its interval. A thread is active while it is `running` or `ready`.
 *
 * Unlike in T_j (levels.h) each thread counts by itself: where one is unknown, what is known of the
 * others remains, and the true parallelism is up to `unknown` higher than the known one.
 */
enum { ACTIVITY_BINS = 1024 };

struct activity_bin {
	/* Threads, as the mean over the bin. */
	double running;
	double ready; /* runnable, or not known to be either running or runnable */
	double unknown;
};

struct activity_times {
	struct activity_bin *bins;
	size_t count;
	uint64_t bin_ns;   /* the length of each; the last one ends with the time */
	uint64_t total_ns; /* since the timeline began */
};

struct thread_profile {
	int32_t tid, pid; /* pid -1: not known */
	struct thread_name name;
	uint32_t start;			/* as in struct change */
	uint64_t begin_ns;		/* when it appeared */
	uint64_t state_ns[STATE_COUNT]; /* how long it was in each state */
	uint64_t throttled_ns;		/* ... and throttled while it was runnable */
	uint64_t switches;		/* how often it left a CPU ... */
	uint64_t voluntary;		/* ... as it blocked or ended */
	uint64_t involuntary;		/* ... and was ready to go on; of the rest it is unknown */
	uint64_t wakes;			/* how often it was woken */
};

enum profile_by {
	PROFILE_BY_THREAD,
	PROFILE_BY_NAME,
	PROFILE_BY_PROCESS,
	PROFILE_BY_FUNCTION, /* no groups of threads, see function_times.h */
};

/* Threads of one name (thread_names_groups), or of one process. */
struct profile_group {
	size_t thread_count;
	struct thread_profile sum; /* tid -1; pid -1 of a name; named as its first thread */
	struct level_times levels; /* of its threads, over the time of the whole target */
	double mean_active;	   /* NAN as of the whole */
};

struct profile {
	struct level_times levels;
	double mean_active; /* NAN where less than half of the time is known, or of threads' time */
	struct level_times *intervals; /* empty unless asked for */
	struct levels *bins; /* the levels in up to PROFILER_BINS_MAX bins; NULL unless asked for */
	size_t interval_count;
	uint64_t interval_ns;
	struct thread_profile *threads; /* in the order of their appearance */
	struct counted_thread *counted; /* ... to be found by number and time, where anything was
					   counted or sampled; else NULL */
	size_t thread_count;
	struct profile_group *groups; /* empty unless asked for */
	size_t group_count;
	struct durations waits;		/* of ready threads for a CPU: woken, or one took theirs */
	struct activity_times activity; /* over time; empty unless asked for */
	struct counter_table counters;	/* empty when nothing was counted */
	struct spin_table spin;		/* ... when no thread was sampled */
	unsigned cores; /* that the target could use: affinity, else CPUs it was seen on; 0: unknown
			 */
	struct target_quota quota;	     /* as of target_info */
	struct level_times throttled_levels; /* of it, the time with each number of ready threads */
	struct throttled_time throttled;     /* what it cost; zero where no quota is known */
	uint64_t busy_ns;	     /* that these were in use, by any program; 0: not known */
	struct timeline_calls calls; /* on record */
	struct quality quality;
};

/*
 * Reads `source` to its end. interval_ns 0: no intervals. Returns 0, or -1 with a sentence, also
 * when the trace holds nothing of the target.
 */
int profile_init(struct profile *profile, struct event_source *source,
		 const struct selection *selection, uint64_t interval_ns, struct err *err);
void profile_release(struct profile *profile);

/*
 * The same in steps, for a caller that is to see the profile grow. What the profiler is given is
 * borrowed for as long as it lives.
 */
struct profiler *profiler_new(struct event_source *source, const struct selection *selection,
			      uint64_t interval_ns);
/* To be called first, where profile->groups are wanted; not by thread. */
void profiler_group(struct profiler *profiler, enum profile_by by);
/*
 * To be called first, where profile->activity is wanted, or nothing of single threads: then
 * profile->threads is one, with the sums of all, and there are no counters and samples of any. Or
 * where profile->bins are, instead of intervals: each is a microsecond, as no event of the scheduler
 * is told more exactly, or a power of two of them.
 */
enum { PROFILER_BINS_MAX = 8192, PROFILER_BIN_LEAST_NS = 1024 };
enum profiler_wish { PROFILER_ACTIVITY, PROFILER_SUMS, PROFILER_BINS };
void profiler_want(struct profiler *profiler, enum profiler_wish wish);
/*
 * The same, where another reader is to learn of all changes in the same pass: `take` is told each
 * of them, which belongs to the timeline that profiler_timeline() lends.
 */
void profiler_watch(struct profiler *profiler,
		    void (*take)(void *context, const struct change *change), void *context);
struct timeline *profiler_timeline(struct profiler *profiler);
int profiler_run(struct profiler *profiler, struct err *err);
void profiler_free(struct profiler *profiler);

/*
 * The profile up to the last event: after profiler_run, or while it waits for what `source` reads
 * from; then as if the trace ended there. After profiler_run has returned 0 the threads are handed
 * over, and so only once. The caller releases it.
 */
void profiler_profile(struct profile *profile, struct profiler *profiler);

#endif
