/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_region.h"

#include "base/alloc.h"
#include "fit/usl/brent.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_descent.h"
#include "fit/usl/usl_means.h"
#include "fit/usl/usl_solver.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- The profile: how far a quantity can go ----------------------------------
 * The best fit of the Universal Scalability Law with a quantity held at a value, and the range of
 * the quantity before the fit becomes too bad.
 *
 * All is in the coordinates of usl_solver.h, where D = p + q (N - 1) + r N (N - 1) is linear and
 * each quantity is a ratio of linear forms of theta = (p, q, r), or its reciprocal or root:
 *
 *	alpha = q/p, beta = r/p, 1/gamma = p, 1/X(N) = D(N)/N, N_c^2 = (p - q)/r
 *
 * (with N in units of the largest one). A value of the quantity is then a plane.
 */

struct profile {
	struct usl_descent_point *points; /* n, x and weight are set */
	double (*basis)[USL_THETA];	  /* the basis of each point */
	double *target;			  /* D of the last minimum found: the next start */
	double *best_d;			  /* D at the best fit */
	size_t count;
	double best[USL_THETA];
	double rss;	      /* S(best) */
	double room;	      /* the amount by which S may be larger */
	unsigned fixed;	      /* the set of coefficients that are not fitted */
	double at[USL_THETA]; /* values of these: 0, or the known p; 0 for the others */
	unsigned bounds;      /* the set of those that must not be below 0 */
};

struct plane {
	double normal[USL_THETA];
	double level;  /* normal . theta = level */
	unsigned zero; /* coefficients that are 0 on the plane, or fixed by the profile */
};

/* (above . theta) / (below . theta + constant) = scale tan(angle) */
struct ratio {
	double above[USL_THETA], below[USL_THETA], constant;
	double scale;
	unsigned zero; /* coefficients that are 0 by the definition of the quantity */
};

/* Returns the part of the plane's level that is rounding. */
static double least_normal(const struct plane *plane)
{
	return 1e-13 * fmax(fabs(plane->level), 1);
}

/* Returns the coefficient that follows on the plane from the others; USL_THETA: none. */
static size_t tied(const struct plane *plane)
{
	double largest = least_normal(plane);
	size_t which = USL_THETA;

	for (size_t k = 0; k < USL_THETA; k++) {
		if (plane->zero & 1u << k || !(fabs(plane->normal[k]) > largest))
			continue;
		largest = fabs(plane->normal[k]);
		which = k;
	}
	return which;
}

/* Returns the level that remains for the coefficients that are not fixed. */
static double level_left(const struct profile *profile, const struct plane *plane)
{
	return plane->level - usl_theta_dot(plane->normal, profile->at);
}

/* Makes D a function of the coefficients that are neither 0 nor tied, listed in `free_ones`. */
static void set_columns(struct usl_descent *descent, size_t *free_ones,
			const struct profile *profile, const struct plane *plane, size_t tie)
{
	descent->unknowns = 0;
	for (size_t k = 0; k < USL_THETA; k++)
		if (!(plane->zero & 1u << k) && k != tie)
			free_ones[descent->unknowns++] = k;
	for (size_t i = 0; i < profile->count; i++) {
		const double *basis = profile->basis[i];
		double of_tied = tie < USL_THETA ? basis[tie] / plane->normal[tie] : 0;

		descent->points[i].offset =
			of_tied * level_left(profile, plane) + usl_theta_dot(basis, profile->at);
		for (size_t j = 0; j < descent->unknowns; j++)
			descent->points[i].column[j] =
				basis[free_ones[j]] - of_tied * plane->normal[free_ones[j]];
	}
}

/* Descends from the last minimum or from the points, the lower one. */
static double descend(struct usl_descent *descent, double *unknown, const double *target)
{
	double other[USL_UNKNOWNS] = {0}, rss = INFINITY;

	if (usl_descent_start(descent, unknown, target) == 0)
		rss = usl_descent_rss(descent, unknown);
	if (usl_descent_start(descent, other, NULL) == 0 && usl_descent_rss(descent, other) < rss)
		memcpy(unknown, other, sizeof(other));
	return usl_descent_run(descent, unknown);
}

