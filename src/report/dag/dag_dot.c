/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/dag_dot.h"

#include "base/printable.h"
#include "report/report_quality.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

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
	char *lines[] = {dag_view_name(view, node), dag_view_content(node),
			 dag_view_counts(view, node)};

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

	put_comment(out, dag_view_verdict(view));
	for (size_t i = 0; (note = dag_view_note(view, i)); i++)
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
