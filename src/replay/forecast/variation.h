/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much a replayed wall time may vary: the term of the interval of 90 % that is luck, by
 * replaying programs that the recorded one could have been. The others are those of interval.h.
 *
 * In each replicate CPU times and the lengths of sleeps are drawn again from those of the same
 * thread between the same operations at the same site, in blocks of neighbours and from near by, so
 * that phases stay phases [block bootstrap: Kuensch 1989]; those of pools from what all did. Who
 * goes first where nothing decides is another one, and slices and the delays of wakes are from half
 * to twice as long. lo and hi are the quantiles .05 and .95 of the replicates relative to their
 * median, around the point: relative, as times that are drawn for each thread by itself fit each
 * other less well than those that were taken together, so that all replicates wait longer than they
 * should. The recording is one run itself, and two runs differ by sqrt(2) times as much as one does
 * from the mean.
 *
 * How much steps vary is seen in those that are alike. Programs with fewer than 100 steps need ten
 * or more of those for half of what they do; without, the intervals have the other terms alone.
 *
 * So the interval is one for the wall time of another run, in which steps take other times. What it
 * holds of simulated programs is measured by tests/bench/forecast_coverage.c, and of real ones by
 * scripts/bench-forecast-real.
 */
#ifndef PSCAL_REPLAY_FORECAST_VARIATION_H
#define PSCAL_REPLAY_FORECAST_VARIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/replayed.h"

struct err;

enum { VARIATION_STEPS_LEAST = 100, VARIATION_ALIKE_LEAST = 10, VARIATION_REPLICATES = 39 };

/* Of all simulations (simulation_size) that a forecast may make for its interval: some seconds. */
#define VARIATION_SIZE_MOST 30000000

/*
 * How many replicates of a program of that simulation_size(), on so many numbers of cores: fewer
 * where it is large, and none, 0, below 5. Quantiles need 19; with fewer they are those of
 * Student's distribution, as the sum of very many steps is normal.
 */
size_t variation_replicates(uint64_t size, size_t points);

/* Do its steps tell how much they vary? */
bool variation_is_known(const struct program *program);

/* Draws CPU times and pauses of `program` again. */
void variation_draw(struct program *program, uint32_t seed);

struct variation_request {
	double overhead_share; /* of the CPU time recorded: what recording has added to it */
	double discrepancy;    /* per doubling of cores, see interval.h; 0: none */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

/*
 * Fills in the intervals of all points; `program` and `machine` are what they were made from.
 * Returns 0, or -1 with a sentence; where nothing is known of what is luck, the points stay without
 * one.
 */
int variation_add(struct replayed *replayed, const struct program *program,
		  const struct machine *machine, const struct variation_request *request,
		  struct err *err);

#endif
