/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model.h"

#include "base/err.h"
#include "base/map.h"
#include "replay/simulate/simulation.h"

#include <math.h>
#include <string.h>

/* Of edges' shares, which people write with few digits. */
#define SHARE_TOLERANCE 1e-3

#define RATE_LEAST   1e-9
#define RATE_MOST    1e9
#define GAP_LEAST_S  1e-9
#define SCALE_MOST   1e6
#define COST_MOST_S  1.
#define SLICE_MOST_S 1e3
#define ITEMS_MOST   (UINT64_C(1) << 40)

/* --- Numbers ------------------------------------------------------------------------------------- */

static int validate_number(const char *what, double value, double least, double most,
			   struct err *err)
{
	if (value >= least && value <= most)
		return 0;
	return err_set(err, "%s is %g; give %g to %g", what, value, least, most);
}

static int validate_count(const char *what, size_t count, size_t most, struct err *err)
{
	return count <= most ? 0
			     : err_set(err, "there are %zu %s; up to %zu are possible", count, what,
				       most);
}

static int validate_quantiles(const double *quantiles, struct err *err)
{
	for (size_t i = 0; i < DISTRIBUTION_QUANTILE_COUNT; i++) {
		if (validate_number("a quantile", quantiles[i], 0, DISTRIBUTION_MEAN_MAX, err))
			return -1;
		if (i && quantiles[i] < quantiles[i - 1])
			return err_set(err,
				       "quantile %zu is %g, less than the one before it; "
				       "sort them",
				       i, quantiles[i]);
	}
	return 0;
}

static int validate_time(const char *what, const struct distribution *time, struct err *err)
{
	int rc = 0;

	switch (time->kind) {
	case DISTRIBUTION_NONE:
		return 0;
	case DISTRIBUTION_ERLANG:
		rc = validate_number("the number of phases", time->phases, 1,
				     DISTRIBUTION_PHASES_MAX, err);
		break;
	case DISTRIBUTION_HYPER:
		rc = validate_number("the squared coefficient of variation", time->cv2, 1,
				     DISTRIBUTION_CV2_MAX, err);
		break;
	case DISTRIBUTION_LOGNORMAL:
		rc = validate_number("the squared coefficient of variation", time->cv2, 0,
				     DISTRIBUTION_CV2_MAX, err);
		break;
	case DISTRIBUTION_QUANTILES:
		rc = validate_quantiles(time->quantiles, err);
		break;
	default:
		break;
	}
	if (!rc)
		rc = validate_number("the mean", time->mean, 0, DISTRIBUTION_MEAN_MAX, err);
	return rc ? err_wrap(err, "%s", what) : 0;
}

/* --- Machine, stations, sources ------------------------------------------------------------------ */

static int validate_machine(const struct model_machine *machine, struct err *err)
{
	if (validate_number("cores", machine->cores, 1, SIMULATION_CORES_MAX, err) ||
	    validate_number("slice_s", machine->slice_s, 0, SLICE_MOST_S, err) ||
	    validate_number("switch_s", machine->switch_s, 0, COST_MOST_S, err) ||
	    validate_number("wake_s", machine->wake_s, 0, COST_MOST_S, err) ||
	    validate_count("values of slowdown", machine->slowdown_count, SIMULATION_CORES_MAX,
			   err))
		return -1;
	for (size_t i = 0; i < machine->slowdown_count; i++)
		if (validate_number("a slowdown", machine->slowdown[i], 1 / SIMULATION_FACTOR_MAX,
				    SIMULATION_FACTOR_MAX, err))
			return -1;
	return 0;
}

static int validate_station(const struct model_station *station, struct err *err)
{
	bool serves = station->kind == MODEL_LOCK || station->kind == MODEL_DISK;

	if (serves && validate_number("servers", station->servers, 1, MODEL_THREADS_MAX, err))
		return -1;
	if (station->per_thread && station->kind != MODEL_LOCK)
		return err_set(err, "per_thread: only a lock can be of each thread");
	if (station->bounded && station->kind != MODEL_QUEUE)
		return err_set(err, "limit: only a queue has one");
	return validate_time("service", &station->service, err);
}

static bool model_takes(const struct model *model, uint32_t queue)
{
	for (size_t i = 0; i < model->pool_count; i++)
		if (model->pools[i].takes == queue)
			return true;
	return false;
}

/* That tokens are put into by a source or a step. */
static int validate_queue(const struct model *model, uint32_t queue, const char *what,
			  struct err *err)
{
	if (queue >= model->station_count)
		return err_set(err, "%s: there is no station of the number %u", what, queue);
	if (model->stations[queue].kind != MODEL_QUEUE)
		return err_set(err, "%s: \"%s\" is no queue", what, model->stations[queue].name);
	if (!model_takes(model, queue))
		return err_set(err, "%s: no pool takes from \"%s\"; give one \"takes\": \"%s\"",
			       what, model->stations[queue].name, model->stations[queue].name);
	return 0;
}

