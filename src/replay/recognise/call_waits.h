/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which waits and wakes were in which calls. A probe stands at the beginning of a call and none at
 * its end, so what comes within a few microseconds of CPU time is taken to be in it; that both ends
 * of an edge are in matching calls on the same object leaves no doubt. A wait is in one only where
 * the system calls on record say so, if there are any: who sleeps or reads something just after it
 * has got a lock holds it meanwhile.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CALL_WAITS_H
#define PSCAL_REPLAY_RECOGNISE_CALL_WAITS_H

#include <stdint.h>

#include "replay/recognise/recognition.h"

/* The calls that the ends of an edge are in, as steps of their threads; PROGRAM_NONE: in none. */
struct edge_calls {
	uint32_t wake, block;
};

/*
 * For each edge of the program; the caller frees it. Calls are STEP_LOCK etc. already. Between a
 * call that takes a lock and the one that gives it back, a wait for somebody who gives it back is
 * in the first, after whatever time.
 */
struct edge_calls *call_waits_find(const struct recognition *recognition);

/*
 * Is the wait of `edge` one for the object of its call, ended by a call that gives that?
 * Of a condition it is not: that gives nothing to keep.
 */
bool call_waits_match(const struct recognition *recognition, const struct edge_calls *calls,
		      uint32_t edge);

/*
 * Takes out the edges that match. Where another wait is left in a call that takes an object, it is
 * taken after it: who waits for something else must not have it already. Places of calls are void
 * afterwards.
 */
void call_waits_take_out(struct recognition *recognition, const struct edge_calls *calls);

#endif