/* Returns true for a minimum near the region, a good start of the next search. */
static bool is_near(const struct profile *profile, double rss)
{
	return rss <= profile->rss + 4 * profile->room;
}

/* Returns the minimum on the plane, without bounds. */
static double profile_unbounded(double *theta, struct profile *profile, const struct plane *plane)
{
	struct usl_descent descent = {.points = profile->points, .count = profile->count};
	double unknown[USL_UNKNOWNS] = {0}, rss;
	size_t free_ones[USL_THETA], tie = tied(plane);

	if (tie == USL_THETA && fabs(level_left(profile, plane)) > least_normal(plane))
		return INFINITY;
	set_columns(&descent, free_ones, profile, plane, tie);
	rss = descend(&descent, unknown, profile->target);
	memcpy(theta, profile->at, USL_THETA * sizeof(*theta));
	if (isinf(rss))
		return rss;
	for (size_t j = 0; j < descent.unknowns; j++)
		theta[free_ones[j]] = unknown[j];
	if (tie < USL_THETA)
		theta[tie] =
			(plane->level - usl_theta_dot(plane->normal, theta)) / plane->normal[tie];
	for (size_t i = 0; i < profile->count && is_near(profile, rss); i++)
		profile->target[i] = profile->points[i].d;
	return rss;
}

static bool is_within(const double *theta, unsigned bounds)
{
	const double rounding = 1e-14;

	for (size_t k = 0; k < USL_THETA; k++)
		if (bounds & 1u << k && theta[k] < -rounding)
			return false;
	return true;
}

/*
 * Returns the minimum on the plane under the bounds: the one without bounds if it is inside, else
 * the best on the edges of the plane.
 */
static double profile_minimum(double *theta, struct profile *profile, const struct plane *plane)
{
	double least = profile_unbounded(theta, profile, plane);

	if (isfinite(least) && is_within(theta, profile->bounds))
		return least;
	least = INFINITY;
	for (unsigned edge = 1; edge < 1u << USL_THETA; edge++) {
		struct plane face = *plane;
		double rss, other[USL_THETA];

		if (edge & (plane->zero | ~profile->bounds))
			continue;
		face.zero |= edge;
		rss = profile_unbounded(other, profile, &face);
		if (!(rss < least) || !is_within(other, profile->bounds))
			continue;
		least = rss;
		memcpy(theta, other, sizeof(other));
	}
	return least;
}

static struct plane plane_at(const struct ratio *ratio, const struct profile *profile, double angle)
{
	double c = cos(angle), s = ratio->scale * sin(angle);
	struct plane plane = {.level = s * ratio->constant, .zero = profile->fixed | ratio->zero};

	for (size_t k = 0; k < USL_THETA; k++)
		plane.normal[k] = c * ratio->above[k] - s * ratio->below[k];
	return plane;
}

struct side {
	struct profile *profile;
	const struct ratio *ratio;
	double start;	  /* an angle in the region */
	double direction; /* the direction of the limit: +1 or -1 */
};

/* Returns the position: -1 at the best fit, 0 on the edge of the region. Nearly linear. */
static double outness(double distance, void *data)
{
	const double far = 1e3;
	const struct side *side = data;
	struct profile *profile = side->profile;
	struct plane plane =
		plane_at(side->ratio, profile, side->start + side->direction * distance);
	double theta[USL_THETA];
	double excess = profile_minimum(theta, profile, &plane) - profile->rss;

	return fmin(far, sqrt(fmax(0, excess) / profile->room)) - 1;
}

/* Returns the angle at which the region ends towards `limit`, which may be inside. */
static double end_towards(struct side *side, double limit)
{
	const double first = 1e-4, margin = 1.3, most = 10;
	double whole = fabs(limit - side->start), inside = 0, outside = first * whole;

	side->direction = limit < side->start ? -1 : 1;
	if (whole == 0 || outness(whole, side) <= 0)
		return limit;
	while (outside < whole) {
		double out = outness(outside, side);

		if (out > 0)
			break;
		inside = outside;
		/* As if the sum of squares were a parabola. */
		outside *= fmin(most, fmax(2, margin / (out + 1)));
	}
	return side->start + side->direction * brent_root(outness, side, inside,
							  fmin(outside, whole),
							  (struct brent_precision){0, 1e-12});
}

