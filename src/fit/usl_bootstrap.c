/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl_bootstrap.h"

#include "base/alloc.h"
#include "fit/usl.h"
#include "fit/usl_refit.h"
#include "fit/usl_scaled.h"
#include "stats/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct usl_bootstrap {
	struct usl_refit refit;
	struct usl_refitted center; /* the fit without bounds */
	struct usl_refitted best;   /* the fit */
	struct usl_refitted *refits;
	double *peak; /* of each refit: the pivot of 1/X_max */
	size_t count, failed;
	double df; /* of the fit without bounds */
	double share;	   /* of pivots on either side */
	double *pivots;	   /* room to sort them */
};

static const struct usl_interval none = {NAN, NAN};

/* --- Refits ----------------------------------------------------------------- */

/* The curve, and the residuals to draw from: both weighted to the scatter of weight 1. */
struct pool {
	double *curve, *residuals;
	size_t count; /* of residuals: those of points that do not hold the curve alone */
};

static void fill_pool(struct pool *pool, const struct usl_bootstrap *bootstrap)
{
	const double alone = 1e-8;
	const struct usl_refit *refit = &bootstrap->refit;
	double mean = 0;

	for (size_t i = 0; i < refit->count; i++) {
		const struct usl_descent_point *point = &refit->points[i];
		double d = usl_profile_dot(bootstrap->center.theta, refit->basis[i]);
		double x = point->n / d, slope = x / d;
		double leverage =
			point->weight * slope * slope *
			usl_refit_spread(&bootstrap->center, refit->basis[i], refit->basis[i]);

		pool->curve[i] = x;
		if (1 - leverage > alone)
			pool->residuals[pool->count++] =
				sqrt(point->weight / (1 - leverage)) * (point->x - x);
	}
	for (size_t i = 0; i < pool->count; i++)
		mean += pool->residuals[i] / (double)pool->count;
	for (size_t i = 0; i < pool->count; i++)
		pool->residuals[i] -= mean;
}

static void draw(struct usl_refit *refit, const struct pool *pool, gsl_rng *random)
{
	for (size_t i = 0; i < refit->count; i++) {
		struct usl_descent_point *point = &refit->points[i];
		double residual = pool->residuals[gsl_rng_uniform_int(random, pool->count)];

		point->x = pool->curve[i] + residual / sqrt(point->weight);
	}
}

/* The form of theta that is 1/X_max: D(N)/N at the peak, or, where there is none, q. By the
 * envelope theorem its derivatives by theta are its coefficients. */
static void peak_form(double *form, const struct usl_refit *refit, const double *theta)
{
	double above = theta[0] - refit->one * theta[1];

	if (theta[2] > 0 && above > 0)
		usl_refit_slowness(form, refit, sqrt(above / theta[2]));
	else
		memcpy(form, (double[]){0, 1, 0}, USL_THETA * sizeof(*form));
}

/* 1/X_max and its standard error. */
static double peak_slowness(double *error, const struct usl_bootstrap *bootstrap,
			    const struct usl_refitted *found)
{
	double form[USL_THETA];
	double df = (double)(bootstrap->refit.count - (size_t)__builtin_popcount(found->free));

	peak_form(form, &bootstrap->refit, found->theta);
	*error = sqrt(found->rss / df * usl_refit_spread(found, form, form));
	return usl_profile_dot(form, found->theta);
}

static int refit_once(struct usl_bootstrap *bootstrap, const struct pool *pool, gsl_rng *random)
{
	struct usl_refitted *found = &bootstrap->refits[bootstrap->count], bounded;
	double error, slowness, usual;

	draw(&bootstrap->refit, pool, random);
	if (usl_refit_unbounded(found, &bootstrap->refit) || !(found->rss > 0) ||
	    usl_refit_bounded(&bounded, &bootstrap->refit, found))
		return -1;
	usual = peak_slowness(&error, bootstrap, &bootstrap->best);
	slowness = peak_slowness(&error, bootstrap, &bounded);
	bootstrap->peak[bootstrap->count++] = (slowness - usual) / error;
	return 0;
}

static void refit_all(struct usl_bootstrap *bootstrap, const struct usl_bootstrap_plan *plan)
{
	enum { BETWEEN = 1000 }; /* refits, calls of progress */
	struct pool pool = {.curve = xcalloc(bootstrap->refit.count, sizeof(*pool.curve)),
			    .residuals = xcalloc(bootstrap->refit.count, sizeof(*pool.residuals))};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(random, plan->seed);
	fill_pool(&pool, bootstrap);
	for (size_t i = 0; i < plan->refits; i++) {
		if (pool.count && refit_once(bootstrap, &pool, random))
			bootstrap->failed++;
		if (plan->progress && i % BETWEEN == 0)
			plan->progress(plan->context, i, plan->refits);
	}
	gsl_rng_free(random);
	free(pool.curve);
	free(pool.residuals);
}

