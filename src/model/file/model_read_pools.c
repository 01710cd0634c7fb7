/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_reader.h"

#include "base/alloc.h"
#include "model/file/model_json.h"

#include <stdlib.h>
#include <string.h>

/* --- Graphs and visits ------------------------------------------------------------------------------ */

/* The number of a step, or MODEL_JSON_END. */
static int read_way(struct reader *reader, const json_t *json, const struct json_place *place,
		    uint32_t *to)
{
	if (json_is_string(json) && !strcmp(json_string_value(json), MODEL_JSON_END)) {
		*to = MODEL_NONE;
		return 0;
	}
	return reader_u32(reader, json, place, to);
}

/* [STEP, SHARE] */
static int read_edge(struct reader *reader, const json_t *json, const struct json_place *place,
		     struct model_edge *edge)
{
	if (json_array_size(json) != 2)
		return refuse(reader, place, "it is no pair; give [STEP, SHARE]");
	if (read_way(reader, json_array_get(json, 0), place, &edge->to))
		return -1;
	return reader_number(reader, json_array_get(json, 1), place, &edge->share);
}

static void set_edge(struct model_node *node, uint32_t to)
{
	node->edges = xcalloc(1, sizeof(*node->edges));
	node->edge_count = 1;
	node->edges[0] = (struct model_edge){to, 1};
}

/* One step, or a list of pairs. */
static int read_next(struct reader *reader, const json_t *json, const struct json_place *place,
		     void *to)
{
	struct model_node *node = to;
	uint32_t only;
	size_t count;

	if (!json_is_array(json)) {
		if (read_way(reader, json, place, &only))
			return -1;
		set_edge(node, only);
		return 0;
	}
	if (reader_length(reader, json, place, MODEL_EDGES_MAX, &count))
		return -1;
	node->edges = count ? xcalloc(count, sizeof(*node->edges)) : NULL;
	node->edge_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_edge(reader, json_array_get(json, i), &here, &node->edges[i]))
			return -1;
	}
	return 0;
}

static int read_node(struct reader *reader, const json_t *json, const struct json_place *place,
		     struct model_node *node)
{
	static const struct field fields[] = {
		FIELD_WORD("kind", model_json_nodes, struct model_node, kind),
		FIELD("station", reader_station, struct model_node, station),
		FIELD("time", reader_time, struct model_node, time),
		FIELD_WHOLE("next", read_next),
		FIELD("where", reader_text, struct model_node, where),
	};

	node->station = MODEL_NONE;
	if (reader_fields(reader, json, place, fields, field_count(fields), node))
		return -1;
	if (!json_object_get(json, "kind"))
		return refuse(reader, place,
			      "it has no kind; give \"kind\": \"cpu\", \"wait\", "
			      "\"acquire\", \"release\", \"put\" or \"done\"");
	return 0;
}

static int read_graph(struct reader *reader, const json_t *json, const struct json_place *place,
		      void *to)
{
	struct model_pool *pool = to;
	size_t count;

	if (reader_length(reader, json, place, MODEL_NODES_MAX, &count))
		return -1;
	pool->nodes = count ? xcalloc(count, sizeof(*pool->nodes)) : NULL;
	pool->node_count = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *node = json_array_get(json, i);
		struct json_place here = {.up = place, .index = i};

		if (read_node(reader, node, &here, &pool->nodes[i]))
			return -1;
		if (!json_object_get(node, "next") && i + 1 < count)
			set_edge(&pool->nodes[i], (uint32_t)i + 1);
	}
	return 0;
}

/* [NODE, SECONDS] or [NODE] */
static int read_step(struct reader *reader, const json_t *json, const struct json_place *place,
		     struct model_step *step)
{
	size_t count = json_array_size(json);
	double seconds = 0;

