/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters made of a mutex and a condition: one thread counts its progress up and tells everybody,
 * and others go on as far as it has come, like those that code the next picture row by row:
 *
 *	progress:	lock(m) ... broadcast(c) unlock(m)
 *	follow:		lock(m) [wait(c, m) ...] unlock(m)
 *
 * On few cores those that follow mostly need not wait, as the other one is far ahead, and then the
 * recording has no edge between the two; on more cores they have to. How far the counter must be is
 * known where a thread did wait: it went on after the n-th broadcast and not after the one before.
 * In between a thread that follows needs more and more of it, taken to grow evenly from one wait to
 * the next, and never more than there was when it passed.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CONDITION_COUNTERS_H
#define PSCAL_REPLAY_RECOGNISE_CONDITION_COUNTERS_H

struct program;

/*
 * Adds edges from broadcasts to those that followed without waiting. Adds steps, so that places are
 * void; to be done while the program has its calls.
 */
void condition_counters_add(struct program *program);

#endif
