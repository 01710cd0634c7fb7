/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise.h"

#include "replay/recognise/condition_counters.h"
#include "replay/recognise/condition_queues.h"
#include "replay/recognise/even_work.h"
#include "replay/recognise/recognise_barriers.h"
#include "replay/recognise/recognise_calls.h"
#include "replay/recognise/recognise_futex.h"
#include "replay/recognise/recognise_joins.h"
#include "replay/recognise/recognise_sites.h"
#include "replay/recognise/recognition.h"

static void drop_calls(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			enum step_op op = step_op(&thread->steps[j]);

			if (op == STEP_CALL || op == STEP_RETURN)
				step_become(&thread->steps[j], STEP_NONE);
		}
	}
}

/* Objects that a step is about, by their kind. */
static void count_objects(const struct program *program, struct recognised *found)
{
	found->locks = found->queues = found->barriers = found->joins = 0;
	for (size_t i = 0; i < program->site_count; i++) {
		enum site_kind kind = program->sites[i].kind;

		found->locks += kind == SITE_LOCK;
		found->queues += kind == SITE_TOKENS;
		found->barriers += kind == SITE_BARRIER;
		found->joins += kind == SITE_JOIN;
	}
}

static void name_what_is_left(struct program *program, struct recognised *found)
{
	struct recognition recognition;

	recognition_init(&recognition, program, found);
	for (uint32_t i = 0; i < program->edge_count; i++)
		found->left += recognition_has_edge(&recognition, i);
	recognise_sites(&recognition);
	recognition_release(&recognition);
}

static void recognise_objects(struct program *program, struct recognised *recognised)
{
	struct recognition recognition;

	condition_counters_add(program);
	recognition_init(&recognition, program, recognised);
	condition_queues_rewrite(&recognition);
	recognition_release(&recognition);
	recognition_init(&recognition, program, recognised);
	recognise_calls(&recognition);
	recognition_release(&recognition);
}

void recognise_within(struct program *program, enum recognise_extent extent,
		      struct recognised *recognised)
{
	struct recognition recognition;

	*recognised = (struct recognised){.extent = extent};
	if (extent >= RECOGNISE_ALL)
		recognise_objects(program, recognised);
	recognition_init(&recognition, program, recognised);
	recognise_futex(&recognition);
	drop_calls(program);
	if (extent >= RECOGNISE_WAKES) {
		recognise_barriers(&recognition);
		recognise_joins(&recognition);
	}
	recognition_compact(&recognition);
	recognition_release(&recognition);
	name_what_is_left(program, recognised);
	count_objects(program, recognised);
	if (extent >= RECOGNISE_WAKES)
		even_work_presume(program);
}

void recognise(struct program *program, struct recognised *recognised)
{
	recognise_within(program, RECOGNISE_ALL, recognised);
}
