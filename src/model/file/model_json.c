/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_json.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/file/model.h"
#include "model/file/model_codec.h"
#include "replay/simulate/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tolerance of the sum of edge shares: people write shares with few digits. */
#define SHARE_TOLERANCE 1e-3

#define RATE_LEAST   1e-9
#define RATE_MOST    1e9
#define GAP_LEAST_S  1e-9
#define SCALE_MOST   1e6
#define COST_MOST_S  1.
#define SLICE_MOST_S 1e3
#define ITEMS_MOST   0x1p40

/* The words for kinds in a file, in the order of their enums. */
static const char *const sources[MODEL_SOURCE_KINDS + 1] = {"open", "closed", "batch", NULL};
static const char *const stations[MODEL_STATION_KINDS + 1] = {"queue", "lock", "disk", "delay"};
static const char *const nodes[MODEL_NODE_KINDS + 1] = {"cpu", "wait", "acquire", "release",
							"put", "done", NULL};
static const char *const dispatches[MODEL_DISPATCHES + 1] = {"shared", "pinned", "connection",
							     NULL};

static const char *const shapes[] = {"fixed", "exponential", NULL}; /* shapes of gaps */

/* The value of "next" that ends the visit. */
static const char end_word[] = "end";

/* Members of the tables; `...`: more members of struct field or struct json_fields. */
#define MEMBER(name, does, structure, member, ...)                                          \
	{                                                                                   \
		.key = (name), .kind = &kind_##does, .offset = offsetof(structure, member), \
		.size = sizeof(((structure *)NULL)->member), __VA_ARGS__                    \
	}
#define RANGE(from, to) .least = (from), .most = (to)
#define LIST(structure, counter, from, to) \
	.count = offsetof(structure, counter), .count_least = (from), .count_most = (to)
#define OBJECT(fields_of, structure, ...)                                                       \
	{                                                                                       \
		.fields = (fields_of), .field_count = sizeof(fields_of) / sizeof(*(fields_of)), \
		.size = sizeof(structure), __VA_ARGS__                                          \
	}

/* --- Names ------------------------------------------------------------------------------------ */

/* Refuses a duplicate name: model_set() finds sources, stations and pools by name. */
static int check_name(const struct json_place *place, const void *at)
{
	const char *name = *(char *const *)at;
	struct map *names = &place->codec->names;
	size_t count = names->count, length = name ? strlen(name) : 0;

	if (!length || length > MODEL_NAME_MAX)
		return codec_refuse(place, "it has %zu bytes; give it 1 to %d", length,
				    MODEL_NAME_MAX);
	if (!strcmp(name, "machine"))
		return codec_refuse(place,
				    "\"machine\" is the name of the machine; take another one");
	if (map_add(names, name, length) != count)
		return codec_refuse(
			place, "\"%s\" is the name of something else, too; take another one", name);
	return 0;
}

static const struct field_kind kind_name = {codec_read_text, codec_write_text, check_name};

/* The number of a station, or of a pool if the field has an `about`. */

static int read_reference(const struct json_place *place, const json_t *json, void *at)
{
	struct codec *codec = place->codec;

	return place->field->about ? codec_value_name(place, json, &codec->pools, "pool", at)
				   : codec_value_name(place, json, &codec->stations, "station", at);
}

static json_t *write_reference(const struct json_place *place, const void *at)
{
	const struct model *model = place->codec->model;
	uint32_t number = *(const uint32_t *)at;

	if (place->field->about)
		return number < model->pool_count ? json_of_text(model->pools[number].name) : NULL;
	return number < model->station_count ? json_of_text(model->stations[number].name) : NULL;
}

static int check_reference(const struct json_place *place, const void *at)
{
	const struct model *model = place->codec->model;
	size_t count = place->field->about ? model->pool_count : model->station_count;
	uint32_t number = *(const uint32_t *)at;

	if (number == MODEL_NONE || number < count)
		return 0;
	return codec_refuse(place, "there is none with the number %u", number);
}

