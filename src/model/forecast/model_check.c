/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "model/forecast/model_forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seed and requests of the self-check; all rows of a forecast have the same seed. */
#define CHECK_SEED	    1
#define CHECK_REQUESTS_MOST 1000000

/* --- The self-check --------------------------------------------------------------------------- */

static void check_station(struct model_station_check *item, const struct model *model,
			  const struct model_result *result)
{
	if (item->pool < model->pool_count) {
		item->utilisation.model = result->pools[item->pool].utilisation;
		item->length.model = result->stations[model->pools[item->pool].takes].length;
	} else if (item->station < model->station_count) {
		item->utilisation.model = result->stations[item->station].utilisation;
		item->length.model = result->stations[item->station].length;
	}
}

/* Returns the run-queue wait of a thread of the pool with the most CPU time. */
static double find_run_queue(const struct model *model, const struct model_result *result)
{
	const struct model_pool_result *most = &result->pools[0];

	for (size_t i = 1; i < model->pool_count; i++)
		if (result->pools[i].cpu_s * result->pools[i].visits_per_s >
		    most->cpu_s * most->visits_per_s)
			most = &result->pools[i];
	return most->run_queue_s * most->visits_per_s * result->wall_s /
	       model->pools[most - result->pools].threads;
}

/*
 * Other programs kept the threads of a batch from their cores for the difference of the recorded
 * and the simulated run-queue wait. The batch takes that much longer, or not at all if nothing
 * waits for these threads: the nearer one is taken, as in a replay.
 */
static void check_wall(struct model_check *check, const struct model *model,
		       const struct model_result *result)
{
	double longer_s, shared_s;

	check->run_queue_s.model = find_run_queue(model, result);
	longer_s = check->run_queue_s.recorded - check->run_queue_s.model;
	shared_s = result->wall_s + longer_s;
	if (!(longer_s > 0) || fabs(log(shared_s / check->wall_s.recorded)) >
				       fabs(log(result->wall_s / check->wall_s.recorded)))
		return;
	check->wall_s.model = shared_s;
	check->throughput_per_s.model *= result->wall_s / shared_s;
}

int model_self_check(struct model_result *result, struct model *model, struct err *err)
{
	const struct model_run_request request = {.seed = CHECK_SEED,
						  .requests_most = CHECK_REQUESTS_MOST};
	struct model_check *check = &model->check;

	if (model_run(result, model, &request, err))
		return -1;
	if (!model->has_check)
		return 0;
	check->throughput_per_s.model = result->throughput_per_s;
	check->response_s.model = result->response_s;
	check->response_p95_s.model = result->response_p95_s;
	check->busy_cores.model = result->busy_cores;
	check->wall_s.model = result->wall_s;
	if (check->wall_s.recorded > 0)
		check_wall(check, model, result);
	for (size_t i = 0; i < check->item_count; i++)
		check_station(&check->items[i], model, result);
	return 0;
}

double model_checked_error(const struct model_checked *checked)
{
	return checked->recorded > 0 ? checked->model / checked->recorded - 1 : NAN;
}

/* Returns whether the threads of a pool were almost never idle in the recording. */
static bool was_full(const struct model_check *check)
{
	const double full = .95;

	for (size_t i = 0; i < check->item_count; i++)
		if (check->items[i].pool != MODEL_NONE &&
		    check->items[i].utilisation.recorded > full)
			return true;
	return false;
}

/* Refuses many waits for unrecorded locks: their growth with the load is unknown. */
static char *refuse_unseen(const struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct model_pool *pool = &model->pools[i];

		if (pool->unseen_waits > MODEL_CHECK_UNSEEN)
			return xasprintf(
				"%.0f %% of the time of visits of %s are waits for its other "
				"threads, as for an unrecorded lock, and depend on the load",
				100 * pool->unseen_waits, pool->name);
	}
	return NULL;
}

