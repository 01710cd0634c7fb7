/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in which busy-waiting is not work: CPU time in waiting loops becomes waits that need no
 * core. Samples show that time (stats/spin/spin_table.h): the n samples of a thread stand for n
 * equal parts of its CPU time, in their order, as a clock that goes on only while threads run takes
 * them. So it is known to about a period of the sampling where in its work a thread spun, and for
 * how long. Loops of sched_yield are told by their calls, if those are on record, and exactly.
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
 * a run to its last one is waiting. What a program computes in so little time between two calls
 * counts as waiting too: the calls do not tell.
 *
 * A call is recorded, made and looked at again within a few us; a thread with work between calls
 * has slices of ms.
 */
enum { YIELD_RUN_CALLS = 3, YIELD_GAP_NS = 20000 };

struct yielded {
	uint64_t calls;	     /* of sched_yield; 0 also where they are not recorded */
	uint64_t runs;	     /* of them, as above */
	uint64_t waiting_ns; /* CPU time in runs */
	uint64_t run_ns;     /* CPU time of all threads */
};

struct spun {
	struct spin_share share; /* of all samples of the program */
	struct yielded yielded;	 /* before any of it was made waits */
	uint64_t moved_ns;	 /* CPU time that is waiting now */
	size_t unsampled;	 /* threads that keep theirs as it is: without samples, or with a
				    number that several threads have had */
};

/*
 * `samples` have been read with their times (timed); without any of them and without calls of
 * sched_yield nothing changes. To be called before recognise(): what threads do stays in its order.
 */
void spin_to_waits(struct program *program, const struct samples *samples, struct spun *spun);

/* Only finds the share out, for which samples need no times. The program stays as it is. */
void spin_measure(const struct program *program, const struct samples *samples, struct spun *spun);

/*
 * The samples of the threads of a program, by thread and time. Where several threads had one number,
 * no sample tells them apart: theirs are left out. The caller frees the rows.
 */
struct spin_row *spin_program_rows(size_t *count, const struct program *program,
				   const struct samples *samples);

/* The share of the CPU time that is in runs; NAN where no call is on record. */
double yielded_share(const struct yielded *yielded);

#endif
