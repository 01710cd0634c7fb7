/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series.h"

#include "base/alloc.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* The least relative change of the mean that is reported. */
static const double NOTABLE = .02;

/*
 * Returns the first d <= limit with the least MSER(d) of batches[0], batches[step], ... Squares are
 * summed from the end with the running mean of Welford, which loses no digits.
 */
static size_t best_cut(const double *batches, ptrdiff_t step, size_t count, size_t limit)
{
	double mean = 0, squares = 0, best = INFINITY;
	size_t cut = 0;

	for (size_t kept = 1; kept <= count; kept++) {
		size_t d = count - kept;
		double value = batches[(ptrdiff_t)d * step];
		double off = value - mean, error;

		mean += off / (double)kept;
		squares += off * (value - mean);
		error = squares / ((double)kept * (double)kept);
		if (d > limit || error > best)
			continue;
		best = error;
		cut = d;
	}
	return cut;
}

struct cuts {
	size_t start, end, limit; /* numbers of batches; `limit` is for start + end */
};

static void find_cuts(struct cuts *cuts, const double *batches, size_t count, bool cut_end)
{
	enum { TURNS_MAX = 100 };
	size_t limit = count > STEADY_BATCHES_KEPT ? count - STEADY_BATCHES_KEPT : 0;

	*cuts = (struct cuts){.limit = limit < count / 2 ? limit : count / 2};
	cuts->start = best_cut(batches, 1, count, cuts->limit);
	for (size_t turn = 0; cut_end && turn < TURNS_MAX; turn++) {
		size_t start = cuts->start, end = cuts->end;

		cuts->end = best_cut(batches + count - 1, -1, count - start, cuts->limit - start);
		cuts->start = best_cut(batches, 1, count - cuts->end, cuts->limit - cuts->end);
		if (cuts->start == start && cuts->end == end)
			break;
	}
}

static void find_mean(struct steady *steady, const double *batches, size_t count)
{
	double squares = 0;

	steady->mean = 0;
	for (size_t i = 0; i < count; i++) {
		double off = batches[i] - steady->mean;

		steady->mean += off / (double)(i + 1);
		squares += off * (batches[i] - steady->mean);
	}
	steady->se = count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
}

static double mean_of(const double *batches, const struct cuts *cuts, size_t count)
{
	struct steady kept;

	find_mean(&kept, batches + cuts->start, count - cuts->start - cuts->end);
	return kept.mean;
}

static bool ends_off(const double *batches, const struct cuts *cuts, size_t count)
{
	struct cuts both;
	double mean = mean_of(batches, cuts, count);

	find_cuts(&both, batches, count, true);
	return both.end > 0 && fabs(mean_of(batches, &both, count) - mean) > NOTABLE * fabs(mean);
}

static void find_rise(struct steady *steady, const double *batches, size_t count)
{
	double middle = (double)(count - 1) / 2, xx = 0, xy = 0, yy = 0, slope, rest;

	steady->rise = steady->rise_p = NAN;
	if (count < 3)
		return;
	for (size_t i = 0; i < count; i++) {
		double x = (double)i - middle, y = batches[i] - steady->mean;

		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	slope = xy / xx;
	rest = fmax(0, yy - slope * xy);
	steady->rise = slope * (double)(count - 1) / steady->mean;
	steady->rise_p =
		rest > 0 ? 2 * gsl_cdf_tdist_Q(fabs(slope) / sqrt(rest / (double)(count - 2) / xx),
					       (double)(count - 2))
			 : slope == 0;
}

/* Returns the means of values divided by `unit`, so that no square overflows. */
static double *batch_means(const double *values, size_t count, double unit)
{
	double *batches = xcalloc(count, sizeof(*batches));

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < STEADY_BATCH; k++)
			batches[i] += values[i * STEADY_BATCH + k] / unit / STEADY_BATCH;
	return batches;
}

static double largest(const double *values, size_t count)
{
	double max = 0;

	for (size_t i = 0; i < count; i++)
		max = fmax(max, fabs(values[i]));
	return max > 0 ? max : 1;
}

/* Takes all values, too few for a batch. */
static void take_all(struct steady *steady, const double *values, size_t count)
{
	*steady = (struct steady){.end = count, .se = NAN, .rise = NAN, .rise_p = NAN};
	for (size_t i = 0; i < count; i++)
		steady->mean += values[i] / (double)count;
}

void steady_find(struct steady *steady, const double *values, size_t count, bool cut_end)
{
	size_t batch_count = count / STEADY_BATCH;
	double unit = largest(values, count);
	double *batches;
	struct cuts cuts;

	if (!batch_count) {
		take_all(steady, values, count);
		return;
	}
	batches = batch_means(values, batch_count, unit);
	find_cuts(&cuts, batches, batch_count, cut_end);
	*steady = (struct steady){
		.begin = cuts.start * STEADY_BATCH,
		.end = (batch_count - cuts.end) * STEADY_BATCH,
		.batches = batch_count - cuts.start - cuts.end,
		.at_limit = cuts.limit > 0 && cuts.start + cuts.end == cuts.limit,
	};
	steady->ends_off = !cut_end && ends_off(batches, &cuts, batch_count);
	find_mean(steady, batches + cuts.start, steady->batches);
	find_rise(steady, batches + cuts.start, steady->batches);
	steady->mean *= unit;
	steady->se *= unit;
	free(batches);
}

bool steady_trends(const struct steady *steady)
{
	return steady->rise_p < .01 && fabs(steady->rise) > NOTABLE;
}
