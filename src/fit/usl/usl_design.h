/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where to measure next: the N at which one more measurement would tell most.
 *
 * For each candidate N a measurement is added that lies on the curve, and the scatter s^2 stays
 * what it is, which is what is to be expected; the candidate is as good as the profile-t interval
 * that follows is short. That is local optimal design for one quantity (c-optimality) with the
 * interval itself as the measure and not its linearisation, which knows neither bounds nor infinite
 * ends.
 *
 * The quantity is N_c, its interval being as short as ln(high / low); where the points do not
 * exclude a law without a peak it is beta, which decides between the two.
 */
#ifndef PSCAL_FIT_USL_USL_DESIGN_H
#define PSCAL_FIT_USL_USL_DESIGN_H

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;

enum usl_aim { USL_AIM_NOTHING, USL_AIM_PEAK_N, USL_AIM_BETA };

struct usl_candidate_n {
	double n;		      /* NaN where there is none */
	struct usl_interval interval; /* to be expected with it */
};

struct usl_suggestion {
	enum usl_aim aim; /* NOTHING where no interval is known; then the rest is not set */
	struct usl_interval now;
	struct usl_candidate_n best;
	/* All N from low to high bring at least 9/10 of what the best does. */
	struct usl_interval flat;
	struct usl_candidate_n second; /* the best one elsewhere, if there is another optimum */
};

/* For intervals of the confidence `level`, among whole N up to `most`, of which about 200 are
 * tried. */
void usl_suggest(struct usl_suggestion *suggestion, const struct usl *usl,
		 const struct series *series, double level, double most);

#endif
