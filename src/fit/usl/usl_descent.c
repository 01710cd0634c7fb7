/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_descent.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* L L' = the matrix, in its place. -1 when it is not positive definite. */
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

/* --- Where to start -------------------------------------------------------- */

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

/* --- The way down ---------------------------------------------------------- */

struct step {
	double of[USL_UNKNOWNS];
	double slope; /* what half the sum of squares changes by, to first order; negative */
	double size;  /* the largest relative change of D */
	double limit; /* the multiple of it at which some D becomes 0; may be infinite */
};

/*
 * With x = n/D the derivatives of (x - X)^2 / 2 by D are (X - x) x / D and (3x - 2X) x / D^2. The
 * second is below 0 where x is far below X: there x^2 / D^2, that of Gauss and Newton, still leads
 * down.
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

/* Goes the step, or as much of it as leads down. False where nothing does: at the minimum. */
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
		/* So close rounding hides which way is down. */
		if (step.size < near)
			return go(descent, unknown, &step, 1);
		if (!go_down(descent, unknown, &rss, &step))
			break;
	}
	return rss;
}
