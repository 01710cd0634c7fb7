/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "report/graph/plot_graph.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Words --------------------------------------------------------------------------------- */

static const char BODY[] = "._omp_fn.", CLONE[] = " [clone ";

char *task_name(const char *function, size_t length)
{
	char *name = xasprintf("%.*s", (int)length, function), *body = strstr(name, BODY), *text;
	const char *number = body ? body + strlen(BODY) : NULL;
	size_t digits = number ? strspn(number, "0123456789") : 0;
	size_t clone = strlen(CLONE), before = body ? (size_t)(body - name) : 0;
	bool is_clone = before > clone && memcmp(body - clone, CLONE, clone) == 0;

	if (!digits || !before || strcmp(number + digits, is_clone ? "]" : "") != 0)
		return name;
	text = xasprintf("%.*s (task %.*s)", (int)(is_clone ? before - clone : before), name,
			 (int)digits, number);
	free(name);
	return text;
}

/* Returns "section", "subtree", "group", "rest", "join". */
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

/*
 * Returns the place in the source where a node begins, if it is one place; else the function "?".
 */
static struct site_name node_site(const struct dag_view *view, const struct dag_node *node)
{
	bool is_known = node->site != TASK_UNKNOWN_SITE || node->kind == DAG_REST;

	return task_site_name(view->tree,
			      is_known ? node->site : view->tree->tasks[node->task].site);
}

/* Returns "fib fib.c:17", with "-23" if a section ends there. */
static char *site_text(const struct dag_view *view, const struct dag_node *node)
{
	struct site_name begin = node_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	char *text = task_name(begin.function, (size_t)begin.function_length);
	const char *slash, *file;

	if (!begin.file)
		return text;
	slash = memrchr(begin.file, '/', (size_t)begin.file_length);
	file = slash ? slash + 1 : begin.file;
	xappend(&text, "", " %.*s:%u", (int)(begin.file + begin.file_length - file), file,
		begin.line);
	if (node->kind == DAG_SECTION && end.file && end.line > begin.line)
		xappend(&text, "", "-%u", end.line);
	return text;
}

/*
 * Returns the name of a node: "fib fib.c:17-23", "fib", "barrier", "17 other roots". The caller
 * frees it.
 */
static char *node_name(const struct dag_view *view, const struct dag_node *node)
{
	if (node->kind == DAG_JOIN)
		return xstrdup("barrier");
	if (node->kind == DAG_REST)
		return xasprintf("%" PRIu64 " other roots", node->members);
	return site_text(view, node);
}

/*
 * Returns the content of a node: "1.23 ms, 4 segments", "15.0 ms, 3 alike, 5 tasks". The caller
 * frees it.
 */
static char *node_content(const struct dag_node *node)
{
	char time[VALUE_SIZE];

	span_text(time, node->work_ns);
	if (node->kind == DAG_JOIN)
		return xstrdup("");
	if (node->kind == DAG_SECTION)
		return xasprintf("%s, %" PRIu64 " segment%s", time, node->blocks,
				 plural(node->blocks, "", "s"));
	if (node->kind == DAG_GROUP)
		return xasprintf("%s, %" PRIu64 " alike, %" PRIu64 " task%s", time, node->members,
				 node->tasks, plural(node->tasks, "", "s"));
	return xasprintf("%s, %" PRIu64 " task%s", time, node->tasks, plural(node->tasks, "", "s"));
}

/* Returns the shown counters of a node: "switches 3, faults ?", or "". The caller frees it. */
static char *node_counts(const struct dag_view *view, const struct dag_node *node)
{
	const uint64_t *counts = dag_counts(view->dag, (size_t)(node - view->dag->nodes));
	char *text = xstrdup(""), span[VALUE_SIZE];

	for (size_t i = 0; i < view->shown_count && node->kind != DAG_JOIN; i++) {
		const struct task_counter *counter = &view->tree->counters.items[view->shown[i]];
		uint64_t value = counts[view->shown[i]];

		xappend(&text, "", "%s%s ", i ? ", " : "", counter->name);
		if (value == TASK_COUNT_UNKNOWN)
			xappend(&text, "", "?");
		else if (counter->in_ns)
			xappend(&text, "", "%s", span_text(span, value));
		else
			xappend(&text, "", "%" PRIu64, value);
	}
	return text;
}

