/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least squares for the Universal Scalability Law, without bounds, over some of its coefficients.
 */
#ifndef PSCAL_FIT_USL_USL_SOLVER_H
#define PSCAL_FIT_USL_USL_SOLVER_H

struct usl_scaled;
struct usl_scaled_fit;

/*
 * The optimum over the coefficients in the set `free`, which may be empty, to about 15 digits.
 * There must be at least as many points as coefficients. Noisy points can have several local
 * optima: then the best is taken that a search finds, and one without negative coefficients before
 * one with.
 *
 * Returns -1 when there is none: nothing converges with D positive at all points.
 */
int usl_solver_fit(struct usl_scaled_fit *fit, const struct usl_scaled *scaled, unsigned free);

#endif
