/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues from which several threads take what there is to do. On other cores another of them takes
 * it, and does what was done for it in the trace: how many a thread has taken there is nothing that
 * it must take again. So what follows a token is done by whoever gets that token.
 *
 * A queue has no tokens in the beginning; who gives takes none there; and who takes does so from no
 * other queue, holds no lock meanwhile, and waits for no certain thread or at a barrier in between:
 * what is done must not depend on who does it.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_POOLS_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_POOLS_H

struct recognition;

/* Counts of STEP_TAKE are their places. Marks sites as pooled. */
void recognise_pools(struct recognition *recognition);

#endif
