/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "stats/tasks/dag_private.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* --- The longest chain of segments ----------------------------------------------------------- */

/*
 * The critical path of tasks: of all chains of segments that had to run one after the other, the
 * one with the most time on CPUs. A segment comes behind the segment of its task before it, behind
 * the one that spawned its task, behind the last segments of children that its task waited for or
 * that ran in place, and behind its siblings' segments before a barrier.
 *
 * Memory during the search is some 30 bytes for each segment and 50 for each task.
 */

struct dag_path {
	struct task_joins joins;
	/* From first to last: intervals of the tree; numbers from interval_count on are joins. */
	size_t *steps;
	size_t step_count;
	uint64_t span_ns; /* the length of the path */
	/* Segments that come before themselves, as clocks differ: they count as first. */
	uint64_t contradictions;
};

#define NOWHERE SIZE_MAX

/* `to` comes behind `from`. A segment and the next one of its task need no link. */
struct link {
	size_t from, to;
};

struct graph {
	const struct task_tree *tree;
	const struct task_joins *joins;
	size_t count; /* the number of segments and joins */
	struct link *links;
	size_t link_count, link_capacity;
	size_t *first;	  /* [number]: the first of its links, which are sorted by `from` */
	uint32_t *behind; /* [number]: predecessors that are not done */
	bool *done;
	uint64_t *at_ns; /* [number]: its earliest begin */
	size_t *before;	 /* [number]: the predecessor that sets this begin */
	size_t *ready;	 /* a stack of those with all predecessors done */
	size_t ready_count;
};

static void graph_add(struct graph *graph, size_t from, size_t to)
{
	array_reserve(&graph->links, &graph->link_capacity, graph->link_count + 1);
	graph->links[graph->link_count++] = (struct link){from, to};
}

/* Returns the next segment of the same task, or NOWHERE. */
static size_t next_block(const struct task_tree *tree, size_t interval)
{
	const struct task *task = &tree->tasks[tree->intervals[interval].task];

	return interval + 1 < task->first + task->interval_count ? interval + 1 : NOWHERE;
}

static void graph_add_child(struct graph *graph, const struct task *child)
{
	const struct task_tree *tree = graph->tree;
	size_t spawn, next;

	if (child->parent == TASK_NONE || child->spawn == TASK_NONE || !child->interval_count)
		return;
	spawn = tree->tasks[child->parent].first + child->spawn;
	graph_add(graph, spawn, child->first);
	next = next_block(tree, spawn);
	if (child->in_place && next != NOWHERE)
		graph_add(graph, child->first + child->interval_count - 1, next);
}

static void graph_add_sync(struct graph *graph, const struct task_sync *sync)
{
	const struct task_tree *tree = graph->tree;
	size_t next = next_block(tree, sync->after);

	for (size_t i = 0; i < sync->count && next != NOWHERE; i++) {
		const struct task *child = &tree->tasks[tree->synced[sync->first + i]];

		if (child->interval_count)
			graph_add(graph, child->first + child->interval_count - 1, next);
	}
}

static void graph_add_join(struct graph *graph, size_t join)
{
	const struct task_join *one = &graph->joins->items[join];
	size_t number = graph->tree->interval_count + join;

	for (size_t i = one->first_task; i < one->first_task + one->task_count; i++) {
		const struct task *task = &graph->tree->tasks[graph->joins->tasks[i]];

		if (task->interval_count)
			graph_add(graph, task->first + task->interval_count - 1, number);
	}
	for (size_t i = one->first; i < one->first + one->count; i++) {
		size_t interval = graph->joins->arrivals[i];

		graph_add(graph, interval, number);
		if (next_block(graph->tree, interval) != NOWHERE)
			graph_add(graph, number, next_block(graph->tree, interval));
	}
}

/* Sorts links by `from`; those of i are first[i] to first[i + 1]. */
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
		graph_add_child(graph, &tree->tasks[i]);
	for (size_t i = 0; i < tree->sync_count; i++)
		graph_add_sync(graph, &tree->syncs[i]);
	for (size_t i = 0; i < joins->count; i++)
		graph_add_join(graph, i);
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
		return; /* it counted as first */
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

/* Does all segments. In a circle of segments the first one counts as first. */
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

static void take_longest(struct dag_path *path, const struct graph *graph)
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

