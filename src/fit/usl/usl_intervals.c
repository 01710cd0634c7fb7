/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_intervals.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_descent.h"
#include "fit/usl/usl_region.h"
#include "fit/usl/usl_solver.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * The intervals of a fit by bootstrap-t: an alternative to those of usl_region.h that does not
 * assume normal scatter.
 *
 * The residuals of the fit are adjusted for leverage, r / sqrt(1 - h), and centred; a refit is a
 * fit to the curve plus residuals drawn from these, with replacement. Each quantity is a linear
 * form of theta = (p, q, r), or the value v at which one is 0:
 *
 *	q - alpha p,  r - beta p,  r - (p - q) / N_c^2,  p - 1/gamma,  D(N) - N / X(N),
 *	a part of D(N) - its share D(N)
 *
 * as these are nearly normal: N_c itself goes to infinity where r passes 0. The pivot of a refit is
 * the form, at the value of the fit, over its standard error in the refit; the interval has the
 * values whose form, at the fit, lies between the quantiles of the pivots: for ratios, Fieller's
 * construction with simulated quantiles. Refits have no bounds, as these would make the pivots
 * jump; intervals end on the bounds. 1/X_max is not a smooth function of theta where the peak goes
 * to infinity: its interval is the region of profile-t, to the extent of the pivots of D(N_c)/N_c.
 *
 * Davison and Hinkley, "Bootstrap Methods and their Application", Cambridge 1997, 5.2 and 6.3.
 */

struct usl_bootstrap {
	struct usl usl;
	const struct series *series;
	struct usl_bootstrap_plan plan;
	struct usl_refit refit;
	struct usl_refitted center; /* the fit without bounds */
	struct usl_refitted best;   /* the fit */
	struct usl_refitted *refits;
	size_t count, failed;
	double df;	/* degrees of freedom of the fit without bounds */
	double share;	/* the share of pivots on either side */
	double *pivots; /* room to sort them */
};

static const struct usl_interval none = {NAN, NAN};

/* --- Refits ----------------------------------------------------------------- */

/* The curve, and the residuals to draw from, weighted to the scatter of weight 1. */
struct pool {
	double *curve, *residuals;
	size_t count; /* the number of residuals, without points that determine the curve alone */
};

static bool is_one(const struct usl_refit *refit, size_t point)
{
	return refit->ones > 0 && refit->points[point].n == refit->one;
}

static double leverage(const struct usl_bootstrap *bootstrap, size_t i, double d)
{
	const struct usl_refit *refit = &bootstrap->refit;
	const struct usl_descent_point *point = &refit->points[i];
	double slope = point->n / d / d;

	if (is_one(refit, i))
		return point->weight / refit->ones;
	return point->weight * slope * slope *
	       usl_refit_spread(&bootstrap->center, refit->basis[i], refit->basis[i]);
}

static void fill_pool(struct pool *pool, const struct usl_bootstrap *bootstrap)
{
	const double alone = 1e-8;
	const struct usl_refit *refit = &bootstrap->refit;
	double mean = 0;

	for (size_t i = 0; i < refit->count; i++) {
		const struct usl_descent_point *point = &refit->points[i];
		double d = usl_theta_dot(bootstrap->center.theta, refit->basis[i]);
		double left = 1 - leverage(bootstrap, i, d);

		pool->curve[i] = point->n / d;
		if (left > alone)
			pool->residuals[pool->count++] =
				sqrt(point->weight / left) * (point->x - pool->curve[i]);
	}
	for (size_t i = 0; i < pool->count; i++)
		mean += pool->residuals[i] / (double)pool->count;
	for (size_t i = 0; i < pool->count; i++)
		pool->residuals[i] -= mean;
}

/* Keeps a measured gamma: at N = 1 only the differences are drawn. */
static void hold_ones(struct usl_refit *refit, const double *curve)
{
	double mean = 0;

	for (size_t i = 0; i < refit->count; i++)
		if (is_one(refit, i))
			mean += refit->points[i].weight / refit->ones *
				(refit->points[i].x - curve[i]);
	for (size_t i = 0; i < refit->count; i++)
		if (is_one(refit, i))
			refit->points[i].x -= mean;
}

