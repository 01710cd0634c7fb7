/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what CPUs have counted at each switch to what each thread has: what a counter of a CPU
 * gains from one switch to the next is of the thread that leaves it there.
 */
#ifndef PSCAL_COLLECT_COUNTERS_COUNTER_STRETCHES_H
#define PSCAL_COLLECT_COUNTERS_COUNTER_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/perf_events.h"

struct counter_stretches;

/*
 * How a counter gains. Some kernels hide switches out of the idle task from who reads counters at
 * switches: while a CPU is idle its clocks go on, and the end of that is a switch too.
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

/* Switches of the CPU are missing: what it counts up to the next is nobody's. */
void counter_stretches_lost(struct counter_stretches *stretches, size_t cpu);

/* The counters have been read at the end: the stretch that is open is of who is on the CPU. */
void counter_stretches_close(struct counter_stretches *stretches, size_t cpu,
			     const struct counter_state *state);

/* The threads that are left, one each time; NULL at the end. Valid until the next call. */
const struct counted *counter_stretches_take(struct counter_stretches *stretches);

#endif
