/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl_scaled.h"

#include "base/alloc.h"
#include "stats/series.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>

void usl_scaled_init(struct usl_scaled *scaled, const struct series *series)
{
	long double n_unit = series_max_n(series);

	*scaled = (struct usl_scaled){.count = series->count, .n_unit = series_max_n(series)};
	scaled->points = xcalloc(series->count, sizeof(*scaled->points));
	for (size_t i = 0; i < series->count; i++)
		scaled->x_unit = fmax(scaled->x_unit, series->points[i].throughput);
	for (size_t i = 0; i < series->count; i++) {
		struct usl_scaled_point *point = &scaled->points[i];
		long double n = series->points[i].n;

		point->n = n / n_unit;
		point->x = series->points[i].throughput / (long double)scaled->x_unit;
		point->basis[0] = 1;
		point->basis[1] = (n - 1) / n_unit;
		point->basis[2] = n / n_unit * ((n - 1) / n_unit);
		scaled->squares += point->x * point->x;
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
	long double sum = 0;

	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double d = usl_scaled_denominator(point, value);
		long double residual = point->n / d - point->x;

		if (!(d > 0))
			return INFINITY;
		sum += residual * residual;
	}
	return sum;
}

double usl_scaled_gamma(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(scaled->x_unit / fit->value[0] / scaled->n_unit);
}

double usl_scaled_alpha(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(fit->value[1] / fit->value[0] / scaled->n_unit);
}

double usl_scaled_beta(const struct usl_scaled *scaled, const struct usl_scaled_fit *fit)
{
	return (double)(fit->value[2] / fit->value[0] / scaled->n_unit / scaled->n_unit);
}

/*
 * Derivatives of the scaled X by ln gamma, alpha n_unit and beta n_unit^2, of those in `columns`.
 */
static void law_jacobian(gsl_matrix *rows, const size_t *columns, const struct usl_scaled *scaled,
			 const struct usl_scaled_fit *fit)
{
	for (size_t i = 0; i < rows->size1; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double d = usl_scaled_denominator(point, fit->value);
		long double x = point->n / d;
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
	const double units[USL_COEFFICIENTS] = {usl_scaled_gamma(scaled, fit), 1 / scaled->n_unit,
						1 / scaled->n_unit / scaled->n_unit};
	size_t columns[USL_COEFFICIENTS], count = 0;

	for (size_t k = 0; k < USL_COEFFICIENTS; k++) {
		errors[k] = NAN;
		if (fit->free & 1u << k)
			columns[count++] = k;
	}
	if (!df)
		return;
	law_errors(errors, columns, count, scaled, fit);
	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		errors[k] *= units[k] * (double)sqrtl(fit->rss / (long double)df);
}
