/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least trimmed squares: the curve that most points agree on, whatever the others are. Of the
 * curves through as few points as there are parameters, all or 500 of them, it is the one with the
 * least sum of the squares of the three quarters of all points nearest to it, and then the fit to
 * these. Where to start when points may be wild.
 *
 * P. J. Rousseeuw and A. M. Leroy, "Robust Regression and Outlier Detection", 1987; P. J. Rousseeuw
 * and K. Van Driessen, "Computing LTS Regression for Large Data Sets", 2006.
 */
#ifndef PSCAL_FIT_USL_USL_TRIMMED_H
#define PSCAL_FIT_USL_USL_TRIMMED_H

struct series;
struct usl;
struct usl_form;

/* More than 1000 points are stood for by some of them. Returns -1, and leaves *usl alone, where no
 * few points can be fitted. */
int usl_trimmed_fit(struct usl *usl, const struct series *series, const struct usl_form *form);

#endif
