/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/task_joins.h"

#include "base/alloc.h"
#include "stats/task_tree.h"

#include <stdbool.h>
#include <stdlib.h>

struct arrival {
	size_t interval;
	size_t epoch; /* the first sync of the parent behind its spawn */
	uint32_t parent;
	uint32_t rank; /* which barrier of its task it is */
};

static size_t epoch_of(const struct task_tree *tree, const struct task *task)
{
	size_t spawn = tree->tasks[task->parent].first + task->spawn;
	size_t low = 0, high = tree->sync_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tree->syncs[middle].after < spawn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare(const void *a, const void *b)
{
	const struct arrival *one = a, *other = b;

	if (one->parent != other->parent)
		return one->parent < other->parent ? -1 : 1;
	if (one->epoch != other->epoch)
		return one->epoch < other->epoch ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return (one->interval > other->interval) - (one->interval < other->interval);
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

static void add(struct task_joins *joins, const struct task_tree *tree,
		const struct arrival *arrivals, size_t first, size_t count)
{
	struct task_join *join = &joins->items[joins->count++];

	join->first = first;
	join->count = count;
	for (size_t i = first; i < first + count; i++) {
		uint64_t end_ns = tree->intervals[arrivals[i].interval].end_ns;

		joins->arrivals[i] = arrivals[i].interval;
		if (end_ns > join->release_ns)
			join->release_ns = end_ns;
	}
}

void task_joins_init(struct task_joins *joins, const struct task_tree *tree)
{
	size_t count = 0, end;
	struct arrival *arrivals = find_arrivals(tree, &count);

	*joins = (struct task_joins){.arrival_count = count};
	if (!count)
		return;
	qsort(arrivals, count, sizeof(*arrivals), compare);
	joins->arrivals = xcalloc(count, sizeof(*joins->arrivals));
	joins->items = xcalloc(count, sizeof(*joins->items));
	for (size_t first = 0; first < count; first = end) {
		for (end = first + 1; end < count && is_together(&arrivals[first], &arrivals[end]);)
			end++;
		add(joins, tree, arrivals, first, end - first);
	}
	free(arrivals);
}

void task_joins_release(struct task_joins *joins)
{
	free(joins->items);
	free(joins->arrivals);
	*joins = (struct task_joins){.items = NULL};
}
