/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The libraries that a command loads so that its blocks and tasks are recorded, and the cost of that
 * for a thread: measured in a child of this process, into which the probe library is loaded, and
 * which has a spool of its own that is read for this alone.
 */
#ifndef PSCAL_COLLECT_BLOCKS_PRELOAD_H
#define PSCAL_COLLECT_BLOCKS_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct plan_header;

/* Paths. Begins as zero. */
struct preload {
	char *probe, *omp; /* NULL: not wanted */
};

/* Returns 0, or -1 with a sentence; release them in both cases. */
int preload_find(struct preload *preload, bool omp, struct err *err);
void preload_release(struct preload *preload);

/* The program that this process becomes, and all that it starts, load them in addition. */
void preload_set(const struct preload *preload);

/*
 * CPU time in ns that is added to a call of a function with so many arguments recorded, for its
 * enter and its leave; 0 where that cannot be measured.
 */
double preload_block_ns(const char *library, uint32_t arguments);

/*
 * CPU time in ns of PSCAL_TASK_BEGIN and PSCAL_TASK_END, with the counters of the plan; 0 where that
 * cannot be measured.
 */
double preload_task_ns(const char *library, const struct plan_header *plan);

#endif
