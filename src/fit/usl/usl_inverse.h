/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law read backwards: the N at which something is reached, in closed
 * form. With D(N) = 1 + alpha (N - 1) + beta N (N - 1):
 *
 *	throughput	X(N) = gamma N / D(N)
 *	latency		R(N) = N / X(N) = D(N) / gamma, by Little's law N = X R
 *	efficiency	E(N) = X(N) / (N X(1)) = 1 / D(N), as X(1) = gamma on the curve
 *
 * Each is a quadratic in N, solved without a difference of nearly equal numbers. alpha and beta may
 * have any sign, as unbounded fits do. Of a fit, only its three parameters are used.
 */
#ifndef PSCAL_FIT_USL_USL_INVERSE_H
#define PSCAL_FIT_USL_USL_INVERSE_H

struct usl;

/* The N with a certain throughput, before the peak and after it; NaN where there is none. */
struct usl_branches {
	double rising, falling;
};

/* Of a throughput above 0. Both are N_c at the peak, to rounding. */
struct usl_branches usl_n_of_throughput(const struct usl *usl, double throughput);

/* The time that each of N takes, in the unit of 1 / throughput. */
double usl_latency(const struct usl *usl, double n);

/*
 * The N from which on the latency is above `latency`: infinite where it never is, NaN where it is
 * at every N > 0.
 */
double usl_n_of_latency(const struct usl *usl, double latency);

/* X(N) at that N: infinite or NaN as N is. */
double usl_throughput_of_latency(const struct usl *usl, double latency);

/* On the curve, relative to gamma. That of a measured point is usl_efficiency. */
double usl_efficiency_at(const struct usl *usl, double n);

/* The N from which on the efficiency is below `share` > 0: infinite and NaN as for latency. */
double usl_n_of_efficiency(const struct usl *usl, double share);

#endif
