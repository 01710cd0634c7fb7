/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_joins.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "stats/tasks/task_tree.h"

#include <stdbool.h>
#include <stdlib.h>

struct arrival {
	size_t interval;
	size_t epoch; /* the first sync of the parent behind its spawn */
	uint32_t parent;
	uint32_t rank; /* which barrier of its task it is */
};

/* Is it of the same task as the one before? */
static bool is_next(const struct task_tree *tree, size_t interval)
{
	return interval < tree->interval_count &&
	       tree->intervals[interval].task == tree->intervals[interval - 1].task;
}

static size_t epoch_of(const struct task_tree *tree, const struct task *task)
{
	size_t spawn = tree->tasks[task->parent].first + task->spawn;

	return find_first(i, 0, tree->sync_count, tree->syncs[i].after >= spawn);
}

static int compare_arrivals(const void *a, const void *b)
{
	const struct arrival *one = a, *other = b;

	return compare_values(one->parent, other->parent)
		       ?: compare_values(one->epoch, other->epoch)
		       ?: compare_values(one->rank, other->rank)
		       ?: compare_values(one->interval, other->interval);
}

static bool is_together(const struct arrival *one, const struct arrival *other)
{
	return one->parent == other->parent && one->epoch == other->epoch &&
	       one->rank == other->rank;
}

static struct arrival *find_arrivals(const struct task_tree *tree, size_t *count)
{
	struct arrival *arrivals = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];
		struct arrival arrival = {.parent = task->parent};

		if (task->parent == TASK_NONE || task->spawn == TASK_NONE)
			continue;
		for (uint32_t k = 0; k < task->interval_count; k++) {
			arrival.interval = task->first + k;
			if (tree->intervals[arrival.interval].step_end != TASK_BARRIER)
				continue;
			if (!arrival.rank)
				arrival.epoch = epoch_of(tree, task);
			array_reserve(&arrivals, &capacity, *count + 1);
			arrivals[(*count)++] = arrival;
			arrival.rank++;
		}
	}
	return arrivals;
}

static void add_join(struct task_joins *joins, const struct task_tree *tree,
		     const struct arrival *arrivals, size_t first, size_t count)
{
	struct task_join *join = &joins->items[joins->count++];

	join->first = first;
	join->count = count;
	join->resume_ns = UINT64_MAX;
	for (size_t i = first; i < first + count; i++) {
		size_t interval = arrivals[i].interval;

		joins->arrivals[i] = interval;
		if (tree->intervals[interval].end_ns > join->release_ns)
			join->release_ns = tree->intervals[interval].end_ns;
		if (is_next(tree, interval + 1) &&
		    tree->intervals[interval + 1].begin_ns < join->resume_ns)
			join->resume_ns = tree->intervals[interval + 1].begin_ns;
	}
}

/* --- What has been spawned before ---------------------------------------------------------- */

/* For each interval: the join + 1 behind it or a later one of its task; 0: there is none. */
static uint32_t *find_next(const struct task_joins *joins, const struct task_tree *tree)
{
	uint32_t *next = xcalloc(tree->interval_count + 1, sizeof(*next));

	for (uint32_t i = 0; i < joins->count; i++)
		for (size_t k = 0; k < joins->items[i].count; k++)
			next[joins->arrivals[joins->items[i].first + k]] = i + 1;
	for (size_t i = tree->interval_count; i--;)
		if (!next[i] && is_next(tree, i + 1))
			next[i] = next[i + 1];
	return next;
}

/* For each task: does its parent wait for it in a sync? */
static bool *find_synced(const struct task_tree *tree)
{
	bool *synced = xcalloc(tree->task_count, sizeof(*synced));

	for (size_t i = 0; i < tree->sync_count; i++) {
		const struct task_sync *sync = &tree->syncs[i];
		uint32_t owner = tree->intervals[sync->after].task;

		for (size_t k = sync->first; k < sync->first + sync->count; k++)
			synced[tree->synced[k]] = tree->tasks[tree->synced[k]].parent == owner;
	}
	return synced;
}

/*
 * The join + 1 at which a task is waited for, or what it leaves behind: that of its parent behind
 * its spawn, else the one at which the parent is waited for.
 */
static uint32_t find_join(const struct task_joins *joins, const struct task_tree *tree,
			  const struct task *task, const uint32_t *next)
{
	uint32_t join;

	if (task->parent == TASK_NONE || task->spawn == TASK_NONE)
		return 0;
	join = next[tree->tasks[task->parent].first + task->spawn];
	if (!join)
		join = joins->of_task[task->parent];
	if (!join || task->in_place)
		return join;
	return task->ended && task->end_ns <= joins->items[join - 1].resume_ns ? join : 0;
}

/* A parent comes before its children. What is in place leads to others, and is not waited for. */
static void find_tasks(struct task_joins *joins, const struct task_tree *tree)
{
	uint32_t *next = find_next(joins, tree);
	bool *synced = find_synced(tree);
	size_t count = 0;

	joins->of_task = xcalloc(tree->task_count, sizeof(*joins->of_task));
	joins->tasks = xcalloc(tree->task_count, sizeof(*joins->tasks));
	for (size_t i = 0; i < tree->task_count; i++)
		if (!synced[i])
			joins->of_task[i] = find_join(joins, tree, &tree->tasks[i], next);
	for (size_t i = 0; i < tree->task_count; i++) {
		if (tree->tasks[i].in_place)
			joins->of_task[i] = 0;
		if (joins->of_task[i])
			joins->items[joins->of_task[i] - 1].task_count++;
	}
	for (size_t i = 0; i < joins->count; i++) {
		joins->items[i].first_task = count;
		count += joins->items[i].task_count;
		joins->items[i].task_count = 0;
	}
	for (uint32_t i = 0; i < tree->task_count; i++) {
		struct task_join *join;

		if (!joins->of_task[i])
			continue;
		join = &joins->items[joins->of_task[i] - 1];
		joins->tasks[join->first_task + join->task_count++] = i;
		if (tree->tasks[i].end_ns > join->release_ns)
			join->release_ns = tree->tasks[i].end_ns;
	}
	free(next);
	free(synced);
}

void task_joins_init(struct task_joins *joins, const struct task_tree *tree)
{
	size_t count = 0, end;
	struct arrival *arrivals = find_arrivals(tree, &count);

	*joins = (struct task_joins){.arrival_count = count};
	if (!count)
		return;
	sort_items(arrivals, count, compare_arrivals);
	joins->arrivals = xcalloc(count, sizeof(*joins->arrivals));
	joins->items = xcalloc(count, sizeof(*joins->items));
	for (size_t first = 0; first < count; first = end) {
		for (end = first + 1; end < count && is_together(&arrivals[first], &arrivals[end]);)
			end++;
		add_join(joins, tree, arrivals, first, end - first);
	}
	free(arrivals);
	find_tasks(joins, tree);
}

void task_joins_release(struct task_joins *joins)
{
	free(joins->items);
	free(joins->arrivals);
	free(joins->tasks);
	free(joins->of_task);
	*joins = (struct task_joins){.items = NULL};
}
