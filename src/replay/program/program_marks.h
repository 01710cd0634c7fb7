/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of a thread of which it is known when they were taken, and not yet after how much CPU time:
 * that is known when the interval that they lie in has ended. Until then a step has its time where
 * its CPU time belongs.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_MARKS_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct program_marks {
	struct step *steps; /* [begin .. end), in the order of their times */
	size_t begin, end, capacity;
};

/*
 * Behind all that are not later. `at_ns` counts from the beginning of the program. But who lets
 * others go on (STEP_FORK, STEP_WAKE) does so before it waits for anything at that very time: what
 * they do then may be told before their own interval has ended, and so before this.
 */
void program_marks_add(struct program_marks *marks, uint64_t at_ns, struct step step);

/*
 * Takes the first one out if it lies in the interval up to `end_ns`, else NULL. Valid until one is
 * added. Who `waited` until then took no step at its end; and what is waited for at its end comes
 * after that, as others may still have been let go on before.
 */
const struct step *program_marks_take(struct program_marks *marks, uint64_t end_ns, bool waited);

void program_marks_release(struct program_marks *marks);

#endif
