/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_waits.h"

#include "base/alloc.h"

#include <stdlib.h>

/* CPU time from the probe to the wait or to the wake: a system call, a switch, some spinning. */
enum { CALL_NS = 50000 };

static bool is_call(const struct step *step)
{
	enum step_op op = step_op(step);

	return (op >= STEP_LOCK && op <= STEP_BARRIER) ||
	       (op == STEP_CALL && step_call(step) >= SYNC_MUTEX_LOCK);
}

/* Of the wait on a condition, the step before it has the mutex. */
static uint32_t mutex_of(const struct step *wait)
{
	return step_op(wait - 1) == STEP_UNLOCK ? wait[-1].site : (uint32_t)PROGRAM_NONE;
}

static bool is_condition_wait(const struct step *step)
{
	return step_op(step) == STEP_CALL && step_call(step) == SYNC_COND_WAIT &&
	       step->site != PROGRAM_NONE;
}

static bool is_signal(const struct step *step)
{
	return step_op(step) == STEP_CALL &&
	       (step_call(step) == SYNC_COND_SIGNAL || step_call(step) == SYNC_COND_BROADCAST);
}

static bool can_wait(const struct step *call)
{
	enum step_op op = step_op(call);

	return op == STEP_LOCK || op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER ||
	       is_condition_wait(call);
}

/* --- What is in a call --------------------------------------------------------------------- */

/* Walks through the calls of a thread. */
struct call_walk {
	const struct program_thread *thread;
	uint64_t most_ns; /* CPU time from a call to what is in it */
	bool tells_waits; /* system calls that wait at a word are on record */
	bool at_word;	  /* the thread is in one of those */
	uint32_t call;	  /* of the library, as a step; PROGRAM_NONE: it is in none */
	uint64_t run_ns;  /* ... since then */
};

static bool is_wait(enum step_op op)
{
	return op == STEP_BLOCK || step_op_is_pause(op);
}

/* Can `op` be in a call of the library? System calls are. */
static bool belongs_to_call(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_NONE || op == STEP_WAKE || is_wait(op) || op == STEP_RETURN ||
	       (op == STEP_CALL && !is_call(step));
}

/*
 * The library waits at words. A call that is on its way to one may come to a page that has to be
 * read, but whoever asks for time, or for what others send, has what the call is for.
 */
static bool ends_call(enum step_op op)
{
	return op == STEP_SLEEP || op == STEP_EXTERNAL;
}

/*
 * Is the wait, which is near the call that the walk is in, in it? Where no system calls tell, one
 * for a time that was asked for is where a call has a limit of time, as locks seldom have.
 */
static bool waits_in_call(const struct call_walk *walk, const struct step *wait)
{
	const struct step *call = &walk->thread->steps[walk->call];
	enum step_op op = step_op(wait);

	if (walk->tells_waits)
		return walk->at_word;
	if (op == STEP_SLEEP)
		return step_op(call) == STEP_TAKE || is_condition_wait(call);
	return op != STEP_DEVICE;
}

/* Takes the step at `number`. Returns whether it is in a call, but is none itself. */
static bool walk_to(struct call_walk *walk, uint32_t number)
{
	const struct step *step = &walk->thread->steps[number];
	enum step_op op = step_op(step);
	bool found;

	walk->run_ns += step_run_ns(step);
	if (op == STEP_CALL || op == STEP_RETURN)
		walk->at_word = op == STEP_CALL && sync_call_waits_at_word(step_call(step));
	if (is_call(step)) {
		walk->call = number;
		walk->run_ns = 0;
		return false;
	}
	if (!belongs_to_call(step) || walk->run_ns > walk->most_ns)
		walk->call = PROGRAM_NONE;
	if (walk->call == PROGRAM_NONE)
		return false;
	found = !is_wait(op) || waits_in_call(walk, step);
	if (!found && ends_call(op))
		walk->call = PROGRAM_NONE;
	return found;
}

/* Calls `found` for each step in a call of the thread, with that call; CPU time up to `most_ns`. */
static void walk_calls(const struct recognition *recognition, uint32_t thread, uint64_t most_ns,
		       void (*found)(void *context, uint32_t call, uint32_t step), void *context)
{
	struct call_walk walk = {.thread = &recognition->program->threads[thread],
				 .most_ns = most_ns,
				 .tells_waits = recognition->tells_waits,
				 .call = PROGRAM_NONE};

	for (uint32_t i = 0; i < walk.thread->count; i++)
		if (walk_to(&walk, i))
			found(context, walk.call, i);
}

struct finding_calls {
	const struct recognition *recognition;
	const struct program_thread *thread;
	struct edge_calls *calls;
};

