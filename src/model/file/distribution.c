/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/distribution.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

enum { QUANTILE_STEPS = DISTRIBUTION_QUANTILE_COUNT - 1 };

/* --- Moments ---------------------------------------------------------------------------------- */

/* Computes mean and cv2; times are even between quantiles, exponential beyond. */
static void distribution_measure(struct distribution *distribution)
{
	const double *q = distribution->quantiles;
	double begin = q[QUANTILE_STEPS - 1], beyond = (q[QUANTILE_STEPS] - begin) / 2;
	double mean = begin + beyond,
	       square = begin * begin + 2 * begin * beyond + 2 * beyond * beyond;

	for (size_t i = 0; i + 1 < QUANTILE_STEPS; i++) {
		mean += (q[i] + q[i + 1]) / 2;
		square += (q[i] * q[i] + q[i] * q[i + 1] + q[i + 1] * q[i + 1]) / 3;
	}
	mean /= QUANTILE_STEPS;
	square /= QUANTILE_STEPS;
	distribution->mean = mean;
	distribution->cv2 = mean > 0 ? fmax(square / (mean * mean) - 1, 0) : 0;
	if (!isfinite(distribution->cv2))
		distribution->cv2 = 0;
}

struct distribution distribution_make(enum distribution_kind kind, double mean, double shape)
{
	struct distribution made = {.kind = kind, .mean = mean};

	switch (kind) {
	case DISTRIBUTION_EXPONENTIAL:
		made.cv2 = 1;
		break;
	case DISTRIBUTION_ERLANG:
		made.phases = (unsigned)shape;
		made.cv2 = 1 / shape;
		break;
	case DISTRIBUTION_HYPER:
	case DISTRIBUTION_LOGNORMAL:
		made.cv2 = shape;
		break;
	default:
		break;
	}
	return made;
}

struct distribution distribution_of_quantiles(const double *quantiles)
{
	struct distribution made = {.kind = DISTRIBUTION_QUANTILES};

	made.quantiles = xcalloc(DISTRIBUTION_QUANTILE_COUNT, sizeof(*made.quantiles));
	memcpy(made.quantiles, quantiles, DISTRIBUTION_QUANTILE_COUNT * sizeof(*quantiles));
	distribution_measure(&made);
	return made;
}

/* Returns the mean of the tail: the longest 1 / QUANTILE_STEPS of the sorted times. */
static double tail_mean(const double *times, size_t count)
{
	double left = (double)count / QUANTILE_STEPS, share = left, sum = 0;

	for (size_t i = count; i-- > 0 && left > 0; left--)
		sum += times[i] * fmin(left, 1);
	return share < 1 ? times[count - 1] : sum / share;
}

static double mean_of(const double *times, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += times[i];
	return sum / (double)count;
}

/* Interpolates a quantile; each time is in the middle of an equal share. */
static double find_quantile(const double *times, size_t count, double share)
{
	double at = fmin(fmax(share * (double)count - .5, 0), (double)(count - 1));
	size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;

	return times[below] + (at - (double)below) * (times[above] - times[below]);
}

struct distribution distribution_of_times(double *times, size_t count)
{
	double quantiles[DISTRIBUTION_QUANTILE_COUNT], begin, mean;
	struct distribution made;

	sort_items(times, count, compare_doubles);
	for (size_t i = 0; i < QUANTILE_STEPS; i++)
		quantiles[i] = find_quantile(times, count, (double)i / QUANTILE_STEPS);
	begin = quantiles[QUANTILE_STEPS - 1];
	quantiles[QUANTILE_STEPS] = fmax(2 * tail_mean(times, count) - begin, begin);
	made = distribution_of_quantiles(quantiles);
	/* Times between quantiles need not be even, which moves the mean slightly. */
	mean = mean_of(times, count);
	if (made.mean > 0 && mean > 0)
		distribution_scale(&made, mean / made.mean);
	return made;
}

/* --- Draws ------------------------------------------------------------------------------------ */

/* Draws with balanced means: each of the two exponentials makes half of the mean. */
static double draw_hyper(const struct distribution *distribution, gsl_rng *random)
{
	double cv2 = distribution->cv2;
	double share = (1 + sqrt((cv2 - 1) / (cv2 + 1))) / 2;

	if (gsl_rng_uniform(random) >= share)
		share = 1 - share;
	return gsl_ran_exponential(random, distribution->mean / (2 * share));
}

static double draw_lognormal(const struct distribution *distribution, gsl_rng *random)
{
	double variance = log1p(distribution->cv2);

	return distribution->mean *
	       exp(gsl_ran_gaussian_ziggurat(random, sqrt(variance)) - variance / 2);
}

static double draw_quantile(const double *quantiles, gsl_rng *random)
{
	double at = gsl_rng_uniform(random) * QUANTILE_STEPS;
	size_t below = (size_t)at;
	double width = quantiles[below + 1] - quantiles[below];

	if (below == QUANTILE_STEPS - 1)
		return quantiles[below] + gsl_ran_exponential(random, width / 2);
	return quantiles[below] + (at - (double)below) * width;
}

double distribution_draw(const struct distribution *distribution, gsl_rng *random)
{
	switch (distribution->kind) {
	case DISTRIBUTION_FIXED:
		return distribution->mean;
	case DISTRIBUTION_EXPONENTIAL:
		return gsl_ran_exponential(random, distribution->mean);
	case DISTRIBUTION_ERLANG:
		return gsl_ran_gamma(random, distribution->phases,
				     distribution->mean / distribution->phases);
	case DISTRIBUTION_HYPER:
		return draw_hyper(distribution, random);
	case DISTRIBUTION_LOGNORMAL:
		return draw_lognormal(distribution, random);
	case DISTRIBUTION_QUANTILES:
		return draw_quantile(distribution->quantiles, random);
	default:
		return 0;
	}
}

/* --- Copies ----------------------------------------------------------------------------------- */

void distribution_scale(struct distribution *distribution, double factor)
{
	if (distribution->kind == DISTRIBUTION_QUANTILES)
		for (size_t i = 0; i < DISTRIBUTION_QUANTILE_COUNT; i++)
			distribution->quantiles[i] *= factor;
	distribution->mean *= factor;
}

struct distribution distribution_copy(const struct distribution *distribution)
{
	if (distribution->kind == DISTRIBUTION_QUANTILES)
		return distribution_of_quantiles(distribution->quantiles);
	return *distribution;
}

void distribution_release(struct distribution *distribution)
{
	free(distribution->quantiles);
	*distribution = (struct distribution){0};
}
