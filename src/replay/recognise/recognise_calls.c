/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>

/* --- Calls that hold a lock ----------------------------------------------------------------- */

/*
 * Finds the calls of a thread that hold a lock: those followed by a call that releases it. A call
 * without partner in the recording is left out, since a lock that is never released would stop all
 * other threads, and of a recursive lock only the outermost pair counts. The result of a trylock is
 * not recorded: it got the lock if an unlock follows.
 */

struct call_pairs {
	uint32_t *open;	 /* [site]: last call that took the lock, plus one; 0: not held */
	uint32_t *outer; /* [step of the thread]: the value of `open` before */
	size_t outer_capacity;
	uint32_t *depth; /* [site]: number of nested holds */
};

enum role {
	ROLE_NONE,
	ROLE_TAKES,
	ROLE_TRIES,
	ROLE_GIVES,
	ROLE_WAITS, /* for a condition: releases the mutex and takes it again */
	ROLE_MUTEX, /* the call before a wait, which names the mutex */
};

static enum role role_of(const struct step *step)
{
	if (step_op(step) != STEP_CALL || step->site == PROGRAM_NONE)
		return ROLE_NONE;
	switch (step_call(step)) {
	case SYNC_MUTEX_LOCK:
	case SYNC_READ_LOCK:
	case SYNC_WRITE_LOCK:
		return ROLE_TAKES;
	case SYNC_MUTEX_TRYLOCK:
		return ROLE_TRIES;
	case SYNC_MUTEX_UNLOCK:
	case SYNC_RW_UNLOCK:
		return ROLE_GIVES;
	case SYNC_COND_WAIT:
		return ROLE_WAITS;
	case SYNC_NONE:
		return ROLE_MUTEX;
	default:
		return ROLE_NONE;
	}
}

static void call_pairs_init(struct call_pairs *pairs, const struct program *program)
{
	*pairs = (struct call_pairs){0};
	pairs->open = xcalloc(program->site_count, sizeof(*pairs->open));
	pairs->depth = xcalloc(program->site_count, sizeof(*pairs->depth));
}

static void call_pairs_release(struct call_pairs *pairs)
{
	free(pairs->open);
	free(pairs->outer);
	free(pairs->depth);
	*pairs = (struct call_pairs){0};
}

static void pairs_drop(struct step *step)
{
	step_drop_call(step, step_call(step));
}

static void pairs_push(struct call_pairs *pairs, uint32_t site, uint32_t step)
{
	pairs->outer[step] = pairs->open[site];
	pairs->open[site] = step + 1;
}

/* Returns whether the lock was held. */
static bool pairs_pop(struct call_pairs *pairs, uint32_t site)
{
	if (!pairs->open[site])
		return false;
	pairs->open[site] = pairs->outer[pairs->open[site] - 1];
	return true;
}

/* Matches the wait at steps[i] with the mutex that the call before it names. */
static void match_wait(struct call_pairs *pairs, struct step *steps, uint32_t i)
{
	bool has_mutex = i > 0 && role_of(&steps[i - 1]) == ROLE_MUTEX;

	if (has_mutex && pairs_pop(pairs, steps[i - 1].site)) {
		pairs_push(pairs, steps[i - 1].site, i);
		return;
	}
	if (has_mutex)
		pairs_drop(&steps[i - 1]);
	pairs_drop(&steps[i]);
}

/* Matches a trylock. A lock that is tried again was not got; a lock that is held cannot be got. */
static void match_try(struct call_pairs *pairs, struct step *steps, uint32_t i)
{
	uint32_t site = steps[i].site;

	if (!pairs->open[site]) {
		pairs_push(pairs, site, i);
	} else if (role_of(&steps[pairs->open[site] - 1]) == ROLE_TRIES) {
		pairs_drop(&steps[pairs->open[site] - 1]);
		pairs_pop(pairs, site);
		pairs_push(pairs, site, i);
	} else {
		pairs_drop(&steps[i]);
	}
}

