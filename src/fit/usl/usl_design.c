/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_means.h"
#include "fit/usl/usl_region.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CANDIDATES = 200 };

/* A fit with room for one more point behind the others. */
struct design {
	struct usl usl;
	struct series series;
	size_t count; /* of points that are there */
	double s2, level;
	enum usl_aim aim;
	struct usl_candidate_n candidates[CANDIDATES];
	double lengths[CANDIDATES];
	size_t candidate_count;
};

/* A fit to so many points that scatter alike. */
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

/* A single measurement at N is as precise as those next to it, and trusted. */
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

/* What the points can be asked for. */
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

/* Whole numbers from 1 on, at first each, then in equal steps of ln N. A measurement that would be
 * none, beyond a pole, is no candidate. */
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

/* The shortest, but for those from `from` to `to`; only where it is shorter than its neighbours.
 * CANDIDATES if there is none. */
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
