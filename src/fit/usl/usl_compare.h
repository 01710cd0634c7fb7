/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests for changes between two series: the fits to A and to B, each with its own scatter s^2 and
 * degrees of freedom, as before and after a change of the program.
 *
 * Each quantity is looked at on the scale y on which its profile is nearly a parabola: alpha and
 * beta as they are, 1/gamma, 1/X_max and 1/N_c^2. With the profile-t interval l..u of each, the
 * change lies between the values for which
 *
 *	y_A - y_B = +- sqrt((distance from y_A to its end)^2 + (distance from y_B to its end)^2)
 *
 * on the side that faces the other (Zou and Donner, "Construction of confidence limits about effect
 * measures: a general approach", Statistics in Medicine 27, 2008): where the profiles are parabolas
 * on each side that is the profile-t interval of the change itself, from both sums of squares, each
 * over its own s^2. It needs no equal scatter and keeps to the bounds. t is the quantile for the
 * degrees of freedom of Welch and Satterthwaite.
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
	double a, b;   /* infinite where there is no peak; NaN where there is no such quantity */
	double change; /* b - a of alpha and beta, b / a of the others; NaN where both are infinite
			*/
	struct usl_interval interval; /* of the change */
	double p; /* two-sided: how likely the two differ by as much if there is no change */
};

struct usl_comparison {
	struct usl_shift changes[USL_COMPARED]; /* by enum usl_quantity */
	/* Alpha and beta that fit both best, each series with a gamma of its own. NaN, as the p of
	 * these, where the model is not the full law or either has no degrees of freedom. */
	double alpha, beta, gamma_a, gamma_b;
	double p;
};

struct usl_sample {
	const struct usl *usl;	     /* of the same form */
	const struct series *series; /* with more points than parameters, or nothing is known */
};

/* Is its change a difference, or else a ratio? */
bool usl_compares_difference(enum usl_quantity quantity);

/* At the confidence `level`, 0..1. */
void usl_compare(struct usl_comparison *comparison, const struct usl_sample *a,
		 const struct usl_sample *b, double level);

#endif
