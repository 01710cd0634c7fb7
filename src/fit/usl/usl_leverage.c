/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PARAMETERS = 3 };

/* Of gamma, alpha and beta, in this order. Returns how many. */
static size_t find_free(size_t *parameters, const struct usl *usl)
{
	const bool is_free[PARAMETERS] = {
		!usl->form.gamma_first,
		usl->form.model != USL_LINEAR && !(usl->bound & USL_BOUND_ALPHA),
		usl->form.model == USL_FULL && !(usl->bound & USL_BOUND_BETA),
	};
	size_t count = 0;

	for (size_t k = 0; k < PARAMETERS; k++)
		if (is_free[k])
			parameters[count++] = k;
	return count;
}

/* Derivatives of X by ln gamma, alpha and beta, the latter times the largest N and its square,
 * which leaves the spread as it is. */
static double slope(const struct usl *usl, double n, size_t parameter)
{
	double x = usl_throughput(usl, n), by_d = -x * x / usl->gamma / n;
	double one = (n - 1) / usl->largest_n, two = one * n / usl->largest_n;

	return parameter == 0 ? x : by_d * (parameter == 1 ? one : two);
}

static void take_slopes(gsl_matrix *rows, const size_t *parameters, const struct usl *usl,
			const struct series *series)
{
	for (size_t i = 0; i < rows->size1; i++)
		for (size_t k = 0; k < rows->size2; k++)
			gsl_matrix_set(rows, i, k, slope(usl, series->points[i].n, parameters[k]));
}

static void weigh_rows(gsl_matrix *rows, const struct series *series)
{
	for (size_t i = 0; i < rows->size1; i++) {
		gsl_vector_view row = gsl_matrix_row(rows, i);

		gsl_vector_scale(&row.vector, sqrt(series_weight(series, i)));
	}
}

/* |g' R^-1|^2 with the triangle R of G = Q R. */
static double length_of(const gsl_matrix *triangle, const double *row)
{
	double solved[PARAMETERS], sum = 0;

	for (size_t k = 0; k < triangle->size2; k++) {
		solved[k] = row[k];
		for (size_t j = 0; j < k; j++)
			solved[k] -= solved[j] * gsl_matrix_get(triangle, j, k);
		solved[k] /= gsl_matrix_get(triangle, k, k);
		sum += solved[k] * solved[k];
	}
	return sum;
}

/* The columns all have some length after scaling, so that a small diagonal tells of dependence. */
static bool is_singular(const gsl_matrix *triangle)
{
	double least = INFINITY, most = 0;

	for (size_t k = 0; k < triangle->size2; k++) {
		least = fmin(least, fabs(gsl_matrix_get(triangle, k, k)));
		most = fmax(most, fabs(gsl_matrix_get(triangle, k, k)));
	}
	return !(least > 1e3 * DBL_EPSILON * most);
}

static void scale_columns(gsl_matrix *rows)
{
	for (size_t k = 0; k < rows->size2; k++) {
		gsl_vector_view column = gsl_matrix_column(rows, k);
		double length = gsl_blas_dnrm2(&column.vector);

		if (length > 0)
			gsl_vector_scale(&column.vector, 1 / length);
	}
}

/* Of `count` parameters, at least one. */
static void take_spread(double *spread, const size_t *parameters, size_t count,
			const struct usl *usl, const struct series *series)
{
	double *store = xcalloc(2 * series->count * count, sizeof(*store));
	gsl_matrix_view rows = gsl_matrix_view_array(store, series->count, count);
	gsl_matrix_view qr =
		gsl_matrix_view_array(store + series->count * count, series->count, count);
	double tau[PARAMETERS];
	gsl_vector_view scale = gsl_vector_view_array(tau, count);
	bool singular = true;

	take_slopes(&rows.matrix, parameters, usl, series);
	scale_columns(&rows.matrix);
	if (series->count >= count) {
		gsl_matrix_memcpy(&qr.matrix, &rows.matrix);
		weigh_rows(&qr.matrix, series);
		gsl_linalg_QR_decomp(&qr.matrix, &scale.vector);
		singular = is_singular(&qr.matrix);
	}
	for (size_t i = 0; i < series->count; i++)
		spread[i] = singular ? NAN : length_of(&qr.matrix, store + i * count);
	free(store);
}

double *usl_spread(const struct usl *usl, const struct series *series)
{
	double *spread = xcalloc(series->count, sizeof(*spread));
	size_t parameters[PARAMETERS], count = find_free(parameters, usl);

	if (count)
		take_spread(spread, parameters, count, usl, series);
	return spread;
}

double *usl_leverage(const struct usl *usl, const struct series *series)
{
	double *hat = usl_spread(usl, series);

	for (size_t i = 0; i < series->count; i++)
		if (!isnan(hat[i]))
			hat[i] = fmin(1, series_weight(series, i) * hat[i]);
	return hat;
}