static void path_init(struct dag_path *path, const struct task_tree *tree)
{
	struct graph graph;

	*path = (struct dag_path){.steps = NULL};
	task_joins_init(&path->joins, tree);
	graph_init(&graph, tree, &path->joins);
	do_all(&graph, &path->contradictions);
	take_longest(path, &graph);
	graph_release(&graph);
}

static void path_release(struct dag_path *path)
{
	task_joins_release(&path->joins);
	free(path->steps);
	*path = (struct dag_path){.steps = NULL};
}

/* --- Nodes --------------------------------------------------------------------------------- */

#define NO_NODE UINT32_MAX

struct builder {
	struct dag *dag;
	const struct task_tree *tree;
	const struct dag_path *path;
	const struct dag_shape *shape;
	uint32_t *whole;       /* [task]: its node if it is one, or part of one, or NO_NODE */
	uint32_t *of_interval; /* [interval]: its node */
	uint32_t *of_join;
};

const char *dag_edge_name(enum dag_edge_kind kind)
{
	static const char *const names[DAG_EDGE_KINDS] = {"next",   "spawn", "call",
							  "return", "sync",  "barrier"};

	return names[kind];
}

static uint32_t add_node(struct builder *builder, enum dag_node_kind kind, uint32_t task)
{
	struct dag *dag = builder->dag;
	const struct task *one = &builder->tree->tasks[task];
	struct dag_node *node;

	array_reserve(&dag->nodes, &dag->node_capacity, dag->node_count + 1);
	node = &dag->nodes[dag->node_count];
	node->kind = kind;
	node->task = task;
	node->level = one->level;
	node->site = one->site;
	node->site_end = TASK_UNKNOWN_SITE;
	node->in_place = one->in_place;
	node->members = 1;
	node->begin_ns = UINT64_MAX;
	return (uint32_t)dag->node_count++;
}

/* Returns, for each task that is whole, one of those that share its node, the same for all. */
static uint32_t *find_leaders(const struct builder *builder)
{
	uint32_t *leaders = xcalloc(builder->tree->task_count, sizeof(*leaders));
	const struct dag_shape *shape = builder->shape;
	uint32_t leader = NO_NODE;

	for (size_t i = 0; i < builder->tree->task_count; i++) {
		uint32_t task = shape->order[i];

		if (!dag_shape_is_whole(shape, task, builder->dag->level))
			leader = NO_NODE;
		else if (leader == NO_NODE || !dag_shape_is_alike(shape, task, shape->order[i - 1]))
			leader = task;
		leaders[task] = leader;
	}
	return leaders;
}

/* Adds a task that is whole; the first of those that share a node makes it. */
static void add_whole(struct builder *builder, uint32_t task, uint32_t leader)
{
	bool is_level = builder->tree->tasks[task].level == builder->dag->level;
	uint32_t node = builder->whole[leader];

	if (node == NO_NODE) {
		node = add_node(builder, is_level ? DAG_SUBTREE : DAG_SECTION, task);
	} else {
		builder->dag->nodes[node].kind = DAG_GROUP;
		builder->dag->nodes[node].members++;
	}
	builder->whole[task] = builder->whole[leader] = node;
}

static void add_sections(struct builder *builder, uint32_t number)
{
	const struct task *task = &builder->tree->tasks[number];
	uint32_t node = builder->whole[number], section = 0;

	for (size_t i = task->first; i < task->first + task->interval_count; i++) {
		if (builder->whole[number] == NO_NODE && builder->shape->section[i] == i) {
			node = add_node(builder, DAG_SECTION, number);
			builder->dag->nodes[node].section = section++;
			builder->dag->nodes[node].site = TASK_UNKNOWN_SITE;
		}
		builder->of_interval[i] = node;
	}
}

/* A parent comes before its children. */
static void add_tasks(struct builder *builder)
{
	const struct task_tree *tree = builder->tree;
	uint32_t *leaders = find_leaders(builder);

	for (uint32_t i = 0; i < tree->task_count; i++)
		builder->whole[i] = NO_NODE;
	for (uint32_t i = 0; i < tree->task_count; i++) {
		if (tree->tasks[i].level > builder->dag->level)
			builder->whole[i] = builder->whole[tree->tasks[i].parent];
		else if (leaders[i] != NO_NODE)
			add_whole(builder, i, leaders[i]);
		add_sections(builder, i);
	}
	free(leaders);
}

