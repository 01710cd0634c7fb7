/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by the requested method, so that all results use the same intervals:
 * profile-t (usl_region.h), or bootstrap-t (usl_intervals.c).
 */
#ifndef PSCAL_FIT_USL_USL_INTERVALS_H
#define PSCAL_FIT_USL_USL_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct series;
struct usl;

struct usl_interval {
	double low, high; /* either may be infinite; both NaN where there is none */
};

/* The interval of a parameter that is not fitted has the value itself at both ends. */
enum usl_quantity {
	USL_ALPHA,
	USL_BETA,
	USL_GAMMA,
	/*
	 * N_c: infinite where a law without a peak is possible, low = 0 where one is that falls
	 * from the start. None where beta is not fitted, or where the best fit itself falls from
	 * the start.
	 */
	USL_PEAK_N,
	/* The largest throughput at any N, or what throughput approaches where it has no peak. None
	 * where the best fit falls from the start (alpha >= 1). */
	USL_PEAK_X,
	/* The mean throughput at N. */
	USL_X,
	/*
	 * The parts of D(N) = 1 + alpha (N - 1) + beta N (N - 1), as shares of it: the work that N
	 * do, the loss to contention and the loss to coherency. The useful share is the efficiency
	 * of the curve, X(N) / (N gamma).
	 */
	USL_USEFUL,
	USL_CONTENTION,
	USL_COHERENCY,
	/* One more measurement at N, weighted as those made there; between two N and beyond the
	 * outermost its variance is that of its neighbours. */
	USL_MEASURED,
	/* The number of points, which has no interval. */
	USL_POINTS
};

/* Beyond so many different N, neighbours are taken together. */
enum { USL_REGION_POINTS = 500 };

/* The way to draw refits. */
struct usl_bootstrap_plan {
	size_t refits; /* at least usl_bootstrap_least(level) */
	uint32_t seed; /* the same one gives the same intervals */
	/* Called now and then with the refits done and all of them; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t all);
	void *context;
};

/* The least number of refits that has a quantile on each side: (refits + 1) (1 - level) / 2 >= 1. */
size_t usl_bootstrap_least(double level);

struct usl_intervals;

/*
 * Of a fit to the series at the confidence `level`, 0..1. `plan` asks for bootstrap-t, NULL for
 * profile-t. The fit and the series are borrowed. Where there are as many parameters as points no
 * interval is known. The caller frees.
 */
struct usl_intervals *usl_intervals_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan);
void usl_intervals_free(struct usl_intervals *intervals);

/* The fit. */
const struct usl *usl_intervals_fit(const struct usl_intervals *intervals);

/* The plan of the bootstrap; NULL where the method is profile-t. *failed becomes the number of refits
 * that have found no optimum and do not count; it may be NULL. */
const struct usl_bootstrap_plan *usl_intervals_plan(const struct usl_intervals *intervals,
						    size_t *failed);

/* `n` is the N of the quantities that have one. */
struct usl_interval usl_interval_of(const struct usl_intervals *intervals,
				    enum usl_quantity quantity, double n);

#endif