/* Returns the last value of the ratio in the profile, from `theta` towards the angle `limit`. */
static double profile_end(struct profile *profile, const struct ratio *ratio, const double *theta,
			  double limit)
{
	double above = usl_theta_dot(ratio->above, theta);
	double below = (usl_theta_dot(ratio->below, theta) + ratio->constant) * ratio->scale;
	struct side side = {profile, ratio, atan2(above, below), 1};
	double end;

	memcpy(profile->target, profile->best_d, profile->count * sizeof(*profile->target));
	end = end_towards(&side, limit);
	return fabs(end) >= M_PI_2 ? copysign(INFINITY, end) : ratio->scale * tan(end);
}

struct usl_region {
	struct profile profile; /* the profile of the means of the measurements at each N */
	double *variance;	/* the variance of a measurement at each N, in units of s^2 */
	struct usl_units units;
	double inflation; /* the variance of the parameters relative to that of a measurement */
	double one;	  /* N = 1 in units of units.n */
	bool known;	  /* there are more points than parameters */
	bool pole;	  /* the best curve ends at a pole */
};

static const struct usl_interval none = {NAN, NAN};

/* --- The quantities -------------------------------------------------------- */

static bool is_fitted(const struct usl_region *region, unsigned coefficient)
{
	return !(region->profile.fixed & coefficient);
}

/* Returns true if a linear form of theta is constant in the region. */
static bool is_known(const struct usl_region *region, const double *form)
{
	for (size_t k = 0; k < USL_THETA; k++)
		if (form[k] != 0 && is_fitted(region, 1u << k))
			return false;
	return usl_theta_dot(form, region->profile.at) > 0;
}

/* Returns the interval of alpha or beta: q/p or r/p, in the unit of 1/N or 1/N^2. */
static struct usl_interval region_parameter(struct usl_region *region, enum usl_quantity quantity,
					    double n)
{
	const double smallest = .01;		      /* as a scale: a parameter near 1 matters */
	size_t which = quantity == USL_ALPHA ? 1 : 2; /* the place in theta */
	double best = region->profile.best[which] / region->profile.best[0];
	double unit = quantity == USL_ALPHA ? region->units.n : region->units.n * region->units.n;
	struct ratio ratio = {.below = {1, 0, 0}, .scale = fmax(fabs(best), smallest)};
	bool bounded = region->profile.bounds & 1u << which;

	(void)n;
	if (!region->known)
		return none;
	if (!is_fitted(region, 1u << which))
		return (struct usl_interval){0, 0};
	ratio.above[which] = 1;
	return (struct usl_interval){
		profile_end(&region->profile, &ratio, region->profile.best, bounded ? 0 : -M_PI_2) /
			unit,
		profile_end(&region->profile, &ratio, region->profile.best, M_PI_2) / unit};
}

/* Returns the upper or lower end of 1/(form . theta); 0 below a millionth of that at `theta`. */
static double reciprocal_end(struct usl_region *region, const double *form, unsigned zero,
			     const double *theta, bool upper)
{
	const double nearly_all = M_PI_2 - 1e-6;
	struct ratio ratio = {.constant = 1, .scale = usl_theta_dot(form, theta), .zero = zero};
	double end;

	if (!(ratio.scale > 0))
		ratio.scale = 1;
	memcpy(ratio.above, form, sizeof(ratio.above));
	end = profile_end(&region->profile, &ratio, theta, upper ? 0 : nearly_all);
	return upper || end < ratio.scale * tan(nearly_all) ? 1 / end : 0;
}

