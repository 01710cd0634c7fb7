/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "report/dag/task_name.h"
#include "report/report_quality.h"
#include "report/report_text.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Words --------------------------------------------------------------------------------- */

/* "section", "subtree", "group", "rest", "join" */
static const char *kind_word(enum dag_node_kind kind)
{
	static const char *const names[] = {
		[DAG_SECTION] = "section", [DAG_SUBTREE] = "subtree", [DAG_GROUP] = "group",
		[DAG_REST] = "rest",	   [DAG_JOIN] = "join",
	};

	return names[kind];
}

static const char *span_text(char text[VALUE_SIZE], uint64_t ns)
{
	return format_value(text, (double)ns / 1e9, UNIT_SPAN);
}

/* The place in the source where a node begins, if it is one place; else in a function "?". */
static struct site_name node_site(const struct dag_view *view, const struct dag_node *node)
{
	bool is_known = node->site != TASK_UNKNOWN_SITE || node->kind == DAG_REST;

	return task_site_name(view->tree,
			      is_known ? node->site : view->tree->tasks[node->task].site);
}

/* The last part of a path. */
static char *file_text(const struct site_name *site)
{
	const char *slash = memrchr(site->file, '/', (size_t)site->file_length);
	const char *name = slash ? slash + 1 : site->file;

	return xasprintf("%.*s", (int)(site->file + site->file_length - name), name);
}

/* "fib fib.c:17", and "-23" where a section ends there. */
static char *site_text(const struct dag_view *view, const struct dag_node *node)
{
	struct site_name begin = node_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	char *name = task_name(begin.function, (size_t)begin.function_length), *file, *text;

	if (!begin.file)
		return name;
	file = file_text(&begin);
	if (node->kind != DAG_SECTION || !end.file || end.line <= begin.line)
		text = xasprintf("%s %s:%u", name, file, begin.line);
	else
		text = xasprintf("%s %s:%u-%u", name, file, begin.line, end.line);
	free(file);
	free(name);
	return text;
}

/* "fib fib.c:17-23", "fib", "barrier", "17 other roots": the name of a node. To be freed. */
static char *node_name(const struct dag_view *view, const struct dag_node *node)
{
	if (node->kind == DAG_JOIN)
		return xstrdup("barrier");
	if (node->kind == DAG_REST)
		return xasprintf("%" PRIu64 " other roots", node->members);
	return site_text(view, node);
}

/* "1.23 ms, 4 blocks", "15.0 ms, 3 x 5 tasks": the content of a node. To be freed. */
static char *node_content(const struct dag_node *node)
{
	char time[VALUE_SIZE];

	span_text(time, node->work_ns);
	if (node->kind == DAG_JOIN)
		return xstrdup("");
	if (node->kind == DAG_SECTION)
		return xasprintf("%s, %" PRIu64 " block%s", time, node->blocks,
				 plural(node->blocks, "", "s"));
	if (node->kind == DAG_GROUP)
		return xasprintf("%s, %" PRIu64 " alike, %" PRIu64 " task%s", time, node->members,
				 node->tasks, plural(node->tasks, "", "s"));
	return xasprintf("%s, %" PRIu64 " task%s", time, node->tasks, plural(node->tasks, "", "s"));
}

static char *count_text(const struct task_counter *counter, uint64_t value)
{
	char span[VALUE_SIZE];

	if (value == TASK_COUNT_UNKNOWN)
		return xasprintf("%s ?", counter->name);
	if (counter->in_ns)
		return xasprintf("%s %s", counter->name, span_text(span, value));
	return xasprintf("%s %" PRIu64, counter->name, value);
}

/* "switches 3, faults ?": of those that are shown; "". To be freed. */
static char *node_counts(const struct dag_view *view, const struct dag_node *node)
{
	const uint64_t *counts = dag_counts(view->dag, (size_t)(node - view->dag->nodes));
	char *text = xstrdup("");

	for (size_t i = 0; i < view->shown_count && node->kind != DAG_JOIN; i++) {
		size_t counter = view->shown[i];
		char *one = count_text(&view->tree->counters.items[counter], counts[counter]);
		char *longer = xasprintf("%s%s%s", text, i ? ", " : "", one);

		free(one);
		free(text);
		text = longer;
	}
	return text;
}

