/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What page faults cost a thread while they are recorded: measured on memory of this process.
 */
#ifndef PSCAL_COLLECT_SAMPLES_FAULT_COST_H
#define PSCAL_COLLECT_SAMPLES_FAULT_COST_H

struct fault_cost {
	double outside_ns; /* CPU time of a fault before its first record and behind its second */
	double added_ns;   /* ... and what recording adds to it, both records together */
};

/* Returns 0, or -1 where it cannot be measured. Takes 10 ms. */
int fault_cost_measure(struct fault_cost *cost);

#endif
