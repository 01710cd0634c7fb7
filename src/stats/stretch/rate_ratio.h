/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure the ratio of two times is that were measured by counting samples. */
#ifndef PSCAL_STATS_STRETCH_RATE_RATIO_H
#define PSCAL_STATS_STRETCH_RATE_RATIO_H

#include <stdbool.h>
#include <stddef.h>

struct rate_ratio {
	double value, from, to; /* NAN: not known */
};

/* What was measured of something, in each of several runs. */
struct rate {
	const double *seconds; /* of each run */
	size_t runs;
	double samples; /* of all of them */
	/*
	 * Where the time was not sampled but measured, as a sum of so many: the variance of that
	 * sum as a share of its square.
	 */
	bool is_sum;
	double sum_variance;
};

/*
 * The mean of `above` over that of `below`, with the interval that holds the true ratio with
 * probability `level`.
 *
 * Of one run each: the numbers of samples are taken to be of Poisson, so that given their sum n the
 * one is binomial with p = ratio / (1 + ratio) if samples stand for the same time; p has the score
 * interval of Wilson [1927], which lies between 0 and 1, also for few samples. Samples that come at
 * equal times vary less, so that it is rather too wide; but how much runs vary is not in it.
 *
 * Else on the logarithms: Student's distribution, where each side has the variance of its mean by
 * its runs with as many degrees of freedom, and a side of one run that of its samples (1 / n) as if
 * known, or that of the sum with n - 1; degrees of freedom by Welch [1947] and Satterthwaite
 * [1946].
 */
void rate_ratio_init(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		     double level);

#endif
