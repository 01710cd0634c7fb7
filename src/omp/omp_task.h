/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task of an OpenMP program, and its steps (pscal/task.h), for any runtime library. The memory
 * belongs to the caller; only the thread that runs a task accesses it.
 *
 * The encountering task of a parallel region spawns a child for each thread, numbered by thread
 * behind its earlier children, and waits for them. Explicit tasks are children of the task that
 * creates them, counted from 0. A taskgroup waits for the children created in it and all their
 * descendants, as do barriers and the ends of regions; a taskwait only for children.
 */
#ifndef PSCAL_OMP_OMP_TASK_H
#define PSCAL_OMP_OMP_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/task.h"

enum omp_state {
	OMP_NEW,    /* has not begun */
	OMP_RUNS,   /* runs a block */
	OMP_SPAWNS, /* ... creates another task */
	OMP_WAITS,  /* ... waits for others, and will report the end of that */
	OMP_PAUSES, /* ... or its thread does something else */
	OMP_ENDED,
};

/* A taskgroup of a task. */
struct omp_group {
	struct omp_group *outer;
	const void *site;
	uint32_t first; /* of the children created in it */
	bool counted;	/* all its children are numbered from there on without a gap */
	bool waited;	/* some of them were waited for, but no descendants */
};

struct omp_task {
	pscal_task id;	   /* after it has begun */
	pscal_task parent; /* PSCAL_NO_TASK: none */
	uint32_t index;	   /* among its parent's children */
	uint32_t children; /* index of the next one */
	uint32_t synced;   /* children before this one have been waited for */
	enum omp_state state;
	const void *site; /* place of its begin */
	struct omp_group *group;
	const void *loop;    /* place of the loop that it is making tasks of; NULL: none */
	const void *runtime; /* see gomp.h; NULL: none of those */
	void *region;	     /* region of which it is the first task, for the maker of both */
	bool serial;	     /* tasks that it creates run at once */
	bool called;	     /* it is only a call for its parent */
	bool allocated;	     /* its spawned child, which was not reported yet */
	bool untied;	     /* it may continue on another thread */
	bool locked;	     /* ... which is checking that */
	const void *runner;  /* its thread, if it is untied */
};

/* Returns the site of a call: its return address may belong to the next line already. */
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

/* Begins to create a child. Returns its index. */
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

/* The kinds of waits. */
enum omp_reach {
	OMP_CHILDREN, /* not for descendants of children */
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

/* Returns whether children before this one have not been waited for. */
static inline bool omp_task_left(const struct omp_task *task, uint32_t first)
{
	return (int32_t)(first - task->synced) > 0;
}

/*
 * Waits for its children from number `first` on, and all descendants. They must be named if others
 * have not been waited for, or some of them have been waited for and their descendants have not. If
 * there are none, the next one is named, which does not exist yet.
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

/* Leaves a barrier, where all tasks of its region, and its children, have been waited for. */
static inline void omp_task_leave_barrier(struct omp_task *task, const void *site)
{
	omp_task_go_on(task, site, PSCAL_STEP_RESUME);
	if (task->synced == task->children)
		return;
	omp_task_sync_all(task, site, OMP_ALL_BELOW);
	omp_task_go_on(task, site, PSCAL_STEP_SYNCED);
}

/*
 * Returns the index of a child that is only a call for the task: it runs in the block in which it
 * is created, and need not be waited for.
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

/* Begins to wait for the innermost group. */
static inline void omp_task_sync_group(struct omp_task *task, const void *site)
{
	const struct omp_group *group = task->group;

	omp_task_sync_from(task, site, group->first,
			   group->counted && (group->waited || omp_task_left(task, group->first)));
}

/* Leaves the innermost group, and returns it. */
static inline struct omp_group *omp_task_leave_group(struct omp_task *task)
{
	struct omp_group *group = task->group;

	task->group = group->outer;
	return group;
}

#endif
