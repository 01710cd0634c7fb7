/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* The number of children with one index that are tried for a named one. */
enum { SAME_INDEX_MAX = 64 };

struct links {
	struct task_reader *reader;
	struct task_tree *tree;
	/* tasks with parents, sorted by parent and then by index, or by spawn */
	uint32_t *by_index, *by_spawn;
	size_t count;
	bool *waited;	     /* [task]: a sync waited for it */
	uint64_t *synced_ns; /* [sync of the tree]: the end of the wait; 0: never */
	size_t synced_capacity;
	size_t *deep; /* [task]: the sync of its parent that waits for its descendants */
};

#define NO_SYNC SIZE_MAX

/* --- Spawns -------------------------------------------------------------------------------- */

/* Compares a task with the child of this index. */
static int compare_child(const struct task *task, uint32_t parent, uint32_t index)
{
	return compare_values(task->parent, parent) ?: compare_values(task->index, index);
}

static int compare_index(const void *a, const void *b, void *context)
{
	const struct task *tasks = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	return compare_child(&tasks[i], tasks[k].parent, tasks[k].index) ?: compare_values(i, k);
}

static int compare_spawn(const void *a, const void *b, void *context)
{
	const struct task *tasks = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	return compare_values(tasks[i].parent, tasks[k].parent)
		       ?: compare_values(tasks[i].spawn, tasks[k].spawn)
		       ?: compare_values(i, k);
}

static int compare_spawns(const void *a, const void *b)
{
	const struct task_spawn *one = a, *other = b;

	return compare_values(one->parent, other->parent)
		       ?: compare_values(one->index, other->index)
		       ?: compare_values(one->ready_ns, other->ready_ns)
		       ?: compare_values(one->after, other->after);
}

static uint32_t *children(const struct links *links)
{
	uint32_t *numbers = xcalloc(links->count, sizeof(*numbers));
	size_t count = 0;

	for (uint32_t i = 0; i < links->tree->task_count; i++)
		if (links->tree->tasks[i].parent != TASK_NONE)
			numbers[count++] = i;
	return numbers;
}

/* Returns the last segment that the parent began before the task; the first if there is none. */
static uint32_t find_spawn(const struct task_tree *tree, const struct task *task)
{
	const struct task *parent = &tree->tasks[task->parent];
	size_t behind = find_first(i, 0, parent->interval_count,
				   tree->intervals[parent->first + i].begin_ns > task->begin_ns);

	if (!parent->interval_count)
		return TASK_NONE;
	return behind ? (uint32_t)behind - 1 : 0;
}

static void join_spawn(struct task *task, const struct task_spawn *spawn)
{
	task->spawn = spawn->after;
	if (spawn->ready_ns < task->begin_ns)
		task->ready_ns = spawn->ready_ns;
}

/* Joins the n-th child of each index to the n-th spawn; both lists are sorted. */
static void join_spawns(struct links *links)
{
	const struct task_reader *reader = links->reader;
	const struct task_spawn *spawns = reader->spawns;
	size_t next = 0;

	sort_items(reader->spawns, reader->spawn_count, compare_spawns);
	for (size_t i = 0; i < links->count; i++) {
		struct task *task = &links->tree->tasks[links->by_index[i]];

		if (task->in_place)
			continue;
		while (next < reader->spawn_count &&
		       compare_child(task, spawns[next].parent, spawns[next].index) > 0)
			next++;
		if (next < reader->spawn_count &&
		    compare_child(task, spawns[next].parent, spawns[next].index) == 0)
			join_spawn(task, &spawns[next++]);
		if (task->spawn == TASK_NONE)
			task->spawn = find_spawn(links->tree, task);
	}
}

/* Counts spawns without a child; both lists are sorted. Children in place have a spawn, too. */
static void count_never_run(struct links *links)
{
	const struct task_reader *reader = links->reader;
	const struct task *tasks = links->tree->tasks;
	size_t next = 0;

	for (size_t i = 0; i < reader->spawn_count; i++) {
		uint32_t parent = reader->spawns[i].parent, index = reader->spawns[i].index;
		int order = -1;

		while (next < links->count &&
		       (order = compare_child(&tasks[links->by_index[next]], parent, index)) < 0)
			next++;
		if (next < links->count && order == 0)
			next++;
		else
			links->tree->never_run++;
	}
}

