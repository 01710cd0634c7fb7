/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the files of recognise() share: a program, the places of the ends of each of its
 * edges, and the functions that rewrite it one after the other.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNITION_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNITION_H

#include "replay/program/program.h"
#include "replay/recognise/recognise.h"

/* A step; `thread` PROGRAM_NONE: there is none. */
struct place {
	uint32_t thread, step;
};

struct edge {
	struct place wake, block;
};

struct recognition {
	struct program *program;
	struct recognised *found;
	struct edge *edges; /* as many as the program has */
	bool tells_waits;   /* system calls that wait at a word are on record */
};

/*
 * `program` is borrowed. Steps may be overwritten until the release, but keep their places: one
 * that is no longer needed becomes STEP_NONE.
 */
void recognition_init(struct recognition *recognition, struct program *program,
		      struct recognised *found);
void recognition_release(struct recognition *recognition);

/* The call of a library, and none of the system. */
static inline bool step_is_library_call(const struct step *step)
{
	return step_op(step) == STEP_CALL &&
	       (step_call(step) >= SYNC_MUTEX_LOCK || step_call(step) == SYNC_NONE);
}

static inline bool place_is_known(struct place place)
{
	return place.thread != PROGRAM_NONE;
}

static inline struct step *recognition_step(const struct recognition *recognition,
					    struct place place)
{
	return &recognition->program->threads[place.thread].steps[place.step];
}

/* Has the edge a wake and a wait, and are both still there? */
bool recognition_has_edge(const struct recognition *recognition, uint32_t edge);

/* Another operation in the place of a step, whose CPU time stays. */
void step_become(struct step *step, enum step_op op);
void step_become_at(struct step *step, enum step_op op, uint32_t site, uint32_t count);

/*
 * A call that is left out stays one until the end, of nothing: what comes after it is not in the
 * call before.
 */
void step_drop_call(struct step *step, enum sync_call call);

/* Its wake and its wait are something else from now on, or nothing. */
void recognition_forget_edge(struct recognition *recognition, uint32_t edge);

/*
 * Moves the step at `from` behind those that follow it up to `to`, and leaves its CPU time where
 * that was. Edges follow.
 */
void recognition_move_back(struct recognition *recognition, uint32_t thread, uint32_t from,
			   uint32_t to);

/* Takes out what has become nothing; its CPU time is that of the next step. Places are void then.
 */
void recognition_compact(struct recognition *recognition);

/* --- recognise_calls.c ---------------------------------------------------------------------- */

/* No STEP_CALL of the library is left. */
void recognise_calls(struct recognition *recognition);

/* The waits that have no site yet get one, a SITE_FUTEX where nothing else is known of it. */
void recognise_futex(struct recognition *recognition);

/* --- recognise_mutexes.c -------------------------------------------------------------------- */

/* Is it a word at which threads wait as for a mutex? */
static inline bool site_is_mutex(const struct site *site)
{
	return site->kind == SITE_FUTEX && site->waits_as_mutex;
}

/* Fills in hold_ns of mutexes, by the calls at them; after recognise_futex(). */
void mutexes_measure(const struct recognition *recognition);

/* --- recognise_waits.c ---------------------------------------------------------------------- */

/* The calls that the ends of an edge are in, as steps of their threads; PROGRAM_NONE: in none. */
struct edge_calls {
	uint32_t wake, block;
};

/*
 * For each edge of the program; the caller frees it. Calls are STEP_LOCK etc. already. Between a
 * call that takes a lock and the one that gives it back, a wait for a thread that gives it back is
 * in the first, after whatever time.
 */
struct edge_calls *call_waits_find(const struct recognition *recognition);

/*
 * Takes out the edges that match. Where another wait is left in a call that takes an object, it is
 * taken after it: a thread that waits for something else must not have it already. Places of calls
 * are void afterwards.
 */
void call_waits_take_out(struct recognition *recognition, const struct edge_calls *calls);

/*
 * The whole place of a call at its site, of which the step has the lower 24 bits. What a thread
 * does at an object is in order, and no thread lets 8 million others pass there, so it is never far
 * from `near`, that of the thread's call before.
 */
uint64_t call_order_unwrap(uint32_t low, uint64_t near);

/*
 * The count of STEP_TAKE, STEP_GIVE and STEP_BARRIER is still that of their call. `inits` [site]:
 * how many calls on record initialise it. Fills in the tokens and the parties of sites: the least
 * tokens with which no thread had to wait that did not, and as many parties as there are threads,
 * where all come equally often. A barrier whose parties are not known stays as recorded, and so do
 * arrivals that do not fill a generation.
 */
void call_order_apply(struct recognition *recognition, const struct edge_calls *calls,
		      const uint32_t *inits);

/* --- recognise_conditions.c ----------------------------------------------------------------- */

/*
 * Such conditions become semaphores: STEP_CALL of SYNC_SEM_WAIT and SYNC_SEM_POST. Adds steps, so
 * that places are void; to be done before anything else.
 */
void condition_queues_rewrite(struct recognition *recognition);

/*
 * Adds edges from broadcasts to those that followed without waiting. Adds steps, so that places are
 * void; to be done while the program has its calls.
 */
void condition_counters_add(struct program *program);

/* --- recognise_wakes.c ---------------------------------------------------------------------- */

/* Edges to STEP_BARRIER. */
void recognise_barriers(struct recognition *recognition);

/* Edges to STEP_JOIN. Adds steps: places are void afterwards. */
void recognise_joins(struct recognition *recognition);

#endif