char *model_check_refusal(const struct model *model)
{
	const struct model_check *check = &model->check;
	const struct {
		const struct model_checked *checked;
		const char *what;
		double most, factor;
		const char *unit;
	} rules[] = {
		{&check->throughput_per_s, "throughput", MODEL_CHECK_THROUGHPUT, 1, "/s"},
		{&check->wall_s, "wall time", MODEL_CHECK_THROUGHPUT, 1, " s"},
		{&check->response_s, "mean response time", MODEL_CHECK_RESPONSE, 1e3, " ms"},
		{&check->response_p95_s, "95 % response time", MODEL_CHECK_P95, 1e3, " ms"},
	};

	if (!model->has_check)
		return NULL;
	if (check->response_s.recorded > 0 && isnan(check->response_s.model) &&
	    check->throughput_per_s.model > 0 && !was_full(check))
		return xasprintf("the model of the recorded configuration is overloaded, and the "
				 "program was not");
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const struct model_checked *checked = rules[i].checked;
		double error = model_checked_error(checked);

		if (fabs(error) > rules[i].most)
			return xasprintf("the model gives %.3g%s of %s, and %.3g%s were recorded: "
					 "%.0f %% off, more than %.0f %%; record longer, under a "
					 "steady load, on a quiet machine",
					 checked->model * rules[i].factor, rules[i].unit,
					 rules[i].what, checked->recorded * rules[i].factor,
					 rules[i].unit, 100 * fabs(error), 100 * rules[i].most);
	}
	return refuse_unseen(model);
}

double model_lost_share(const struct model_result *result)
{
	double all = (double)result->requests + (double)result->lost;

	return all > 0 ? (double)result->lost / all : 0;
}

bool model_loses(const struct model_result *result)
{
	const double most = .001;

	return model_lost_share(result) > most;
}

/* --- The limit of throughput ------------------------------------------------------------------ */

static void busiest_try(struct model_busiest *busiest, enum model_limit kind, size_t index,
			double utilisation)
{
	if (utilisation > busiest->utilisation)
		*busiest = (struct model_busiest){
			.kind = kind, .index = (uint32_t)index, .utilisation = utilisation};
}

struct model_busiest model_busiest_of(const struct model *model, const struct model_result *result)
{
	struct model_busiest busiest = {.kind = MODEL_LIMIT_NONE};

	for (size_t i = 0; i < model->pool_count; i++)
		busiest_try(&busiest, MODEL_LIMIT_POOL, i, result->pools[i].utilisation);
	for (size_t i = 0; i < model->station_count; i++) {
		const struct model_station *station = &model->stations[i];

		if ((station->kind == MODEL_LOCK && !station->per_thread) ||
		    (station->kind == MODEL_DISK && !station->group_commit))
			busiest_try(&busiest, MODEL_LIMIT_STATION, i,
				    result->stations[i].utilisation);
	}
	for (size_t i = 0; i < model->source_count; i++)
		busiest_try(&busiest, MODEL_LIMIT_SOURCE, i, result->client_utilisations[i]);
	busiest_try(&busiest, MODEL_LIMIT_CORES, 0,
		    result->busy_cores / (double)model->machine.cores);
	busiest.full_per_s = busiest.kind == MODEL_LIMIT_NONE
				     ? NAN
				     : result->throughput_per_s / busiest.utilisation;
	return busiest;
}

/* Adds the kind to a name, unless it begins with it: "lock-0x5624c5a7a308". */
static char *name_of_kind(const char *word, const char *name)
{
	return strncmp(name, word, strlen(word)) == 0 ? xstrdup(name)
						      : xasprintf("%s %s", word, name);
}

char *model_limit_text(const struct model *model, enum model_limit kind, uint32_t index)
{
	const struct model_station *station;

	if (kind == MODEL_LIMIT_CORES)
		return xstrdup("cores");
	if (kind == MODEL_LIMIT_POOL && index < model->pool_count)
		return xstrdup(model->pools[index].name);
	if (kind == MODEL_LIMIT_SOURCE && index < model->source_count)
		return name_of_kind("clients", model->sources[index].name);
	if (kind != MODEL_LIMIT_STATION || index >= model->station_count)
		return NULL;
	station = &model->stations[index];
	return name_of_kind(station->kind == MODEL_DISK ? "disk" : "lock", station->name);
}
