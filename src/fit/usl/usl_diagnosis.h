/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the curve describe the points, and does the fit hang on few of them?
 *
 * With the residuals e, the weights w (1 without), s^2 = RSS / (n - p) for the p parameters that
 * are fitted and not on a bound, and the derivatives g of the law by these at each point:
 *
 *	hat value		h = w g' (G'WG)^-1 g
 *	standard error		s sqrt(h / w), of the fitted value
 *	standardised residual	r = e sqrt(w) / (s sqrt(1 - h))
 *	studentised residual	t = r sqrt((n - p - 1) / (n - p - r^2))
 *	Cook's distance		r^2 h / (1 - h) / p
 *
 * (Cook and Weisberg, "Residuals and Influence in Regression", 1982; for a curve that is not a
 * straight line, to first order.) What each point does when left out is computed exactly, by
 * fitting the others.
 */
#ifndef PSCAL_FIT_USL_USL_DIAGNOSIS_H
#define PSCAL_FIT_USL_USL_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/runs_test.h"
#include "fit/usl/usl_choice.h"
#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

/* Of more points none is looked at by itself, and of more different N not even their means. */
enum { USL_DIAGNOSIS_POINTS = 10000 };

/* A Cook's distance beyond that is said: leaving the point out moves the parameters by as much as
 * the edge of their region of about 50 % confidence is away. */
enum { USL_INFLUENTIAL = 1 };

/* NaN is what does not exist: without degrees of freedom, where the curve passes through all points
 * but for rounding, and at a point with h = 1, which it has to pass through. */
struct usl_point_diagnosis {
	double residual;
	double fitted_se;
	struct usl_interval fitted, measured; /* +- Student's t standard errors */
	double hat;
	double standardised, studentised;
	double cook;
	struct usl_left_out left_out; /* NaN where that was not done */
	bool outlier;		      /* |t| beyond the limit */
	bool influential;	      /* Cook's distance > USL_INFLUENTIAL */
};

/* A point, and what makes it the one. */
struct usl_extreme {
	size_t point;
	double value; /* NaN where there is none */
};

/* N_c as each point is left out. */
struct usl_drift {
	double low, high; /* NaN where N_c is not known; may be infinite, or 0 */
	size_t point;	  /* without which it moves farthest */
	bool leaves;	  /* the interval of N_c, or moves by more than half */
};

/* The F-test of lack of fit: do the means at each N lie farther from the curve than the scatter about
 * them explains? */
struct usl_lack_of_fit {
	size_t distinct;	 /* m */
	size_t pure_df, lack_df; /* n - m, and m - p or 0 */
	double pure_error;	 /* of a measurement of weight 1; NaN where no N is repeated */
	/* NaN where no N is repeated, where repeated ones are all the same, as copies are, and
	 * where m = p. */
	double f, p;
};

/* Do the points from some N on follow another curve, as where threads begin to share cores or reach a
 * second socket? The law in two pieces against the law in one. */
struct usl_knee {
	size_t places;	    /* tried; 0 where there are too few N or points, and all else is NaN */
	double last, first; /* N on both sides of the best place */
	double one_rss;	    /* in one piece */
	double rss;	    /* in two, there */
	double p;
	/* How far both curves are apart: the root of the mean square over the points, as a share
	 * of that of their throughput. */
	double distance_share;
};

struct usl_diagnosis {
	size_t count;
	struct usl_point_diagnosis *points; /* NULL where there are too many */
	bool exact;			    /* the curve passes through all, but for rounding */
	bool left_out;			    /* was each point left out? */
	size_t distinct;		    /* N that differ */
	/*
	 * The largest |t|, and what it exceeds with a probability of 5 % when all points scatter
	 * alike: the quantile 1 - 0.05 / 2n of Student's distribution (Bonferroni).
	 */
	struct usl_extreme outlier;
	double outlier_limit;
	size_t outliers; /* beyond it */
	/* Is the first one beyond it in any case: with known weights, or also in a fit with those
	 * that points would have if they scattered in proportion to throughput? */
	bool sure_outlier;
	struct usl_extreme influence; /* the largest Cook's distance */
	struct usl_drift drift;
	struct runs_test runs; /* of the mean residuals at each N, in the order of N */
	struct usl_lack_of_fit lack_of_fit;
	struct usl_knee knee;
	bool has_knee; /* a clear one, which explains more than leaving out a point would */
};

/* Of the fit to the series, with the interval that its N_c has at the confidence `level`, 0..1. */
struct usl_diagnosis *usl_diagnosis_new(const struct usl *usl, const struct series *series,
					const struct usl_interval *peak_n, double level);
void usl_diagnosis_free(struct usl_diagnosis *diagnosis);

/* The signs of the residuals do not change often enough for chance: p < 0.05, one-sided. */
bool usl_diagnosis_has_few_runs(const struct usl_diagnosis *diagnosis);

/* Measurements at the same N agree better than the curve with them: p < 0.05. */
bool usl_diagnosis_lacks_fit(const struct usl_diagnosis *diagnosis);

#endif
