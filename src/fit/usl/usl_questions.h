/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to a fitted curve: the N at which a target is reached, the curve with other parameters,
 * the next N to measure, each with its interval.
 */
#ifndef PSCAL_FIT_USL_USL_QUESTIONS_H
#define PSCAL_FIT_USL_USL_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl_intervals.h"

struct err;
struct series;
struct usl;

/*
 * The N at which a target is reached. Its interval contains each N at which the interval of the
 * curve contains the target, so that it covers the true N as often as the latter covers the curve
 * at this N. Both edges of the curve's band are followed from the best fit outwards to where they
 * cross the target.
 */

enum usl_subject {
	USL_THROUGHPUT_REACHED, /* X(N) = target, before and after the peak */
	USL_LATENCY_WITHIN,	/* the largest N with N / X(N) <= target */
	USL_EFFICIENCY_AT_LEAST /* the largest N with X(N) / (N gamma) >= target */
};

struct usl_question {
	enum usl_subject subject;
	double target; /* > 0; time in the unit of 1 / throughput, efficiency as a share */
};

enum usl_branch { USL_NO_BRANCH, USL_RISING, USL_FALLING };

struct usl_answer {
	enum usl_branch branch; /* of a throughput */
	double n;		/* NaN: not at any N; infinite: at all */
	/*
	 * An end is infinite, or 0 on the falling side, where the points allow that the target is
	 * never reached, or always. None where they exclude that it is reached, or say nothing.
	 */
	struct usl_interval interval;
};

enum { USL_ANSWERS = 2 };

/* Returns how many answers there are, at least 1: two where throughput has two branches. */
size_t usl_answer(struct usl_answer answers[USL_ANSWERS], const struct usl_question *question,
		  const struct usl_intervals *intervals);

/* Why nothing is known of a quantity. */
enum usl_unknown {
	USL_KNOWN,
	USL_NO_FREEDOM, /* as many parameters as points: no interval */
	USL_NOT_FITTED, /* the model does not have the parameter */
	USL_NO_PEAK	/* throughput falls from the first N on */
};

/* A quantity with its interval; NaN: unknown. A peak or a throughput without limit is
 * infinite. */
struct usl_estimate {
	double best; /* of the curve */
	struct usl_interval interval;
	enum usl_unknown unknown;
};

/* Of a quantity up to USL_USEFUL, at `n` where it depends on N; or of USL_POINTS. */
struct usl_estimate usl_estimate(enum usl_quantity quantity, double n,
				 const struct usl_intervals *intervals);

/* The curve with other parameters: half the contention, no coherency. */

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

/*
 * The Universal Scalability Law read backwards: the N at which something is reached, in closed
 * form. With D(N) = 1 + alpha (N - 1) + beta N (N - 1):
 *
 *	throughput	X(N) = gamma N / D(N)
 *	latency		R(N) = N / X(N) = D(N) / gamma, by Little's law N = X R
 *	efficiency	E(N) = X(N) / (N X(1)) = 1 / D(N), as X(1) = gamma on the curve
 *
 * Each is a quadratic in N, solved without a difference of nearly equal numbers. alpha and beta may
 * have any sign, as unbounded fits do. Of a fit, only its three parameters are used.
 */

/* The N with a certain throughput, before the peak and after it; NaN where there is none. */
struct usl_branches {
	double rising, falling;
};

/* Of a throughput above 0. Both are N_c at the peak, to rounding. */
struct usl_branches usl_n_of_throughput(const struct usl *usl, double throughput);

/*
 * The N from which on the latency is above `latency`: infinite where it never is, NaN where it is
 * at every N > 0.
 */
double usl_n_of_latency(const struct usl *usl, double latency);

/* On the curve, relative to gamma. That of a measured point is usl_efficiency. */
double usl_efficiency_at(const struct usl *usl, double n);

/* The N from which on the efficiency is below `share` > 0: infinite and NaN as for latency. */
double usl_n_of_efficiency(const struct usl *usl, double share);

/*
 * The next N to measure: the N at which one more measurement is most informative.
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