static void match_step(struct call_pairs *pairs, struct program_thread *thread, uint32_t i)
{
	struct step *steps = thread->steps, *step = &steps[i];

	switch (role_of(step)) {
	case ROLE_TAKES:
		pairs_push(pairs, step->site, i);
		break;
	case ROLE_TRIES:
		match_try(pairs, steps, i);
		break;
	case ROLE_GIVES:
		if (!pairs_pop(pairs, step->site))
			pairs_drop(step);
		break;
	case ROLE_WAITS:
		match_wait(pairs, steps, i);
		break;
	case ROLE_MUTEX:
		if (i + 1 == thread->count || role_of(step + 1) != ROLE_WAITS)
			pairs_drop(step);
		break;
	default:
		break;
	}
}

/* Drops steps that hold `site` until the end of the thread, which are taken not to hold it. */
static void drop_open(struct call_pairs *pairs, struct step *steps, uint32_t site)
{
	while (pairs->open[site]) {
		uint32_t step = pairs->open[site] - 1;

		pairs_pop(pairs, site);
		pairs_drop(&steps[step]);
	}
}

static void pairs_take(struct call_pairs *pairs, struct step *step)
{
	bool shared = step_call(step) == SYNC_READ_LOCK;

	if (pairs->depth[step->site]++)
		pairs_drop(step);
	else
		step_become_at(step, shared ? STEP_LOCK_SHARED : STEP_LOCK, step->site, 1);
}

static void pairs_give(struct call_pairs *pairs, struct step *step)
{
	if (--pairs->depth[step->site])
		pairs_drop(step);
	else
		step_become_at(step, STEP_UNLOCK, step->site, 1);
}

/* Releases the mutex that `step` names for the wait behind it, which may not take it again. */
static void pairs_give_for_wait(struct call_pairs *pairs, struct step *step)
{
	bool again = role_of(step + 1) == ROLE_WAITS;

	if (again && pairs->depth[step->site] > 1) {
		pairs_drop(step);
		pairs_drop(step + 1);
		return;
	}
	pairs_give(pairs, step);
	pairs->depth[step->site] += again;
}

/*
 * Turns the calls on locks of `thread` into STEP_LOCK, STEP_LOCK_SHARED, STEP_UNLOCK or nothing. A
 * wait on a condition stays a call, and the call before it, which names the mutex, becomes
 * STEP_UNLOCK; it becomes nothing if the wait does not take its mutex again.
 */
static void call_pairs_match(struct call_pairs *pairs, struct program_thread *thread)
{
	struct step *steps = thread->steps;

	array_reserve(&pairs->outer, &pairs->outer_capacity, thread->count);
	for (uint32_t i = 0; i < thread->count; i++)
		match_step(pairs, thread, i);
	for (uint32_t i = 0; i < thread->count; i++)
		if (role_of(&steps[i]) != ROLE_NONE)
			drop_open(pairs, steps, steps[i].site);
	for (uint32_t i = 0; i < thread->count; i++) {
		enum role role = role_of(&steps[i]);

		if (role == ROLE_TAKES || role == ROLE_TRIES)
			pairs_take(pairs, &steps[i]);
		else if (role == ROLE_GIVES)
			pairs_give(pairs, &steps[i]);
		else if (role == ROLE_MUTEX)
			pairs_give_for_wait(pairs, &steps[i]);
	}
}

/* --- Pools ---------------------------------------------------------------------------------- */

/*
 * Finds pools: queues from which several threads take work that any of them can do. On other cores
 * another thread may take an item, so the work that follows a token in the trace is done by the
 * thread that gets the token.
 *
 * A pool has no tokens in the beginning. A thread that gives takes none there. A thread that takes
 * uses no other queue, holds no lock when it takes, and waits neither for a certain thread nor at a
 * barrier in between: the work must not depend on the thread that does it.
 */

/* A site of tokens that may be a pool. */
struct candidate {
	uint32_t takers;
	bool rejected;
};

struct pools {
	struct program *program;
	struct candidate *candidates; /* [site] */
};

static bool is_candidate(const struct pools *pools, const struct step *step)
{
	const struct site *sites = pools->program->sites;

	return step_op(step) == STEP_TAKE && sites[step->site].kind == SITE_TOKENS &&
	       !sites[step->site].tokens;
}

