/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law, and its least-squares fit to a measured series.
 *
 *	X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))
 *
 * gamma  throughput of one, in the unit of the series; not the measured X(1), unless asked for
 * alpha  contention: the share of the work that is done one at a time; >= 0
 * beta   coherency: the cost that each pair adds by having to agree; >= 0
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

/* Which parameters are fitted; the others are 0. */
enum usl_model { USL_FULL, USL_AMDAHL, USL_LINEAR };

/* The law, and the bounds of its parameters. */
struct usl_form {
	enum usl_model model;
	bool unbounded;	  /* alpha and beta may be negative, as superlinear data ask for */
	bool gamma_first; /* gamma is the weighted mean X(1) measured, and not fitted */
};

/* Fitted parameters that ended on their bound, 0. */
enum usl_bound { USL_BOUND_NONE = 0, USL_BOUND_ALPHA = 1, USL_BOUND_BETA = 2, USL_BOUND_BOTH = 3 };

struct usl {
	struct usl_form form;
	enum usl_bound bound;
	double alpha, beta, gamma;
	/* Standard errors, from s^2 (J'WJ)^-1 with the weights W and s^2 = rss / df; NaN of a
	 * parameter that is on its bound or not fitted, and of all when df = 0. Under gamma_first
	 * X(1) passes for exact. */
	double alpha_se, beta_se, gamma_se;
	/* Weighted residual sum of squares, in the unit of the throughput squared times that of
	 * the weights. */
	double rss;
	/* The variance of a point of weight 1, rss / df, and by how much more the parameters vary
	 * than it says: 1, but in robust fits. NaN when df = 0. */
	double s2, inflation;
	size_t n;   /* points */
	size_t df;  /* points minus parameters found from them and not on a bound */
	double one; /* what efficiency relates to: the weighted mean X(1) measured, else gamma */
	double largest_n; /* measured */
	/* The best alpha and beta without bounds; NaN when there are none. */
	double unbounded_alpha, unbounded_beta;
	/*
	 * The multipliers of Karush, Kuhn and Tucker: d ln RSS / d (alpha N) and d ln RSS /
	 * d (beta N^2) at the optimum, N being the largest measured. 0 but for rounding of what is
	 * free, >= 0 of what is on its bound; NaN of what is not fitted, and where RSS is 0.
	 */
	double alpha_multiplier, beta_multiplier;
};

/* The number of parameters that a fit takes from the points; a gamma that was measured is one. */
size_t usl_parameters(const struct usl_form *form);

/*
 * The optimum of weighted least squares (series.h) under alpha, beta >= 0, or without these bounds.
 * Returns 0, or -1 with a sentence that names the source of the series: fewer points or fewer
 * different N than parameters, no N = 1 for gamma_first, or throughput that falls so fast that no
 * finite gamma is best.
 */
int usl_fit(struct usl *usl, const struct series *series, const struct usl_form *form,
	    struct err *err);

/* A fit that wild points do not decide (usl_robust.c). */

enum usl_loss { USL_LOSS_SQUARES, USL_LOSS_TUKEY, USL_LOSS_HUBER };

struct usl_robust {
	enum usl_loss loss;
	double scale;	/* s: of a point of weight 1, in the unit of throughput */
	int iterations; /* that it took */
};

/*
 * Fits, and sets series->trust to what each point keeps of its weight. Standard errors and regions
 * of *usl are those of the last weighted least squares with Huber's correction: asymptotic, so good
 * for many points and too narrow for few. Returns -1 with a sentence as usl_fit does, for less than
 * two points more than parameters, and where it does not settle.
 */
int usl_robust_fit(struct usl *usl, struct usl_robust *robust, struct series *series,
		   const struct usl_form *form, enum usl_loss loss, struct err *err);

/* X(N) for N > 0; NaN where the law says nothing: beyond a pole, see usl_pole_n. */
double usl_throughput(const struct usl *usl, double n);

/*
 * Where throughput peaks, N_c = sqrt((1 - alpha) / beta), not rounded; NaN when it never does:
 * beta <= 0 (it levels off or grows), alpha >= 1 (it falls from the start), or a pole comes first.
 */
double usl_peak_n(const struct usl *usl);
/* X(N_c), or NaN. */
double usl_peak_throughput(const struct usl *usl);

/*
 * The N at which superlinear scaling is paid back: C(N) > N below N = -alpha / beta, and < N above.
 * NaN unless alpha < 0 < beta.
 */
double usl_payback_n(const struct usl *usl);

/*
 * The N > 1 at which the denominator of the law is 0: throughput grows without limit towards it,
 * and beyond it the law says nothing. NaN when there is none, as with alpha, beta >= 0.
 */
double usl_pole_n(const struct usl *usl);

/* Does throughput fall from the first one on, alpha > 1 or a peak below N = 1? But where it is the
 * same at all N, and where beta < 0 lets it grow again, it does not. */
bool usl_is_retrograde(const struct usl *usl);

/* E(N) = C(N) / N with C(N) = X(N) / X(1), of a measured point; X(1) is usl->one. */
double usl_efficiency(const struct usl *usl, const struct series_point *point);

/* E(N) > 1 for N > 1: more than N times the throughput of one. */
bool usl_is_superlinear(const struct usl *usl, const struct series_point *point);

/* Is N more than twice the largest that was measured? */
bool usl_is_extrapolated(const struct usl *usl, double n);

#endif
