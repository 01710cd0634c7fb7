/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of tasks: as text, CSV and JSON, and as a picture, drawn by graphviz. */
#ifndef PSCAL_REPORT_DAG_REPORT_DAG_H
#define PSCAL_REPORT_DAG_REPORT_DAG_H

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
	struct dag_options options; /* as they were asked for */
	const size_t *shown;	    /* counters of the tree that nodes are to show */
	size_t shown_count;
};

/*
 * The whole graph: as text the input of graphviz, or only the sentences on it where it is drawn
 * already; as CSV the nodes, as JSON these, the edges and the facts.
 */
void report_dag(struct report *report, const struct dag_view *view, bool is_drawn);

/*
 * The graph of tasks in the language of graphviz (https://graphviz.org/doc/info/lang.html), after
 * comments that say what it shows. The critical path is red and bold.
 */
void dag_dot_write(FILE *out, const struct dag_view *view);

/* Returns -1 with a sentence when the ending of the name is not .svg, .png, .pdf, .dot or .gv. */
int plot_dag_check_path(const char *path, struct err *err);

/* Into the file `path`; .dot and .gv are what graphviz is given. 0, or -1 with a sentence. */
int plot_dag(const struct dag_view *view, const char *path, struct err *err);

/*
 * The name of the code of a task for people. gcc makes a function of its own of the body of an
 * OpenMP construct: "fib._omp_fn.1", which is "fib [clone ._omp_fn.1]" with parameters in front, is
 * "fib (task 1)". Other names are as they are. To be freed.
 */
char *task_name(const char *function, size_t length);

#endif
