/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The conversion of busy-waiting: CPU time in waiting loops becomes waits that need no core.
 * Samples show that time (stats/spin/spin_table.h): the n samples of a thread stand for n equal
 * parts of its CPU time, in their order, as the sampling clock runs only while the thread runs. So
 * the place and the length of busy-waiting are known to about one sampling period. Loops of
 * sched_yield are known exactly if their calls are recorded.
 *
 * The awaited event is unknown: such a wait keeps its length, as a STEP_EXTERNAL at a site named
 * "spinning". That is right if the awaited work takes as long on other cores. If that work itself
 * has to wait for a core, the wait and the program would take longer: forecasts for few cores are
 * then too short.
 */
#ifndef PSCAL_REPLAY_PROGRAM_SPIN_H
#define PSCAL_REPLAY_PROGRAM_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/samples.h"
#include "replay/program/program.h"
#include "stats/spin/spin_table.h"

/*
 * Threads that busy-wait by calling sched_yield. Samples do not show that as a waiting loop: most
 * of its time is in a function and in the kernel. The pattern of the recorded calls shows it:
 * YIELD_RUN_CALLS or more of them in a row, each no more than YIELD_GAP_NS of CPU time after the
 * one before and with nothing on record between, are a run, and the CPU time from the first call of
 * a run to its last one is waiting. Work in the short time between two calls counts as waiting,
 * too.
 *
 * One round of a waiting loop takes a few us with the recording of its call; a thread with work
 * between calls runs for ms.
 */
enum { YIELD_RUN_CALLS = 3, YIELD_GAP_NS = 20000 };

struct yielded {
	uint64_t calls;	     /* calls of sched_yield; 0 also if they are not recorded */
	uint64_t runs;	     /* runs of these calls, as above */
	uint64_t waiting_ns; /* CPU time in runs */
	uint64_t run_ns;     /* CPU time of all threads */
};

struct spun {
	struct spin_share share; /* share of the samples of the program */
	struct yielded yielded;	 /* loops of sched_yield, before any became waits */
	uint64_t moved_ns;	 /* CPU time that became waits */
};

/*
 * Turns busy-waiting of `program` into waits, and fills in `spun`. `samples` were read with their
 * times (timed). Without samples and without calls of sched_yield nothing changes. Call it before
 * recognise(): steps keep their order.
 */
void spin_to_waits(struct program *program, const struct samples *samples, struct spun *spun);

/* Measures busy-waiting, and leaves the program as it is. Samples need no times for that. */
void spin_measure(const struct program *program, const struct samples *samples, struct spun *spun);

/*
 * Returns the samples of the threads of a program, by thread and time. Samples of a number that
 * several threads had are left out. The caller frees the rows.
 */
struct spin_row *spin_program_rows(size_t *count, const struct program *program,
				   const struct samples *samples);

/* Returns the share of CPU time in runs of sched_yield; NAN if no call is recorded. */
double yielded_share(const struct yielded *yielded);

#endif