static struct usl_interval reciprocal(struct usl_region *region, const double *form, unsigned zero,
				      const double *theta, double unit)
{
	if (!region->known || !(usl_theta_dot(form, theta) >= 0))
		return none;
	if (is_known(region, form)) {
		double value = unit / usl_theta_dot(form, region->profile.at);

		return (struct usl_interval){value, value};
	}
	return (struct usl_interval){unit * reciprocal_end(region, form, zero, theta, false),
				     unit * reciprocal_end(region, form, zero, theta, true)};
}

/* Returns the interval of gamma or X(N). */
static struct usl_interval region_throughput(struct usl_region *region, enum usl_quantity quantity,
					     double n)
{
	double form[USL_THETA] = {1, 0, 0}, unit = region->units.x;

	if (quantity == USL_GAMMA)
		unit /= region->units.n;
	else
		usl_theta_slowness(form, n / region->units.n, region->one);
	return reciprocal(region, form, 0, region->profile.best, unit);
}

/* Returns the mean of 1 / weight at N, interpolated between measured N, constant beyond them. */
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

/* Returns the interval of the share of form[part] theta[part] in the sum of all parts. */
static struct usl_interval region_share(struct usl_region *region, enum usl_quantity share,
					double n)
{
	size_t part = share - USL_USEFUL; /* the place in theta */
	double scaled = n / region->units.n;
	struct ratio ratio = {.below = {1, scaled - region->one, scaled * (scaled - region->one)},
			      .scale = 1};
	bool bounded = region->profile.bounds & 1u << part;

	if (!region->known || !(usl_theta_dot(ratio.below, region->profile.best) > 0))
		return none;
	if (share != USL_USEFUL && !is_fitted(region, 1u << part))
		return (struct usl_interval){0, 0};
	if (is_known(region, ratio.below)) /* the whole is the useful part */
		return (struct usl_interval){1, 1};
	ratio.above[part] = ratio.below[part];
	return (struct usl_interval){
		profile_end(&region->profile, &ratio, region->profile.best,
			    bounded && n >= 1 ? 0 : -M_PI_2),
		profile_end(&region->profile, &ratio, region->profile.best, M_PI_2)};
}

/* Returns the interval of the curve, widened by the scatter of a measurement. */
static struct usl_interval region_measurement(struct usl_region *region, enum usl_quantity quantity,
					      double n)
{
	struct usl_interval curve = region_throughput(region, USL_X, n);
	double variance = variance_at(region, n / region->units.n);
	double scatter =
		sqrt(region->profile.room / region->inflation * variance) * region->units.x;
	double form[USL_THETA], x;

	(void)quantity;
	usl_theta_slowness(form, n / region->units.n, region->one);
	x = region->units.x / usl_theta_dot(form, region->profile.best);
	return (struct usl_interval){x - hypot(x - curve.low, scatter),
				     x + hypot(curve.high - x, scatter)};
}

static struct usl_interval region_peak_n(struct usl_region *region, enum usl_quantity quantity,
					 double n)
{
	struct ratio ratio = {.above = {1, -region->one, 0}, .below = {0, 0, 1}, .scale = 1};
	double above = usl_theta_dot(ratio.above, region->profile.best);

	(void)quantity;
	(void)n;
	if (!region->known || region->pole || !is_fitted(region, USL_R) || !(above > 0) ||
	    region->profile.best[2] < 0)
		return none;
	if (region->profile.best[2] > 0)
		ratio.scale = above / region->profile.best[2];
	return (struct usl_interval){
		region->units.n *
			sqrt(profile_end(&region->profile, &ratio, region->profile.best, 0)),
		region->units.n *
			sqrt(profile_end(&region->profile, &ratio, region->profile.best, M_PI_2))};
}

/* --- The largest throughput ------------------------------------------------
 * The upper end of the largest X(N) over all N is the maximum over N of the upper ends of X(N). Its
 * lower end is the maximum of the lower ends: D(N)/N is linear in theta and convex in N, so that
 * the two extremes can change places.
 */

struct band {
	struct usl_region *region;
	bool upper;
};

