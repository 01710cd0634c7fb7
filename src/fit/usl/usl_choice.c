/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_region.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- Fits without one of the points ------------------------------------------ */

static double peak_of(const struct usl *usl)
{
	double peak = usl_peak_n(usl);

	if (usl_is_retrograde(usl))
		return 0;
	return isnan(peak) ? INFINITY : peak;
}

static struct usl_left_out fit_others(const struct series *others, const struct usl_form *form,
				      const struct series_point *point)
{
	struct usl usl;
	struct err err;

	if (usl_fit(&usl, others, form, &err))
		return (struct usl_left_out){NAN, NAN, NAN, NAN, NAN};
	return (struct usl_left_out){usl.alpha, usl.beta, usl.gamma, peak_of(&usl),
				     point->throughput - usl_throughput(&usl, point->n)};
}

/* Returns a copy without the last point; others_put() fills it in. */
static struct series all_but_last(const struct series *series)
{
	struct series others = {.source = series->source, .count = series->count - 1};

	others.points = xcalloc(series->count, sizeof(*others.points));
	memcpy(others.points, series->points, others.count * sizeof(*others.points));
	if (series->weights) {
		others.weights = xcalloc(series->count, sizeof(*others.weights));
		memcpy(others.weights, series->weights, others.count * sizeof(*others.weights));
	}
	if (series->trust) {
		others.trust = xcalloc(series->count, sizeof(*others.trust));
		memcpy(others.trust, series->trust, others.count * sizeof(*others.trust));
	}
	return others;
}

static void others_put(struct series *others, size_t place, const struct series *series,
		       size_t point)
{
	others->points[place] = series->points[point];
	if (series->weights)
		others->weights[place] = series->weights[point];
	if (series->trust)
		others->trust[place] = series->trust[point];
}

struct usl_left_out *usl_leave_out(const struct series *series, const struct usl_form *form)
{
	struct usl_left_out *left_out;
	struct series others;

	if (series->count > USL_LEAVE_OUT_POINTS)
		return NULL;
	left_out = xcalloc(series->count, sizeof(*left_out));
	others = all_but_last(series);
	/* From the last point on, the gap moves towards the first. */
	for (size_t i = series->count; i-- > 0;) {
		if (i < others.count)
			others_put(&others, i, series, i + 1);
		left_out[i] = fit_others(&others, form, &series->points[i]);
	}
	free(others.points);
	free(others.weights);
	free(others.trust);
	return left_out;
}

/* --- The laws side by side --------------------------------------------------- */

static double sum_of_weights(const struct series *series)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++)
		sum += series_weight(series, i);
	return sum;
}

bool usl_is_exact(const struct usl *usl, const struct series *series)
{
	double largest = series_max_throughput(series);

	return usl->rss <= sum_of_weights(series) * pow(8 * DBL_EPSILON * largest, 2);
}

static void take_criteria(struct usl_candidate *candidate, const struct series *series)
{
	double n = (double)candidate->usl.n;
	double k = (double)usl_parameters(&candidate->usl.form) + 1;
	double deviance = n * (log(2 * M_PI) + log(candidate->usl.rss / n) + 1);

	for (size_t i = 0; series->weights && i < series->count; i++)
		deviance -= log(series->weights[i]);
	/* Points with a trust that depends on their distance from the curve have no likelihood. */
	if (series->trust || usl_is_exact(&candidate->usl, series))
		return;
	candidate->bic = k * log(n) + deviance;
	if (n > k + 1)
		candidate->aicc = 2 * k + deviance + 2 * k * (k + 1) / (n - k - 1);
}

static double leave_one_out(const struct series *series, const struct usl_form *form)
{
	struct usl_left_out *left_out = usl_leave_out(series, form);
	double sum = left_out ? 0 : NAN, weights = 0;

	for (size_t i = 0; left_out && i < series->count; i++) {
		/* Points that determine gamma are not predicted. */
		if (form->gamma_first && series->points[i].n == 1)
			continue;
		weights += series_weight(series, i);
		sum += series_weight(series, i) * pow(left_out[i].residual, 2);
	}
	free(left_out);
	return sqrt(sum / weights);
}

