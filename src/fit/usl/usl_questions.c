/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "base/err.h"
#include "fit/usl/brent.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_means.h"
#include "fit/usl/usl_region.h"
#include "stats/series/series.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- The inverse of the law: N(X) ----------------------------------------------------------
 * X = gamma N / D(N) is a N^2 + b N + c = 0 with
 *
 *	a = beta, b = alpha - beta - gamma / X, c = 1 - alpha
 *
 * and dX/dN has the sign of c - a N^2.
 */

/*
 * Returns sqrt(b^2 - 4ac) as sqrt((|b| - 2s) (|b| + 2s)), which neither overflows nor loses digits
 * near the peak; NaN if it is imaginary. `size` is the size of the terms of b.
 */
static double root_of_discriminant(double a, double b, double c, double size)
{
	const double rounding = 4 * DBL_EPSILON;
	double s = sqrt(fabs(a)) * sqrt(fabs(c));
	double above = fabs(b) - 2 * s;

	if ((a < 0) != (c < 0))
		return hypot(b, 2 * s);
	if (fabs(above) <= rounding * (size + 2 * s))
		return 0;
	return above > 0 ? sqrt(above) * sqrt(above + 4 * s) : NAN;
}

static void branches_place(struct usl_branches *branches, double n, int is_rising)
{
	if (!(n > 0) || isinf(n))
		return;
	if (is_rising)
		branches->rising = n;
	else
		branches->falling = n;
}

struct usl_branches usl_n_of_throughput(const struct usl *usl, double throughput)
{
	double y = usl->gamma / throughput;
	double a = usl->beta, b = usl->alpha - usl->beta - y, c = 1 - usl->alpha;
	double root = root_of_discriminant(a, b, c, fabs(usl->alpha) + fabs(usl->beta) + y);
	double t = -(b + copysign(root, b)) / 2;
	struct usl_branches branches = {NAN, NAN};

	if (a != 0)
		branches_place(&branches, t / a, a < 0);
	if (c != 0)
		branches_place(&branches, c / t, c > 0);
	return branches;
}

/* --- The inverse of the law: N(D) ----------------------------------------------------------
 * D = d is beta M^2 + (alpha + beta) M = d - 1 with M = N - 1. Where D rises through d, its slope 2
 * beta M + alpha + beta is the positive root of the discriminant.
 */

static double n_of_slowdown(const struct usl *usl, double d)
{
	double a = usl->beta, b = usl->alpha + usl->beta;
	double discriminant = b * b + 4 * a * (d - 1), m;

	if (a <= 0 && b <= 0) /* D does not rise */
		return a < 0 || b < 0 || d >= 1 ? INFINITY : NAN;
	if (discriminant < 0)
		return a < 0 ? INFINITY : NAN;
	if (b > 0)
		m = 2 * (d - 1) / (b + sqrt(discriminant));
	else
		m = (-b + sqrt(discriminant)) / (2 * a);
	return m > -1 ? 1 + m : NAN;
}

double usl_n_of_latency(const struct usl *usl, double latency)
{
	return n_of_slowdown(usl, usl->gamma * latency);
}

double usl_efficiency_at(const struct usl *usl, double n)
{
	return usl_throughput(usl, n) / n / usl->gamma;
}

double usl_n_of_efficiency(const struct usl *usl, double share)
{
	return n_of_slowdown(usl, 1 / share);
}

/* --- Other parameters ------------------------------------------------------ */

static double stepped(double value, const struct usl_step *step)
{
	switch (step->how) {
	case USL_SET:
		return step->by;
	case USL_SCALE:
		return value * step->by;
	case USL_ADD:
		return value + step->by;
	case USL_KEEP:
		break;
	}
	return value;
}