/* --- Syncs --------------------------------------------------------------------------------- */

static int compare_waits(const void *a, const void *b)
{
	const struct task_wait *one = a, *other = b;

	/* Of two behind the same segment, the one without an end comes first. */
	return compare_values(one->task, other->task)
		       ?: compare_values(one->after, other->after)
		       ?: compare_values(one->synced_ns, other->synced_ns);
}

static void wait_for(struct links *links, const struct task_wait *wait, uint32_t child)
{
	struct task_tree *tree = links->tree;

	links->waited[child] = true;
	tree->tasks[child].synced_ns = wait->synced_ns;
	array_reserve(&tree->synced, &tree->synced_capacity, tree->synced_count + 1);
	tree->synced[tree->synced_count++] = child;
}

/* Makes the current sync of the parent wait for the descendants of the child. */
static void cover(struct links *links, const struct task_wait *wait, uint32_t child)
{
	if (wait->deep && links->deep[child] == NO_SYNC)
		links->deep[child] = links->tree->sync_count;
}

static void wait_for_index(struct links *links, const struct task_wait *wait, uint32_t index)
{
	const struct task *tasks = links->tree->tasks;
	const uint32_t *by_index = links->by_index;
	size_t first = find_first(i, 0, links->count,
				  compare_child(&tasks[by_index[i]], wait->task, index) >= 0);

	for (size_t i = first; i < links->count && i < first + SAME_INDEX_MAX; i++) {
		uint32_t child = by_index[i];

		if (compare_child(&tasks[child], wait->task, index) != 0)
			return;
		if (tasks[child].spawn > wait->after)
			continue;
		cover(links, wait, child);
		if (links->waited[child])
			continue;
		wait_for(links, wait, child);
		return;
	}
}

static void wait_for_named(struct links *links, const struct task_wait *wait)
{
	struct task_tree *tree = links->tree;
	size_t first = tree->synced_count;

	for (uint32_t i = wait->named; i != TASK_NONE; i = links->reader->named[i].next)
		wait_for_index(links, wait, links->reader->named[i].index);
	sort_items(tree->synced + first, tree->synced_count - first, compare_u32);
}

/* `next` is the first child, by spawn, that no sync for all children has reached. */
static void wait_for_all(struct links *links, const struct task_wait *wait, size_t *next)
{
	const struct task *tasks = links->tree->tasks;

	while (*next < links->count && tasks[links->by_spawn[*next]].parent < wait->task)
		++*next;
	for (; *next < links->count; ++*next) {
		uint32_t child = links->by_spawn[*next];

		if (tasks[child].parent != wait->task || tasks[child].spawn > wait->after)
			return;
		if (!links->waited[child] || tasks[child].in_place)
			cover(links, wait, child);
		if (!links->waited[child])
			wait_for(links, wait, child);
	}
}

static void add_sync(struct links *links, const struct task_wait *wait, size_t *next)
{
	struct task_tree *tree = links->tree;
	size_t first = tree->synced_count;

	if (wait->after == TASK_NONE)
		return; /* earlier steps of the task are missing */
	if (wait->named != TASK_NONE)
		wait_for_named(links, wait);
	else
		wait_for_all(links, wait, next);
	array_reserve(&links->synced_ns, &links->synced_capacity, tree->sync_count + 1);
	links->synced_ns[tree->sync_count] = wait->synced_ns;
	array_reserve(&tree->syncs, &tree->sync_capacity, tree->sync_count + 1);
	tree->syncs[tree->sync_count++] = (struct task_sync){
		.after = tree->tasks[wait->task].first + wait->after,
		.first = first,
		.count = tree->synced_count - first,
	};
}

static void join_syncs(struct links *links)
{
	struct task_reader *reader = links->reader;
	size_t next = 0;

	sort_items(reader->waits, reader->wait_count, compare_waits);
	for (size_t i = 0; i < reader->wait_count; i++)
		add_sync(links, &reader->waits[i], &next);
}

/* --- Tasks waited for with their parent ---------------------------------------------------- */

/*
 * Returns, for each task, the sync that waits for it: that of its parent, if any; else the nearest
 * deep sync above; else the sync for its parent, if the task had ended by then, or ran in place.
 */
