/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl_diagnosis.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * A fit that resists outliers: an M-estimate by iteratively reweighted least squares, with weights
 * that depend on the distance of each point from the curve.
 *
 * With u = r sqrt(w) / (s sqrt(1 - h)), the residual r of a point of weight w and leverage h in
 * units of the scatter s, the weight of a point is multiplied by
 *
 *	Tukey	(1 - (u / 4.685)^2)^2, and 0 from 4.685 on
 *	Huber	1 up to 1.345, then 1.345 / |u|
 *
 * which cost 5 % of efficiency with normal scatter. s is the median of the |u s|, without the p - 1
 * smallest, which p parameters can always make small, divided by 0.6745. A point with leverage
 * pulls the curve to itself, so the start must not depend on a single one: least trimmed squares,
 * the best of curves through few points, by the three quarters of all points nearest to each.
 *
 * P. J. Huber and E. M. Ronchetti, "Robust Statistics", 2nd edition, 2009, chapter 7; P. J.
 * Rousseeuw and A. M. Leroy, "Robust Regression and Outlier Detection", 1987; the leverage and the
 * covariance as in W. DuMouchel and F. O'Brien, "Integrating a robust option into a multiple
 * regression computing environment", 1989.
 */

/* --- Least trimmed squares --------------------------------------------------
 * The curve on which most points agree, whatever the others are: a start in the presence of
 * outliers. Of the curves through as many points as parameters, all or 500 of them, it is the one
 * with the least sum of squares over the three quarters of all points nearest to it, and then the
 * fit to these.
 *
 * P. J. Rousseeuw and A. M. Leroy, "Robust Regression and Outlier Detection", 1987; P. J. Rousseeuw
 * and K. Van Driessen, "Computing LTS Regression for Large Data Sets", 2006.
 */

enum { SUBSETS = 500, SAMPLE = 1000, PARAMETERS = 3 };

static size_t subset_size(const struct usl_form *form)
{
	return usl_parameters(form) - form->gamma_first;
}

/*
 * Returns the number of points that must agree, three quarters. One half would resist more
 * outliers, but reject the few points at the largest N if the law holds less well there.
 */
static size_t majority(size_t count, size_t parameters)
{
	size_t half = (count + parameters + 1) / 2, most = (3 * count + 3) / 4;

	return half > most ? half : most;
}

/* Returns the sum of the smallest squares, of the majority; *limit is the largest of these. */
static double trimmed_squares(double *squares, double *limit, const struct usl *usl,
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

/* Makes the next subset of `size` indices in lexicographic order; returns false after the last. */
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
 * Fits a few points exactly, with those at N = 1 if these give gamma. A fit of linear scaling to
 * one N needs a second point on the line.
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

/* Finds the best of all subsets, or of many. Returns -1 if none can be fitted. */
static int best_subset(struct usl *best, double *squares, const struct series *series,
		       const struct usl_form *form)
{
	size_t size = subset_size(form), subset[PARAMETERS], all[SAMPLE];
	bool few = subsets_of(series->count, size) <= SUBSETS;
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937); /* the same sequence each time */
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
		sum = trimmed_squares(squares, &limit, &usl, series);
		if (sum < least) {
			least = sum;
			*best = usl;
		}
	}
	gsl_rng_free(random);
	return isfinite(least) ? 0 : -1;
}

/* Fits the points nearest to the curve, until these stay the same. */
static void concentrate(struct usl *best, double *squares, struct series *series,
			const struct usl_form *form)
{
	enum { STEPS = 20 };
	double limit, least = trimmed_squares(squares, &limit, best, series);

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
		sum = trimmed_squares(squares, &limit, &usl, series);
		if (!(sum < least))
			return;
		least = sum;
		*best = usl;
	}
}

/* Fits a sample if there are many points. */
static int trimmed_fit(struct usl *usl, const struct series *series, const struct usl_form *form)
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

/* --- Residuals in units of their scatter ------------------------------------ */

