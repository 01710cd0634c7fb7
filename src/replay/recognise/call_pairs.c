/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_pairs.h"

#include "base/alloc.h"
#include "replay/recognise/recognition.h"

#include <stdlib.h>

enum role {
	ROLE_NONE,
	ROLE_TAKES,
	ROLE_TRIES,
	ROLE_GIVES,
	ROLE_WAITS, /* for a condition: gives back and takes again */
	ROLE_MUTEX, /* ... the call before that, which names the mutex */
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

void call_pairs_init(struct call_pairs *pairs, const struct program *program)
{
	*pairs = (struct call_pairs){0};
	pairs->open = xcalloc(program->site_count, sizeof(*pairs->open));
	pairs->depth = xcalloc(program->site_count, sizeof(*pairs->depth));
}

void call_pairs_release(struct call_pairs *pairs)
{
	free(pairs->open);
	free(pairs->outer);
	free(pairs->depth);
	*pairs = (struct call_pairs){0};
}

static void drop(struct step *step)
{
	step_drop_call(step, step_call(step));
}

static void push(struct call_pairs *pairs, uint32_t site, uint32_t step)
{
	pairs->outer[step] = pairs->open[site];
	pairs->open[site] = step + 1;
}

/* Returns whether it was held. */
static bool pop(struct call_pairs *pairs, uint32_t site)
{
	if (!pairs->open[site])
		return false;
	pairs->open[site] = pairs->outer[pairs->open[site] - 1];
	return true;
}

/* The wait at steps[i] is one on the mutex that the call before it names. */
static void match_wait(struct call_pairs *pairs, struct step *steps, uint32_t i)
{
	bool has_mutex = i > 0 && role_of(&steps[i - 1]) == ROLE_MUTEX;

	if (has_mutex && pop(pairs, steps[i - 1].site)) {
		push(pairs, steps[i - 1].site, i);
		return;
	}
	if (has_mutex)
		drop(&steps[i - 1]);
	drop(&steps[i]);
}

/* One that is tried again has failed before; one that is held already cannot be had. */
static void match_try(struct call_pairs *pairs, struct step *steps, uint32_t i)
{
	uint32_t site = steps[i].site;

	if (!pairs->open[site]) {
		push(pairs, site, i);
	} else if (role_of(&steps[pairs->open[site] - 1]) == ROLE_TRIES) {
		drop(&steps[pairs->open[site] - 1]);
		pop(pairs, site);
		push(pairs, site, i);
	} else {
		drop(&steps[i]);
	}
}

static void match_step(struct call_pairs *pairs, struct program_thread *thread, uint32_t i)
{
	struct step *steps = thread->steps, *step = &steps[i];

	switch (role_of(step)) {
	case ROLE_TAKES:
		push(pairs, step->site, i);
		break;
	case ROLE_TRIES:
		match_try(pairs, steps, i);
		break;
	case ROLE_GIVES:
		if (!pop(pairs, step->site))
			drop(step);
		break;
	case ROLE_WAITS:
		match_wait(pairs, steps, i);
		break;
	case ROLE_MUTEX:
		if (i + 1 == thread->count || role_of(step + 1) != ROLE_WAITS)
			drop(step);
		break;
	default:
		break;
	}
}

/* What holds `site` until the end of the thread does not hold it at all. */
static void drop_open(struct call_pairs *pairs, struct step *steps, uint32_t site)
{
	while (pairs->open[site]) {
		uint32_t step = pairs->open[site] - 1;

		pop(pairs, site);
		drop(&steps[step]);
	}
}

static void take(struct call_pairs *pairs, struct step *step)
{
	bool shared = step_call(step) == SYNC_READ_LOCK;

	if (pairs->depth[step->site]++)
		drop(step);
	else
		step_become_at(step, shared ? STEP_LOCK_SHARED : STEP_LOCK, step->site, 1);
}

static void give(struct call_pairs *pairs, struct step *step)
{
	if (--pairs->depth[step->site])
		drop(step);
	else
		step_become_at(step, STEP_UNLOCK, step->site, 1);
}

/* `step` names the mutex of the wait behind it, or of one that does not take it again. */
static void give_for_wait(struct call_pairs *pairs, struct step *step)
{
	bool again = role_of(step + 1) == ROLE_WAITS;

	if (again && pairs->depth[step->site] > 1) {
		drop(step);
		drop(step + 1);
		return;
	}
	give(pairs, step);
	pairs->depth[step->site] += again;
}

void call_pairs_match(struct call_pairs *pairs, struct program_thread *thread)
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
			take(pairs, &steps[i]);
		else if (role == ROLE_GIVES)
			give(pairs, &steps[i]);
		else if (role == ROLE_MUTEX)
			give_for_wait(pairs, &steps[i]);
	}
}
