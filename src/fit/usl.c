/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl.h"

#include "base/err.h"
#include "fit/usl_scaled.h"
#include "fit/usl_solver.h"
#include "stats/series.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const struct {
	const char *name;
	const char *parameters;
	size_t count;
	unsigned free;
} models[] = {
	[USL_FULL] = {"the Universal Scalability Law", "alpha, beta and gamma", 3,
		      USL_P | USL_Q | USL_R},
	[USL_AMDAHL] = {"Amdahl's law", "alpha and gamma", 2, USL_P | USL_Q},
	[USL_LINEAR] = {"linear scaling", "gamma", 1, USL_P},
};

/* The number of different N, but no more than `most`. */
static size_t count_distinct(const struct series *series, size_t most)
{
	double seen[3];
	size_t count = 0;

	for (size_t i = 0; i < series->count && count < most; i++) {
		size_t k = 0;

		while (k < count && seen[k] != series->points[i].n)
			k++;
		if (k == count)
			seen[count++] = series->points[i].n;
	}
	return count;
}

static int check_points(const struct series *series, enum usl_model model, struct err *err)
{
	size_t distinct = count_distinct(series, 3);

	if (distinct < 2)
		return err_set(err, "%s: all points have N = %g; measure at other N too",
			       series->source, series_max_n(series));
	if (distinct < models[model].count)
		return err_set(err,
			       "%s: %s has %zu parameters (%s) and there are points at %zu N only; "
			       "measure at more N, or fit --amdahl or --linear",
			       series->source, models[model].name, models[model].count,
			       models[model].parameters, distinct);
	return 0;
}

/* Is the optimum without bounds so far inside them that no part of a bound can be as good? */
static bool is_inside(const struct usl_scaled_fit *fit)
{
	const long double rounding = 1e-9L;
	long double sum = fit->value[0] + fit->value[1] + fit->value[2];

	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		if (fit->free & 1u << k && !(fit->value[k] > rounding * sum))
			return false;
	return true;
}

/*
 * The optimum under bounds lies inside one of the faces of the region p, q, r >= 0, and is there
 * the optimum without bounds; so fit on every face and take the best fit that lies in the region.
 * (Solvers that clamp their steps to the bounds stop elsewhere.) Faces with fewer coefficients
 * come last and win when the others are better by no more than what rounded input can tell. What
 * borders on a face whose optimum lies inside cannot be better.
 */
static int fit_faces(struct usl_scaled_fit *best, const struct usl_scaled_fit *unbounded,
		     const struct usl_scaled *scaled, unsigned free)
{
	static const unsigned faces[] = {USL_P | USL_Q | USL_R,
					 USL_Q | USL_R,
					 USL_P | USL_R,
					 USL_P | USL_Q,
					 USL_R,
					 USL_Q,
					 USL_P};
	long double noise = DBL_EPSILON * DBL_EPSILON * scaled->squares;
	unsigned settled[sizeof(faces) / sizeof(faces[0])] = {0};
	int rc = -1;

	best->rss = INFINITY;
	for (size_t i = 0; i < sizeof(faces) / sizeof(faces[0]); i++) {
		struct usl_scaled_fit fit = *unbounded;
		bool skip = faces[i] & ~free;

		for (size_t k = 0; k < i && !skip; k++)
			skip = settled[k] && !(faces[i] & ~settled[k]);
		if (skip || (faces[i] != free && usl_solver_fit(&fit, scaled, faces[i])))
			continue;
		if (!(fit.value[0] >= 0 && fit.value[1] >= 0 && fit.value[2] >= 0))
			continue;
		settled[i] = is_inside(&fit) ? faces[i] : 0;
		if (fit.rss > best->rss + noise)
			continue;
		*best = fit;
		rc = 0;
	}
	return rc;
}

/*
 * The optimum, and the one without bounds (NaN where there is none). An optimum in the region is
 * the best there is in any case.
 */
