/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise_futex.h"

#include "base/alloc.h"
#include "replay/recognise/recognition.h"

#include <stdlib.h>

/* The words of the system calls that the ends of an edge are in; PROGRAM_NONE: in none. */
struct edge_words {
	uint32_t wake, block;
};

static bool begins_wake(enum sync_call call)
{
	return call == SYNC_FUTEX_WAKE || call == SYNC_FUTEX_MOVE || call == SYNC_FUTEX_UNLOCK;
}

/* Can it be in a system call? What else a thread does is behind one whose end is lost. */
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