static size_t *find_waiters(struct links *links)
{
	const struct task_tree *tree = links->tree;
	size_t *waiters = xcalloc(tree->task_count, sizeof(*waiters));

	for (size_t i = 0; i < tree->task_count; i++)
		waiters[i] = NO_SYNC;
	for (size_t i = 0; i < tree->sync_count; i++)
		for (size_t k = 0; k < tree->syncs[i].count; k++)
			waiters[tree->synced[tree->syncs[i].first + k]] = i;
	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];
		size_t waiter;

		if (task->parent == TASK_NONE)
			continue;
		if (links->deep[i] == NO_SYNC)
			links->deep[i] = links->deep[task->parent];
		if (waiters[i] != NO_SYNC)
			continue;
		waiters[i] = links->deep[task->parent];
		waiter = waiters[task->parent];
		if (waiters[i] != NO_SYNC || waiter == NO_SYNC)
			continue;
		if (task->in_place || (task->ended && task->end_ns <= links->synced_ns[waiter]))
			waiters[i] = waiter;
	}
	return waiters;
}

/* Makes room for `more` tasks of each sync, behind those that it has. */
static void widen(struct task_tree *tree, const size_t *more, size_t all)
{
	uint32_t *synced = xcalloc(tree->synced_count + all, sizeof(*synced));
	size_t count = 0;

	for (size_t i = 0; i < tree->sync_count; i++) {
		struct task_sync *sync = &tree->syncs[i];

		for (size_t k = 0; k < sync->count; k++)
			synced[count + k] = tree->synced[sync->first + k];
		sync->first = count;
		count += sync->count + more[i];
	}
	free(tree->synced);
	tree->synced = synced;
	tree->synced_count = tree->synced_capacity = count;
}

static void wait_with_parents(struct links *links)
{
	struct task_tree *tree = links->tree;
	size_t *waiters = find_waiters(links), all = 0;
	size_t *more = xcalloc(tree->sync_count, sizeof(*more));

	for (size_t i = 0; i < tree->task_count; i++) {
		if (links->waited[i] || waiters[i] == NO_SYNC)
			continue;
		more[waiters[i]]++;
		all++;
	}
	widen(tree, more, all);
	for (uint32_t i = 0; i < tree->task_count; i++) {
		struct task_sync *sync = &tree->syncs[waiters[i] == NO_SYNC ? 0 : waiters[i]];

		if (links->waited[i] || waiters[i] == NO_SYNC)
			continue;
		tree->synced[sync->first + sync->count++] = i;
		tree->tasks[i].synced_ns = links->synced_ns[waiters[i]];
		links->waited[i] = true;
	}
	free(waiters);
	free(more);
}

/* --- All links ----------------------------------------------------------------------------- */

static void wait_in_place(struct links *links)
{
	for (size_t i = 0; i < links->tree->task_count; i++) {
		struct task *task = &links->tree->tasks[i];

		if (!task->in_place)
			continue;
		links->waited[i] = true;
		task->synced_ns = task->ended ? task->end_ns : 0;
	}
}

static void count_never_synced(struct links *links)
{
	for (size_t i = 0; i < links->count; i++) {
		uint32_t child = links->by_index[i];

		if (!links->waited[child] && links->tree->tasks[child].begun)
			links->tree->never_synced++;
	}
}

void task_links_make(struct task_reader *reader)
{
	struct links links = {.reader = reader, .tree = reader->tree};

	for (size_t i = 0; i < reader->tree->task_count; i++)
		links.count += reader->tree->tasks[i].parent != TASK_NONE;
	links.waited = xcalloc(reader->tree->task_count, sizeof(*links.waited));
	links.deep = xcalloc(reader->tree->task_count, sizeof(*links.deep));
	for (size_t i = 0; i < reader->tree->task_count; i++)
		links.deep[i] = NO_SYNC;
	links.by_index = children(&links);
	links.by_spawn = children(&links);
	if (links.count)
		qsort_r(links.by_index, links.count, sizeof(uint32_t), compare_index,
			links.tree->tasks);
	join_spawns(&links);
	count_never_run(&links);
	if (links.count)
		qsort_r(links.by_spawn, links.count, sizeof(uint32_t), compare_spawn,
			links.tree->tasks);
	wait_in_place(&links);
	join_syncs(&links);
	if (links.tree->sync_count)
		wait_with_parents(&links);
	count_never_synced(&links);
	free(links.by_index);
	free(links.by_spawn);
	free(links.waited);
	free(links.deep);
	free(links.synced_ns);
}