/* --- Sentences ----------------------------------------------------------------------------- */

/* Work, span and what follows, in a sentence. To be freed. */
static char *verdict_text(const struct dag_view *view)
{
	char work[VALUE_SIZE], span[VALUE_SIZE];
	const struct dag *dag = view->dag;

	if (!dag->span_ns)
		return xasprintf("%zu tasks in %u levels did nothing that takes time on a CPU.",
				 view->tree->task_count, view->tree->levels);
	return xasprintf("%zu task%s in %u level%s did %s of work; the critical path takes %s, so "
			 "that no more than %.2f cores can be busy on average.",
			 view->tree->task_count, plural(view->tree->task_count, "", "s"),
			 view->tree->levels, plural(view->tree->levels, "", "s"),
			 span_text(work, dag->work_ns), span_text(span, dag->span_ns),
			 (double)dag->work_ns / (double)dag->span_ns);
}

/* "3 steps WHAT", or NULL for none. */
static char *count_note(uint64_t count, const char *noun, const char *what)
{
	return count ? xasprintf("%" PRIu64 " %s%s %s", count, noun, plural(count, "", "s"), what)
		     : NULL;
}

static char *shape_note(const struct dag_view *view)
{
	const struct dag *dag = view->dag;

	if (!view->options.max_nodes || dag->all_nodes <= view->options.max_nodes)
		return NULL;
	return xasprintf(
		"There are %" PRIu64 " nodes, and room for %zu: %s%s%s. --max-nodes %" PRIu64
		" shows them all.",
		dag->all_nodes, view->options.max_nodes,
		dag->is_lowered ? "a task and all below it are one node" : "",
		dag->is_lowered && dag->is_grouped ? ", and " : "",
		dag->is_grouped ? "siblings that are alike are one node" : "", dag->all_nodes);
}

static char *level_note(const struct dag_view *view)
{
	if (view->dag->level >= view->tree->levels)
		return NULL;
	return xasprintf("At level %u of %u a node stands for a task and all below it.",
			 view->dag->level, view->tree->levels);
}

static char *states_note(const struct dag_view *view)
{
	char time[VALUE_SIZE];

	if (!view->tree->has_states)
		return xstrdup("The scheduler is not on record: times are those of blocks, on a "
			       "CPU or not.");
	if (!view->tree->unknown_ns)
		return NULL;
	return xasprintf("For %s in blocks it is not known whether they were on a CPU; they count "
			 "as if they had been.",
			 span_text(time, view->tree->unknown_ns));
}

static char *doubt_note(const struct dag_view *view, size_t i)
{
	const struct task_tree *tree = view->tree;

	switch (i) {
	case 0:
		return states_note(view);
	case 1:
		return count_note(tree->lost, "step",
				  "of tasks lost: what is missing between tasks may be, too.");
	case 2:
		return count_note(tree->orphans, "step", "of tasks that are not known, left out.");
	case 3:
		return count_note(tree->never_begun, "task",
				  "known by children only, as the beginning is not on record.");
	case 4:
		return count_note(tree->never_run, "task",
				  "that a parent has spawned and that never began.");
	case 5:
		return count_note(tree->never_ended, "task", "that never ended on record.");
	case 6:
		return count_note(tree->never_synced, "task",
				  "that no sync has waited for: nothing comes behind.");
	default:
		return count_note(view->dag->contradictions, "block",
				  "that by the clocks would come before itself: what it waited "
				  "for is left out there.");
	}
}

enum { DOUBTS = 8 };

/*
 * The i-th sentence on what is left out or doubtful, from 0 on, or NULL: there are no more. To be
 * freed.
 */
static char *note_text(const struct dag_view *view, size_t i)
{
	size_t found = 0;

	for (size_t k = 0; k < DOUBTS + 2; k++) {
		char *note = k == 0   ? shape_note(view)
			     : k == 1 ? level_note(view)
				      : doubt_note(view, k - 2);

		if (note && found++ == i)
			return note;
		free(note);
	}
	return NULL;
}