static const struct field_kind kind_reference = {read_reference, write_reference, check_reference};

/* --- Machine and stations --------------------------------------------------------------------- */

static const struct field machine_fields[] = {
	MEMBER("cores", whole, struct model_machine, cores, RANGE(1, SIMULATION_CORES_MAX)),
	MEMBER("slice_s", number, struct model_machine, slice_s, RANGE(0, SLICE_MOST_S),
	       .sparse = true),
	MEMBER("switch_s", number, struct model_machine, switch_s, RANGE(0, COST_MOST_S),
	       .sparse = true),
	MEMBER("wake_s", number, struct model_machine, wake_s, RANGE(0, COST_MOST_S),
	       .sparse = true),
	MEMBER("slowdown", numbers, struct model_machine, slowdown,
	       LIST(struct model_machine, slowdown_count, 0, SIMULATION_CORES_MAX),
	       RANGE(1 / SIMULATION_FACTOR_MAX, SIMULATION_FACTOR_MAX)),
};

static const struct json_fields machine_object = OBJECT(machine_fields, struct model_machine, );

static const struct field station_fields[] = {
	MEMBER("name", name, struct model_station, name, ),
	MEMBER("kind", word, struct model_station, kind, .about = stations, .needed = true),
	MEMBER("servers", whole, struct model_station, servers, RANGE(1, MODEL_THREADS_MAX),
	       .only = 1 << MODEL_LOCK | 1 << MODEL_DISK),
	MEMBER("limit", whole, struct model_station, limit, RANGE(0, UINT32_MAX - 1),
	       .flag = offsetof(struct model_station, bounded), .only = 1 << MODEL_QUEUE),
	MEMBER("service", time, struct model_station, service,
	       .only = 1 << MODEL_DISK | 1 << MODEL_DELAY),
	MEMBER("per_thread", bool, struct model_station, per_thread, .only = 1 << MODEL_LOCK),
	MEMBER("group_commit", bool, struct model_station, group_commit, .only = 1 << MODEL_DISK),
	MEMBER("deepest", number, struct model_station, deepest, RANGE(0, MODEL_THREADS_MAX),
	       .only = 1 << MODEL_DELAY, .sparse = true),
};

static void init_station(void *whole)
{
	*(struct model_station *)whole = (struct model_station){.servers = 1};
}

static int check_station(const struct json_place *place, const void *whole)
{
	const struct model_station *station = whole;
	bool wrong = station->group_commit && station->servers != 1;

	return wrong ? codec_refuse(place, "servers: a group commit has one") : 0;
}

static const struct json_fields station_object =
	OBJECT(station_fields, struct model_station, .kind = offsetof(struct model_station, kind),
	       .init = init_station, .check = check_station);

/* --- Arrivals --------------------------------------------------------------------------------- */

/* Reads one name, or a list of names. */
static int read_to(const struct json_place *place, const json_t *json, void *at)
{
	size_t *count = place_count(place, at);
	uint32_t *to;

	*count = 1;
	if (!json_is_string(json) &&
	    codec_value_length(place, json, place->field->count_most, count))
		return -1;
	*(uint32_t **)at = to = *count ? xcalloc(*count, sizeof(*to)) : NULL;
	if (json_is_string(json))
		return read_reference(place, json, to);
	for (size_t i = 0; i < *count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (read_reference(&here, json_array_get(json, i), &to[i]))
			return -1;
	}
	return 0;
}

static json_t *write_to(const struct json_place *place, const void *at)
{
	const uint32_t *to = *(uint32_t *const *)at;
	size_t count = *place_count(place, at);
	json_t *list;

	if (count == 1)
		return write_reference(place, to);
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, write_reference(place, &to[i]));
	return list;
}

