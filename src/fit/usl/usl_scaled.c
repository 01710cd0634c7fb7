/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_scaled.h"

#include "base/alloc.h"
#include "stats/series/series.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>

/* In long double from the measured values on, as a mean cannot be. */
static struct usl_scaled_point scaled_point(double n, long double x, long double weight,
					    double n_unit)
{
	long double unit = n_unit;

	return (struct usl_scaled_point){.n = n / unit,
					 .x = x,
					 .weight = weight,
					 .basis = {1, ((long double)n - 1) / unit,
						   n / unit * (((long double)n - 1) / unit)}};
}

static void take_points(struct usl_scaled *scaled, const struct series *series)
{
	const struct usl_units *units = &scaled->units;

	scaled->count = series->count;
	scaled->points = xcalloc(series->count, sizeof(*scaled->points));
	for (size_t i = 0; i < series->count; i++)
		scaled->points[i] = scaled_point(
			series->points[i].n, series->points[i].throughput / (long double)units->x,
			series_weight(series, i) / (long double)units->weight, units->n);
}

/* N as it was measured, and means that have all digits of a double. */
static void take_means(struct usl_scaled *scaled, const struct series *series)
{
	struct usl_units units = {1, scaled->units.x, scaled->units.weight};
	struct usl_mean *means = usl_means(&scaled->count, series, &units, 0);

	scaled->points = xcalloc(scaled->count, sizeof(*scaled->points));
	for (size_t i = 0; i < scaled->count; i++) {
		scaled->points[i] =
			scaled_point(means[i].n, means[i].x, means[i].weight, scaled->units.n);
		scaled->spread += means[i].spread;
	}
	free(means);
}

void usl_scaled_init(struct usl_scaled *scaled, const struct series *series, double gamma)
{
	*scaled = (struct usl_scaled){.units = usl_units_of(series)};
	if (gamma > 0)
		scaled->known[0] = (long double)scaled->units.x / gamma / scaled->units.n;
	if (series->count > USL_SCALED_POINTS)
		take_means(scaled, series);
	else
		take_points(scaled, series);
	scaled->squares = scaled->spread;
	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];

		scaled->squares += point->weight * point->x * point->x;
	}
}

void usl_scaled_release(struct usl_scaled *scaled)
{
	free(scaled->points);
}

long double usl_scaled_denominator(const struct usl_scaled_point *point, const long double *value)
{
	return value[0] * point->basis[0] + value[1] * point->basis[1] + value[2] * point->basis[2];
}

long double usl_scaled_rss(const struct usl_scaled *scaled, const long double *value)
{
	long double sum = scaled->spread;

	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double d = usl_scaled_denominator(point, value);
		long double residual = point->n / d - point->x;

		if (!(d > 0))
			return INFINITY;
		sum += point->weight * residual * residual;
	}
	return sum;
}

void usl_scaled_gradient(long double gradient[USL_COEFFICIENTS], const struct usl_scaled *scaled,
			 const long double *value)
{
	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		gradient[k] = 0;
	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double d = usl_scaled_denominator(point, value);
		long double x = point->n / d;

		for (size_t k = 0; k < USL_COEFFICIENTS; k++)
			gradient[k] -= 2 * point->weight * (x - point->x) * x / d * point->basis[k];
	}
}

double usl_scaled_gamma(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(scaled->units.x / fit->value[0] / scaled->units.n);
}

double usl_scaled_alpha(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(fit->value[1] / fit->value[0] / scaled->units.n);
}

double usl_scaled_beta(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(fit->value[2] / fit->value[0] / scaled->units.n / scaled->units.n);
}

/*
 * Derivatives of the scaled X by ln gamma, alpha n_unit and beta n_unit^2, of those in `columns`,
 * times the root of the weight.
 */
static void law_jacobian(gsl_matrix *rows, const size_t *columns, const struct usl_scaled *scaled,
			 const struct usl_scaled_fit *fit)
{
	for (size_t i = 0; i < rows->size1; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double d = usl_scaled_denominator(point, fit->value);
		long double x = sqrtl(point->weight) * point->n / d;
		long double slope = -x * fit->value[0] / d;

		for (size_t k = 0; k < rows->size2; k++)
			gsl_matrix_set(rows, i, k,
				       (double)(columns[k] ? slope * point->basis[columns[k]] : x));
	}
}

/* Sets errors[columns[k]] to the roots of the diagonal of (J'J)^-1. */
static void law_errors(double *errors, const size_t *columns, size_t count,
		       const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_matrix *rows = gsl_matrix_alloc(scaled->count, count);
	gsl_matrix *inverse = gsl_matrix_alloc(count, count);

	if (rows && inverse) {
		law_jacobian(rows, columns, scaled, fit);
		gsl_multifit_nlinear_covar(rows, 0, inverse);
		for (size_t k = 0; k < count; k++)
			errors[columns[k]] = sqrt(gsl_matrix_get(inverse, k, k));
	}
	gsl_matrix_free(rows);
	gsl_matrix_free(inverse);
	gsl_set_error_handler(handler);
}

void usl_scaled_errors(double errors[USL_COEFFICIENTS], const struct usl_scaled *scaled,
		       const struct usl_scaled_fit *fit, size_t df)
{
	const double units[USL_COEFFICIENTS] = {usl_scaled_gamma(scaled, fit), 1 / scaled->units.n,
						1 / scaled->units.n / scaled->units.n};
	size_t columns[USL_COEFFICIENTS], count = 0;

	for (size_t k = 0; k < USL_COEFFICIENTS; k++) {
		errors[k] = NAN;
		if (fit->free & 1u << k)
			columns[count++] = k;
	}
	if (!df || !count)
		return;
	law_errors(errors, columns, count, scaled, fit);
	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		errors[k] *= units[k] * (double)sqrtl(fit->rss / (long double)df);
}