/* --- Sentences ----------------------------------------------------------------------------- */

/* Returns the sentence on the limit of a run, which follows the verdict. The caller frees it. */
static char *limit_text(const struct dag_use *use)
{
	double wall_s = (double)use->wall_ns / 1e9, queue = use->run_queue_s / wall_s;
	const char *s = plural(use->workers, "", "s");

	switch (use->limit) {
	case DAG_LIMIT_PATH:
		return xasprintf(" The longest chain of tasks limits it: %.0f %% of the run.",
				 100 * use->path_share);
	case DAG_LIMIT_WORKERS:
		return xasprintf(" The number of workers limits it: %zu worker%s, busy for %.0f %% "
				 "of the time.",
				 use->workers, s, 100 * use->busy_share);
	case DAG_LIMIT_RUN_QUEUE:
		return xasprintf(" Run-queue wait limits it: %zu worker%s ran tasks for %.0f %% of "
				 "the time and waited for a CPU for %.0f %%.",
				 use->workers, s, 100 * use->busy_share,
				 100 * queue / (double)use->workers);
	case DAG_LIMIT_TASKS:
		return xasprintf(" Too few tasks ran at once: %zu worker%s ran tasks for %.0f %% "
				 "of the time.",
				 use->workers, s, 100 * use->busy_share);
	default:
		return xstrdup("");
	}
}

/* Returns the verdict: work, critical path, and the possible parallelism. The caller frees it. */
static char *verdict_text(const struct dag_view *view)
{
	const struct dag_use use = dag_use_of(view->dag, view->tree);
	char work[VALUE_SIZE], span[VALUE_SIZE], *limit, *text;
	const struct dag *dag = view->dag;
	size_t tasks = view->tree->task_count;

	if (!dag->span_ns)
		return xasprintf("%zu task%s used no CPU time.", tasks, plural(tasks, "", "s"));
	limit = limit_text(&use);
	text = xasprintf("%zu task%s did %s of work. The critical path takes %s: at most %.3g "
			 "core%s can be busy on average.%s",
			 tasks, plural(tasks, "", "s"), span_text(work, dag->work_ns),
			 span_text(span, dag->span_ns), use.parallelism,
			 use.parallelism < 1.005 ? "" : "s", limit);
	free(limit);
	return text;
}

static char *shape_note(const struct dag_view *view)
{
	const struct dag *dag = view->dag;

	if (!view->options.max_nodes || dag->all_nodes <= view->options.max_nodes)
		return NULL;
	return xasprintf("The graph has %" PRIu64 " nodes and is drawn with %zu at most: %s%s%s. "
			 "--max-nodes 0 draws all.",
			 dag->all_nodes, view->options.max_nodes,
			 dag->is_lowered ? "a task and all tasks below it are one node" : "",
			 dag->is_lowered && dag->is_grouped ? ", and " : "",
			 dag->is_grouped ? "similar siblings are one node" : "");
}

static char *level_note(const struct dag_view *view)
{
	if (view->dag->level >= view->tree->levels)
		return NULL;
	return xasprintf("At level %u of %u a node is a task and all tasks below it.",
			 view->dag->level, view->tree->levels);
}

static char *states_note(const struct dag_view *view)
{
	char time[VALUE_SIZE];

	if (!view->tree->has_states)
		return xstrdup("The recording has no scheduling events: work includes time off the "
			       "CPU.");
	if (!view->tree->unknown_ns)
		return NULL;
	return xasprintf("For %s of the tasks the state is unknown; that counts as work.",
			 span_text(time, view->tree->unknown_ns));
}