static void add_joins(struct builder *builder)
{
	const struct task_joins *joins = &builder->path->joins;

	for (size_t i = 0; i < joins->count; i++) {
		size_t arrival = joins->arrivals[joins->items[i].first];
		uint32_t task = builder->tree->intervals[arrival].task;

		builder->of_join[i] = NO_NODE;
		if (builder->tree->tasks[task].level >= builder->dag->level)
			continue;
		builder->of_join[i] = add_node(builder, DAG_JOIN, task);
		builder->dag->nodes[builder->of_join[i]].begin_ns = joins->items[i].release_ns;
		builder->dag->nodes[builder->of_join[i]].end_ns = joins->items[i].release_ns;
	}
}

/* Takes sites from steps of the task itself, not of a task in place next to the segment. */
static void name_section(struct dag_node *node, const struct task_interval *interval)
{
	bool begins = interval->step != TASK_END, ends = interval->step_end != TASK_BEGIN;

	if (node->kind != DAG_SECTION)
		return;
	if (node->site == TASK_UNKNOWN_SITE)
		node->site = begins ? interval->site : ends ? interval->site_end : node->site;
	if (ends && interval->site_end != TASK_UNKNOWN_SITE)
		node->site_end = interval->site_end;
	else if (begins)
		node->site_end = interval->site;
}

static void sum_counters(struct builder *builder)
{
	const struct task_counters *counters = &builder->tree->counters;
	struct dag *dag = builder->dag;

	dag->counter_count = counters->count;
	dag->counts = xcalloc(dag->node_count * counters->count + 1, sizeof(*dag->counts));
	for (size_t i = 0; i < counters->count; i++) {
		const struct task_counter *counter = &counters->items[i];

		for (size_t j = 0; j < dag->node_count && !counter->values; j++)
			dag_counts(dag, j)[i] = TASK_COUNT_UNKNOWN;
		for (size_t j = 0; j < builder->tree->interval_count && counter->values; j++) {
			uint64_t *sum = &dag_counts(dag, builder->of_interval[j])[i];

			*sum = task_count_sum(*sum, counter->values[j]);
		}
	}
}

static void sum_interval(struct builder *builder, size_t number)
{
	const struct task_interval *interval = &builder->tree->intervals[number];
	struct dag_node *node = &builder->dag->nodes[builder->of_interval[number]];

	node->blocks++;
	node->work_ns += interval->running_ns;
	builder->dag->work_ns += interval->running_ns;
	if (interval->begin_ns < node->begin_ns)
		node->begin_ns = interval->begin_ns;
	if (interval->end_ns > node->end_ns)
		node->end_ns = interval->end_ns;
	name_section(node, interval);
}

static void sum_up(struct builder *builder)
{
	const struct task_tree *tree = builder->tree;

	for (size_t i = 0; i < tree->interval_count; i++)
		sum_interval(builder, i);
	sum_counters(builder);
	for (size_t i = 0; i < tree->task_count; i++) {
		if (builder->whole[i] != NO_NODE)
			builder->dag->nodes[builder->whole[i]].tasks++;
		else if (tree->tasks[i].interval_count)
			builder->dag->nodes[builder->of_interval[tree->tasks[i].first]].tasks++;
	}
	for (size_t i = 0; i < builder->dag->node_count; i++)
		if (builder->dag->nodes[i].begin_ns == UINT64_MAX) /* without segments */
			builder->dag->nodes[i].begin_ns = builder->dag->nodes[i].end_ns =
				tree->tasks[builder->dag->nodes[i].task].begin_ns;
}

/* --- Edges --------------------------------------------------------------------------------- */

static void add_edge(struct builder *builder, uint32_t from, uint32_t to, enum dag_edge_kind kind)
{
	struct dag *dag = builder->dag;

	if (from == to || from == NO_NODE || to == NO_NODE)
		return;
	array_reserve(&dag->edges, &dag->edge_capacity, dag->edge_count + 1);
	dag->edges[dag->edge_count++] =
		(struct dag_edge){.from = from, .to = to, .kind = kind, .count = 1};
}