/* Returns the p-value against `simpler`, with one parameter less; two-sided without a bound. */
static double p_against(const struct usl_candidate *candidate, const struct usl_candidate *simpler,
			const struct series *series)
{
	const struct usl *usl = &candidate->usl;
	double variance = usl_region_variance(usl, series), t;

	if (isnan(variance) || !simpler->fits || usl_is_exact(usl, series))
		return NAN;
	t = sqrt(fmax(0, simpler->usl.rss - usl->rss) / variance);
	/* On its bound the parameter is no evidence against the simpler law. */
	if (!(t > 0) || usl_is_exact(&simpler->usl, series))
		return 1;
	return (usl->form.unbounded ? 2 : 1) *
	       gsl_cdf_tdist_Q(t, (double)(usl->n - usl_parameters(&usl->form)));
}

static void candidate_fit(struct usl_candidate *candidate, const struct series *series,
			  const struct usl_form *form, const struct usl *robust)
{
	struct err err;

	*candidate = (struct usl_candidate){.aicc = NAN, .bic = NAN, .loo = NAN, .p = NAN};
	candidate->fits = usl_fit(&candidate->usl, series, form, &err) == 0;
	if (!candidate->fits || !robust)
		return;
	candidate->usl.s2 = robust->s2;
	candidate->usl.inflation = robust->inflation;
}

static double p_of_superlinear(const struct usl_candidate *candidates, const struct series *series,
			       const struct usl *robust)
{
	const double rounding = 1e-9;
	const struct usl_candidate *linear = &candidates[USL_LINEAR];
	const struct usl *amdahl = &candidates[USL_AMDAHL].usl;
	struct usl_form form = linear->usl.form;
	struct usl_candidate faster;
	double p;

	if (!linear->fits || !candidates[USL_AMDAHL].fits ||
	    !(amdahl->unbounded_alpha * amdahl->largest_n < -rounding))
		return 1;
	form.model = USL_AMDAHL;
	form.unbounded = true;
	candidate_fit(&faster, series, &form, robust);
	if (!faster.fits)
		return 1;
	p = p_against(&faster, linear, series);
	return isnan(p) && usl_is_exact(&faster.usl, series) ? 0 : p / 2;
}

void usl_choose(struct usl_choice *choice, const struct series *series, const struct usl_form *form,
		const struct usl *robust)
{
	struct usl_candidate *candidates = choice->candidates;

	for (size_t i = 0; i < USL_MODELS; i++) {
		struct usl_form own = *form;

		own.model = (enum usl_model)i;
		candidate_fit(&candidates[i], series, &own, robust);
		if (!candidates[i].fits)
			continue;
		take_criteria(&candidates[i], series);
		candidates[i].loo = leave_one_out(series, &own);
	}
	for (size_t i = 0; i < USL_MODELS; i++)
		if (i != USL_LINEAR && candidates[i].fits)
			candidates[i].p = p_against(&candidates[i], &candidates[i + 1], series);
	choice->superlinear_p = p_of_superlinear(candidates, series, robust);
	if (robust)
		candidates[form->model].usl = *robust;
}

/* --- Leverage ---------------------------------------------------- */

enum { PARAMETERS = 3 };

/* Finds the free ones of gamma, alpha and beta, in this order. Returns their number. */
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

/*
 * Returns the derivative of X by ln gamma, alpha or beta; the latter two times the largest N and
 * its square, which does not change the spread.
 */
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

/* Returns |g' R^-1|^2 with the triangle R of G = Q R. */
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

/* Returns true if a diagonal element is small: the columns are scaled, so they are dependent. */
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

/* Computes the spread for `count` parameters, at least one. */
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