/* The possible flaws: the offset of their number in the tree, and their meaning. */
static const struct {
	size_t offset;
	const char *what, *meaning;
} doubts[] = {
	{offsetof(struct task_tree, lost), "Lost task events",
	 "Links between tasks may be missing."},
	{offsetof(struct task_tree, orphans), "Events of unknown tasks", "They are left out."},
	{offsetof(struct task_tree, never_begun), "Tasks known only from their children",
	 "Their own work is missing."},
	{offsetof(struct task_tree, never_run), "Tasks that never began", "They have no work."},
	{offsetof(struct task_tree, never_ended), "Tasks that never ended",
	 "Their last segment lasts to the end of the thread."},
	{offsetof(struct task_tree, never_synced), "Tasks that no sync waits for",
	 "Nothing depends on them."},
};
enum { DOUBTS = sizeof(doubts) / sizeof(doubts[0]), NOTES = 3 + DOUBTS + 1 };

static char *count_note(uint64_t count, const char *what, const char *meaning)
{
	return count ? xasprintf("%s: %" PRIu64 ". %s", what, count, meaning) : NULL;
}

/* Makes the sentences on flaws and omissions. The caller frees each; NULL: none. */
static void make_notes(char *notes[NOTES], const struct dag_view *view)
{
	notes[0] = shape_note(view);
	notes[1] = level_note(view);
	notes[2] = states_note(view);
	for (size_t i = 0; i < DOUBTS; i++) {
		const char *number = (const char *)view->tree + doubts[i].offset;

		notes[3 + i] =
			count_note(*(const uint64_t *)number, doubts[i].what, doubts[i].meaning);
	}
	notes[3 + DOUBTS] =
		count_note(view->dag->contradictions,
			   "Task segments that end before they begin, as their clocks differ",
			   "Their order is ignored.");
}

/* --- The graph in the language of graphviz ------------------------------------------------- */

static const char beginning[] =
	"digraph tasks {\n"
	"\tnode [shape=box, style=filled, fillcolor=\"#eef3fa\", color=\"#4f6d94\",\n"
	"\t\tfontname=\"sans-serif\", fontsize=10];\n"
	"\tedge [color=\"#4f6d94\", fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];\n";

/* The styles of edges; "next" leads to what a task does after a wait. */
static const char *const styles[DAG_EDGE_KINDS] = {
	[DAG_NEXT] = "style=dotted",
	[DAG_SPAWN] = "style=solid",
	[DAG_CALL] = "style=solid, arrowhead=empty",
	[DAG_RETURN] = "style=dashed, arrowhead=empty",
	[DAG_SYNC] = "style=dashed",
	[DAG_BARRIER] = "style=dashed, color=\"#8a8a8a\"",
};

#define CRITICAL "color=\"#c4161c\", penwidth=2.5"

