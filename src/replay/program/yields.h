/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that wait by calling sched_yield until something has happened. In no sample does that
 * look like a loop that waits: it is in a function, and in the kernel, for most of its time. Where
 * the calls are on record their pattern tells: YIELD_RUN_CALLS or more of them in a row, each no
 * more than YIELD_GAP_NS of CPU time after the one before and with nothing on record between, are a
 * run, and the CPU time from the first call of a run to its last one is waiting. What a program
 * computes in so little time between two calls counts as waiting too: the calls do not tell.
 */
#ifndef PSCAL_REPLAY_PROGRAM_YIELDS_H
#define PSCAL_REPLAY_PROGRAM_YIELDS_H

#include <stdint.h>

#include "replay/program/program.h"

/*
 * A call is recorded, made and looked at again within a few us; who has work to do between calls
 * has slices of ms.
 */
enum { YIELD_RUN_CALLS = 3, YIELD_GAP_NS = 20000 };

struct yielded {
	uint64_t calls;	     /* of sched_yield; 0 also where they are not recorded */
	uint64_t runs;	     /* of them, as above */
	uint64_t waiting_ns; /* CPU time in runs */
	uint64_t run_ns;     /* CPU time of all threads */
};

void yields_measure(struct yielded *yielded, const struct program *program);

/* The share of the CPU time that is in runs; NAN where no call is on record. */
double yielded_share(const struct yielded *yielded);

/*
 * A STEP_EXTERNAL of its length at `site` takes the place of each run and its calls. Waits at
 * `site` that are there already are a part of the run that they lie in. Returns the CPU time that
 * is none now.
 */
uint64_t yields_to_waits(struct program *program, uint32_t site);

#endif
