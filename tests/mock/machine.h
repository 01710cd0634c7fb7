/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pretends to run a program (mock/program.h) on a machine of some cores, and writes down what perf
 * would have recorded of it.
 *
 * The scheduler is one of its own, and shares nothing with the replay that it is to judge: each
 * core has a queue, and a virtual time by which it chooses from it, as Linux had with CFS. A thread
 * that wakes goes to where it ran, to where it was woken, or to an idle core; there it may preempt.
 * A core that would be idle takes a thread from the longest queue, one that is not looks for a
 * longer queue from time to time. A switch, a wake, a call and leaving idle have their cost.
 *
 * Locks and the like are those of the GNU C library, with futexes: what is free goes to who comes
 * first, so who was woken for it may find it taken and wait again; readers go before writers.
 */
#ifndef PSCAL_TESTS_MOCK_MACHINE_H
#define PSCAL_TESTS_MOCK_MACHINE_H

#include "mock/program.h"

#include <stdio.h>

enum { MOCK_CORES_MAX = 64 };

/* What is recorded beside the scheduler's events. */
enum mock_calls { MOCK_CALLS_NONE, MOCK_CALLS_FUTEX, MOCK_CALLS_ALL };

/* As `perf script` prints it, or as `trace-cmd report -t`, where one sees who was interrupted. */
enum mock_layout { MOCK_PERF_SCRIPT, MOCK_TRACE_CMD };

struct mock_run {
	unsigned cores;
	uint64_t luck; /* when ticks come and the like; the program is the same */
	FILE *trace;   /* NULL: none */
	enum mock_calls calls;
	enum mock_layout layout;
};

/* Returns the wall time in ns, or 0 where the program waits for what never comes. */
uint64_t mock_run(const struct mock_program *program, const struct mock_run *run);

#endif
