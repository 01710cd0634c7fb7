/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by the requested method, profile-t (usl_region.h) or bootstrap-t
 * (usl_intervals.c), so that all results use the same intervals.
 */
#ifndef PSCAL_FIT_USL_USL_INTERVALS_H
#define PSCAL_FIT_USL_USL_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct series;
struct usl;

struct usl_interval {
	double low, high; /* either may be infinite; both NaN: none */
};

/* A parameter that is not fitted has its value at both ends of its interval. */
enum usl_quantity {
	USL_ALPHA,
	USL_BETA,
	USL_GAMMA,
	/*
	 * N_c: infinite if a law without a peak is possible; low = 0 if a law that falls from the
	 * start is possible. None if beta is not fitted, or if the best fit itself falls from the
	 * start.
	 */
	USL_PEAK_N,
	/*
	 * The largest throughput at any N, or its limit without a peak. None if the best fit falls
	 * from the start (alpha >= 1).
	 */
	USL_PEAK_X,
	/* The mean throughput at N. */
	USL_X,
	/*
	 * The shares of the parts of D(N) = 1 + alpha (N - 1) + beta N (N - 1): useful work, the
	 * loss to contention and the loss to coherency. The useful share is the efficiency of the
	 * curve, X(N) / (N gamma).
	 */
	USL_USEFUL,
	USL_CONTENTION,
	USL_COHERENCY,
	/*
	 * A further measurement at N, with the weight of those at N; between two N its variance is
	 * interpolated, and beyond the outermost it is that of the nearest.
	 */
	USL_MEASURED,
	/* The number of points, which has no interval. */
	USL_POINTS
};

/* The largest number of different N; beyond it neighbours are joined. */
enum { USL_REGION_POINTS = 500 };

/* The parameters of a bootstrap. */
struct usl_bootstrap_plan {
	size_t refits; /* the number of refits, at least usl_bootstrap_least(level) */
	uint32_t seed; /* equal seeds give equal intervals */
	/* Called from time to time with the refits done and their total; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t all);
	void *context;
};

/* Returns the least number of refits for a level: (refits + 1) (1 - level) / 2 >= 1. */
size_t usl_bootstrap_least(double level);

struct usl_intervals;

/*
 * Makes the intervals of a fit to the series at the confidence `level`, 0..1. `plan` asks for
 * bootstrap-t, NULL for profile-t. The fit and the series are borrowed. With as many parameters as
 * points no interval is known. The caller frees the intervals.
 */
struct usl_intervals *usl_intervals_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan);
void usl_intervals_free(struct usl_intervals *intervals);

/* Returns the fit. */
const struct usl *usl_intervals_fit(const struct usl_intervals *intervals);

/*
 * Returns the plan of the bootstrap; NULL: the method is profile-t. *failed, which may be NULL, is
 * the number of refits without an optimum, which do not count.
 */
const struct usl_bootstrap_plan *usl_intervals_plan(const struct usl_intervals *intervals,
						    size_t *failed);

/* Returns the interval of a quantity; `n` is N for those that depend on it. */
struct usl_interval usl_interval_of(const struct usl_intervals *intervals,
				    enum usl_quantity quantity, double n);

#endif
