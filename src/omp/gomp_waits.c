/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of tasks of libgomp. */
#include "omp/gomp.h"
#include "omp/omp_pool.h"

_Static_assert(sizeof(struct omp_group) <= OMP_POOL_BYTES, "the pool has nodes of one size");

GOMP_EXPORTED void GOMP_taskwait(void)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);

	if (!task) {
		gomp->taskwait();
		return;
	}
	omp_task_sync_all(task, GOMP_SITE, OMP_CHILDREN);
	gomp->taskwait();
	omp_task_go_on(task, GOMP_SITE, PSCAL_STEP_SYNCED);
}

/* The children that depend on the named data are not known. */
GOMP_EXPORTED void GOMP_taskwait_depend(void **depend)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);

	if (!task) {
		gomp->taskwait_depend(depend);
		return;
	}
	omp_task_stop(task, GOMP_SITE, PSCAL_STEP_PAUSE);
	gomp->taskwait_depend(depend);
	omp_task_go_on(task, GOMP_SITE, PSCAL_STEP_RESUME);
}

/* --- Taskgroups ----------------------------------------------------------------------------- */

GOMP_EXPORTED void GOMP_taskgroup_start(void)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);

	if (task)
		omp_task_enter_group(task, omp_pool_take(), GOMP_SITE);
	gomp->taskgroup_start();
}

GOMP_EXPORTED void GOMP_taskgroup_end(void)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);

	if (!task || !task->group) {
		gomp->taskgroup_end();
		return;
	}
	omp_task_sync_group(task, GOMP_SITE);
	gomp->taskgroup_end();
	omp_pool_give(omp_task_leave_group(task));
	omp_task_go_on(task, GOMP_SITE, PSCAL_STEP_SYNCED);
}

/* --- Barriers ------------------------------------------------------------------------------- */

/* A barrier that is left as the region was cancelled counts like any other. */
#define BARRIER(name)                                                   \
	GOMP_EXPORTED void GOMP_##name(void)                            \
	{                                                               \
		const struct gomp *gomp = gomp_find(GOMP_RETURN);       \
		struct omp_task *task = gomp_caller(gomp, GOMP_RETURN); \
                                                                        \
		if (!task) {                                            \
			gomp->name();                                   \
			return;                                         \
		}                                                       \
		omp_task_barrier(task, GOMP_SITE);                      \
		gomp->name();                                           \
		omp_task_leave_barrier(task, GOMP_SITE);                \
	}

#define CANCELLABLE(name)                                               \
	GOMP_EXPORTED bool GOMP_##name(void)                            \
	{                                                               \
		const struct gomp *gomp = gomp_find(GOMP_RETURN);       \
		struct omp_task *task = gomp_caller(gomp, GOMP_RETURN); \
		bool cancelled;                                         \
                                                                        \
		if (!task)                                              \
			return gomp->name();                            \
		omp_task_barrier(task, GOMP_SITE);                      \
		cancelled = gomp->name();                               \
		omp_task_leave_barrier(task, GOMP_SITE);                \
		return cancelled;                                       \
	}

BARRIER(barrier)
BARRIER(loop_end)
BARRIER(sections_end)
CANCELLABLE(barrier_cancel)
CANCELLABLE(loop_end_cancel)
CANCELLABLE(sections_end_cancel)
