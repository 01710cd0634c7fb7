/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law through replayed wall times: X(N) = 1 / wall time on N cores, in
 * runs of the program per second.
 *
 * The points are computed, and would be the same again. What the curve misses is that the law is
 * not the program's, and no scatter: nothing tells from it how sure the parameters are.
 */
#ifndef PSCAL_REPLAY_FORECAST_REPLAYED_USL_H
#define PSCAL_REPLAY_FORECAST_REPLAYED_USL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fit/usl/usl.h"
#include "replay/simulate/simulation.h"
#include "stats/series/series.h"

struct err;
struct replayed;

/* There are points up to 8 cores where fewer are asked for, and no curve through less than 4. */
enum { REPLAYED_USL_CORES = 8, REPLAYED_USL_POINTS = 4 };

struct replayed_usl {
	struct series series;
	struct usl usl;
	double r2;	  /* 1 - RSS / the sum of squares about the mean; NaN: all X are equal */
	double rms_error; /* root of the mean square of the relative residuals, fitted / X - 1 */
	double max_error; /* the one that is farthest from 0 */
	double max_error_n;
	bool falls;	 /* the last point has 1 % less throughput than another, or even less */
	uint64_t active; /* threads at most at a time: as many cores have the last point */
};

/*
 * N = 1, 2, 3, 4, 6, 8, 12, 16, ... as far as `largest`, and that, but not beyond the number of
 * threads that are `active` at a time: on more cores nothing changes as there are no more threads,
 * which the law would take for contention. Wall times are `scaled` as its own are (scale_to_measured.h);
 * NULL: they are not. Returns 0, or -1 with a sentence: there are too few of
 * them, a replay does not come to its end, takes no time, or no curve fits. The caller releases in
 * any case.
 */
int replayed_usl_init(struct replayed_usl *replayed, const struct program *program,
		      const struct machine *machine, const struct replayed *scaled,
		      uint64_t largest, uint64_t active, struct err *err);
void replayed_usl_release(struct replayed_usl *replayed);

/* fitted / replayed - 1 of a point. */
double replayed_usl_error(const struct replayed_usl *replayed, size_t point);

#endif
