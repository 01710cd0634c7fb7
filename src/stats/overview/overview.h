/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording at the resolution of a screen: CPUs over time, the states of the threads with the
 * most CPU time, and the longest waits, which are exact. It is made in the pass of a profile, with
 * memory for threads and bins, not for events.
 *
 *	reader = overview_reader_new(profiler);
 *	profiler_watch(profiler, overview_reader_take, reader);
 *	...
 *	overview_init(&overview, reader, &profile);
 *	overview_release(&overview);
 *	overview_reader_free(reader);
 */
#ifndef PSCAL_STATS_OVERVIEW_OVERVIEW_H
#define PSCAL_STATS_OVERVIEW_OVERVIEW_H

#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"
#include "stats/profile/profile.h"

struct overview_reader;

enum {
	OVERVIEW_BINS = PROFILER_BINS_MAX, /* at most: the finest of the levels */
	OVERVIEW_LEVELS = 3,		   /* at most 1/32, 1/4 and all of that */
	OVERVIEW_THREADS = 400,
	OVERVIEW_LONGEST = 500,
	OVERVIEW_LISTED = 20, /* of the longest waits: their threads are shown */
	OVERVIEW_WAKEUPS = 5000,
};

/* Different numbers of ready threads in all bins together; beyond, these become longer. */
enum { OVERVIEW_READY_SIZE = 16384 };

/* The bytes that all states of a level may take. */
enum { OVERVIEW_STATES_SIZE = 250000 };

/* Threads in each bin, as the mean over it. The last one ends with the time. */
struct overview_cpus {
	uint64_t bin_ns;
	size_t count;
	double *running, *runnable;
	double *unsure; /* ready, but it is not known whether they ran; or nothing is known */
	double *others; /* CPUs, of other programs: see cpu_taken_ns(); NAN: not known */
	double *idle;	/* CPUs that neither it nor these had: no ready thread waited for them */
};

/* The time with each number of ready threads in each bin; exact. */
struct overview_ready {
	uint64_t bin_ns;
	size_t count, time_count;
	size_t *ends; /* [bin]: behind the last of its times */
	struct ready_level {
		size_t threads;
		uint64_t wall_ns; /* more than 0 */
	} * times;
};

struct overview_thread {
	size_t number; /* in the profile */
	size_t leader; /* the number of the first thread of its process; SIZE_MAX: not known */
	uint64_t begin_ns, end_ns;
	uint32_t creator;     /* as `by` of a wait */
	char comm[COMM_SIZE]; /* as it called itself at last */
	/*
	 * [level]: the state of most of the time that the thread was there in each bin, as runs: "R1c.w3." is 48
	 * bins R and 3 bins w. A letter is one of OVERVIEW_LETTERS, then comes the length to the base
	 * 36 and a dot. "-" where it was not there, "m" where no state had more than half, "b" where it
	 * was blocked for more than half and ran for more than a hundredth.
	 */
	char *states[OVERVIEW_LEVELS];
};

/* Running, runnable, blocked, disk, stopped, unknown. */
#define OVERVIEW_LETTERS "RwBDT?"

/* A thread did not run. */
struct overview_wait {
	uint64_t begin_ns, end_ns;
	char letter;
	uint32_t thread; /* index in `threads` */
	uint32_t by;	 /* that ended it: an index; or as in struct change, also where not shown */
	uint32_t before; /* of a runnable one: the thread that left its CPU to it, the same way */
	uint32_t chain;	 /* of calls; 0: not known */
};

/*
 * The critical path: from the last time that a thread ran backwards, from each wait to the thread
 * that ended it.
 */
enum { OVERVIEW_TURNS = 2000 };
enum path_kind { PATH_RUNNING, PATH_RUNNABLE, PATH_BLOCKED, PATH_UNKNOWN, PATH_KINDS };
struct overview_turn {
	uint64_t begin_ns, end_ns;
	uint32_t thread; /* as `by` of a wait; of several turns in one, that of the longest */
	uint32_t turns;	 /* so many */
	char letter;	 /* R, w, B or ?: more than half of it; or m */
};

struct overview {
	uint64_t total_ns; /* all times are since the timeline began */
	struct overview_cpus cpus[OVERVIEW_LEVELS];
	struct overview_ready ready;
	uint64_t state_bin_ns[OVERVIEW_LEVELS];
	struct overview_thread *threads; /* those with the most CPU time first */
	size_t thread_count, left_out;
	struct overview_wait *longest; /* of these threads, longest first */
	size_t longest_count;
	struct overview_wait *wakeups; /* that ended the longest waits among them, the same order */
	size_t wakeup_count;
	struct overview_turn *turns; /* of the critical path, in the order of time */
	size_t turn_count;
	uint64_t path_ns[PATH_KINDS]; /* by what its threads did */
};

/* To be called before profiler_run, as it asks for bins. */
struct overview_reader *overview_reader_new(struct profiler *profiler);
void overview_reader_take(void *reader, const struct change *change);
void overview_reader_free(struct overview_reader *reader);

/* After the last change. `profile` is that of the same changes; its bins are used up. */
void overview_init(struct overview *overview, struct overview_reader *reader,
		   const struct profile *profile);
void overview_release(struct overview *overview);

/* The measures of a comparison: times in seconds, shares 0..1; NAN: not known. */
enum overview_fact {
	FACT_WALL,
	FACT_CPU,
	FACT_CPUS_USED,
	FACT_READY,
	FACT_FEW_SHARE, /* of the time with one ready thread or none */
	FACT_WAIT,	/* for CPUs, of all threads */
	FACT_WAIT_P50,
	FACT_WAIT_P99,
	FACT_OTHERS_SHARE,
	FACT_VOLUNTARY, /* context switches */
	FACT_INVOLUNTARY,
	FACT_THREADS,
	OVERVIEW_FACTS
};

void overview_facts(double facts[OVERVIEW_FACTS], const struct profile *profile);

/* By how much `after` is more, relative to `before`; NAN where that is nothing or not known. */
double overview_change(double before, double after);

#endif
