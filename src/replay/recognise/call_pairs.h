/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which calls of a thread hold a lock: those that are followed by a call that gives it back. What
 * has no partner in the recording is left out, since a lock that is never given back would stop all
 * others, and of a recursive lock only the outermost pair counts. Whether a trylock has got the
 * lock is not recorded: it has where an unlock follows.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CALL_PAIRS_H
#define PSCAL_REPLAY_RECOGNISE_CALL_PAIRS_H

#include <stdint.h>

#include "replay/program/program.h"

struct call_pairs {
	uint32_t *open;	 /* [site]: the last call that took it, plus one; 0: not held */
	uint32_t *outer; /* of the thread's steps: what `open` was before, likewise */
	size_t outer_capacity;
	uint32_t *depth; /* [site] */
};

void call_pairs_init(struct call_pairs *pairs, const struct program *program);
void call_pairs_release(struct call_pairs *pairs);

/*
 * Calls on locks of `thread` become STEP_LOCK, STEP_LOCK_SHARED, STEP_UNLOCK or nothing. Of the
 * wait on a condition, the call on its mutex before it becomes STEP_UNLOCK and it stays a call; it
 * becomes nothing where it does not take its mutex again.
 */
void call_pairs_match(struct call_pairs *pairs, struct program_thread *thread);

#endif
