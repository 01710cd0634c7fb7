/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/model_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/file/model.h"
#include "model/simulate/measure.h"
#include "model/simulate/network.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double second_ns = 1e9;

/* --- Sums at marks ---------------------------------------------------------------------------- */

/* Sums over time of a pool; differences from a mark give its results after the mark. */
struct run_pool_sums {
	double busy, blocked, visits, visit_ns, cpu_ns, run_queue_ns;
};

struct run_station_sums {
	double length, busy, waited_ns, arrivals;
};

struct run_sums {
	double now_ns, busy_ns, lost;
	struct run_pool_sums *pools; /* NULL: all are 0 */
	struct run_station_sums *stations;
	double *thinking; /* [source] */
};

static struct run_sums take_sums(struct network *network)
{
	const struct model *model = network->model;
	const struct cores *cores = &network->cores;
	struct run_sums sums = {
		.now_ns = cores->now_ns,
		.busy_ns = cores_used_ns(cores),
		.lost = (double)network->lost,
		.pools = xcalloc(model->pool_count, sizeof(*sums.pools)),
		.stations = xcalloc(model->station_count + 1, sizeof(*sums.stations)),
		.thinking = xcalloc(model->source_count + 1, sizeof(*sums.thinking)),
	};

	for (size_t i = 0; i < model->pool_count; i++) {
		struct net_pool *pool = &network->pools[i];

		level_pass(&pool->busy, cores->now_ns);
		level_pass(&pool->blocked, cores->now_ns);
		sums.pools[i] = (struct run_pool_sums){pool->busy.area,	     pool->blocked.area,
						       (double)pool->visits, pool->visit_ns,
						       pool->cpu_ns,	     pool->run_queue_ns};
	}
	for (size_t i = 0; i < model->station_count; i++) {
		struct net_station *station = &network->stations[i];

		level_pass(&station->length, cores->now_ns);
		level_pass(&station->busy, cores->now_ns);
		sums.stations[i] =
			(struct run_station_sums){station->length.area, station->busy.area,
						  station->waited_ns, (double)station->arrivals};
	}
	for (size_t i = 0; i < model->source_count; i++) {
		level_pass(&network->sources[i].thinking, cores->now_ns);
		sums.thinking[i] = network->sources[i].thinking.area;
	}
	return sums;
}

static void release_sums(struct run_sums *sums)
{
	free(sums->pools);
	free(sums->stations);
	free(sums->thinking);
}

/* --- A run ------------------------------------------------------------------------------------ */

struct run {
	struct network network;
	const struct model_run_request *request;
	double precision;
	uint64_t most;	/* the largest number of requests */
	uint64_t check; /* number of requests at the next check of the run's length */
	bool has_open, has_batch;
	unsigned growing; /* successive checks that found growth */
	bool grows, precise;
	struct run_sums marks[MEASURE_MARKS];
	unsigned marked;
};

/* Requests before the first check, and standard errors of likely and of sure growth. */
enum { CHECK_FIRST = 4096, GROWTH_LIKELY = 3, GROWTH_SURE = 6 };

/* Requests before the first comparison with a bound, and standard errors of a sure distance. */
enum { BOUND_FIRST = 16384, BOUND_SURE = 6 };

/* Returns the largest number of steps of all threads, so that every run ends. */
static uint64_t most_steps(uint64_t requests)
{
	const uint64_t least = 100000, of_request = 1000, most = 1000000000;

	return requests < (most - least) / of_request ? least + requests * of_request : most;
}

static void run_init(struct run *run, const struct model *model,
		     const struct model_run_request *request)
{
	*run = (struct run){
		.request = request,
		.precision = request->precision > 0 ? request->precision : MODEL_PRECISION,
		.most = request->requests_most ? request->requests_most : MODEL_REQUESTS_MOST,
		.check = CHECK_FIRST,
	};
	for (size_t i = 0; i < model->source_count; i++) {
		run->has_open |= model->sources[i].kind == MODEL_OPEN;
		run->has_batch |= model->sources[i].kind == MODEL_BATCH;
	}
	network_init(&run->network, model, request->seed, most_steps(run->most));
}

static void run_release(struct run *run)
{
	for (unsigned i = 0; i < run->marked; i++)
		release_sums(&run->marks[i]);
	network_release(&run->network);
}

