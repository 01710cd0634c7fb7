/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/dag.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "draw/random_tasks.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node as "1.0", task and section; "2" for a task and all below it, "2x3" for three, "*" for
 * joins.
 */
static void print_node(FILE *out, const struct task_tree *tree, const struct dag_node *node)
{
	uint64_t id = tree->tasks[node->task].id;

	if (node->kind == DAG_SECTION)
		fprintf(out, "%" PRIu64 ".%u", id, node->section);
	else if (node->kind == DAG_SUBTREE)
		fprintf(out, "%" PRIu64, id);
	else if (node->kind == DAG_JOIN)
		fputs("*", out);
	else if (node->kind == DAG_REST)
		fprintf(out, "rest%" PRIu64, node->members);
	else
		fprintf(out, "%" PRIu64 "x%" PRIu64, id, node->members);
}

/* A line for each node, with its edges: "1.0! -spawn> 2.0 -next!> 1.1"; '!' is critical. */
static char *text_of(const struct dag *dag, const struct task_tree *tree)
{
	char *text = NULL;
	size_t size = 0, edge = 0;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; i < dag->node_count; i++) {
		const struct dag_node *node = &dag->nodes[i];

		print_node(out, tree, node);
		fprintf(out, "%s", node->critical ? "!" : "");
		for (; edge < dag->edge_count && dag->edges[edge].from == i; edge++) {
			fprintf(out, " -%s%s> ", dag_edge_name(dag->edges[edge].kind),
				dag->edges[edge].critical ? "!" : "");
			print_node(out, tree, &dag->nodes[dag->edges[edge].to]);
		}
		fputs("\n", out);
	}
	fclose(out);
	return text;
}

struct drawn_dag {
	struct event_source *source;
	struct task_tree tree;
	struct dag dag;
};

static struct drawn_dag read_dag(const char *const *states, const char *steps,
				 struct dag_options options)
{
	struct drawn_dag drawn = {.source = task_drawing(states, steps)};

	task_drawing_read(&drawn.tree, drawn.source);
	dag_init(&drawn.dag, &drawn.tree, &options);
	return drawn;
}

static void release(struct drawn_dag *drawn)
{
	dag_release(&drawn->dag);
	task_tree_release(&drawn->tree);
	event_source_free(drawn->source);
}

static const struct dag_options all = {.level = UINT32_MAX};

static void assert_dag(const char *steps, struct dag_options options, const char *want)
{
	struct drawn_dag drawn = read_dag(NULL, steps, options);
	char *got = text_of(&drawn.dag, &drawn.tree);

	assert_string_equal(got, want);
	free(got);
	release(&drawn);
}

static void assert_times(const char *steps, uint64_t work_us, uint64_t span_us)
{
	struct drawn_dag drawn = read_dag(NULL, steps, all);

	assert_int_equal(drawn.dag.work_ns, work_us * 1000);
	assert_int_equal(drawn.dag.span_ns, span_us * 1000);
	release(&drawn);
}

/* --- Nodes and edges ----------------------------------------------------------------------- */

/* Figure 5 of the paper: a parent of four nodes; the first node has four blocks. */
#define FIGURE_5                                                                                 \
	"0 a 1 begin 0.0; 1 a 1 spawn 0; 1 a 1 spawned; 2 a 1 spawn 1; 2 a 1 spawned;"           \
	"3 a 1 spawn 2; 3 a 1 spawned; 4 a 1 sync_of 0; 4 a 1 sync_of 1; 4 a 1 sync;"            \
	"1 b 10 begin 1.0; 5 b 10 end; 2 c 11 begin 1.1; 6 c 11 end; 5 b 12 begin 1.2; "         \
	"9 b 12 end; 6 a 1 synced; 7 a 1 spawn 3; 7 a 1 spawned; 8 a 1 spawn 4; 8 a 1 spawned; " \
	"9 a 1 sync_of 2; 9 a 1 sync_of 4; 9 a 1 sync; 9 b 14 begin 1.4; 9 c 13 begin 1.3;"      \
	"12 b 14 end; 12 a 1 synced; 13 a 1 sync_of 3; 13 a 1 sync; 20 c 13 end; 20 a 1 synced;" \
	"21 a 1 end"

