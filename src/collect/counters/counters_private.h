/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the collector of counters. */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTERS_PRIVATE_H
#define PSCAL_COLLECT_COUNTERS_COUNTERS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/counters/counters.h"
#include "collect/kernel/perf_events.h"
#include "collect/recording/collector.h"
#include "perfdata/perfdata_write.h"

struct counter_ledger;
struct counter_stretches;
struct record_place;
struct recording;

/* --- counter_choice.c ------------------------------------------------------------------------ */

enum counter_fit {
	COUNTER_FITS,
	COUNTER_REFUSED, /* the kernel sees that the PMU cannot count them together */
	COUNTER_STARVED, /* it does not, and yet they never got on the hardware */
};

/* Can counters, each of which counts here, count together? That is tried on the calling thread. */
enum counter_fit counter_group_fit(const struct chosen_counter *counters, size_t count);

/* `counts`, one for each counter, are those of the thread of `place`; its id does not matter. */
void counter_choice_write(const struct counter_choice *choice, struct recording *recording,
			  const struct record_place *place, const struct perf_count *counts);

/* --- counter_ledger.c ------------------------------------------------------------------------ */

/*
 * Whose counts are whose. Events are opened on a thread and inherited by all that it creates: a
 * family. The kernel gives
 *  - a PERF_RECORD_READ of each event and CPU when a thread ends that inherited them: its own;
 *  - with read(2) the sum over the whole family, those that have ended and those that live.
 * So a thread on which events were opened has what the others leave of the sum, if they have all
 * ended. What several left that lived to the end cannot be told apart. Kernels 5.13 to 6.17 and
 * some later ones forget to write those records (perf_event_exit_event()): there the same is true
 * of those that have ended.
 */

/* `records`: how many a thread leaves when it ends, one for each CPU and event. */
struct counter_ledger *counter_ledger_new(size_t event_count, size_t records);
void counter_ledger_free(struct counter_ledger *ledger);

/*
 * Events were opened on this thread; families are numbered 0, 1, ... Whether a thread that it
 * created before `sure_ns` has inherited them is not certain.
 */
void counter_ledger_begin(struct counter_ledger *ledger, pid_t pid, pid_t tid, uint64_t sure_ns);

/* A thread of the family has created this one. */
void counter_ledger_birth(struct counter_ledger *ledger, size_t family, pid_t pid, pid_t tid,
			  uint64_t time_ns);

/* The count of one event on one CPU by a thread of the family that ends. */
struct counter_read {
	pid_t pid, tid;
	size_t event;
	uint64_t time_ns;
	struct perf_count count;
};

/*
 * Returns the counts of the thread, by event, when this is the last of its records, else NULL.
 * Valid until the next call. Records may come before that of its birth.
 */
const struct perf_count *counter_ledger_end(struct counter_ledger *ledger, size_t family,
					    const struct counter_read *read);

/* Records are missing. */
void counter_ledger_lost(struct counter_ledger *ledger);

/*
 * Takes from the sums of a family what its ended threads have; says whose the rest is. Returns
 * false when there is none.
 */
struct counter_rest {
	pid_t pid;
	pid_t tid; /* -1: of several threads */
};
bool counter_ledger_rest(struct counter_rest *rest, struct perf_count *sums,
			 const struct counter_ledger *ledger, size_t family);

/* --- counter_stretches.c --------------------------------------------------------------------- */

/*
 * From what CPUs have counted at each switch to what each thread has: what a counter of a CPU
 * gains from one switch to the next is of the thread that leaves it there.
 */

/*
 * The way in which a counter gains. Some kernels hide switches out of the idle task from readers of
 * counters at switches: while a CPU is idle its clocks go on, and the end of that is a switch too.
 */
enum counter_gain {
	GAIN_EVENTS,   /* none while a CPU is idle */
	GAIN_TIME,     /* on a CPU */
	GAIN_SWITCHES, /* of the thread that leaves its CPU */
};

/* `gains` has one for each counter and is borrowed. CPUs are 0, 1, ..., as many as come. */
struct counter_stretches *counter_stretches_new(const enum counter_gain *gains,
						size_t counter_count);
void counter_stretches_free(struct counter_stretches *stretches);

/* The state of the counters of a CPU: they are on the hardware together, or not. */
struct counter_state {
	uint64_t time_ns;
	uint64_t enabled_ns, running_ns;
	const uint64_t *values;
};

struct counter_switch {
	pid_t pid, from, to; /* threads; pid: the process of `from`, -1: not known */
	bool dead;	     /* `from` has ended */
	struct counter_state state;
};

struct counted {
	pid_t pid, tid;
	struct perf_count *counts; /* by counter */
};

/*
 * A CPU goes from one thread to another. When the first has ended its counts are returned, valid
 * until the next call; else NULL.
 */
const struct counted *counter_stretches_switch(struct counter_stretches *stretches, size_t cpu,
					       const struct counter_switch *change);

/* The thread got the CPU then: some kernels hide switches out of the idle task, but tell this. */
void counter_stretches_arrive(struct counter_stretches *stretches, size_t cpu, pid_t tid,
			      uint64_t time_ns);

/* Switches of the CPU are missing: its counts up to the next switch belong to no thread. */
void counter_stretches_lost(struct counter_stretches *stretches, size_t cpu);

/* The counters have been read at the end: the stretch that is open is of the thread on the CPU. */
void counter_stretches_close(struct counter_stretches *stretches, size_t cpu,
			     const struct counter_state *state);

/* The threads that are left, one each time; NULL at the end. Valid until the next call. */
const struct counted *counter_stretches_take(struct counter_stretches *stretches);

/* --- switch_counters.c ----------------------------------------------------------------------- */

/*
 * Counters that are read at each switch, on all CPUs. For a user that may see all switches this is
 * better than events that threads inherit: a thread costs nothing to create, its counts are known
 * while it lives, and the kernel does not write to the rings of other CPUs when it ends,
 * which loses records when two threads end at once (perf_event_read_event()).
 */

/*
 * All of `choice` is counted together; it is taken over unless this fails. NULL with a sentence,
 * also where the user may not or the PMU cannot: then inherited events may do.
 */
struct collector *switch_counters_open(const struct collector_options *options,
				       struct counter_choice *choice, struct err *err);

#endif