static void note_call(void *context, uint32_t call, uint32_t number)
{
	struct finding_calls *finding = context;
	const struct step *step = &finding->thread->steps[number];
	enum step_op op = step_op(step);

	if ((op != STEP_WAKE && op != STEP_BLOCK) ||
	    !recognition_has_edge(finding->recognition, step->edge))
		return;
	if (op == STEP_WAKE)
		finding->calls[step->edge].wake = call;
	else if (can_wait(&finding->thread->steps[call]))
		finding->calls[step->edge].block = call;
}

/* The lock that a call gives back; PROGRAM_NONE: none. */
static uint32_t given_lock(const struct step *call)
{
	if (is_condition_wait(call))
		return mutex_of(call);
	return step_op(call) == STEP_UNLOCK ? call->site : (uint32_t)PROGRAM_NONE;
}

static const struct step *call_at(const struct recognition *recognition, struct place place,
				  uint32_t call)
{
	return &recognition->program->threads[place.thread].steps[call];
}

/* The lock of which the call that `edge` comes from is the end. */
static uint32_t lock_of_wake(const struct recognition *recognition, const struct edge_calls *calls,
			     uint32_t edge)
{
	if (!recognition_has_edge(recognition, edge) || calls[edge].wake == PROGRAM_NONE)
		return PROGRAM_NONE;
	return given_lock(call_at(recognition, recognition->edges[edge].wake, calls[edge].wake));
}

/* The lock that a call takes, in the end; PROGRAM_NONE: none. */
static uint32_t taken_lock(const struct step *call)
{
	enum step_op op = step_op(call);

	if (is_condition_wait(call))
		return mutex_of(call);
	return op == STEP_LOCK || op == STEP_LOCK_SHARED ? call->site : (uint32_t)PROGRAM_NONE;
}

/*
 * Who holds a lock waits for nobody to give it back: where it seems to, it was still waiting to get
 * it, however long it has spun and been woken in vain since its call. `held` [site]: the call that
 * took it, plus one; all 0 before and after.
 */
static void note_locks(const struct recognition *recognition, struct edge_calls *calls,
		       const struct program_thread *thread, uint32_t *held)
{
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		uint32_t lock;

		if (step_op(step) == STEP_UNLOCK)
			held[step->site] = 0;
		lock = taken_lock(step);
		if (lock != PROGRAM_NONE)
			held[lock] = i + 1;
		if (step_op(step) != STEP_BLOCK)
			continue;
		lock = lock_of_wake(recognition, calls, step->edge);
		if (lock != PROGRAM_NONE && held[lock])
			calls[step->edge].block = held[lock] - 1;
	}
	for (uint32_t i = 0; i < thread->count; i++)
		if (taken_lock(&thread->steps[i]) != PROGRAM_NONE)
			held[taken_lock(&thread->steps[i])] = 0;
}

/* --- Which of them fit --------------------------------------------------------------------- */

static bool fits(const struct step *block, const struct step *wake)
{
	switch (step_op(block)) {
	case STEP_LOCK:
	case STEP_LOCK_SHARED:
		return given_lock(wake) == block->site;
	case STEP_TAKE:
		return step_op(wake) == STEP_GIVE && wake->site == block->site;
	case STEP_BARRIER:
		return step_op(wake) == STEP_BARRIER && wake->site == block->site;
	case STEP_CALL:
		return is_condition_wait(block) && mutex_of(block) != PROGRAM_NONE &&
		       given_lock(wake) == mutex_of(block);
	default:
		return false;
	}
}

/* Is one the wait for a condition, and the other its signal? */
static bool signals(const struct step *block, const struct step *wake)
{
	return is_condition_wait(block) && is_signal(wake) && wake->site == block->site;
}

bool call_waits_match(const struct recognition *recognition, const struct edge_calls *calls,
		      uint32_t edge)
{
	const struct edge *ends = &recognition->edges[edge];

	if (calls[edge].wake == PROGRAM_NONE || calls[edge].block == PROGRAM_NONE)
		return false;
	return fits(call_at(recognition, ends->block, calls[edge].block),
		    call_at(recognition, ends->wake, calls[edge].wake));
}

/*
 * A thread that is disturbed in a call may take any time there, as may one on a CPU that somebody
 * takes from the machine. Up to its next call it can be in the one before, and where the signal of
 * a condition and the wait for it are at the two ends of an edge, both are.
 */
static void note_late_ends(const struct recognition *recognition, struct edge_calls *calls)
{
	const struct program *program = recognition->program;
	struct edge_calls *last = xcalloc(program->edge_count, sizeof(*last));

	for (uint32_t i = 0; i < program->edge_count; i++)
		last[i] = (struct edge_calls){PROGRAM_NONE, PROGRAM_NONE};
	for (uint32_t i = 0; i < program->thread_count; i++) {
		struct finding_calls finding = {recognition, &program->threads[i], last};

		walk_calls(recognition, i, UINT64_MAX, note_call, &finding);
	}
	for (uint32_t i = 0; i < program->edge_count; i++) {
		const struct edge *ends = &recognition->edges[i];

		if (last[i].wake == PROGRAM_NONE || last[i].block == PROGRAM_NONE)
			continue;
		if (signals(call_at(recognition, ends->block, last[i].block),
			    call_at(recognition, ends->wake, last[i].wake)))
			calls[i] = last[i];
	}
	free(last);
}

