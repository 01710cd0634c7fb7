/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of the graph of tasks: text, CSV and JSON, and a picture drawn by graphviz. */
#ifndef PSCAL_REPORT_DAG_REPORT_DAG_H
#define PSCAL_REPORT_DAG_REPORT_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

struct err;
struct report;

/* All is borrowed. */
struct dag_view {
	const struct dag *dag;
	const struct task_tree *tree;
	const char *again; /* arguments that name this recording; NULL: it cannot be read again */
	bool is_drawn;	   /* into a file */
	bool as_dot;	   /* the text is the graph for graphviz */
	struct dag_options options; /* as they were asked for */
	const size_t *shown;	    /* counters of the tree that nodes are to show */
	size_t shown_count;
};

/*
 * Adds the graph: in text the verdict and the functions of the critical path, in CSV the nodes, in
 * JSON all.
 */
void report_dag(struct report *report, const struct dag_view *view);

/*
 * Writes the graph of tasks in the language of graphviz (https://graphviz.org/doc/info/lang.html),
 * after comments that describe it. The critical path is red and bold.
 */
void dag_dot_write(FILE *out, const struct dag_view *view);

/*
 * Draws the graph into the file `path`; .dot and .gv are the text for graphviz. Returns 0, or -1
 * with an error.
 */
int plot_dag(const struct dag_view *view, const char *path, struct err *err);

/*
 * Returns the name of the code of a task for people, which the caller frees. gcc makes the body of
 * an OpenMP construct a function of its own: "fib._omp_fn.1", or "fib [clone ._omp_fn.1]" with
 * parameters in front, becomes "fib (task 1)". Other names are unchanged.
 */
char *task_name(const char *function, size_t length);

#endif
