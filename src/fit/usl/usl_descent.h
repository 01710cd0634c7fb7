/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Newton's method, damped, for X = n / D with a D that is affine in a few unknowns:
 *
 *	D of a point = its offset + the sum of each unknown times its column
 *
 * in double precision and without a call to the heap, for what is solved thousands of times: the
 * profiles of an interval, the refits of a simulation.
 */
#ifndef PSCAL_FIT_USL_USL_DESCENT_H
#define PSCAL_FIT_USL_USL_DESCENT_H

#include <stdbool.h>
#include <stddef.h>

/* theta = (p, q, r), the coefficients of D as usl_solver.h has them, in double precision. */
enum { USL_THETA = 3 };

static inline double usl_theta_dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* 1/X(n) = D(n)/n = form . theta; n and N = 1 are given in the same unit. */
static inline void usl_theta_slowness(double *form, double n, double one)
{
	form[0] = 1 / n;
	form[1] = 1 - one / n;
	form[2] = n - one;
}

enum { USL_UNKNOWNS = 5 };

struct usl_descent_point {
	double n, x;
	double weight; /* how many measurements it stands for, x being their mean */
	double offset, column[USL_UNKNOWNS];
	double d; /* after a run: D */
};

struct usl_descent {
	struct usl_descent_point *points;
	size_t count;
	size_t unknowns; /* 0..USL_UNKNOWNS; the columns of others do not matter */
};

/* The weighted sum of squares, and D of each point; infinite where one is not positive. */
double usl_descent_rss(struct usl_descent *descent, const double *unknown);

/*
 * The unknowns that bring D nearest to `target`, an array of one positive D for each point, in the
 * measure of the throughput and to first order: where to start. NULL takes D = n/x, through all
 * points. Returns -1 when the columns do not tell the unknowns apart.
 */
int usl_descent_start(const struct usl_descent *descent, double *unknown, const double *target);

/*
 * Goes from *unknown down to the next minimum. Returns its sum of squares, or infinity where D is
 * not positive at the start.
 */
double usl_descent_run(struct usl_descent *descent, double *unknown);

/*
 * The fit of the Universal Scalability Law to other throughputs at the same N, thousands of times:
 * a descent from the fit that is known, without a call to the heap.
 *
 * Everything is in the coordinates of usl_solver.h: D = theta . basis with theta = (p, q, r) is
 * linear, N in units of the largest one and X in units of the largest one.
 */

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
