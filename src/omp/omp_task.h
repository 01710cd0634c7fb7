/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task of an OpenMP program, and the steps that it takes, as pscal/task.h has them, whatever
 * runtime library the program has. The memory is the caller's; a task is touched by the thread that
 * runs it, and by none but that.
 *
 * Of a parallel region the encountering task spawns a child for each thread, with the number of the
 * thread behind the children that it has already, and waits for them. Explicit tasks are children
 * of the task that creates them, counted from 0. A taskgroup waits for the children created in it:
 * descendants in it that their own parents have not waited for are not named.
 */
#ifndef PSCAL_OMP_OMP_TASK_H
#define PSCAL_OMP_OMP_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/task.h"

enum omp_state {
	OMP_NEW,    /* has not begun */
	OMP_RUNS,   /* is in a block */
	OMP_SPAWNS, /* ... or creates another one */
	OMP_WAITS,  /* ... or waits for others, and will say so when it has */
	OMP_PAUSES, /* ... or its thread does something else */
	OMP_ENDED,
};

/* A taskgroup that a task is in. */
struct omp_group {
	struct omp_group *outer;
	const void *site;
	uint32_t first; /* of the children that are created in it */
	bool counted;	/* all its children are numbered from there on without a gap */
};

struct omp_task {
	pscal_task id;	   /* once it has begun */
	pscal_task parent; /* PSCAL_NO_TASK: none */
	uint32_t index;	   /* among its parent's children */
	uint32_t children; /* index of the next one */
	uint32_t synced;   /* those before this one have been waited for */
	enum omp_state state;
	const void *site; /* where it begins */
	struct omp_group *group;
	const void *loop;    /* where the loop is that it makes tasks of just now; NULL: nowhere */
	const void *runtime; /* of gomp.h; NULL: none of those */
	void *region;	     /* whose first task it is, for who has made both */
	bool serial;	     /* none that it creates may be put off */
	bool called;	     /* it is no other than a call for its parent */
	bool allocated;	     /* what it spawns, which it has not been told of */
	bool untied;	     /* it may go on in another thread */
	bool locked;	     /* ... which is looking at that */
	const void *runner;  /* which thread, where it is untied */
};

/* Where a call returns to may be another line already. */
static inline const void *omp_site(const void *return_address)
{
	return (const char *)return_address - 1;
}

static inline void omp_task_begin(struct omp_task *task)
{
	task->id = pscal_task_step_at(task->site, PSCAL_STEP_BEGIN, task->parent, task->index);
	task->state = OMP_RUNS;
}

static inline void omp_task_end(struct omp_task *task)
{
	pscal_task_step_at(task->site, PSCAL_STEP_END, task->id, 0);
	task->state = OMP_ENDED;
}

/* Returns the index of the child that it is about to create. */
static inline uint32_t omp_task_spawn(struct omp_task *task, const void *site)
{
	uint32_t index = task->children++;

	pscal_task_step_at(site, PSCAL_STEP_SPAWN, task->id, index);
	task->state = OMP_SPAWNS;
	return index;
}

static inline void omp_task_go_on(struct omp_task *task, const void *site, enum pscal_step step)
{
	pscal_task_step_at(site, step, task->id, 0);
	task->state = OMP_RUNS;
}

static inline void omp_task_stop(struct omp_task *task, const void *site, enum pscal_step step)
{
	pscal_task_step_at(site, step, task->id, 0);
	task->state = step == PSCAL_STEP_PAUSE ? OMP_PAUSES : OMP_WAITS;
}

/*
 * Waits for its children from number `first` on, which are named where it has others that nobody
 * has waited for, unless they are not `counted`: then it is said to wait for all of them.
 */
static inline void omp_task_sync(struct omp_task *task, const void *site, uint32_t first,
				 bool counted)
{
	if (task->synced == first || first == 0)
		task->synced = task->children;
	else if (counted)
		for (uint32_t i = first; i != task->children; i++)
			pscal_task_step_at(site, PSCAL_STEP_SYNC_OF, task->id, i);
	omp_task_stop(task, site, PSCAL_STEP_SYNC);
}

static inline void omp_task_sync_all(struct omp_task *task, const void *site)
{
	omp_task_sync(task, site, 0, true);
}

static inline void omp_task_barrier(struct omp_task *task, const void *site)
{
	omp_task_stop(task, site, PSCAL_STEP_BARRIER);
}

/* All tasks of its parallel region have been waited for there, its own children among them. */
static inline void omp_task_leave_barrier(struct omp_task *task, const void *site)
{
	omp_task_go_on(task, site, PSCAL_STEP_RESUME);
	if (task->synced == task->children)
		return;
	omp_task_sync_all(task, site);
	omp_task_go_on(task, site, PSCAL_STEP_SYNCED);
}

/*
 * Returns the index of a child that is no other than a call for it: it runs in the place of the
 * block in which it is created, and nobody has to wait for it.
 */
static inline uint32_t omp_task_call(struct omp_task *task)
{
	if (task->synced == task->children)
		task->synced++;
	return task->children++;
}

/* --- Taskgroups ---------------------------------------------------------------------------- */

static inline void omp_task_enter_group(struct omp_task *task, struct omp_group *group,
					const void *site)
{
	*group = (struct omp_group){
		.outer = task->group,
		.site = site,
		.first = task->children - task->allocated,
		.counted = true,
	};
	task->group = group;
}

/* Begins to wait; the group is the innermost one. */
static inline void omp_task_sync_group(struct omp_task *task, const void *site)
{
	omp_task_sync(task, site, task->group->first, task->group->counted);
}

/* Returns the group, which it is no longer in. */
static inline struct omp_group *omp_task_leave_group(struct omp_task *task)
{
	struct omp_group *group = task->group;

	task->group = group->outer;
	return group;
}

#endif
