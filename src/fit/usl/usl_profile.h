/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well the Universal Scalability Law can still fit when a quantity is held at a value, and how
 * far the quantity can go before it fits too badly.
 *
 * Everything is in the coordinates of usl_scaled.h, where D = p + q (N - 1) + r N (N - 1) is linear
 * and each quantity is a ratio of linear forms of theta = (p, q, r), or its reciprocal or root:
 *
 *	alpha = q/p, beta = r/p, 1/gamma = p, 1/X(N) = D(N)/N, N_c^2 = (p - q)/r
 *
 * (the N of these in units of the largest one). A value for the quantity is then a plane.
 */
#ifndef PSCAL_FIT_USL_USL_PROFILE_H
#define PSCAL_FIT_USL_USL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl_descent.h"

enum { USL_THETA = 3 };

struct usl_profile {
	struct usl_descent_point *points; /* their n, x and weight are set */
	double (*basis)[USL_THETA];	  /* of each point */
	double *target;			  /* D of the last minimum found: where to look next */
	double *best_d;			  /* D at the best fit */
	size_t count;
	double best[USL_THETA];
	double rss;	      /* S(best) */
	double room;	      /* by how much S may be larger */
	unsigned fixed;	      /* set of coefficients that are not fitted */
	double at[USL_THETA]; /* what these are: 0, but for a p that is known; of others 0 */
	unsigned bounds;      /* of those that are not below 0 */
};

static inline double usl_profile_dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct usl_plane {
	double normal[USL_THETA];
	double level;  /* normal . theta = level */
	unsigned zero; /* coefficients that are 0 on it, or as the profile has them fixed */
};

/* The least sum of squares on the plane, and where; without bounds. Infinite if there is none. */
double usl_profile_unbounded(double *theta, struct usl_profile *profile,
			     const struct usl_plane *plane);

/* The same under the bounds. */
double usl_profile_minimum(double *theta, struct usl_profile *profile,
			   const struct usl_plane *plane);

/* (above . theta) / (below . theta + constant) = scale tan(angle) */
struct usl_ratio {
	double above[USL_THETA], below[USL_THETA], constant;
	double scale;
	unsigned zero; /* coefficients that are 0 by the definition of the quantity */
};

/* The last value of the ratio that leaves S within its room, from `theta` on, which does, towards
 * that of the angle `limit`. */
double usl_profile_end(struct usl_profile *profile, const struct usl_ratio *ratio,
		       const double *theta, double limit);

#endif
