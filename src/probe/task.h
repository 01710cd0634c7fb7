/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal/task.h: marks the tasks of your own program, for `pscal record --tasks`, as in figure 2 of
 * Huynh, Nakashima and Taura, "A Performance Analyzer for Task Parallel Applications based on
 * Execution Time Stretches", 2013. C from C99 on, and C++.
 *
 *	#include <pscal/task.h>
 *
 *	long fib(int n, pscal_task parent, unsigned index)
 *	{
 *		long a, b;
 *
 *		PSCAL_TASK_BEGIN(task, parent, index);		// declares pscal_task task
 *		if (n < 2) {
 *			PSCAL_TASK_END(task);
 *			return n;
 *		}
 *		PSCAL_SPAWN(task, 0);
 *		#pragma omp task shared(a)
 *		a = fib(n - 1, task, 0);
 *		PSCAL_SPAWNED(task);
 *		b = fib(n - 2, task, 1);			// in place: a task all the same
 *		PSCAL_SYNC(task);
 *		#pragma omp taskwait
 *		PSCAL_SYNCED(task);
 *		PSCAL_TASK_END(task);
 *		return a + b;
 *	}
 *
 * A task is identified by its parent and by an index among the parent's children, which both sides
 * give: any 32-bit number that no other child of that parent has. The parent of a root is
 * PSCAL_NO_TASK. No library has to be linked: outside of a recording each macro is a load and a
 * branch that is not taken, and the task is PSCAL_NO_TASK.
 *
 * PSCAL_SYNC waits for children. Descendants that the children did not wait for may continue,
 * unless the wait begins with PSCAL_SYNC_ALL, as for a taskgroup of OpenMP.
 *
 * A segment of a task is the code between a step that starts or resumes it (BEGIN, SPAWNED, SYNCED,
 * RESUME) and a step that stops it (SPAWN, SYNC, PAUSE, BARRIER, END), identified by the lines of
 * both. The time is read at the end of the former and at the beginning of the latter, so that the
 * cost of recording is outside of segments.
 */
#ifndef PSCAL_TASK_H
#define PSCAL_TASK_H

#include <stdint.h>

#include "probe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t pscal_task;
#define PSCAL_NO_TASK ((pscal_task)0)

/* A place in the source, identified by its address. */
struct pscal_site {
	const char *function, *file;
	uint32_t line;
	uint32_t known; /* for the probe library */
};

/* The numbers are part of the recording. */
enum pscal_step {
	PSCAL_STEP_BEGIN = 1, /* `task` is its parent, `value` its index; returns the new task */
	PSCAL_STEP_END,
	PSCAL_STEP_SPAWN,   /* begins to create the child with index `value` */
	PSCAL_STEP_SPAWNED, /* ... and has created it */
	/* The next SYNC waits for the child with index `value`, and only for named children. */
	PSCAL_STEP_SYNC_OF,
	/*
	 * Begins to wait, for all children if none were named; `value` 1: also for all descendants
	 * of these children, including those of a named child that has been waited for.
	 */
	PSCAL_STEP_SYNC,
	PSCAL_STEP_SYNCED, /* ... and has waited */
	PSCAL_STEP_PAUSE,  /* its worker may run other tasks, for another reason */
	PSCAL_STEP_RESUME, /* continues, perhaps on another thread */
	PSCAL_STEP_BARRIER /* waits for the other children of its parent; then RESUME */
};

/*
 * Defined only by the probe library. Returns `task`, except for BEGIN. Steps of PSCAL_NO_TASK are
 * not recorded, except the begin of other tasks.
 */
typedef pscal_task pscal_stepper(struct pscal_site *site, enum pscal_step step, pscal_task task,
				 uint32_t value);
extern pscal_stepper pscal_task_step __attribute__((weak));

/*
 * Records a step for a caller without a struct pscal_site, but with an address of code, such as a
 * library's caller: the symbols and lines of its file name it. For a return address, give the
 * address less 1, as the instruction there may belong to the next line.
 */
typedef pscal_task pscal_stepper_at(const void *code, enum pscal_step step, pscal_task task,
				    uint32_t value);
extern pscal_stepper_at pscal_task_step_at __attribute__((weak));

PSCAL_FIND(pscal_stepper, pscal_task_step)

/* The arguments are evaluated, recorded or not. */
static inline pscal_task pscal_task_tell(struct pscal_site *site, enum pscal_step step,
					 pscal_task task, uint32_t value)
{
	pscal_stepper *found = pscal_task_step_found();

	return found ? found(site, step, task, value) : PSCAL_NO_TASK;
}

#define PSCAL_HERE                              \
	{                                       \
		__func__, __FILE__, __LINE__, 0 \
	}

#define PSCAL_STEP(step, task, value)                                                       \
	do {                                                                                \
		static struct pscal_site pscal_site_here = PSCAL_HERE;                      \
		(void)pscal_task_tell(&pscal_site_here, (step), (task), (uint32_t)(value)); \
	} while (0)

#define PSCAL_TASK_BEGIN(task, parent, index)                                                \
	static struct pscal_site pscal_site_of_##task = PSCAL_HERE;                          \
	pscal_task task = pscal_task_tell(&pscal_site_of_##task, PSCAL_STEP_BEGIN, (parent), \
					  (uint32_t)(index))

#define PSCAL_TASK_END(task)	   PSCAL_STEP(PSCAL_STEP_END, task, 0)
#define PSCAL_SPAWN(task, index)   PSCAL_STEP(PSCAL_STEP_SPAWN, task, index)
#define PSCAL_SPAWNED(task)	   PSCAL_STEP(PSCAL_STEP_SPAWNED, task, 0)
#define PSCAL_SYNC_OF(task, index) PSCAL_STEP(PSCAL_STEP_SYNC_OF, task, index)
#define PSCAL_SYNC(task)	   PSCAL_STEP(PSCAL_STEP_SYNC, task, 0)
#define PSCAL_SYNC_ALL(task)	   PSCAL_STEP(PSCAL_STEP_SYNC, task, 1)
#define PSCAL_SYNCED(task)	   PSCAL_STEP(PSCAL_STEP_SYNCED, task, 0)
#define PSCAL_PAUSE(task)	   PSCAL_STEP(PSCAL_STEP_PAUSE, task, 0)
#define PSCAL_RESUME(task)	   PSCAL_STEP(PSCAL_STEP_RESUME, task, 0)
#define PSCAL_BARRIER(task)	   PSCAL_STEP(PSCAL_STEP_BARRIER, task, 0)

#ifdef __cplusplus
}
#endif
#endif
