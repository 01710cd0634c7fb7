/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl.h"

#include "base/err.h"
#include "fit/usl/usl_solver.h"
#include "stats/series/series.h"

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

size_t usl_parameters(const struct usl_form *form)
{
	return models[form->model].count;
}

/* Returns the number of different N, but at most `most`. */
static size_t count_distinct(const struct series *series, size_t most)
{
	double seen[3];
	size_t count = 0;

	for (size_t i = 0; i < series->count && count < most; i++) {
		size_t k = 0;

		while (k < count && seen[k] != series->points[i].n)
			k++;
		if (k == count && series_weight(series, i) > 0)
			seen[count++] = series->points[i].n;
	}
	return count;
}

/* Returns the weighted mean throughput measured at N = 1, or NaN. */
static double measured_first(const struct series *series)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].n == 1) {
			sum += series_weight(series, i) * series->points[i].throughput;
			weights += series_weight(series, i);
		}
	}
	return weights > 0 ? sum / weights : NAN;
}

static unsigned free_of(const struct usl_form *form)
{
	return models[form->model].free & ~(form->gamma_first ? (unsigned)USL_P : 0);
}

static int check_points(const struct series *series, const struct usl_form *form, double first,
			struct err *err)
{
	size_t distinct = count_distinct(series, 3);
	enum usl_model model = form->model;

	if (distinct < 2)
		return err_set(err, "%s: all points have N = %g; measure at other N too",
			       series->source, series_max_n(series));
	if (distinct < models[model].count)
		return err_set(
			err,
			"%s: %s has %zu parameters (%s) and the points have only %zu values of N; "
			"measure at others too, or use --model amdahl or linear",
			series->source, models[model].name, models[model].count,
			models[model].parameters, distinct);
	if (form->gamma_first && isnan(first))
		return err_set(err,
			       "%s: there is no point at N = 1, whose throughput gamma would be; "
			       "measure there, or fit gamma too",
			       series->source);
	return 0;
}

/* Returns true if the optimum without bounds is so far inside that no bound can be as good. */
static bool is_inside(const struct usl_scaled_fit *fit)
{
	const long double rounding = 1e-9L;
	long double sum = fit->value[0] + fit->value[1] + fit->value[2];

	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		if (fit->free & 1u << k && !(fit->value[k] > rounding * sum))
			return false;
	return isfinite(fit->rss); /* there is an optimum */
}