/* ------------------------------------------------------------------------------------------- */

struct edge_calls *call_waits_find(const struct recognition *recognition)
{
	const struct program *program = recognition->program;
	struct edge_calls *calls = xcalloc(program->edge_count, sizeof(*calls));
	uint32_t *held = xcalloc(program->site_count, sizeof(*held));

	for (uint32_t i = 0; i < program->edge_count; i++)
		calls[i] = (struct edge_calls){PROGRAM_NONE, PROGRAM_NONE};
	for (uint32_t i = 0; i < program->thread_count; i++) {
		struct finding_calls finding = {recognition, &program->threads[i], calls};

		walk_calls(recognition, i, CALL_NS, note_call, &finding);
	}
	note_late_ends(recognition, calls);
	for (size_t i = 0; i < program->thread_count; i++)
		note_locks(recognition, calls, &program->threads[i], held);
	free(held);
	return calls;
}

/* --- Taking them out ----------------------------------------------------------------------- */

/* Is the edge the signal of a condition to who waits for it? Then the wait is named so. */
static bool name_signal(struct recognition *recognition, const struct edge_calls *calls,
			uint32_t edge)
{
	const struct edge *ends = &recognition->edges[edge];
	const struct step *block = call_at(recognition, ends->block, calls[edge].block);
	const struct step *wake;

	if (calls[edge].wake == PROGRAM_NONE)
		return false;
	wake = call_at(recognition, ends->wake, calls[edge].wake);
	if (!signals(block, wake))
		return false;
	recognition_step(recognition, ends->block)->site = block->site;
	return true;
}

static void take_out_edge(struct recognition *recognition, const struct edge_calls *calls,
			  uint32_t edge)
{
	if (calls[edge].block == PROGRAM_NONE)
		return;
	if (call_waits_match(recognition, calls, edge)) {
		recognition_forget_edge(recognition, edge);
		recognition->found->waits++;
	} else if (!name_signal(recognition, calls, edge)) {
		recognition->found->unexplained++;
	}
}

struct moving_calls {
	struct program_thread *thread;
	uint32_t *last_wait; /* [step of a call]: the last wait that is left in it, plus one */
};

static void note_wait(void *context, uint32_t call, uint32_t number)
{
	struct moving_calls *moving = context;
	enum step_op op = step_op(&moving->thread->steps[number]);

	if (is_wait(op) && can_wait(&moving->thread->steps[call]))
		moving->last_wait[call] =
			number + 1 > moving->last_wait[call] ? number + 1 : moving->last_wait[call];
}

/* The wait on a condition takes its mutex once it has got the signal. */
static void end_condition_wait(struct step *wait)
{
	uint32_t mutex = mutex_of(wait);

	if (mutex == PROGRAM_NONE)
		step_become(wait, STEP_NONE);
	else
		step_become_at(wait, STEP_LOCK, mutex, 1);
}

/* Also those that come late in a call. */
static void note_edges(struct moving_calls *moving, const struct recognition *recognition,
		       const struct edge_calls *calls)
{
	for (uint32_t i = 0; i < moving->thread->count; i++) {
		const struct step *step = &moving->thread->steps[i];

		if (step_op(step) == STEP_BLOCK && recognition_has_edge(recognition, step->edge) &&
		    calls[step->edge].block != PROGRAM_NONE)
			note_wait(moving, calls[step->edge].block, i);
	}
}

static void move_calls(struct recognition *recognition, const struct edge_calls *calls,
		       uint32_t thread)
{
	struct program_thread *own = &recognition->program->threads[thread];
	struct moving_calls moving = {own, xcalloc(own->count, sizeof(*moving.last_wait))};

	walk_calls(recognition, thread, CALL_NS, note_wait, &moving);
	note_edges(&moving, recognition, calls);
	for (uint32_t i = 0; i < own->count; i++) {
		if (is_condition_wait(&own->steps[i]))
			end_condition_wait(&own->steps[i]);
		if (moving.last_wait[i])
			recognition_move_back(recognition, thread, i, moving.last_wait[i] - 1);
	}
	free(moving.last_wait);
}

void call_waits_take_out(struct recognition *recognition, const struct edge_calls *calls)
{
	for (uint32_t i = 0; i < recognition->program->edge_count; i++)
		take_out_edge(recognition, calls, i);
	for (uint32_t i = 0; i < recognition->program->thread_count; i++)
		move_calls(recognition, calls, i);
}
