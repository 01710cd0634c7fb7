/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of the tasks of every trace, with any steps:
 *
 *  - A parent comes before its children and is one level above them. Blocks of a task follow one
 *    another, and so do those of a worker: no worker is in two at a time.
 *  - A block is on a CPU for no longer than it lasts, and the tree has all CPU time of the block.
 *  - The loss adds up to P T, over the whole run and over its parts, and is never negative.
 *  - The critical path is no longer than the work, and no longer than the nodes of the graph on it;
 *    nodes hold all work and all blocks, and are no more than requested.
 *  - A run has no work inflation against itself, in every grouping of blocks.
 */
#ifndef PSCAL_TESTS_CHECK_TASK_CHECK_H
#define PSCAL_TESTS_CHECK_TASK_CHECK_H

struct err;
struct event_source;
struct task_tree;

/* Returns 0, or -1 with the fault. */
int task_check_tree(const struct task_tree *tree, struct err *err);
int task_check_loss(const struct task_tree *tree, struct err *err);
int task_check_dag(const struct task_tree *tree, struct err *err);

/* Reads the source to its end, which may be refused, and checks all results of its tasks. */
int task_check_trace(struct event_source *source, struct err *err);

/* The same for a run as `pscal stretch` reads it, with blocks grouped in the `by`-th way. */
int task_check_stretch(struct event_source *source, unsigned by, struct err *err);

#endif
