/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_solver.h"

#include "base/alloc.h"
#include "fit/usl/usl_descent.h"
#include "stats/series/series.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- The problem in its coordinates ------------------------------------------ */

/* Returns a point in long double from the measured values on, which a mean cannot be. */
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

/* Takes N as measured, and means with all digits of a double. */
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
 * Computes the derivatives of the scaled X by ln gamma, alpha n_unit and beta n_unit^2, for those
 * in `columns`, times the root of the weight.
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

/* --- The optimum ------------------------------------------------------------- */

/* The largest number of points in a search; more are sampled. */
enum { SEARCHED = 2000 };

/* The problem: the points, and the free coefficients. */
struct problem {
	const struct usl_scaled *scaled;
	size_t free[USL_COEFFICIENTS];
	size_t free_count;
};

static struct problem problem_of(const struct usl_scaled *scaled, unsigned free)
{
	struct problem problem = {.scaled = scaled};

	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		if (free & 1u << k)
			problem.free[problem.free_count++] = k;
	return problem;
}

static void take_known(long double *value, const struct problem *problem)
{
	memcpy(value, problem->scaled->known, USL_COEFFICIENTS * sizeof(*value));
}

/* --- Symmetric positive definite systems of at most three equations -------- */

struct equations {
	long double matrix[USL_COEFFICIENTS][USL_COEFFICIENTS];
	long double right[USL_COEFFICIENTS];
};

/* Adds one point: weight b b' to the matrix, right b to the right-hand side. */
static void equations_add(struct equations *equations, const struct usl_scaled_point *point,
			  long double weight, long double right)
{
	for (size_t i = 0; i < USL_COEFFICIENTS; i++) {
		for (size_t k = 0; k < USL_COEFFICIENTS; k++)
			equations->matrix[i][k] += weight * point->basis[i] * point->basis[k];
		equations->right[i] += right * point->basis[i];
	}
}

/* Solves for the free coefficients. Returns -1 if the matrix is not positive definite. */
static int equations_solve(long double *value, const struct equations *equations,
			   const struct problem *problem)
{
	double entries[USL_COEFFICIENTS * USL_COEFFICIENTS];
	double scales[USL_COEFFICIENTS], unknown[USL_COEFFICIENTS];
	size_t count = problem->free_count;
	gsl_matrix_view matrix = gsl_matrix_view_array(entries, count, count);
	gsl_vector_view scale = gsl_vector_view_array(scales, count);
	gsl_vector_view x = gsl_vector_view_array(unknown, count);

	for (size_t i = 0; i < count; i++) {
		const long double *row = equations->matrix[problem->free[i]];

		for (size_t k = 0; k < count; k++)
			entries[i * count + k] = (double)row[problem->free[k]];
		unknown[i] = (double)equations->right[problem->free[i]];
	}
	if (gsl_linalg_cholesky_decomp2(&matrix.matrix, &scale.vector) ||
	    gsl_linalg_cholesky_svx2(&matrix.matrix, &scale.vector, &x.vector))
		return -1;
	for (size_t i = 0; i < count; i++)
		value[problem->free[i]] = unknown[i];
	return 0;
}

/* --- Start values ----------------------------------------------------------
 * The better one of two starts: the linear form, which is close to the optimum if the noise is
 * small, and the best point of a coarse grid, which is never far from it.
 */

static void keep_better(struct usl_scaled_fit *start, const struct problem *problem,
			const long double *value)
{
	long double rss = usl_scaled_rss(problem->scaled, value);

	if (!(rss < start->rss))
		return;
	start->rss = rss;
	memcpy(start->value, value, sizeof(start->value));
}

/* N/X = D(N) is linear; the weights X^2/N make its residuals those of X, to first order. */
static void start_linear(struct usl_scaled_fit *start, const struct problem *problem)
{
	long double value[USL_COEFFICIENTS];
	struct equations equations = {.right = {0}};

	take_known(value, problem);
	for (size_t i = 0; i < problem->scaled->count; i++) {
		const struct usl_scaled_point *point = &problem->scaled->points[i];
		long double weight = point->x * point->x / point->n;
		long double known = usl_scaled_denominator(point, problem->scaled->known);

		equations_add(&equations, point, point->weight * weight * weight,
			      point->weight * weight * (point->x - weight * known));
	}
	if (equations_solve(value, &equations, problem) == 0)
		keep_better(start, problem, value);
}

/* Multiplies D by the factor that fits best: X is linear in 1/D. */
static void rescale(long double *value, const struct usl_scaled *scaled)
{
	long double xy = 0, xx = 0;

	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double x = point->n / usl_scaled_denominator(point, value);

		xy += point->weight * x * point->x;
		xx += point->weight * x * x;
	}
	for (size_t k = 0; k < USL_COEFFICIENTS; k++)
		value[k] *= xx / xy;
}