/* Checks a queue that a source or a step puts tokens into: a pool must take from it. */
static int check_queue(const struct json_place *place, uint32_t queue)
{
	const struct model *model = place->codec->model;
	size_t pool = 0;

	if (queue >= model->station_count)
		return codec_refuse(place, "there is no station with the number %u", queue);
	if (model->stations[queue].kind != MODEL_QUEUE)
		return codec_refuse(place, "\"%s\" is not a queue", model->stations[queue].name);
	while (pool < model->pool_count && model->pools[pool].takes != queue)
		pool++;
	if (pool == model->pool_count)
		return codec_refuse(place, "no pool takes from \"%s\"; give one \"takes\": \"%s\"",
				    model->stations[queue].name, model->stations[queue].name);
	return 0;
}

static int check_to(const struct json_place *place, const void *at)
{
	if (codec_check_length(place, *place_count(place, at)))
		return -1;
	for (size_t i = 0; i < *place_count(place, at); i++)
		if (check_queue(place, (*(uint32_t *const *)at)[i]))
			return -1;
	return 0;
}

static const struct field_kind kind_to = {read_to, write_to, check_to};

static const struct field source_fields[] = {
	MEMBER("name", name, struct model_source, name, ),
	MEMBER("kind", word, struct model_source, kind, .about = sources, .needed = true),
	MEMBER("rate", number, struct model_source, rate, RANGE(RATE_LEAST, RATE_MOST),
	       .only = 1 << MODEL_OPEN),
	MEMBER("gaps", time, struct model_source, gaps, .least = GAP_LEAST_S, .about = shapes,
	       .only = 1 << MODEL_OPEN),
	MEMBER("clients", whole, struct model_source, clients, RANGE(1, MODEL_THREADS_MAX),
	       .only = 1 << MODEL_CLOSED),
	MEMBER("think", time, struct model_source, think, .only = 1 << MODEL_CLOSED),
	MEMBER("threads", whole, struct model_source, threads, RANGE(0, MODEL_THREADS_MAX),
	       .only = 1 << MODEL_CLOSED, .sparse = true),
	MEMBER("items", whole, struct model_source, items, RANGE(1, ITEMS_MOST),
	       .only = 1 << MODEL_BATCH),
	MEMBER("to", to, struct model_source, to,
	       LIST(struct model_source, to_count, 1, MODEL_EDGES_MAX)),
};

static const struct json_fields source_object =
	OBJECT(source_fields, struct model_source, .kind = offsetof(struct model_source, kind));

/* --- Graphs ----------------------------------------------------------------------------------- */

/* Reads the number of a step, or "end". */
static int value_way(const struct json_place *place, const json_t *json, uint32_t *to)
{
	double number = MODEL_NONE;

	if (!json_is_string(json) || strcmp(json_string_value(json), end_word) != 0)
		if (codec_value_whole(place, json, 0, UINT32_MAX - 1, &number))
			return -1;
	*to = (uint32_t)number;
	return 0;
}

static void make_edges(struct model_node *node, size_t count)
{
	node->edges = count ? xcalloc(count, sizeof(*node->edges)) : NULL;
	node->edge_count = count;
	if (count == 1)
		node->edges[0].share = 1;
}

/* Reads one step, or a list of [STEP, SHARE]. */
static int read_next(const struct json_place *place, const json_t *json, void *at)
{
	struct model_node *node = place_whole(place, at);
	size_t count = 1;

	if (json_is_array(json) &&
	    codec_value_length(place, json, place->field->count_most, &count))
		return -1;
	make_edges(node, count);
	if (!json_is_array(json))
		return value_way(place, json, &node->edges[0].to);
	for (size_t i = 0; i < count; i++) {
		const json_t *pair = json_array_get(json, i);
		struct json_place here = place_at(place, NULL, i);

		if (json_array_size(pair) != 2)
			return codec_refuse(&here, "it is not a pair; give [STEP, SHARE]");
		if (value_way(&here, json_array_get(pair, 0), &node->edges[i].to) ||
		    codec_value_number(&here, json_array_get(pair, 1), &node->edges[i].share))
			return -1;
	}
	return 0;
}

