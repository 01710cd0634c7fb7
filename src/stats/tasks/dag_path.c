/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag_path.h"

#include "base/alloc.h"
#include "stats/tasks/task_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#define NOWHERE SIZE_MAX

/* `to` comes behind `from`. That a block comes behind the one before it goes without saying. */
struct link {
	size_t from, to;
};

struct graph {
	const struct task_tree *tree;
	const struct task_joins *joins;
	size_t count; /* of blocks and joins */
	struct link *links;
	size_t link_count, link_capacity;
	size_t *first;	  /* for each: of its links, when they are sorted by `from` */
	uint32_t *behind; /* so many that it comes behind are not done */
	bool *done;
	uint64_t *at_ns; /* when it could begin, at the earliest */
	size_t *before;	 /* what it would have waited for, then */
	size_t *ready;	 /* a stack of those that come behind nothing more */
	size_t ready_count;
};

/* --- What comes behind what ---------------------------------------------------------------- */

static void add(struct graph *graph, size_t from, size_t to)
{
	array_reserve(&graph->links, &graph->link_capacity, graph->link_count + 1);
	graph->links[graph->link_count++] = (struct link){from, to};
}

/* The block of the same task behind it, or NOWHERE. */
static size_t next_block(const struct task_tree *tree, size_t interval)
{
	const struct task *task = &tree->tasks[tree->intervals[interval].task];

	return interval + 1 < task->first + task->interval_count ? interval + 1 : NOWHERE;
}

static void add_child(struct graph *graph, const struct task *child)
{
	const struct task_tree *tree = graph->tree;
	size_t spawn, next;

	if (child->parent == TASK_NONE || child->spawn == TASK_NONE || !child->interval_count)
		return;
	spawn = tree->tasks[child->parent].first + child->spawn;
	add(graph, spawn, child->first);
	next = next_block(tree, spawn);
	if (child->in_place && next != NOWHERE)
		add(graph, child->first + child->interval_count - 1, next);
}

static void add_sync(struct graph *graph, const struct task_sync *sync)
{
	const struct task_tree *tree = graph->tree;
	size_t next = next_block(tree, sync->after);

	for (size_t i = 0; i < sync->count && next != NOWHERE; i++) {
		const struct task *child = &tree->tasks[tree->synced[sync->first + i]];

		if (child->interval_count)
			add(graph, child->first + child->interval_count - 1, next);
	}
}

static void add_join(struct graph *graph, size_t join)
{
	const struct task_join *one = &graph->joins->items[join];
	size_t number = graph->tree->interval_count + join;

	for (size_t i = one->first_task; i < one->first_task + one->task_count; i++) {
		const struct task *task = &graph->tree->tasks[graph->joins->tasks[i]];

		if (task->interval_count)
			add(graph, task->first + task->interval_count - 1, number);
	}
	for (size_t i = one->first; i < one->first + one->count; i++) {
		size_t interval = graph->joins->arrivals[i];

		add(graph, interval, number);
		if (next_block(graph->tree, interval) != NOWHERE)
			add(graph, number, next_block(graph->tree, interval));
	}
}

/* By `from`; first[i] to first[i + 1] are those of i. */
static void sort_links(struct graph *graph)
{
	struct link *sorted = xcalloc(graph->link_count, sizeof(*sorted));
	size_t *next = xcalloc(graph->count + 2, sizeof(*next));

	for (size_t i = 0; i < graph->link_count; i++)
		next[graph->links[i].from + 2]++;
	for (size_t i = 2; i < graph->count + 2; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < graph->link_count; i++)
		sorted[next[graph->links[i].from + 1]++] = graph->links[i];
	free(graph->links);
	graph->links = sorted;
	graph->first = next;
}

static void count_behind(struct graph *graph)
{
	for (size_t i = 0; i < graph->link_count; i++)
		graph->behind[graph->links[i].to]++;
	for (size_t i = 0; i < graph->tree->interval_count; i++)
		if (next_block(graph->tree, i) != NOWHERE)
			graph->behind[i + 1]++;
}

