/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replicates of a simulation: other possible runs of the program. Each has
 *  - visits drawn from the recorded ones in blocks, as successive visits are alike [Politis &
 * Romano 1992];
 *  - CPU times and waits that are all longer or shorter by some per cent, as in another run;
 *  - another seed, and about as many requests as a run that a user would measure;
 *  - a shift of at most the error of the self-check.
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "model/forecast/forecast_private.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { REPLICATE_REQUESTS = 20000 };

/* Standard deviations of the logarithm of the factors between runs. */
static const double cpu_spread = .03, wait_spread = .03;

/* --- One replicate ---------------------------------------------------------------------------- */

/* Redraws visits in blocks, whose best length is the cube root of the visits [Hall et al. 1995]. */
static void redraw_visits(struct model_pool *pool, gsl_rng *random)
{
	size_t count = pool->visit_count, block = (size_t)fmax(1, cbrt((double)count));
	struct model_visit *drawn;

	if (!count)
		return;
	drawn = xcalloc(count, sizeof(*drawn));
	for (size_t begin = 0; begin < count; begin += block) {
		size_t from = gsl_rng_uniform_int(random, count);

		for (size_t i = 0; i < block && begin + i < count; i++)
			drawn[begin + i] = pool->visits[(from + i) % count];
	}
	for (size_t i = 0; i < count; i++)
		pool->visits[i] = drawn[i];
	free(drawn);
}

/* Shortens a batch to REPLICATE_REQUESTS items. Returns the factor for its wall time. */
static double shorten_batch(struct model *own)
{
	double items = 0;

	for (size_t i = 0; i < own->source_count; i++)
		items += own->sources[i].kind == MODEL_BATCH ? (double)own->sources[i].items : 0;
	if (items <= REPLICATE_REQUESTS)
		return 1;
	for (size_t i = 0; i < own->source_count; i++) {
		struct model_source *source = &own->sources[i];
		double share = (double)source->items / items;

		if (source->kind == MODEL_BATCH)
			source->items = (uint64_t)ceil(share * REPLICATE_REQUESTS);
	}
	return items / REPLICATE_REQUESTS;
}

/*
 * Returns a random factor by which a forecast may be wrong: at most the error of the self-check,
 * which may be large with --trust; a larger factor would mean nothing.
 */
static double residual_factor(const struct model_checked *checked, double normal)
{
	double residual = log(checked->model / checked->recorded);

	return isfinite(residual) ? exp(residual * fmin(fmax(normal, -1), 1)) : 1;
}

/* Returns the value, or infinity if the system is overloaded. */
static double known_or_infinite(double value, bool grows)
{
	return grows ? INFINITY : value;
}

int model_replicate_run(struct model_replicate *replicate, struct model *own,
			const struct model_check *check, const struct model_question *question,
			size_t number, struct err *err)
{
	const struct model_run_request request = {
		.seed = 1 + number,
		.requests_most = model_requests_most(question, REPLICATE_REQUESTS),
	};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	double cpu, wait, response, throughput, growth, longer = shorten_batch(own);
	struct model_result result;

	gsl_rng_set(random, number);
	cpu = exp(gsl_ran_gaussian(random, cpu_spread));
	wait = exp(gsl_ran_gaussian(random, wait_spread));
	response = gsl_ran_gaussian(random, 1);
	throughput = gsl_ran_gaussian(random, 1);
	for (size_t i = 0; i < own->pool_count; i++) {
		own->pools[i].cpu_scale *= cpu;
		own->pools[i].wait_scale *= wait;
		redraw_visits(&own->pools[i], random);
	}
	growth = gsl_ran_gaussian(random, 1);
	for (size_t i = 0; i < own->pool_count; i++)
		own->pools[i].cpu_growth += growth * own->pools[i].cpu_growth_se;
	gsl_rng_free(random);
	if (model_run(&result, own, &request, err))
		return -1;
	*replicate = (struct model_replicate){
		.throughput_per_s = result.throughput_per_s,
		.response_s = known_or_infinite(result.response_s, result.grows) *
			      residual_factor(&check->response_s, response),
		.response_p95_s = known_or_infinite(result.response_p95_s, result.grows) *
				  residual_factor(&check->response_p95_s, response),
		.wall_s = result.wall_s * longer * residual_factor(&check->wall_s, throughput),
	};
	/* An open system answers what arrives, unless it is overloaded. */
	if (result.grows || !(model_rate(own) > 0))
		replicate->throughput_per_s *=
			residual_factor(&check->throughput_per_s, throughput);
	model_result_release(&result);
	return 0;
}

/* --- Intervals -------------------------------------------------------------------------------- */

/* Returns the 5th to the 95th percentile: of 39 replicates the second and the last but one. */
static struct model_interval interval_of(const struct model_replicate *replicates, size_t count,
					 size_t offset, double value)
{
	double *values = xcalloc(count, sizeof(*values));
	size_t place = (count + 1) / 20, known = 0;
	struct model_interval interval = {NAN, NAN};

	for (size_t i = 0; i < count; i++) {
		const double *one = (const double *)((const char *)&replicates[i] + offset);

		if (!isnan(*one))
			values[known++] = *one;
	}
	if (known == count && place && !isnan(value)) {
		sort_items(values, count, compare_doubles);
		interval.lo = fmin(values[place - 1], value);
		interval.hi = fmax(values[count - place], value);
	}
	free(values);
	return interval;
}

void model_intervals_set(struct model_forecast_row *row, const struct model_replicate *replicates,
			 size_t count)
{
	const struct model_result *result = &row->result;
	const struct {
		struct model_interval *interval;
		size_t offset;
		double value;
	} numbers[] = {
		{&row->throughput_per_s, offsetof(struct model_replicate, throughput_per_s),
		 result->throughput_per_s},
		{&row->response_s, offsetof(struct model_replicate, response_s),
		 result->grows ? NAN : result->response_s},
		{&row->response_p95_s, offsetof(struct model_replicate, response_p95_s),
		 result->grows ? NAN : result->response_p95_s},
		{&row->wall_s, offsetof(struct model_replicate, wall_s), result->wall_s},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		*numbers[i].interval =
			interval_of(replicates, count, numbers[i].offset, numbers[i].value);
}