static json_t *json_of_way(uint32_t to)
{
	return to == MODEL_NONE ? json_string(end_word) : json_integer(to);
}

static bool has_one_way(const struct model_node *node)
{
	return node->edge_count == 1 && node->edges[0].share >= 1 && node->edges[0].share <= 1;
}

static json_t *write_next(const struct json_place *place, const void *at)
{
	const struct model_node *node = place_whole(place, at);
	json_t *list;

	if (has_one_way(node))
		return json_of_way(node->edges[0].to);
	list = json_array();
	for (size_t i = 0; i < node->edge_count; i++)
		json_array_append_new(list, json_pack("[oo]", json_of_way(node->edges[i].to),
						      json_of_number(node->edges[i].share)));
	return list;
}

static int check_next(const struct json_place *place, const void *at)
{
	const struct model_node *node = place_whole(place, at);
	double sum = 0;

	if (codec_check_length(place, node->edge_count))
		return -1;
	for (size_t i = 0; i < node->edge_count; i++) {
		if (codec_value_range(place, node->edges[i].share, 0, 1))
			return -1;
		sum += node->edges[i].share;
	}
	if (node->edge_count && !(fabs(sum - 1) <= SHARE_TOLERANCE))
		return codec_refuse(place, "the shares add up to %g; they must add up to 1", sum);
	return 0;
}

static const struct field_kind kind_next = {read_next, write_next, check_next};

static const struct field node_fields[] = {
	MEMBER("kind", word, struct model_node, kind, .about = nodes, .needed = true),
	MEMBER("station", reference, struct model_node, station, ),
	MEMBER("time", time, struct model_node, time, .only = 1 << MODEL_CPU | 1 << MODEL_WAIT),
	MEMBER("where", text, struct model_node, where, ),
	MEMBER("next", next, struct model_node, edges,
	       LIST(struct model_node, edge_count, 0, MODEL_EDGES_MAX)),
};

static void init_node(void *whole)
{
	*(struct model_node *)whole = (struct model_node){.station = MODEL_NONE};
}

/* The kind of a step's station, -1: none. MODEL_WAIT may also have a disk, or no station. */
static const int station_kinds[MODEL_NODE_KINDS] = {
	[MODEL_CPU] = -1,
	[MODEL_WAIT] = MODEL_DELAY,
	[MODEL_ACQUIRE] = MODEL_LOCK,
	[MODEL_RELEASE] = MODEL_LOCK,
	[MODEL_PUT] = MODEL_QUEUE,
	[MODEL_DONE] = -1,
};

static int check_node(const struct json_place *place, const void *whole)
{
	const struct model_node *node = whole;
	const struct model_station *station;
	struct json_place here = place_at(place, "station", 0);
	int kind = station_kinds[node->kind];

	if (node->station == MODEL_NONE)
		return kind < 0 || kind == MODEL_DELAY
			       ? 0
			       : codec_refuse(&here, "there is none; name the lock or queue");
	station = &place->codec->model->stations[node->station];
	if (kind != (int)station->kind && (kind != MODEL_DELAY || station->kind != MODEL_DISK))
		return codec_refuse(&here, "\"%s\" is of another kind than this step needs",
				    station->name);
	return node->kind == MODEL_PUT ? check_queue(&here, node->station) : 0;
}

static const struct json_fields node_object =
	OBJECT(node_fields, struct model_node, .kind = offsetof(struct model_node, kind),
	       .init = init_node, .check = check_node);

/* --- Visits ----------------------------------------------------------------------------------- */

