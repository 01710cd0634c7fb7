/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the curve describe the points, and does the fit depend on few of them?
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

#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

/* --- The laws side by side ------------------------------------------------------ */

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
	 * The probability that points scatter so that this law fits better by as much, if the one
	 * with a parameter less were true: the F-test, one-sided where the parameter has a bound.
	 * NaN for the linear law, and without degrees of freedom.
	 */
	double p;
};

struct usl_choice {
	struct usl_candidate candidates[USL_MODELS]; /* by enum usl_model */
	/* The same p, one-sided, of Amdahl's law with alpha < 0 against linear scaling; 1 where alpha
	 * is not below 0. */
	double superlinear_p;
};

/* Does the curve pass through all points, but for rounding? There is no scatter to speak of then.
 */
bool usl_is_exact(const struct usl *usl, const struct series *series);

/*
 * All three are fitted as `form` says, but for its model. Beside a `robust` fit, which is one of
 * them (else NULL), the others are by least squares with the trust that it has left in the points,
 * and all have its scatter, which p is of then as regions are.
 */
void usl_choose(struct usl_choice *choice, const struct series *series, const struct usl_form *form,
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

/*
 * The influence of each point of a fit on the curve at its own N: the hat values
 *
 *	h = w g' (G'WG)^-1 g
 *
 * with the derivatives g of the law by the parameters that are free and the weights w. They are
 * between 0 and 1, and their sum is the number of these parameters. A gamma that was measured is
 * not one of them.
 */

/* One for each point of the series that was fitted; all NaN where the parameters cannot be told
 * apart. The caller frees. */
double *usl_leverage(const struct usl *usl, const struct series *series);

/* h / w, which a point without weight has too: the variance of the curve at its N is that times
 * s^2.
 */
double *usl_spread(const struct usl *usl, const struct series *series);

/* --- The points and the curve ----------------------------------------------------- */

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

#define USL_KNEE_P .01 /* a larger p is no knee */

/* Do the points from some N on follow another curve, as where threads begin to share cores or reach a
 * second socket? The law in two pieces against the law in one. */
struct usl_knee {
	size_t places;	    /* tried; 0 where there are too few N or points, and all else is NaN */
	double last, first; /* N on both sides of the best place */
	double one_rss;	    /* in one piece */
	double rss;	    /* in two, there */
	double p;
	/* The distance of both curves: the root of the mean square over the points, as a share
	 * of that of their throughput. */
	double distance_share;
};

/*
 * The runs test of Wald and Wolfowitz (1940): do the signs of values in their order change as often
 * as those of independent ones would? Few runs of the same sign tell of a curve that passes by the
 * values.
 */
struct runs_test {
	size_t above, below; /* values above and below 0; those that are 0 have no sign */
	size_t runs;
	/*
	 * The probability that signs in any order have as few runs or fewer, and twice the smaller
	 * one of that and of as many or more, at most 1. NaN where one of the signs is missing.
	 * Exact up to RUNS_EXACT signs, beyond by the normal distribution.
	 */
	double p_few, p;
};

enum { RUNS_EXACT = 1000 };

void runs_test(struct runs_test *test, const double *values, size_t count);

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
