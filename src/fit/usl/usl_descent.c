/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_descent.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_solver.h"
#include "stats/series/series.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- The points of a refit -------------------------------------------------- */

/* Sums the weights of the points at N = 1, which give a measured gamma. */
static void take_ones(struct usl_refit *refit)
{
	for (size_t i = 0; i < refit->count; i++)
		if (refit->points[i].n == refit->one)
			refit->ones += refit->points[i].weight;
}

static void take_points(struct usl_refit *refit, const struct series *series)
{
	for (size_t i = 0; i < refit->count; i++) {
		struct usl_descent_point *point = &refit->points[i];
		double n = series->points[i].n / refit->n_unit;

		point->n = n;
		point->x = series->points[i].throughput / refit->x_unit;
		point->weight = series_weight(series, i);
		refit->basis[i][0] = 1;
		refit->basis[i][1] = n - refit->one;
		refit->basis[i][2] = n * (n - refit->one);
	}
}

void usl_refit_init(struct usl_refit *refit, const struct usl *usl, const struct series *series)
{
	static const unsigned fitted[] = {[USL_FULL] = USL_P | USL_Q | USL_R,
					  [USL_AMDAHL] = USL_P | USL_Q,
					  [USL_LINEAR] = USL_P};
	double n_unit = series_max_n(series), x_unit = series_max_throughput(series);
	double p = x_unit / n_unit / usl->gamma;

	*refit = (struct usl_refit){
		.count = series->count,
		.n_unit = n_unit,
		.x_unit = x_unit,
		.one = 1 / n_unit,
		.free = fitted[usl->form.model] & ~(usl->form.gamma_first ? USL_P : 0u),
		.parameters = (size_t)__builtin_popcount(fitted[usl->form.model]),
		.bounded = !usl->form.unbounded,
		.best = {p, usl->alpha * n_unit * p, usl->beta * n_unit * n_unit * p}};
	refit->points = xcalloc(series->count, sizeof(*refit->points));
	refit->basis = xcalloc(series->count, sizeof(*refit->basis));
	take_points(refit, series);
	if (usl->form.gamma_first)
		take_ones(refit);
}

void usl_refit_release(struct usl_refit *refit)
{
	free(refit->points);
	free(refit->basis);
}

/* --- A refit ---------------------------------------------------------------- */

/* Makes D a function of the coefficients in `free_ones`, listed in `which`; others are fixed. */
static struct usl_descent set_columns(size_t *which, struct usl_refit *refit, unsigned free_ones,
				      const double *theta)
{
	struct usl_descent descent = {.points = refit->points, .count = refit->count};

	for (size_t k = 0; k < USL_THETA; k++)
		if (free_ones & 1u << k)
			which[descent.unknowns++] = k;
	for (size_t i = 0; i < refit->count; i++) {
		struct usl_descent_point *point = &refit->points[i];

		point->offset = 0;
		for (size_t k = 0; k < USL_THETA; k++)
			if (!(free_ones & 1u << k))
				point->offset += theta[k] * refit->basis[i][k];
		for (size_t j = 0; j < descent.unknowns; j++)
			point->column[j] = refit->basis[i][which[j]];
	}
	return descent;
}

/* Inverts a symmetric positive definite 3 x 3 matrix; returns -1 if it is not. */
static int invert(double inverse[USL_THETA][USL_THETA], double m[USL_THETA][USL_THETA])
{
	const double least = 1e-14;
	double determinant = 0;

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			size_t a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

			inverse[i][k] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
		}
	}
	for (size_t k = 0; k < 3; k++)
		determinant += m[0][k] * inverse[k][0];
	if (!(determinant > least * m[0][0] * m[1][1] * m[2][2]))
		return -1;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			inverse[i][k] /= determinant;
	return 0;
}

/* Computes the spread. With X = n/D the derivatives by theta are -X/D times the basis. */
static int take_spread(struct usl_refitted *found, const struct usl_refit *refit)
{
	double squares[USL_THETA][USL_THETA] = {{0}};

	for (size_t i = 0; i < refit->count; i++) {
		const struct usl_descent_point *point = &refit->points[i];
		const double *basis = refit->basis[i];
		double slope = point->n / (point->d * point->d);
		double weight = point->weight * slope * slope;

		for (size_t j = 0; j < USL_THETA; j++)
			for (size_t k = 0; k <= j; k++)
				squares[j][k] += weight * basis[j] * basis[k];
	}
	for (size_t j = 0; j < USL_THETA; j++) {
		for (size_t k = 0; k < j; k++) {
			if (!(found->free & 1u << j) || !(found->free & 1u << k))
				squares[j][k] = 0;
			squares[k][j] = squares[j][k];
		}
		if (!(found->free & 1u << j))
			squares[j][j] = 1;
	}
	if (invert(found->spread, squares))
		return -1;
	for (size_t j = 0; j < USL_THETA; j++)
		if (!(found->free & 1u << j))
			found->spread[j][j] = 0;
	return 0;
}