size_t usl_bootstrap_least(double level)
{
	return (size_t)ceil(2 / (1 - level) - 1e-9) - 1;
}

struct usl_bootstrap *usl_bootstrap_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan)
{
	struct usl_bootstrap *bootstrap = xcalloc(1, sizeof(*bootstrap));
	size_t parameters;

	usl_refit_init(&bootstrap->refit, usl, series);
	bootstrap->share = (1 - level) / 2;
	parameters = (size_t)__builtin_popcount(bootstrap->refit.free);
	if (usl->n <= parameters || usl_refit_unbounded(&bootstrap->center, &bootstrap->refit) ||
	    usl_refit_bounded(&bootstrap->best, &bootstrap->refit, &bootstrap->center))
		return bootstrap;
	bootstrap->df = (double)(usl->n - parameters);
	bootstrap->refits = xcalloc(plan->refits, sizeof(*bootstrap->refits));
	bootstrap->peak = xcalloc(plan->refits, sizeof(*bootstrap->peak));
	bootstrap->pivots = xcalloc(plan->refits, sizeof(*bootstrap->pivots));
	refit_all(bootstrap, plan);
	return bootstrap;
}

void usl_bootstrap_free(struct usl_bootstrap *bootstrap)
{
	if (!bootstrap)
		return;
	usl_refit_release(&bootstrap->refit);
	free(bootstrap->refits);
	free(bootstrap->peak);
	free(bootstrap->pivots);
	free(bootstrap);
}

size_t usl_bootstrap_failed(const struct usl_bootstrap *bootstrap)
{
	return bootstrap->failed;
}

/* --- Quantiles of pivots ---------------------------------------------------- */

struct quantiles {
	double low, high;
};

/* The (count + 1) share-th of the sorted ones, between two where that is no whole number. */
static double quantile(const double *sorted, size_t count, double share)
{
	double place = fmin(fmax((double)(count + 1) * share, 1), (double)count) - 1;
	size_t below = (size_t)place;
	double part = place - (double)below;

	return part > 0 ? sorted[below] + part * (sorted[below + 1] - sorted[below])
			: sorted[below];
}

static struct quantiles sorted_quantiles(struct usl_bootstrap *bootstrap)
{
	gsl_sort(bootstrap->pivots, 1, bootstrap->count);
	return (struct quantiles){
		quantile(bootstrap->pivots, bootstrap->count, bootstrap->share),
		quantile(bootstrap->pivots, bootstrap->count, 1 - bootstrap->share)};
}

static double error_of(const struct usl_bootstrap *bootstrap, const struct usl_refitted *found,
		       const double *form)
{
	return sqrt(found->rss / bootstrap->df * usl_refit_spread(found, form, form));
}

/* Of (form . theta* - value) / its standard error. */
static struct quantiles form_quantiles(struct usl_bootstrap *bootstrap, const double *form,
				       double value)
{
	for (size_t i = 0; i < bootstrap->count; i++) {
		const struct usl_refitted *found = &bootstrap->refits[i];

		bootstrap->pivots[i] = (usl_profile_dot(form, found->theta) - value) /
				       error_of(bootstrap, found, form);
	}
	return sorted_quantiles(bootstrap);
}

/* --- Ratios ----------------------------------------------------------------- */

/*
 * The v at which the form above - v below, over its standard error, is t: a root of
 *
 *	(a.theta - v b.theta)^2 = t^2 s^2 (a'Ca - 2 v a'Cb + v^2 b'Cb)
 *
 * on the side of the sign of t. Infinite where the form never gets that far from 0.
 */
static double ratio_end(const struct usl_bootstrap *bootstrap, const double *above,
			const double *below, double t)
{
	const struct usl_refitted *center = &bootstrap->center;
	double square = t * t * center->rss / bootstrap->df;
	double a = usl_profile_dot(above, center->theta), b = usl_profile_dot(below, center->theta);
	double c2 = b * b - square * usl_refit_spread(center, below, below);
	double c1 = a * b - square * usl_refit_spread(center, above, below);
	double c0 = a * a - square * usl_refit_spread(center, above, above);

	if (!(c2 > 0))
		return t > 0 ? -INFINITY : INFINITY;
	return (c1 - copysign(sqrt(fmax(0, c1 * c1 - c2 * c0)), t)) / c2;
}