static int validate_source(const struct model *model, const struct model_source *source,
			   struct err *err)
{
	int rc = 0;

	if (source->kind == MODEL_OPEN)
		rc = validate_number("rate", source->rate, RATE_LEAST, RATE_MOST, err) ||
		     validate_time("gaps", &source->gaps, err);
	else if (source->kind == MODEL_CLOSED)
		rc = validate_number("clients", source->clients, 1, MODEL_THREADS_MAX, err) ||
		     validate_time("think", &source->think, err);
	else
		rc = validate_number("items", (double)source->items, 1, (double)ITEMS_MOST, err);
	if (rc)
		return -1;
	if (source->kind == MODEL_OPEN && source->gaps.kind &&
	    validate_number("gaps: the mean", source->gaps.mean, GAP_LEAST_S, DISTRIBUTION_MEAN_MAX,
			    err))
		return -1;
	if (!source->to_count)
		return err_set(err, "to: there is no queue; name the one that requests go to");
	if (validate_count("queues in \"to\"", source->to_count, MODEL_EDGES_MAX, err))
		return -1;
	for (size_t i = 0; i < source->to_count; i++)
		if (validate_queue(model, source->to[i], "to", err))
			return -1;
	return 0;
}

/* --- Pools --------------------------------------------------------------------------------------- */

/* The station that a node of this kind is at; MODEL_WAIT may be at none. */
static bool node_fits(enum model_node_kind kind, enum model_station_kind station)
{
	switch (kind) {
	case MODEL_WAIT:
		return station == MODEL_DISK || station == MODEL_DELAY;
	case MODEL_ACQUIRE:
	case MODEL_RELEASE:
		return station == MODEL_LOCK;
	case MODEL_PUT:
		return station == MODEL_QUEUE;
	default:
		return false;
	}
}

static int validate_node_station(const struct model *model, const struct model_node *node,
				 struct err *err)
{
	const struct model_station *station;
	bool needs = node->kind == MODEL_ACQUIRE || node->kind == MODEL_RELEASE ||
		     node->kind == MODEL_PUT;

	if (node->station == MODEL_NONE)
		return needs ? err_set(err, "station: there is none; name the lock or queue") : 0;
	if (node->station >= model->station_count)
		return err_set(err, "station: there is none of the number %u", node->station);
	station = &model->stations[node->station];
	if (!node_fits(node->kind, station->kind))
		return err_set(err, "station: \"%s\" is of another kind than this step needs",
			       station->name);
	return node->kind == MODEL_PUT ? validate_queue(model, node->station, "station", err) : 0;
}

static int validate_edges(const struct model_pool *pool, const struct model_node *node,
			  struct err *err)
{
	double sum = 0;

	if (validate_count("ways in \"next\"", node->edge_count, MODEL_EDGES_MAX, err))
		return -1;
	for (size_t i = 0; i < node->edge_count; i++) {
		uint32_t to = node->edges[i].to;

		if (to != MODEL_NONE && to >= pool->node_count)
			return err_set(err, "next: there is no step %u; the last is %zu", to,
				       pool->node_count - 1);
		if (validate_number("next: a share", node->edges[i].share, 0, 1, err))
			return -1;
		sum += node->edges[i].share;
	}
	if (node->edge_count && !(fabs(sum - 1) <= SHARE_TOLERANCE))
		return err_set(err, "next: the shares add up to %g; they must add up to 1", sum);
	return 0;
}

static int validate_visits(const struct model_pool *pool, struct err *err)
{
	for (size_t i = 0; i < pool->visit_count; i++) {
		const struct model_visit *visit = &pool->visits[i];

		if (visit->first > pool->step_count ||
		    visit->count > pool->step_count - visit->first)
			return err_set(err, "visits[%zu]: its steps are not there", i);
		for (size_t j = 0; j < visit->count; j++) {
			const struct model_step *step = &pool->steps[visit->first + j];

			if (step->node >= pool->node_count)
				return err_set(err,
					       "visits[%zu][%zu]: there is no step %u in the graph",
					       i, j, step->node);
			if (!(step->seconds >= 0 && (double)step->seconds <= DISTRIBUTION_MEAN_MAX))
				return err_set(err, "visits[%zu][%zu]: a time is %g; give 0 to %g",
					       i, j, (double)step->seconds, DISTRIBUTION_MEAN_MAX);
		}
	}
	return 0;
}

