/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/graph/plot_graph.h"

#include "base/err.h"
#include "base/io/subprocess.h"
#include "base/printable.h"
#include "report/plot.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * Returns whether graphviz would read a text that begins with '&' as a character: "&lt;", "&#60;".
 */
static bool is_entity(const char *text)
{
	return *text == '&' && (text[1] == '#' || isalpha((unsigned char)text[1]));
}

void plot_graph_text(FILE *out, const char *name)
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

static const struct subprocess_limits draw_limits = {.seconds = 120},
				      embed_limits = {.seconds = 10, .memory_bytes = 1 << 30};

/*
 * The formats: ending of the file, option of graphviz, and beginning of its output. NULL: its
 * input.
 */
static const struct format {
	const char *ending, *option, *magic;
} formats[] = {
	{"svg", "-Tsvg", "<?xml"}, {"png", "-Tpng", "\x89PNG"}, {"pdf", "-Tpdf", "%PDF"},
	{"dot", NULL, NULL},	   {"gv", NULL, NULL},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static const struct format *format_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	for (size_t i = 0; i < FORMATS && dot && dot > slash; i++)
		if (strcasecmp(dot + 1, formats[i].ending) == 0)
			return &formats[i];
	return NULL;
}

int plot_graph_check_path(const char *path, struct err *err)
{
	if (format_of(path))
		return 0;
	return err_set(err, "%s: unknown plot format; use .svg, .png, .pdf or .dot", path);
}

/* Sets the error to the last line of graphviz. */
static int set_complaint(struct err *err, const struct subprocess *graphviz)
{
	const char *last = graphviz->exit_status < 0 ? "it crashed" : "it gave no reason";
	char *text = graphviz->errors, *line;

	while ((line = strsep(&text, "\n")))
		if (line[strspn(line, " \t")])
			last = line + strspn(line, " \t");
	return err_set(err, "graphviz could not draw the graph: %s", last);
}

/* Runs graphviz. The caller always releases it. */
static int run_graphviz(struct subprocess *graphviz, const struct format *format, const char *text,
			size_t size, const char *remedy, struct subprocess_limits limits,
			struct err *err)
{
	const char *const command[] = {"dot", format->option, NULL};
	int rc = subprocess_run(graphviz, command, text, size, limits, err);

	if (graphviz->missing)
		return err_set(err, "graphviz is not installed: install it (Debian: apt install "
				    "graphviz), or write its input into a .dot file");
	if (rc)
		return err_wrap(err, "%s", remedy);
	if (graphviz->exit_status != 0 ||
	    strncmp(graphviz->output, format->magic, strlen(format->magic)) != 0)
		return set_complaint(err, graphviz);
	return 0;
}

static int draw(const struct format *format, const char *text, size_t size, const char *path,
		const char *remedy, struct err *err)
{
	struct subprocess graphviz;
	int rc = run_graphviz(&graphviz, format, text, size, remedy, draw_limits, err);

	if (!rc)
		rc = plot_write(path, graphviz.output, graphviz.output_size, err);
	subprocess_release(&graphviz);
	return rc;
}

int plot_graph_embed(FILE *out, const char *text, size_t size, struct err *err)
{
	struct subprocess graphviz;
	int rc = run_graphviz(&graphviz, &formats[0], text, size, "the graph is too large",
			      embed_limits, err);
	const char *element = rc ? NULL : strstr(graphviz.output, "<svg");

	if (element)
		fputs(element, out);
	else if (!rc)
		rc = set_complaint(err, &graphviz);
	subprocess_release(&graphviz);
	return rc;
}

int plot_graph(const char *text, size_t size, const char *path, const char *remedy, struct err *err)
{
	const struct format *format = format_of(path);

	if (!format)
		return plot_graph_check_path(path, err);
	return format->option ? draw(format, text, size, path, remedy, err)
			      : plot_write(path, text, size, err);
}
