/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_answer.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_inverse.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_roots.h>
#include <math.h>

/* --- An edge of the band --------------------------------------------------- */

struct edge {
	const struct usl_intervals *intervals;
	const struct usl_question *question;
	bool upper;
	double least, most; /* log N beyond which nothing is looked for */
};

/* What is compared with `goal`: throughput in all, of each, or as a share. */
static struct usl_interval band_at(const struct edge *edge, double n)
{
	struct usl_interval band;

	if (edge->question->subject == USL_EFFICIENCY_AT_LEAST)
		return usl_intervals_share(edge->intervals, USL_USEFUL, n);
	band = usl_intervals_throughput(edge->intervals, n);
	if (edge->question->subject == USL_THROUGHPUT_REACHED)
		return band;
	return (struct usl_interval){band.low / n, band.high / n};
}

static double goal(const struct usl_question *question)
{
	return question->subject == USL_LATENCY_WITHIN ? 1 / question->target : question->target;
}

/* By how much the edge is above the goal at exp(log_n), as a logarithm of no great size. */
static double height(double log_n, const struct edge *edge)
{
	const double far = 50;
	struct usl_interval band = band_at(edge, exp(log_n));
	double ratio = (edge->upper ? band.high : band.low) / goal(edge->question);

	return isnan(ratio) ? -far : fmin(far, fmax(-far, log(ratio)));
}

static double height_of(double log_n, void *data)
{
	return height(log_n, data);
}

static double depth_of(double log_n, void *data)
{
	return -height(log_n, data);
}

/* --- Where it is above the goal -------------------------------------------- */

/* The edge is at the goal between two places, at one of which it is above. */
static double cross(gsl_root_fsolver *solver, struct edge *edge, double from, double to)
{
	enum { ITERATIONS = 100 };
	gsl_function function = {.function = height_of, .params = edge};

	if (gsl_root_fsolver_set(solver, &function, fmin(from, to), fmax(from, to)))
		return to;
	for (int i = 0; i < ITERATIONS; i++)
		if (gsl_root_fsolver_iterate(solver) ||
		    gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
					   gsl_root_fsolver_x_upper(solver), 1e-10,
					   0) == GSL_SUCCESS)
			break;
	return gsl_root_fsolver_root(solver);
}

static double crossing(struct edge *edge, double from, double to)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	double where = solver ? cross(solver, edge, from, to) : to;

	gsl_root_fsolver_free(solver);
	gsl_set_error_handler(handler);
	return where;
}

/* From inside outwards; +-INFINITY where the edge stays above the goal. */
static double leave(struct edge *edge, double inside, double direction)
{
	const double first = .05;
	double limit = direction > 0 ? edge->most : edge->least;

	for (double step = first;; step *= 2) {
		double next = inside + direction * step;

		if ((next - limit) * direction > 0)
			return direction * INFINITY;
		if (height(next, edge) < 0)
			return crossing(edge, inside, next);
		inside = next;
	}
}

/* Brent's method from a bracket, until the edge is above the goal; NaN where it never is. */
static double highest(struct edge *edge, double low, double middle, double high)
{
	enum { ITERATIONS = 60 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function function = {.function = depth_of, .params = edge};
	double where = NAN;

	if (solver && gsl_min_fminimizer_set(solver, &function, middle, low, high) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS && isnan(where); i++) {
			if (gsl_min_fminimizer_iterate(solver) ||
			    gsl_min_test_interval(gsl_min_fminimizer_x_lower(solver),
						  gsl_min_fminimizer_x_upper(solver), 1e-6,
						  0) == GSL_SUCCESS)
				break;
			if (gsl_min_fminimizer_f_minimum(solver) <= 0)
				where = gsl_min_fminimizer_x_minimum(solver);
		}
	}
	gsl_min_fminimizer_free(solver);
	gsl_set_error_handler(handler);
	return where;
}

/* A place above the goal, uphill from `at`; NaN where the top is below it. The band of a curve has
 * one top: 1/X is convex in N for each law of the region. */
