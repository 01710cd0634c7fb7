/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The law that fits two series best with one alpha and one beta, each with a gamma of its own, and
 * how likely they are if it is true.
 *
 * With S the sum of squares of each series and s^2 its scatter about its own fit,
 *
 *	Q = min S_A(alpha, beta) / s_A^2 - S_A / s_A^2 + the same of B
 *
 * and Q/2 has about the F distribution with 2 and nu degrees of freedom, nu by Yao ("An approximate
 * degrees of freedom solution to the multivariate Behrens-Fisher problem", Biometrika 52, 1965)
 * from the covariances of alpha and beta. His factor (nu - 1)/nu would find too little: 3 % at a
 * nominal 5 % with 7 points in each series, where this finds 5.
 */
#ifndef PSCAL_FIT_USL_USL_COMMON_H
#define PSCAL_FIT_USL_USL_COMMON_H

struct usl_comparison;
struct usl_sample;

/* Sets the comparison's common law and its p; NaN where these are not known. The rss of each fit is
 * that of its points, of which the series may hold the means. */
void usl_common_fit(struct usl_comparison *comparison, const struct usl_sample *a,
		    const struct usl_sample *b);

#endif
