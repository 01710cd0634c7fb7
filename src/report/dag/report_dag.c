/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "base/alloc.h"
#include "report/dag/dag_dot.h"
#include "report/report_quality.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes of a path with its NUL: one that has more is null. */
enum { PATH_ROOM = 1024, NAME_ROOM = 4096 };

/* --- Facts --------------------------------------------------------------------------------- */

static const struct column facts[] = {
	{"work_s", "", UNIT_SECONDS, 0},      {"span_s", "", UNIT_SECONDS, 0},
	{"parallelism", "", UNIT_DECIMAL, 0}, {"tasks", "", UNIT_NONE, 0},
	{"blocks", "", UNIT_NONE, 0},	      {"levels", "", UNIT_NONE, 0},
	{"level", "", UNIT_NONE, 0},	      {"lowered", "", UNIT_NONE, 0},
	{"grouped", "", UNIT_NONE, 0},	      {"all_nodes", "", UNIT_NONE, 0},
	{"scheduler", "", UNIT_NONE, 0},      {"unknown_s", "", UNIT_SECONDS, 0},
	{"never_begun", "", UNIT_NONE, 0},    {"never_run", "", UNIT_NONE, 0},
	{"never_ended", "", UNIT_NONE, 0},    {"never_synced", "", UNIT_NONE, 0},
	{"orphans", "", UNIT_NONE, 0},	      {"steps_lost", "", UNIT_NONE, 0},
	{"contradictions", "", UNIT_NONE, 0},
};

static const struct table facts_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = facts,
	.column_count = COUNT(facts),
};

static struct cell count_cell(uint64_t count)
{
	return cell_count((int64_t)count);
}

static void write_facts(struct report *report, const struct dag_view *view)
{
	const struct task_tree *tree = view->tree;
	const struct dag *dag = view->dag;

	report_begin(report, &facts_table);
	report_row(report, (struct cell[]){
				   cell_seconds(dag->work_ns),
				   cell_seconds(dag->span_ns),
				   cell_number((double)dag->work_ns / (double)dag->span_ns),
				   count_cell(tree->task_count),
				   count_cell(tree->interval_count),
				   count_cell(tree->levels),
				   dag->level < tree->levels ? count_cell(dag->level) : cell_null(),
				   cell_bool(dag->is_lowered),
				   cell_bool(dag->is_grouped),
				   count_cell(dag->all_nodes),
				   cell_bool(tree->has_states),
				   cell_seconds(tree->unknown_ns),
				   count_cell(tree->never_begun),
				   count_cell(tree->never_run),
				   count_cell(tree->never_ended),
				   count_cell(tree->never_synced),
				   count_cell(tree->orphans),
				   count_cell(tree->lost),
				   count_cell(dag->contradictions),
			   });
	report_end(report);
}

/* --- Nodes --------------------------------------------------------------------------------- */

static const struct column nodes[] = {
	{"id", "", UNIT_NONE, 0},	  {"kind", "", UNIT_NONE, 0},
	{"function", "", UNIT_NONE, 0},	  {"file", "", UNIT_NONE, 0},
	{"line", "", UNIT_NONE, 0},	  {"line_end", "", UNIT_NONE, 0},
	{"level", "", UNIT_NONE, 0},	  {"tree_path", "", UNIT_NONE, 0},
	{"section", "", UNIT_NONE, 0},	  {"in_place", "", UNIT_NONE, 0},
	{"members", "", UNIT_NONE, 0},	  {"tasks", "", UNIT_NONE, 0},
	{"blocks", "", UNIT_NONE, 0},	  {"work_s", "", UNIT_SECONDS, 0},
	{"critical", "", UNIT_NONE, 0},	  {"critical_s", "", UNIT_SECONDS, 0},
	{"begin_s", "", UNIT_SECONDS, 0}, {"end_s", "", UNIT_SECONDS, 0},
};

/* Behind these the counters of the tree, by their names. */
struct node_rows {
	const struct dag_view *view;
	struct column *columns;
	char **keys; /* of the counters, to be freed */
	struct cell *cells;
	size_t counters;
};

static void node_rows_init(struct node_rows *rows, const struct dag_view *view)
{
	const struct task_counters *counters = &view->tree->counters;

	*rows = (struct node_rows){.view = view, .counters = counters->count};
	rows->columns = xcalloc(COUNT(nodes) + counters->count, sizeof(*rows->columns));
	rows->cells = xcalloc(COUNT(nodes) + counters->count, sizeof(*rows->cells));
	rows->keys = xcalloc(counters->count + 1, sizeof(*rows->keys));
	memcpy(rows->columns, nodes, sizeof(nodes));
	for (size_t i = 0; i < counters->count; i++) {
		rows->keys[i] = xasprintf("%s%s", counters->items[i].name,
					  counters->items[i].in_ns ? "_ns" : "");
		rows->columns[COUNT(nodes) + i] = (struct column){.key = rows->keys[i]};
	}
}

static void node_rows_release(struct node_rows *rows)
{
	for (size_t i = 0; i < rows->counters; i++)
		free(rows->keys[i]);
	free(rows->keys);
	free(rows->cells);
	free(rows->columns);
}

