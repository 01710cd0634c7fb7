/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"

#include <stdlib.h>

static const struct place nowhere = {PROGRAM_NONE, 0};

static void note_step(struct recognition *recognition, uint32_t thread, uint32_t number)
{
	struct place place = {thread, number};
	const struct step *step = recognition_step(recognition, place);
	enum step_op op = step_op(step);

	if (op == STEP_CALL && sync_call_waits_at_word(step_call(step)))
		recognition->tells_waits = true;
	if ((op != STEP_WAKE && op != STEP_BLOCK) || step->edge >= recognition->program->edge_count)
		return;
	if (op == STEP_WAKE)
		recognition->edges[step->edge].wake = place;
	else
		recognition->edges[step->edge].block = place;
}

void recognition_init(struct recognition *recognition, struct program *program,
		      struct recognised *found)
{
	*recognition = (struct recognition){.program = program, .found = found};
	recognition->edges = xcalloc(program->edge_count, sizeof(*recognition->edges));
	for (uint32_t i = 0; i < program->edge_count; i++)
		recognition->edges[i] = (struct edge){nowhere, nowhere};
	for (uint32_t i = 0; i < program->thread_count; i++)
		for (uint32_t j = 0; j < program->threads[i].count; j++)
			note_step(recognition, i, j);
}

void recognition_release(struct recognition *recognition)
{
	free(recognition->edges);
	*recognition = (struct recognition){0};
}

bool recognition_has_edge(const struct recognition *recognition, uint32_t edge)
{
	return edge < recognition->program->edge_count &&
	       place_is_known(recognition->edges[edge].wake) &&
	       place_is_known(recognition->edges[edge].block);
}

void step_become(struct step *step, enum step_op op)
{
	step->run_op = step_run_op(step_run_ns(step), op);
}

void step_become_at(struct step *step, enum step_op op, uint32_t site, uint32_t count)
{
	step_become(step, op);
	step->site = site;
	step->count = count;
}

void step_drop_call(struct step *step, enum sync_call call)
{
	step_become_at(step, STEP_CALL, PROGRAM_NONE, step_call_count(call, 0));
}

void recognition_forget_edge(struct recognition *recognition, uint32_t edge)
{
	struct edge *ends = &recognition->edges[edge];

	step_become(recognition_step(recognition, ends->wake), STEP_NONE);
	step_become(recognition_step(recognition, ends->block), STEP_NONE);
	*ends = (struct edge){nowhere, nowhere};
}

void recognition_move_back(struct recognition *recognition, uint32_t thread, uint32_t from,
			   uint32_t to)
{
	struct step *steps = recognition->program->threads[thread].steps;
	struct step moved = steps[from];
	uint64_t run_ns = step_run_ns(&moved);

	for (uint32_t i = from; i < to; i++) {
		steps[i] = steps[i + 1];
		steps[i].run_op = step_run_op(run_ns + step_run_ns(&steps[i]), step_op(&steps[i]));
		run_ns = 0;
		note_step(recognition, thread, i);
	}
	moved.run_op = step_run_op(run_ns, step_op(&moved));
	steps[to] = moved;
}

static void compact_thread(struct program_thread *thread)
{
	size_t kept = 0;
	uint64_t run_ns = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		run_ns += step_run_ns(&step);
		/* What it computed last must be somewhere, also where its end is not on record. */
		if (step_op(&step) == STEP_NONE && (i + 1 < thread->count || !run_ns))
			continue;
		step.run_op = step_run_op(run_ns, step_op(&step));
		thread->steps[kept++] = step;
		run_ns = 0;
	}
	thread->count = kept;
}

void recognition_compact(struct recognition *recognition)
{
	for (size_t i = 0; i < recognition->program->thread_count; i++)
		compact_thread(&recognition->program->threads[i]);
}