static double climb(struct edge *edge, double at)
{
	const double first = .05;
	double here = height(at, edge), direction, behind;

	if (here >= 0)
		return at;
	direction = height(at + first, edge) > here ? 1 : -1;
	behind = at - direction * first;
	for (double step = first; here < 0; step *= 2) {
		double next = at + direction * step, there = height(next, edge);

		if (next < edge->least || next > edge->most)
			return NAN;
		if (there <= here)
			return highest(edge, fmin(behind, next), at, fmax(behind, next));
		behind = at;
		at = next;
		here = there;
	}
	return at;
}

/* The N at which the edge is not below the goal; both NaN where it is everywhere. */
static struct usl_interval span(struct edge *edge, double start)
{
	double inside = climb(edge, log(start));

	if (isnan(inside))
		return (struct usl_interval){NAN, NAN};
	return (struct usl_interval){exp(leave(edge, inside, -1)), exp(leave(edge, inside, 1))};
}

/* --- The answers ----------------------------------------------------------- */

static void answer_throughput(struct usl_answer *answers, const struct usl_interval *upper,
			      const struct usl_interval *lower)
{
	answers[0].interval = (struct usl_interval){
		upper->low, isnan(lower->low) && !isnan(upper->low) ? INFINITY : lower->low};
	answers[1].interval = (struct usl_interval){
		isnan(lower->high) && !isnan(upper->high) ? 0 : lower->high, upper->high};
}

/* The best answers; their intervals follow. */
static size_t answer_best(struct usl_answer *answers, const struct usl_question *question,
			  const struct usl *usl)
{
	struct usl_branches branches;

	if (question->subject != USL_THROUGHPUT_REACHED) {
		answers[0].branch = USL_NO_BRANCH;
		answers[0].n = question->subject == USL_LATENCY_WITHIN
				       ? usl_n_of_latency(usl, question->target)
				       : usl_n_of_efficiency(usl, question->target);
		return 1;
	}
	branches = usl_n_of_throughput(usl, question->target);
	if (branches.falling > usl_pole_n(usl)) /* where the law says nothing */
		branches.falling = NAN;
	answers[0].branch = USL_RISING;
	answers[0].n = branches.rising;
	answers[1].branch = USL_FALLING;
	answers[1].n = branches.falling;
	return isnan(branches.falling) ? 1 : 2;
}

/* Where the band is to be followed from: inside where the curve is above the goal. */
static double start_of(const struct usl_answer *answers, size_t count, const struct usl *usl)
{
	double peak = usl_peak_n(usl), n = answers[0].n;

	if (answers[0].branch == USL_NO_BRANCH)
		return isfinite(n) ? n / 2 : usl->largest_n;
	if (count == 2 && isnan(n)) /* falling from the first N on */
		return answers[1].n / 2;
	if (isfinite(peak))
		return peak;
	return isfinite(n) ? 2 * n : usl->largest_n;
}

size_t usl_answer(struct usl_answer answers[USL_ANSWERS], const struct usl_question *question,
		  const struct usl_intervals *intervals)
{
	const struct usl *usl = intervals->usl;
	const double reach = 1e9; /* a multiple of the largest N, and its reciprocal */
	const struct usl_interval none = {NAN, NAN};
	size_t count = answer_best(answers, question, usl);
	double start = start_of(answers, count, usl);
	struct edge edge = {.intervals = intervals,
			    .question = question,
			    .upper = true,
			    .least = log(usl->largest_n / reach),
			    .most = log(usl->largest_n * reach)};
	struct usl_interval upper, lower;

	answers[0].interval = answers[1].interval = none;
	/* A curve that falls first and grows then has no top to look around. */
	if (isnan(usl_intervals_gamma(intervals).low) || (usl->alpha > 1 && usl->beta < 0))
		return count;
	upper = span(&edge, start);
	edge.upper = false;
	lower = isnan(upper.low) ? none : span(&edge, start);
	answer_throughput(answers, &upper, &lower);
	if (answers[0].branch == USL_NO_BRANCH)
		answers[0].interval = answers[1].interval;
	else if (count == 2 && isnan(answers[0].n))
		answers[0] = answers[1];
	return count == 2 && answers[0].branch == USL_FALLING ? 1 : count;
}
