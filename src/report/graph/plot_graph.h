/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs drawn by graphviz, into files as pictures, or as text for graphviz. */
#ifndef PSCAL_REPORT_GRAPH_PLOT_GRAPH_H
#define PSCAL_REPORT_GRAPH_PLOT_GRAPH_H

#include <stddef.h>
#include <stdio.h>

struct err;

/* Returns -1 with an error if the ending of the name is not .svg, .png, .pdf, .dot or .gv. */
int plot_graph_check_path(const char *path, struct err *err);

/*
 * Draws `text`, a graph in the language of graphviz (https://graphviz.org/doc/info/lang.html), into
 * the file `path`; .dot and .gv are the text itself. `remedy` is the advice for a graph that takes
 * too long. Returns 0, or -1 with an error.
 */
int plot_graph(const char *text, size_t size, const char *path, const char *remedy,
	       struct err *err);

/*
 * Draws the graph as an HTML element <svg>, within some seconds. Returns 0, or -1 with an error,
 * and then nothing was written.
 */
int plot_graph_embed(FILE *out, const char *text, size_t size, struct err *err);

/* Writes text between quotes in that language, with backslashes and quotes escaped. */
void plot_graph_text(FILE *out, const char *text);

#endif
