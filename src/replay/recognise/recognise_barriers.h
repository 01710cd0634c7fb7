/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barriers, by wakes alone: of a fixed set of three or more threads all but one wait, and that one
 * wakes all others in a row; it happens again and again, and another is the last then. With two
 * threads it may be a queue: that stays as recorded.
 *
 * Where it is always the same one that wakes the others, it may as well be a leader with work for
 * them, and stays as recorded where the leader ever waits in between. If it does not, and all
 * others are there each time, the two cannot be told apart: on one core who has most to do comes
 * last to each barrier, and a leader that waits for nobody is overtaken by those whom it leads.
 * Then it is presumed to be a barrier, as a leader that is never held up is rare; see
 * recognised.presumed.
 *
 * A row ends before who is woken in it a second time: on one core the last one of a barrier may be
 * the last of the next one, too, before it has got any further. Rows that are told apart only by
 * that are of no barrier that is presumed.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_BARRIERS_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_BARRIERS_H

struct recognition;

/* Edges to STEP_BARRIER. */
void recognise_barriers(struct recognition *recognition);

#endif
