/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task of an OpenMP program, and the steps that it takes, as pscal/task.h has them, whatever
 * runtime library the program has. The memory is the caller's; a task is touched by the thread that
 * runs it, and by none but that.
 *
 * Of a parallel region the encountering task spawns a child for each thread, with the number of the
 * thread behind the children that it has already, and waits for them. Explicit tasks are children
 * of the task that creates them, counted from 0. A taskgroup waits for the children created in it
 * and for all below them, as do barriers and the ends of regions; a taskwait for children alone.
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
	bool waited;	/* it has waited for some of them before, and for nothing below them */
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
	void *region;	     /* whose first task it is, for the maker of both */
	bool serial;	     /* none that it creates may be put off */
	bool called;	     /* it is no other than a call for its parent */
	bool allocated;	     /* what it spawns, which it has not been told of */
	bool untied;	     /* it may go on in another thread */
	bool locked;	     /* ... which is looking at that */
	const void *runner;  /* which thread, where it is untied */
};

/* The place to which a call returns may be another line already. */
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

/* The kind of a wait. */
enum omp_reach {
	OMP_CHILDREN, /* and not for what they have created */
	OMP_ALL_BELOW,
};

static inline void omp_task_wait(struct omp_task *task, const void *site, enum omp_reach reach)
{
	pscal_task_step_at(site, PSCAL_STEP_SYNC, task->id, reach == OMP_ALL_BELOW);
	task->state = OMP_WAITS;
}

static inline void omp_task_sync_all(struct omp_task *task, const void *site, enum omp_reach reach)
{
	for (struct omp_group *group = task->group; group; group = group->outer)
		group->waited |= task->synced != task->children;
	task->synced = task->children;
	omp_task_wait(task, site, reach);
}

/* Are there children before this one that have not been waited for? */
static inline bool omp_task_left(const struct omp_task *task, uint32_t first)
{
	return (int32_t)(first - task->synced) > 0;
}

/*
 * Waits for its children from number `first` on, and all below. They need to be named where there
 * are others that have not been waited for, or where some of them have been waited for and what is
 * below has not. Where there are none, the next one is named, which is not there so far.
 */
static inline void omp_task_sync_from(struct omp_task *task, const void *site, uint32_t first,
				      bool named)
{
	uint32_t end = task->children == first ? first + 1 : task->children;

	for (uint32_t i = first; named && i != end; i++)
		pscal_task_step_at(site, PSCAL_STEP_SYNC_OF, task->id, i);
	if (!omp_task_left(task, first))
		task->synced = task->children;
	omp_task_wait(task, site, OMP_ALL_BELOW);
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
	omp_task_sync_all(task, site, OMP_ALL_BELOW);
	omp_task_go_on(task, site, PSCAL_STEP_SYNCED);
}

/*
 * Returns the index of a child that is no other than a call for it: it runs in the place of the
 * block in which it is created, and need not be waited for.
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
	const struct omp_group *group = task->group;

	omp_task_sync_from(task, site, group->first,
			   group->counted && (group->waited || omp_task_left(task, group->first)));
}

/* Returns the group, which it is no longer in. */
static inline struct omp_group *omp_task_leave_group(struct omp_task *task)
{
	struct omp_group *group = task->group;

	task->group = group->outer;
	return group;
}

#endif