static int parameter_step(double *value, const struct usl_step *step, const char *name,
			  bool bounded, struct err *err)
{
	double was = *value;

	*value = stepped(was, step);
	if (step->how == USL_KEEP)
		return 0;
	if (!isfinite(*value))
		return err_set(err, "%s would be out of range; it is %.6g", name, was);
	if (bounded && *value < 0)
		return err_set(err, "%s would be %.6g, and cannot be below 0; it is %.6g", name,
			       *value, was);
	return 0;
}

int usl_change_apply(struct usl *changed, const struct usl *usl, const struct usl_change *change,
		     struct err *err)
{
	bool bounded = !usl->form.unbounded;

	*changed = *usl;
	changed->alpha_se = changed->beta_se = changed->gamma_se = NAN;
	if (parameter_step(&changed->alpha, &change->alpha, "alpha", bounded, err) ||
	    parameter_step(&changed->beta, &change->beta, "beta", bounded, err) ||
	    parameter_step(&changed->gamma, &change->gamma, "gamma", true, err))
		return -1;
	if (!(changed->gamma > 0))
		return err_set(err, "gamma would be 0, and must be above 0");
	return 0;
}

/* --- Estimates ---------------------------------------------------------------------- */

static double best_peak_n(const struct usl *usl)
{
	return usl->beta > 0 || usl_is_retrograde(usl) ? usl_peak_n(usl) : INFINITY;
}

static double best_peak_throughput(const struct usl *usl)
{
	if (usl->beta != 0 || usl_is_retrograde(usl))
		return usl_peak_throughput(usl);
	return usl->alpha > 0 ? usl->gamma / usl->alpha : INFINITY;
}

static double best_of(enum usl_quantity quantity, double n, const struct usl *usl)
{
	switch (quantity) {
	case USL_ALPHA:
		return usl->alpha;
	case USL_BETA:
		return usl->beta;
	case USL_GAMMA:
		return usl->gamma;
	case USL_PEAK_N:
		return best_peak_n(usl);
	case USL_PEAK_X:
		return best_peak_throughput(usl);
	case USL_X:
		return usl_throughput(usl, n);
	case USL_USEFUL:
		return usl_efficiency_at(usl, n);
	case USL_CONTENTION:
	case USL_COHERENCY:
	case USL_MEASURED:
	case USL_POINTS:
		break;
	}
	return (double)usl->n;
}

/* Returns false for a quantity that the form of the fit fixes. */
static bool quantity_is_fitted(enum usl_quantity quantity, const struct usl_form *form)
{
	if (quantity == USL_GAMMA)
		return !form->gamma_first;
	if (quantity == USL_ALPHA)
		return form->model != USL_LINEAR;
	if (quantity == USL_BETA || quantity == USL_PEAK_N)
		return form->model == USL_FULL;
	return true;
}

/* Returns the reason if an end, or the value itself, is missing. */
static enum usl_unknown why_unknown(const struct usl_estimate *estimate,
				    const struct usl_intervals *intervals)
{
	if (!isnan(estimate->best) && !isnan(estimate->interval.low) &&
	    !isnan(estimate->interval.high))
		return USL_KNOWN;
	return isnan(usl_interval_of(intervals, USL_GAMMA, 0).low) ? USL_NO_FREEDOM : USL_NO_PEAK;
}

struct usl_estimate usl_estimate(enum usl_quantity quantity, double n,
				 const struct usl_intervals *intervals)
{
	const struct usl *usl = usl_intervals_fit(intervals);
	struct usl_estimate estimate = {.best = best_of(quantity, n, usl)};

	if (!quantity_is_fitted(quantity, &usl->form))
		return (struct usl_estimate){NAN, {NAN, NAN}, USL_NOT_FITTED};
	if (quantity == USL_POINTS)
		estimate.interval = (struct usl_interval){estimate.best, estimate.best};
	else
		estimate.interval = usl_interval_of(intervals, quantity, n);
	estimate.unknown = why_unknown(&estimate, intervals);
	return estimate;
}

