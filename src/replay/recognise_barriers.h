/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barriers, by wakes alone: of a fixed set of three or more threads all but one wait, and that one
 * wakes all others in a row; it happens again and again, and another is the last then. Where it is
 * always the same one that wakes the others, it may as well be a leader with work for them, and
 * with two threads it may be a queue: those stay as recorded.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_BARRIERS_H
#define PSCAL_REPLAY_RECOGNISE_BARRIERS_H

struct recognition;

/* Edges to STEP_BARRIER. */
void recognise_barriers(struct recognition *recognition);

#endif