static void the_parent_of_figure_5_has_four_nodes(void **state)
{
	(void)state;
	assert_dag(FIGURE_5, all,
		   "1.0! -next> 1.1 -spawn> 10.0 -spawn!> 11.0 -spawn> 12.0\n"
		   "1.1! -next> 1.2 -spawn> 14.0 -spawn!> 13.0\n"
		   "1.2 -next> 1.3\n"
		   "1.3!\n"
		   "10.0 -sync> 1.1\n"
		   "11.0! -sync!> 1.1\n"
		   "12.0 -sync> 1.2\n"
		   "14.0 -sync> 1.2\n"
		   "13.0! -sync!> 1.3\n");
}

static void the_first_node_of_figure_5_has_four_blocks(void **state)
{
	struct drawn_dag drawn = read_dag(NULL, FIGURE_5, all);

	(void)state;
	assert_int_equal(drawn.dag.nodes[0].blocks, 4);
	assert_int_equal(drawn.dag.nodes[0].work_ns, 4000);
	assert_int_equal(drawn.dag.nodes[1].blocks, 3);
	release(&drawn);
}

static void a_child_in_place_splits_its_parent(void **state)
{
	(void)state;
	assert_dag("0 a 1 begin 0.0; 2 a 2 begin 1.0; 5 a 2 end; 9 a 1 end", all,
		   "1.0! -next> 1.1 -call!> 2.0\n"
		   "1.1!\n"
		   "2.0! -return!> 1.1\n");
}

static void siblings_meet_at_a_barrier(void **state)
{
	(void)state;
	assert_dag("0 c 1 begin 0.0; 0 c 1 spawn 0; 0 c 1 spawned; 0 c 1 spawn 1; 0 c 1 spawned;"
		   "0 c 1 sync; 0 a 2 begin 1.0; 0 b 3 begin 1.1; 2 b 3 barrier; 5 a 2 barrier;"
		   "5 a 2 resume; 5 b 3 resume; 10 b 3 end; 7 a 2 end; 11 c 1 synced; 12 c 1 end",
		   all,
		   "1.0! -next> 1.1 -spawn!> 2.0 -spawn> 3.0\n"
		   "1.1!\n"
		   "2.0! -next> 2.1 -barrier!> *\n"
		   "2.1 -sync> 1.1\n"
		   "3.0 -next> 3.1 -barrier> *\n"
		   "3.1! -sync!> 1.1\n"
		   "*! -barrier> 2.1 -barrier!> 3.1\n");
}

static void ended_children_of_siblings_come_before_their_barrier(void **state)
{
	(void)state; /* 4, of task 2, ends before a sibling continues, and 5, of task 3, does not */
	assert_dag("0 c 1 begin 0.0; 0 c 1 spawn 0; 0 c 1 spawned; 0 c 1 spawn 1; 0 c 1 spawned;"
		   "0 c 1 sync; 0 a 2 begin 1.0; 0 b 3 begin 1.1; 1 a 2 spawn 0; 1 a 2 spawned;"
		   "1 b 3 spawn 0; 1 b 3 spawned; 2 b 3 barrier; 3 a 2 barrier; 3 a 4 begin 2.0;"
		   "4 b 5 begin 3.0; 6 a 4 end; 7 a 2 resume; 9 b 5 end; 10 b 3 resume; 11 b 3 end;"
		   "11 a 2 end; 12 c 1 synced; 13 c 1 end",
		   all,
		   "1.0! -next> 1.1 -spawn!> 2.0 -spawn> 3.0\n"
		   "1.1!\n"
		   "2.0! -next> 2.1 -spawn!> 4.0 -barrier> *\n"
		   "2.1! -sync!> 1.1\n"
		   "3.0 -next> 3.1 -spawn> 5.0 -barrier> *\n"
		   "3.1 -sync> 1.1\n"
		   "4.0! -barrier!> *\n"
		   "5.0 -sync> 1.1\n"
		   "*! -barrier!> 2.1 -barrier> 3.1\n");
}

static void a_pause_splits_no_node(void **state)
{
	(void)state;
	assert_dag("0 a 1 begin 0.0; 2 a 1 pause; 5 b 1 resume; 9 b 1 end", all, "1.0!\n");
}

static void a_task_that_is_never_synced_has_no_edge_out(void **state)
{
	(void)state;
	assert_dag("0 a 1 begin 0.0; 1 a 1 spawn 0; 1 a 1 spawned; 1 b 2 begin 1.0; 3 a 1 end;"
		   "9 b 2 end",
		   all,
		   "1.0! -spawn!> 2.0\n"
		   "2.0!\n");
}

/* --- Work and span ------------------------------------------------------------------------- */

