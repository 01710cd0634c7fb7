/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests if the curve describes the points, and if the fit depends on few of them.
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
 * straight line, to first order.) The effect of leaving a point out is computed exactly, by fitting
 * the others.
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
 * Linear scaling, Amdahl's law and the Universal Scalability Law side by side: the evidence for
 * each.
 *
 * With k = the number of parameters of the law and one for the scatter, and L the largest
 * likelihood under normal scatter, ln L = -n/2 (ln 2 pi + ln(RSS/n) + 1):
 *
 * (plus 1/2 sum ln w if the variances are s^2 / w with the weights w of the points)
 *
 *	AICc = 2k - 2 ln L + 2k (k + 1) / (n - k - 1)
 *	BIC  = k ln n - 2 ln L
 */

enum { USL_MODELS = 3 };

struct usl_candidate {
	bool fits;	  /* false: too few points, and the rest is not known */
	struct usl usl;	  /* the fit */
	double aicc, bic; /* NaN: too few points, an exact fit, or points that have lost trust */
	/*
	 * The root of the (weighted) mean square of the distance of each point from the curve
	 * through the others, in the unit of throughput; NaN if these cannot be fitted, or are too
	 * many. If gamma is X(1), the points at N = 1 stay in.
	 */
	double loo;
	/*
	 * The p-value of the F-test against the law with one parameter less, one-sided if the
	 * parameter has a bound. NaN for the linear law, and without degrees of freedom.
	 */
	double p;
};

struct usl_choice {
	struct usl_candidate candidates[USL_MODELS]; /* the laws, by enum usl_model */
	/* The same p, one-sided, of Amdahl's law with alpha < 0 against linear scaling; else 1. */
	double superlinear_p;
};

/* Returns true if the curve passes through all points, up to rounding: there is no scatter. */
bool usl_is_exact(const struct usl *usl, const struct series *series);

/*
 * Fits all three laws in the way of `form`, except for its model. `robust` is one of them, or NULL.
 * Beside a robust fit the others are by least squares with its trust in the points, and all have
 * its scatter, which p and the regions then use.
 */
void usl_choose(struct usl_choice *choice, const struct series *series, const struct usl_form *form,
		const struct usl *robust);

/* The fit without one of its points, each in turn; all NaN if the other points cannot be fitted. */
struct usl_left_out {
	double alpha, beta, gamma;
	double peak_n;	 /* N_c; infinite: no peak; 0: throughput falls from the start */
	double residual; /* the distance of the point above the curve through the others */
};

/* The largest number of points that are left out in turn: each costs a fit. */
enum { USL_LEAVE_OUT_POINTS = 200 };

/* Returns one item for each point, or NULL if there are too many. The caller frees it. */
struct usl_left_out *usl_leave_out(const struct series *series, const struct usl_form *form);

/*
 * The influence of each point of a fit on the curve at its own N, its hat value
 *
 *	h = w g' (G'WG)^-1 g
 *
 * with the derivatives g of the law by the free parameters and the weights w. Hat values are
 * between 0 and 1, and sum to the number of these parameters. A measured gamma is not free.
 */

/* Returns the hat values of all points, which the caller frees; all NaN without a unique fit. */
double *usl_leverage(const struct usl *usl, const struct series *series);

/* Returns h / w, also if w = 0: times s^2 it is the variance of the curve at the point's N. */
double *usl_spread(const struct usl *usl, const struct series *series);

/* --- The points and the curve ----------------------------------------------------- */

/* The most points with a diagnosis of their own, and the most different N with tested means. */
enum { USL_DIAGNOSIS_POINTS = 10000 };

/*
 * The Cook's distance above which a point is reported: leaving it out moves the parameters to the
 * edge of their region of about 50 % confidence.
 */
enum { USL_INFLUENTIAL = 1 };

/*
 * NaN marks values that do not exist: without degrees of freedom, for an exact fit, and at a point
 * with h = 1, through which the curve must pass.
 */
struct usl_point_diagnosis {
	double residual;
	double fitted_se;
	struct usl_interval fitted, measured; /* +- Student's t standard errors */
	double hat;
	double standardised, studentised;
	double cook;
	struct usl_left_out left_out; /* NaN: not done */
	bool outlier;		      /* |t| beyond the limit */
	bool influential;	      /* Cook's distance > USL_INFLUENTIAL */
};

