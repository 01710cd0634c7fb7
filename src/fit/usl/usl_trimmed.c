/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_trimmed.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "stats/series/series.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SUBSETS = 500, SAMPLE = 1000, PARAMETERS = 3 };

static size_t subset_size(const struct usl_form *form)
{
	return usl_parameters(form) - form->gamma_first;
}

/*
 * How many points have to agree: three quarters. Half would resist more wild points, but take the
 * few at the largest N for wild where the law holds less well.
 */
static size_t majority(size_t count, size_t parameters)
{
	size_t half = (count + parameters + 1) / 2, most = (3 * count + 3) / 4;

	return half > most ? half : most;
}

/* The sum of the smallest squares, of the majority; *limit is the largest of these. */
static double trimmed(double *squares, double *limit, const struct usl *usl,
		      const struct series *series)
{
	size_t kept = majority(series->count, usl_parameters(&usl->form));
	double sum = 0;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];
		double residual = point->throughput - usl_throughput(usl, point->n);

		if (isnan(residual)) /* beyond a pole */
			return INFINITY;
		squares[i] = series_own_weight(series, i) * residual * residual;
	}
	gsl_sort(squares, 1, series->count);
	for (size_t i = 0; i < kept; i++)
		sum += squares[i];
	*limit = squares[kept - 1];
	return sum;
}

/* The next subset of `size` indices in lexicographic order; false after the last. */
static bool next_subset(size_t *subset, size_t size, size_t count)
{
	for (size_t k = size; k-- > 0;) {
		if (subset[k] + size - k >= count)
			continue;
		subset[k]++;
		for (size_t j = k + 1; j < size; j++)
			subset[j] = subset[j - 1] + 1;
		return true;
	}
	return false;
}

static double subsets_of(size_t count, size_t size)
{
	double subsets = 1;

	for (size_t k = 0; k < size; k++)
		subsets *= (double)(count - k) / (double)(k + 1);
	return subsets;
}

/*
 * Fits a few points exactly, with those at N = 1 where gamma is theirs. Linear scaling through one
 * point at one N is a slope.
 */
static int fit_subset(struct usl *usl, const struct series *series, const size_t *subset,
		      const struct usl_form *form)
{
	size_t size = subset_size(form);
	struct series few = {.source = series->source};
	struct err err;
	int rc;

	few.points = xcalloc(series->count + size, sizeof(*few.points));
	for (size_t i = 0; form->gamma_first && i < series->count; i++)
		if (series->points[i].n == 1)
			few.points[few.count++] = series->points[i];
	for (size_t k = 0; k < size; k++)
		few.points[few.count++] = series->points[subset[k]];
	if (form->model == USL_LINEAR && !form->gamma_first)
		few.points[few.count++] =
			(struct series_point){2 * few.points[0].n, 2 * few.points[0].throughput};
	rc = usl_fit(usl, &few, form, &err);
	free(few.points);
	usl->largest_n = series_max_n(series);
	return rc;
}

/* The best of all subsets, or of many. -1 where none can be fitted. */
static int best_subset(struct usl *best, double *squares, const struct series *series,
		       const struct usl_form *form)
{
	size_t size = subset_size(form), subset[PARAMETERS], all[SAMPLE];
	bool few = subsets_of(series->count, size) <= SUBSETS;
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937); /* the same each time */
	double least = INFINITY, limit;

	for (size_t i = 0; i < series->count; i++)
		all[i] = i;
	for (size_t k = 0; k < size; k++)
		subset[k] = k;
	for (size_t i = 0; i < SUBSETS; i++) {
		struct usl usl;
		double sum;

		if (few && i && !next_subset(subset, size, series->count))
			break;
		for (size_t k = 0; !few && k < size; k++) {
			size_t other = k + gsl_rng_uniform_int(random, series->count - k);
			size_t swap = all[other];

			all[other] = all[k];
			subset[k] = all[k] = swap;
		}
		if (fit_subset(&usl, series, subset, form))
			continue;
		sum = trimmed(squares, &limit, &usl, series);
		if (sum < least) {
			least = sum;
			*best = usl;
		}
	}
	gsl_rng_free(random);
	return isfinite(least) ? 0 : -1;
}

/* Fits the points that are nearest to the curve until these stay the same. */
static void concentrate(struct usl *best, double *squares, struct series *series,
			const struct usl_form *form)
{
	enum { STEPS = 20 };
	double limit, least = trimmed(squares, &limit, best, series);

	for (int step = 0; step < STEPS; step++) {
		struct usl usl;
		struct err err;
		double sum;

		for (size_t i = 0; i < series->count; i++) {
			const struct series_point *point = &series->points[i];
			double residual = point->throughput - usl_throughput(best, point->n);

			series->trust[i] =
				series_own_weight(series, i) * residual * residual <= limit;
		}
		if (usl_fit(&usl, series, form, &err))
			return;
		sum = trimmed(squares, &limit, &usl, series);
		if (!(sum < least))
			return;
		least = sum;
		*best = usl;
	}
}

/* Every so manyeth point, where there are many. */
int usl_trimmed_fit(struct usl *usl, const struct series *series, const struct usl_form *form)
{
	size_t step = (series->count + SAMPLE - 1) / SAMPLE;
	struct series sample = {.source = series->source};
	double *squares;
	int rc;

	sample.points = xcalloc(SAMPLE, sizeof(*sample.points));
	sample.weights = xcalloc(SAMPLE, sizeof(*sample.weights));
	sample.trust = xcalloc(SAMPLE, sizeof(*sample.trust));
	for (size_t i = 0; i < series->count; i += step) {
		sample.points[sample.count] = series->points[i];
		sample.weights[sample.count++] = series_own_weight(series, i);
	}
	squares = xcalloc(sample.count, sizeof(*squares));
	for (size_t i = 0; i < sample.count; i++)
		sample.trust[i] = 1;
	rc = best_subset(usl, squares, &sample, form);
	if (!rc)
		concentrate(usl, squares, &sample, form);
	free(squares);
	free(sample.points);
	free(sample.weights);
	free(sample.trust);
	return rc;
}