/* --- The graph in the language of graphviz ------------------------------------------------- */

static const char beginning[] =
	"digraph tasks {\n"
	"\tnode [shape=box, style=filled, fillcolor=\"#eef3fa\", color=\"#4f6d94\",\n"
	"\t\tfontname=\"sans-serif\", fontsize=10];\n"
	"\tedge [color=\"#4f6d94\", fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];\n";

/* As kinds of edges are drawn; "next" is what a task does behind what it waits for. */
static const char *const styles[DAG_EDGE_KINDS] = {
	[DAG_NEXT] = "style=dotted",
	[DAG_SPAWN] = "style=solid",
	[DAG_CALL] = "style=solid, arrowhead=empty",
	[DAG_RETURN] = "style=dashed, arrowhead=empty",
	[DAG_SYNC] = "style=dashed",
	[DAG_BARRIER] = "style=dashed, color=\"#8a8a8a\"",
};

#define CRITICAL "color=\"#c4161c\", penwidth=2.5"

/* Would graphviz take what begins with '&' for a character: "&lt;", "&#60;"? */
static bool is_entity(const char *text)
{
	return *text == '&' && (text[1] == '#' || isalpha((unsigned char)text[1]));
}

/* Between quotes, where a backslash and a quote stand for themselves. */
static void put_text(FILE *out, const char *name)
{
	char *text = printable(PRINTABLE_TEXT, name, PRINTABLE_WHOLE);

	for (const char *at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		fputc(*at, out);
		if (is_entity(at))
			fputs("amp;", out);
	}
	free(text);
}

static void put_node(FILE *out, const struct dag_view *view, size_t number)
{
	const struct dag_node *node = &view->dag->nodes[number];
	char *lines[] = {node_name(view, node), node_content(node), node_counts(view, node)};

	fprintf(out, "\tn%zu [label=\"", number);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		fputs(i && *lines[i] ? "\\n" : "", out);
		put_text(out, lines[i]);
		free(lines[i]);
	}
	fputc('"', out);
	if (node->kind == DAG_JOIN)
		fputs(", shape=diamond", out);
	else if (node->kind != DAG_SECTION)
		fputs(", peripheries=2", out);
	if (node->critical)
		fputs(", " CRITICAL, out);
	fputs("];\n", out);
}

static void put_edge(FILE *out, const struct dag_edge *edge)
{
	fprintf(out, "\tn%u -> n%u [%s", edge->from, edge->to, styles[edge->kind]);
	if (edge->count > 1)
		fprintf(out, ", label=\"%" PRIu64 "\"", edge->count);
	if (edge->critical)
		fputs(", " CRITICAL, out);
	fputs("];\n", out);
}

static void put_comment(FILE *out, char *text)
{
	fputs("// ", out);
	printable_put(out, PRINTABLE_DATA, text);
	fputc('\n', out);
	free(text);
}

void dag_dot_write(FILE *out, const struct dag_view *view)
{
	char *note;

	put_comment(out, verdict_text(view));
	for (size_t i = 0; (note = note_text(view, i)); i++)
		put_comment(out, note);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		if ((note = report_quality_sentence(&view->tree->quality, fact)))
			put_comment(out, note);
	fputs(beginning, out);
	for (size_t i = 0; i < view->dag->node_count; i++)
		put_node(out, view, i);
	for (size_t i = 0; i < view->dag->edge_count; i++)
		put_edge(out, &view->dag->edges[i]);
	fputs("}\n", out);
}

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
	struct site_name begin = node_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	bool is_of_task = node->kind != DAG_JOIN && node->kind != DAG_REST;
	char function[NAME_ROOM], file[NAME_ROOM], path[PATH_ROOM];
	const char *tree_path =
		is_of_task ? task_tree_path(path, sizeof(path), view->tree, node->task) : NULL;
	const struct cell cells[] = {
		count_cell(number),
		cell_text(kind_word(node->kind)),
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
	char *note = verdict_text(view);

	report_note(report, "%s", note);
	free(note);
	for (size_t i = 0; (note = note_text(view, i)); i++) {
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
