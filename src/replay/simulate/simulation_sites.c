/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_sites.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { NOBODY = PROGRAM_NONE };

static const struct task_list nobody = {NOBODY, NOBODY};

void sites_init(struct simulated_sites *sites, const struct program *program, const double *costs,
		struct task *tasks)
{
	*sites = (struct simulated_sites){
		.tasks = tasks, .count = (uint32_t)program->site_count, .woken = nobody};
	sites->items = xcalloc(program->site_count, sizeof(*sites->items));
	for (uint32_t i = 0; i < sites->count; i++) {
		const struct site *site = &program->sites[i];

		sites->items[i] = (struct simulated_site){.waiting = nobody,
							  .readers = nobody,
							  .holder = NOBODY,
							  .parties = site->parties,
							  .tokens = site->tokens,
							  .cost = costs ? costs[i] : 1};
	}
}

void sites_release(struct simulated_sites *sites)
{
	free(sites->items);
}

struct simulated_site *sites_find(const struct simulated_sites *sites, uint32_t site)
{
	return site < sites->count ? &sites->items[site] : NULL;
}

/* A share of them is: as evenly as can be. */
bool site_is_due(struct simulated_site *site)
{
	const double rounding = 1e-9;

	if (!site || site->cost >= 1)
		return true;
	site->due += site->cost;
	if (site->due < 1 - rounding)
		return false;
	site->due -= 1;
	return true;
}

/* --- Lists ----------------------------------------------------------------------------------- */

void task_list_add(struct task_list *list, struct task *tasks, uint32_t task)
{
	tasks[task].next = NOBODY;
	if (list->first == NOBODY)
		list->first = task;
	else
		tasks[list->last].next = task;
	list->last = task;
}

uint32_t task_list_take(struct task_list *list, const struct task *tasks)
{
	uint32_t first = list->first;

	if (first != NOBODY)
		list->first = tasks[first].next;
	return first;
}

/* The first `count` of those in the list may go on. */
static void wake(struct simulated_sites *sites, struct task_list *list, uint64_t count)
{
	for (; count && list->first != NOBODY; count--)
		task_list_add(&sites->woken, sites->tasks, task_list_take(list, sites->tasks));
}

/* --- Objects --------------------------------------------------------------------------------- */

bool sites_lock(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	struct task *task = &sites->tasks[id];
	bool shared = step_op(task->step) == STEP_LOCK_SHARED;

	if (site->holder == id) {
		site->depth++;
		return false;
	}
	if (!task->decided && !site_is_due(site))
		return false;
	task->decided = true;
	if (site->holder != NOBODY || (site->shares && !shared)) {
		task_list_add(shared ? &site->readers : &site->waiting, sites->tasks, id);
		return true;
	}
	if (shared) {
		site->shares++;
		task->shares++;
	} else {
		site->holder = id;
		site->depth = 1;
	}
	return false;
}

/* Nothing happens where the thread does not hold it. */
void sites_unlock(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	struct task *task = &sites->tasks[id];

	if (site->holder == id) {
		if (--site->depth)
			return;
		site->holder = NOBODY;
	} else if (site->shares && task->shares) {
		task->shares--;
		if (--site->shares)
			return;
	} else {
		return;
	}
	/* As the C library does, all that can hold it together go before one alone. */
	if (site->readers.first != NOBODY)
		wake(sites, &site->readers, UINT64_MAX);
	else
		wake(sites, &site->waiting, 1);
}

bool sites_take(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	struct task *task = &sites->tasks[id];

	if (site->cost <= 0)
		return false;
	if (!task->decided && !site_is_due(site)) {
		site->owed += site->tokens == 0;
		site->tokens -= site->tokens > 0;
		return false;
	}
	task->decided = true;
	if (site->tokens) {
		site->tokens--;
		return false;
	}
	task_list_add(&site->waiting, sites->tasks, id);
	return true;
}

void sites_give(struct simulated_sites *sites, struct simulated_site *site, uint32_t count)
{
	uint32_t repaid = count < site->owed ? count : site->owed;

	site->owed -= repaid;
	site->tokens += count - repaid;
	wake(sites, &site->waiting, count - repaid);
}

bool sites_barrier(struct simulated_sites *sites, struct simulated_site *site, uint32_t id)
{
	if (site->cost <= 0)
		return false;
	if (++site->here < site->parties) {
		task_list_add(&site->waiting, sites->tasks, id);
		return true;
	}
	site->here = 0;
	wake(sites, &site->waiting, UINT64_MAX);
	return false;
}