static void put_node(FILE *out, const struct dag_view *view, size_t number)
{
	const struct dag_node *node = &view->dag->nodes[number];
	char *lines[] = {node_name(view, node), node_content(node), node_counts(view, node)};

	fprintf(out, "\tn%zu [label=\"", number);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		fputs(i && *lines[i] ? "\\n" : "", out);
		plot_graph_text(out, lines[i]);
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

/* Writes a comment, and frees `text`; NULL: none. */
static void put_comment(FILE *out, char *text)
{
	if (!text)
		return;
	fputs("// ", out);
	printable_put(out, PRINTABLE_DATA, text);
	fputc('\n', out);
	free(text);
}

void dag_dot_write(FILE *out, const struct dag_view *view)
{
	char *notes[NOTES];

	make_notes(notes, view);
	put_comment(out, verdict_text(view));
	for (size_t i = 0; i < NOTES; i++)
		put_comment(out, notes[i]);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		put_comment(out, report_quality_sentence(
					 fact, quality_value(&view->tree->quality, fact)));
	fputs(beginning, out);
	for (size_t i = 0; i < view->dag->node_count; i++)
		put_node(out, view, i);
	for (size_t i = 0; i < view->dag->edge_count; i++)
		put_edge(out, &view->dag->edges[i]);
	fputs("}\n", out);
}

/* --- Facts --------------------------------------------------------------------------------- */

struct facts {
	struct dag dag;
	struct task_tree tree;
	struct dag_use use;
	const char *limit;
	uint32_t level;
};

static const struct column fact_columns[] = {
	{"work_s", NS(facts, dag.work_ns)},
	{"span_s", NS(facts, dag.span_ns)},
	{"parallelism", FIELD(facts, use.parallelism)},
	{"wall_s", NS(facts, use.wall_ns)},
	{"workers", FIELD(facts, use.workers)},
	{"busy_share", FIELD(facts, use.busy_share)},
	{"run_queue_s", FIELD(facts, use.run_queue_s)},
	{"limit", FIELD(facts, limit)},
	{"tasks", FIELD(facts, tree.task_count)},
	{"segments", FIELD(facts, tree.interval_count)},
	{"levels", FIELD(facts, tree.levels)},
	{"level", FIELD(facts, level)},
	{"lowered", FIELD(facts, dag.is_lowered)},
	{"grouped", FIELD(facts, dag.is_grouped)},
	{"all_nodes", FIELD(facts, dag.all_nodes)},
	{"scheduler", FIELD(facts, tree.has_states)},
	{"unknown_s", NS(facts, tree.unknown_ns)},
	{"never_begun", FIELD(facts, tree.never_begun)},
	{"never_run", FIELD(facts, tree.never_run)},
	{"never_ended", FIELD(facts, tree.never_ended)},
	{"never_synced", FIELD(facts, tree.never_synced)},
	{"orphans", FIELD(facts, tree.orphans)},
	{"events_lost", FIELD(facts, tree.lost)},
	{"contradictions", FIELD(facts, dag.contradictions)},
};

static void put_facts(struct report *report, const struct dag_view *view)
{
	static const char *const limits[] = {[DAG_LIMIT_PATH] = "critical path",
					     [DAG_LIMIT_WORKERS] = "workers",
					     [DAG_LIMIT_RUN_QUEUE] = "run queue",
					     [DAG_LIMIT_TASKS] = "tasks"};
	const struct dag *dag = view->dag;
	struct facts facts = {*dag, *view->tree, dag_use_of(dag, view->tree), NULL,
			      dag->level < view->tree->levels ? dag->level : UINT32_MAX};

	facts.limit = facts.use.limit == DAG_LIMIT_UNKNOWN ? NULL : limits[facts.use.limit];
	report_facts(report, NULL, fact_columns, &facts);
}

/* --- Functions ----------------------------------------------------------------------------- */

/* The size of a path with its NUL: a longer path is null. */
enum { PATH_ROOM = 1024, NAME_ROOM = 4096 };

static const char *part_text(char text[NAME_ROOM], const char *part, int length)
{
	snprintf(text, NAME_ROOM, "%.*s", length, part ? part : "");
	return part ? text : NULL;
}

/* The tasks that begin at one place in the source. */
struct site_line {
	struct dag_site of;
	char *name; /* for text */
	const char *function, *file;
	uint32_t line;
	double share; /* share of the critical path */
};

static const struct column site_columns[] = {
	{NULL, "tasks of", UNIT_NONE, -1, FIELD(site_line, name)},
	{"function", FIELD(site_line, function)},
	{"file", FIELD(site_line, file)},
	{"line", FIELD(site_line, line)},
	{"tasks", "tasks", FIELD(site_line, of.tasks)},
	{"work_s", "work", UNIT_SPAN, NS(site_line, of.work_ns)},
	{"critical_s", "on critical path", UNIT_SPAN, NS(site_line, of.critical_ns)},
	{NULL, "share of it", UNIT_SHARE, FIELD(site_line, share)},
};

enum { TOP_SITES = 8 };

static void put_sites(struct report *report, const struct dag_view *view)
{
	static const struct table table = {.key = "sites", COLUMNS(site_columns), .top = TOP_SITES};

	report_begin(report, &table);
	for (size_t i = 0; i < view->dag->site_count; i++) {
		const struct dag_site *site = &view->dag->sites[i];
		const struct dag_node as_node = {.kind = DAG_GROUP, .site = site->site};
		struct site_name name = task_site_name(view->tree, site->site);
		char function[NAME_ROOM], file[NAME_ROOM];
		struct site_line line = {
			.of = *site,
			.name = site->site == TASK_UNKNOWN_SITE ? xstrdup("[unknown]")
								: site_text(view, &as_node),
			.function = part_text(function, name.function, name.function_length),
			.file = part_text(file, name.file, name.file_length),
			.line = name.file ? name.line : UINT32_MAX,
			.share = (double)site->critical_ns / (double)view->dag->span_ns,
		};

		report_row(report, &line);
		free(line.name);
	}
	report_end(report);
}

/* --- Nodes --------------------------------------------------------------------------------- */

/* A node. A value that it does not have is NULL, or has all bits set. */
struct node_line {
	struct dag_node node;
	size_t id;
	const char *kind, *function, *file, *path;
	uint32_t line, line_end, section;
	double begin_s, end_s;
	uint64_t counts[]; /* [counter of the tree] */
};

static const struct column node_columns[] = {
	{"id", FIELD(node_line, id)},
	{"kind", FIELD(node_line, kind)},
	{"function", FIELD(node_line, function)},
	{"file", FIELD(node_line, file)},
	{"line", FIELD(node_line, line)},
	{"line_end", FIELD(node_line, line_end)},
	{"level", FIELD(node_line, node.level)},
	{"tree_path", FIELD(node_line, path)},
	{"section", FIELD(node_line, section)},
	{"in_place", FIELD(node_line, node.in_place)},
	{"members", FIELD(node_line, node.members)},
	{"tasks", FIELD(node_line, node.tasks)},
	{"segments", FIELD(node_line, node.blocks)},
	{"work_s", NS(node_line, node.work_ns)},
	{"critical", FIELD(node_line, node.critical)},
	{"critical_s", NS(node_line, node.critical_ns)},
	{"begin_s", FIELD(node_line, begin_s)},
	{"end_s", FIELD(node_line, end_s)},
};
enum { NODE_COLUMNS = sizeof(node_columns) / sizeof(node_columns[0]) };

static double since_s(const struct dag_view *view, uint64_t time_ns)
{
	return (double)(int64_t)(time_ns - view->tree->origin_ns) / 1e9;
}

static void put_node_line(struct report *report, struct node_line *line,
			  const struct dag_view *view, size_t number)
{
	const struct dag_node *node = &view->dag->nodes[number];
	struct site_name begin = node_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	bool is_of_task = node->kind != DAG_JOIN && node->kind != DAG_REST;
	bool is_section = node->kind == DAG_SECTION;
	char function[NAME_ROOM], file[NAME_ROOM], path[PATH_ROOM];

	*line = (struct node_line){
		.node = *node,
		.id = number,
		.kind = kind_word(node->kind),
		.line = is_of_task && begin.file ? begin.line : UINT32_MAX,
		.line_end = is_section && end.file ? end.line : UINT32_MAX,
		.section = is_section ? node->section : UINT32_MAX,
		.begin_s = since_s(view, node->begin_ns),
		.end_s = since_s(view, node->end_ns),
	};
	if (is_of_task) {
		line->function = part_text(function, begin.function, begin.function_length);
		line->file = part_text(file, begin.file, begin.file_length);
		line->path = task_tree_path(path, sizeof(path), view->tree, node->task);
	}
	memcpy(line->counts, dag_counts(view->dag, number),
	       view->tree->counters.count * sizeof(line->counts[0]));
	report_row(report, line);
}

/* Adds the nodes: the fixed columns, and one for each counter of the tree. */
static void put_nodes(struct report *report, const struct dag_view *view)
{
	const struct task_counters *counters = &view->tree->counters;
	struct column *columns = xcalloc(NODE_COLUMNS + counters->count, sizeof(*columns));
	char **keys = xcalloc(counters->count + 1, sizeof(*keys));
	struct node_line *line =
		xcalloc(1, sizeof(*line) + counters->count * sizeof(line->counts[0]));
	const struct table table = {.key = "nodes",
				    .in = REPORT_CSV | REPORT_JSON,
				    .columns = columns,
				    .column_count = NODE_COLUMNS + counters->count};

	memcpy(columns, node_columns, sizeof(node_columns));
	for (size_t i = 0; i < counters->count; i++) {
		keys[i] = xasprintf("%s%s", counters->items[i].name,
				    counters->items[i].in_ns ? "_ns" : "");
		columns[NODE_COLUMNS + i] = (struct column){keys[i], FIELD(node_line, counts[i])};
	}
	report_begin(report, &table);
	for (size_t i = 0; i < view->dag->node_count; i++)
		put_node_line(report, line, view, i);
	report_end(report);
	for (size_t i = 0; i < counters->count; i++)
		free(keys[i]);
	free(keys);
	free(columns);
	free(line);
}

/* --- Edges --------------------------------------------------------------------------------- */

struct edge_line {
	struct dag_edge edge;
	const char *kind;
};

static const struct column edge_columns[] = {
	{"from", FIELD(edge_line, edge.from)},	 {"to", FIELD(edge_line, edge.to)},
	{"kind", FIELD(edge_line, kind)},	 {"critical", FIELD(edge_line, edge.critical)},
	{"count", FIELD(edge_line, edge.count)},
};
static const struct table edge_table = {.key = "edges", .in = REPORT_JSON, COLUMNS(edge_columns)};

static void put_edges(struct report *report, const struct dag *dag)
{
	report_begin(report, &edge_table);
	for (size_t i = 0; i < dag->edge_count; i++)
		report_row(report,
			   &(struct edge_line){dag->edges[i], dag_edge_name(dag->edges[i].kind)});
	report_end(report);
}

/* --- All of it ----------------------------------------------------------------------------- */

static void put_dot(struct report *report, const struct dag_view *view)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	dag_dot_write(out, view);
	fclose(out);
	text[size - 1] = '\0'; /* report_line() ends the last line */
	report_line(report, "%s", text);
	free(text);
}

