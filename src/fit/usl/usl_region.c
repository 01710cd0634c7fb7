/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_region.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_means.h"
#include "fit/usl/usl_profile.h"
#include "fit/usl/usl_scaled.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct usl_region {
	struct usl_profile profile; /* of the means of the measurements at each N */
	struct usl_interval *curve; /* X at each point; NaN while not asked for */
	double *variance;	    /* of a single measurement there, in units of s^2 */
	struct usl_units units;
	double inflation; /* of the parameters' variance beside that of a measurement */
	double one;	  /* N = 1 in units of n_unit */
	bool known;	  /* are there more points than parameters? */
	bool pole;	  /* does the best curve end at one? */
};

static const struct usl_interval none = {NAN, NAN};

/* --- The quantities -------------------------------------------------------- */

static bool is_fitted(const struct usl_region *region, unsigned coefficient)
{
	return !(region->profile.fixed & coefficient);
}

/* Is a linear form of theta the same everywhere in the region? */
static bool is_known(const struct usl_region *region, const double *form)
{
	for (size_t k = 0; k < USL_THETA; k++)
		if (form[k] != 0 && is_fitted(region, 1u << k))
			return false;
	return usl_profile_dot(form, region->profile.at) > 0;
}

/* q/p or r/p, whose unit is that of 1/N or 1/N^2. */
static struct usl_interval parameter(struct usl_region *region, size_t which, double unit)
{
	const double smallest = .01; /* as a scale: a parameter matters where it is near 1 */
	double best = region->profile.best[which] / region->profile.best[0];
	struct usl_ratio ratio = {.below = {1, 0, 0}, .scale = fmax(fabs(best), smallest)};
	bool bounded = region->profile.bounds & 1u << which;

	if (!region->known)
		return none;
	if (!is_fitted(region, 1u << which))
		return (struct usl_interval){0, 0};
	ratio.above[which] = 1;
	return (struct usl_interval){
		usl_profile_end(&region->profile, &ratio, region->profile.best,
				bounded ? 0 : -M_PI_2) /
			unit,
		usl_profile_end(&region->profile, &ratio, region->profile.best, M_PI_2) / unit};
}

struct usl_interval usl_region_alpha(struct usl_region *region)
{
	return parameter(region, 1, region->units.n);
}

struct usl_interval usl_region_beta(struct usl_region *region)
{
	return parameter(region, 2, region->units.n * region->units.n);
}

/* The upper or lower end of 1/(form . theta); 0 once it is a millionth of that at `theta`. */
static double reciprocal_end(struct usl_region *region, const double *form, unsigned zero,
			     const double *theta, bool upper)
{
	const double nearly_all = M_PI_2 - 1e-6;
	struct usl_ratio ratio = {
		.constant = 1, .scale = usl_profile_dot(form, theta), .zero = zero};
	double end;

	if (!(ratio.scale > 0))
		ratio.scale = 1;
	memcpy(ratio.above, form, sizeof(ratio.above));
	end = usl_profile_end(&region->profile, &ratio, theta, upper ? 0 : nearly_all);
	return upper || end < ratio.scale * tan(nearly_all) ? 1 / end : 0;
}

static struct usl_interval reciprocal(struct usl_region *region, const double *form, unsigned zero,
				      const double *theta, double unit)
{
	if (!region->known || !(usl_profile_dot(form, theta) >= 0))
		return none;
	if (is_known(region, form)) {
		double value = unit / usl_profile_dot(form, region->profile.at);

		return (struct usl_interval){value, value};
	}
	return (struct usl_interval){unit * reciprocal_end(region, form, zero, theta, false),
				     unit * reciprocal_end(region, form, zero, theta, true)};
}

struct usl_interval usl_region_gamma(struct usl_region *region)
{
	return reciprocal(region, (double[]){1, 0, 0}, 0, region->profile.best,
			  region->units.x / region->units.n);
}