static struct usl_interval ratio(struct usl_bootstrap *bootstrap, const double *above,
				 const double *below)
{
	const double *theta = bootstrap->center.theta;
	double value = usl_profile_dot(above, theta) / usl_profile_dot(below, theta);
	double form[USL_THETA];
	struct quantiles t;

	for (size_t k = 0; k < USL_THETA; k++)
		form[k] = above[k] - value * below[k];
	t = form_quantiles(bootstrap, form, 0);
	return (struct usl_interval){ratio_end(bootstrap, above, below, t.high),
				     ratio_end(bootstrap, above, below, t.low)};
}

/* An interval under the bounds holds the best value under them. */
static struct usl_interval with_best(struct usl_interval interval, double best)
{
	return (struct usl_interval){fmin(interval.low, best), fmax(interval.high, best)};
}

static struct usl_interval parameter(struct usl_bootstrap *bootstrap, size_t which, double unit)
{
	const double below[USL_THETA] = {1, 0, 0};
	double above[USL_THETA] = {0};
	struct usl_interval interval;

	if (!bootstrap->count)
		return none;
	if (!(bootstrap->refit.free & 1u << which))
		return (struct usl_interval){0, 0};
	above[which] = 1;
	interval = ratio(bootstrap, above, below);
	if (bootstrap->refit.bounded)
		interval.low = fmax(interval.low, 0);
	interval = with_best(interval, bootstrap->best.theta[which] / bootstrap->best.theta[0]);
	return (struct usl_interval){interval.low / unit, interval.high / unit};
}

struct usl_interval usl_bootstrap_alpha(struct usl_bootstrap *bootstrap)
{
	return parameter(bootstrap, 1, bootstrap->refit.n_unit);
}

struct usl_interval usl_bootstrap_beta(struct usl_bootstrap *bootstrap)
{
	return parameter(bootstrap, 2, bootstrap->refit.n_unit * bootstrap->refit.n_unit);
}

/* 1/N_c^2 of its interval; all below 0 are laws without a peak. */
static double peak_at(double reciprocal)
{
	return reciprocal > 0 ? 1 / sqrt(reciprocal) : INFINITY;
}

struct usl_interval usl_bootstrap_peak_n(struct usl_bootstrap *bootstrap)
{
	const struct usl_refit *refit = &bootstrap->refit;
	const double above[USL_THETA] = {0, 0, 1}, below[USL_THETA] = {1, -refit->one, 0};
	const double *best = bootstrap->best.theta;
	double reciprocal = best[2] / usl_profile_dot(below, best);
	struct usl_interval interval;

	if (!bootstrap->count || !(refit->free & USL_R) || !(usl_profile_dot(below, best) > 0) ||
	    best[2] < 0)
		return none;
	interval = with_best(ratio(bootstrap, above, below), reciprocal);
	return (struct usl_interval){refit->n_unit * peak_at(interval.high),
				     refit->n_unit * peak_at(interval.low)};
}

/* --- Throughputs ------------------------------------------------------------ */

/* X = unit / slowness, from slowness and its error. */
static struct usl_interval reciprocal(double slowness, double error, struct quantiles t,
				      double best, double unit)
{
	struct usl_interval slow = {slowness - t.high * error, slowness - t.low * error};

	slow = with_best(slow, best);
	return (struct usl_interval){slow.high > 0 ? unit / slow.high : INFINITY,
				     slow.low > 0 ? unit / slow.low : INFINITY};
}

static struct usl_interval of_form(struct usl_bootstrap *bootstrap, const double *form, double unit)
{
	double value;

	if (!bootstrap->count)
		return none;
	value = usl_profile_dot(form, bootstrap->center.theta);
	return reciprocal(value, error_of(bootstrap, &bootstrap->center, form),
			  form_quantiles(bootstrap, form, value),
			  usl_profile_dot(form, bootstrap->best.theta), unit);
}

struct usl_interval usl_bootstrap_gamma(struct usl_bootstrap *bootstrap)
{
	return of_form(bootstrap, (double[]){1, 0, 0},
		       bootstrap->refit.x_unit / bootstrap->refit.n_unit);
}

struct usl_interval usl_bootstrap_throughput(struct usl_bootstrap *bootstrap, double n)
{
	double form[USL_THETA];

	usl_refit_slowness(form, &bootstrap->refit, n / bootstrap->refit.n_unit);
	return of_form(bootstrap, form, bootstrap->refit.x_unit);
}

struct usl_interval usl_bootstrap_peak_throughput(struct usl_bootstrap *bootstrap)
{
	double error, slowness;
	struct quantiles t;

	if (!bootstrap->count || bootstrap->best.theta[2] < 0)
		return none;
	slowness = peak_slowness(&error, bootstrap, &bootstrap->best);
	memcpy(bootstrap->pivots, bootstrap->peak, bootstrap->count * sizeof(*bootstrap->peak));
	t = sorted_quantiles(bootstrap);
	return reciprocal(slowness, error, t, slowness, bootstrap->refit.x_unit);
}
