/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a fit would be without one of its points: each is left out in turn, and the others fitted
 * anew.
 */
#ifndef PSCAL_FIT_USL_USL_LEAVE_OUT_H
#define PSCAL_FIT_USL_USL_LEAVE_OUT_H

struct series;
struct usl_form;

/* All NaN where the others cannot be fitted. */
struct usl_left_out {
	double alpha, beta, gamma;
	double peak_n;	 /* N_c; infinite without a peak, 0 where throughput falls from the start */
	double residual; /* by how much the point is above the curve through the others */
};

/* Of more points none is left out: every one costs a fit. */
enum { USL_LEAVE_OUT_POINTS = 200 };

/* One for each point of the series, or NULL where these are too many. The caller frees. */
struct usl_left_out *usl_leave_out(const struct series *series, const struct usl_form *form);

#endif
