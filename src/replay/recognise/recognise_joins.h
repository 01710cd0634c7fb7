/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for the end of a thread. The kernel wakes who waits for that as one of the last things that
 * a thread does, so a wake that is followed by nothing but the end of its thread is a join, or
 * cannot be told from one.
 *
 * Who joins one thread that it has created also joins those that had ended already, for which it
 * did not have to wait: on other cores it may have to. So where exits have times, those siblings
 * are joined too: created by the same thread before, in the same process, and ended no later.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_JOINS_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_JOINS_H

struct recognition;

/* Edges to STEP_JOIN. Adds steps: places are void afterwards. */
void recognise_joins(struct recognition *recognition);

#endif
