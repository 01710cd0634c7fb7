/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording tells of its machine, from the intervals of its threads:
 *
 *  - wake_ns, the median time from a wake to running of those who were woken while no more threads
 *    of the target were active, themselves among them, than it has cores;
 *  - slice_ns, the median length of runs that ended in a preemption while more threads were active
 *    than there are cores, and during which none became so: who wakes may preempt long before the
 *    end of a slice;
 *  - wakes_preempt, whether runs during which somebody woke end in a preemption at once: within
 *    50 us of that, more than a tenth of all that end in one, and more than twice as many as in the
 *    50 us that follow, as those are by chance. Where fewer than 20 tell, they do: CFS and Linux
 *    6.18 preempt so, and one that does not shows it where it matters;
 *  - switch_ns stays 0: sched_switch is a moment within the switch, so that what one costs is part
 *    of the CPU time of the two threads.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_COSTS_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct target_info;

enum { COST_SAMPLES = 8192 };

/* The median of a stream: of every 1st, 2nd, 4th ... value, as many as there is room for. */
struct cost_samples {
	uint64_t *values;
	size_t count, stride, passed;
};

void cost_samples_add(struct cost_samples *samples, uint64_t value);

/* 0: there were none. */
uint64_t cost_samples_median(struct cost_samples *samples);

void cost_samples_release(struct cost_samples *samples);

/* Runs that ended in a preemption while more threads were active than there are cores. */
struct cost_preemptions {
	struct cost_samples slices; /* the lengths of those during which nobody became active */
	uint64_t soon, later, all;  /* the others: soon after that, somewhat later, and all */
};

/* One of them; `active_ns` is when the last thread became active. */
void cost_preemptions_add(struct cost_preemptions *preemptions, uint64_t begin_ns, uint64_t end_ns,
			  uint64_t active_ns);
bool cost_preemptions_are_by_wakes(const struct cost_preemptions *preemptions);

/* All of them; what recording calls has cost is as the recorder says. */
void program_costs_tell(struct program_costs *costs, struct cost_samples *wakes,
			struct cost_preemptions *preemptions, const struct target_info *target);

#endif
