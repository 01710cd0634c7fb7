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
	COUNTER_REFUSED, /* the kernel reports that the PMU cannot count them together */
	COUNTER_STARVED, /* it does not report it, but they never get on the hardware */
};

/* Tries, on the calling thread, whether counters that each count here can count together. */
enum counter_fit counter_group_fit(const struct chosen_counter *counters, size_t count);

/* Records `counts`, one for each counter, of the thread of `place`; its id is ignored. */
void counter_choice_write(const struct counter_choice *choice, struct recording *recording,
			  const struct record_place *place, const struct perf_count *counts);

/* --- counter_ledger.c ------------------------------------------------------------------------ */

/*
 * The threads of counts. Events are opened on a thread and inherited by all that it creates: a
 * family. The kernel gives
 *  - a PERF_RECORD_READ of each event and CPU when a thread with inherited events ends: its own;
 *  - with read(2) the sum over the whole family, ended and living threads.
 * So a thread on which events were opened has the sum without the others, if those have all ended.
 * The counts of several threads that lived to the end cannot be told apart. Kernels 5.13 to 6.17
 * and some later ones forget those records (perf_event_exit_event()): there this is also true of
 * threads that have ended.
 */

/* Makes a ledger. `records`: those of a thread at its end, one for each CPU and event. */
struct counter_ledger *counter_ledger_new(size_t event_count, size_t records);
void counter_ledger_free(struct counter_ledger *ledger);

/*
 * Begins a family: events were opened on this thread. Families are numbered 0, 1, ... A thread that
 * it created before `sure_ns` may not have inherited them.
 */
void counter_ledger_begin(struct counter_ledger *ledger, pid_t pid, pid_t tid, uint64_t sure_ns);

/* Adds a thread to a family whose thread has created it. */
void counter_ledger_birth(struct counter_ledger *ledger, size_t family, pid_t pid, pid_t tid,
			  uint64_t time_ns);

/* The count of one event on one CPU, of a thread of the family that ends. */
struct counter_read {
	pid_t pid, tid;
	size_t event;
	uint64_t time_ns;
	struct perf_count count;
};

/*
 * Adds a record. Returns the counts of its thread, by event, after its last record, otherwise NULL.
 * Valid until the next call. Records may come before that of the birth.
 */
const struct perf_count *counter_ledger_end(struct counter_ledger *ledger, size_t family,
					    const struct counter_read *read);

/* Notes that records are missing. */
void counter_ledger_lost(struct counter_ledger *ledger);

/*
 * Subtracts the counts of ended threads from the sums of a family, and names the thread of the
 * rest. Returns false if there is no rest.
 */
struct counter_rest {
	pid_t pid;
	pid_t tid; /* -1: of several threads */
};
bool counter_ledger_rest(struct counter_rest *rest, struct perf_count *sums,
			 const struct counter_ledger *ledger, size_t family);

/* --- counter_stretches.c --------------------------------------------------------------------- */

/*
 * Distributes the counts of CPUs at each switch to threads: the increase of a CPU's counter from
 * one switch to the next belongs to the thread that leaves it there.
 */

/*
 * The way in which a counter increases. Some kernels hide switches out of the idle task from
 * readers of counters at switches: clocks of an idle CPU go on, and the end of that is a switch,
 * too.
 */
enum counter_gain {
	GAIN_EVENTS,   /* none while a CPU is idle */
	GAIN_TIME,     /* time on a CPU */
	GAIN_SWITCHES, /* switches of the thread that leaves its CPU */
};

/* Makes the distribution. `gains` has one entry per counter and is borrowed. CPUs are 0, 1, ... */
struct counter_stretches *counter_stretches_new(const enum counter_gain *gains,
						size_t counter_count);
void counter_stretches_free(struct counter_stretches *stretches);

/* The state of the counters of a CPU, which are on the hardware together, or not. */
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
 * Notes a switch of a CPU. If the thread that leaves has ended, returns its counts, valid until the
 * next call; otherwise NULL.
 */
const struct counted *counter_stretches_switch(struct counter_stretches *stretches, size_t cpu,
					       const struct counter_switch *change);

/* Notes that a thread got the CPU. Kernels that hide switches out of the idle task report this. */
void counter_stretches_arrive(struct counter_stretches *stretches, size_t cpu, pid_t tid,
			      uint64_t time_ns);

/* Notes that switches of the CPU are missing: its counts up to the next one belong to no thread. */
void counter_stretches_lost(struct counter_stretches *stretches, size_t cpu);

/* Ends the count of a CPU: the increase since the last switch belongs to the thread on it. */
void counter_stretches_close(struct counter_stretches *stretches, size_t cpu,
			     const struct counter_state *state);

/* Returns the remaining threads, one per call; NULL at the end. Valid until the next call. */
const struct counted *counter_stretches_take(struct counter_stretches *stretches);

/* --- switch_counters.c ----------------------------------------------------------------------- */

/*
 * Counters that are read at each switch, on all CPUs. For a user that may see all switches they are
 * better than inherited events: creating a thread costs nothing, its counts are known while it
 * lives, and the kernel does not write to the rings of other CPUs when it ends, which loses records
 * when two threads end at once (perf_event_read_event()).
 */

/*
 * Opens the counters of `choice`, all of them together. Takes ownership of it unless this fails.
 * NULL with an error, also if the user may not or the PMU cannot: inherited events may still work.
 */
struct collector *switch_counters_open(const struct collector_options *options,
				       struct counter_choice *choice, struct err *err);

#endif
