/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_pools.h"

#include "base/alloc.h"

#include <stdlib.h>

struct pool_place {
	const struct step *take, *end; /* NULL: no take on record has this number */
};

struct simulated_pool {
	struct pool_place *places;
	uint32_t count, next;
};

/* Calls `found` for each take at a pool. */
static void walk_takes(struct simulated_pools *pools, const struct program *program,
		       void (*found)(struct simulated_pool *pool, const struct step *take,
				     const struct step *end))
{
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			const struct step *step = &thread->steps[j];

			if (step_op(step) == STEP_TAKE && step->site < pools->count &&
			    program->sites[step->site].pooled)
				found(&pools->items[step->site], step,
				      thread->steps + thread->count);
		}
	}
}

static void count_take(struct simulated_pool *pool, const struct step *take, const struct step *end)
{
	(void)take;
	(void)end;
	pool->count++;
}

static void place_take(struct simulated_pool *pool, const struct step *take, const struct step *end)
{
	if (take->count < pool->count)
		pool->places[take->count] = (struct pool_place){take, end};
}

void pools_init(struct simulated_pools *pools, const struct program *program)
{
	bool any = false;

	*pools = (struct simulated_pools){0};
	for (size_t i = 0; i < program->site_count; i++)
		any = any || program->sites[i].pooled;
	if (!any)
		return;
	pools->count = (uint32_t)program->site_count;
	pools->items = xcalloc(pools->count, sizeof(*pools->items));
	walk_takes(pools, program, count_take);
	for (uint32_t i = 0; i < pools->count; i++)
		pools->items[i].places =
			xcalloc(pools->items[i].count, sizeof(*pools->items[i].places));
	walk_takes(pools, program, place_take);
}

void pools_release(struct simulated_pools *pools)
{
	for (uint32_t i = 0; i < pools->count; i++)
		free(pools->items[i].places);
	free(pools->items);
}

void pools_follow(struct simulated_pools *pools, struct task *task)
{
	struct simulated_pool *pool;
	const struct pool_place *place;

	if (step_op(task->step) != STEP_TAKE || task->step->site >= pools->count)
		return;
	pool = &pools->items[task->step->site];
	if (pool->next >= pool->count)
		return;
	place = &pool->places[pool->next++];
	if (!place->take)
		return;
	task->step = place->take;
	task->end = place->end;
}