/* Descends from `theta`, in the coefficients `free_ones` only. */
static int descend(struct usl_refitted *found, struct usl_refit *refit, unsigned free_ones,
		   const double *theta)
{
	size_t which[USL_THETA];
	struct usl_descent descent = set_columns(which, refit, free_ones, theta);
	double unknown[USL_UNKNOWNS] = {0};

	memcpy(found->theta, theta, sizeof(found->theta));
	for (size_t j = 0; j < descent.unknowns; j++)
		unknown[j] = theta[which[j]];
	found->rss = usl_descent_run(&descent, unknown);
	if (!isfinite(found->rss))
		return -1;
	for (size_t j = 0; j < descent.unknowns; j++)
		found->theta[which[j]] = unknown[j];
	found->free = free_ones;
	return 0;
}

int usl_refit_unbounded(struct usl_refitted *found, struct usl_refit *refit)
{
	return descend(found, refit, refit->free, refit->best) || take_spread(found, refit) ? -1
											    : 0;
}

static bool is_within(const double *theta)
{
	return theta[0] > 0 && theta[1] >= 0 && theta[2] >= 0;
}

int usl_refit_bounded(struct usl_refitted *found, struct usl_refit *refit,
		      const struct usl_refitted *unbounded)
{
	static const unsigned edges[] = {USL_Q, USL_R, USL_Q | USL_R};
	unsigned best = 0;
	double least = INFINITY;

	if (is_within(unbounded->theta) || !refit->bounded) {
		*found = *unbounded;
		return 0;
	}
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		double start[USL_THETA];
		struct usl_refitted edge;

		if (edges[i] & ~refit->free)
			continue;
		for (size_t k = 0; k < USL_THETA; k++)
			start[k] = edges[i] & 1u << k ? 0 : refit->best[k];
		if (descend(&edge, refit, refit->free & ~edges[i], start) ||
		    !is_within(edge.theta) || !(edge.rss < least))
			continue;
		least = edge.rss;
		best = edges[i];
		*found = edge;
	}
	return isinf(least) ||
			       descend(found, refit, refit->free & ~best,
				       memcpy((double[USL_THETA]){0}, found->theta,
					      sizeof(found->theta))) ||
			       take_spread(found, refit)
		       ? -1
		       : 0;
}

double usl_refit_spread(const struct usl_refitted *found, const double *form, const double *other)
{
	double sum = 0;

	for (size_t j = 0; j < USL_THETA; j++)
		for (size_t k = 0; k < USL_THETA; k++)
			sum += form[j] * found->spread[j][k] * other[k];
	return sum;
}

/* --- Symmetric positive definite systems of few equations -------- */

struct equations {
	double matrix[USL_UNKNOWNS][USL_UNKNOWNS]; /* the lower triangle */
	double right[USL_UNKNOWNS];
};

static void equations_add(struct equations *equations, const double *column, size_t count,
			  double weight, double right)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k <= i; k++)
			equations->matrix[i][k] += weight * column[i] * column[k];
		equations->right[i] += right * column[i];
	}
}

/* Replaces the matrix by L, with L L' = the matrix. Returns -1 if it is not positive definite. */
static int factorise(struct equations *equations, size_t count)
{
	double(*m)[USL_UNKNOWNS] = equations->matrix;

	for (size_t i = 0; i < count; i++) {
		double least = 4 * DBL_EPSILON * m[i][i];

		for (size_t k = 0; k <= i; k++) {
			for (size_t j = 0; j < k; j++)
				m[i][k] -= m[i][j] * m[k][j];
			if (k < i)
				m[i][k] /= m[k][k];
		}
		if (!(m[i][i] > least))
			return -1;
		m[i][i] = sqrt(m[i][i]);
	}
	return 0;
}