static void the_span_is_that_of_the_longest_chain(void **state)
{
	(void)state;
	assert_times("0 a 1 begin 0.0; 9 a 1 end", 9, 9);
	/* 1: 0-2, 2-3 | 5-6; 2: 2-4, also with unlimited cores */
	assert_times("0 a 1 begin 0.0; 2 a 1 spawn 0; 2 a 1 spawned; 3 a 1 sync; 3 a 2 begin 1.0;"
		     "5 a 2 end; 5 a 1 synced; 6 a 1 end",
		     6, 5);
	assert_times(FIGURE_5, 35, 2 + 4 + 1 + 11 + 1);
}

static void time_off_cpus_is_in_neither_work_nor_span(void **state)
{
	static const char *const states[] = {"RRRwwwRRRRRR", NULL};
	struct drawn_dag drawn = read_dag(states, "0 a 1 begin 0.0; 10 a 1 end", all);

	(void)state;
	assert_int_equal(drawn.dag.work_ns, 7000);
	assert_int_equal(drawn.dag.span_ns, 7000);
	release(&drawn);
}

/* --- Fewer nodes --------------------------------------------------------------------------- */

#define THREE_LEVELS                                                                          \
	"0 a 1 begin 0.0; 1 a 1 spawn 0; 1 a 1 spawned; 2 a 1 sync; 2 a 2 begin 1.0;"         \
	"3 a 2 spawn 0; 3 a 2 spawned; 4 a 2 sync; 4 a 3 begin 2.0; 7 a 3 end; 7 a 2 synced;" \
	"8 a 2 end; 8 a 1 synced; 9 a 1 end"

static void a_node_of_a_level_stands_for_all_tasks_below_it(void **state)
{
	struct drawn_dag drawn = read_dag(NULL, THREE_LEVELS, (struct dag_options){.level = 1});
	const struct dag_node *node = &drawn.dag.nodes[2];

	(void)state;
	assert_dag(THREE_LEVELS, all,
		   "1.0! -next> 1.1 -spawn!> 2.0\n1.1!\n"
		   "2.0! -next> 2.1 -spawn!> 3.0\n2.1! -sync!> 1.1\n"
		   "3.0! -sync!> 2.1\n");
	assert_dag(THREE_LEVELS, (struct dag_options){.level = 1},
		   "1.0! -next> 1.1 -spawn!> 2\n1.1!\n2! -sync!> 1.1\n");
	assert_dag(THREE_LEVELS, (struct dag_options){.level = 0}, "1!\n");
	assert_int_equal(node->tasks, 2);
	assert_int_equal(node->blocks, 4);
	assert_int_equal(node->work_ns, 6000);
	assert_false(drawn.dag.is_lowered);
	release(&drawn);
}

static void the_level_is_lowered_until_there_are_few_enough_nodes(void **state)
{
	struct dag_options options = {.level = UINT32_MAX, .max_nodes = 4};
	struct drawn_dag drawn = read_dag(NULL, THREE_LEVELS, options);

	(void)state;
	assert_int_equal(drawn.dag.level, 1);
	assert_int_equal(drawn.dag.node_count, 3);
	assert_int_equal(drawn.dag.all_nodes, 5);
	assert_true(drawn.dag.is_lowered);
	release(&drawn);
}

#define WIDE                                                                           \
	"0 a 1 begin 0.0; 1 a 1 spawn 0; 1 a 1 spawned; 1 a 1 spawn 1; 1 a 1 spawned;" \
	"1 a 1 spawn 2; 1 a 1 spawned; 2 a 1 sync; 2 a 2 begin 1.0 @40; 3 a 2 end; "   \
	"3 a 3 begin 1.1 @40; 6 a 3 end; 6 a 4 begin 1.2 @41; 7 a 4 end; 8 a 1 synced; 9 a 1 end"

static void too_many_siblings_from_one_site_become_one_node(void **state)
{
	(void)state;
	assert_dag(WIDE, (struct dag_options){.level = UINT32_MAX, .max_nodes = 4},
		   "1.0! -next> 1.1 -spawn!> 2x2 -spawn> 4.0\n"
		   "1.1!\n"
		   "2x2! -sync!> 1.1\n"
		   "4.0 -sync> 1.1\n");
}

/* The number of page faults of each block is its own number; no other counts. */
static void count_faults(struct task_tree *tree)
{
	uint64_t *values = xcalloc(tree->interval_count + 1, sizeof(*values));

	for (size_t i = 0; i < tree->interval_count; i++)
		values[i] = i;
	tree->counters.items[TASK_FAULTS].values = values;
}