static void graph_init(struct graph *graph, const struct task_tree *tree,
		       const struct task_joins *joins)
{
	*graph = (struct graph){.tree = tree, .joins = joins};
	graph->count = tree->interval_count + joins->count;
	for (size_t i = 0; i < tree->task_count; i++)
		add_child(graph, &tree->tasks[i]);
	for (size_t i = 0; i < tree->sync_count; i++)
		add_sync(graph, &tree->syncs[i]);
	for (size_t i = 0; i < joins->count; i++)
		add_join(graph, i);
	sort_links(graph);
	graph->behind = xcalloc(graph->count, sizeof(*graph->behind));
	graph->done = xcalloc(graph->count, sizeof(*graph->done));
	graph->at_ns = xcalloc(graph->count, sizeof(*graph->at_ns));
	graph->before = xcalloc(graph->count, sizeof(*graph->before));
	graph->ready = xcalloc(graph->count, sizeof(*graph->ready));
	for (size_t i = 0; i < graph->count; i++)
		graph->before[i] = NOWHERE;
	count_behind(graph);
}

static void graph_release(struct graph *graph)
{
	free(graph->links);
	free(graph->first);
	free(graph->behind);
	free(graph->done);
	free(graph->at_ns);
	free(graph->before);
	free(graph->ready);
}

/* --- The longest path ---------------------------------------------------------------------- */

static uint64_t end_of(const struct graph *graph, size_t number)
{
	uint64_t running_ns = number < graph->tree->interval_count
				      ? graph->tree->intervals[number].running_ns
				      : 0;

	return graph->at_ns[number] + running_ns;
}

static void pass_on(struct graph *graph, size_t from, size_t to)
{
	if (graph->done[to])
		return; /* it was taken as first */
	if (graph->before[to] == NOWHERE || end_of(graph, from) > graph->at_ns[to]) {
		graph->at_ns[to] = end_of(graph, from);
		graph->before[to] = from;
	}
	if (!--graph->behind[to])
		graph->ready[graph->ready_count++] = to;
}

static void do_ready(struct graph *graph)
{
	while (graph->ready_count) {
		size_t number = graph->ready[--graph->ready_count];

		graph->done[number] = true;
		if (number < graph->tree->interval_count &&
		    next_block(graph->tree, number) != NOWHERE)
			pass_on(graph, number, number + 1);
		for (size_t i = graph->first[number]; i < graph->first[number + 1]; i++)
			pass_on(graph, number, graph->links[i].to);
	}
}

/* Where blocks go round in a circle the first one of them is taken as that. */
static void do_all(struct graph *graph, uint64_t *contradictions)
{
	for (size_t i = 0; i < graph->count; i++)
		if (!graph->behind[i])
			graph->ready[graph->ready_count++] = i;
	do_ready(graph);
	for (size_t i = 0; i < graph->count; i++) {
		if (graph->done[i])
			continue;
		++*contradictions;
		graph->ready[graph->ready_count++] = i;
		do_ready(graph);
	}
}

static void find_path(struct dag_path *path, const struct graph *graph)
{
	size_t last = 0, count = 0;

	for (size_t i = 0; i < graph->count; i++)
		if (end_of(graph, i) > end_of(graph, last))
			last = i;
	if (!graph->count)
		return;
	path->span_ns = end_of(graph, last);
	for (size_t i = last; i != NOWHERE; i = graph->before[i])
		path->step_count++;
	path->steps = xcalloc(path->step_count, sizeof(*path->steps));
	for (size_t i = last; i != NOWHERE; i = graph->before[i])
		path->steps[path->step_count - ++count] = i;
}

void dag_path_init(struct dag_path *path, const struct task_tree *tree)
{
	struct graph graph;

	*path = (struct dag_path){.steps = NULL};
	task_joins_init(&path->joins, tree);
	graph_init(&graph, tree, &path->joins);
	do_all(&graph, &path->contradictions);
	find_path(path, &graph);
	graph_release(&graph);
}

void dag_path_release(struct dag_path *path)
{
	task_joins_release(&path->joins);
	free(path->steps);
	*path = (struct dag_path){.steps = NULL};
}
