/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests for changes between two series: the fits to A and to B, each with its own scatter s^2 and
 * degrees of freedom, as before and after a change of the program.
 *
 * Each quantity is compared on the scale y on which its profile is nearly a parabola: alpha, beta,
 * 1/gamma, 1/X_max and 1/N_c^2. With the profile-t interval l..u of each, the change lies between
 * the values for which
 *
 *	y_A - y_B = +- sqrt((distance from y_A to its end)^2 + (distance from y_B to its end)^2)
 *
 * on the side that faces the other (Zou and Donner, "Construction of confidence limits about effect
 * measures: a general approach", Statistics in Medicine 27, 2008): if the profiles are parabolas on
 * each side this is the profile-t interval of the change itself, from both sums of squares, each
 * over its own s^2. It does not assume equal scatter, and respects the bounds. t is the quantile
 * for the degrees of freedom of Welch and Satterthwaite.
 */
#ifndef PSCAL_FIT_USL_USL_COMPARE_H
#define PSCAL_FIT_USL_USL_COMPARE_H

#include <stdbool.h>

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

/* The first quantities are compared: alpha, beta, gamma, N_c and X_max. */
enum { USL_COMPARED = USL_PEAK_X + 1 };

struct usl_shift {
	double a, b;   /* infinite: no peak; NaN: no such quantity */
	double change; /* b - a for alpha and beta, b / a for the others; NaN: both are infinite */
	struct usl_interval interval; /* the interval of the change */
	double p; /* two-sided: the probability of such a difference without a change */
};

struct usl_comparison {
	struct usl_shift changes[USL_COMPARED]; /* the changes, by enum usl_quantity */
	/*
	 * Alpha and beta that fit both best, each series with its own gamma. These and their p are
	 * NaN if the model is not the full law or a series has no degrees of freedom.
	 */
	double alpha, beta, gamma_a, gamma_b;
	double p;
};

struct usl_sample {
	const struct usl *usl;	     /* a fit of the same form */
	const struct series *series; /* with more points than parameters, else nothing is known */
};

/* Returns true if the change of the quantity is a difference, false if it is a ratio. */
bool usl_compares_difference(enum usl_quantity quantity);

/* Compares two samples at the confidence `level`, 0..1. */
void usl_compare(struct usl_comparison *comparison, const struct usl_sample *a,
		 const struct usl_sample *b, double level);

#endif