/* --- Answers: an edge of the band --------------------------------------------------- */

struct edge {
	const struct usl_intervals *intervals;
	const struct usl_question *question;
	bool upper;
	double least, most; /* log N of the range of the search */
};

/* Returns the band to compare with goal(): throughput, throughput by N, or a share. */
static struct usl_interval band_at(const struct edge *edge, double n)
{
	struct usl_interval band;

	if (edge->question->subject == USL_EFFICIENCY_AT_LEAST)
		return usl_interval_of(edge->intervals, USL_USEFUL, n);
	band = usl_interval_of(edge->intervals, USL_X, n);
	if (edge->question->subject == USL_THROUGHPUT_REACHED)
		return band;
	return (struct usl_interval){band.low / n, band.high / n};
}

static double goal(const struct usl_question *question)
{
	return question->subject == USL_LATENCY_WITHIN ? 1 / question->target : question->target;
}

/* Returns the bounded logarithm of the edge at exp(log_n) over the goal. */
static double edge_height(double log_n, void *data)
{
	const double far = 50;
	const struct edge *edge = data;
	struct usl_interval band = band_at(edge, exp(log_n));
	double ratio = (edge->upper ? band.high : band.low) / goal(edge->question);

	return isnan(ratio) ? -far : fmin(far, fmax(-far, log(ratio)));
}

static double edge_depth(double log_n, void *data)
{
	return -edge_height(log_n, data);
}

/* --- Answers: where it is above the goal -------------------------------------------- */

/* Returns the place where the edge falls below the goal, from inside; +-INFINITY: never. */
static double edge_leave(struct edge *edge, double inside, double direction)
{
	const double first = .05;
	double limit = direction > 0 ? edge->most : edge->least;

	for (double step = first;; step *= 2) {
		double next = inside + direction * step;

		if ((next - limit) * direction > 0)
			return direction * INFINITY;
		if (edge_height(next, edge) < 0)
			return brent_root(edge_height, edge, inside, next,
					  (struct brent_precision){1e-10, 0});
		inside = next;
	}
}

/* Returns the highest place around `middle`; NaN if the edge is never above the goal. */
static double edge_highest(struct edge *edge, double low, double middle, double high)
{
	struct brent_minimum top = brent_minimum(edge_depth, edge, low, middle, high,
						 (struct brent_precision){1e-6, 0}, 0);

	return top.value <= 0 ? top.x : NAN;
}

/*
 * Returns a place above the goal, uphill from `at`; NaN if the top is below it. The band of a curve
 * has one top: 1/X is convex in N for each law of the region.
 */
static double edge_climb(struct edge *edge, double at)
{
	const double first = .05;
	double here = edge_height(at, edge), direction, behind;

	if (here >= 0)
		return at;
	direction = edge_height(at + first, edge) > here ? 1 : -1;
	behind = at - direction * first;
	for (double step = first; here < 0; step *= 2) {
		double next = at + direction * step, there = edge_height(next, edge);

		if (next < edge->least || next > edge->most)
			return NAN;
		if (there <= here)
			return edge_highest(edge, fmin(behind, next), at, fmax(behind, next));
		behind = at;
		at = next;
		here = there;
	}
	return at;
}

/* Returns the N at which the edge is not below the goal; both NaN if it is everywhere. */
static struct usl_interval edge_span(struct edge *edge, double start)
{
	double inside = edge_climb(edge, log(start));

	if (isnan(inside))
		return (struct usl_interval){NAN, NAN};
	return (struct usl_interval){exp(edge_leave(edge, inside, -1)),
				     exp(edge_leave(edge, inside, 1))};
}

/* --- Answers ----------------------------------------------------------- */

static void answer_throughput(struct usl_answer *answers, const struct usl_interval *upper,
			      const struct usl_interval *lower)
{
	answers[0].interval = (struct usl_interval){
		upper->low, isnan(lower->low) && !isnan(upper->low) ? INFINITY : lower->low};
	answers[1].interval = (struct usl_interval){
		isnan(lower->high) && !isnan(upper->high) ? 0 : lower->high, upper->high};
}

