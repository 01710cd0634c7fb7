/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of the C library to steps on objects, also those that did not wait: STEP_LOCK, STEP_UNLOCK,
 * STEP_TAKE, STEP_GIVE, STEP_BARRIER. A wait in such a call goes away with the wake that ended it
 * where that was in the matching call on the same object; on other cores it may be another one's.
 *
 * The wait on a condition gives its mutex back, waits for the signal that it got in the trace, and
 * takes the mutex again.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNISE_CALLS_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNISE_CALLS_H

struct recognition;

/* No STEP_CALL of the library is left. */
void recognise_calls(struct recognition *recognition);

#endif
