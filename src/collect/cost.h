/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it costs those who are recorded: the CPU time that collectors add to a context switch,
 * measured on this machine before the recording, as the difference of two of these.
 */
#ifndef PSCAL_COLLECT_COST_H
#define PSCAL_COLLECT_COST_H

#include <stddef.h>

struct collector;
struct err;

/*
 * A machine is not as fast at one moment as at the next, so a switch is compared with a step of the
 * same work that no collector sees: a byte handed to oneself.
 */
struct cost {
	double switch_ns; /* CPU time, with the wake that leads to the switch */
	double step_ns;
};

/*
 * What a switch takes while two threads hand a byte to and fro on one CPU, watched by `collectors`:
 * none before they are opened, all of them after that and before they begin. One that is open
 * costs something even while it is off.
 *
 * Takes about 10 ms. Collectors forget all of it. Returns 0, or -1 with a sentence: then the cost
 * is not known, also when a collector cannot forget.
 */
int cost_measure(struct cost *cost, struct collector *const *collectors, size_t count,
		 struct err *err);

/* What collectors add to a switch; 0 when that is less than can be measured. */
double cost_added_ns(const struct cost *bare, const struct cost *watched);

#endif
