/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fits the same law by GSL's nonlinear least squares, with its defaults: Levenberg and Marquardt's
 * method with derivatives, from a start by a line through N / X, without bounds.
 *
 *	fit_gsl time FILE REFITS	"value MEASURE READER SECONDS", of CPU
 *	fit_gsl numbers FILE...		"FILE free alpha beta gamma rss"
 */
#include "fit_bench.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <string.h>

static double divisor(const gsl_vector *x, double n)
{
	return 1 + gsl_vector_get(x, 0) * (n - 1) + gsl_vector_get(x, 1) * n * (n - 1);
}

static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
	const struct series *series = *(const struct series **)context;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];

		gsl_vector_set(f, i,
			       gsl_vector_get(x, 2) * point->n / divisor(x, point->n) -
				       point->throughput);
	}
	return GSL_SUCCESS;
}

static int slopes(const gsl_vector *x, void *context, gsl_matrix *j)
{
	const struct series *series = *(const struct series **)context;

	for (size_t i = 0; i < series->count; i++) {
		double n = series->points[i].n, d = divisor(x, n), gamma = gsl_vector_get(x, 2);

		gsl_matrix_set(j, i, 0, -gamma * n * (n - 1) / d / d);
		gsl_matrix_set(j, i, 1, -gamma * n * n * (n - 1) / d / d);
		gsl_matrix_set(j, i, 2, n / d);
	}
	return GSL_SUCCESS;
}

static void find_start(gsl_vector *start, const struct series *series)
{
	gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(series->count, 3);
	gsl_matrix *basis = gsl_matrix_alloc(series->count, 3);
	gsl_vector *ratios = gsl_vector_alloc(series->count);
	gsl_matrix *covariance = gsl_matrix_alloc(3, 3);
	double rss, first;

	for (size_t i = 0; i < series->count; i++) {
		double n = series->points[i].n;

		gsl_matrix_set(basis, i, 0, n - 1);
		gsl_matrix_set(basis, i, 1, n * (n - 1));
		gsl_matrix_set(basis, i, 2, 1);
		gsl_vector_set(ratios, i, n / series->points[i].throughput);
	}
	gsl_multifit_linear(basis, ratios, start, covariance, &rss, work);
	first = gsl_vector_get(start, 2);
	gsl_vector_scale(start, 1 / first);
	gsl_vector_set(start, 2, 1 / first);
	gsl_matrix_free(covariance);
	gsl_vector_free(ratios);
	gsl_matrix_free(basis);
	gsl_multifit_linear_free(work);
}

static int fit_gsl(double found[4], const struct series *series)
{
	gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf fdf = {
		.f = residuals, .df = slopes, .n = series->count, .p = 3, .params = &series};
	gsl_multifit_nlinear_workspace *work =
		gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, fdf.n, 3);
	gsl_vector *start = gsl_vector_alloc(3);
	int info, rc;

	find_start(start, series);
	gsl_multifit_nlinear_init(start, &fdf, work);
	rc = gsl_multifit_nlinear_driver(200, 1e-12, 1e-12, 0, NULL, NULL, &info, work);
	for (size_t i = 0; i < 3; i++)
		found[i] = gsl_vector_get(work->x, i);
	gsl_blas_ddot(work->f, work->f, &found[3]);
	gsl_vector_free(start);
	gsl_multifit_nlinear_free(work);
	return rc == GSL_SUCCESS || rc == GSL_ENOPROG ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct series series;

	gsl_set_error_handler_off();
	if (argc == 4 && strcmp(argv[1], "time") == 0) {
		series = bench_read(argv[2]);
		bench_print_times("gsl", &series, fit_gsl, strtoul(argv[3], NULL, 10));
		series_release(&series);
		return 0;
	}
	for (int i = 2; i < argc; i++) {
		series = bench_read(argv[i]);
		bench_print_numbers("free", &series, fit_gsl);
		puts("");
		series_release(&series);
	}
	return 0;
}
