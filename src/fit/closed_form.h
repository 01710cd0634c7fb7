/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wall time on another number of cores, in closed form [Peternier, Binder, Yokokawa, Chen:
 * Parallelism Profiling and Wall-time Prediction for Multi-threaded Applications, ICPE 2013,
 * section 3]. Measured on k1 cores, forecast for k2:
 *
 *	T_0(k2) = T_0(k1)
 *	T_j(k2) = T_j(k1) min(j, k1) / min(j, k2)	j >= 1
 *	E(k2)   = sum of all T_j(k2)
 *
 * It assumes that ready threads are independent, and that their work does not depend on the number
 * of cores: no additional lock contention, no busy-waiting, the same clock and memory speed. Time
 * of an unknown level does not change.
 */
#ifndef PSCAL_FIT_CLOSED_FORM_H
#define PSCAL_FIT_CLOSED_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "stats/profile/levels.h"

struct err;
struct wall_time;
struct wall_times;

/* The largest unknown share of the wall time with which a forecast is still of the program. */
#define CLOSED_FORM_UNKNOWN_MOST .5

/* Checks that enough is known for a forecast. Returns 0, or -1 with an error. */
int closed_form_check(const struct level_times *levels, struct err *err);

/* Returns E(cores) in seconds; `measured_cores` is k1, both at least 1. */
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

/* Returns the relative error of the forecast: forecast / measured mean - 1. */
double closed_form_error(const struct level_times *levels, uint64_t measured_cores,
			 const struct wall_time *time);

/*
 * Returns the mean of the absolute errors over the measured numbers of cores, *count of them,
 * without `measured_cores`, whose forecast is the profile itself. NaN: there is none.
 */
double closed_form_mean_error(const struct level_times *levels, uint64_t measured_cores,
			      const struct wall_times *times, size_t *count);

#endif