/* Reads [NODE, SECONDS] or [NODE]. */
static int value_step(const struct json_place *place, const json_t *json, struct model_step *step)
{
	size_t count = json_array_size(json);
	double node, seconds = 0;

	if (count < 1 || count > 2)
		return codec_refuse(place, "it is not a step; give [STEP] or [STEP, SECONDS]");
	if (codec_value_whole(place, json_array_get(json, 0), 0, UINT32_MAX - 1, &node) ||
	    (count > 1 && codec_value_number(place, json_array_get(json, 1), &seconds)) ||
	    codec_value_range(place, seconds, 0, DISTRIBUTION_MEAN_MAX))
		return -1;
	*step = (struct model_step){(uint32_t)node, (float)seconds};
	return 0;
}

static int value_visit(const struct json_place *place, const json_t *json, struct model_pool *pool,
		       struct model_visit *visit)
{
	size_t count;

	if (codec_value_length(place, json, MODEL_STEPS_MAX - pool->step_count, &count))
		return -1;
	*visit = (struct model_visit){(uint32_t)pool->step_count, (uint32_t)count};
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (value_step(&here, json_array_get(json, i), &pool->steps[pool->step_count++]))
			return -1;
	}
	return 0;
}

static int read_visits(const struct json_place *place, const json_t *json, void *at)
{
	struct model_pool *pool = place_whole(place, at);
	size_t count, steps = 0;

	if (codec_value_length(place, json, place->field->count_most, &count))
		return -1;
	for (size_t i = 0; i < count; i++)
		steps += json_array_size(json_array_get(json, i));
	if (steps > MODEL_STEPS_MAX)
		return codec_refuse(place, "they have %zu steps; up to %d are possible", steps,
				    MODEL_STEPS_MAX);
	pool->visits = count ? xcalloc(count, sizeof(*pool->visits)) : NULL;
	pool->visit_count = count;
	pool->steps = steps ? xcalloc(steps, sizeof(*pool->steps)) : NULL;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (value_visit(&here, json_array_get(json, i), pool, &pool->visits[i]))
			return -1;
	}
	return 0;
}

/* Returns the shortest number that is read as the same float. */
static json_t *json_of_float(float number)
{
	enum { DIGITS = 6, DIGITS_MOST = 9 };
	char text[32];

	for (int digits = DIGITS; digits <= DIGITS_MOST; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)number);
		if ((float)strtod(text, NULL) >= number && (float)strtod(text, NULL) <= number)
			break;
	}
	return json_of_number(strtod(text, NULL));
}

static json_t *write_visits(const struct json_place *place, const void *at)
{
	const struct model_pool *pool = place_whole(place, at);
	json_t *list = pool->visit_count ? json_array() : NULL;

	for (size_t i = 0; i < pool->visit_count; i++) {
		const struct model_step *step = pool->steps + pool->visits[i].first;
		json_t *visit = json_array();

		for (size_t j = 0; j < pool->visits[i].count; j++, step++)
			json_array_append_new(
				visit, step->seconds > 0 ? json_pack("[io]", (int)step->node,
								     json_of_float(step->seconds))
							 : json_pack("[i]", (int)step->node));
		json_array_append_new(list, visit);
	}
	return list;
}

static int check_visit(const struct json_place *place, const struct model_pool *pool,
		       const struct model_visit *visit)
{
	if (visit->first > pool->step_count || visit->count > pool->step_count - visit->first)
		return codec_refuse(place, "its steps are not there");
	for (size_t i = 0; i < visit->count; i++) {
		const struct model_step *step = &pool->steps[visit->first + i];
		struct json_place here = place_at(place, NULL, i);

		if (step->node >= pool->node_count)
			return codec_refuse(&here, "there is no step %u in the graph", step->node);
		if (codec_value_range(&here, (double)step->seconds, 0, DISTRIBUTION_MEAN_MAX))
			return -1;
	}
	return 0;
}

static int check_visits(const struct json_place *place, const void *at)
{
	const struct model_pool *pool = place_whole(place, at);

	if (codec_check_length(place, pool->visit_count))
		return -1;
	if (pool->step_count > MODEL_STEPS_MAX)
		return codec_refuse(place, "they have %zu steps; up to %d are possible",
				    pool->step_count, MODEL_STEPS_MAX);
	for (size_t i = 0; i < pool->visit_count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (check_visit(&here, pool, &pool->visits[i]))
			return -1;
	}
	return 0;
}