/* The point with the largest value. */
struct usl_extreme {
	size_t point;
	double value; /* NaN: none */
};

/* The range of N_c when each point is left out in turn. */
struct usl_drift {
	double low, high; /* NaN: N_c is not known; may be infinite, or 0 */
	size_t point;	  /* the point without which N_c moves farthest */
	bool leaves;	  /* N_c leaves its interval, or moves by more than half */
};

/*
 * The F-test of lack of fit: it tests if the means at each N lie farther from the curve than the
 * scatter about them explains.
 */
struct usl_lack_of_fit {
	size_t distinct;	 /* m */
	size_t pure_df, lack_df; /* n - m, and m - p or 0 */
	double pure_error;	 /* scatter of a measurement of weight 1; NaN: no N is repeated */
	/* NaN if no N is repeated, if repeated points are all equal, as copies, and if m = p. */
	double f, p;
};

#define USL_KNEE_P .01 /* a larger p is no knee */

/*
 * The law in two pieces against the law in one: it tests if the points from some N on follow
 * another curve, for example if threads begin to share cores or use a second socket.
 */
struct usl_knee {
	size_t places;	    /* places tried; 0: too few N or points, and the rest is NaN */
	double last, first; /* N on both sides of the best place */
	double one_rss;	    /* the sum of squares in one piece */
	double rss;	    /* the sum of squares in two pieces, at the best place */
	double p;
	/* The root mean square distance of both curves, relative to that of throughput. */
	double distance_share;
};

/*
 * The runs test of Wald and Wolfowitz (1940): it tests if the signs of values change as often as
 * those of independent values. Few runs of one sign show that a curve does not follow the values.
 */
struct runs_test {
	size_t above, below; /* numbers of values above and below 0; zeros have no sign */
	size_t runs;
	/*
	 * The probability of as few runs or fewer for signs in random order, and twice the smaller
	 * one of this and of the probability of as many or more, at most 1. NaN if all signs are
	 * equal. Exact up to RUNS_EXACT signs, beyond by the normal distribution.
	 */
	double p_few, p;
};

enum { RUNS_EXACT = 1000 };

void runs_test(struct runs_test *test, const double *values, size_t count);

struct usl_diagnosis {
	size_t count;
	struct usl_point_diagnosis *points; /* NULL: too many */
	bool exact;	 /* the curve passes through all points, up to rounding */
	bool left_out;	 /* each point was left out in turn */
	size_t distinct; /* number of different N */
	/*
	 * The largest |t|, and the limit that it exceeds with a probability of 5 % if all points
	 * scatter alike: the quantile 1 - 0.05 / 2n of Student's distribution (Bonferroni).
	 */
	struct usl_extreme outlier;
	double outlier_limit;
	size_t outliers; /* number of points beyond the limit */
	/*
	 * The outlier is certain: the weights are known, or it is an outlier, too, with weights for
	 * scatter in proportion to throughput.
	 */
	bool sure_outlier;
	struct usl_extreme influence; /* the largest Cook's distance */
	struct usl_drift drift;
	struct runs_test runs; /* the test of the mean residuals at each N, in the order of N */
	struct usl_lack_of_fit lack_of_fit;
	struct usl_knee knee;
	bool has_knee; /* a clear knee, which explains more than leaving out a point */
};

/* Diagnoses the fit, whose N_c has the interval `peak_n` at the confidence `level`, 0..1. */
struct usl_diagnosis *usl_diagnosis_new(const struct usl *usl, const struct series *series,
					const struct usl_interval *peak_n, double level);
void usl_diagnosis_free(struct usl_diagnosis *diagnosis);

/* Returns true if the signs of the residuals change too rarely for chance: p < 0.05, one-sided. */
bool usl_diagnosis_has_few_runs(const struct usl_diagnosis *diagnosis);

/* Returns true if measurements at the same N agree better than the curve with them: p < 0.05. */
bool usl_diagnosis_lacks_fit(const struct usl_diagnosis *diagnosis);

#endif