static const long double ratios[] = {.01L, .1L, 1, 10, 100};
enum { RATIOS = sizeof(ratios) / sizeof(ratios[0]) };

/* The free coefficients are multiples of the known one, or else of the first free one. */
static size_t first_ratio(const struct problem *problem)
{
	return problem->scaled->known[0] > 0 ? 0 : 1;
}

static size_t grid_nodes(const struct problem *problem)
{
	size_t nodes = 1;

	for (size_t i = first_ratio(problem); i < problem->free_count; i++)
		nodes *= RATIOS;
	return nodes;
}

/* Sets a grid node, ratios of coefficients to one of them. Returns false if a D is not positive. */
static bool grid_node(long double *value, const struct problem *problem, size_t node)
{
	size_t first = first_ratio(problem);
	long double unit = first ? 1 : problem->scaled->known[0];

	take_known(value, problem);
	if (first)
		value[problem->free[0]] = unit;
	for (size_t i = first; i < problem->free_count; i++, node /= RATIOS)
		value[problem->free[i]] = unit * ratios[node % RATIOS];
	if (isinf(usl_scaled_rss(problem->scaled, value)))
		return false;
	if (first)
		rescale(value, problem->scaled);
	return true;
}

static void start_grid(struct usl_scaled_fit *start, const struct problem *problem)
{
	for (size_t node = 0; node < grid_nodes(problem); node++) {
		long double value[USL_COEFFICIENTS];

		if (grid_node(value, problem, node))
			keep_better(start, problem, value);
	}
}

/* --- Damped: from the start into the neighbourhood of the optimum ------------ */

/* Goes as far as it gets; whether that is an optimum is for the polish to find out. */
static void descend(struct usl_scaled_fit *fit, const struct problem *problem)
{
	const struct usl_scaled *scaled = problem->scaled;
	struct usl_descent descent = {.points = xcalloc(scaled->count, sizeof(*descent.points)),
				      .count = scaled->count,
				      .unknowns = problem->free_count};
	double unknown[USL_COEFFICIENTS];

	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *from = &scaled->points[i];
		struct usl_descent_point *point = &descent.points[i];

		*point = (struct usl_descent_point){
			.n = (double)from->n,
			.x = (double)from->x,
			.weight = (double)from->weight,
			.offset = (double)usl_scaled_denominator(from, scaled->known)};
		for (size_t k = 0; k < problem->free_count; k++)
			point->column[k] = (double)from->basis[problem->free[k]];
	}
	for (size_t k = 0; k < problem->free_count; k++)
		unknown[k] = (double)fit->value[problem->free[k]];
	usl_descent_run(&descent, unknown);
	take_known(fit->value, problem);
	for (size_t k = 0; k < problem->free_count; k++)
		fit->value[problem->free[k]] = unknown[k];
	free(descent.points);
}

/* --- Newton's method: from the neighbourhood to the last digit ------------- */

/*
 * Computes Newton's step. With x = N/D the derivatives of (x - X)^2 / 2 by D are (X - x) x / D and
 * (3x - 2X) x / D^2. Without a positive definite matrix there is no minimum near.
 */
static int newton_step(long double *step, const struct usl_scaled_fit *fit,
		       const struct problem *problem)
{
	struct equations equations = {.right = {0}};

	for (size_t i = 0; i < problem->scaled->count; i++) {
		const struct usl_scaled_point *point = &problem->scaled->points[i];
		long double d = usl_scaled_denominator(point, fit->value);
		long double x = point->n / d;

		equations_add(&equations, point,
			      point->weight * ((3 * x - 2 * point->x) * x / (d * d)),
			      point->weight * ((x - point->x) * x / d));
	}
	return equations_solve(step, &equations, problem);
}

/* Returns the largest relative change of D in a step, or infinity if it ends beyond a pole. */
static long double step_size(const long double *step, const struct usl_scaled_fit *fit,
			     const struct usl_scaled *scaled)
{
	long double size = 0;

	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];
		long double change = usl_scaled_denominator(point, step) /
				     usl_scaled_denominator(point, fit->value);

		if (!(change > -1))
			return INFINITY;
		size = fmaxl(size, fabsl(change));
	}
	return size;
}

static int polish(struct usl_scaled_fit *fit, const struct problem *problem)
{
	enum { ITERATIONS = 50 };
	const long double settled = 4 * LDBL_EPSILON, converged = 1e-13L;
	long double size = INFINITY;

	for (int i = 0; i < ITERATIONS && size > settled; i++) {
		long double step[USL_COEFFICIENTS] = {0};

		if (newton_step(step, fit, problem))
			return -1;
		size = step_size(step, fit, problem->scaled);
		if (!isfinite(size))
			return -1;
		for (size_t k = 0; k < USL_COEFFICIENTS; k++)
			fit->value[k] += step[k];
	}
	fit->rss = usl_scaled_rss(problem->scaled, fit->value);
	return size <= converged && isfinite(fit->rss) ? 0 : -1;
}

