/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Newton's method, damped, for X = n / D with a D that is affine in a few unknowns:
 *
 *	D of a point = its offset + the sum of each unknown times its column
 *
 * in double precision and without heap memory, for problems that are solved thousands of times: the
 * profiles of an interval, the refits of a simulation.
 */
#ifndef PSCAL_FIT_USL_USL_DESCENT_H
#define PSCAL_FIT_USL_USL_DESCENT_H

#include <stdbool.h>
#include <stddef.h>

/* theta = (p, q, r), the coefficients of D as in usl_solver.h, in double precision. */
enum { USL_THETA = 3 };

static inline double usl_theta_dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Sets `form` so that 1/X(n) = D(n)/n = form . theta; `one` is N = 1 in the unit of n. */
static inline void usl_theta_slowness(double *form, double n, double one)
{
	form[0] = 1 / n;
	form[1] = 1 - one / n;
	form[2] = n - one;
}

enum { USL_UNKNOWNS = 5 };

struct usl_descent_point {
	double n, x;
	double weight; /* the number of measurements, whose mean is x */
	double offset, column[USL_UNKNOWNS];
	double d; /* D, after a run */
};

struct usl_descent {
	struct usl_descent_point *points;
	size_t count;
	size_t unknowns; /* 0..USL_UNKNOWNS; further columns are not used */
};

/* Returns the weighted sum of squares, infinite if a D is not positive. Sets D of each point. */
double usl_descent_rss(struct usl_descent *descent, const double *unknown);

/*
 * Finds the unknowns that bring D nearest to `target`, an array of one positive D for each point,
 * in the measure of the throughput and to first order, as a start. NULL stands for D = n/x, through
 * all points. Returns -1 if the columns do not tell the unknowns apart.
 */
int usl_descent_start(const struct usl_descent *descent, double *unknown, const double *target);

/*
 * Descends from *unknown to the next minimum. Returns its sum of squares, or infinity if D is not
 * positive at the start.
 */
double usl_descent_run(struct usl_descent *descent, double *unknown);

/*
 * Fits the Universal Scalability Law to other throughputs at the same N, thousands of times: a
 * descent from the known fit, without heap memory.
 *
 * All values are in the coordinates of usl_solver.h: D = theta . basis with theta = (p, q, r) is
 * linear, and N and X are in units of their largest values.
 */

struct series;
struct usl;

struct usl_refit {
	struct usl_descent_point *points; /* in the order of the series; the caller may change x */
	double (*basis)[USL_THETA];	  /* the basis of each point */
	size_t count;
	double n_unit, x_unit;
	double one;    /* N = 1 in units of n_unit */
	unsigned free; /* the set of coefficients that are fitted; the others stay */
	/* found from the points, including a measured gamma, which is not free */
	size_t parameters;
	double ones;		/* the weight of all points at N = 1 if these give gamma, else 0 */
	bool bounded;		/* q and r must not be below 0 */
	double best[USL_THETA]; /* the known fit: the start */
};

struct usl_refitted {
	double theta[USL_THETA];
	double spread[USL_THETA][USL_THETA]; /* (J'WJ)^-1; 0 for coefficients that are not free */
	double rss;
	unsigned free; /* the set of coefficients that are fitted and not on a bound */
};

/* Copies the throughputs of the series, to begin with. The caller releases `refit`. */
void usl_refit_init(struct usl_refit *refit, const struct usl *usl, const struct series *series);
void usl_refit_release(struct usl_refit *refit);

/* Finds the optimum near the fit, without bounds. Returns -1 if there is none. */
int usl_refit_unbounded(struct usl_refitted *found, struct usl_refit *refit);

/* Finds the optimum under the bounds; `unbounded` is the result of usl_refit_unbounded(). */
int usl_refit_bounded(struct usl_refitted *found, struct usl_refit *refit,
		      const struct usl_refitted *unbounded);

/* Returns form . spread . other: times s^2, the covariance of two linear forms of theta. */
double usl_refit_spread(const struct usl_refitted *found, const double *form, const double *other);

#endif
