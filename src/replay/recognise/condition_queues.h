/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues made of a mutex and conditions. Who finds something in such a queue does not wait, so that
 * the signals that were waited for do not tell what depends on what: on other cores it may have to.
 * Every put and every get does show, as a stretch with the mutex held:
 *
 *	put:	lock(m) [wait(room, m)] ... signal(items) unlock(m)
 *	get:	lock(m) [wait(items, m)] ... [signal(room)] unlock(m)
 *
 * Where all stretches of a mutex are of these two kinds, and in their recorded order never more has
 * been got than was put, each put gives a token of `items` and each get takes one, and likewise
 * with `room` if anybody ever waited for that. If nobody did it is not known how much there is.
 *
 * Where nobody has waited at all, as on one core, the first stretch is a put, and as many must
 * have been got in the end: else mutexes beside conditions that say nothing of who comes when, as
 * those of counters, would be queues. Over programs 5001 to 5008 of `make forecast-simulated`
 * errors of pools with calls that are recorded on one core are .28 % so, 2.5 at most, and 1.81 and
 * 37 without.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CONDITION_QUEUES_H
#define PSCAL_REPLAY_RECOGNISE_CONDITION_QUEUES_H

struct recognition;

/*
 * Such conditions become semaphores: STEP_CALL of SYNC_SEM_WAIT and SYNC_SEM_POST. Adds steps, so
 * that places are void; to be done before anything else.
 */
void condition_queues_rewrite(struct recognition *recognition);

#endif