/* Returns whether the requests inside grow by more than `errors` standard errors. */
static bool grows_by(const struct run *run, double errors)
{
	double by_error;

	measure_growth(&run->network.measure, &by_error);
	return run->has_open && by_error > errors;
}

/* There are many checks: growth that may be chance must be seen in two successive ones. */
static void check_growth(struct run *run)
{
	run->growing = grows_by(run, GROWTH_LIKELY) ? run->growing + 1 : 0;
	run->grows = run->growing > 1 || grows_by(run, GROWTH_SURE);
}

static bool is_within(double error, double share, double of)
{
	/* The error is that of MEASURE_GROUPS means. */
	const double least = .025;
	double student = gsl_cdf_tdist_Qinv(least, MEASURE_GROUPS - 1);

	return student * error <= share * of; /* false for NaN */
}

static bool is_precise(const struct run *run, const struct measured *measured)
{
	const double percentile = 5;

	if (run->grows)
		return is_within(measured->per_se_ns, run->precision, measured->per_ns);
	return is_within(measured->mean_se_ns, run->precision, measured->mean_ns) &&
	       is_within(measured->p95_se_ns, percentile * run->precision, measured->p95_ns);
}

static bool is_sure(double value_ns, double error_ns, double bound_s)
{
	return bound_s > 0 && fabs(value_ns - bound_s * second_ns) > BOUND_SURE * error_ns;
}

/* Returns whether a response time is surely below or above its bound; lost requests need more. */
static bool is_decided(const struct run *run, const struct measured *measured)
{
	if (run->grows || run->network.lost || run->network.measure.count < BOUND_FIRST)
		return false;
	return is_sure(measured->mean_ns, measured->mean_se_ns, run->request->mean_bound_s) ||
	       is_sure(measured->p95_ns, measured->p95_se_ns, run->request->p95_bound_s);
}

/* Returns whether the run is long enough; called at 4096, 6144, 8192, 12288, ... requests. */
static bool is_long_enough(struct run *run)
{
	const double alike = .5; /* correlated groups make errors look too small */
	const struct measure *measure = &run->network.measure;
	struct measured measured;
	int warm_up;

	run->check += run->check & (run->check - 1) ? run->check / 3 : run->check / 2;
	if (run->has_batch)
		return false;
	check_growth(run);
	warm_up = run->grows ? (int)measure_half(measure) : measure_warm_up(measure);
	if (warm_up < 0 || (run->growing && !run->grows))
		return false;
	measure_read(&measured, measure, (unsigned)warm_up);
	if (!run->grows && !(measured.correlation < alike))
		return false;
	run->precise = is_precise(run, &measured);
	return run->precise || is_decided(run, &measured);
}

static void show_run(const struct run *run)
{
	enum { EVERY = 1 << 16 };
	uint64_t count = run->network.measure.count;

	if (run->request->show && count % EVERY == 0)
		run->request->show(run->request->context, count, run->most);
}

/* Returns whether the run is complete, not cut off because nothing more can happen. */
static bool run_through(struct run *run)
{
	const struct measure *measure = &run->network.measure;

	while (network_run(&run->network)) {
		/* A thread may answer several requests in no time, and so pass several marks. */
		while (run->marked < measure->marks)
			run->marks[run->marked++] = take_sums(&run->network);
		show_run(run);
		if (measure->count >= run->most || (run->has_batch && !run->network.items_left))
			return true;
		if (measure->count >= run->check && is_long_enough(run))
			return true;
	}
	while (run->marked < measure->marks)
		run->marks[run->marked++] = take_sums(&run->network);
	return run->has_batch && !run->network.items_left;
}

/* --- Results ---------------------------------------------------------------------------------- */

static double ratio(double sum, double by)
{
	return by > 0 ? sum / by : 0;
}

static void fill_pools(struct model_result *result, const struct model *model,
		       const struct run_sums *begin, const struct run_sums *end)
{
	double length_ns = end->now_ns - begin->now_ns;

	result->pools = xcalloc(model->pool_count, sizeof(*result->pools));
	for (size_t i = 0; i < model->pool_count; i++) {
		struct run_pool_sums before =
			begin->pools ? begin->pools[i] : (struct run_pool_sums){0};
		const struct run_pool_sums *sums = &end->pools[i];
		double visits = sums->visits - before.visits;

		result->pools[i] = (struct model_pool_result){
			.utilisation = ratio(sums->busy - before.busy, length_ns) /
				       model->pools[i].threads,
			.blocked = ratio(sums->blocked - before.blocked, length_ns) /
				   model->pools[i].threads,
			.visits_per_s = ratio(visits, length_ns) * second_ns,
			.visit_s = ratio(sums->visit_ns - before.visit_ns, visits) / second_ns,
			.cpu_s = ratio(sums->cpu_ns - before.cpu_ns, visits) / second_ns,
			.run_queue_s =
				ratio(sums->run_queue_ns - before.run_queue_ns, visits) / second_ns,
		};
	}
}