struct residuals {
	size_t count;
	double *plain;	  /* r sqrt(w) */
	double *leverage; /* h */
	double *adjusted; /* r sqrt(w) / sqrt(1 - h) */
	double *sorted;	  /* room to sort */
};

static void residuals_init(struct residuals *residuals, size_t count)
{
	double *memory = xcalloc(4 * count, sizeof(*memory));

	*residuals = (struct residuals){count, memory, memory + count, memory + 2 * count,
					memory + 3 * count};
}

static void residuals_release(struct residuals *residuals)
{
	free(residuals->plain);
}

/* Computes the leverage of all points with full trust; 0 if the parameters cannot be told apart. */
static void take_leverage(struct residuals *residuals, const struct usl *usl,
			  const struct series *series)
{
	struct series trusted = *series;
	double *hat;

	trusted.trust = NULL;
	hat = usl_leverage(usl, &trusted);
	for (size_t i = 0; i < residuals->count; i++)
		residuals->leverage[i] = isnan(hat[i]) ? 0 : hat[i];
	free(hat);
}

/* Computes the residuals; with a leverage of 1 a point has none. */
static void take_residuals(struct residuals *residuals, const struct usl *usl,
			   const struct series *series)
{
	const double most = .9999;

	take_leverage(residuals, usl, series);
	for (size_t i = 0; i < residuals->count; i++) {
		const struct series_point *point = &series->points[i];

		residuals->plain[i] = (point->throughput - usl_throughput(usl, point->n)) *
				      sqrt(series_own_weight(series, i));
		residuals->adjusted[i] =
			residuals->plain[i] / sqrt(1 - fmin(residuals->leverage[i], most));
	}
}

/* Returns the scatter of adjusted residuals. */
static double scale_of(const struct residuals *residuals, size_t parameters)
{
	const double quartile = 0.674489750196081743; /* the median of |u| for normal u */
	size_t skip = parameters ? parameters - 1 : 0;

	for (size_t i = 0; i < residuals->count; i++)
		residuals->sorted[i] = fabs(residuals->adjusted[i]);
	gsl_sort(residuals->sorted, 1, residuals->count);
	return gsl_stats_median_from_sorted_data(residuals->sorted + skip, 1,
						 residuals->count - skip) /
	       quartile;
}

/* --- The losses ------------------------------------------------------------- */

struct loss {
	double weight; /* psi(u) / u */
	double slope;  /* psi'(u) */
};

static struct loss tukey(double u)
{
	const double c = 4.685;
	double inside = 1 - u / c * (u / c);

	if (!(fabs(u) < c))
		return (struct loss){0, 0};
	return (struct loss){inside * inside, inside * (1 - 5 * (u / c) * (u / c))};
}

static struct loss huber(double u)
{
	const double k = 1.345;

	if (fabs(u) <= k)
		return (struct loss){1, 1};
	return (struct loss){k / fabs(u), 0};
}

static struct loss loss_of(enum usl_loss loss, double u)
{
	return loss == USL_LOSS_TUKEY ? tukey(u) : huber(u);
}

/* --- The iteration to the fixed point ----------------------------------------- */

/* Returns the scatter below which it is only rounding. */
static double least_scale(const struct series *series)
{
	double largest = 0;

	for (size_t i = 0; i < series->count; i++)
		largest = fmax(largest,
			       series->points[i].throughput * sqrt(series_own_weight(series, i)));
	return 1e-12 * largest;
}

/* Returns the largest change of the curve at a point, in units of the largest throughput. */
static double change_between(const struct usl *a, const struct usl *b, const struct series *series)
{
	double change = 0;

	for (size_t i = 0; i < series->count; i++) {
		double n = series->points[i].n;

		change = fmax(change, fabs(usl_throughput(a, n) - usl_throughput(b, n)));
	}
	return change / series_max_throughput(series);
}

/*
 * Iterates. With fixed s each step lowers the sum of losses; with a new s in each step it nearly
 * always converges, and to a better result. So s is fixed only if it has not converged.
 */
