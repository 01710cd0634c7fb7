/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of a thread of which it is known when they were taken, and not yet after how much CPU time:
 * that is known when the interval that they lie in has ended. Until then a step has its time where
 * its CPU time belongs.
 */
#ifndef PSCAL_REPLAY_PROGRAM_MARKS_H
#define PSCAL_REPLAY_PROGRAM_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program.h"

struct program_marks {
	struct step *steps; /* [begin .. end), in the order of their times */
	size_t begin, end, capacity;
};

/* Behind all that are not later. `at_ns` counts from the beginning of the program. */
void program_marks_add(struct program_marks *marks, uint64_t at_ns, struct step step);

/* Takes the first one out if it is no later than `end_ns`, else NULL. Valid until one is added. */
const struct step *program_marks_take(struct program_marks *marks, uint64_t end_ns);

void program_marks_release(struct program_marks *marks);

#endif