/*
 * Fits on every face of the region p, q, r >= 0, and takes the best fit that lies in the region:
 * the optimum under bounds lies inside a face, and is the optimum without bounds there. (Solvers
 * that clamp their steps to the bounds stop elsewhere.) Faces with fewer coefficients come last,
 * and win unless the others are better by more than the rounding of the input. A face that borders
 * on one whose optimum lies inside cannot be better.
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
					 USL_P,
					 0};
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

/* Finds the optimum, and the one without bounds (NaN: none), which wins if it is in the region. */
static int find_optimum(struct usl_scaled_fit *best, struct usl_scaled_fit *unbounded,
			const struct usl_scaled *scaled, const struct usl_form *form)
{
	const struct usl_scaled_fit none = {.value = {NAN, NAN, NAN}, .rss = INFINITY};
	unsigned free = free_of(form);
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

static enum usl_bound bound_of(unsigned fitted, unsigned free)
{
	unsigned fixed = fitted & ~free;

	return (fixed & USL_Q ? USL_BOUND_ALPHA : 0u) | (fixed & USL_R ? USL_BOUND_BETA : 0u);
}

/* p turns alpha N and beta N^2 into q and r, and the optimum is flat in p, or p is known. */
static void take_multipliers(struct usl *usl, const struct usl_scaled *scaled,
			     const struct usl_scaled_fit *best)
{
	unsigned fitted = free_of(&usl->form);
	long double gradient[USL_COEFFICIENTS], unit = best->value[0] / best->rss;

	usl_scaled_gradient(gradient, scaled, best->value);
	usl->alpha_multiplier =
		fitted & USL_Q && best->rss > 0 ? (double)(gradient[1] * unit) : NAN;
	usl->beta_multiplier = fitted & USL_R && best->rss > 0 ? (double)(gradient[2] * unit) : NAN;
}

static void describe(struct usl *usl, const struct series *series, const struct usl_scaled *scaled,
		     const struct usl_scaled_fit *best, const struct usl_scaled_fit *unbounded)
{
	double errors[USL_COEFFICIENTS];
	const struct usl_units *units = &scaled->units;

	usl->bound = bound_of(free_of(&usl->form), best->free);
	usl->alpha = usl_scaled_alpha(scaled, best);
	usl->beta = usl_scaled_beta(scaled, best);
	usl->gamma = usl->form.gamma_first ? usl->one : usl_scaled_gamma(scaled, best);
	usl->rss = (double)(best->rss * units->x * units->x * units->weight);
	usl->n = series->count;
	/* A measured gamma takes the freedom of a point, too. */
	usl->df = usl->n - (size_t)__builtin_popcount(best->free | USL_P);
	usl_scaled_errors(errors, scaled, best, usl->df);
	usl->s2 = usl->df ? usl->rss / (double)usl->df : NAN;
	usl->inflation = 1;
	usl->gamma_se = errors[0];
	usl->alpha_se = errors[1];
	usl->beta_se = errors[2];
	usl->one = isnan(usl->one) ? usl->gamma : usl->one;
	usl->largest_n = series_max_n(series);
	usl->unbounded_alpha = usl_scaled_alpha(scaled, unbounded);
	usl->unbounded_beta = usl_scaled_beta(scaled, unbounded);
	take_multipliers(usl, scaled, best);
}

int usl_fit(struct usl *usl, const struct series *series, const struct usl_form *form,
	    struct err *err)
{
	struct usl_scaled_fit best, unbounded;
	struct usl_scaled scaled;
	double first = measured_first(series);
	int rc;

	if (check_points(series, form, first, err))
		return -1;
	*usl = (struct usl){.form = *form, .one = first};
	usl_scaled_init(&scaled, series, form->gamma_first ? first : 0);
	rc = find_optimum(&best, &unbounded, &scaled, form);
	if (rc)
		err_set(err, "%s: %s cannot be fitted to these points; look for a mistyped number",
			series->source, models[form->model].name);
	else if (!(best.value[0] > 0)) /* p = 1/gamma */
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
	double slowness = (1 + usl->alpha * (n - 1)) / n + usl->beta * (n - 1);

	return slowness > 0 ? usl->gamma / slowness : NAN;
}

double usl_peak_n(const struct usl *usl)
{
	double peak = usl->beta > 0 && usl->alpha < 1 ? sqrt((1 - usl->alpha) / usl->beta) : NAN;

	return isnan(usl_throughput(usl, peak)) ? NAN : peak;
}

double usl_peak_throughput(const struct usl *usl)
{
	return usl_throughput(usl, usl_peak_n(usl));
}

double usl_payback_n(const struct usl *usl)
{
	return usl->alpha < 0 && usl->beta > 0 ? -usl->alpha / usl->beta : NAN;
}

/*
 * With m = N - 1 the denominator is 1 + (alpha + beta) m + beta m^2, which is 1 at m = 0; the
 * smallest root above 0 is the one without a subtraction.
 */
double usl_pole_n(const struct usl *usl)
{
	double sum = usl->alpha + usl->beta, inside = sum * sum - 4 * usl->beta;
	double m = inside >= 0 ? 2 / (sqrt(inside) - sum) : NAN;

	return m > 0 && isfinite(m) ? 1 + m : NAN;
}

bool usl_is_retrograde(const struct usl *usl)
{
	const double rounding = 1e-12; /* X = 0.1 is constant */

	return usl->beta >= 0 && usl->alpha + usl->beta > 1 + rounding;
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