/* Computes the best answers; their intervals follow. */
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
	if (branches.falling > usl_pole_n(usl)) /* beyond a pole the law is not defined */
		branches.falling = NAN;
	answers[0].branch = USL_RISING;
	answers[0].n = branches.rising;
	answers[1].branch = USL_FALLING;
	answers[1].n = branches.falling;
	return isnan(branches.falling) ? 1 : 2;
}

/* Returns the start of the search along the band, inside the N with a curve above the goal. */
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
	const struct usl *usl = usl_intervals_fit(intervals);
	const double reach = 1e9; /* the largest N times this, and divided by it */
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
	/* A curve that first falls and then grows has no top. */
	if (isnan(usl_interval_of(intervals, USL_GAMMA, 0).low) ||
	    (usl->alpha > 1 && usl->beta < 0))
		return count;
	upper = edge_span(&edge, start);
	edge.upper = false;
	lower = isnan(upper.low) ? none : edge_span(&edge, start);
	answer_throughput(answers, &upper, &lower);
	if (answers[0].branch == USL_NO_BRANCH)
		answers[0].interval = answers[1].interval;
	else if (count == 2 && isnan(answers[0].n))
		answers[0] = answers[1];
	return count == 2 && answers[0].branch == USL_FALLING ? 1 : count;
}

/* --- The next measurement ---------------------------------------- */

enum { CANDIDATES = 200 };

/* A fit with room for one more point behind the others. */
struct design {
	struct usl usl;
	struct series series;
	size_t count; /* the number of points without the additional one */
	double s2, level;
	enum usl_aim aim;
	struct usl_candidate_n candidates[CANDIDATES];
	double lengths[CANDIDATES];
	size_t candidate_count;
};

/* Sets the fit to `count` points with the same scatter. */
static void take_points(struct usl *usl, const struct design *design, size_t count)
{
	usl->n = count;
	usl->rss = design->s2 * (double)(count - usl_parameters(&usl->form));
}

static void design_init(struct design *design, const struct usl *usl, const struct series *series,
			double level)
{
	design->usl = *usl;
	design->level = level;
	design->s2 = usl_region_variance(usl, series);
	design->series = usl_means_series(series, USL_REGION_POINTS);
	design->count = design->series.count;
	take_points(&design->usl, design, usl->n);
}

static void design_release(struct design *design)
{
	free(design->series.points);
	free(design->series.weights);
}

static struct usl_interval interval_of(const struct design *design, const struct usl *usl)
{
	struct usl_region *region = usl_region_new(usl, &design->series, design->level);
	struct usl_interval interval = design->aim == USL_AIM_BETA
					       ? usl_region_interval(region, USL_BETA, 0)
					       : usl_region_interval(region, USL_PEAK_N, 0);

	usl_region_free(region);
	return interval;
}

/* Returns the weight of a measurement at N: that of the nearest point, with full trust. */
static double weight_at(const struct series *series, double n)
{
	size_t nearest = 0;

	for (size_t i = 1; i < series->count; i++)
		if (fabs(series->points[i].n - n) < fabs(series->points[nearest].n - n))
			nearest = i;
	return series_own_weight(series, nearest);
}

static struct usl_interval interval_with(struct design *design, const struct series *series,
					 double n)
{
	struct usl usl = design->usl;
	struct usl_interval interval;

	take_points(&usl, design, usl.n + 1);
	usl.largest_n = fmax(usl.largest_n, n);
	design->series.points[design->count] =
		(struct series_point){n, usl_throughput(&design->usl, n)};
	design->series.weights[design->count] = weight_at(series, n);
	design->series.count = design->count + 1;
	interval = interval_of(design, &usl);
	design->series.count = design->count;
	return interval;
}

