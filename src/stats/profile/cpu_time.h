/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPU time of a target, its limit, and the cost of recording. */
#ifndef PSCAL_STATS_PROFILE_CPU_TIME_H
#define PSCAL_STATS_PROFILE_CPU_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change;
struct counter_table;
struct counts;
struct level_times;
struct profile;
struct target_info;
struct target_quota;

/* --- CPUs ---------------------------------------------------------------------------------- */

/* The limit of the target, by its CPU time and its ready threads. */
enum cpu_verdict {
	CPU_UNKNOWN,   /* too little is known to tell the others apart */
	CPU_IDLE,      /* mostly no thread is ready */
	CPU_SERIAL,    /* mostly at most one thread is ready */
	CPU_OTHERS,    /* ready threads wait for CPUs, though the target does not fill its CPUs */
	CPU_THROTTLED, /* the same, mostly because of a quota */
	CPU_TOO_FEW,   /* ready threads wait for CPUs, and the target fills its CPUs */
	CPU_SATISFIED, /* ready threads have CPUs, and are fewer than these */
	CPU_FULL,      /* ready threads have CPUs, and are about as many */
};

struct cpu_usage {
	enum cpu_verdict verdict;
	uint64_t cpu_ns;    /* CPU time of all threads */
	uint64_t unsure_ns; /* time in which it is unknown whether they ran */
	double cpus;	    /* CPUs used: CPU time / wall time */
	/*
	 * Shares of the CPU time that ready threads could have used on the cores: the share that
	 * they did not get, and the part of it that other programs had, see cpu_taken_ns(). They
	 * could not have used CPU time that a quota withheld. NAN: not known, as the cores, the
	 * wakeups, a tenth of the CPU time or a twentieth of the wall time are unknown.
	 */
	double lacked_share, others_share;
	/* the share that a quota withheld of the CPU time usable without it */
	double throttled_share;
	uint64_t few_ns;  /* wall time with one ready thread or none */
	double few_share; /* the share of few_ns in the known time; NAN: none is known */
	/* Run-queue waits, without throttled time. */
	uint64_t wait_count, wait_ns, wait_longest_ns;
	double wait_p50_ns, wait_p99_ns; /* quantiles with DURATIONS_ERROR; NAN: no waits */
	uint64_t voluntary, involuntary; /* context switches */
	uint64_t other_switches;	 /* context switches of unknown kind */
};

/*
 * Returns the part of the CPU time that a target lacked which other programs had: at most the time
 * that they ran while `cores` CPUs were busy for `busy_ns` (0: not known) with any program. Busy
 * time is known to a tick for each CPU, so to sqrt(cores) ticks for all of them. CPUs are idle
 * beside ready threads during wakeups, and when an unknown quota withholds them.
 */
double cpu_taken_ns(double lacked_ns, double cpu_ns, uint64_t busy_ns, unsigned cores);

/*
 * Returns the CPU time that ready threads could have used in a part of the time of `profile`, and
 * did not get, as lacked_share for the whole. `levels`, `cpu_ns` and `unsure_ns` are of this part.
 */
double cpu_lacked_ns(const struct profile *profile, const struct level_times *levels, double cpu_ns,
		     double unsure_ns);

/* `profile` may have other cores than the recording. */
void cpu_usage_init(struct cpu_usage *usage, const struct profile *profile);

/* Rates of hardware counters over all threads of the target. NAN: not counted. */
struct counter_rates {
	double per_cycle;	/* instructions per cycle */
	double misses_per_1000; /* cache misses per 1000 instructions */
};
struct counter_rates counter_rates_of(const struct counter_table *table);

/* Returns the rates over all threads of a recording, selected or not. */
struct counter_rates counter_rates_of_counts(const struct counts *counts);

/* --- Throttling ------------------------------------------------------------------------------- */

