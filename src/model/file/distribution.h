/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random times of a performance model: think times, gaps between requests, times of fragments. They
 * are in seconds, and never negative.
 */
#ifndef PSCAL_MODEL_FILE_DISTRIBUTION_H
#define PSCAL_MODEL_FILE_DISTRIBUTION_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

enum distribution_kind {
	DISTRIBUTION_NONE,	  /* not given: always 0 */
	DISTRIBUTION_FIXED,	  /* always `mean` */
	DISTRIBUTION_EXPONENTIAL, /* exponential with `mean` */
	DISTRIBUTION_ERLANG,	  /* the sum of `phases` exponential times */
	DISTRIBUTION_HYPER,	  /* one of two exponential times with balanced means; cv2 >= 1 */
	DISTRIBUTION_LOGNORMAL,	  /* lognormal with `mean` and `cv2` */
	DISTRIBUTION_QUANTILES,	  /* linear between the quantiles of 0, 1/64, ... 63/64; beyond, a
				     tail */
	DISTRIBUTION_KINDS,
};

/*
 * The tail, the longest 1/64 of the times, is the quantile before it plus an exponential time. The
 * mean of that follows from the last quantile, which is as far beyond the mean of the tail as this
 * mean is beyond the quantile before. So a tail keeps its mean, and nearly its variance; the
 * longest time, which says little about either, is not kept.
 */
enum { DISTRIBUTION_QUANTILE_COUNT = 65, DISTRIBUTION_PHASES_MAX = 1000 };

/*
 * The largest mean in seconds, and the largest squared coefficient of variation; 0 is allowed for
 * both.
 */
#define DISTRIBUTION_MEAN_MAX 1e9
#define DISTRIBUTION_CV2_MAX  1e4

struct distribution {
	enum distribution_kind kind;
	double mean;	   /* mean in seconds, of all kinds */
	double cv2;	   /* squared coefficient of variation, of all kinds */
	unsigned phases;   /* of an Erlang distribution, 1 .. DISTRIBUTION_PHASES_MAX */
	double *quantiles; /* DISTRIBUTION_QUANTILE_COUNT quantiles in ascending order; owned */
};

/* Returns a distribution. `shape` is the number of phases, or the cv2, of kinds that have one. */
struct distribution distribution_make(enum distribution_kind kind, double mean, double shape);

/*
 * Returns a distribution of DISTRIBUTION_QUANTILE_COUNT quantiles in ascending order, which are
 * copied.
 */
struct distribution distribution_of_quantiles(const double *quantiles);

/* Draws a time in seconds. */
double distribution_draw(const struct distribution *distribution, gsl_rng *random);

/* Multiplies all times by `factor`, which is above 0. */
void distribution_scale(struct distribution *distribution, double factor);

/* Returns a deep copy, which the caller releases. */
struct distribution distribution_copy(const struct distribution *distribution);
void distribution_release(struct distribution *distribution);

/*
 * Returns the distribution of `count` recorded times, one or more, which are sorted in place. Its
 * mean is the mean of the times.
 */
struct distribution distribution_of_times(double *times, size_t count);

#endif