/* D(n)/n in scaled units. */
static void slowness(double *form, const struct usl_region *region, double n)
{
	form[0] = 1 / n;
	form[1] = 1 - region->one / n;
	form[2] = n - region->one;
}

static int by_n(const void *a, const void *b)
{
	const struct usl_descent_point *one = a, *other = b;

	return (one->n > other->n) - (one->n < other->n);
}

/* A point is asked for as often as it was measured. */
struct usl_interval usl_region_throughput(struct usl_region *region, double n)
{
	struct usl_descent_point key = {.n = n / region->units.n};
	const struct usl_descent_point *point =
		bsearch(&key, region->profile.points, region->profile.count, sizeof(key), by_n);
	struct usl_interval *known = point ? &region->curve[point - region->profile.points] : NULL;
	struct usl_interval interval;
	double form[USL_THETA];

	if (known && !isnan(known->low))
		return *known;
	slowness(form, region, key.n);
	interval = reciprocal(region, form, 0, region->profile.best, region->units.x);
	if (known)
		*known = interval;
	return interval;
}

/* The mean of 1 / weight at a measured N, on a line between two of them, and beyond as at the last.
 */
static double variance_at(const struct usl_region *region, double n)
{
	const struct usl_descent_point *points = region->profile.points;
	size_t above = 0, last = region->profile.count - 1;
	double share;

	while (above < last && points[above].n < n)
		above++;
	if (above == 0 || points[above].n <= n)
		return region->variance[above];
	share = (n - points[above - 1].n) / (points[above].n - points[above - 1].n);
	return region->variance[above - 1] +
	       share * (region->variance[above] - region->variance[above - 1]);
}

/* The part is form[part] theta[part], of the sum of all. */
struct usl_interval usl_region_share(struct usl_region *region, enum usl_part part, double n)
{
	double scaled = n / region->units.n;
	struct usl_ratio ratio = {
		.below = {1, scaled - region->one, scaled * (scaled - region->one)}, .scale = 1};
	bool bounded = region->profile.bounds & 1u << part;

	if (!region->known || !(usl_profile_dot(ratio.below, region->profile.best) > 0))
		return none;
	if (part != USL_USEFUL && !is_fitted(region, 1u << part))
		return (struct usl_interval){0, 0};
	if (is_known(region, ratio.below)) /* the whole is the useful part */
		return (struct usl_interval){1, 1};
	ratio.above[part] = ratio.below[part];
	return (struct usl_interval){
		usl_profile_end(&region->profile, &ratio, region->profile.best,
				bounded && n >= 1 ? 0 : -M_PI_2),
		usl_profile_end(&region->profile, &ratio, region->profile.best, M_PI_2)};
}

/* The curve's interval, and a measurement's own scatter about the curve. */
struct usl_interval usl_region_measurement(struct usl_region *region, double n)
{
	struct usl_interval curve = usl_region_throughput(region, n);
	double variance = variance_at(region, n / region->units.n);
	double scatter =
		sqrt(region->profile.room / region->inflation * variance) * region->units.x;
	double form[USL_THETA], x;

	slowness(form, region, n / region->units.n);
	x = region->units.x / usl_profile_dot(form, region->profile.best);
	return (struct usl_interval){x - hypot(x - curve.low, scatter),
				     x + hypot(curve.high - x, scatter)};
}

struct usl_interval usl_region_peak_n(struct usl_region *region)
{
	struct usl_ratio ratio = {.above = {1, -region->one, 0}, .below = {0, 0, 1}, .scale = 1};
	double above = usl_profile_dot(ratio.above, region->profile.best);

	if (!region->known || region->pole || !is_fitted(region, USL_R) || !(above > 0) ||
	    region->profile.best[2] < 0)
		return none;
	if (region->profile.best[2] > 0)
		ratio.scale = above / region->profile.best[2];
	return (struct usl_interval){
		region->units.n *
			sqrt(usl_profile_end(&region->profile, &ratio, region->profile.best, 0)),
		region->units.n * sqrt(usl_profile_end(&region->profile, &ratio,
						       region->profile.best, M_PI_2))};
}

