/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of tasks, as it is reported: what nodes are called, and what is to be known of it. */
#ifndef PSCAL_REPORT_DAG_DAG_VIEW_H
#define PSCAL_REPORT_DAG_DAG_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

/* All is borrowed. */
struct dag_view {
	const struct dag *dag;
	const struct task_tree *tree;
	struct dag_options options; /* as they were asked for */
	const size_t *shown;	    /* counters of the tree that nodes are to show */
	size_t shown_count;
};

/* "section", "subtree", "group", "rest", "join" */
const char *dag_view_kind(enum dag_node_kind kind);

/* Where a node begins in the source, if it is one place; else in a function "?". */
struct site_name dag_view_site(const struct dag_view *view, const struct dag_node *node);

/* "fib fib.c:17-23", "fib", "barrier", "17 other roots": what a node is called. To be freed. */
char *dag_view_name(const struct dag_view *view, const struct dag_node *node);

/* "1.23 ms, 4 blocks", "15.0 ms, 3 x 5 tasks": what there is in it. To be freed. */
char *dag_view_content(const struct dag_node *node);

/* "switches 3, faults ?": of those that are shown; "". To be freed. */
char *dag_view_counts(const struct dag_view *view, const struct dag_node *node);

/* Work, span and what follows, in a sentence. To be freed. */
char *dag_view_verdict(const struct dag_view *view);

/*
 * The i-th sentence on what is left out or doubtful, from 0 on, or NULL: there are no more. To be
 * freed.
 */
char *dag_view_note(const struct dag_view *view, size_t i);

#endif
