/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_knee.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_descent.h"
#include "fit/usl/usl_means.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 3, TWO = 5, SIDE = 3 }; /* unknowns, and N that a piece has at least */

struct search {
	struct usl_descent descent;
	double one;		     /* N = 1, scaled */
	double whole[USL_UNKNOWNS];  /* the unknowns in one piece */
	double whole_rss, least_rss; /* without what no curve can change */
	double best[USL_UNKNOWNS];   /* in two pieces, at the best place so far */
	size_t place;		     /* the first point behind it */
};

static void take_points(struct search *search, const struct usl_mean *means, size_t count)
{
	search->descent.points = xcalloc(count, sizeof(*search->descent.points));
	search->descent.count = count;
	for (size_t i = 0; i < count; i++) {
		struct usl_descent_point *point = &search->descent.points[i];

		*point = (struct usl_descent_point){.n = means[i].n,
						    .x = (double)means[i].x,
						    .weight = (double)means[i].weight};
		point->column[0] = 1;
		point->column[1] = point->n - search->one;
		point->column[2] = point->n * (point->n - search->one);
	}
}

/* The columns of what is added from `place` on. */
static void take_place(struct search *search, size_t place)
{
	struct usl_descent_point *points = search->descent.points;

	for (size_t i = 0; i < search->descent.count; i++) {
		points[i].column[ONE] = i >= place;
		points[i].column[ONE + 1] = i >= place ? points[i].n - points[place].n : 0;
	}
}

/* From the fit on, which may have been on a bound or without all parameters. */
static void fit_whole(struct search *search, const struct usl *usl, const struct usl_units *units)
{
	double p = units->x / units->n / usl->gamma;

	search->whole[0] = p;
	search->whole[1] = usl->alpha * units->n * p;
	search->whole[2] = usl->beta * units->n * units->n * p;
	search->descent.unknowns = ONE;
	search->whole_rss = usl_descent_run(&search->descent, search->whole);
}

/* From the curve in one piece on, or from the linear form where that is better. */
static void try_place(struct search *search, size_t place)
{
	double unknown[USL_UNKNOWNS], linear[USL_UNKNOWNS], rss;

	take_place(search, place);
	memcpy(unknown, search->whole, sizeof(unknown));
	search->descent.unknowns = TWO;
	if (!usl_descent_start(&search->descent, linear, NULL) &&
	    usl_descent_rss(&search->descent, linear) < search->whole_rss)
		memcpy(unknown, linear, sizeof(unknown));
	rss = usl_descent_run(&search->descent, unknown);
	if (!(rss < search->least_rss))
		return;
	search->least_rss = rss;
	search->place = place;
	memcpy(search->best, unknown, sizeof(unknown));
}

static size_t try_places(struct search *search)
{
	size_t all = search->descent.count - 2 * SIDE + 1;
	size_t places = all < USL_KNEE_PLACES ? all : USL_KNEE_PLACES;

	for (size_t i = 0; i < places; i++)
		try_place(search, SIDE + i * all / places);
	return places;
}

static double curve(const struct usl_descent_point *point, const double *unknown, size_t unknowns)
{
	double d = 0;

	for (size_t k = 0; k < unknowns; k++)
		d += unknown[k] * point->column[k];
	return point->n / d;
}

static double distance_share(struct search *search)
{
	double apart = 0, squares = 0;

	take_place(search, search->place);
	for (size_t i = 0; i < search->descent.count; i++) {
		const struct usl_descent_point *point = &search->descent.points[i];

		apart += point->weight *
			 pow(curve(point, search->best, TWO) - curve(point, search->whole, ONE), 2);
		squares += point->weight * point->x * point->x;
	}
	return sqrt(apart / squares);
}

/* What no curve can make less, and what is lost to rounding. */
static void take_floor(double *spread, double *rounding, const struct usl_mean *means,
		       const struct search *search)
{
	double squares = 0;

	*spread = 0;
	for (size_t i = 0; i < search->descent.count; i++) {
		const struct usl_descent_point *point = &search->descent.points[i];

		*spread += (double)means[i].spread * point->weight / (double)means[i].weight;
		squares += point->weight * point->x * point->x;
	}
	*rounding = pow(8 * DBL_EPSILON, 2) * squares;
}

static double find_p(const struct search *search, size_t places, const struct usl *usl,
		     const struct usl_mean *means)
{
	double df = (double)(usl->n - TWO), spread, rounding, two, f;

	take_floor(&spread, &rounding, means, search);
	two = fmax(search->least_rss + spread, rounding);
	f = fmax(0, search->whole_rss + spread - two) / (TWO - ONE) / (two / df);
	return fmin(1, (double)places * gsl_cdf_fdist_Q(f, TWO - ONE, df));
}

/* -1 where there is no curve in one or in two pieces. */
static int run(struct search *search, struct usl_knee *knee, const struct usl *usl,
	       const struct usl_mean *means, const struct usl_units *units)
{
	search->least_rss = INFINITY;
	fit_whole(search, usl, units);
	if (!isfinite(search->whole_rss))
		return -1;
	knee->places = try_places(search);
	if (!isfinite(search->least_rss))
		return -1;
	knee->p = find_p(search, knee->places, usl, means);
	return 0;
}

static void take_result(struct usl_knee *knee, struct search *search, const struct usl_mean *means,
			const struct usl_units *units)
{
	double unit = units->x * units->x * units->weight, spread, rounding;

	take_floor(&spread, &rounding, means, search);
	knee->last = means[search->place - 1].n * units->n;
	knee->first = means[search->place].n * units->n;
	knee->one_rss = (search->whole_rss + spread) * unit;
	knee->rss = (search->least_rss + spread) * unit;
	knee->distance_share = distance_share(search);
}

/* As if points scattered in proportion to the curve in one piece. */
static void weigh_by_throughput(struct search *search)
{
	for (size_t i = 0; i < search->descent.count; i++) {
		struct usl_descent_point *point = &search->descent.points[i];

		point->weight /= pow(curve(point, search->whole, ONE), 2);
	}
}

static void look(struct usl_knee *knee, struct search *search, const struct usl *usl,
		 const struct usl_mean *means, const struct usl_units *units, bool weighted)
{
	const struct usl_knee none = {0, NAN, NAN, NAN, NAN, NAN, NAN};
	double p;

	if (run(search, knee, usl, means, units)) {
		*knee = none;
		return;
	}
	take_result(knee, search, means, units);
	if (weighted)
		return;
	p = knee->p;
	weigh_by_throughput(search);
	if (run(search, knee, usl, means, units))
		*knee = none;
	else
		knee->p = fmax(knee->p, p);
}

void usl_knee(struct usl_knee *knee, const struct usl *usl, const struct usl_mean *means,
	      size_t count, const struct usl_units *units, bool weighted)
{
	struct search search = {.one = 1 / units->n};

	*knee = (struct usl_knee){0, NAN, NAN, NAN, NAN, NAN, NAN};
	if (count < (size_t)2 * SIDE || count <= TWO || usl->n <= TWO)
		return;
	take_points(&search, means, count);
	look(knee, &search, usl, means, units, weighted);
	free(search.descent.points);
}

bool usl_knee_is_clear(const struct usl_knee *knee)
{
	return knee->p < .01 && knee->distance_share >= .01;
}