static int iterate(struct usl *usl, struct usl_robust *robust, struct residuals *residuals,
		   struct series *series, struct err *err)
{
	enum { ITERATIONS = 1000, MOVING = 200 };
	const double settled = 1e-13, least = least_scale(series);
	const struct usl_form form = usl->form;
	double change = INFINITY;

	for (int i = 0; i < ITERATIONS && !(change <= settled); i++) {
		struct usl next;

		take_residuals(residuals, usl, series);
		if (i < MOVING)
			robust->scale = fmax(least, scale_of(residuals, usl->n - usl->df));
		for (size_t k = 0; k < series->count; k++)
			series->trust[k] =
				loss_of(robust->loss, residuals->adjusted[k] / robust->scale)
					.weight;
		if (usl_fit(&next, series, &form, err))
			return -1;
		change = change_between(usl, &next, series);
		*usl = next;
	}
	if (change <= settled)
		return 0;
	return err_set(err,
		       "%s: the robust fit does not settle on which points to trust; fit without "
		       "--robust and look at the points far from the curve",
		       series->source);
}

/*
 * Returns the factor for s^2 in the covariance s^2 (J'J)^-1 of an M-estimate: Huber's formula as
 * DuMouchel and O'Brien give it for adjusted residuals. The weight factors are part of J'WJ, so
 * their share is divided out.
 */
static double inflation(const struct residuals *residuals, const struct usl_robust *robust,
			const struct usl *usl)
{
	double n = (double)residuals->count, p = n - (double)usl->df;
	double slope = 0, squares = 0, kept = 0, leverage = 0, correction;

	for (size_t i = 0; i < residuals->count; i++) {
		double u = residuals->adjusted[i] / robust->scale, h = residuals->leverage[i];
		struct loss loss = loss_of(robust->loss, u);

		slope += loss.slope / n;
		squares += (1 - h) * pow(u * loss.weight, 2) / (n - p);
		kept += h * loss.weight;
		leverage += h;
	}
	correction = 1 + p / n * (1 - slope) / slope;
	return correction * correction * squares / (slope * slope) *
	       (leverage > 0 ? kept / leverage : 1);
}

static void take_errors(struct usl *usl, const struct residuals *residuals,
			const struct usl_robust *robust)
{
	double old = sqrt(usl->s2 * usl->inflation), new;

	usl->s2 = robust->scale * robust->scale;
	usl->inflation = inflation(residuals, robust, usl);
	new = sqrt(usl->s2 * usl->inflation);
	usl->alpha_se *= new / old;
	usl->beta_se *= new / old;
	usl->gamma_se *= new / old;
}

static int check_count(const struct series *series, const struct usl_form *form, struct err *err)
{
	size_t needed = usl_parameters(form) + 2;

	if (series->count >= needed)
		return 0;
	return err_set(err,
		       "%s: a robust fit of so many parameters needs %zu points or more, there are "
		       "%zu; measure at more N, or fit without --robust",
		       series->source, needed, series->count);
}

static int fit(struct usl *usl, struct usl_robust *robust, struct series *series, struct err *err)
{
	struct residuals residuals;
	int rc;

	residuals_init(&residuals, series->count);
	rc = iterate(usl, robust, &residuals, series, err);
	if (!rc) {
		take_residuals(&residuals, usl, series);
		take_errors(usl, &residuals, robust);
	}
	residuals_release(&residuals);
	return rc;
}

int usl_robust_fit(struct usl *usl, struct usl_robust *robust, struct series *series,
		   const struct usl_form *form, enum usl_loss loss, struct err *err)
{
	gsl_error_handler_t *handler;
	int rc;

	*robust = (struct usl_robust){.loss = loss};
	/* Reports points that cannot be fitted at all. */
	if (usl_fit(usl, series, form, err) || check_count(series, form, err))
		return -1;
	handler = gsl_set_error_handler_off();
	trimmed_fit(usl, series, form); /* least squares, if this fails */
	series->trust = xcalloc(series->count, sizeof(*series->trust));
	rc = fit(usl, robust, series, err);
	gsl_set_error_handler(handler);
	return rc;
}