static void add_task_edges(struct builder *builder, uint32_t number)
{
	const struct task *task = &builder->tree->tasks[number];
	size_t from = builder->shape->from[number], to = builder->shape->to[number];
	size_t last = task->first + task->interval_count - 1;
	const struct task_joins *joins = &builder->path->joins;
	uint32_t join = joins->of_task ? joins->of_task[number] : 0;

	for (size_t i = task->first; i + 1 < task->first + task->interval_count; i++)
		add_edge(builder, builder->of_interval[i], builder->of_interval[i + 1], DAG_NEXT);
	if (!task->interval_count)
		return;
	if (from != DAG_NO_SECTION)
		add_edge(builder, builder->of_interval[from], builder->of_interval[task->first],
			 task->in_place ? DAG_CALL : DAG_SPAWN);
	if (join)
		add_edge(builder, builder->of_interval[last], builder->of_join[join - 1],
			 DAG_BARRIER);
	else if (to != DAG_NO_SECTION)
		add_edge(builder, builder->of_interval[last], builder->of_interval[to],
			 task->in_place ? DAG_RETURN : DAG_SYNC);
}

static void add_join_edges(struct builder *builder, size_t number)
{
	const struct task_join *join = &builder->path->joins.items[number];
	uint32_t node = builder->of_join[number];

	for (size_t i = join->first; i < join->first + join->count; i++) {
		size_t arrival = builder->path->joins.arrivals[i];
		const struct task *task =
			&builder->tree->tasks[builder->tree->intervals[arrival].task];

		add_edge(builder, builder->of_interval[arrival], node, DAG_BARRIER);
		if (arrival + 1 < task->first + task->interval_count)
			add_edge(builder, node, builder->of_interval[arrival + 1], DAG_BARRIER);
	}
}

static int compare_ends(const struct dag_edge *one, const struct dag_edge *other)
{
	return compare_values(one->from, other->from) ?: compare_values(one->to, other->to);
}

static int compare_edges(const void *a, const void *b)
{
	const struct dag_edge *one = a, *other = b;

	return compare_ends(one, other) ?: (int)one->kind - (int)other->kind;
}

static void merge_edges(struct dag *dag)
{
	size_t count = 0;

	sort_items(dag->edges, dag->edge_count, compare_edges);
	for (size_t i = 0; i < dag->edge_count; i++) {
		if (count && compare_edges(&dag->edges[count - 1], &dag->edges[i]) == 0)
			dag->edges[count - 1].count++;
		else
			dag->edges[count++] = dag->edges[i];
	}
	dag->edge_count = count;
}

/* --- The critical path --------------------------------------------------------------------- */

static uint32_t node_of_step(const struct builder *builder, size_t step)
{
	size_t blocks = builder->tree->interval_count;

	return step < blocks ? builder->of_interval[step] : builder->of_join[step - blocks];
}

/* Marks all edges between two nodes: they are equally critical. */
static void mark_edges(struct dag *dag, uint32_t from, uint32_t to)
{
	struct dag_edge *edges = dag->edges;
	const struct dag_edge key = {.from = from, .to = to};
	size_t i = find_first(k, 0, dag->edge_count, compare_ends(&edges[k], &key) >= 0);

	for (; i < dag->edge_count && compare_ends(&edges[i], &key) == 0; i++)
		edges[i].critical = true;
}

static void mark_path(struct builder *builder)
{
	const struct dag_path *path = builder->path;
	uint32_t before = NO_NODE;

	for (size_t i = 0; i < path->step_count; i++) {
		uint32_t node = node_of_step(builder, path->steps[i]);

		if (node == NO_NODE)
			continue; /* a join within a node */
		builder->dag->nodes[node].critical = true;
		if (path->steps[i] < builder->tree->interval_count)
			builder->dag->nodes[node].critical_ns +=
				builder->tree->intervals[path->steps[i]].running_ns;
		if (before != NO_NODE && before != node)
			mark_edges(builder->dag, before, node);
		before = node;
	}
}

/* --- Joined roots -------------------------------------------------------------------------- */

static int compare_work(const void *a, const void *b, void *context)
{
	const struct dag_node *nodes = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	return compare_values(nodes[k].work_ns, nodes[i].work_ns) ?: compare_values(i, k);
}

