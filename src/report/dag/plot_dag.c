/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "base/err.h"
#include "base/io/subprocess.h"
#include "report/plot.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIMIT_S = 120 };

/* As files end, what graphviz calls them, and how they begin. NULL: what it is given. */
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

int plot_dag_check_path(const char *path, struct err *err)
{
	if (format_of(path))
		return 0;
	return err_set(err,
		       "%s: its ending tells the format of a plot, and is none of .svg, .png, "
		       ".pdf, and .dot for what graphviz draws it from",
		       path);
}

/* The last words of graphviz. */
static int set_complaint(struct err *err, const struct subprocess *graphviz)
{
	const char *last = graphviz->exit_status < 0 ? "it has crashed" : "it does not say why";
	char *text = graphviz->errors, *line;

	while ((line = strsep(&text, "\n")))
		if (line[strspn(line, " \t")])
			last = line + strspn(line, " \t");
	return err_set(err, "graphviz could not draw the graph: %s", last);
}

static int draw(const struct format *format, const char *text, size_t size, const char *path,
		struct err *err)
{
	const char *const command[] = {"dot", format->option, NULL};
	struct subprocess graphviz;
	int rc = subprocess_run(&graphviz, command, text, size, LIMIT_S, err);

	if (graphviz.missing)
		rc = err_set(err, "graphviz, which draws graphs, is not installed: install it "
				  "(Debian: apt install graphviz), or have its input written "
				  "into a file that ends in .dot");
	else if (rc)
		rc = err_wrap(err, "a graph with fewer nodes (--max-nodes, --level) may do");
	else if (graphviz.exit_status != 0 ||
		 strncmp(graphviz.output, format->magic, strlen(format->magic)) != 0)
		rc = set_complaint(err, &graphviz);
	if (!rc)
		rc = plot_write(path, graphviz.output, graphviz.output_size, err);
	subprocess_release(&graphviz);
	return rc;
}

int plot_dag(const struct dag_view *view, const char *path, struct err *err)
{
	const struct format *format = format_of(path);
	size_t size = 0;
	char *text = NULL;
	FILE *out;
	int rc;

	if (!format)
		return plot_dag_check_path(path, err);
	out = open_memstream(&text, &size);
	if (!out)
		return err_set(err, "%s: cannot make the graph: %m", path);
	dag_dot_write(out, view);
	if (fclose(out))
		rc = err_set(err, "%s: cannot make the graph: %m", path);
	else if (format->option)
		rc = draw(format, text, size, path, err);
	else
		rc = plot_write(path, text, size, err);
	free(text);
	return rc;
}
