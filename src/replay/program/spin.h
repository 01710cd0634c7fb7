/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in which spinning is no work: CPU time that threads spent in loops that wait becomes
 * waits that need no core. Which time that was is told by samples (stats/spin/spin_table.h): the n
 * samples of a thread stand for n equal parts of its CPU time, in their order, as a clock that goes
 * on only while threads run takes them. So it is known to about a period of the sampling where in
 * its work a thread spun, and for how long. Loops of sched_yield are told by their calls, if those
 * are on record, and exactly (replay/program/yields.h).
 *
 * It is not known what it waited for: such a wait keeps its length, as a STEP_EXTERNAL at a site of
 * the name "spinning". That is right where what it waited for takes as long on other cores. Where
 * that has to wait for a core itself the wait would be longer, and with it the program: what is
 * forecast so for few cores is too short.
 */
#ifndef PSCAL_REPLAY_PROGRAM_SPIN_H
#define PSCAL_REPLAY_PROGRAM_SPIN_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/event/samples.h"
#include "replay/program/program.h"
#include "replay/program/yields.h"
#include "stats/spin/spin_table.h"

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
 * The first for one thread, whose CPU time falls into `count` equal parts: true is a wait. `site`
 * is theirs. Returns the CPU time that is none now.
 */
uint64_t spin_split(struct program *program, uint32_t thread, const bool *waits, size_t count,
		    uint32_t site);

#endif
