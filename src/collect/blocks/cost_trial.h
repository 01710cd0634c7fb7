/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it costs a thread that the probe library records something: measured in a child of this
 * process, into which the library is loaded, and which has a spool of its own that nobody reads.
 */
#ifndef PSCAL_COLLECT_BLOCKS_COST_TRIAL_H
#define PSCAL_COLLECT_BLOCKS_COST_TRIAL_H

#include <stdint.h>
#include <stdio.h>

/*
 * What is done in a round fits into one window of the spool with that of some others, so that the
 * median is of rounds in which nobody disturbs and no window is made.
 */
enum { COST_TRIAL_ROUNDS = 21, COST_TRIAL_TIMES = 250 };

struct cost_trial {
	/* What the library is to do, as probe/patch_plan.h has it; -1: it cannot be said. */
	int (*write_plan)(FILE *out, const void *context);
	/* CPU time in ns of one, by cost_trial_median_ns(); `library` NULL: it is not loaded. */
	double (*time_ns)(void *library);
	const void *context;
	uint64_t events; /* of one */
};

/*
 * The CPU time in ns that is added to one; 0 where that cannot be measured. Takes about 10 ms.
 */
double cost_trial_ns(const struct cost_trial *trial, const char *library);

/* `round` does it COST_TRIAL_TIMES times. CPU time in ns of one, in the median. */
double cost_trial_median_ns(void (*round)(void *context), void *context);

#endif