static void draw(struct usl_refit *refit, const struct pool *pool, gsl_rng *random)
{
	for (size_t i = 0; i < refit->count; i++) {
		struct usl_descent_point *point = &refit->points[i];
		double residual = pool->residuals[gsl_rng_uniform_int(random, pool->count)];

		point->x = pool->curve[i] + residual / sqrt(point->weight);
	}
	if (refit->ones > 0)
		hold_ones(refit, pool->curve);
}

static int refit_once(struct usl_bootstrap *bootstrap, const struct pool *pool, gsl_rng *random)
{
	struct usl_refitted *found = &bootstrap->refits[bootstrap->count];

	draw(&bootstrap->refit, pool, random);
	if (usl_refit_unbounded(found, &bootstrap->refit) || !(found->rss > 0))
		return -1;
	bootstrap->count++;
	return 0;
}

static void refit_all(struct usl_bootstrap *bootstrap, const struct usl_bootstrap_plan *plan)
{
	enum { BETWEEN = 1000 }; /* refits between two calls of progress */
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

/* Makes the bootstrap of a fit; borrows `series`, the caller frees it. n = p: no interval known. */
static struct usl_bootstrap *usl_bootstrap_new(const struct usl *usl, const struct series *series,
					       double level, const struct usl_bootstrap_plan *plan)
{
	struct usl_bootstrap *bootstrap = xcalloc(1, sizeof(*bootstrap));
	bootstrap->usl = *usl;
	bootstrap->series = series;
	bootstrap->plan = *plan;
	usl_refit_init(&bootstrap->refit, usl, series);
	bootstrap->share = (1 - level) / 2;
	if (usl->n <= bootstrap->refit.parameters ||
	    usl_refit_unbounded(&bootstrap->center, &bootstrap->refit) ||
	    usl_refit_bounded(&bootstrap->best, &bootstrap->refit, &bootstrap->center))
		return bootstrap;
	bootstrap->df = (double)(usl->n - bootstrap->refit.parameters);
	bootstrap->refits = xcalloc(plan->refits, sizeof(*bootstrap->refits));
	bootstrap->pivots = xcalloc(plan->refits, sizeof(*bootstrap->pivots));
	refit_all(bootstrap, plan);
	return bootstrap;
}

static void usl_bootstrap_free(struct usl_bootstrap *bootstrap)
{
	if (!bootstrap)
		return;
	usl_refit_release(&bootstrap->refit);
	free(bootstrap->refits);
	free(bootstrap->pivots);
	free(bootstrap);
}

/* --- Quantiles of pivots ---------------------------------------------------- */

struct quantiles {
	double low, high;
};

/* Returns the (count + 1) share-th sorted value, interpolated if that is no whole number. */
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

/* Returns the quantiles of (form . theta* - value) / its standard error. */
static struct quantiles form_quantiles(struct usl_bootstrap *bootstrap, const double *form,
				       double value)
{
	for (size_t i = 0; i < bootstrap->count; i++) {
		const struct usl_refitted *found = &bootstrap->refits[i];

		bootstrap->pivots[i] = (usl_theta_dot(form, found->theta) - value) /
				       error_of(bootstrap, found, form);
	}
	return sorted_quantiles(bootstrap);
}

/* --- Ratios ----------------------------------------------------------------- */

/*
 * Returns the v at which the form above - v below, over its standard error, is t: a root of
 *
 *	(a.theta - v b.theta)^2 = t^2 s^2 (a'Ca - 2 v a'Cb + v^2 b'Cb)
 *
 * on the side of the sign of t. Infinite if the form never gets that far from 0.
 */
static double ratio_end(const struct usl_bootstrap *bootstrap, const double *above,
			const double *below, double t)
{
	const struct usl_refitted *center = &bootstrap->center;
	double square = t * t * center->rss / bootstrap->df;
	double a = usl_theta_dot(above, center->theta), b = usl_theta_dot(below, center->theta);
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
	double value = usl_theta_dot(above, theta) / usl_theta_dot(below, theta);
	double form[USL_THETA];
	struct quantiles t;

	for (size_t k = 0; k < USL_THETA; k++)
		form[k] = above[k] - value * below[k];
	t = form_quantiles(bootstrap, form, 0);
	return (struct usl_interval){ratio_end(bootstrap, above, below, t.high),
				     ratio_end(bootstrap, above, below, t.low)};
}

/* Extends an interval under the bounds to the best value under them. */
static struct usl_interval with_best(struct usl_interval interval, double best)
{
	return (struct usl_interval){fmin(interval.low, best), fmax(interval.high, best)};
}

/* Returns the interval of alpha or beta. */
static struct usl_interval bootstrap_parameter(struct usl_bootstrap *bootstrap,
					       enum usl_quantity quantity, double n)
{
	const double below[USL_THETA] = {1, 0, 0};
	double above[USL_THETA] = {0}, unit = bootstrap->refit.n_unit;
	size_t which = quantity == USL_ALPHA ? 1 : 2; /* the place in theta */
	struct usl_interval interval;

	(void)n;
	if (!bootstrap->count)
		return none;
	if (!(bootstrap->refit.free & 1u << which))
		return (struct usl_interval){0, 0};
	above[which] = 1;
	if (quantity == USL_BETA)
		unit *= unit;
	interval = ratio(bootstrap, above, below);
	if (bootstrap->refit.bounded)
		interval.low = fmax(interval.low, 0);
	interval = with_best(interval, bootstrap->best.theta[which] / bootstrap->best.theta[0]);
	return (struct usl_interval){interval.low / unit, interval.high / unit};
}

/* Returns N_c for a value of 1/N_c^2; laws without a peak have values below 0. */
static double peak_at(double reciprocal)
{
	return reciprocal > 0 ? 1 / sqrt(reciprocal) : INFINITY;
}

static struct usl_interval bootstrap_peak_n(struct usl_bootstrap *bootstrap,
					    enum usl_quantity quantity, double n)
{
	const struct usl_refit *refit = &bootstrap->refit;
	const double above[USL_THETA] = {0, 0, 1}, below[USL_THETA] = {1, -refit->one, 0};
	const double *best = bootstrap->best.theta;
	double reciprocal = best[2] / usl_theta_dot(below, best);
	struct usl_interval interval;

	(void)quantity;
	(void)n;
	if (!bootstrap->count || !(refit->free & USL_R) || !(usl_theta_dot(below, best) > 0) ||
	    best[2] < 0)
		return none;
	interval = with_best(ratio(bootstrap, above, below), reciprocal);
	return (struct usl_interval){refit->n_unit * peak_at(interval.high),
				     refit->n_unit * peak_at(interval.low)};
}

/* --- Parts of D(N), as shares ------------------------------------------------ */

/*
 * Returns the interval of the inverse of D(N)/p: p differs from 0 far more clearly than an
 * extrapolated D(N). At most 1 under the bounds.
 */
static struct usl_interval useful_share(struct usl_bootstrap *bootstrap, const double *whole,
					bool bounded)
{
	const double useful[USL_THETA] = {1, 0, 0};
	struct usl_interval inverse = ratio(bootstrap, whole, useful);
	double most = bounded ? 1 : INFINITY;

	return (struct usl_interval){inverse.high > 0 ? 1 / inverse.high : 0,
				     inverse.low > 0 ? fmin(most, 1 / inverse.low) : most};
}

/* Returns the interval of a lost share; under the bounds at most all that is not useful. */
static struct usl_interval lost_share(struct usl_bootstrap *bootstrap, size_t part,
				      const double *whole, bool bounded)
{
	double above[USL_THETA] = {0};
	struct usl_interval interval;

	above[part] = whole[part];
	interval = ratio(bootstrap, above, whole);
	if (!bounded)
		return interval;
	return (struct usl_interval){
		fmax(interval.low, 0),
		fmin(interval.high, 1 - useful_share(bootstrap, whole, bounded).low)};
}

static struct usl_interval bootstrap_share(struct usl_bootstrap *bootstrap, enum usl_quantity share,
					   double n)
{
	const struct usl_refit *refit = &bootstrap->refit;
	const double *theta = bootstrap->best.theta;
	size_t part = share - USL_USEFUL; /* the place in theta */
	double scaled = n / refit->n_unit;
	const double whole[USL_THETA] = {1, scaled - refit->one, scaled * (scaled - refit->one)};
	double best = whole[part] * theta[part] / usl_theta_dot(whole, theta);
	bool bounded = refit->bounded && n >= 1;

	if (!bootstrap->count || !(usl_theta_dot(whole, theta) > 0))
		return none;
	/* A parameter that is not fitted has no part; without any other the useful part is all. */
	if ((share != USL_USEFUL && !(refit->free & 1u << part)) || n == 1 ||
	    !(refit->free & (USL_Q | USL_R)))
		return (struct usl_interval){best, best};
	if (share == USL_USEFUL)
		return with_best(useful_share(bootstrap, whole, bounded), best);
	return with_best(lost_share(bootstrap, part, whole, bounded), best);
}

/* --- Throughputs ------------------------------------------------------------ */

/* Returns X = unit / slowness, from slowness and its error. */
static struct usl_interval reciprocal(double slowness, double error, struct quantiles t,
				      double best, double unit)
{
	struct usl_interval slow = {slowness - t.high * error, slowness - t.low * error};

	slow = with_best(slow, best);
	return (struct usl_interval){slow.high > 0 ? unit / slow.high : INFINITY,
				     slow.low > 0 ? unit / slow.low : INFINITY};
}

/* Returns the interval of gamma or X(N): unit / (form . theta). */
static struct usl_interval bootstrap_throughput(struct usl_bootstrap *bootstrap,
						enum usl_quantity quantity, double n)
{
	const struct usl_refit *refit = &bootstrap->refit;
	double form[USL_THETA] = {1, 0, 0}, unit = refit->x_unit, value;

	if (!bootstrap->count)
		return none;
	if (quantity == USL_GAMMA && !(refit->free & USL_P))
		return (struct usl_interval){bootstrap->usl.gamma, bootstrap->usl.gamma};
	if (quantity == USL_GAMMA)
		unit /= refit->n_unit;
	else
		usl_theta_slowness(form, n / refit->n_unit, refit->one);
	value = usl_theta_dot(form, bootstrap->center.theta);
	if (!(usl_refit_spread(&bootstrap->center, form, form) > 0)) /* X(1) of a measured gamma */
		return (struct usl_interval){unit / value, unit / value};
	return reciprocal(value, error_of(bootstrap, &bootstrap->center, form),
			  form_quantiles(bootstrap, form, value),
			  usl_theta_dot(form, bootstrap->best.theta), unit);
}

/* --- The largest throughput ------------------------------------------------- */

/* Sets the form of 1/X_max to first order: D(N)/N at the peak, or q without a peak. */
static void peak_form(double *form, const struct usl_refit *refit, const double *theta)
{
	double above = theta[0] - refit->one * theta[1];

	if (theta[2] > 0 && above > 0)
		usl_theta_slowness(form, sqrt(above / theta[2]), refit->one);
	else
		memcpy(form, (double[]){0, 1, 0}, USL_THETA * sizeof(*form));
}

/* Returns the profile-t interval at t standard errors from the best fit, to first order. */
static struct usl_interval profile_peak(const struct usl_bootstrap *bootstrap, double t)
{
	const double nearly_all = 1 - 1e-12;
	double level = fmin(1 - 2 * gsl_cdf_tdist_Q(fmax(t, 1e-6), bootstrap->df), nearly_all);
	struct usl_region *region = usl_region_new(&bootstrap->usl, bootstrap->series, level);
	struct usl_interval interval = usl_region_interval(region, USL_PEAK_X, 0);

	usl_region_free(region);
	return interval;
}

/*
 * 1/X_max is not a smooth function of theta where the peak goes to infinity, and its pivots would
 * cover too rarely. So this is the region of profile-t, as wide as pivots of the linear form say.
 */
static struct usl_interval bootstrap_peak_throughput(struct usl_bootstrap *bootstrap,
						     enum usl_quantity quantity, double n)
{
	double form[USL_THETA];
	struct quantiles t;

	(void)quantity;
	(void)n;
	if (!bootstrap->count)
		return none;
	peak_form(form, &bootstrap->refit, bootstrap->center.theta);
	t = form_quantiles(bootstrap, form, usl_theta_dot(form, bootstrap->center.theta));
	return (struct usl_interval){profile_peak(bootstrap, -t.low).low,
				     profile_peak(bootstrap, t.high).high};
}

/* --- Intervals by either method ---------------------------------------------- */

struct usl_intervals {
	const struct usl *usl;
	struct usl_region *region;
	struct usl_bootstrap *bootstrap; /* NULL: the method is profile-t */
};

struct usl_intervals *usl_intervals_new(const struct usl *usl, const struct series *series,
					double level, const struct usl_bootstrap_plan *plan)
{
	struct usl_intervals *intervals = xcalloc(1, sizeof(*intervals));

	intervals->usl = usl;
	intervals->region = usl_region_new(usl, series, level);
	if (plan)
		intervals->bootstrap = usl_bootstrap_new(usl, series, level, plan);
	return intervals;
}

void usl_intervals_free(struct usl_intervals *intervals)
{
	if (!intervals)
		return;
	usl_region_free(intervals->region);
	usl_bootstrap_free(intervals->bootstrap);
	free(intervals);
}

const struct usl *usl_intervals_fit(const struct usl_intervals *intervals)
{
	return intervals->usl;
}

const struct usl_bootstrap_plan *usl_intervals_plan(const struct usl_intervals *intervals,
						    size_t *failed)
{
	if (!intervals->bootstrap)
		return NULL;
	if (failed)
		*failed = intervals->bootstrap->failed;
	return &intervals->bootstrap->plan;
}

/*
 * Returns the end of a measurement's interval: as far from the curve at x as its scatter and `to`
 * together. The scatter follows from the intervals of the profile.
 */
static double with_scatter(double x, double to, double curve_to, double measured_to)
{
	double scatter = sqrt(fmax(0, pow(measured_to - x, 2) - pow(curve_to - x, 2)));

	return x + copysign(hypot(to - x, scatter), measured_to - x);
}

/* The residuals are too few to draw the tails of a measurement from them. */
static struct usl_interval bootstrap_measurement(const struct usl_intervals *intervals, double n)
{
	double x = usl_throughput(intervals->usl, n);
	struct usl_interval measured = usl_region_interval(intervals->region, USL_MEASURED, n);
	struct usl_interval curve = usl_region_interval(intervals->region, USL_X, n);
	struct usl_interval to = bootstrap_throughput(intervals->bootstrap, USL_X, n);

	return (struct usl_interval){with_scatter(x, to.low, curve.low, measured.low),
				     with_scatter(x, to.high, curve.high, measured.high)};
}

struct usl_interval usl_interval_of(const struct usl_intervals *intervals,
				    enum usl_quantity quantity, double n)
{
	static struct usl_interval (*const bootstrap[USL_MEASURED])(
		struct usl_bootstrap * bootstrap, enum usl_quantity quantity, double n) = {
		[USL_ALPHA] = bootstrap_parameter,	  [USL_BETA] = bootstrap_parameter,
		[USL_GAMMA] = bootstrap_throughput,	  [USL_PEAK_N] = bootstrap_peak_n,
		[USL_PEAK_X] = bootstrap_peak_throughput, [USL_X] = bootstrap_throughput,
		[USL_USEFUL] = bootstrap_share,		  [USL_CONTENTION] = bootstrap_share,
		[USL_COHERENCY] = bootstrap_share,
	};

	if (!intervals->bootstrap)
		return usl_region_interval(intervals->region, quantity, n);
	if (quantity == USL_MEASURED)
		return bootstrap_measurement(intervals, n);
	return quantity < USL_MEASURED ? bootstrap[quantity](intervals->bootstrap, quantity, n)
				       : none;
}
