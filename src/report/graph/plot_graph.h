/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs by graphviz, into files as pictures or as the text that graphviz draws. */
#ifndef PSCAL_REPORT_GRAPH_PLOT_GRAPH_H
#define PSCAL_REPORT_GRAPH_PLOT_GRAPH_H

#include <stddef.h>
#include <stdio.h>

struct err;

/* Returns -1 with a sentence when the ending of the name is not .svg, .png, .pdf, .dot or .gv. */
int plot_graph_check_path(const char *path, struct err *err);

/*
 * Draws `text`, a graph in the language of graphviz (https://graphviz.org/doc/info/lang.html), into
 * the file `path`; .dot and .gv are the text. `remedy` is the clause for one that takes too long.
 * Returns 0, or -1 with a sentence.
 */
int plot_graph(const char *text, size_t size, const char *path, const char *remedy,
	       struct err *err);

/*
 * Draws it as an element <svg> of HTML, which takes some seconds at most. Returns 0, or -1 with a
 * sentence, and then nothing was written.
 */
int plot_graph_embed(FILE *out, const char *text, size_t size, struct err *err);

/* Text between quotes in that language, where a backslash and a quote stand for themselves. */
void plot_graph_text(FILE *out, const char *text);

#endif