static void check_faults(const struct dag *dag, const struct task_tree *tree)
{
	uint64_t sum = 0, want = 0;

	for (size_t i = 0; i < tree->interval_count; i++)
		want += i;
	assert_int_equal(dag->counter_count, TASK_COUNTERS_DERIVED);
	for (size_t i = 0; i < dag->node_count; i++) {
		sum += dag_counts(dag, i)[TASK_FAULTS];
		assert_true(dag_counts(dag, i)[TASK_SWITCHES] == TASK_COUNT_UNKNOWN);
	}
	assert_int_equal(sum, want);
}

/* The second root has less work, and is the longest chain. */
static void the_rest_is_critical_if_one_of_its_roots_is(void **state)
{
	struct drawn_dag drawn = read_dag(
		NULL,
		"0 a 1 begin 0.0 @40; 1 a 1 spawn 0; 1 a 1 spawned; 1 b 2 begin 1.0; 4 b 2 end;"
		"4 a 1 sync; 4 a 1 synced; 4 a 1 end; 5 a 3 begin 0.1 @41; 10 a 3 end",
		(struct dag_options){.level = UINT32_MAX, .max_nodes = 1});

	(void)state;
	assert_int_equal(drawn.dag.node_count, 1);
	assert_int_equal(drawn.dag.nodes[0].kind, DAG_REST);
	assert_int_equal(drawn.dag.nodes[0].work_ns, 12000);
	assert_int_equal(drawn.dag.nodes[0].critical_ns, 5000);
	assert_true(drawn.dag.nodes[0].critical);
	release(&drawn);
}

static void too_many_roots_are_joined_into_a_rest(void **state)
{
	struct drawn_dag drawn =
		read_dag(NULL,
			 "0 a 1 begin 0.0 @40; 1 a 1 end; 1 a 2 begin 0.0 @41; 5 a 2 end;"
			 "5 a 3 begin 0.0 @42; 6 a 3 end; 6 a 4 begin 0.0 @43; 9 a 4 end",
			 (struct dag_options){.level = UINT32_MAX, .max_nodes = 3});
	const struct dag_node *rest = &drawn.dag.nodes[2];
	struct dag counted;

	(void)state;
	assert_int_equal(drawn.dag.node_count, 3);
	assert_int_equal(drawn.dag.nodes[0].work_ns, 4000);
	assert_int_equal(drawn.dag.nodes[1].work_ns, 3000);
	assert_int_equal(rest->kind, DAG_REST);
	assert_int_equal(rest->members, 2);
	assert_int_equal(rest->work_ns, 2000);
	count_faults(&drawn.tree);
	dag_init(&counted, &drawn.tree, &(struct dag_options){.level = UINT32_MAX, .max_nodes = 3});
	assert_int_equal(dag_counts(&counted, 0)[TASK_FAULTS], 1);
	assert_int_equal(dag_counts(&counted, 1)[TASK_FAULTS], 3);
	assert_int_equal(dag_counts(&counted, 2)[TASK_FAULTS], 0 + 2);
	dag_release(&counted);
	release(&drawn);
}

/* --- Random programs ----------------------------------------------------------------------- */

enum { PROGRAMS = 300, PROGRAM_TASKS = 60, PROGRAM_LEVELS = 6 };

static void check_sums(const struct dag *dag, const struct task_tree *tree)
{
	uint64_t tasks = 0, blocks = 0, work_ns = 0, critical_ns = 0;

	for (size_t i = 0; i < dag->node_count; i++) {
		tasks += dag->nodes[i].tasks;
		blocks += dag->nodes[i].blocks;
		work_ns += dag->nodes[i].work_ns;
		critical_ns += dag->nodes[i].critical_ns;
	}
	assert_int_equal(tasks, tree->task_count);
	assert_int_equal(blocks, tree->interval_count);
	assert_int_equal(work_ns, dag->work_ns);
	assert_int_equal(critical_ns, dag->span_ns);
}

/* The nodes have an order in which edges lead forward; all nodes on the path are connected.
 */
