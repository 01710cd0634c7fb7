/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how often the intervals of a fit hold the truth: known laws, points with normal scatter
 * at the N of published series, and the share of SETS data sets whose interval holds each quantity.
 * Also measures the time of a fit. Intervals are those of profile-t, or with REFITS those of a
 * bootstrap-t with so many refits, which has no interval of a new measurement.
 *
 *	fit_coverage [SETS [LEVEL [REFITS [LOSS [WILD]]]]]
 *
 * LOSS is 0 for least squares, 1 for a robust fit by Tukey's loss, 2 by Huber's; WILD points of
 * each data set are halved or doubled.
 */
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "stats/series/series.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { POINTS = 32, COVERED = 7 };

/*
 * The truth is the fit to the series of that name. sigma is the scatter of the series, but less for
 * specsdm91, so that no X(1) is below 0.
 */
static const struct {
	const char *name;
	size_t count;
	double n[POINTS];
	struct usl truth;
	double sigma;
} designs[] = {
	{"raytracer6",
	 6,
	 {1, 4, 8, 12, 16, 20},
	 {.alpha = .0244, .beta = .00163, .gamma = 20.9},
	 1.83},
	{"specsdm91",
	 7,
	 {1, 18, 36, 72, 108, 144, 216},
	 {.alpha = .0277, .beta = .000104, .gamma = 90},
	 25},
	{"cisco, each 3rd",
	 12,
	 {1, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 32},
	 {.alpha = .0267, .beta = .000769, .gamma = 996},
	 188},
	{"cisco",
	 32,
	 {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	  17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
	 {.alpha = .0267, .beta = .000769, .gamma = 996},
	 188},
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void simulate(struct series *series, size_t design, gsl_rng *random)
{
	for (size_t i = 0; i < series->count; i++) {
		struct series_point *point = &series->points[i];

		point->n = designs[design].n[i];
		do
			point->throughput = usl_throughput(&designs[design].truth, point->n) +
					    gsl_ran_gaussian(random, designs[design].sigma);
		while (!(point->throughput > 0));
	}
}

/* Halves or doubles points at random places. */
static void spoil(struct series *series, size_t wild, gsl_rng *random)
{
	for (size_t i = 0; i < wild; i++)
		series->points[gsl_rng_uniform_int(random, series->count)].throughput *=
			gsl_rng_uniform(random) < .5 ? .5 : 2;
}

static int fit(struct usl *usl, struct series *series, enum usl_loss loss)
{
	const struct usl_form form = {.model = USL_FULL};
	struct usl_robust robust;
	struct err err;

	free(series->trust);
	series->trust = NULL;
	return loss == USL_LOSS_SQUARES ? usl_fit(usl, series, &form, &err)
					: usl_robust_fit(usl, &robust, series, &form, loss, &err);
}

/* The intervals of one data set, in the order of the table. */
struct intervals {
	struct usl_interval of[COVERED];
};

struct method {
	double level;
	size_t refits; /* number of refits of a bootstrap, or 0 */
	enum usl_loss loss;
	size_t wild; /* number of points halved or doubled in each data set */
};

static struct intervals by_profile(const struct usl *usl, const struct series *series, double n,
				   double level)
{
	struct usl_intervals *region = usl_intervals_new(usl, series, level, NULL);
	struct intervals intervals = {{
		usl_interval_of(region, USL_ALPHA, 0),
		usl_interval_of(region, USL_BETA, 0),
		usl_interval_of(region, USL_GAMMA, 0),
		usl_interval_of(region, USL_PEAK_N, 0),
		usl_interval_of(region, USL_PEAK_X, 0),
		usl_interval_of(region, USL_X, n),
		usl_interval_of(region, USL_MEASURED, n),
	}};

	usl_intervals_free(region);
	return intervals;
}

static struct intervals by_bootstrap(const struct usl *usl, const struct series *series, double n,
				     const struct method *method, uint32_t seed)
{
	const struct usl_bootstrap_plan plan = {.refits = method->refits, .seed = seed};
	struct usl_intervals *bootstrap = usl_intervals_new(usl, series, method->level, &plan);
	struct intervals intervals = {{
		usl_interval_of(bootstrap, USL_ALPHA, 0),
		usl_interval_of(bootstrap, USL_BETA, 0),
		usl_interval_of(bootstrap, USL_GAMMA, 0),
		usl_interval_of(bootstrap, USL_PEAK_N, 0),
		usl_interval_of(bootstrap, USL_PEAK_X, 0),
		usl_interval_of(bootstrap, USL_X, n),
		{NAN, NAN},
	}};

	usl_intervals_free(bootstrap);
	return intervals;
}

static double middle_n(size_t design)
{
	return designs[design].n[designs[design].count / 2];
}

static void count_hits(size_t *hits, const struct intervals *intervals, size_t design,
		       gsl_rng *random)
{
	const struct usl *truth = &designs[design].truth;
	double middle = usl_throughput(truth, middle_n(design));
	const double values[COVERED] = {
		truth->alpha,
		truth->beta,
		truth->gamma,
		usl_peak_n(truth),
		usl_peak_throughput(truth),
		middle,
		middle + gsl_ran_gaussian(random, designs[design].sigma),
	};

	for (size_t k = 0; k < COVERED; k++)
		hits[k] += intervals->of[k].low <= values[k] && values[k] <= intervals->of[k].high;
}

static void cover(size_t design, size_t sets, const struct method *method, gsl_rng *random)
{
	struct series_point points[POINTS];
	struct series series = {.points = points, .count = designs[design].count};
	size_t hits[COVERED] = {0}, fitted = 0;
	double fit_s = 0;

	for (size_t i = 0; i < sets; i++) {
		struct intervals intervals;
		double begin = seconds();
		struct usl usl;
		int rc;

		simulate(&series, design, random);
		spoil(&series, method->wild, random);
		rc = fit(&usl, &series, method->loss);
		fit_s += seconds() - begin;
		if (rc)
			continue;
		fitted++;
		intervals =
			method->refits
				? by_bootstrap(&usl, &series, middle_n(design), method, (uint32_t)i)
				: by_profile(&usl, &series, middle_n(design), method->level);
		count_hits(hits, &intervals, design, random);
	}
	free(series.trust);
	printf("%-16s %3zu %6zu", designs[design].name, series.count, fitted);
	for (size_t k = 0; k + 1 < COVERED; k++)
		printf(" %7.2f", 100 * (double)hits[k] / (double)fitted);
	/* A bootstrap has no interval of a new measurement. */
	if (method->refits)
		printf(" %7s", "-");
	else
		printf(" %7.2f", 100 * (double)hits[COVERED - 1] / (double)fitted);
	printf(" %8.1f\n", 1e6 * fit_s / (double)sets);
}

int main(int argc, char **argv)
{
	size_t sets = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	const struct method method = {.level = argc > 2 ? strtod(argv[2], NULL) : .95,
				      .refits = argc > 3 ? strtoul(argv[3], NULL, 10) : 0,
				      .loss = argc > 4 ? (enum usl_loss)strtoul(argv[4], NULL, 10)
						       : 0,
				      .wild = argc > 5 ? strtoul(argv[5], NULL, 10) : 0};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	printf("%-16s %3s %6s %7s %7s %7s %7s %7s %7s %7s %8s\n", "", "n", "sets", "alpha %",
	       "beta %", "gamma %", "N_c %", "X_max %", "X(N) %", "new %", "us a fit");
	for (size_t design = 0; design < COUNT(designs); design++)
		cover(design, sets, &method, random);
	gsl_rng_free(random);
	return 0;
}
