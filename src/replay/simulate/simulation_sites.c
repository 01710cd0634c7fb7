/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_sites.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { NOBODY = PROGRAM_NONE };

static const struct sim_list no_threads = {NOBODY, NOBODY};

/* Returns the number of sites up to the last object; pairs of threads, often many, follow. */
static uint32_t count_objects(const struct program *program)
{
	size_t count = program->site_count;

	while (count && program->sites[count - 1].kind == SITE_THREADS)
		count--;
	return (uint32_t)count;
}

void sites_init(struct simulated_sites *sites, const struct program *program, const double *costs,
		bool waited, struct sim_thread *threads)
{
	*sites = (struct simulated_sites){.threads = threads,
					  .objects = count_objects(program),
					  .count = (uint32_t)program->site_count,
					  .costs = costs,
					  .woken = no_threads};
	sites->items = xcalloc(sites->objects, sizeof(*sites->items));
	for (uint32_t i = 0; i < sites->objects; i++)
		sites->items[i] =
			(struct simulated_site){.waiting = no_threads,
						.readers = no_threads,
						.holder = NOBODY,
						.parties = program->sites[i].parties,
						.tokens = program->sites[i].tokens,
						.wait_cost_ns = program->sites[i].wait_cost_ns,
						.wake_cost_ns = program->sites[i].wake_cost_ns,
						.woke_cost_ns = program->sites[i].woke_cost_ns};
	if (waited)
		sites->waited_ns = xcalloc(sites->count, sizeof(*sites->waited_ns));
}

void sites_release(struct simulated_sites *sites)
{
	free(sites->items);
	free(sites->waited_ns);
}

struct simulated_site *sites_find(const struct simulated_sites *sites, uint32_t site)
{
	return site < sites->objects ? &sites->items[site] : NULL;
}

static void sim_list_add(struct sim_list *list, struct sim_thread *threads, uint32_t thread)
{
	threads[thread].next = NOBODY;
	if (list->first == NOBODY)
		list->first = thread;
	else
		threads[list->last].next = thread;
	list->last = thread;
}

/* Returns the first thread, and removes it; PROGRAM_NONE: the list is empty. */
static uint32_t sim_list_take(struct sim_list *list, const struct sim_thread *threads)
{
	uint32_t first = list->first;

	if (first != NOBODY)
		list->first = threads[first].next;
	return first;
}

/* Wakes the first `count` threads of the list. */
static void sites_wake(struct simulated_sites *sites, struct sim_list *list, uint64_t count)
{
	for (; count && list->first != NOBODY; count--)
		sim_list_add(&sites->woken, sites->threads, sim_list_take(list, sites->threads));
}

static bool sites_lock(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	struct sim_thread *thread = &sites->threads[id];
	bool shared = step_op(thread->step) == STEP_LOCK_SHARED;

	if (site->holder == id) {
		site->depth++;
		return false;
	}
	if (site->holder != NOBODY || (site->shares && !shared)) {
		site->contended = true;
		thread->retries = true;
		if (!thread->has_paid && site->wait_cost_ns) {
			thread->owes_ns = site->wait_cost_ns;
			thread->has_paid = true;
			return true;
		}
		sim_list_add(shared ? &site->readers : &site->waiting, sites->threads, id);
		thread->has_paid = false;
		return true;
	}
	if (shared) {
		site->shares++;
		thread->shares++;
	} else {
		site->holder = id;
		site->depth = 1;
		site->contended = false;
	}
	site->contended |= thread->retries;
	thread->retries = thread->has_paid = false;
	return false;
}

/* Wakes threads that wait for a lock. As in the C library, all readers go before one writer. */
static void wake_for_lock(struct simulated_sites *sites, struct simulated_site *site,
			  struct sim_thread *thread)
{
	thread->has_paid = false;
	thread->owes_ns = site->woke_cost_ns;
	if (site->readers.first != NOBODY)
		sites_wake(sites, &site->readers, UINT64_MAX);
	else
		sites_wake(sites, &site->waiting, 1);
}

/*
 * Releases a lock; does nothing if the thread does not hold it. Returns whether the thread has to
 * do its owes_ns before it wakes others.
 */