static void put_notes(struct report *report, const struct dag_view *view)
{
	char *notes[NOTES];

	make_notes(notes, view);
	for (size_t i = 0; i < NOTES; i++) {
		bool is_of_graph = i < 2, is_alert = i == 2; /* put_alerts() has it */

		report_warning_if(report, notes[i] && !is_alert && (!is_of_graph || view->is_drawn),
				  "%s", notes[i]);
		free(notes[i]);
	}
}

static void put_alerts(struct report *report, const struct dag_view *view)
{
	char *states = states_note(view);

	report_alert_if(report, states, "%s", states);
	free(states);
}

void report_dag(struct report *report, const struct dag_view *view)
{
	char *verdict = verdict_text(view);

	if (view->as_dot && report_shows(report, REPORT_TEXT)) {
		put_dot(report, view);
		free(verdict);
		return;
	}
	report_verdict(report, "%s", verdict);
	free(verdict);
	put_alerts(report, view);
	put_facts(report, view);
	put_sites(report, view);
	put_nodes(report, view);
	put_edges(report, view->dag);
	put_notes(report, view);
	report_quality(report, &view->tree->quality);
	if (!view->is_drawn && view->again)
		report_next_step(report, "pscal dag --plot tasks.svg%s", view->again);
}

/* --- The picture by graphviz --------------------------------------------------------------- */

int plot_dag(const struct dag_view *view, const char *path, struct err *err)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out)
		return err_set(err, "%s: cannot make the graph: %m", path);
	dag_dot_write(out, view);
	rc = fclose(out)
		     ? err_set(err, "%s: cannot make the graph: %m", path)
		     : plot_graph(text, size, path, "draw fewer nodes (--max-nodes, --level)", err);
	free(text);
	return rc;
}
