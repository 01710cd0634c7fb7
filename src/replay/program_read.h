/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace to the program that was run, in one pass. */
#ifndef PSCAL_REPLAY_PROGRAM_READ_H
#define PSCAL_REPLAY_PROGRAM_READ_H

#include "decode/event_source.h"
#include "decode/selection.h"
#include "replay/program.h"

struct err;

/*
 * Reads `source` to its end. Waits are as recorded (edges and pauses), with the calls around them
 * as STEP_CALL and STEP_RETURN where the trace has any; recognise() makes more of them. The caller
 * releases *program. Returns 0, or -1 with a sentence, also when the trace holds nothing of the
 * target. That there are no wakes is no error: see has_wakes.
 */
int program_read(struct program *program, struct event_source *source,
		 const struct selection *selection, struct err *err);

#endif