static void fill_stations(struct model_result *result, const struct model *model,
			  const struct run_sums *begin, const struct run_sums *end)
{
	double length_ns = end->now_ns - begin->now_ns;

	result->stations = xcalloc(model->station_count + 1, sizeof(*result->stations));
	for (size_t i = 0; i < model->station_count; i++) {
		struct run_station_sums before =
			begin->stations ? begin->stations[i] : (struct run_station_sums){0};
		const struct run_station_sums *sums = &end->stations[i];
		const struct model_station *station = &model->stations[i];
		bool serves = station->kind == MODEL_LOCK || station->kind == MODEL_DISK;
		double arrivals = sums->arrivals - before.arrivals;

		result->stations[i] = (struct model_station_result){
			.utilisation = ratio(sums->busy - before.busy, length_ns) /
				       (serves ? station->servers : 1),
			.length = ratio(sums->length - before.length, length_ns),
			.wait_s = ratio(sums->waited_ns - before.waited_ns, arrivals) / second_ns,
			.arrivals_per_s = ratio(arrivals, length_ns) * second_ns,
		};
	}
}

static void fill_sources(struct model_result *result, const struct model *model,
			 const struct run_sums *begin, const struct run_sums *end)
{
	result->client_utilisations =
		xcalloc(model->source_count + 1, sizeof(*result->client_utilisations));
	for (size_t i = 0; i < model->source_count; i++)
		result->client_utilisations[i] =
			ratio(end->thinking[i] - (begin->thinking ? begin->thinking[i] : 0),
			      (end->now_ns - begin->now_ns) * model->sources[i].threads);
}

static void limit_try(struct model_result *result, double *most, enum model_limit limit,
		      uint32_t index, double utilisation)
{
	if (utilisation <= *most)
		return;
	*most = utilisation;
	result->limit = limit;
	result->limit_index = index;
}

/* Finds the busiest resource. Pools come last: a thread that waits for a resource is busy, too. */
static void find_limit(struct model_result *result, const struct model *model)
{
	double most = .95;

	result->limit = MODEL_LIMIT_NONE;
	limit_try(result, &most, MODEL_LIMIT_CORES, 0, result->busy_cores / model->machine.cores);
	for (uint32_t i = 0; i < model->source_count; i++)
		limit_try(result, &most, MODEL_LIMIT_SOURCE, i, result->client_utilisations[i]);
	for (uint32_t i = 0; i < model->station_count; i++)
		if (model->stations[i].kind == MODEL_LOCK ||
		    (model->stations[i].kind == MODEL_DISK && !model->stations[i].group_commit))
			limit_try(result, &most, MODEL_LIMIT_STATION, i,
				  result->stations[i].utilisation);
	if (result->limit != MODEL_LIMIT_NONE)
		return;
	for (uint32_t i = 0; i < model->pool_count; i++)
		limit_try(result, &most, MODEL_LIMIT_POOL, i,
			  result->pools[i].utilisation - result->pools[i].blocked);
}

/* The rate of open sources is the exact throughput if nothing grows and no request is lost. */
static double known_rate(const struct run *run)
{
	const struct model *model = run->network.model;
	double sum = 0;

	for (size_t i = 0; i < model->source_count; i++) {
		if (model->sources[i].kind != MODEL_OPEN)
			return NAN;
		sum += model->sources[i].rate;
	}
	return run->precise && !run->grows && !run->network.lost ? sum : NAN;
}

