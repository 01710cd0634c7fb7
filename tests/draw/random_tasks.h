/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of tasks, drawn by chance, and run on workers that always do something if they can: what
 * their steps are, and what has to be made of them, known while they are run.
 */
#ifndef PSCAL_TESTS_DRAW_RANDOM_TASKS_H
#define PSCAL_TESTS_DRAW_RANDOM_TASKS_H

#include "decode/event/event.h"
#include "random.h"

enum { RANDOM_TASKS_WORKERS = 4 };

struct random_tasks {
	struct event *steps;
	size_t count, capacity;
	char *drawing; /* as task_drawing_of makes it of the tree */
	uint64_t work_ns, span_ns;
	size_t tasks;
};

/* At most so many tasks, with at most so many levels. */
void random_tasks_make(struct random_tasks *tasks, struct random *random, size_t most,
		       unsigned levels);
void random_tasks_release(struct random_tasks *tasks);

#endif
