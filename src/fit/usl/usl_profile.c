/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_profile.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

/* --- The least sum of squares on a plane ----------------------------------- */

/* What is rounding beside the plane's level. */
static double least_normal(const struct usl_plane *plane)
{
	return 1e-13 * fmax(fabs(plane->level), 1);
}

/* The coefficient that the plane gives when the others are known; USL_THETA if it ties none of
 * them. */
static size_t tied(const struct usl_plane *plane)
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

/* The level that is left to the coefficients that are not fixed. */
static double level_left(const struct usl_profile *profile, const struct usl_plane *plane)
{
	return plane->level - usl_profile_dot(plane->normal, profile->at);
}

/* Makes D a function of the coefficients that are neither 0 nor tied; lists them in `free`. */
static void set_columns(struct usl_descent *descent, size_t *free_ones,
			const struct usl_profile *profile, const struct usl_plane *plane,
			size_t tie)
{
	descent->unknowns = 0;
	for (size_t k = 0; k < USL_THETA; k++)
		if (!(plane->zero & 1u << k) && k != tie)
			free_ones[descent->unknowns++] = k;
	for (size_t i = 0; i < profile->count; i++) {
		const double *basis = profile->basis[i];
		double of_tied = tie < USL_THETA ? basis[tie] / plane->normal[tie] : 0;

		descent->points[i].offset =
			of_tied * level_left(profile, plane) + usl_profile_dot(basis, profile->at);
		for (size_t j = 0; j < descent->unknowns; j++)
			descent->points[i].column[j] =
				basis[free_ones[j]] - of_tied * plane->normal[free_ones[j]];
	}
}

/* From the last minimum or from the points, whatever is lower. */
static double descend(struct usl_descent *descent, double *unknown, const double *target)
{
	double other[USL_UNKNOWNS] = {0}, rss = INFINITY;

	if (usl_descent_start(descent, unknown, target) == 0)
		rss = usl_descent_rss(descent, unknown);
	if (usl_descent_start(descent, other, NULL) == 0 && usl_descent_rss(descent, other) < rss)
		memcpy(unknown, other, sizeof(other));
	return usl_descent_run(descent, unknown);
}

/* Whether a minimum is a good place to look for the next one from: near the region. */
static bool is_near(const struct usl_profile *profile, double rss)
{
	return rss <= profile->rss + 4 * profile->room;
}

/* The minimum on the plane, without bounds. */
double usl_profile_unbounded(double *theta, struct usl_profile *profile,
			     const struct usl_plane *plane)
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
			(plane->level - usl_profile_dot(plane->normal, theta)) / plane->normal[tie];
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
 * The minimum on the plane under the bounds: that without them if it keeps them, else the best one
 * on the edges of the plane.
 */
double usl_profile_minimum(double *theta, struct usl_profile *profile,
			   const struct usl_plane *plane)
{
	double least = usl_profile_unbounded(theta, profile, plane);

	if (isfinite(least) && is_within(theta, profile->bounds))
		return least;
	least = INFINITY;
	for (unsigned edge = 1; edge < 1u << USL_THETA; edge++) {
		struct usl_plane face = *plane;
		double rss, other[USL_THETA];

		if (edge & (plane->zero | ~profile->bounds))
			continue;
		face.zero |= edge;
		rss = usl_profile_unbounded(other, profile, &face);
		if (!(rss < least) || !is_within(other, profile->bounds))
			continue;
		least = rss;
		memcpy(theta, other, sizeof(other));
	}
	return least;
}

/* --- The ends of a ratio --------------------------------------------------- */

static struct usl_plane plane_at(const struct usl_ratio *ratio, const struct usl_profile *profile,
				 double angle)
{
	double c = cos(angle), s = ratio->scale * sin(angle);
	struct usl_plane plane = {.level = s * ratio->constant,
				  .zero = profile->fixed | ratio->zero};

	for (size_t k = 0; k < USL_THETA; k++)
		plane.normal[k] = c * ratio->above[k] - s * ratio->below[k];
	return plane;
}

struct side {
	struct usl_profile *profile;
	const struct usl_ratio *ratio;
	double start;	  /* an angle in the region */
	double direction; /* of the limit: +1 or -1 */
};

/* How far out the angle is: -1 at the best fit, 0 on the edge of the region. Nearly linear. */
static double outness(double distance, void *data)
{
	const double far = 1e3;
	const struct side *side = data;
	struct usl_profile *profile = side->profile;
	struct usl_plane plane =
		plane_at(side->ratio, profile, side->start + side->direction * distance);
	double theta[USL_THETA];
	double excess = usl_profile_minimum(theta, profile, &plane) - profile->rss;

	return fmin(far, sqrt(fmax(0, excess) / profile->room)) - 1;
}

static double search_edge(gsl_root_fsolver *solver, gsl_function *function, double inside,
			  double outside)
{
	enum { ITERATIONS = 100 };

	if (gsl_root_fsolver_set(solver, function, inside, outside))
		return outside;
	for (int i = 0; i < ITERATIONS; i++)
		if (gsl_root_fsolver_iterate(solver) ||
		    gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
					   gsl_root_fsolver_x_upper(solver), 0,
					   1e-12) == GSL_SUCCESS)
			break;
	return gsl_root_fsolver_root(solver);
}

static double edge_between(struct side *side, double inside, double outside)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function function = {.function = outness, .params = side};
	double edge = solver ? search_edge(solver, &function, inside, outside) : outside;

	gsl_root_fsolver_free(solver);
	gsl_set_error_handler(handler);
	return edge;
}

/* The angle at which the region ends on the way to `limit`, which may be inside. */
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
	return side->start + side->direction * edge_between(side, inside, fmin(outside, whole));
}

/* The last value of the ratio in the profile, from `theta` on towards the angle `limit`. */
double usl_profile_end(struct usl_profile *profile, const struct usl_ratio *ratio,
		       const double *theta, double limit)
{
	double above = usl_profile_dot(ratio->above, theta);
	double below = (usl_profile_dot(ratio->below, theta) + ratio->constant) * ratio->scale;
	struct side side = {profile, ratio, atan2(above, below), 1};
	double end;

	memcpy(profile->target, profile->best_d, profile->count * sizeof(*profile->target));
	end = end_towards(&side, limit);
	return fabs(end) >= M_PI_2 ? copysign(INFINITY, end) : ratio->scale * tan(end);
}
