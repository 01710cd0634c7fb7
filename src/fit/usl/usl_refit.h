/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fit of the Universal Scalability Law to other throughputs at the same N, thousands of times:
 * a descent from the fit that is known, without a call to the heap.
 *
 * Everything is in the coordinates of usl_solver.h: D = theta . basis with theta = (p, q, r) is
 * linear, N in units of the largest one and X in units of the largest one.
 */
#ifndef PSCAL_FIT_USL_USL_REFIT_H
#define PSCAL_FIT_USL_USL_REFIT_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl_descent.h"

struct series;
struct usl;

struct usl_refit {
	struct usl_descent_point *points; /* in the order of the series; x may be changed */
	double (*basis)[USL_THETA];	  /* of each point */
	size_t count;
	double n_unit, x_unit;
	double one;	   /* N = 1 in units of n_unit */
	unsigned free;	   /* set of coefficients that are fitted; the others stay as they are */
	size_t parameters; /* found from the points: a gamma measured counts, but is not free */
	double ones;  /* the weight of all points at N = 1 where gamma is measured there, or 0 */
	bool bounded; /* is q and r below 0 not allowed? */
	double best[USL_THETA]; /* the fit that was given: where to start */
};

struct usl_refitted {
	double theta[USL_THETA];
	double spread[USL_THETA][USL_THETA]; /* (J'WJ)^-1; 0 of what is not free */
	double rss;
	unsigned free; /* set of coefficients that are fitted and not on a bound */
};

/* Begins with the throughputs of the series, which may be released at once. The caller releases. */
void usl_refit_init(struct usl_refit *refit, const struct usl *usl, const struct series *series);
void usl_refit_release(struct usl_refit *refit);

/* The optimum near the fit, without bounds. -1 where there is none. */
int usl_refit_unbounded(struct usl_refitted *found, struct usl_refit *refit);

/* The one under the bounds; `unbounded` is what the function above has found. */
int usl_refit_bounded(struct usl_refitted *found, struct usl_refit *refit,
		      const struct usl_refitted *unbounded);

/* form . spread . other: times s^2, the covariance of two linear forms of theta. */
double usl_refit_spread(const struct usl_refitted *found, const double *form, const double *other);

#endif
