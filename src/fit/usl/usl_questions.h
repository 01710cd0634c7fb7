/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions about a fitted curve: the N at which a target is reached, the curve with other
 * parameters, the next N to measure, each with its interval.
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
 * at this N. The search follows both edges of the curve's band from the best fit outwards to the
 * target.
 */

enum usl_subject {
	USL_THROUGHPUT_REACHED, /* X(N) = target, before and after the peak */
	USL_LATENCY_WITHIN,	/* the largest N with N / X(N) <= target */
	USL_EFFICIENCY_AT_LEAST /* the largest N with X(N) / (N gamma) >= target */
};

struct usl_question {
	enum usl_subject subject;
	double target;	 /* > 0; time in the unit of 1 / throughput, efficiency as a share */
	bool in_seconds; /* of a latency: its unit is known, as throughput is per second */
};

enum usl_branch { USL_NO_BRANCH, USL_RISING, USL_FALLING };

struct usl_answer {
	enum usl_branch branch; /* the branch of a throughput */
	double n;		/* NaN: at no N; infinite: at all N */
	/*
	 * An end is infinite, or 0 on the falling side, if the points allow that the target is
	 * never reached, or always. None if they exclude the target, or are too few.
	 */
	struct usl_interval interval;
};

enum { USL_ANSWERS = 2 };

/* Returns the number of answers: 1, or 2 if throughput has two branches. */
size_t usl_answer(struct usl_answer answers[USL_ANSWERS], const struct usl_question *question,
		  const struct usl_intervals *intervals);

/* The reason why a quantity is not known. */
enum usl_unknown {
	USL_KNOWN,
	USL_NO_FREEDOM, /* as many parameters as points: no interval */
	USL_NOT_FITTED, /* the model lacks the parameter */
	USL_NO_PEAK	/* throughput falls from the first N on */
};

/* A quantity with its interval; NaN: unknown. A peak or a throughput without limit is infinite. */
struct usl_estimate {
	double best; /* the value of the curve */
	struct usl_interval interval;
	enum usl_unknown unknown;
};

/* Returns a quantity up to USL_USEFUL, at `n` if it depends on N, or USL_POINTS. */
struct usl_estimate usl_estimate(enum usl_quantity quantity, double n,
				 const struct usl_intervals *intervals);

/* A change of the parameters: half the contention, no coherency. */

enum usl_how { USL_KEEP, USL_SET, USL_SCALE, USL_ADD };

struct usl_step {
	enum usl_how how;
	double by;
};

struct usl_change {
	const char *text; /* as given on the command line; borrowed */
	struct usl_step alpha, beta, gamma;
};

/*
 * Sets the parameters of *changed to those of the other curve, whose errors are not known. Returns
 * -1 with an error if gamma would not be above 0, alpha or beta not finite, or below 0 in a fit
 * with bounds.
 */
int usl_change_apply(struct usl *changed, const struct usl *usl, const struct usl_change *change,
		     struct err *err);

/*
 * The inverse of the Universal Scalability Law: the N at which a value is reached, in closed form.
 * With D(N) = 1 + alpha (N - 1) + beta N (N - 1):
 *
 *	throughput	X(N) = gamma N / D(N)
 *	latency		R(N) = N / X(N) = D(N) / gamma, by Little's law N = X R
 *	efficiency	E(N) = X(N) / (N X(1)) = 1 / D(N), as X(1) = gamma on the curve
 *
 * Each is a quadratic in N, solved without a difference of nearly equal numbers. alpha and beta may
 * have any sign, as in unbounded fits. Only the three parameters of a fit are used.
 */

/* The N with a certain throughput, before the peak and after it; NaN: none. */
struct usl_branches {
	double rising, falling;
};

/* Returns the N of a throughput above 0. At the peak both are N_c, up to rounding. */
struct usl_branches usl_n_of_throughput(const struct usl *usl, double throughput);

/* Returns the N from which latency exceeds `latency`; infinite: never; NaN: at every N > 0. */
double usl_n_of_latency(const struct usl *usl, double latency);

/* Returns the efficiency on the curve, relative to gamma. See usl_efficiency() for a point. */
double usl_efficiency_at(const struct usl *usl, double n);

/* Returns the N from which efficiency is below `share` > 0; infinite and NaN as for latency. */
double usl_n_of_efficiency(const struct usl *usl, double share);

/*
 * The next N to measure: the N at which one more measurement is most informative.
 *
 * For each candidate N a measurement on the curve is added, and the scatter s^2 kept, as is to be
 * expected; the candidate with the shortest profile-t interval is best. This is locally optimal
 * design for one quantity (c-optimality), measured by the interval itself and not by its
 * linearisation, which ignores bounds and infinite ends.
 *
 * The quantity is N_c, with the length ln(high / low) of its interval; if the points do not exclude
 * a law without a peak it is beta, which decides between the two.
 */

enum usl_aim { USL_AIM_NOTHING, USL_AIM_PEAK_N, USL_AIM_BETA };

struct usl_candidate_n {
	double n;		      /* NaN: none */
	struct usl_interval interval; /* expected with the measurement */
};

struct usl_suggestion {
	enum usl_aim aim; /* NOTHING: no interval is known, and the rest is not set */
	struct usl_interval now;
	struct usl_candidate_n best;
	/* All N from low to high give at least 9/10 of the gain of the best. */
	struct usl_interval flat;
	struct usl_candidate_n second; /* the best N elsewhere, if there is another optimum */
};

/*
 * Suggests the next N for intervals of the confidence `level`, among whole N up to `most`, of which
 * about 200 are tried.
 */
void usl_suggest(struct usl_suggestion *suggestion, const struct usl *usl,
		 const struct series *series, double level, double most);

#endif