static int validate_taking(const struct model *model, const struct model_pool *pool,
			   struct err *err)
{
	if (pool->takes >= model->station_count || model->stations[pool->takes].kind != MODEL_QUEUE)
		return err_set(err, "takes: that is no queue; name the one that its threads take "
				    "from");
	for (const struct model_pool *other = model->pools; other < pool; other++)
		if (other->takes == pool->takes &&
		    (other->dispatch != MODEL_SHARED || pool->dispatch != MODEL_SHARED))
			return err_set(err,
				       "takes: pool \"%s\" takes from there, too; that is only "
				       "possible where both have \"dispatch\": \"shared\"",
				       other->name);
	return 0;
}

static int validate_pool(const struct model *model, const struct model_pool *pool, struct err *err)
{
	if (validate_number("threads", pool->threads, 1, MODEL_THREADS_MAX, err) ||
	    validate_number("scale.cpu", pool->cpu_scale, 0, SCALE_MOST, err) ||
	    validate_number("scale.wait", pool->wait_scale, 0, SCALE_MOST, err) ||
	    validate_taking(model, pool, err) ||
	    validate_count("steps in \"graph\"", pool->node_count, MODEL_NODES_MAX, err) ||
	    validate_count("visits", pool->visit_count, MODEL_VISITS_MAX, err) ||
	    validate_count("steps of visits", pool->step_count, MODEL_STEPS_MAX, err))
		return -1;
	for (size_t i = 0; i < pool->node_count; i++)
		if (validate_node_station(model, &pool->nodes[i], err) ||
		    validate_edges(pool, &pool->nodes[i], err) ||
		    validate_time("time", &pool->nodes[i].time, err))
			return err_wrap(err, "graph[%zu]", i);
	return validate_visits(pool, err);
}

/* --- The whole ------------------------------------------------------------------------------------ */

/* Names that model_set() finds things by: no two have the same one. */
static int validate_name(struct map *names, const char *name, struct err *err)
{
	size_t count = names->count, length = name ? strlen(name) : 0;

	if (!length || length > MODEL_NAME_MAX)
		return err_set(err, "name: it has %zu bytes; give it 1 to %d", length,
			       MODEL_NAME_MAX);
	if (!strcmp(name, "machine"))
		return err_set(err,
			       "name: \"machine\" is the name of the machine; take another one");
	if (map_add(names, name, length) != count)
		return err_set(err,
			       "name: \"%s\" is the name of something else, too; take another "
			       "one",
			       name);
	return 0;
}

static int validate_names(const struct model *model, struct err *err)
{
	struct map names = {0};
	int rc = 0;

	for (size_t i = 0; i < model->source_count && !rc; i++)
		if ((rc = validate_name(&names, model->sources[i].name, err)))
			err_wrap(err, "arrivals[%zu]", i);
	for (size_t i = 0; i < model->station_count && !rc; i++)
		if ((rc = validate_name(&names, model->stations[i].name, err)))
			err_wrap(err, "stations[%zu]", i);
	for (size_t i = 0; i < model->pool_count && !rc; i++)
		if ((rc = validate_name(&names, model->pools[i].name, err)))
			err_wrap(err, "pools[%zu]", i);
	map_release(&names);
	return rc;
}

static int validate_sums(const struct model *model, struct err *err)
{
	size_t threads = 0, clients = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		threads += model->pools[i].threads;
	for (size_t i = 0; i < model->source_count; i++)
		clients += model->sources[i].kind == MODEL_CLOSED ? model->sources[i].clients : 0;
	return validate_count("threads in all pools", threads, MODEL_THREADS_MAX, err) ||
			       validate_count("clients", clients, MODEL_THREADS_MAX, err)
		       ? -1
		       : 0;
}

static int validate_counts(const struct model *model, struct err *err)
{
	if (!model->source_count)
		return err_set(err, "arrivals: there are none; say how requests come");
	if (!model->pool_count)
		return err_set(err, "pools: there are none; say which threads serve requests");
	return validate_count("arrivals", model->source_count, MODEL_SOURCES_MAX, err) ||
			       validate_count("stations", model->station_count, MODEL_STATIONS_MAX,
					      err) ||
			       validate_count("pools", model->pool_count, MODEL_POOLS_MAX, err)
		       ? -1
		       : 0;
}

int model_validate(const struct model *model, struct err *err)
{
	if (validate_counts(model, err) || validate_names(model, err))
		return -1;
	if (validate_machine(&model->machine, err))
		return err_wrap(err, "machine");
	for (size_t i = 0; i < model->station_count; i++)
		if (validate_station(&model->stations[i], err))
			return err_wrap(err, "stations[%zu]", i);
	for (size_t i = 0; i < model->source_count; i++)
		if (validate_source(model, &model->sources[i], err))
			return err_wrap(err, "arrivals[%zu]", i);
	for (size_t i = 0; i < model->pool_count; i++)
		if (validate_pool(model, &model->pools[i], err))
			return err_wrap(err, "pools[%zu]", i);
	return validate_sums(model, err);
}
