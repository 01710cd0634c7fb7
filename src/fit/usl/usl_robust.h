/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fit that wild points do not decide: an M-estimate by least squares that is weighted again and
 * again, each point by how far it lies from the curve, until that settles.
 *
 * With u = r sqrt(w) / (s sqrt(1 - h)), the residual r of a point of weight w and leverage h in
 * units of the scatter s, a point keeps of its weight
 *
 *	Tukey	(1 - (u / 4.685)^2)^2, and nothing from 4.685 on
 *	Huber	1 up to 1.345, then 1.345 / |u|
 *
 * which cost 5 % of efficiency where all points scatter normally. s is the median of the |u s| but
 * for the p - 1 smallest, which p parameters can always make small, divided by 0.6745. A point of
 * leverage pulls the curve to itself, so it starts from where no single one can: least trimmed
 * squares, the best of curves through few points, by the three quarters of all points nearest to
 * each.
 *
 * P. J. Huber and E. M. Ronchetti, "Robust Statistics", 2nd edition, 2009, chapter 7; P. J.
 * Rousseeuw and A. M. Leroy, "Robust Regression and Outlier Detection", 1987; the leverage and the
 * covariance as in W. DuMouchel and F. O'Brien, "Integrating a robust option into a multiple
 * regression computing environment", 1989.
 */
#ifndef PSCAL_FIT_USL_USL_ROBUST_H
#define PSCAL_FIT_USL_USL_ROBUST_H

struct err;
struct series;
struct usl;
struct usl_form;

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

#endif
