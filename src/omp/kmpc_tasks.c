/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The begin and the end of the creation of a task, in programs compiled by clang: OMPT reports it
 * once in between, and the rest would count as work of the creator. The library's functions are
 * called as before.
 *
 * A task is allocated, the program puts data into it, and then either hands it over, or runs it at
 * once, or has a loop made of copies of it.
 */
#include "omp/gomp.h"

/* Returns the creator of an allocated task; NULL: it was reported already, or is not recorded. */
static struct omp_task *parent_of(const void *return_address)
{
	struct omp_task *task = omp_self.task;

	omp_self.caller = return_address;
	return task && task->allocated ? task : NULL;
}

GOMP_EXPORTED void *__kmpc_omp_task_alloc(KMPC_ALLOC_ARGUMENTS)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *parent = ompt_tool_works ? omp_self.task : NULL;

	if (parent && parent->state == OMP_RUNS) {
		omp_task_spawn(parent, GOMP_SITE);
		parent->allocated = true;
	}
	return gomp->kmpc_omp_task_alloc(location, thread, flags, size, shared, entry);
}

/* Ends the creation of a task, which may have run meanwhile. */
static void go_on(struct omp_task *parent, const void *site)
{
	if (parent && parent->state == OMP_SPAWNS)
		omp_task_go_on(parent, site, PSCAL_STEP_SPAWNED);
}

#define HAND_OVER(name, parameters, ...)                                        \
	GOMP_EXPORTED int __##name parameters                                   \
	{                                                                       \
		const struct gomp *gomp = gomp_find(GOMP_RETURN);               \
		struct omp_task *parent = parent_of(GOMP_RETURN);               \
		int result = gomp->name(location, thread, task, ##__VA_ARGS__); \
                                                                                \
		go_on(parent, GOMP_SITE);                                       \
		return result;                                                  \
	}

HAND_OVER(kmpc_omp_task, (KMPC_TASK_ARGUMENTS))
HAND_OVER(kmpc_omp_task_parts, (KMPC_TASK_ARGUMENTS))
HAND_OVER(kmpc_omp_task_with_deps, (KMPC_TASK_ARGUMENTS, KMPC_DEPENDENCES), count, dependences,
	  more_count, more_dependences)

static void begin_loop(struct omp_task *parent, const void *site)
{
	if (parent)
		parent->loop = site;
}

/* Ends a loop. Without iterations there is no task, and its index is not used. */
static void end_loop(struct omp_task *parent, const void *site)
{
	if (!parent)
		return;
	parent->loop = NULL;
	parent->allocated = false;
	go_on(parent, site);
}

#define LOOP(name, parameters, ...)                                        \
	GOMP_EXPORTED void __##name parameters                             \
	{                                                                  \
		const struct gomp *gomp = gomp_find(GOMP_RETURN);          \
		struct omp_task *parent = parent_of(GOMP_RETURN);          \
                                                                           \
		begin_loop(parent, GOMP_SITE);                             \
		gomp->name(location, thread, task, deferred, __VA_ARGS__); \
		end_loop(parent, GOMP_SITE);                               \
	}

LOOP(kmpc_taskloop, (KMPC_TASK_ARGUMENTS, KMPC_LOOP, void *duplicate), lower, upper, step, no_group,
     schedule, grain, duplicate)
LOOP(kmpc_taskloop_5, (KMPC_TASK_ARGUMENTS, KMPC_LOOP, int modifier, void *duplicate), lower, upper,
     step, no_group, schedule, grain, modifier, duplicate)
