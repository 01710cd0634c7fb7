/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag_private.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Joins --------------------------------------------------------------------------------- */

struct arrival {
	size_t interval;
	size_t epoch; /* the first sync of the parent behind its spawn */
	uint32_t parent;
	uint32_t rank; /* the number of the barrier in its task */
};

/* Returns true if the interval is of the same task as the one before. */
static bool is_next(const struct task_tree *tree, size_t interval)
{
	return interval && interval < tree->interval_count &&
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

/* Returns, for each interval, the join behind it or later in its task, plus 1; 0: none. */
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

/* Returns, for each task, if its parent waits for it in a sync. */
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
 * Returns the join, plus 1, that waits for a task or its descendants: that of its parent behind its
 * spawn, else the one that waits for the parent.
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

/* Finds the tasks of joins; parents come before children. Tasks in place only lead to others. */
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

/* --- Sections ------------------------------------------------------------------------------ */

/* Begins another node behind `interval`, as the task waits there. */
static void split(struct dag_shape *shape, size_t interval)
{
	if (is_next(shape->tree, interval + 1))
		shape->section[interval + 1] = interval + 1;
}

static void find_sections(struct dag_shape *shape, const struct task_joins *joins)
{
	const struct task_tree *tree = shape->tree;

	for (size_t i = 0; i < tree->sync_count; i++)
		split(shape, tree->syncs[i].after);
	for (size_t i = 0; i < joins->arrival_count; i++)
		split(shape, joins->arrivals[i]);
	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];

		if (task->parent == TASK_NONE)
			continue;
		shape->has_children[task->parent] = true;
		if (task->in_place)
			split(shape, tree->tasks[task->parent].first + task->spawn);
	}
	for (size_t i = 0; i < tree->interval_count; i++) {
		if (!is_next(tree, i))
			shape->section[i] = i;
		else if (!shape->section[i])
			shape->section[i] = shape->section[i - 1];
		shape->sections[tree->intervals[i].task] += shape->section[i] == i;
	}
}

static void find_spawners(struct dag_shape *shape)
{
	const struct task_tree *tree = shape->tree;

	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];
		size_t spawn;

		shape->from[i] = shape->to[i] = DAG_NO_SECTION;
		if (task->parent == TASK_NONE || task->spawn == TASK_NONE)
			continue;
		spawn = tree->tasks[task->parent].first + task->spawn;
		shape->from[i] = shape->section[spawn];
		if (task->in_place && is_next(tree, spawn + 1))
			shape->to[i] = spawn + 1;
	}
	for (size_t i = 0; i < tree->sync_count; i++) {
		const struct task_sync *sync = &tree->syncs[i];

		for (size_t k = sync->first; k < sync->first + sync->count; k++)
			if (is_next(tree, sync->after + 1))
				shape->to[tree->synced[k]] = sync->after + 1;
	}
}

/* --- Similar tasks ------------------------------------------------------------------------- */

/* By place; each task in place has a place of its own. */
static int compare_place(const struct dag_shape *shape, uint32_t task, uint32_t other)
{
	const struct task *one = &shape->tree->tasks[task], *two = &shape->tree->tasks[other];

	return compare_values(one->level, two->level)
		       ?: compare_values(shape->from[task], shape->from[other])
		       ?: compare_values(shape->to[task], shape->to[other])
		       ?: compare_values(one->in_place, two->in_place)
		       ?: compare_values(one->site, two->site);
}

/* Returns true for a task that is one node at any level. */
static bool is_single(const struct dag_shape *shape, uint32_t task)
{
	return !shape->has_children[task] && shape->sections[task] == 1;
}

static int compare_tasks(const void *a, const void *b, void *context)
{
	const struct dag_shape *shape = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return compare_place(shape, one, other)
		       ?: compare_values(is_single(shape, one), is_single(shape, other))
		       ?: compare_values(one, other);
}

bool dag_shape_is_alike(const struct dag_shape *shape, uint32_t task, uint32_t other)
{
	return shape->is_grouped && !shape->tree->tasks[task].in_place &&
	       compare_place(shape, task, other) == 0;
}

