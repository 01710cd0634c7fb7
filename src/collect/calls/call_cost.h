/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPU time that calls take a thread: measured on calls of this process, before they are
 * recorded and while they are.
 */
#ifndef PSCAL_COLLECT_CALLS_CALL_COST_H
#define PSCAL_COLLECT_CALLS_CALL_COST_H

#include <stdint.h>

enum call_trial {
	CALL_OF_LIBRARY, /* a call of the C library that does not wait */
	CALL_OF_SYSTEM,	 /* a system call for threads that wait, from its beginning to its end */
	/*
	 * Calls of functions that do nothing, from the entry to the return, by the instruction at
	 * the entry: the kernel steps through the first one, and emulates the second (see
	 * probe_place.h).
	 */
	CALL_OF_STEPPED,
	CALL_OF_CHEAP,
	CALL_TRIALS
};
#define CALL_COST_SYNC	 (1U << CALL_OF_LIBRARY | 1U << CALL_OF_SYSTEM)
#define CALL_COST_UPROBE (1U << CALL_OF_STEPPED | 1U << CALL_OF_CHEAP)

struct call_cost {
	double ns[CALL_TRIALS]; /* of a call; 0: not known */
};

/* Takes up to 20 ms where the calls of these trials are recorded, and 2 ms where not. */
void call_cost_measure(struct call_cost *cost, unsigned trials);

/* The time that recording adds to each. A difference of less than 50 ns may be chance: 0. */
void call_cost_added(struct call_cost *added, const struct call_cost *bare,
		     const struct call_cost *watched);

/*
 * The place of the function of such a trial in the file that this process runs, which has this
 * path. 0: it is not known.
 */
#define CALL_COST_FILE "/proc/self/exe"
uint64_t call_cost_place(enum call_trial trial);

#endif