/* Returns the negative edge of X(n) with n = exp(log_n), to be minimised. */
static double band_edge(double log_n, void *data)
{
	const struct band *band = data;
	double form[USL_THETA];

	usl_theta_slowness(form, exp(log_n), band->region->one);
	return -reciprocal_end(band->region, form, 0, band->region->profile.best, band->upper);
}

static double band_maximum(struct usl_region *region, bool upper)
{
	enum { STEPS = 24 };
	struct band band = {region, upper};
	double from = log(region->one), step = (log(1e3) - from) / STEPS, least = 0, middle;
	int where = 0;

	for (int i = 0; i <= STEPS; i++) {
		double edge = band_edge(from + i * step, &band);

		if (edge < least) {
			least = edge;
			where = i;
		}
	}
	if (isinf(least))
		return INFINITY;
	middle = from + where * step;
	/* If a neighbour is as good, the band has no maximum inside. */
	return -fmin(least, brent_minimum(band_edge, &band, middle - step, middle, middle + step,
					  (struct brent_precision){1e-6, 0}, -INFINITY)
				    .value);
}

/* Returns the interval of 1/q, the limit of X if beta = 0. None if no such law is in the region. */
static struct usl_interval level_off(struct usl_region *region)
{
	const struct usl_interval limitless = {INFINITY, INFINITY};
	struct plane amdahl = {.zero = region->profile.fixed | USL_R};
	double theta[USL_THETA];

	if (!is_fitted(region, USL_Q))
		return limitless;
	if (profile_minimum(theta, &region->profile, &amdahl) >
	    region->profile.rss + region->profile.room)
		return none;
	return reciprocal(region, (double[]){0, 1, 0}, USL_R, theta, region->units.x);
}

static struct usl_interval region_peak_throughput(struct usl_region *region,
						  enum usl_quantity quantity, double n)
{
	const double *best = region->profile.best;
	unsigned bounds = region->profile.bounds;
	struct usl_interval peak;

	(void)quantity;
	(void)n;
	if (!region->known || region->pole || best[2] < 0)
		return none;
	if (!(best[0] > region->one * best[1])) /* alpha >= 1: throughput falls with N */
		return none;
	region->profile.bounds |= USL_R; /* below 0, X grows without limit */
	peak = level_off(region);
	if (is_fitted(region, USL_R)) {
		peak.low = band_maximum(region, false) * region->units.x;
		peak.high = fmax(peak.high, band_maximum(region, true) * region->units.x);
	}
	region->profile.bounds = bounds;
	return peak;
}

struct usl_interval usl_region_interval(struct usl_region *region, enum usl_quantity quantity,
					double n)
{
	static struct usl_interval (*const methods[USL_POINTS])(
		struct usl_region * region, enum usl_quantity quantity, double n) = {
		[USL_ALPHA] = region_parameter,	       [USL_BETA] = region_parameter,
		[USL_GAMMA] = region_throughput,       [USL_PEAK_N] = region_peak_n,
		[USL_PEAK_X] = region_peak_throughput, [USL_X] = region_throughput,
		[USL_USEFUL] = region_share,	       [USL_CONTENTION] = region_share,
		[USL_COHERENCY] = region_share,	       [USL_MEASURED] = region_measurement,
	};

	return quantity < USL_POINTS ? methods[quantity](region, quantity, n) : none;
}

/* --- The region ------------------------------------------------------------ */

/*
 * Takes the means, to which the law has the same fit as to all points. With more than
 * USL_REGION_POINTS different N neighbours are joined, which moves an end by far less than its
 * distance from the best fit.
 */
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
	region->profile.target = xcalloc(region->profile.count, sizeof(*region->profile.target));
	region->profile.best_d = xcalloc(region->profile.count, sizeof(*region->profile.best_d));
	for (size_t i = 0; i < region->profile.count; i++) {
		double n = region->profile.points[i].n;

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
		double d = usl_theta_dot(best, region->profile.basis[i]);

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
	/* Points on the curve leave room only for rounding. */
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
	free(region->variance);
	free(region->profile.target);
	free(region->profile.best_d);
	free(region);
}
