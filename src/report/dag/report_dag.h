/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of tasks: as text, CSV and JSON, and as a picture, drawn by graphviz. */
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
 * As text the verdict and the functions of the critical path; as CSV the nodes of the graph, as JSON
 * all.
 */
void report_dag(struct report *report, const struct dag_view *view);

/*
 * The graph of tasks in the language of graphviz (https://graphviz.org/doc/info/lang.html), after
 * comments that say what it shows. The critical path is red and bold.
 */
void dag_dot_write(FILE *out, const struct dag_view *view);

/* Into the file `path`; .dot and .gv are what graphviz is given. 0, or -1 with a sentence. */
int plot_dag(const struct dag_view *view, const char *path, struct err *err);

/*
 * The name of the code of a task for people. gcc makes a function of its own of the body of an
 * OpenMP construct: "fib._omp_fn.1", which is "fib [clone ._omp_fn.1]" with parameters in front, is
 * "fib (task 1)". Other names are as they are. To be freed.
 */
char *task_name(const char *function, size_t length);

#endif
