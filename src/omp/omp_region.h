/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of the threads of a parallel region, and their ends. A task with children that have not
 * been waited for waits for them until the end of the region, which only the thread that
 * encountered the region knows.
 */
#ifndef PSCAL_OMP_OMP_REGION_H
#define PSCAL_OMP_OMP_REGION_H

#include "omp/omp_task.h"

struct omp_region {
	struct omp_task *parent;
	pscal_task parent_id;
	const void *site;
	uint32_t first;		  /* index of the child that is thread 0 */
	struct omp_waiting *last; /* the last waiting task; each knows the one before it */
};

void omp_region_begin(struct omp_region *region, struct omp_task *parent, const void *site);

/*
 * Begins the task of this thread, of `threads`. Thread 0, which has encountered the region, spawns
 * the others, as their number is only known then.
 */
void omp_region_enter(struct omp_region *region, struct omp_task *member, uint32_t thread,
		      uint32_t threads);

/* Notes that a member has nothing more to do. Thread 0 begins to wait for the others. */
void omp_region_leave(struct omp_region *region, struct omp_task *member);

/* Ends the region: all members have ended, and so have their children. */
void omp_region_end(struct omp_region *region);

#endif
