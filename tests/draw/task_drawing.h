/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of tasks as a text, separated by semicolons:
 *
 *	TIME WORKER TASK STEP [PARENT.INDEX or INDEX] [@SITE]
 *
 *	"0 a 1 begin 0.0; 5 a 1 spawn 0; 6 a 1 spawned; 7 b 2 begin 1.0; 9 b 2 end; 9 a 1 end"
 *
 * Times are microseconds from DRAWING_BEGIN_NS on; worker a is thread 100 of process 100, b thread
 * 101, ...; A, B, ... are threads of the same numbers in process 200, different ones for the
 * timeline. A site is the number of one of the blocks of the source, "f tree.c:1", "f tree.c:2",
 * ... The default site depends on the step.
 */
#ifndef PSCAL_TESTS_DRAW_TASK_DRAWING_H
#define PSCAL_TESTS_DRAW_TASK_DRAWING_H

#include "draw/drawing.h"
#include "stats/tasks/task_tree.h"

/* `states`: rows as of drawing_source, or NULL: no scheduler. */
struct event_source *task_drawing(const char *const *states, const char *steps);

/* One step, for tests that make steps without a text. `time_ns` counts from DRAWING_BEGIN_NS. */
struct event task_drawing_step(uint64_t time_ns, int32_t worker, uint64_t task, enum task_step step,
			       uint64_t parent, uint32_t index);

/* A source of these events, which it copies; they are sorted by time. */
struct event_source *task_drawing_source(const struct event *events, size_t count);

/* Reads the tree of the source; fails if that is impossible. */
void task_drawing_read(struct task_tree *tree, struct event_source *source);

/*
 * A line for each task: "2<1 in place, ready 6, a7-9 b12-15, synced 20, open"; only the number and
 * the blocks are always there. The caller frees it.
 */
char *task_drawing_of(const struct task_tree *tree);

struct drawn_tree {
	struct event_source *source;
	struct task_tree tree;
};

/* The tree of valid steps. */
struct drawn_tree drawn_tree_read(const char *const *states, const char *steps);
void drawn_tree_release(struct drawn_tree *drawn);

/* Fails unless task_drawing_of() draws the tree of these steps as `want`. */
void assert_tree(const char *const *states, const char *steps, const char *want);

#endif