static void fill_requests(struct model_result *result, const struct run *run,
			  const struct measured *measured)
{
	double known = known_rate(run);
	bool grows = run->grows;

	result->requests = measured->count;
	result->throughput_per_s = isnan(known) ? measured->per_ns * second_ns : known;
	result->throughput_se = isnan(known) ? measured->per_se_ns * second_ns : 0;
	result->response_s = grows ? NAN : measured->mean_ns / second_ns;
	result->response_se = grows ? NAN : measured->mean_se_ns / second_ns;
	result->response_p50_s = grows ? NAN : measured->p50_ns / second_ns;
	result->response_p95_s = grows ? NAN : measured->p95_ns / second_ns;
	result->response_p99_s = grows ? NAN : measured->p99_ns / second_ns;
	result->response_p95_se = grows ? NAN : measured->p95_se_ns / second_ns;
}

/* Returns the wall time of the batch, in proportion to all items if only some were simulated. */
static double whole_wall_s(const struct run *run)
{
	const struct network *network = &run->network;
	uint64_t items = 0;

	for (size_t i = 0; i < network->model->source_count; i++)
		if (network->model->sources[i].kind == MODEL_BATCH)
			items += network->model->sources[i].items;
	if (!run->has_batch)
		return NAN;
	return network->cores.now_ns / second_ns * (double)items /
	       (double)(items - network->items_left);
}

static void fill_result(struct model_result *result, struct run *run)
{
	const struct measure *measure = &run->network.measure;
	const struct model *model = run->network.model;
	struct run_sums end = take_sums(&run->network), begin = {0};
	struct measured measured;
	double by_error, growth = measure_growth(measure, &by_error);
	int warm_up = measure_warm_up(measure);
	unsigned mark;

	mark = run->grows || warm_up < 0 ? measure_half(measure) : (unsigned)warm_up;
	if (run->has_batch)
		mark = 0;
	if (mark)
		begin = run->marks[mark - 1];
	measure_read(&measured, measure, mark);
	fill_requests(result, run, &measured);
	result->lost = (uint64_t)(end.lost - begin.lost);
	result->wall_s = whole_wall_s(run);
	result->busy_cores = ratio(end.busy_ns - begin.busy_ns, end.now_ns - begin.now_ns);
	result->grows = run->grows;
	result->growth_per_s = run->grows ? growth * second_ns : 0;
	result->precise = run->precise;
	result->stuck = network_count_stuck(&run->network);
	fill_pools(result, model, &begin, &end);
	fill_stations(result, model, &begin, &end);
	fill_sources(result, model, &begin, &end);
	find_limit(result, model);
	release_sums(&end);
}

/* --- Refused runs ----------------------------------------------------------------------------- */

static int refuse_run(const struct run *run, bool ended, struct err *err)
{
	const struct network *network = &run->network;
	size_t stuck = network_count_stuck(network);

	if (network->cut_walk)
		return err_set(
			err,
			"a walk through the graph of pool \"%s\" takes more than %d steps; give "
			"it a way to its \"end\"",
			network->model->pools[network->walker].name, MODEL_STEPS_MAX);
	if (stuck && (network->idle || !network->measure.count))
		return err_set(err,
			       "a deadlock holds %zu of the threads; check the order in which "
			       "steps take locks",
			       stuck);
	if (!(network->cores.now_ns > 0))
		return err_set(err,
			       "no time passes in the model; give a step or the clients a time");
	if (!ended && network->idle)
		return err_set(err, "requests wait for an event that never comes; check that each "
				    "queue with a limit is emptied");
	if (!network->measure.count && network->full)
		return err_set(err,
			       "%u requests pile up before the first one is answered; lower the "
			       "rate, or the times of the steps",
			       network->inside);
	if (!network->measure.count)
		return err_set(err,
			       "no request is answered in %llu steps; check that the graphs reach "
			       "their ends",
			       (unsigned long long)network->steps);
	return 0;
}

int model_run(struct model_result *result, const struct model *model,
	      const struct model_run_request *request, struct err *err)
{
	struct run *run;
	bool ended;
	int rc;

	*result = (struct model_result){0};
	if (model_validate(model, err))
		return -1;
	run = xcalloc(1, sizeof(*run));
	run_init(run, model, request);
	ended = run_through(run);
	if (run->network.full)
		run->grows = true;
	else if (!run->precise && !run->has_batch)
		run->grows = grows_by(run, GROWTH_LIKELY);
	rc = refuse_run(run, ended, err);
	if (!rc)
		fill_result(result, run);
	run_release(run);
	free(run);
	return rc;
}

void model_result_release(struct model_result *result)
{
	free(result->pools);
	free(result->stations);
	free(result->client_utilisations);
	*result = (struct model_result){0};
}