/* Returns the only queue that the thread takes from; PROGRAM_NONE: none or several. */
static uint32_t queue_of(const struct pools *pools, const struct program_thread *thread)
{
	uint32_t queue = PROGRAM_NONE;
	bool several = false;

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];

		if (!is_candidate(pools, step))
			continue;
		if (queue != PROGRAM_NONE && queue != step->site)
			several = pools->candidates[queue].rejected = true;
		queue = step->site;
		pools->candidates[queue].rejected |= several;
	}
	return several ? (uint32_t)PROGRAM_NONE : queue;
}

/* Returns whether any thread may do the work of this one from its first take on. */
static bool is_anybodys(const struct program_thread *thread, uint32_t queue)
{
	uint32_t held = 0;
	bool began = false;

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		held += op == STEP_LOCK || op == STEP_LOCK_SHARED;
		held -= op == STEP_UNLOCK;
		if (op == STEP_TAKE && step->site == queue) {
			if (held)
				return false;
			began = true;
		}
		if (!began)
			continue;
		if ((op == STEP_BLOCK && step->edge != PROGRAM_NONE) || op == STEP_BARRIER ||
		    op == STEP_JOIN || (op == STEP_GIVE && step->site == queue))
			return false;
	}
	return true;
}

static void judge_thread(struct pools *pools, const struct program_thread *thread)
{
	uint32_t queue = queue_of(pools, thread);

	if (queue == PROGRAM_NONE)
		return;
	pools->candidates[queue].takers++;
	if (!is_anybodys(thread, queue))
		pools->candidates[queue].rejected = true;
}

/* Marks sites as pooled. The counts of STEP_TAKE are their places by now. */
static void pools_mark(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct pools pools = {program, xcalloc(program->site_count, sizeof(*pools.candidates))};

	for (size_t i = 0; i < program->thread_count; i++)
		judge_thread(&pools, &program->threads[i]);
	for (size_t i = 0; i < program->site_count; i++)
		program->sites[i].pooled =
			pools.candidates[i].takers > 1 && !pools.candidates[i].rejected;
	free(pools.candidates);
}

/* --- Words in memory ------------------------------------------------------------------------ */

/*
 * Finds the words in memory at which threads wait for each other, if the system calls on them are
 * recorded: a wait in a call on a word, ended by a thread in a call on the same word, is a wait at
 * that word. It stays as recorded: the word may belong to a lock, a queue or anything else, and the
 * calls do not show threads that did not have to wait.
 */

/* The words of the system calls at both ends of an edge; PROGRAM_NONE: none. */
struct edge_words {
	uint32_t wake, block;
};

static bool begins_wake(enum sync_call call)
{
	return call == SYNC_FUTEX_WAKE || call == SYNC_FUTEX_MOVE || call == SYNC_FUTEX_UNLOCK;
}

/* Returns whether the step can be in a system call; any other follows one whose end is lost. */
static bool may_be_inside(enum step_op op)
{
	return op == STEP_NONE || op == STEP_WAKE || op == STEP_BLOCK || step_op_is_pause(op);
}

static void note_words(const struct recognition *recognition, struct edge_words *words,
		       const struct program_thread *thread)
{
	const struct step *call = NULL;

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		if (!may_be_inside(op))
			call = op == STEP_CALL ? step : NULL;
		if (!call || (op != STEP_WAKE && op != STEP_BLOCK) ||
		    !recognition_has_edge(recognition, step->edge))
			continue;
		if (op == STEP_WAKE && begins_wake(step_call(call)))
			words[step->edge].wake = call->site;
		else if (op == STEP_BLOCK && sync_call_waits_at_word(step_call(call)))
			words[step->edge].block = call->site;
	}
}

static void place_wait(const struct recognition *recognition, uint32_t edge, uint32_t word)
{
	struct step *block = recognition_step(recognition, recognition->edges[edge].block);
	struct site *site = &recognition->program->sites[word];

	if (block->site != PROGRAM_NONE)
		return;
	block->site = word;
	if (site->kind == SITE_UNKNOWN)
		site->kind = SITE_FUTEX;
}

void recognise_futex(struct recognition *recognition)
{
	const struct program *program = recognition->program;
	struct edge_words *words = xcalloc(program->edge_count, sizeof(*words));

	for (uint32_t i = 0; i < program->edge_count; i++)
		words[i] = (struct edge_words){PROGRAM_NONE, PROGRAM_NONE};
	for (size_t i = 0; i < program->thread_count; i++)
		note_words(recognition, words, &program->threads[i]);
	for (uint32_t i = 0; i < program->edge_count; i++)
		if (words[i].block < program->site_count && words[i].block == words[i].wake)
			place_wait(recognition, i, words[i].block);
	free(words);
}

