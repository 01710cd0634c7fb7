/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag_private.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Sections ------------------------------------------------------------------------------ */

static bool is_next(const struct task_tree *tree, size_t interval)
{
	return interval < tree->interval_count && interval &&
	       tree->intervals[interval].task == tree->intervals[interval - 1].task;
}

/* Behind `interval` its task waits: what follows is another node. */
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

/* --- Which are alike ----------------------------------------------------------------------- */

/* Of tasks in place each has a place of its own. */
static int compare_place(const struct dag_shape *shape, uint32_t task, uint32_t other)
{
	const struct task *one = &shape->tree->tasks[task], *two = &shape->tree->tasks[other];

	return compare_values(one->level, two->level)
		       ?: compare_values(shape->from[task], shape->from[other])
		       ?: compare_values(shape->to[task], shape->to[other])
		       ?: compare_values(one->in_place, two->in_place)
		       ?: compare_values(one->site, two->site);
}

/* Of one node, also where none stands for what is below others. */
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

/* Nodes, of tasks of one level: if they are split, if each is one, if those that are alike are. */
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

/* The deepest level at which there are few enough nodes; grouped only where it is needed. */
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

/* --- All of it ----------------------------------------------------------------------------- */

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