static const struct field_kind kind_visits = {read_visits, write_visits, check_visits};

/* --- Pools ------------------------------------------------------------------------------------ */

static const struct field scale_fields[] = {
	MEMBER("wait", number, struct model_pool, wait_scale, RANGE(0, SCALE_MOST)),
	MEMBER("cpu", number, struct model_pool, cpu_scale, RANGE(0, SCALE_MOST)),
};

static const struct json_fields scale_object = OBJECT(scale_fields, struct model_pool, );

/* Reads a list of steps; a step without "next" goes on to the step below it. */
static int read_graph(const struct json_place *place, const json_t *json, void *at)
{
	struct model_node **graph = at;

	if (codec_read_list(place, json, at))
		return -1;
	for (size_t i = 0; i + 1 < *place_count(place, at); i++)
		if (!json_object_get(json_array_get(json, i), "next")) {
			make_edges(&(*graph)[i], 1);
			(*graph)[i].edges[0].to = (uint32_t)i + 1;
		}
	return 0;
}

static json_t *write_graph(const struct json_place *place, const void *at)
{
	json_t *json = codec_write_list(place, at);
	size_t count = *place_count(place, at);

	for (size_t i = 0; i < count; i++) {
		const struct model_node *node = &(*(struct model_node *const *)at)[i];

		if (i + 1 == count ? !node->edge_count
				   : has_one_way(node) && node->edges[0].to == i + 1)
			json_object_del(json_array_get(json, i), "next");
	}
	return json;
}

static int check_graph(const struct json_place *place, const void *at)
{
	const struct model_node *graph = *(struct model_node *const *)at;
	size_t count = *place_count(place, at);

	if (codec_check_list(place, at))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i),
				  next = place_at(&here, "next", 0);

		for (size_t j = 0; j < graph[i].edge_count; j++)
			if (graph[i].edges[j].to != MODEL_NONE && graph[i].edges[j].to >= count)
				return codec_refuse(&next, "there is no step %u; the last is %zu",
						    graph[i].edges[j].to, count - 1);
	}
	return 0;
}

static int check_takes(const struct json_place *place, const void *at)
{
	const struct model_pool *pool = place_whole(place, at);
	const struct model *model = place->codec->model;

	if (pool->takes >= model->station_count || model->stations[pool->takes].kind != MODEL_QUEUE)
		return codec_refuse(place,
				    "that is not a queue; name the one that its threads take from");
	for (const struct model_pool *other = model->pools; other < pool; other++)
		if (other->takes == pool->takes &&
		    (other->dispatch != MODEL_SHARED || pool->dispatch != MODEL_SHARED))
			return codec_refuse(
				place,
				"pool \"%s\" takes from there, too; that is only possible "
				"where both have \"dispatch\": \"shared\"",
				other->name);
	return 0;
}

static const struct field_kind kind_graph = {read_graph, write_graph, check_graph},
			       kind_takes = {read_reference, write_reference, check_takes};

