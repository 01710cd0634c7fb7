/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * At which N something is reached, with an interval: what people ask of a curve.
 *
 * The interval of such an N holds each N at which the interval of the curve holds the target, so
 * that it covers the true N as often as that covers the curve at this N. Both edges of the curve's
 * band are followed from the best fit outwards to where they cross the target.
 */
#ifndef PSCAL_FIT_USL_USL_ANSWER_H
#define PSCAL_FIT_USL_USL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl_region.h"

struct usl_intervals;

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

#endif