/* --- The largest throughput ------------------------------------------------
 * The largest X(N) over all N, where the region allows most, is the maximum over N of the upper
 * ends of X(N). Where it allows least, it is the maximum of the lower ends: D(N)/N is linear in
 * theta and convex in N, so that the two extremes can change places.
 */

struct band {
	struct usl_region *region;
	bool upper;
};

/* Of X(n) with n = exp(log_n); negative, as it is to be minimised. */
static double band_edge(double log_n, void *data)
{
	const struct band *band = data;
	double form[USL_THETA];

	slowness(form, band->region, exp(log_n));
	return -reciprocal_end(band->region, form, 0, band->region->profile.best, band->upper);
}

/* The minimum near `middle`, whose neighbours at the distance `step` are no better. Where one of
 * them is as good, the band has no maximum inside: then it is `least`. */
static double refine(struct band *band, double middle, double step, double least)
{
	enum { ITERATIONS = 60 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function function = {.function = band_edge, .params = band};

	if (solver && gsl_min_fminimizer_set(solver, &function, middle, middle - step,
					     middle + step) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS; i++)
			if (gsl_min_fminimizer_iterate(solver) ||
			    gsl_min_test_interval(gsl_min_fminimizer_x_lower(solver),
						  gsl_min_fminimizer_x_upper(solver), 1e-6,
						  0) == GSL_SUCCESS)
				break;
		least = fmin(least, gsl_min_fminimizer_f_minimum(solver));
	}
	gsl_min_fminimizer_free(solver);
	gsl_set_error_handler(handler);
	return least;
}

static double band_maximum(struct usl_region *region, bool upper)
{
	enum { STEPS = 24 };
	struct band band = {region, upper};
	double from = log(region->one), step = (log(1e3) - from) / STEPS, least = 0;
	int where = 0;

	for (int i = 0; i <= STEPS; i++) {
		double edge = band_edge(from + i * step, &band);

		if (edge < least) {
			least = edge;
			where = i;
		}
	}
	return isinf(least) ? INFINITY : -refine(&band, from + where * step, step, least);
}

/* Of q, where beta = 0: 1/X at N without end. None where the region has no such law. */
static struct usl_interval level_off(struct usl_region *region)
{
	const struct usl_interval limitless = {INFINITY, INFINITY};
	struct usl_plane amdahl = {.zero = region->profile.fixed | USL_R};
	double theta[USL_THETA];

	if (!is_fitted(region, USL_Q))
		return limitless;
	if (usl_profile_minimum(theta, &region->profile, &amdahl) >
	    region->profile.rss + region->profile.room)
		return none;
	return reciprocal(region, (double[]){0, 1, 0}, USL_R, theta, region->units.x);
}

struct usl_interval usl_region_peak_throughput(struct usl_region *region)
{
	const double *best = region->profile.best;
	unsigned bounds = region->profile.bounds;
	struct usl_interval peak;

	if (!region->known || region->pole || best[2] < 0)
		return none;
	if (!(best[0] > region->one * best[1])) /* alpha >= 1: the less N the more throughput */
		return none;
	region->profile.bounds |= USL_R; /* below it X grows without limit */
	peak = level_off(region);
	if (is_fitted(region, USL_R)) {
		peak.low = band_maximum(region, false) * region->units.x;
		peak.high = fmax(peak.high, band_maximum(region, true) * region->units.x);
	}
	region->profile.bounds = bounds;
	return peak;
}

/* --- The region ------------------------------------------------------------ */

/* The law is fitted to the means as it is to all points. Where more than POINTS N differ,
 * neighbours are taken together, which moves an end by far less than its distance from the best
 * fit. */