static double length(enum usl_aim aim, struct usl_interval interval)
{
	return aim == USL_AIM_PEAK_N ? log(interval.high / interval.low)
				     : interval.high - interval.low;
}

/* Chooses the parameter that further points shall determine. */
static struct usl_interval choose_aim(struct design *design)
{
	struct usl_interval now;

	design->aim = USL_AIM_PEAK_N;
	now = interval_of(design, &design->usl);
	if (isfinite(now.high) && now.low > 0)
		return now;
	design->aim = USL_AIM_BETA;
	now = interval_of(design, &design->usl);
	if (!(now.high > now.low) || isinf(now.high))
		design->aim = USL_AIM_NOTHING;
	return now;
}

/*
 * Tries whole numbers from 1 on, first each, then in equal steps of ln N. An N beyond a pole, where
 * the law is not defined, is no candidate.
 */
static void try_all(struct design *design, const struct series *series, double most)
{
	double last = floor(most), step = pow(most, 1. / (CANDIDATES - 1)), n = 1;

	while (design->candidate_count < CANDIDATES && n <= most) {
		struct usl_candidate_n candidate = {.n = n};
		double next;

		if (usl_throughput(&design->usl, n) > 0) {
			candidate.interval = interval_with(design, series, n);
			design->lengths[design->candidate_count] =
				length(design->aim, candidate.interval);
			design->candidates[design->candidate_count++] = candidate;
		}
		next = fmax(n + 1, most <= CANDIDATES ? 0 : floor(n * step));
		n = n < last ? fmin(next, last) : next;
	}
}

/*
 * Returns the shortest interval, without those from `from` to `to`, and only if it is shorter than
 * its neighbours; CANDIDATES: none.
 */
static size_t shortest(const struct design *design, size_t from, size_t to)
{
	size_t best = CANDIDATES;

	for (size_t i = 0; i < design->candidate_count; i++) {
		bool falls = i && design->lengths[i - 1] < design->lengths[i];
		bool rises = i + 1 < design->candidate_count &&
			     design->lengths[i + 1] < design->lengths[i];

		if ((i >= from && i <= to) || falls || rises || isnan(design->lengths[i]))
			continue;
		if (best == CANDIDATES || design->lengths[i] < design->lengths[best])
			best = i;
	}
	return best;
}

static void choose(struct usl_suggestion *suggestion, const struct design *design)
{
	const double nearly = .9;
	size_t best = shortest(design, 1, 0), from = best, to = best, second;
	double now = length(design->aim, suggestion->now), enough;

	if (best == CANDIDATES || !(design->lengths[best] < now)) {
		suggestion->aim = USL_AIM_NOTHING;
		return;
	}
	enough = now - nearly * (now - design->lengths[best]);
	while (from > 0 && design->lengths[from - 1] <= enough)
		from--;
	while (to + 1 < design->candidate_count && design->lengths[to + 1] <= enough)
		to++;
	second = shortest(design, from, to);
	suggestion->best = design->candidates[best];
	suggestion->flat.low = design->candidates[from].n;
	suggestion->flat.high = design->candidates[to].n;
	suggestion->second = second < CANDIDATES ? design->candidates[second]
						 : (struct usl_candidate_n){NAN, {NAN, NAN}};
}

void usl_suggest(struct usl_suggestion *suggestion, const struct usl *usl,
		 const struct series *series, double level, double most)
{
	struct design design = {.aim = USL_AIM_NOTHING};

	*suggestion = (struct usl_suggestion){.aim = USL_AIM_NOTHING};
	design_init(&design, usl, series, level);
	if (!isnan(design.s2))
		suggestion->now = choose_aim(&design);
	suggestion->aim = design.aim;
	if (design.aim != USL_AIM_NOTHING) {
		try_all(&design, series, most);
		choose(suggestion, &design);
	}
	design_release(&design);
}
