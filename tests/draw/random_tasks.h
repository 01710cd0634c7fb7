/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs of tasks, run on workers that are never idle if there is work: their steps, and
 * the expected results, which are known while they run.
 */
#ifndef PSCAL_TESTS_DRAW_RANDOM_TASKS_H
#define PSCAL_TESTS_DRAW_RANDOM_TASKS_H

#include "decode/event/event.h"
#include "random.h"

enum { RANDOM_TASKS_WORKERS = 4 };

struct random_tasks {
	struct event *steps;
	size_t count, capacity;
	char *drawing; /* the drawing of the tree by task_drawing_of */
	uint64_t work_ns, span_ns;
	size_t tasks;
};

/* Draws at most so many tasks, with at most so many levels. */
void random_tasks_make(struct random_tasks *tasks, struct random *random, size_t most,
		       unsigned levels);
void random_tasks_release(struct random_tasks *tasks);

#endif
