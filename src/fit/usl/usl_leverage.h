/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much each point of a fit decides about the curve at its own N: the hat values
 *
 *	h = w g' (G'WG)^-1 g
 *
 * with the derivatives g of the law by the parameters that are free and the weights w. They are
 * between 0 and 1, and their sum is the number of these parameters. A gamma that was measured is
 * not one of them.
 */
#ifndef PSCAL_FIT_USL_USL_LEVERAGE_H
#define PSCAL_FIT_USL_USL_LEVERAGE_H

struct series;
struct usl;

/* One for each point of the series that was fitted; all NaN where the parameters cannot be told
 * apart. The caller frees. */
double *usl_leverage(const struct usl *usl, const struct series *series);

/* h / w, which a point without weight has too: the variance of the curve at its N is that times
 * s^2.
 */
double *usl_spread(const struct usl *usl, const struct series *series);

#endif
