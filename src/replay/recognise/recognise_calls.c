/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise_calls.h"

#include "base/alloc.h"
#include "replay/recognise/call_order.h"
#include "replay/recognise/call_pairs.h"
#include "replay/recognise/call_waits.h"
#include "replay/recognise/recognise_pools.h"

#include <stdlib.h>

struct translation {
	enum sync_call call;
	enum step_op op; /* STEP_NONE: as it is, for now */
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

static bool is_library_call(const struct step *step)
{
	return step_op(step) == STEP_CALL &&
	       (step_call(step) >= SYNC_MUTEX_LOCK || step_call(step) == SYNC_NONE);
}

static bool has_library_calls(const struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (is_library_call(&program->threads[i].steps[j]))
				return true;
	return false;
}

/*
 * Counts are left alone: they still tell the order. Memory is used again, and where another object
 * comes to the address of one, that is left out.
 */
static void translate(struct program *program, struct step *step, uint32_t *inits)
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
			if (is_library_call(&thread->steps[j]))
				translate(program, &thread->steps[j], inits);
		call_pairs_match(&pairs, thread);
	}
	call_pairs_release(&pairs);
}

static void drop_library_calls(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (is_library_call(&program->threads[i].steps[j]))
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
	call_waits_take_out(recognition, calls);
	drop_library_calls(program);
	recognise_pools(recognition);
	free(calls);
	free(inits);
}
