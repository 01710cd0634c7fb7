/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulates a program (mock/program.h) on a machine of some cores, and writes the events that perf
 * would have recorded.
 *
 * Its scheduler shares nothing with the replay that it tests: each core has a queue, and a virtual
 * time by which it chooses the next thread, as Linux with CFS. A woken thread goes to its last
 * core, to that of its waker, or to an idle core; there it may preempt. An idle core takes a thread
 * from the longest queue, a busy core looks for a longer queue from time to time. A switch, a wake,
 * a call and leaving idle have their cost.
 *
 * Locks and other objects are those of the GNU C library, with futexes: a free object goes to the
 * first thread that asks, so a woken thread may find it taken and wait again; readers go before
 * writers.
 */
#ifndef PSCAL_TESTS_MOCK_MACHINE_H
#define PSCAL_TESTS_MOCK_MACHINE_H

#include "mock/program.h"

#include <stdio.h>

enum { MOCK_CORES_MAX = 64 };

/* The recorded calls, beside the scheduler's events. */
enum mock_calls { MOCK_CALLS_NONE, MOCK_CALLS_FUTEX, MOCK_CALLS_ALL };

/* The output of `perf script`, or of `trace-cmd report -t`, which also tells the interrupted
 * thread. */
enum mock_layout { MOCK_PERF_SCRIPT, MOCK_TRACE_CMD };

struct mock_run {
	unsigned cores;
	uint64_t seed; /* of the noise of the scheduler, such as the times of ticks */
	FILE *trace;   /* NULL: no trace */
	enum mock_calls calls;
	enum mock_layout layout;
};

/* Returns the wall time in ns, or 0 if the program waits for ever. */
uint64_t mock_run(const struct mock_program *program, const struct mock_run *run);

#endif
