/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much a replayed wall time may vary: the interval of 90 % of points, by replaying programs
 * that the recorded one could have been.
 *
 * In each replicate CPU times are drawn again from those of the same thread between the same
 * operations at the same site, in blocks of neighbours and from near by, so that phases stay phases
 * [block bootstrap: Kuensch 1989]; who goes first where nothing decides is another one, and slices
 * and the delays of wakes are from half to twice as long. lo and hi are the quantiles .05 and .95,
 * relative to the median, around the point, and widened by what the replay misses of the recorded
 * wall time. Relative, as times that are drawn for each thread by itself fit each other less well
 * than those that were taken together: all replicates wait longer than they should.
 *
 * So the interval covers that steps take other times in another run, and what is known to be wrong
 * with the replay. It does not cover what depends on the number of cores beside the scheduler: the
 * clock, caches and memory.
 */
#ifndef PSCAL_REPLAY_VARIATION_H
#define PSCAL_REPLAY_VARIATION_H

#include <stddef.h>
#include <stdint.h>

#include "replay/replayed.h"

struct err;

enum { VARIATION_STEPS_LEAST = 100, VARIATION_REPLICATES = 39 };

/* Simulated steps that a forecast may take for its interval: a minute or so. */
#define VARIATION_STEPS_MOST 200000000

/*
 * How many replicates of a program with so many steps, on so many numbers of cores: fewer where it
 * is large, and none, 0, below 19, which quantiles need, or where it has too few steps.
 */
size_t variation_replicates(uint64_t steps, size_t points);

/* Draws CPU times of `program` again. */
void variation_draw(struct program *program, uint32_t seed);

/*
 * Fills in the intervals of all points; `program` and `machine` are what they were made from.
 * Returns 0, or -1 with a sentence; where there are too few steps the points stay without one.
 */
int variation_add(struct replayed *replayed, const struct program *program,
		  const struct machine *machine, struct err *err);

#endif