static bool sites_unlock(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	struct sim_thread *thread = &sites->threads[id];

	if (thread->has_paid) {
		wake_for_lock(sites, site, thread);
		return false;
	}
	if (site->holder == id) {
		if (--site->depth)
			return false;
		site->holder = NOBODY;
	} else if (site->shares && thread->shares) {
		thread->shares--;
		if (--site->shares)
			return false;
	} else {
		return false;
	}
	if (site->readers.first == NOBODY) {
		if (!site->contended)
			return false;
		site->contended = false;
		if (site->waiting.first == NOBODY)
			return false;
	}
	if (!site->wake_cost_ns) {
		wake_for_lock(sites, site, thread);
		return false;
	}
	thread->owes_ns = site->wake_cost_ns;
	thread->has_paid = true;
	return true;
}

static bool sites_take(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	if (site->tokens) {
		site->tokens--;
		return false;
	}
	sim_list_add(&site->waiting, sites->threads, id);
	return true;
}

static void sites_give(struct simulated_sites *sites, struct simulated_site *site, uint32_t count)
{
	site->tokens += count;
	sites_wake(sites, &site->waiting, count);
}

static bool sites_barrier(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	if (++site->here < site->parties) {
		sim_list_add(&site->waiting, sites->threads, id);
		return true;
	}
	site->here = 0;
	sites_wake(sites, &site->waiting, UINT64_MAX);
	return false;
}

bool sites_operate(struct simulated_sites *sites, struct simulated_site *site, uint32_t thread)
{
	const struct step *step = sites->threads[thread].step;

	switch (step_op(step)) {
	case STEP_UNLOCK:
		return sites_unlock(sites, site, thread);
	case STEP_GIVE:
		sites_give(sites, site, step->count);
		return false;
	case STEP_TAKE:
		return sites_take(sites, site, thread);
	case STEP_BARRIER:
		return sites_barrier(sites, site, thread);
	default:
		return sites_lock(sites, site, thread);
	}
}

uint32_t sites_take_woken(struct simulated_sites *sites)
{
	return sim_list_take(&sites->woken, sites->threads);
}

/* --- Pools ---------------------------------------------------------------------------------- */

struct pool_place {
	const struct step *take, *end; /* NULL: no recorded take has this number */
	uint32_t owner;		       /* the thread that took it */
};

struct simulated_pool {
	struct pool_place *places;
	uint32_t count, next;
};

/* Calls `found` for each take at a pool. */
static void walk_takes(struct simulated_pools *pools, const struct program *program,
		       const struct machine *machine,
		       void (*found)(struct simulated_pool *pool, struct pool_place place))
{
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = thread_on(machine, program, i);

		for (size_t j = 0; j < thread->count; j++) {
			const struct step *step = &thread->steps[j];

			if (step_op(step) == STEP_TAKE && step->site < pools->count &&
			    program->sites[step->site].pooled)
				found(&pools->items[step->site],
				      (struct pool_place){step, thread->steps + thread->count,
							  (uint32_t)i});
		}
	}
}

static void count_take(struct simulated_pool *pool, struct pool_place place)
{
	(void)place;
	pool->count++;
}

static void place_take(struct simulated_pool *pool, struct pool_place place)
{
	if (place.take->count < pool->count)
		pool->places[place.take->count] = place;
}

void pools_init(struct simulated_pools *pools, const struct program *program,
		const struct machine *machine)
{
	bool any = false;

	*pools = (struct simulated_pools){0};
	for (size_t i = 0; i < program->site_count; i++)
		any = any || program->sites[i].pooled;
	if (!any)
		return;
	pools->count = (uint32_t)program->site_count;
	pools->items = xcalloc(pools->count, sizeof(*pools->items));
	walk_takes(pools, program, machine, count_take);
	for (uint32_t i = 0; i < pools->count; i++)
		pools->items[i].places =
			xcalloc(pools->items[i].count, sizeof(*pools->items[i].places));
	walk_takes(pools, program, machine, place_take);
}

void pools_release(struct simulated_pools *pools)
{
	for (uint32_t i = 0; i < pools->count; i++)
		free(pools->items[i].places);
	free(pools->items);
}

void pools_follow(struct simulated_pools *pools, struct sim_thread *thread)
{
	struct simulated_pool *pool;
	const struct pool_place *place;

	if (step_op(thread->step) != STEP_TAKE || thread->step->site >= pools->count)
		return;
	pool = &pools->items[thread->step->site];
	if (pool->next >= pool->count)
		return;
	place = &pool->places[pool->next++];
	if (!place->take)
		return;
	thread->step = place->take;
	thread->end = place->end;
	thread->owner = place->owner;
}
