/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the order of calls at an object tells of it: with how many tokens a semaphore began, and how
 * many threads meet at a barrier, where the call that says so is not in the recording.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CALL_ORDER_H
#define PSCAL_REPLAY_RECOGNISE_CALL_ORDER_H

#include "replay/recognise/call_waits.h"

/*
 * The whole place of a call at its site, of which the step has the lower 24 bits. What a thread
 * does at an object is in order, and nobody lets 8 million others pass there, so it is never far
 * from `near`, that of the thread's call before.
 */
uint64_t call_order_unwrap(uint32_t low, uint64_t near);

/*
 * The count of STEP_TAKE, STEP_GIVE and STEP_BARRIER is still that of their call. `inits` [site]:
 * how many calls on record initialise it. Fills in the tokens and the parties of sites: the least
 * tokens with which nobody had to wait who did not, and as many parties as there are threads, where
 * all come equally often. A barrier whose parties are not known stays as recorded, and so do
 * arrivals that do not fill a generation.
 */
void call_order_apply(struct recognition *recognition, const struct edge_calls *calls,
		      const uint32_t *inits);

#endif
