/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear scaling, Amdahl's law and the Universal Scalability Law side by side: what the data say
 * for each.
 *
 * With k = the parameters of the law and the scatter, and L the largest likelihood under normal
 * scatter, ln L = -n/2 (ln 2 pi + ln(RSS/n) + 1):
 *
 * (and + 1/2 sum ln w where the variances are s^2 / w with the weights w of the points)
 *
 *	AICc = 2k - 2 ln L + 2k (k + 1) / (n - k - 1)
 *	BIC  = k ln n - 2 ln L
 */
#ifndef PSCAL_FIT_USL_USL_CHOICE_H
#define PSCAL_FIT_USL_USL_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl.h"

struct series;

enum { USL_MODELS = 3 };

struct usl_candidate {
	bool fits;	  /* or there are too few points, and nothing else is known */
	struct usl usl;	  /* the fit */
	double aicc, bic; /* NaN without enough points, when the curve passes through them, and
			   * where points have lost trust */
	/*
	 * The root of the (weighted) mean square by which each point is missed by the curve through
	 * the others, in the unit of throughput; NaN where these cannot be fitted, or are many.
	 * Where gamma is X(1), the points at N = 1 stay in.
	 */
	double loo;
	/*
	 * How likely points scatter so that this law fits by as much better, if the one with a
	 * parameter less were true: the F-test, one-sided where the parameter has a bound. NaN for
	 * the linear law, and without degrees of freedom.
	 */
	double p;
};

struct usl_choice {
	struct usl_candidate candidates[USL_MODELS]; /* by enum usl_model */
};

/* Does the curve pass through all points, but for rounding? There is no scatter to speak of then.
 */
bool usl_is_exact(const struct usl *usl, const struct series *series);

/* All three are fitted as `form` says, but for its model. */
void usl_choose(struct usl_choice *choice, const struct series *series,
		const struct usl_form *form);

/* Beside a robust fit, which is one of them: the others by least squares with the trust that it has
 * left in the points, and all with its scatter, which p is of then as regions are. */
void usl_choose_beside(struct usl_choice *choice, const struct series *series,
		       const struct usl *robust);

/* The fit without one of its points, which is left out in turn; all NaN where the other points cannot
 * be fitted. */
struct usl_left_out {
	double alpha, beta, gamma;
	double peak_n;	 /* N_c; infinite without a peak, 0 where throughput falls from the start */
	double residual; /* by how much the point is above the curve through the others */
};

/* Of more points none is left out: every one costs a fit. */
enum { USL_LEAVE_OUT_POINTS = 200 };

/* One for each point of the series, or NULL where these are too many. The caller frees. */
struct usl_left_out *usl_leave_out(const struct series *series, const struct usl_form *form);

#endif