static int equations_solve(double *unknown, struct equations *equations, size_t count)
{
	if (factorise(equations, count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		unknown[i] = equations->right[i];
		for (size_t k = 0; k < i; k++)
			unknown[i] -= equations->matrix[i][k] * unknown[k];
		unknown[i] /= equations->matrix[i][i];
	}
	for (size_t i = count; i-- > 0;) {
		for (size_t k = i + 1; k < count; k++)
			unknown[i] -= equations->matrix[k][i] * unknown[k];
		unknown[i] /= equations->matrix[i][i];
	}
	return 0;
}

/* --- The start ------------------------------------------------------------- */

double usl_descent_rss(struct usl_descent *descent, const double *unknown)
{
	double sum = 0;

	for (size_t i = 0; i < descent->count; i++) {
		struct usl_descent_point *point = &descent->points[i];
		double residual;

		point->d = point->offset;
		for (size_t k = 0; k < descent->unknowns; k++)
			point->d += unknown[k] * point->column[k];
		if (!(point->d > 0))
			return INFINITY;
		residual = point->n / point->d - point->x;
		sum += point->weight * residual * residual;
	}
	return sum;
}

int usl_descent_start(const struct usl_descent *descent, double *unknown, const double *target)
{
	struct equations equations = {.right = {0}};

	for (size_t i = 0; i < descent->count; i++) {
		const struct usl_descent_point *point = &descent->points[i];
		double d = target ? target[i] : point->n / point->x;
		double slope = point->n / d / d;
		double weight = point->weight * slope * slope;

		equations_add(&equations, point->column, descent->unknowns, weight,
			      weight * (d - point->offset));
	}
	return equations_solve(unknown, &equations, descent->unknowns);
}

/* --- The descent ----------------------------------------------------------- */

struct step {
	double of[USL_UNKNOWNS];
	double slope; /* first-order slope of half the sum of squares along the step; negative */
	double size;  /* the largest relative change of D */
	double limit; /* the multiple of the step at which a D becomes 0; may be infinite */
};

/*
 * Finds Newton's step. With x = n/D the derivatives of (x - X)^2 / 2 by D are (X - x) x / D and (3x
 * - 2X) x / D^2. The second is below 0 if x is far below X: there the step of Gauss and Newton,
 * with x^2 / D^2, still leads down.
 */
static int find_step(struct step *step, const struct usl_descent *descent)
{
	struct equations equations = {.right = {0}};
	double downhill[USL_UNKNOWNS];

	for (size_t i = 0; i < descent->count; i++) {
		const struct usl_descent_point *point = &descent->points[i];
		double x = point->n / point->d;
		double slope = x / point->d;
		double curvature = 3 * x - 2 * point->x;

		if (!(curvature > 0))
			curvature = x;
		equations_add(&equations, point->column, descent->unknowns,
			      point->weight * curvature * slope / point->d,
			      point->weight * (x - point->x) * slope);
	}
	memcpy(downhill, equations.right, descent->unknowns * sizeof(*downhill));
	if (equations_solve(step->of, &equations, descent->unknowns))
		return -1;
	step->slope = 0;
	for (size_t k = 0; k < descent->unknowns; k++)
		step->slope -= downhill[k] * step->of[k];
	return 0;
}

static void measure_step(struct step *step, const struct usl_descent *descent)
{
	double fall = 0;

	step->size = 0;
	for (size_t i = 0; i < descent->count; i++) {
		const struct usl_descent_point *point = &descent->points[i];
		double change = 0;

		for (size_t k = 0; k < descent->unknowns; k++)
			change += step->of[k] * point->column[k];
		change /= point->d;
		step->size = fmax(step->size, fabs(change));
		fall = fmax(fall, -change);
	}
	step->limit = fall > 0 ? 1 / fall : INFINITY;
}

/* Goes a share of the step. */
static double go(struct usl_descent *descent, double *unknown, const struct step *step,
		 double share)
{
	for (size_t k = 0; k < descent->unknowns; k++)
		unknown[k] += share * step->of[k];
	return usl_descent_rss(descent, unknown);
}

/* Goes the step, or the largest part of it that leads down. Returns false at the minimum. */
static bool go_down(struct usl_descent *descent, double *unknown, double *rss,
		    const struct step *step)
{
	const double least = 1e-4, enough = 1e-4;
	size_t size = descent->unknowns * sizeof(*unknown);

	for (double share = fmin(1, .9 * step->limit); share > least; share /= 2) {
		double next[USL_UNKNOWNS], next_rss;

		memcpy(next, unknown, size);
		next_rss = go(descent, next, step, share);
		if (next_rss > *rss + 2 * enough * share * step->slope)
			continue;
		memcpy(unknown, next, size);
		*rss = next_rss;
		return true;
	}
	usl_descent_rss(descent, unknown);
	return false;
}

double usl_descent_run(struct usl_descent *descent, double *unknown)
{
	enum { ITERATIONS = 100 };
	const double near = 1e-6; /* the next step would be its square */
	double rss = usl_descent_rss(descent, unknown);

	for (int i = 0; i < ITERATIONS && descent->unknowns && isfinite(rss); i++) {
		struct step step;

		if (find_step(&step, descent))
			break;
		measure_step(&step, descent);
		/* So near the minimum, rounding hides the way down. */
		if (step.size < near)
			return go(descent, unknown, &step, 1);
		if (!go_down(descent, unknown, &rss, &step))
			break;
	}
	return rss;
}
