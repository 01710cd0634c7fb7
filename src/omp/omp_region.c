/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_region.h"

#include "omp/omp_pool.h"

#include <stddef.h>

struct omp_waiting {
	struct omp_waiting *before;
	pscal_task id;
	const void *site;
};

_Static_assert(sizeof(struct omp_waiting) <= OMP_POOL_BYTES, "the pool has nodes of one size");

void omp_region_begin(struct omp_region *region, struct omp_task *parent, const void *site)
{
	*region = (struct omp_region){.parent = parent, .parent_id = parent->id, .site = site};
	region->first = omp_task_spawn(parent, site);
}

void omp_region_enter(struct omp_region *region, struct omp_task *member, uint32_t thread,
		      uint32_t threads)
{
	for (uint32_t i = 1; thread == 0 && i < threads; i++)
		omp_task_spawn(region->parent, region->site);
	member->parent = region->parent_id;
	member->index = region->first + thread;
	omp_task_begin(member);
}

static void add_waiting(struct omp_region *region, const struct omp_task *member)
{
	struct omp_waiting *waiting = omp_pool_take();

	*waiting = (struct omp_waiting){.id = member->id, .site = member->site};
	waiting->before = __atomic_load_n(&region->last, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&region->last, &waiting->before, waiting, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void omp_region_leave(struct omp_region *region, struct omp_task *member)
{
	if (member->synced == member->children) {
		omp_task_end(member);
	} else {
		omp_task_sync_all(member, member->site, OMP_ALL_BELOW);
		add_waiting(region, member);
		member->state = OMP_ENDED; /* what follows is not in its thread */
	}
	if (member->index == region->first)
		omp_task_sync_from(region->parent, region->site, region->first,
				   omp_task_left(region->parent, region->first));
}

void omp_region_end(struct omp_region *region)
{
	struct omp_waiting *waiting = __atomic_load_n(&region->last, __ATOMIC_ACQUIRE), *before;

	for (; waiting; waiting = before) {
		before = waiting->before;
		pscal_task_step_at(waiting->site, PSCAL_STEP_SYNCED, waiting->id, 0);
		pscal_task_step_at(waiting->site, PSCAL_STEP_END, waiting->id, 0);
		omp_pool_give(waiting);
	}
	omp_task_go_on(region->parent, region->site, PSCAL_STEP_SYNCED);
}
