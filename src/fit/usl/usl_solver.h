/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least-squares problem of the Universal Scalability Law in coordinates that suit a solver, and
 * its optimum.
 *
 * With p = 1/gamma, q = alpha/gamma, r = beta/gamma the law is X = N / D(N) with a denominator that
 * is linear in its coefficients,
 *
 *	D(N) = p + q (N - 1) + r N (N - 1),
 *
 * bounds on alpha and beta are bounds on q and r, and the sum of squares is convex wherever every
 * fitted value is at least 2/3 of its point. N, X and weights are divided by the largest of each,
 * so that series of any magnitude are the same problem.
 */
#ifndef PSCAL_FIT_USL_USL_SOLVER_H
#define PSCAL_FIT_USL_USL_SOLVER_H

#include <stddef.h>

#include "fit/usl/usl_means.h"

struct series;

/* The largest number of points; more are joined at the same N. */
enum { USL_SCALED_POINTS = 1000 };

/* Coefficients of D, and sets of them. */
enum { USL_P = 1, USL_Q = 2, USL_R = 4, USL_COEFFICIENTS = 3 };

/* Long double throughout, so that the last steps of a fit settle all digits of a double. */
struct usl_scaled_point {
	long double n;			     /* N / the largest N */
	long double x;			     /* X / the largest X */
	long double weight;		     /* the weight of the point / the largest weight */
	long double basis[USL_COEFFICIENTS]; /* D = p basis[0] + q basis[1] + r basis[2] */
};

struct usl_scaled {
	struct usl_scaled_point *points;
	size_t count;
	struct usl_units units;
	long double spread;  /* the sum of squares that no curve can reduce; scaled */
	long double squares; /* the weighted sum of X^2, scaled */
	/* The values of coefficients that are not free: 0, or the known p. */
	long double known[USL_COEFFICIENTS];
};

struct usl_scaled_fit {
	unsigned free;			     /* a set of coefficients; the others are known */
	long double value[USL_COEFFICIENTS]; /* p, q, r, scaled; of either sign */
	long double rss;		     /* scaled */
};

/* A `gamma` above 0 is known. The caller releases `scaled`. */
void usl_scaled_init(struct usl_scaled *scaled, const struct series *series, double gamma);
void usl_scaled_release(struct usl_scaled *scaled);

/* Returns D at a point. */
long double usl_scaled_denominator(const struct usl_scaled_point *point, const long double *value);

/* Returns the weighted residual sum of squares; infinite if a D is not positive. */
long double usl_scaled_rss(const struct usl_scaled *scaled, const long double *value);

/* Computes the derivative of rss by each coefficient. */
void usl_scaled_gradient(long double gradient[USL_COEFFICIENTS], const struct usl_scaled *scaled,
			 const long double *value);

/*
 * Computes the standard errors of gamma, alpha and beta, in this order and in the units of the
 * series, for `df` degrees of freedom: the square roots of the diagonal of s^2 (J'WJ)^-1 with the
 * weights W. NaN for coefficients that are not free.
 */
void usl_scaled_errors(double errors[USL_COEFFICIENTS], const struct usl_scaled *scaled,
		       const struct usl_scaled_fit *fit, size_t df);

/* Return the parameters of the law, in the units of the series. */
double usl_scaled_gamma(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit);
double usl_scaled_alpha(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit);
double usl_scaled_beta(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit);

/*
 * Finds the optimum without bounds over the coefficients in the set `free`, which may be empty, to
 * about 15 digits. There must be at least as many points as coefficients. Noisy points may have
 * several local optima: then the result is the best one found, and one without negative
 * coefficients before one with.
 *
 * Returns -1 if there is none: no descent converges with D positive at all points.
 */
int usl_solver_fit(struct usl_scaled_fit *fit, const struct usl_scaled *scaled, unsigned free);

#endif