bool dag_shape_is_whole(const struct dag_shape *shape, uint32_t task, uint32_t level)
{
	uint32_t own = shape->tree->tasks[task].level;

	return own == level || (own < level && shape->is_grouped && is_single(shape, task));
}

static void sort_tasks(struct dag_shape *shape)
{
	size_t count = shape->tree->task_count;

	for (uint32_t i = 0; i < count; i++)
		shape->order[i] = i;
	if (count)
		qsort_r(shape->order, count, sizeof(*shape->order), compare_tasks, shape);
}

/* --- The level ----------------------------------------------------------------------------- */

/* The number of nodes from tasks of one level: split, whole, and the same with groups. */
struct level_count {
	uint64_t split, split_grouped, whole, whole_grouped;
};

static void count_task(struct dag_shape *shape, struct level_count *count, size_t place)
{
	uint32_t task = shape->order[place];
	bool is_more = place && dag_shape_is_alike(shape, task, shape->order[place - 1]);
	bool is_more_single =
		is_more && is_single(shape, task) && is_single(shape, shape->order[place - 1]);

	count->split += shape->sections[task];
	count->whole++;
	count->whole_grouped += !is_more;
	count->split_grouped += is_more_single ? 0 : shape->sections[task];
}

static struct level_count *count_levels(struct dag_shape *shape, const struct task_joins *joins)
{
	const struct task_tree *tree = shape->tree;
	struct level_count *counts = xcalloc((size_t)tree->levels + 1, sizeof(*counts));

	shape->is_grouped = true;
	for (size_t i = 0; i < tree->task_count; i++)
		count_task(shape, &counts[tree->tasks[shape->order[i]].level], i);
	for (size_t i = 0; i < joins->count; i++) {
		size_t arrival = joins->arrivals[joins->items[i].first];
		struct level_count *count =
			&counts[tree->tasks[tree->intervals[arrival].task].level];

		count->split++;
		count->split_grouped++;
	}
	return counts;
}

/* Chooses the deepest level with few enough nodes; groups only if needed. */
static void choose_level(struct dag_shape *shape, const struct level_count *counts,
			 const struct dag_options *options)
{
	uint32_t asked =
		options->level < shape->tree->levels ? options->level : shape->tree->levels;
	uint64_t above = 0, above_grouped = 0;
	bool is_found = false;

	for (uint32_t level = 0; level <= asked; level++) {
		uint64_t nodes = above + counts[level].whole;
		uint64_t grouped = above_grouped + counts[level].whole_grouped;

		shape->all_nodes = nodes;
		above += counts[level].split;
		above_grouped += counts[level].split_grouped;
		if (level && options->max_nodes && grouped > options->max_nodes &&
		    nodes > options->max_nodes)
			continue;
		is_found = true;
		shape->level = level;
		shape->is_grouped = options->max_nodes && nodes > options->max_nodes;
	}
	shape->is_lowered = is_found && shape->level < asked;
}

/* --- The whole shape --------------------------------------------------------------------- */

void dag_shape_init(struct dag_shape *shape, const struct task_tree *tree,
		    const struct task_joins *joins, const struct dag_options *options)
{
	struct level_count *counts;

	*shape = (struct dag_shape){.tree = tree};
	shape->section = xcalloc(tree->interval_count, sizeof(*shape->section));
	shape->sections = xcalloc(tree->task_count, sizeof(*shape->sections));
	shape->has_children = xcalloc(tree->task_count, sizeof(*shape->has_children));
	shape->from = xcalloc(tree->task_count, sizeof(*shape->from));
	shape->to = xcalloc(tree->task_count, sizeof(*shape->to));
	shape->order = xcalloc(tree->task_count, sizeof(*shape->order));
	find_sections(shape, joins);
	find_spawners(shape);
	sort_tasks(shape);
	counts = count_levels(shape, joins);
	choose_level(shape, counts, options);
	free(counts);
}

void dag_shape_release(struct dag_shape *shape)
{
	free(shape->section);
	free(shape->sections);
	free(shape->has_children);
	free(shape->from);
	free(shape->to);
	free(shape->order);
	*shape = (struct dag_shape){.tree = NULL};
}
