/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_dependence.h"

#include "base/alloc.h"
#include "stats/rdam/rdam_known.h"
#include "stats/rdam/theil_sen.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

/* --- One argument -------------------------------------------------------------------------- */

static const double SPEARMAN_LEAST = 0.5, CHANCE_MOST = 0.001;
/* Where programs on 64-bit machines have their memory. */
static const double ADDRESS_LEAST = 0x1p40, ADDRESS_BEYOND = 0x1p48;

static bool is_worth_a_test(const double *x, size_t count)
{
	bool differ = false, addresses = true;

	if (count < RDAM_TESTED_LEAST)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(x[i]))
			return false;
		differ |= x[i] < x[0] || x[i] > x[0];
		addresses &= x[i] >= ADDRESS_LEAST && x[i] < ADDRESS_BEYOND;
	}
	return differ && !addresses;
}

static bool is_beyond_chance(double spearman, size_t count)
{
	double degrees = (double)count - 2, rest = 1 - spearman * spearman;
	double t = fabs(spearman) * sqrt(degrees / rest);

	if (fabs(spearman) < SPEARMAN_LEAST)
		return false;
	return rest <= 0 || 2 * gsl_cdf_tdist_Q(t, degrees) < CHANCE_MOST;
}

static double lost(const double *durations, size_t count)
{
	double least = gsl_stats_min(durations, 1, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += durations[i] - least;
	return sum;
}

/* What is lost when each value has a min of its own. */
static double lost_by_value(const double *x, const double *durations, size_t count, size_t *values)
{
	size_t *order = xreallocarray(NULL, count, sizeof(*order));
	double *group = xreallocarray(NULL, count, sizeof(*group));
	double sum = 0;

	gsl_sort_index(order, x, 1, count);
	*values = 0;
	for (size_t i = 0, length; i < count; i += length) {
		for (length = 0; i + length < count && x[order[i + length]] <= x[order[i]];
		     length++)
			group[length] = durations[order[i + length]];
		sum += lost(group, length);
		++*values;
	}
	free(order);
	free(group);
	return sum;
}

static double lost_beside_line(const double *x, const double *durations, size_t count, double slope)
{
	double *rest = xreallocarray(NULL, count, sizeof(*rest)), sum;

	for (size_t i = 0; i < count; i++)
		rest[i] = durations[i] - slope * x[i];
	sum = lost(rest, count);
	free(rest);
	return sum;
}

struct rdam_dependence rdam_dependence_of(const double *x, const double *durations_ns, size_t count)
{
	struct rdam_dependence dependence = {.tested = is_worth_a_test(x, count)};
	double all = dependence.tested ? lost(durations_ns, count) : 0, slope, left;
	size_t values;
	double *work;

	if (all <= 0)
		return dependence;
	work = xreallocarray(NULL, 2 * count, sizeof(*work));
	dependence.spearman = gsl_stats_spearman(x, 1, durations_ns, 1, count, work);
	free(work);
	dependence.depends = is_beyond_chance(dependence.spearman, count);
	if (!dependence.depends)
		return dependence;
	slope = theil_sen_slope(x, durations_ns, count);
	slope = isfinite(slope) ? slope : 0;
	left = lost_by_value(x, durations_ns, count, &values);
	dependence.by_value = count >= RDAM_PER_VALUE * values;
	if (!dependence.by_value)
		left = lost_beside_line(x, durations_ns, count, slope);
	dependence.slope = slope / 1e9;
	dependence.score = left < all ? left / all : 1;
	return dependence;
}

/* --- A row --------------------------------------------------------------------------------- */

/* What was drawn of the occurrences: their durations, and each argument of them. */
struct drawn {
	double *durations_ns;
	double *x[RDAM_DEPENDENCES];
	size_t count;
};

static void add(struct drawn *drawn, const struct rdam_scope *scope, struct rdam_place *at,
		const struct occurrence *occurrence, double duration_ns)
{
	const double *arguments;
	size_t count;

	rdam_place_at(at, scope, occurrence->begin);
	arguments = rdam_arguments_of(scope->trace, at, &count);
	for (size_t i = 0; i < BLOCK_ARGUMENTS; i++)
		drawn->x[i][drawn->count] = i < count ? arguments[i] : NAN;
	drawn->x[RDAM_CALLS][drawn->count] = (occurrence->end - occurrence->begin) / 2. - 1;
	drawn->durations_ns[drawn->count++] = duration_ns;
}

/* Each of what remains with the chance that is left to it [Knuth 3.4.2, algorithm S]. */
static void draw(struct drawn *drawn, const struct rdam_scope *scope,
		 const struct occurrence *occurrences, const double *durations_ns, size_t count)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	size_t wanted = count < RDAM_DRAWN ? count : RDAM_DRAWN;
	struct rdam_place at = {0};

	gsl_rng_set(random, 1);
	for (size_t i = 0; i < count; i++) {
		size_t missing = wanted - drawn->count;

		if (missing == count - i ||
		    gsl_rng_uniform(random) * (double)(count - i) < (double)missing)
			add(drawn, scope, &at, &occurrences[i], durations_ns[i]);
	}
	gsl_rng_free(random);
}

static void measure(struct rdam_row *row, const struct drawn *drawn)
{
	row->grouped_score = row->score;
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		struct rdam_dependence *dependence = &row->dependence[i];

		*dependence = rdam_dependence_of(drawn->x[i], drawn->durations_ns, drawn->count);
		dependence->score *= row->score;
		row->parameter_dependent |= dependence->depends;
		if (dependence->depends && dependence->score < row->grouped_score)
			row->grouped_score = dependence->score;
	}
}

void rdam_dependence_measure(struct rdam_row *row, const struct rdam_scope *scope,
			     const struct occurrence *occurrences, const double *durations_ns,
			     size_t count)
{
	size_t room = count < RDAM_DRAWN ? count : RDAM_DRAWN;
	struct drawn drawn = {.durations_ns = xreallocarray(NULL, room, sizeof(double))};

	for (size_t i = 0; i < RDAM_DEPENDENCES; i++)
		drawn.x[i] = xreallocarray(NULL, room, sizeof(double));
	draw(&drawn, scope, occurrences, durations_ns, count);
	row->known_dependent =
		row->is_block &&
		rdam_is_known_dependent(scope->trace->blocks->items[row->block].name);
	row->parameter_dependent = row->known_dependent;
	measure(row, &drawn);
	free(drawn.durations_ns);
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++)
		free(drawn.x[i]);
}