static void take_points(struct usl_region *region, const struct series *series)
{
	size_t count;
	struct usl_mean *means = usl_means(&count, series, &region->units, USL_REGION_POINTS);

	region->profile.points = xcalloc(count, sizeof(*region->profile.points));
	region->variance = xcalloc(count, sizeof(*region->variance));
	region->profile.count = count;
	for (size_t i = 0; i < count; i++) {
		region->profile.points[i] =
			(struct usl_descent_point){.n = means[i].n,
						   .x = (double)means[i].x,
						   .weight = (double)means[i].weight};
		region->variance[i] = means[i].variance;
	}
	free(means);
}

static void take_basis(struct usl_region *region)
{
	region->profile.basis = xcalloc(region->profile.count, sizeof(*region->profile.basis));
	region->curve = xcalloc(region->profile.count, sizeof(*region->curve));
	region->profile.target = xcalloc(region->profile.count, sizeof(*region->profile.target));
	region->profile.best_d = xcalloc(region->profile.count, sizeof(*region->profile.best_d));
	for (size_t i = 0; i < region->profile.count; i++) {
		double n = region->profile.points[i].n;

		region->curve[i] = none;
		region->profile.basis[i][0] = 1;
		region->profile.basis[i][1] = n - region->one;
		region->profile.basis[i][2] = n * (n - region->one);
		region->profile.target[i] = n / region->profile.points[i].x;
	}
}

/* Takes the fit. Returns S of the means of the measurements at each N. */
static double take_best(struct usl_region *region, const struct usl *usl)
{
	double p = region->units.x / region->units.n / usl->gamma;
	double best[USL_THETA] = {p, usl->alpha * region->units.n * p,
				  usl->beta * region->units.n * region->units.n * p};
	double rss = 0;

	memcpy(region->profile.best, best, sizeof(best));
	for (size_t i = 0; i < region->profile.count; i++) {
		const struct usl_descent_point *point = &region->profile.points[i];
		double d = usl_profile_dot(best, region->profile.basis[i]);

		region->profile.best_d[i] = d;
		region->profile.target[i] = d;
		rss += point->weight * pow(point->n / d - point->x, 2);
	}
	return rss;
}

double usl_region_variance(const struct usl *usl, const struct series *series)
{
	size_t parameters = usl_parameters(&usl->form);

	if (usl->n <= parameters)
		return NAN;
	return series->trust ? usl->s2 * usl->inflation : usl->rss / (double)(usl->n - parameters);
}

struct usl_region *usl_region_new(const struct usl *usl, const struct series *series, double level)
{
	static const unsigned fixed[] = {
		[USL_FULL] = 0, [USL_AMDAHL] = USL_R, [USL_LINEAR] = USL_Q | USL_R};
	struct usl_region *region = xcalloc(1, sizeof(*region));
	double variance = usl_region_variance(usl, series), squares = 0, df;

	region->inflation = usl->inflation;
	region->units = usl_units_of(series);
	region->one = 1 / region->units.n;
	region->profile.fixed = fixed[usl->form.model] | (usl->form.gamma_first ? USL_P : 0u);
	region->profile.bounds = USL_P | (usl->form.unbounded ? 0 : USL_Q | USL_R);
	take_points(region, series);
	take_basis(region);
	region->profile.rss = take_best(region, usl);
	if (usl->form.gamma_first)
		region->profile.at[0] = region->profile.best[0];
	region->pole = !isnan(usl_pole_n(usl));
	region->known = !isnan(variance);
	if (!region->known)
		return region;
	df = (double)(usl->n - usl_parameters(&usl->form));
	for (size_t i = 0; i < region->profile.count; i++)
		squares += region->profile.points[i].weight * pow(region->profile.points[i].x, 2);
	/* Points on the curve leave room for rounding only. */
	region->profile.room = fmax(pow(gsl_cdf_tdist_Pinv((1 + level) / 2, df), 2) * variance /
					    region->units.weight / pow(region->units.x, 2),
				    1e-24 * squares);
	return region;
}

void usl_region_free(struct usl_region *region)
{
	if (!region)
		return;
	free(region->profile.points);
	free(region->profile.basis);
	free(region->curve);
	free(region->variance);
	free(region->profile.target);
	free(region->profile.best_d);
	free(region);
}
