/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random times of a performance model: think times, gaps between requests, times of fragments. All
 * are in seconds, none is negative.
 */
#ifndef PSCAL_MODEL_FILE_DISTRIBUTION_H
#define PSCAL_MODEL_FILE_DISTRIBUTION_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

enum distribution_kind {
	DISTRIBUTION_NONE,	  /* not given: always 0 */
	DISTRIBUTION_FIXED,	  /* always `mean` */
	DISTRIBUTION_EXPONENTIAL, /* of `mean` */
	DISTRIBUTION_ERLANG,	  /* the sum of `phases` exponential times */
	DISTRIBUTION_HYPER,	  /* one of two exponential times with balanced means; cv2 > 1 */
	DISTRIBUTION_LOGNORMAL,	  /* of `mean` and `cv2` */
	DISTRIBUTION_QUANTILES,	  /* linear between those of 0, 1/64, ... 63/64; then a tail */
	DISTRIBUTION_KINDS,
};

/*
 * The longest 1/64 of the times is the quantile before it and an exponential time, of which the last
 * quantile says the mean: it is as far beyond the mean of the tail as this is beyond the quantile
 * before. So a tail keeps its mean, and nearly its variance; the longest time, which says little of
 * either, is not kept.
 */
enum { DISTRIBUTION_QUANTILE_COUNT = 65, DISTRIBUTION_PHASES_MAX = 1000 };

/* A mean in seconds, and a squared coefficient of variation, are no larger; 0 is allowed for both. */
#define DISTRIBUTION_MEAN_MAX 1e9
#define DISTRIBUTION_CV2_MAX  1e4

struct distribution {
	enum distribution_kind kind;
	double mean;	   /* s, of all kinds */
	double cv2;	   /* squared coefficient of variation, of all kinds */
	unsigned phases;   /* of an Erlang distribution, 1 .. DISTRIBUTION_PHASES_MAX */
	double *quantiles; /* DISTRIBUTION_QUANTILE_COUNT of them, never falling; owned */
};

/* `shape` is the number of phases or the cv2, of kinds that have one. */
struct distribution distribution_make(enum distribution_kind kind, double mean, double shape);

/* Of DISTRIBUTION_QUANTILE_COUNT quantiles, never falling, which are copied. */
struct distribution distribution_of_quantiles(const double *quantiles);

/* One time, in seconds. */
double distribution_draw(const struct distribution *distribution, gsl_rng *random);

/* All times are `factor` times as long, 0 < factor. */
void distribution_scale(struct distribution *distribution, double factor);

/* A deep copy, which the caller releases. */
struct distribution distribution_copy(const struct distribution *distribution);
void distribution_release(struct distribution *distribution);

/*
 * The quantiles of `count` recorded times (count >= 1), which are sorted in place. The mean is that of
 * the times.
 */
struct distribution distribution_of_times(double *times, size_t count);

#endif
