/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The libraries that a command loads to record its blocks and tasks, and their cost for a thread,
 * measured in a child of this process that loads the probe library and has its own spool.
 */
#ifndef PSCAL_COLLECT_BLOCKS_PRELOAD_H
#define PSCAL_COLLECT_BLOCKS_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct plan_header;

/* Paths of libraries. Begins as zero. */
struct preload {
	char *probe, *omp; /* NULL: not requested */
};

/* Finds the libraries. Returns 0, or -1 with an error; the caller releases them in both cases. */
int preload_find(struct preload *preload, bool omp, struct err *err);
void preload_release(struct preload *preload);

/* Makes the program that this process becomes, and all that it starts, load them in addition. */
void preload_set(const struct preload *preload);

/*
 * Returns the CPU time in ns that recording adds to a call of a function with that many recorded
 * arguments, for its enter and its leave; 0: not measured.
 */
double preload_block_ns(const char *library, uint32_t arguments);

/* Returns the CPU time in ns of the begin and the end of a task, with counters; 0: not measured. */
double preload_task_ns(const char *library, const struct plan_header *plan);

#endif
