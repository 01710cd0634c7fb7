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

#include <stddef.h>

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

#endif
