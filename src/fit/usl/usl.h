/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law, and its least-squares fit to a measured series.
 *
 *	X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))
 *
 * gamma  throughput at N = 1, in the unit of the series; the measured X(1) only on request
 * alpha  contention: the share of the work that is serial; >= 0
 * beta   coherency: the cost of agreement that each pair adds; >= 0
 *
 * Amdahl's law is beta = 0, linear scaling alpha = beta = 0. Formulas: Gunther, Subramanyam and
 * Parvu, "A Methodology for Optimizing Multithreaded System Scalability on Multi-cores", 2011
 * (arXiv 1105.4301).
 */
#ifndef PSCAL_FIT_USL_USL_H
#define PSCAL_FIT_USL_USL_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct series;
struct series_point;

/* The parameters that are fitted; the others are 0. */
enum usl_model { USL_FULL, USL_AMDAHL, USL_LINEAR };

/* The law, and the bounds of its parameters. */
struct usl_form {
	enum usl_model model;
	bool unbounded;	  /* alpha and beta may be negative, for superlinear data */
	bool gamma_first; /* gamma is the weighted mean of the measured X(1), and not fitted */
};

/* Fitted parameters that ended on their bound, 0. */
enum usl_bound { USL_BOUND_NONE = 0, USL_BOUND_ALPHA = 1, USL_BOUND_BETA = 2, USL_BOUND_BOTH = 3 };

struct usl {
	struct usl_form form;
	enum usl_bound bound;
	double alpha, beta, gamma;
	/*
	 * Standard errors, from s^2 (J'WJ)^-1 with the weights W and s^2 = rss / df; NaN for a
	 * parameter on its bound or not fitted, and for all if df = 0. With gamma_first X(1) counts
	 * as exact.
	 */
	double alpha_se, beta_se, gamma_se;
	/* Weighted residual sum of squares; the unit is throughput squared times weight. */
	double rss;
	/*
	 * The variance of a point of weight 1, rss / df, and the factor by which the variance of
	 * the parameters exceeds it: 1, except in robust fits. NaN if df = 0.
	 */
	double s2, inflation;
	size_t n;   /* points */
	size_t df;  /* points minus parameters found from them and not on a bound */
	double one; /* X(1) for efficiencies: the weighted mean of those measured, else gamma */
	double largest_n; /* measured */
	/* The best alpha and beta without bounds; NaN if there are none. */
	double unbounded_alpha, unbounded_beta;
	/*
	 * The multipliers of Karush, Kuhn and Tucker: d ln RSS / d (alpha N) and d ln RSS / d (beta
	 * N^2) at the optimum, where N is the largest measured. 0 up to rounding for a free
	 * parameter, >= 0 on a bound; NaN for one that is not fitted, and if RSS is 0.
	 */
	double alpha_multiplier, beta_multiplier;
};

/* Returns the number of parameters that a fit takes from the points, including a measured gamma. */
size_t usl_parameters(const struct usl_form *form);

/*
 * Fits by weighted least squares (series.h) under alpha, beta >= 0, or without these bounds.
 * Returns 0, or -1 with an error that names the source of the series: fewer points or fewer
 * different N than parameters, no N = 1 for gamma_first, or throughput that falls so fast that no
 * finite gamma is best.
 */
int usl_fit(struct usl *usl, const struct series *series, const struct usl_form *form,
	    struct err *err);

/* A fit that resists outliers (usl_robust.c). */

enum usl_loss { USL_LOSS_SQUARES, USL_LOSS_TUKEY, USL_LOSS_HUBER };

struct usl_robust {
	enum usl_loss loss;
	double scale; /* s: of a point of weight 1, in the unit of throughput */
};

/*
 * Fits, and sets series->trust to the factor for the weight of each point. Standard errors and
 * regions of *usl are those of the last weighted least squares with Huber's correction: asymptotic,
 * so good for many points and too narrow for few. Returns -1 with an error as usl_fit() does, for
 * less than two points more than parameters, and if the iteration does not converge.
 */
int usl_robust_fit(struct usl *usl, struct usl_robust *robust, struct series *series,
		   const struct usl_form *form, enum usl_loss loss, struct err *err);

/* Returns X(N) for N > 0; NaN beyond a pole, where the law is not defined: see usl_pole_n(). */
double usl_throughput(const struct usl *usl, double n);

/*
 * Returns N_c = sqrt((1 - alpha) / beta), the N of the largest throughput, not rounded. NaN: none,
 * as beta <= 0 (it levels off or grows), alpha >= 1 (it falls at once), or a pole comes first.
 */
double usl_peak_n(const struct usl *usl);
/* Returns X(N_c), or NaN. */
double usl_peak_throughput(const struct usl *usl);

/*
 * Returns the N at which superlinear scaling is paid back: C(N) > N below N = -alpha / beta, and <
 * N above. NaN unless alpha < 0 < beta.
 */
double usl_payback_n(const struct usl *usl);

/*
 * Returns the N > 1 at which the denominator of the law is 0: throughput grows without limit
 * towards it, and beyond it the law is not defined. NaN if there is none, as with alpha, beta >= 0.
 */
double usl_pole_n(const struct usl *usl);

/*
 * Returns true if throughput falls from N = 1 on, alpha > 1 or a peak below N = 1; false if it is
 * constant, or if beta < 0 lets it grow again.
 */
bool usl_is_retrograde(const struct usl *usl);

/* Returns E(N) = C(N) / N with C(N) = X(N) / X(1), of a measured point; X(1) is usl->one. */
double usl_efficiency(const struct usl *usl, const struct series_point *point);

/* Returns true if E(N) > 1 for N > 1: more than N times X(1). */
bool usl_is_superlinear(const struct usl *usl, const struct series_point *point);

/* Returns true if N is more than twice the largest measured. */
bool usl_is_extrapolated(const struct usl *usl, double n);

#endif
