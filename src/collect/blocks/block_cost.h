/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost for a thread of recording a block or a task of it: measured in a child of this process,
 * into which the probe library is loaded, and which has a spool of its own that nobody reads.
 */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_COST_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_COST_H

#include <stdint.h>

struct plan_header;

/*
 * CPU time in ns that is added to a call of a function with so many arguments recorded, for its
 * enter and its leave; 0 where that cannot be measured.
 */
double block_cost_measure(const char *library, uint32_t arguments);

/*
 * CPU time in ns of PSCAL_TASK_BEGIN and PSCAL_TASK_END, with the counters of the plan; 0 where that
 * cannot be measured.
 */
double block_cost_of_task(const char *library, const struct plan_header *plan);

#endif