static int find_optimum(struct usl_scaled_fit *best, struct usl_scaled_fit *unbounded,
			const struct usl_scaled *scaled, const struct usl_form *form)
{
	const struct usl_scaled_fit none = {.value = {NAN, NAN, NAN}, .rss = INFINITY};
	unsigned free = models[form->model].free;
	int rc = 0;

	if (usl_solver_fit(unbounded, scaled, free))
		*unbounded = none;
	*best = *unbounded;
	if (form->unbounded)
		rc = best->value[0] > 0 ? 0 : -1;
	else if (!is_inside(best))
		rc = fit_faces(best, unbounded, scaled, free);
	if (!(unbounded->value[0] > 0))
		*unbounded = none;
	return rc;
}

/* The weighted mean throughput measured at N = 1, or gamma. */
static double throughput_of_one(const struct series *series, double gamma)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].n == 1) {
			sum += series_weight(series, i) * series->points[i].throughput;
			weights += series_weight(series, i);
		}
	}
	return weights > 0 ? sum / weights : gamma;
}

static enum usl_bound bound_of(unsigned fitted, unsigned free)
{
	unsigned fixed = fitted & ~free;

	return (fixed & USL_Q ? USL_BOUND_ALPHA : 0u) | (fixed & USL_R ? USL_BOUND_BETA : 0u);
}

static void describe(struct usl *usl, const struct series *series, const struct usl_scaled *scaled,
		     const struct usl_scaled_fit *best, const struct usl_scaled_fit *unbounded)
{
	double errors[USL_COEFFICIENTS];
	const struct usl_units *units = &scaled->units;

	usl->bound = bound_of(models[usl->form.model].free, best->free);
	usl->alpha = usl_scaled_alpha(scaled, best);
	usl->beta = usl_scaled_beta(scaled, best);
	usl->gamma = usl_scaled_gamma(scaled, best);
	usl->rss = (double)(best->rss * units->x * units->x * units->weight);
	usl->n = series->count;
	usl->df = usl->n - (size_t)__builtin_popcount(best->free);
	usl_scaled_errors(errors, scaled, best, usl->df);
	usl->gamma_se = errors[0];
	usl->alpha_se = errors[1];
	usl->beta_se = errors[2];
	usl->one = throughput_of_one(series, usl->gamma);
	usl->largest_n = series_max_n(series);
	usl->unbounded_alpha = usl_scaled_alpha(scaled, unbounded);
	usl->unbounded_beta = usl_scaled_beta(scaled, unbounded);
}

int usl_fit(struct usl *usl, const struct series *series, const struct usl_form *form,
	    struct err *err)
{
	struct usl_scaled_fit best, unbounded;
	struct usl_scaled scaled;
	int rc;

	if (check_points(series, form->model, err))
		return -1;
	*usl = (struct usl){.form = *form};
	usl_scaled_init(&scaled, series);
	rc = find_optimum(&best, &unbounded, &scaled, form);
	if (rc)
		err_set(err, "%s: %s cannot be fitted to these points; look for a mistyped number",
			series->source, models[form->model].name);
	else if (!(best.free & USL_P)) /* p = 1/gamma = 0 */
		rc = err_set(err,
			     "%s: throughput falls so fast from the smallest N on that no finite "
			     "gamma fits best; measure at N = 1 too",
			     series->source);
	else
		describe(usl, series, &scaled, &best, &unbounded);
	usl_scaled_release(&scaled);
	return rc;
}

double usl_throughput(const struct usl *usl, double n)
{
	/* The law divided by N, which does not overflow. */
	return usl->gamma / ((1 + usl->alpha * (n - 1)) / n + usl->beta * (n - 1));
}

double usl_peak_n(const struct usl *usl)
{
	return usl->beta > 0 && usl->alpha < 1 ? sqrt((1 - usl->alpha) / usl->beta) : NAN;
}

double usl_peak_throughput(const struct usl *usl)
{
	return usl_throughput(usl, usl_peak_n(usl));
}

bool usl_is_retrograde(const struct usl *usl)
{
	return usl->alpha >= 1 || usl_peak_n(usl) < 1;
}

double usl_efficiency(const struct usl *usl, const struct series_point *point)
{
	return point->throughput / usl->one / point->n;
}

bool usl_is_superlinear(const struct usl *usl, const struct series_point *point)
{
	const double rounding = 1e-12; /* X = 0.1 N is linear */

	return point->n > 1 && usl_efficiency(usl, point) > 1 + rounding;
}

bool usl_is_extrapolated(const struct usl *usl, double n)
{
	return n > 2 * usl->largest_n;
}
