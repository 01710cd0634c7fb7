/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements at the same N scatter about their mean whatever the curve is. Do the means lie
 * farther from the curve than this pure error explains? The F-test of lack of fit, which holds
 * however large the scatter is:
 *
 *	F = ((RSS - SSPE) / (m - p)) / (SSPE / (n - m))
 *
 * with n points at m different N, p parameters fitted, and the weighted sum SSPE of the squares
 * about the means at each N.
 */
#ifndef PSCAL_FIT_USL_USL_REPLICATES_H
#define PSCAL_FIT_USL_USL_REPLICATES_H

#include <stddef.h>

struct usl;
struct usl_mean;
struct usl_units;

struct usl_lack_of_fit {
	size_t distinct;	 /* m */
	size_t pure_df, lack_df; /* n - m, and m - p or 0 */
	double pure_error;	 /* of a measurement of weight 1; NaN where no N is repeated */
	/* NaN where no N is repeated, where repeated ones are all the same, as copies are, and
	 * where m = p. */
	double f, p;
};

/* Of the fit to what the means are of (usl_means without a limit). */
void usl_lack_of_fit(struct usl_lack_of_fit *lack, const struct usl *usl,
		     const struct usl_mean *means, size_t count, const struct usl_units *units);

#endif
