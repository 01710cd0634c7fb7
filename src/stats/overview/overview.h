/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording at the resolution of a screen: CPUs over time, the states of the threads with the
 * most CPU time, and the longest waits, which are exact. It takes the pass of a profile, and memory
 * for threads and bins, not for events.
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
	OVERVIEW_BINS = PROFILER_BINS_MAX, /* at most: the finest bins of the levels */
	OVERVIEW_LEVELS = 3,		   /* with at most 1/32, 1/4 and all of these bins */
	OVERVIEW_THREADS = 400,
	OVERVIEW_LONGEST = 500,
	OVERVIEW_LISTED = 20, /* the longest waits whose threads are always shown */
	OVERVIEW_WAKEUPS = 5000,
};

/* The largest number of items of overview_ready.times; beyond it bins become longer. */
enum { OVERVIEW_READY_SIZE = 16384 };

/* The largest number of bytes of all states of a level. */
enum { OVERVIEW_STATES_SIZE = 250000 };

/* Threads and CPUs, means over each bin. The last bin is cut at the end. */
struct overview_cpus {
	uint64_t bin_ns;
	size_t count;
	double *running, *runnable;
	double *unsure; /* ready, but maybe not running; or in an unknown state */
	double *others; /* CPUs of other programs, see cpu_taken_ns(); NAN: not known */
	double *idle;	/* CPUs without any program: no ready thread waited for them */
};

/* The time with each number of ready threads in each bin; exact. */
struct overview_ready {
	uint64_t bin_ns;
	size_t count, time_count;
	size_t *ends; /* [bin]: the end of its items in `times` */
	struct ready_level {
		size_t threads;
		uint64_t wall_ns; /* above 0 */
	} * times;
};

struct overview_thread {
	size_t number; /* the number in the profile */
	size_t leader; /* the number of the first thread of its process; SIZE_MAX: not known */
	uint64_t begin_ns, end_ns;
	uint32_t creator;     /* as overview_wait.by */
	char comm[COMM_SIZE]; /* the last name of the thread */
	/*
	 * [level]: the state that took most of the thread's time in each bin, as runs: "R1c.w3." is
	 * 48 bins R and 3 bins w. A run is one of OVERVIEW_LETTERS, the length to the base 36 and a
	 * dot. "-": the thread did not exist, "m": no state had more than half, "b": it was blocked
	 * for more than half and ran for more than a hundredth.
	 */
	char *states[OVERVIEW_LEVELS];
};

/* Running, runnable, blocked, disk, stopped, unknown. */
#define OVERVIEW_LETTERS "RwBDT?"

/* An interval in which a thread did not run. */
struct overview_wait {
	uint64_t begin_ns, end_ns;
	char letter;
	uint32_t thread; /* an index of `threads` */
	uint32_t by;	 /* the thread that ended it: an index, or as in struct change */
	uint32_t before; /* of a runnable interval: the thread that left its CPU to it, likewise */
	uint32_t chain;	 /* the call chain; 0: not known */
};

/*
 * The critical path goes back from the last time that a thread ran, and from each wait to the
 * thread that ended it. OVERVIEW_TURNS is its largest number of turns.
 */
enum { OVERVIEW_TURNS = 2000 };
enum path_kind { PATH_RUNNING, PATH_RUNNABLE, PATH_BLOCKED, PATH_UNKNOWN, PATH_KINDS };
struct overview_turn {
	uint64_t begin_ns, end_ns;
	uint32_t thread; /* as overview_wait.by; of several turns, the longest one's */
	uint32_t turns;	 /* the number of turns in this one */
	char letter;	 /* R, w, B or ?: the state of more than half of it; m: none */
};

struct overview {
	uint64_t total_ns; /* all times are since the beginning of the timeline */
	struct overview_cpus cpus[OVERVIEW_LEVELS];
	struct overview_ready ready;
	uint64_t state_bin_ns[OVERVIEW_LEVELS];
	struct overview_thread *threads; /* sorted, those with the most CPU time first */
	size_t thread_count, left_out;
	struct overview_wait *longest; /* waits of these threads, the longest first */
	size_t longest_count;
	/* the longest of these that a thread ended, in the same order */
	struct overview_wait *wakeups;
	size_t wakeup_count;
	struct overview_turn *turns; /* the critical path, sorted by time */
	size_t turn_count;
	uint64_t path_ns[PATH_KINDS]; /* the time on the path, by the state of the thread */
};

/* Makes a reader before profiler_run(), as it asks for bins. */
struct overview_reader *overview_reader_new(struct profiler *profiler);
void overview_reader_take(void *reader, const struct change *change);
void overview_reader_free(struct overview_reader *reader);

/* Makes the overview after the last change; consumes the bins of `profile` (same changes). */
void overview_init(struct overview *overview, struct overview_reader *reader,
		   const struct profile *profile);
void overview_release(struct overview *overview);

/* The measures of a comparison: times are in seconds, shares are 0..1; NAN: not known. */
enum overview_fact {
	FACT_WALL,
	FACT_CPU,
	FACT_CPUS_USED,
	FACT_READY,
	FACT_FEW_SHARE, /* of the time with at most one ready thread */
	FACT_WAIT,	/* run-queue wait of all threads */
	FACT_WAIT_P50,
	FACT_WAIT_P99,
	FACT_OTHERS_SHARE,
	FACT_VOLUNTARY, /* context switches */
	FACT_INVOLUNTARY,
	FACT_THREADS,
	OVERVIEW_FACTS
};

void overview_facts(double facts[OVERVIEW_FACTS], const struct profile *profile);

/* Returns the relative increase of `after` over `before`; NAN if that is 0 or not known. */
double overview_change(double before, double after);

#endif