	if (count < 1 || count > 2)
		return refuse(reader, place, "it is no step; give [STEP] or [STEP, SECONDS]");
	if (reader_u32(reader, json_array_get(json, 0), place, &step->node) ||
	    (count > 1 && reader_number(reader, json_array_get(json, 1), place, &seconds)))
		return -1;
	if (!(seconds >= 0 && seconds <= DISTRIBUTION_MEAN_MAX))
		return refuse(reader, place, "its time is %g s; give 0 to %g", seconds,
			      DISTRIBUTION_MEAN_MAX);
	step->seconds = (float)seconds;
	return 0;
}

static int read_visit(struct reader *reader, const json_t *json, const struct json_place *place,
		      struct model_pool *pool, struct model_visit *visit)
{
	size_t count;

	if (reader_length(reader, json, place, MODEL_STEPS_MAX - pool->step_count, &count))
		return -1;
	*visit = (struct model_visit){(uint32_t)pool->step_count, (uint32_t)count};
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_step(reader, json_array_get(json, i), &here,
			      &pool->steps[pool->step_count + i]))
			return -1;
	}
	pool->step_count += count;
	return 0;
}

static int read_visits(struct reader *reader, const json_t *json, const struct json_place *place,
		       void *to)
{
	struct model_pool *pool = to;
	size_t count, steps = 0;

	if (reader_length(reader, json, place, MODEL_VISITS_MAX, &count))
		return -1;
	for (size_t i = 0; i < count; i++)
		steps += json_array_size(json_array_get(json, i));
	if (steps > MODEL_STEPS_MAX)
		return refuse(reader, place, "they have %zu steps; up to %d are possible", steps,
			      MODEL_STEPS_MAX);
	pool->visits = count ? xcalloc(count, sizeof(*pool->visits)) : NULL;
	pool->visit_count = count;
	pool->steps = steps ? xcalloc(steps, sizeof(*pool->steps)) : NULL;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_visit(reader, json_array_get(json, i), &here, pool, &pool->visits[i]))
			return -1;
	}
	return 0;
}

/* --- Pools -------------------------------------------------------------------------------------------- */

static int read_scale(struct reader *reader, const json_t *json, const struct json_place *place,
		      void *to)
{
	static const struct field fields[] = {
		FIELD("wait", reader_number, struct model_pool, wait_scale),
		FIELD("cpu", reader_number, struct model_pool, cpu_scale),
	};

	return reader_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_why_fixed(struct reader *reader, const json_t *json, const struct json_place *place,
			  void *to)
{
	struct model_pool *pool = to;

	pool->fixed = true;
	return reader_text(reader, json, place, &pool->why_fixed);
}

static int read_pool(struct reader *reader, const json_t *json, const struct json_place *place,
		     struct model_pool *pool)
{
	static const struct field fields[] = {
		FIELD("name", reader_text, struct model_pool, name),
		FIELD("threads", reader_u32, struct model_pool, threads),
		FIELD("takes", reader_station, struct model_pool, takes),
		FIELD_WORD("dispatch", model_json_dispatches, struct model_pool, dispatch),
		FIELD("fixed", reader_bool, struct model_pool, fixed),
		FIELD_WHOLE("why_fixed", read_why_fixed),
		FIELD_WHOLE("scale", read_scale),
		FIELD_WHOLE("graph", read_graph),
		FIELD_WHOLE("visits", read_visits),
	};

	*pool = (struct model_pool){
		.threads = 1, .takes = MODEL_NONE, .cpu_scale = 1, .wait_scale = 1};
	return reader_fields(reader, json, place, fields, field_count(fields), pool);
}

int reader_pools(struct reader *reader, const json_t *json, const struct json_place *place,
		 void *to)
{
	struct model *model = to;
	size_t count;

	if (reader_length(reader, json, place, MODEL_POOLS_MAX, &count))
		return -1;
	model->pools = count ? xcalloc(count, sizeof(*model->pools)) : NULL;
	model->pool_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_pool(reader, json_array_get(json, i), &here, &model->pools[i]))
			return -1;
		reader_add_name(&reader->pools, i, model->pools[i].name);
	}
	return 0;
}