/* --- Calls to steps on objects -------------------------------------------------------------- */

/*
 * Turns calls of the C library into steps on objects, also calls that did not wait: STEP_LOCK,
 * STEP_UNLOCK, STEP_TAKE, STEP_GIVE, STEP_BARRIER. A wait in such a call is removed with its wakeup
 * if that was in the matching call on the same object: on other cores another thread may wake it.
 *
 * A wait on a condition releases its mutex, waits for the signal that it got in the trace, and
 * takes the mutex again.
 */

struct translation {
	enum sync_call call;
	enum step_op op; /* STEP_NONE: unchanged for now */
	enum site_kind kind;
};

static const struct translation translations[] = {
	{SYNC_MUTEX_LOCK, STEP_NONE, SITE_LOCK},
	{SYNC_MUTEX_TRYLOCK, STEP_NONE, SITE_LOCK},
	{SYNC_MUTEX_UNLOCK, STEP_NONE, SITE_LOCK},
	{SYNC_READ_LOCK, STEP_NONE, SITE_LOCK},
	{SYNC_WRITE_LOCK, STEP_NONE, SITE_LOCK},
	{SYNC_RW_UNLOCK, STEP_NONE, SITE_LOCK},
	{SYNC_BARRIER_INIT, STEP_NONE, SITE_BARRIER},
	{SYNC_BARRIER_WAIT, STEP_BARRIER, SITE_BARRIER},
	{SYNC_SEM_INIT, STEP_NONE, SITE_TOKENS},
	{SYNC_SEM_WAIT, STEP_TAKE, SITE_TOKENS},
	{SYNC_SEM_POST, STEP_GIVE, SITE_TOKENS},
};

static const struct translation *translation_of(enum sync_call call)
{
	for (size_t i = 0; i < sizeof(translations) / sizeof(*translations); i++)
		if (translations[i].call == call)
			return &translations[i];
	return NULL;
}

static bool has_library_calls(const struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (step_is_library_call(&program->threads[i].steps[j]))
				return true;
	return false;
}

/*
 * Translates a call. Counts stay: they are still the order. Memory is used again: a call on another
 * kind of object at the same address is dropped.
 */
static void calls_translate(struct program *program, struct step *step, uint32_t *inits)
{
	enum sync_call call = step_call(step);
	const struct translation *translation = translation_of(call);
	struct site *site;

	if (!translation || step->site >= program->site_count)
		return;
	site = &program->sites[step->site];
	if (site->kind == SITE_UNKNOWN)
		site->kind = translation->kind;
	if (site->kind != translation->kind) {
		step_drop_call(step, call);
		return;
	}
	if (translation->op != STEP_NONE)
		step_become(step, translation->op);
	if (call == SYNC_BARRIER_INIT || call == SYNC_SEM_INIT) {
		inits[step->site]++;
		step_drop_call(step, call);
	}
}

static void translate_all(struct program *program, uint32_t *inits)
{
	struct call_pairs pairs;

	call_pairs_init(&pairs, program);
	for (size_t i = 0; i < program->thread_count; i++) {
		struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++)
			if (step_is_library_call(&thread->steps[j]))
				calls_translate(program, &thread->steps[j], inits);
		call_pairs_match(&pairs, thread);
	}
	call_pairs_release(&pairs);
}

static void drop_library_calls(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (step_is_library_call(&program->threads[i].steps[j]))
				step_become(&program->threads[i].steps[j], STEP_NONE);
}

void recognise_calls(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct edge_calls *calls;
	uint32_t *inits;

	if (!has_library_calls(program))
		return;
	inits = xcalloc(program->site_count, sizeof(*inits));
	translate_all(program, inits);
	calls = call_waits_find(recognition);
	call_order_apply(recognition, calls, inits);
	lock_costs_take_out(recognition, calls);
	call_waits_take_out(recognition, calls);
	drop_library_calls(program);
	pools_mark(recognition);
	free(calls);
	free(inits);
}
