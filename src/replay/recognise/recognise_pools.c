/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise_pools.h"

#include "base/alloc.h"
#include "replay/recognise/recognition.h"

#include <stdlib.h>

/* A site of tokens, while it is not known whether it is a pool. */
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

/* The one queue that the thread takes from; PROGRAM_NONE: none, or those are several. */
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

/* May anybody do what the thread does from its first take on? */
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

void recognise_pools(struct recognition *recognition)
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
