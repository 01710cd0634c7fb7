/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it costs a thread that calls are recorded in which it waits for others or lets them go on:
 * measured on calls of this process, before they are watched and while they are.
 */
#ifndef PSCAL_COLLECT_CALLS_SYNC_COST_H
#define PSCAL_COLLECT_CALLS_SYNC_COST_H

struct sync_cost {
	double library_ns; /* CPU time of a call of the C library that does not wait */
	double system_ns;  /* ... of a system call of the kind, from its beginning to its end */
};

/* What they take now. Takes 5 ms where calls are recorded, and less where not. */
void sync_cost_measure(struct sync_cost *cost);

/* What recording adds to each. What is less than 50 ns may be chance: 0. */
void sync_cost_added(struct sync_cost *cost, const struct sync_cost *bare,
		     const struct sync_cost *watched);

#endif
