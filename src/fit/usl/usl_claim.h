/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A claim about a fit, as "nc >= 64", and whether the points show that it is true.
 *
 * A claim is decided on the worse end of the interval: "above" holds where the lower end is above,
 * "below" where the upper end is below, so that what holds does so as surely as the interval says.
 * What is not known does not hold.
 */
#ifndef PSCAL_FIT_USL_USL_CLAIM_H
#define PSCAL_FIT_USL_USL_CLAIM_H

#include <stdbool.h>

struct usl_intervals;

enum usl_quantity {
	USL_ALPHA,
	USL_BETA,
	USL_GAMMA,
	USL_PEAK_N, /* infinite where there is no peak */
	USL_PEAK_X, /* the largest throughput, or what it approaches */
	USL_X,	    /* X(at) */
	USL_E,	    /* E(at) = X(at) / (at gamma) */
	USL_POINTS  /* how many there are */
};

enum usl_side { USL_WORSE_END, USL_BEST, USL_LOW, USL_HIGH };
enum usl_relation { USL_BELOW, USL_AT_MOST, USL_ABOVE, USL_AT_LEAST };

struct usl_claim {
	const char *text; /* as it was written; borrowed */
	enum usl_quantity quantity;
	double at;	    /* N, for X and E */
	enum usl_side side; /* what is compared */
	enum usl_relation relation;
	double bound;
};

/* Why nothing is known of a quantity. */
enum usl_unknown {
	USL_KNOWN,
	USL_NO_FREEDOM, /* as many parameters as points: no interval */
	USL_NOT_FITTED, /* the model does not have the parameter */
	USL_NO_PEAK	/* throughput falls from the first N on */
};

struct usl_finding {
	const struct usl_claim *claim;
	bool holds;
	enum usl_unknown unknown;
	enum usl_side side; /* that was compared, never USL_WORSE_END */
	double value;	    /* of this side; NaN where unknown */
	double best;	    /* of the curve */
};

struct usl_finding usl_claim_judge(const struct usl_claim *claim,
				   const struct usl_intervals *intervals);

#endif