static void check_edges(const struct dag *dag)
{
	size_t *behind = calloc(dag->node_count, sizeof(*behind)), done = 0, before;
	size_t critical_nodes = 0, critical_edges = 0;

	for (size_t i = 0; i < dag->edge_count; i++) {
		const struct dag_edge *edge = &dag->edges[i];
		bool is_first = !i || edge[-1].from != edge->from || edge[-1].to != edge->to;

		assert_true(edge->from < dag->node_count && edge->to < dag->node_count);
		behind[edge->to]++;
		critical_edges += edge->critical && is_first;
	}
	for (size_t i = 0; i < dag->node_count; i++)
		critical_nodes += dag->nodes[i].critical;
	assert_int_equal(critical_edges, critical_nodes - 1);
	do {
		before = done;
		for (size_t i = 0; i < dag->node_count; i++) {
			if (behind[i])
				continue;
			behind[i] = SIZE_MAX;
			done++;
			for (size_t k = 0; k < dag->edge_count; k++)
				behind[dag->edges[k].to] -= dag->edges[k].from == i;
		}
	} while (done > before);
	assert_int_equal(done, dag->node_count);
	free(behind);
}

static void check_program(const struct random_tasks *tasks, struct random *random)
{
	struct event_source *source = task_drawing_source(tasks->steps, tasks->count);
	struct dag_options options = {.level = (uint32_t)random_below(random, 8)};
	struct task_tree tree;
	struct dag dag;

	if (random_one_in(random, 2))
		options.max_nodes = 1 + random_below(random, 40);
	task_drawing_read(&tree, source);
	dag_init(&dag, &tree, &options);
	assert_int_equal(dag.work_ns, tasks->work_ns);
	assert_int_equal(dag.span_ns, tasks->span_ns);
	assert_int_equal(dag.contradictions, 0);
	assert_true(!options.max_nodes || dag.node_count <= options.max_nodes);
	assert_true(dag.node_count <= dag.all_nodes);
	check_sums(&dag, &tree);
	check_edges(&dag);
	dag_release(&dag);
	task_tree_release(&tree);
	event_source_free(source);
}

static void random_programs_have_their_work_and_span(void **state)
{
	struct random random = {3};

	(void)state;
	for (size_t i = 0; i < PROGRAMS; i++) {
		struct random_tasks tasks;

		random_tasks_make(&tasks, &random, PROGRAM_TASKS, PROGRAM_LEVELS);
		check_program(&tasks, &random);
		random_tasks_release(&tasks);
	}
}

static void steps_in_any_order_make_a_graph(void **state)
{
	enum { STEPS = 80, GRAPHS = 300 };
	struct random random = {5};
	struct event events[STEPS];

	(void)state;
	for (size_t i = 0; i < GRAPHS; i++) {
		struct dag_options options = {.level = (uint32_t)random_below(&random, 5),
					      .max_nodes = random_below(&random, 20)};
		struct event_source *source;
		struct task_tree tree;
		struct dag dag;

		for (size_t k = 0; k < STEPS; k++)
			events[k] = task_drawing_step(
				random_below(&random, 200) * 100, (int32_t)random_below(&random, 3),
				1 + random_below(&random, 12),
				k ? (enum task_step)(1 + random_below(&random, TASK_STEPS))
				  : TASK_BEGIN,
				random_below(&random, 14), (uint32_t)random_below(&random, 3));
		source = task_drawing_source(events, STEPS);
		task_drawing_read(&tree, source);
		count_faults(&tree);
		dag_init(&dag, &tree, &options);
		check_faults(&dag, &tree);
		assert_true(dag.span_ns <= dag.work_ns);
		assert_true(!options.max_nodes || dag.node_count <= options.max_nodes);
		dag_release(&dag);
		task_tree_release(&tree);
		event_source_free(source);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_parent_of_figure_5_has_four_nodes),
	cmocka_unit_test(the_first_node_of_figure_5_has_four_blocks),
	cmocka_unit_test(a_child_in_place_splits_its_parent),
	cmocka_unit_test(siblings_meet_at_a_barrier),
	cmocka_unit_test(ended_children_of_siblings_come_before_their_barrier),
	cmocka_unit_test(a_pause_splits_no_node),
	cmocka_unit_test(a_task_that_is_never_synced_has_no_edge_out),
	cmocka_unit_test(the_span_is_that_of_the_longest_chain),
	cmocka_unit_test(time_off_cpus_is_in_neither_work_nor_span),
	cmocka_unit_test(a_node_of_a_level_stands_for_all_tasks_below_it),
	cmocka_unit_test(the_level_is_lowered_until_there_are_few_enough_nodes),
	cmocka_unit_test(too_many_siblings_from_one_site_become_one_node),
	cmocka_unit_test(too_many_roots_are_joined_into_a_rest),
	cmocka_unit_test(the_rest_is_critical_if_one_of_its_roots_is),
	cmocka_unit_test(random_programs_have_their_work_and_span),
	cmocka_unit_test(steps_in_any_order_make_a_graph),
};

TEST_FILE(tests);