/*
 * Finds the time that a quota of CPU time (control group) withholds. A group that has used up its
 * quota is throttled until its next period begins: its threads stay ready without a CPU, and then
 * go on at once. No event shows this. But periods have a fixed length, and other waits for a CPU
 * end at any time: the moment in a period at which most of the time of long waits ends is its
 * beginning. The group counts as throttled while ready threads wait and no thread of the target
 * runs, from the last switch-out to the beginning of a period. If other programs have the CPUs at
 * that moment, the threads wait longer, for these.
 */
struct throttled_time {
	uint64_t wall_ns; /* threads were ready, and all were throttled */
	uint64_t wait_ns; /* the same, the sum over all threads */
	uint64_t spans;	  /* number of times */
};

/*
 * Waits for a CPU of a THROTTLING_PERIOD_PART of a period or more. An empty list is all zero. Of
 * the CPUs that stop before a throttled span the last THROTTLING_STOPS count.
 */
enum { THROTTLING_PERIOD_PART = 20, THROTTLING_WAITS_MAX = 1 << 20, THROTTLING_STOPS = 64 };

struct long_wait {
	uint64_t begin_ns, end_ns;
	/* no CPU ran a thread of the target from here to the end; UINT64_MAX: one did */
	uint64_t idle_ns;
	uint64_t throttled_ns; /* the throttled part, set by throttling_find() */
	size_t thread;
};

struct long_waits {
	struct long_wait *items; /* the waits in the order of their ends */
	size_t count, capacity;
	bool *runs; /* [thread]: it runs, by its last change */
	size_t thread_capacity;
	size_t running; /* the number of threads that run */
	/* [number]: the last time when `running` fell to this number */
	uint64_t fell_ns[THROTTLING_STOPS];
};

/*
 * Takes every change, if there is a quota. Adds the wait of a ready thread that ends with the
 * change if it is long; returns true if it does.
 */
bool long_waits_take(struct long_waits *waits, const struct change *change,
		     const struct target_quota *quota);
void long_waits_release(struct long_waits *waits);

/*
 * Sets throttled_ns of all waits, and the time for which each number of threads was throttled,
 * `levels->wall_ns`. At most as many spans are found as the kernel counted. The caller releases
 * `levels`.
 */
void throttling_find(struct throttled_time *time, struct level_times *levels,
		     struct long_waits *waits, const struct target_quota *quota);

/* Copies the levels without the throttled time; the caller releases the copy. */
void throttling_take_out(struct level_times *copy, const struct level_times *levels,
			 const struct level_times *throttled);

/* --- Cost ---------------------------------------------------------------------------------- */

/* The cost of a recording, as far as its recorder says. */
struct overhead {
	bool has_switch_cost;
	double switch_ns;		/* CPU time added to a switch, as measured */
	uint64_t switches;		/* recorded switches of the target */
	double call_ns, system_call_ns; /* CPU time added to a recorded call; 0: not known */
	uint64_t calls, system_calls;	/* recorded calls of the target */
	double block_ns,
		/* CPU time added to a block, recorded inside of the process or by an uprobe */
		probed_ns;
	uint64_t blocks, probed; /* recorded blocks of the target */
	double step_ns;		 /* CPU time added to a step of a task */
	uint64_t steps;		 /* recorded steps of the target */
	double calls_s;		 /* CPU time added to all calls; 0: not known */
	/* CPU time added to blocks; of one in M, without those that are not recorded */
	double blocks_s;
	double steps_s;	     /* CPU time added to steps of tasks */
	double added_s;	     /* CPU time added to all of these and to switches */
	double added_share;  /* the share of added_s in the target's CPU time; 0 without any */
	double unsure_share; /* the uncertain share of the rest, when calls_s is subtracted */
	double recorder_s;   /* CPU time of the recorder; 0: not known */
};

/*
 * Computes the cost. Calls in a program that uses its caches cost up to a third more than the
 * measured ones, which follow one another: this part of calls_s is uncertain, and so is all cost of
 * switches, blocks and tasks.
 *
 * A switch is one recorded switch-out of a thread.
 */
void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target);

#endif
