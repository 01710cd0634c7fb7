/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The curve as it would be with other parameters: half the contention, no coherency.
 */
#ifndef PSCAL_FIT_USL_USL_CHANGE_H
#define PSCAL_FIT_USL_USL_CHANGE_H

struct err;
struct usl;

enum usl_how { USL_KEEP, USL_SET, USL_SCALE, USL_ADD };

struct usl_step {
	enum usl_how how;
	double by;
};

struct usl_change {
	const char *text; /* as it was written; borrowed */
	struct usl_step alpha, beta, gamma;
};

/*
 * Only the parameters of *changed are those of the other curve: nothing is known of its errors.
 * Returns -1 with a sentence where gamma would not be above 0, alpha or beta not finite, or below
 * 0 where the fit has bounds.
 */
int usl_change_apply(struct usl *changed, const struct usl *usl, const struct usl_change *change,
		     struct err *err);

#endif