static struct cell part_cell(char text[NAME_ROOM], const char *part, int length)
{
	size_t kept = length < NAME_ROOM ? (size_t)length : NAME_ROOM - 1;

	if (!part)
		return cell_null();
	memcpy(text, part, kept);
	text[kept] = '\0';
	return cell_text(text);
}

static struct cell line_cell(const struct site_name *name)
{
	return name->file ? cell_count(name->line) : cell_null();
}

static struct cell since_cell(const struct dag_view *view, uint64_t time_ns)
{
	return cell_number((double)(int64_t)(time_ns - view->tree->origin_ns) / 1e9);
}

static struct cell counted_cell(uint64_t value)
{
	return value == TASK_COUNT_UNKNOWN ? cell_null() : count_cell(value);
}

static void write_node(struct report *report, struct node_rows *rows, size_t number)
{
	const struct dag_view *view = rows->view;
	const struct dag_node *node = &view->dag->nodes[number];
	struct site_name begin = dag_view_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	bool is_of_task = node->kind != DAG_JOIN && node->kind != DAG_REST;
	char function[NAME_ROOM], file[NAME_ROOM], path[PATH_ROOM];
	const char *tree_path =
		is_of_task ? task_tree_path(path, sizeof(path), view->tree, node->task) : NULL;
	const struct cell cells[] = {
		count_cell(number),
		cell_text(dag_view_kind(node->kind)),
		is_of_task ? part_cell(function, begin.function, begin.function_length)
			   : cell_null(),
		is_of_task ? part_cell(file, begin.file, begin.file_length) : cell_null(),
		is_of_task ? line_cell(&begin) : cell_null(),
		node->kind == DAG_SECTION ? line_cell(&end) : cell_null(),
		count_cell(node->level),
		cell_text(tree_path),
		node->kind == DAG_SECTION ? count_cell(node->section) : cell_null(),
		cell_bool(node->in_place),
		count_cell(node->members),
		count_cell(node->tasks),
		count_cell(node->blocks),
		cell_seconds(node->work_ns),
		cell_bool(node->critical),
		cell_seconds(node->critical_ns),
		since_cell(view, node->begin_ns),
		since_cell(view, node->end_ns),
	};

	memcpy(rows->cells, cells, sizeof(cells));
	for (size_t i = 0; i < rows->counters; i++)
		rows->cells[COUNT(nodes) + i] = counted_cell(dag_counts(view->dag, number)[i]);
	report_row(report, rows->cells);
}

static void write_nodes(struct report *report, const struct dag_view *view)
{
	struct node_rows rows;
	struct table table = {.key = "nodes",
			      .layout = LAYOUT_ROWS,
			      .in = REPORT_CSV | REPORT_JSON,
			      .column_count = COUNT(nodes) + view->tree->counters.count};

	node_rows_init(&rows, view);
	table.columns = rows.columns;
	report_begin(report, &table);
	for (size_t i = 0; i < view->dag->node_count; i++)
		write_node(report, &rows, i);
	report_end(report);
	node_rows_release(&rows);
}

/* --- Edges --------------------------------------------------------------------------------- */

static const struct column edges[] = {
	{"from", "", UNIT_NONE, 0},	{"to", "", UNIT_NONE, 0},    {"kind", "", UNIT_NONE, 0},
	{"critical", "", UNIT_NONE, 0}, {"count", "", UNIT_NONE, 0},
};

static const struct table edges_table = {
	.key = "edges",
	.layout = LAYOUT_ROWS,
	.in = REPORT_JSON,
	.columns = edges,
	.column_count = COUNT(edges),
};

static void write_edge(struct report *report, const struct dag_edge *edge)
{
	report_row(report, (struct cell[]){
				   cell_count(edge->from),
				   cell_count(edge->to),
				   cell_text(dag_edge_name(edge->kind)),
				   cell_bool(edge->critical),
				   count_cell(edge->count),
			   });
}

/* --- All of it ----------------------------------------------------------------------------- */

static void write_text(struct report *report, const struct dag_view *view)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	dag_dot_write(out, view);
	fclose(out);
	text[size - 1] = '\0'; /* its last line ends with what report_line ends it with */
	report_line(report, "%s", text);
	free(text);
}

static void write_notes(struct report *report, const struct dag_view *view)
{
	char *note = dag_view_verdict(view);

	report_note(report, "%s", note);
	free(note);
	for (size_t i = 0; (note = dag_view_note(view, i)); i++) {
		report_warning(report, "%s", note);
		free(note);
	}
}

void report_dag(struct report *report, const struct dag_view *view, bool is_drawn)
{
	write_facts(report, view);
	write_nodes(report, view);
	report_begin(report, &edges_table);
	for (size_t i = 0; i < view->dag->edge_count; i++)
		write_edge(report, &view->dag->edges[i]);
	report_end(report);
	if (is_drawn)
		write_notes(report, view);
	else if (report_shows(report, REPORT_TEXT))
		write_text(report, view);
	if (is_drawn || !report_shows(report, REPORT_TEXT))
		report_quality(report, &view->tree->quality);
}