static int solve_from(struct usl_scaled_fit *fit, struct problem *problem)
{
	descend(fit, problem);
	return polish(fit, problem);
}

/* --- Choice of the optimum ------------------------------------------------- */

/*
 * Returns true if there is only one optimum: all fitted values reach 2/3 of their points, or there
 * is only one coefficient, as X is linear in its reciprocal.
 */
static bool is_unique(const struct usl_scaled_fit *fit, const struct usl_scaled *scaled)
{
	if (__builtin_popcount(fit->free) == 1 && !(scaled->known[0] > 0))
		return true;
	for (size_t i = 0; i < scaled->count; i++) {
		const struct usl_scaled_point *point = &scaled->points[i];

		if (point->weight > 0 &&
		    3 * point->n < 2 * point->x * usl_scaled_denominator(point, fit->value))
			return false;
	}
	return true;
}

static bool is_bounded(const struct usl_scaled_fit *fit)
{
	return fit->value[0] >= 0 && fit->value[1] >= 0 && fit->value[2] >= 0;
}

static bool is_better(const struct usl_scaled_fit *a, const struct usl_scaled_fit *b)
{
	return is_bounded(a) != is_bounded(b) ? is_bounded(a) : a->rss < b->rss;
}

/*
 * Descends from every node of the grid. `rc` says if there is an optimum in *best (0) or not (-1),
 * and so does the returned value.
 */
static int search(struct usl_scaled_fit *best, struct problem *problem, int rc)
{
	for (size_t node = 0; node < grid_nodes(problem); node++) {
		struct usl_scaled_fit fit = {.free = best->free};

		if (!grid_node(fit.value, problem, node) || solve_from(&fit, problem))
			continue;
		if (rc || is_better(&fit, best))
			*best = fit;
		rc = 0;
	}
	return rc;
}

/* Searches if Newton's method alone does not lead from the linear form to a unique optimum. */
static int search_from_best(struct usl_scaled_fit *fit, struct problem *problem)
{
	int rc = -1;

	*fit = (struct usl_scaled_fit){.free = fit->free, .rss = INFINITY};
	start_linear(fit, problem);
	start_grid(fit, problem);
	if (isfinite(fit->rss))
		rc = solve_from(fit, problem);
	if (rc || !is_unique(fit, problem->scaled))
		rc = search(fit, problem, rc);
	return rc;
}

/*
 * Searches a sample of the points, if a search over all would take long, and continues Newton's
 * method with all points. The result is the better one of that and *fit, if `rc` says that *fit is
 * an optimum.
 */
static int search_sample(struct usl_scaled_fit *fit, const struct problem *problem, int rc)
{
	const struct usl_scaled *scaled = problem->scaled;
	size_t step = (scaled->count + SEARCHED - 1) / SEARCHED;
	struct usl_scaled sample = *scaled;
	struct usl_scaled_fit other = {.free = fit->free};
	struct problem smaller = *problem;

	sample.points = xcalloc(SEARCHED, sizeof(*sample.points));
	sample.count = 0;
	for (size_t i = 0; i < scaled->count; i += step)
		sample.points[sample.count++] = scaled->points[i];
	smaller.scaled = &sample;
	if (search_from_best(&other, &smaller) == 0 &&
	    isfinite(usl_scaled_rss(scaled, other.value)) && polish(&other, problem) == 0 &&
	    (rc || is_better(&other, fit))) {
		*fit = other;
		rc = 0;
	}
	free(sample.points);
	return rc;
}

/* Returns true if the law is infinite at N = 1, as with p = 0. */
static bool has_pole(const struct problem *problem)
{
	if (problem->scaled->known[0] > 0 || (problem->free_count && problem->free[0] == 0))
		return false;
	for (size_t i = 0; i < problem->scaled->count; i++)
		if (problem->scaled->points[i].basis[1] == 0)
			return true;
	return false;
}

int usl_solver_fit(struct usl_scaled_fit *fit, const struct usl_scaled *scaled, unsigned free)
{
	struct problem problem = problem_of(scaled, free);
	gsl_error_handler_t *handler;
	int rc = -1;

	*fit = (struct usl_scaled_fit){.free = free, .rss = INFINITY};
	if (has_pole(&problem))
		return -1;
	if (!free) {
		take_known(fit->value, &problem);
		fit->rss = usl_scaled_rss(scaled, fit->value);
		return isfinite(fit->rss) ? 0 : -1;
	}
	handler = gsl_set_error_handler_off();
	start_linear(fit, &problem);
	if (isfinite(fit->rss))
		rc = polish(fit, &problem);
	if (rc || !is_unique(fit, scaled))
		rc = scaled->count > SEARCHED ? search_sample(fit, &problem, rc)
					      : search_from_best(fit, &problem);
	gsl_set_error_handler(handler);
	return rc;
}