static void add_to_rest(struct dag_node *rest, const struct dag_node *node)
{
	rest->kind = DAG_REST;
	rest->site = rest->site_end = TASK_UNKNOWN_SITE;
	rest->members += node->members;
	rest->tasks += node->tasks;
	rest->blocks += node->blocks;
	rest->work_ns += node->work_ns;
	rest->critical_ns += node->critical_ns;
	rest->critical |= node->critical;
	if (node->begin_ns < rest->begin_ns)
		rest->begin_ns = node->begin_ns;
	if (node->end_ns > rest->end_ns)
		rest->end_ns = node->end_ns;
}

/* Moves the nodes that stay to the front, in their order, and adds all others to the last one. */
static void keep_counts(struct dag *dag, const bool *stays, size_t count)
{
	uint64_t *kept = xcalloc(count * dag->counter_count + 1, sizeof(*kept));
	size_t next = 0;

	for (size_t i = 0; i < dag->node_count; i++) {
		size_t to = stays[i] ? next++ : count - 1;

		for (size_t j = 0; j < dag->counter_count; j++) {
			uint64_t *sum = &kept[to * dag->counter_count + j];

			*sum = task_count_sum(*sum, dag_counts(dag, i)[j]);
		}
	}
	free(dag->counts);
	dag->counts = kept;
}

/* Keeps the nodes with the most work, in their order. At level 0 there are no edges. */
static void keep_largest(struct dag *dag, size_t most)
{
	uint32_t *order = xcalloc(dag->node_count, sizeof(*order));
	bool *stays = xcalloc(dag->node_count, sizeof(*stays));
	struct dag_node rest;
	size_t count = 0;

	for (uint32_t i = 0; i < dag->node_count; i++)
		order[i] = i;
	qsort_r(order, dag->node_count, sizeof(*order), compare_work, dag->nodes);
	rest = dag->nodes[order[most - 1]];
	for (size_t i = 0; i < most - 1; i++)
		stays[order[i]] = true;
	for (size_t i = most; i < dag->node_count; i++)
		add_to_rest(&rest, &dag->nodes[order[i]]);
	keep_counts(dag, stays, most);
	for (size_t i = 0; i < dag->node_count; i++)
		if (stays[i])
			dag->nodes[count++] = dag->nodes[i];
	dag->nodes[count++] = rest;
	dag->node_count = count;
	free(order);
	free(stays);
}

/* --- The whole graph --------------------------------------------------------------------- */

static void build(struct builder *builder)
{
	const struct task_tree *tree = builder->tree;

	builder->whole = xcalloc(tree->task_count, sizeof(*builder->whole));
	builder->of_interval = xcalloc(tree->interval_count, sizeof(*builder->of_interval));
	builder->of_join = xcalloc(builder->path->joins.count + 1, sizeof(*builder->of_join));
	add_tasks(builder);
	add_joins(builder);
	sum_up(builder);
	for (uint32_t i = 0; i < tree->task_count; i++)
		add_task_edges(builder, i);
	for (size_t i = 0; i < builder->path->joins.count; i++)
		if (builder->of_join[i] != NO_NODE)
			add_join_edges(builder, i);
	merge_edges(builder->dag);
	mark_path(builder);
	free(builder->whole);
	free(builder->of_interval);
	free(builder->of_join);
}

void dag_init(struct dag *dag, const struct task_tree *tree, const struct dag_options *options)
{
	struct dag_shape shape;
	struct dag_path path;
	struct builder builder = {.dag = dag, .tree = tree, .path = &path, .shape = &shape};

	path_init(&path, tree);
	dag_shape_init(&shape, tree, &path.joins, options);
	*dag = (struct dag){
		.span_ns = path.span_ns,
		.level = shape.level,
		.is_lowered = shape.is_lowered,
		.is_grouped = shape.is_grouped,
		.all_nodes = shape.all_nodes,
		.contradictions = path.contradictions,
	};
	build(&builder);
	dag_add_sites(dag, tree, path.steps, path.step_count);
	if (options->max_nodes && dag->node_count > options->max_nodes)
		keep_largest(dag, options->max_nodes);
	dag_shape_release(&shape);
	path_release(&path);
}

void dag_release(struct dag *dag)
{
	free(dag->nodes);
	free(dag->edges);
	free(dag->counts);
	free(dag->sites);
	*dag = (struct dag){.nodes = NULL};
}
