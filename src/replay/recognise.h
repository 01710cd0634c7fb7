/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was waited for, where a trace tells: on other cores a lock goes to whoever waits then, and
 * not to whom it went in the trace, and the last to reach a barrier is another thread. So waits and
 * wakes as recorded become steps on objects (locks, tokens, barriers, ends of threads):
 *
 *  - exactly, where calls are recorded (STEP_CALL): then also those that did not wait;
 *  - from the pattern of wakes alone where that can be nothing else;
 *  - and stay as they are everywhere else.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_H
#define PSCAL_REPLAY_RECOGNISE_H

#include "replay/program.h"

struct recognised {
	size_t locks, queues, barriers, joins; /* objects */
	uint64_t waits;			       /* that are at one of them now */
	uint64_t left;			       /* edges that stay as recorded */
	uint64_t unexplained; /* calls whose waits or wakes do not fit them; they stay edges too */
};

/* Rewrites the steps of `program`; no STEP_CALL or STEP_RETURN is left. */
void recognise(struct program *program, struct recognised *recognised);

#endif
