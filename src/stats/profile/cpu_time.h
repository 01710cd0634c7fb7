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

/* The limit of the target, as its CPU time and its ready threads show it. */
enum cpu_verdict {
	CPU_UNKNOWN,   /* too little is known of the time, or of what would tell the others */
	CPU_IDLE,      /* mostly no thread is ready */
	CPU_SERIAL,    /* mostly at most one is */
	CPU_OTHERS,    /* ready threads wait for CPUs, which the target does not fill itself */
	CPU_THROTTLED, /* ... mostly because of a quota */
	CPU_TOO_FEW,   /* ready threads wait for CPUs, as the target fills all of them */
	CPU_SATISFIED, /* ready threads have a CPU, and there are fewer of them than CPUs */
	CPU_FULL,      /* ready threads have a CPU, and there are about as many */
};

struct cpu_usage {
	enum cpu_verdict verdict;
	uint64_t cpu_ns;    /* CPU time: that all threads ran */
	uint64_t unsure_ns; /* they may have run so much more: it is unknown whether they did */
	double cpus;	    /* used on average: CPU time / wall time */
	/*
	 * Of the CPU time that ready threads could have used on the cores, the shares that they did
	 * not get, and that other programs had of it: see cpu_taken_ns(). NAN: not known, as the
	 * cores, wakeups, a tenth of the CPU time or a twentieth of the wall time are not. While
	 * they were throttled they could have used none.
	 */
	double lacked_share, others_share;
	double throttled_share; /* of what they could have used without a quota: that it withheld */
	uint64_t few_ns;	/* wall time with one ready thread or none */
	double few_share;	/* ... of the time that is known; NAN where nothing is */
	/* Run-queue waits, without the time that threads are throttled: */
	uint64_t wait_count, wait_ns, wait_longest_ns;
	double wait_p50_ns, wait_p99_ns; /* to DURATIONS_ERROR; NAN where there are none */
	uint64_t voluntary, involuntary; /* context switches; */
	uint64_t other_switches;	 /* ... and those that may be either */
};

/*
 * Of the CPU time that a target lacked, the part that other programs had: no more than they ran while
 * `cores` CPUs were in use for `busy_ns` (0: not known), by any program. That is known to a tick for
 * each CPU, so to sqrt(cores) ticks for all of them. CPUs are idle beside ready threads while a
 * wakeup takes its time, and where a quota withholds them and that is not seen.
 */
double cpu_taken_ns(double lacked_ns, double cpu_ns, uint64_t busy_ns, unsigned cores);

/*
 * The CPU time that ready threads could have used in a part of the time of `profile`, and did not get,
 * as lacked_share of the whole. `levels`, the CPU time and that of which it is unknown are of this
 * part.
 */
double cpu_lacked_ns(const struct profile *profile, const struct level_times *levels, double cpu_ns,
		     double unsure_ns);

/* `profile` may have other cores than the recording says. */
void cpu_usage_init(struct cpu_usage *usage, const struct profile *profile);

/* Counts of the hardware for all threads of the target. NAN: not counted. */
struct counter_rates {
	double per_cycle;	/* instructions */
	double misses_per_1000; /* cache misses, in as many instructions */
};
struct counter_rates counter_rates_of(const struct counter_table *table);

/* The same of all threads of a recording, selected or not. */
struct counter_rates counter_rates_of_counts(const struct counts *counts);

/* --- Throttling ------------------------------------------------------------------------------- */

/*
 * The time that a quota of CPU time (control group) withholds. A group that has used up its quota is
 * throttled until its next period begins: its threads stay ready, without a CPU, and then go on at
 * once. No event tells that. But periods follow one another exactly, and other waits for a CPU end at
 * any time: so the moment of a period at which most of the time of long waits ends is its beginning.
 * The group is taken to be throttled where ready threads wait and none of the target runs, from when
 * the last one stopped until a period begins. Where other programs have the CPUs at that moment, threads
 * go on later, and wait for these.
 */
struct throttled_time {
	uint64_t wall_ns; /* threads were ready, and all of them throttled */
	uint64_t wait_ns; /* ... by all threads together */
	uint64_t spans;	  /* how often */
};

/* Long waits for a CPU, of a THROTTLING_PERIOD_PART of a period or more. Begins as zero. */
enum { THROTTLING_PERIOD_PART = 20, THROTTLING_WAITS_MAX = 1 << 20 };

struct long_wait {
	uint64_t begin_ns, end_ns;
	uint64_t idle_ns;      /* no thread ran from here to its end; UINT64_MAX: one did */
	uint64_t throttled_ns; /* of it, once that is found */
	size_t thread;
};

struct long_waits {
	struct long_wait *items; /* in the order of their ends */
	size_t count, capacity;
	bool *runs; /* [thread]: as its last change has told */
	size_t thread_capacity;
	size_t running;	 /* threads */
	uint64_t ran_ns; /* the last of them stopped */
};

/*
 * To be told all changes, where there is a quota. Takes down the wait of a ready thread that ends with
 * one if it is long, and returns whether it does.
 */
bool long_waits_take(struct long_waits *waits, const struct change *change,
		     const struct target_quota *quota);
void long_waits_release(struct long_waits *waits);

/*
 * Fills in throttled_ns of all, and the time that each number of threads was throttled,
 * `levels->wall_ns`; what is found is never more often than the group was throttled. The caller
 * releases `levels`.
 */
void throttling_find(struct throttled_time *time, struct level_times *levels,
		     struct long_waits *waits, const struct target_quota *quota);

/* A copy of the levels without the time that a quota has added; to be released. */
void throttling_take_out(struct level_times *copy, const struct level_times *levels,
			 const struct level_times *throttled);

/* --- Cost ---------------------------------------------------------------------------------- */

/* The cost of a recording, as far as its recorder says. */
struct overhead {
	bool has_switch_cost;
	double switch_ns;  /* CPU time that recording adds to a switch, as it was measured */
	uint64_t switches; /* of the target, on record */
	double call_ns, system_call_ns; /* ... and to a recorded call; 0: not known */
	uint64_t calls, system_calls;	/* of the target, on record */
	double block_ns,
		probed_ns;	 /* ... and to a block, from inside of the process or by a probe */
	uint64_t blocks, probed; /* of the target, on record */
	double step_ns;		 /* ... and to a step of a task */
	uint64_t steps;		 /* of the target, on record */
	double calls_s;		 /* CPU time that recording calls has added; 0 where not known */
	double blocks_s;     /* ... and blocks, without those that are not on record, of one in M */
	double steps_s;	     /* ... and steps of tasks */
	double added_s;	     /* that and that of switches: CPU time of the target not its own */
	double added_share;  /* of the CPU time of the target; 0 when it had none */
	double unsure_share; /* ... what is left to doubt where calls_s is taken out, of the rest */
	double recorder_s;   /* CPU time of the recorder; 0: not known */
};

/*
 * Calls in a program that uses its caches cost up to a third more than those that are measured,
 * which follow one another; so much of calls_s is unsure, and all that switches, blocks and tasks
 * cost.
 *
 * A thread that was seen to leave a CPU has had one switch.
 */
void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target);

#endif