static const struct field pool_fields[] = {
	MEMBER("name", name, struct model_pool, name, ),
	MEMBER("threads", whole, struct model_pool, threads, RANGE(1, MODEL_THREADS_MAX)),
	MEMBER("takes", takes, struct model_pool, takes, ),
	MEMBER("dispatch", word, struct model_pool, dispatch, .about = dispatches),
	MEMBER("forks", bool, struct model_pool, forks, ),
	MEMBER("connections", numbers, struct model_pool, connections, RANGE(0, MODEL_PINNED_MAX),
	       LIST(struct model_pool, connection_count, 0, MODEL_PINNED_MAX)),
	MEMBER("fixed", bool, struct model_pool, fixed, ),
	MEMBER("why_fixed", text, struct model_pool, why_fixed,
	       .flag = offsetof(struct model_pool, fixed)),
	MEMBER("unseen_waits", number, struct model_pool, unseen_waits, RANGE(0, 1),
	       .sparse = true),
	{.key = "scale", .kind = &kind_object, .about = &scale_object},
	MEMBER("cpu_growth", number, struct model_pool, cpu_growth, RANGE(-1, SCALE_MOST),
	       .sparse = true),
	MEMBER("cpu_growth_se", number, struct model_pool, cpu_growth_se, RANGE(0, SCALE_MOST),
	       .sparse = true),
	MEMBER("cpu_growth_until", number, struct model_pool, cpu_growth_until,
	       RANGE(0, MODEL_THREADS_MAX), .sparse = true),
	MEMBER("graph", graph, struct model_pool, nodes, .about = &node_object, .sparse = true,
	       LIST(struct model_pool, node_count, 0, MODEL_NODES_MAX)),
	MEMBER("visits", visits, struct model_pool, visits, .ballast = true,
	       LIST(struct model_pool, visit_count, 0, MODEL_VISITS_MAX)),
};

static void init_pool(void *whole)
{
	*(struct model_pool *)whole = (struct model_pool){
		.threads = 1, .takes = MODEL_NONE, .cpu_scale = 1, .wait_scale = 1};
}

static int check_pool(const struct json_place *place, const void *whole)
{
	const struct model_pool *pool = whole;
	const struct json_place here = place_at(place, "connections", 0);

	if (!pool->connection_count || pool->connection_count == pool->threads)
		return 0;
	return codec_refuse(&here, "it has %zu numbers, and the pool %" PRIu32 " threads",
			    pool->connection_count, pool->threads);
}

static const struct json_fields pool_object =
	OBJECT(pool_fields, struct model_pool, .init = init_pool, .check = check_pool);

/* --- The self-check --------------------------------------------------------------------------- */

static const struct field checked_fields[] = {
	MEMBER("recorded", number, struct model_checked, recorded, ),
	MEMBER("model", number, struct model_checked, model, ),
};

static const struct json_fields checked_object = OBJECT(checked_fields, struct model_checked, );

