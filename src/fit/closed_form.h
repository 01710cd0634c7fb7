/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wall time on another number of cores, in closed form [Peternier, Binder, Yokokawa, Chen:
 * Parallelism Profiling and Wall-time Prediction for Multi-threaded Applications, ICPE 2013,
 * section 3]. Seen on k1 cores, asked for k2:
 *
 *	T_0(k2) = T_0(k1)
 *	T_j(k2) = T_j(k1) min(j, k1) / min(j, k2)	j >= 1
 *	E(k2)   = sum of all T_j(k2)
 *
 * It assumes that ready threads are independent, and that their work does not depend on the number
 * of cores: no lock contention that only more cores cause, no busy-waiting, the same clock and
 * memory speed. Time of an unknown level is kept.
 */
#ifndef PSCAL_FIT_CLOSED_FORM_H
#define PSCAL_FIT_CLOSED_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "stats/profile/levels.h"

struct err;
struct wall_time;
struct wall_times;

/* Beyond that share of the wall time it is not the program that would be forecast. */
#define CLOSED_FORM_UNKNOWN_MOST .5

/* Is enough known for a forecast? Returns 0, or -1 with a sentence. */
int closed_form_check(const struct level_times *levels, struct err *err);

/* E(cores) in seconds; `measured_cores` is k1, both at least 1. */
double closed_form_wall_s(const struct level_times *levels, uint64_t measured_cores,
			  uint64_t cores);

struct closed_form {
	uint64_t cores;
	double wall_s;
	double speedup;	   /* E(1) / E(cores) */
	double efficiency; /* speedup / cores, 0..1 */
};

struct closed_form closed_form(const struct level_times *levels, uint64_t measured_cores,
			       uint64_t cores);

/* The relative error against what was measured: forecast / mean - 1. */
double closed_form_error(const struct level_times *levels, uint64_t measured_cores,
			 const struct wall_time *time);

/*
 * The mean of its absolute values, over the numbers of cores that it was measured on but for
 * `measured_cores`, of which *count tells how many there are: there the forecast is what the
 * profile says. NaN where there is none.
 */
double closed_form_mean_error(const struct level_times *levels, uint64_t measured_cores,
			      const struct wall_times *times, size_t *count);

#endif
