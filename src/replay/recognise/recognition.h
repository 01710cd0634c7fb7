/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the files of recognise() share: a program, the places of both ends of each edge,
 * and the functions that rewrite the program one after the other.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_RECOGNITION_H
#define PSCAL_REPLAY_RECOGNISE_RECOGNITION_H

#include "replay/program/program.h"
#include "replay/recognise/recognise.h"

/* A step of a thread; `thread` PROGRAM_NONE: none. */
struct place {
	uint32_t thread, step;
};

struct edge {
	struct place wake, block;
};

struct recognition {
	struct program *program;
	struct recognised *found;
	struct edge *edges; /* [edge of the program] */
	bool tells_waits;   /* system calls that wait at a futex word are recorded */
};

/*
 * `program` is borrowed. Until the release steps may be overwritten, but keep their places: a step
 * that is no longer needed becomes STEP_NONE.
 */
void recognition_init(struct recognition *recognition, struct program *program,
		      struct recognised *found);
void recognition_release(struct recognition *recognition);

/* Returns whether the step is a call of a library, not a system call. */
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

/* Returns work_us of an edge, as `count` of a STEP_BARRIER has it; 1: unknown. */
static inline uint32_t recognition_work_us(const struct recognition *recognition, uint32_t edge)
{
	const struct program *program = recognition->program;

	return edge < program->work_count && program->work_us[edge] ? program->work_us[edge] : 1;
}

/* Returns whether the edge still has both its wakeup and its wait. */
bool recognition_has_edge(const struct recognition *recognition, uint32_t edge);

/* Replace the operation of a step, and keep its CPU time. */
void step_become(struct step *step, enum step_op op);
void step_become_at(struct step *step, enum step_op op, uint32_t site, uint32_t count);

/*
 * Turns a call that is left out into a call of nothing: steps behind it do not become part of the
 * call before.
 */
void step_drop_call(struct step *step, enum sync_call call);

/* Forgets an edge, whose wakeup and wait have become other steps, or none. */
void recognition_forget_edge(struct recognition *recognition, uint32_t edge);

/*
 * Moves the step at `from` behind the following steps up to `to`. Its CPU time stays at the old
 * place, and edges follow.
 */
void recognition_move_back(struct recognition *recognition, uint32_t thread, uint32_t from,
			   uint32_t to);

/*
 * Takes the first out_ns[step] of the CPU time of each step of a thread out of it, and out of its
 * gaps. Returns their sum.
 */
uint64_t recognise_take_out_work(struct program *program, size_t thread, const uint64_t *out_ns);

/* Removes all STEP_NONE, and adds their CPU time to the next step. Places are void afterwards. */
void recognition_compact(struct recognition *recognition);

/* --- recognise_calls.c ---------------------------------------------------------------------- */

/* Rewrites all library calls: no STEP_CALL of a library is left. */
void recognise_calls(struct recognition *recognition);

/* Gives a site to each wait that has none yet: SITE_FUTEX if nothing else is known of it. */
void recognise_futex(struct recognition *recognition);

/* --- recognise_mutexes.c -------------------------------------------------------------------- */

/* Returns whether threads wait at the site as for a mutex. */
static inline bool site_is_mutex(const struct site *site)
{
	return site->kind == SITE_FUTEX && site->waits_as_mutex;
}

/* Fills in hold_ns of mutexes, from the calls at them. Call it after recognise_futex(). */
void mutexes_measure(const struct recognition *recognition);

/* --- recognise_waits.c ---------------------------------------------------------------------- */

/*
 * The calls that the two ends of an edge are in, as steps of their threads; PROGRAM_NONE: in no
 * call.
 */
struct edge_calls {
	uint32_t wake, block;
};

/*
 * Returns the calls of each edge of the program; the caller frees them. Calls are already STEP_LOCK
 * etc. If a thread waits, between a call that takes a lock and the one that releases it, for a
 * thread that releases that lock, the wait belongs to the first call, however late it comes.
 */
struct edge_calls *call_waits_find(const struct recognition *recognition);

/*
 * Returns whether the wait of `edge` is for the object of its call, ended by a call that gives it.
 * A condition is no such object: it gives nothing to keep.
 */
bool call_waits_match(const struct recognition *recognition, const struct edge_calls *calls,
		      uint32_t edge);

/*
 * Takes out the edges that match their calls. If another wait is left in a call that takes an
 * object, the object is taken after that wait: a thread must not have it while it waits for
 * something else. Places of calls are void afterwards.
 */
void call_waits_take_out(struct recognition *recognition, const struct edge_calls *calls);

/*
 * Returns the full number of a call at its site, of which the step has the lower 24 bits. `near`:
 * the number of the thread's previous call there. The calls of a thread at a site are in order, and
 * no thread lets 8 million others pass there, so the number is close to `near`.
 */
uint64_t call_order_unwrap(uint32_t low, uint64_t near);

/*
 * Fills in the tokens and parties of sites, from the order of calls: the fewest tokens with which
 * no thread had to wait that did not, and as many parties as there are threads, if all come equally
 * often. `count` of STEP_TAKE, STEP_GIVE and STEP_BARRIER is still that of their call. `inits`
 * [site]: number of recorded calls that initialise it. A barrier with unknown parties stays as
 * recorded, and so do arrivals that do not fill a generation.
 */
void call_order_apply(struct recognition *recognition, const struct edge_calls *calls,
		      const uint32_t *inits);

/* --- recognise_lock_costs.c ------------------------------------------------------------------ */

/* Takes the CPU time of waits for locks out of the steps, and fills in the costs of their sites. */
void lock_costs_take_out(const struct recognition *recognition, const struct edge_calls *calls);

/* --- recognise_conditions.c ----------------------------------------------------------------- */

/*
 * Turns conditions that are queues into semaphores: STEP_CALL of SYNC_SEM_WAIT and SYNC_SEM_POST.
 * Adds steps, so that places are void: call it before anything else.
 */
void condition_queues_rewrite(struct recognition *recognition);

/*
 * Adds edges from broadcasts to the threads that went on without waiting. Adds steps, so that
 * places are void: call it while the program has its calls.
 */
void condition_counters_add(struct program *program);

/* --- recognise_wakes.c ---------------------------------------------------------------------- */

/* Turns edges into STEP_BARRIER. */
void recognise_barriers(struct recognition *recognition);

/* Turns edges into STEP_JOIN. Adds steps: places are void afterwards. */
void recognise_joins(struct recognition *recognition);

#endif
