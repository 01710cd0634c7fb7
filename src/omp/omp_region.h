/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of the threads of a parallel region, and how they end. One that has children which have
 * not been waited for so far waits for them as long as the region lasts, and that is only known to
 * the thread that has met the region.
 */
#ifndef PSCAL_OMP_OMP_REGION_H
#define PSCAL_OMP_OMP_REGION_H

#include "omp/omp_task.h"

struct omp_region {
	struct omp_task *parent;
	pscal_task parent_id;
	const void *site;
	uint32_t first;		  /* index of the child that is thread 0 */
	struct omp_waiting *last; /* of those that wait; each knows the one before it */
};

void omp_region_begin(struct omp_region *region, struct omp_task *parent, const void *site);

/*
 * The task of this thread, of so many. The others are spawned by thread 0, which has met the
 * region, as how many there are is known once they are there.
 */
void omp_region_enter(struct omp_region *region, struct omp_task *member, uint32_t thread,
		      uint32_t threads);

/* It has nothing more to do. Thread 0 begins to wait for the others. */
void omp_region_leave(struct omp_region *region, struct omp_task *member);

/* All have ended, as have their children. */
void omp_region_end(struct omp_region *region);

#endif