#define CHECKED(key, structure) \
	MEMBER(#key, object, structure, key, .about = &checked_object, .sparse = true)

static const struct field item_fields[] = {
	MEMBER("station", reference, struct model_station_check, station, ),
	MEMBER("pool", reference, struct model_station_check, pool, .about = "pool"),
	CHECKED(utilisation, struct model_station_check),
	CHECKED(length, struct model_station_check),
};

static void init_item(void *whole)
{
	const struct model_checked unknown = {NAN, NAN};

	*(struct model_station_check *)whole = (struct model_station_check){
		MODEL_NONE, MODEL_NONE, .utilisation = unknown, .length = unknown};
}

static const struct json_fields item_object =
	OBJECT(item_fields, struct model_station_check, .init = init_item);

static const struct field check_fields[] = {
	CHECKED(throughput_per_s, struct model_check),
	CHECKED(response_s, struct model_check),
	CHECKED(response_p95_s, struct model_check),
	CHECKED(busy_cores, struct model_check),
	CHECKED(wall_s, struct model_check),
	CHECKED(run_queue_s, struct model_check),
	MEMBER("items", list, struct model_check, items, .about = &item_object, .sparse = true,
	       LIST(struct model_check, item_count, 0, MODEL_STATIONS_MAX + MODEL_POOLS_MAX)),
};

static const struct json_fields check_object = OBJECT(check_fields, struct model_check, );

/* --- The whole -------------------------------------------------------------------------------- */

static int read_schema(const struct json_place *place, const json_t *json, void *at)
{
	double schema;

	(void)at;
	if (codec_value_whole(place, json, 0, UINT32_MAX, &schema))
		return -1;
	if (schema >= MODEL_SCHEMA && schema <= MODEL_SCHEMA)
		return 0;
	return codec_refuse(place, "it is %.0f; this version of pscal reads models of %d", schema,
			    MODEL_SCHEMA);
}

static json_t *write_schema(const struct json_place *place, const void *at)
{
	(void)place;
	(void)at;
	return json_integer(MODEL_SCHEMA);
}

_Static_assert(MODEL_SCHEMA == 1, "the words of the field say so");
static const struct field_kind kind_schema = {read_schema, write_schema, NULL};

static const struct field model_fields[] = {
	{.key = "schema",
	 .kind = &kind_schema,
	 .needed = true,
	 .about = "a model begins with {\"schema\": 1"},
	MEMBER("made_from", text, struct model, made_from, ),
	MEMBER("machine", object, struct model, machine, .about = &machine_object),
	MEMBER("arrivals", list, struct model, sources, .about = &source_object,
	       LIST(struct model, source_count, 1, MODEL_SOURCES_MAX)),
	MEMBER("stations", list, struct model, stations, .about = &station_object,
	       LIST(struct model, station_count, 0, MODEL_STATIONS_MAX)),
	MEMBER("pools", list, struct model, pools, .about = &pool_object,
	       LIST(struct model, pool_count, 1, MODEL_POOLS_MAX)),
	MEMBER("check", object, struct model, check, .about = &check_object, .ballast = true,
	       .flag = offsetof(struct model, has_check)),
};

static int check_sums(const struct json_place *place, const void *whole)
{
	const struct model *model = whole;
	size_t threads = 0, clients = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		threads += model->pools[i].threads;
	for (size_t i = 0; i < model->source_count; i++)
		clients += model->sources[i].kind == MODEL_CLOSED ? model->sources[i].clients : 0;
	if (threads <= MODEL_THREADS_MAX && clients <= MODEL_THREADS_MAX)
		return 0;
	return codec_refuse(place, "it has %zu threads and %zu clients; up to %d each are possible",
			    threads, clients, MODEL_THREADS_MAX);
}

static const struct json_fields model_object =
	OBJECT(model_fields, struct model, .early = 1, .check = check_sums);

json_t *model_to_json(const struct model *model, bool whole)
{
	struct codec codec = {.model = model, .whole = whole};
	const struct json_place place = {.codec = &codec};

	return codec_object_write(&place, &model_object, model);
}

/* Numbers the names by their index. A duplicate or missing name gets a name that no text has. */
static void collect_names(struct map *names, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name =
			json_string_value(json_object_get(json_array_get(list, i), "name"));
		char *other = NULL;

		if (!name || map_find(names, name, strlen(name)) != MAP_NONE)
			name = other = xasprintf("\xff%zu", i);
		map_add(names, name, strlen(name));
		free(other);
	}
}

/* Derives the rate from the mean gap if only gaps are given. */
static void find_rate(struct model_source *source, const json_t *json)
{
	if (!json_object_get(json, "rate") && !json_is_string(json_object_get(json, "gaps")) &&
	    source->gaps.mean > 0)
		source->rate = 1 / source->gaps.mean;
}

int model_of_json(struct model *model, const json_t *json, struct err *err)
{
	struct codec codec = {.model = model, .err = err};
	struct json_place place = {.codec = &codec};
	int rc;

	model_init(model);
	collect_names(&codec.stations, json_object_get(json, "stations"));
	collect_names(&codec.pools, json_object_get(json, "pools"));
	rc = codec_object_read(&place, json, &model_object, model);
	map_release(&codec.stations);
	map_release(&codec.pools);
	if (rc)
		model_release(model);
	for (size_t i = 0; !rc && i < model->source_count; i++)
		find_rate(&model->sources[i], json_array_get(json_object_get(json, "arrivals"), i));
	return rc;
}

int model_validate(const struct model *model, struct err *err)
{
	struct codec codec = {.model = model, .err = err};
	struct json_place place = {.codec = &codec};
	int rc = codec_object_check(&place, &model_object, model);

	map_release(&codec.names);
	return rc;
}
