/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_json.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"
#include "base/names.h"
#include "model/file/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const model_json_sources[MODEL_SOURCE_KINDS + 1] = {"open", "closed", "batch", NULL};
const char *const model_json_stations[MODEL_STATION_KINDS + 1] = {"queue", "lock", "disk", "delay",
								  NULL};
const char *const model_json_nodes[MODEL_NODE_KINDS + 1] = {"cpu", "wait", "acquire", "release",
							    "put", "done", NULL};
const char *const model_json_dispatches[MODEL_DISPATCHES + 1] = {"shared", "pinned", "connection",
								 NULL};
const char *const model_json_times[DISTRIBUTION_KINDS + 1] = {
	"none", "fixed", "exponential", "erlang", "hyper", "lognormal", "quantiles", NULL};

/* --- Places and fields ------------------------------------------------------------------------ */

/* Where in the file a value stands: behind a key of the place above, or at an index of it. */
struct place {
	const struct place *up;
	const char *key;
	size_t index;
};

struct reader {
	struct model *model;
	struct map stations, pools; /* names, as numbered in the model */
	struct err *err;
};

/* A member of an object, and its place in the structure. */
struct field {
	const char *key;
	int (*read)(struct reader *reader, const json_t *json, const struct place *place, void *to);
	size_t offset;
};

#define field_count(fields) (sizeof(fields) / sizeof((fields)[0]))

static void append_place(char **text, const struct place *place)
{
	if (!place)
		return;
	append_place(text, place->up);
	if (place->key)
		xappend(text, ".", "%.60s", place->key);
	else
		xappend(text, "", "[%zu]", place->index);
}

/* Puts the place in front of the sentence. */
static int wrap_place(const struct reader *reader, const struct place *place)
{
	char *text = NULL;

	append_place(&text, place);
	if (text)
		err_wrap(reader->err, "%s", text);
	free(text);
	return -1;
}

#define refuse(reader, place, ...) \
	(err_set((reader)->err, __VA_ARGS__), wrap_place((reader), (place)))

static int refuse_key(const struct reader *reader, const struct place *place, const char *key,
		      const struct field *fields, size_t count)
{
	struct nearest nearest;
	char *question, *known = NULL;

	nearest_init(&nearest, key);
	for (size_t i = 0; i < count; i++) {
		nearest_try(&nearest, fields[i].key);
		xappend(&known, ", ", "%s", fields[i].key);
	}
	question = nearest_question(&nearest);
	if (question)
		refuse(reader, place, "there is no \"%.60s\"; %s", key, question);
	else
		refuse(reader, place, "there is no \"%.60s\"; known are %s", key, known);
	free(question);
	free(known);
	return -1;
}

/* The members in the order of `fields`; those that are not there leave what is in `to`. */
static int read_fields(struct reader *reader, const json_t *json, const struct place *place,
		       const struct field *fields, size_t count, void *to)
{
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return refuse(reader, place, "it is no object; give {\"KEY\": VALUE, ...}");
	for (void *at = json_object_iter((json_t *)(uintptr_t)json); at;
	     at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
		size_t i = 0;

		key = json_object_iter_key(at);
		while (i < count && strcmp(fields[i].key, key))
			i++;
		if (i == count)
			return refuse_key(reader, place, key, fields, count);
	}
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .key = fields[i].key};

		value = json_object_get(json, fields[i].key);
		if (value && fields[i].read(reader, value, &here, (char *)to + fields[i].offset))
			return -1;
	}
	return 0;
}

/* The length of an array. */
static int read_length(struct reader *reader, const json_t *json, const struct place *place,
		       size_t most, size_t *length)
{
	if (!json_is_array(json))
		return refuse(reader, place, "it is no list; give [...]");
	*length = json_array_size(json);
	if (*length > most)
		return refuse(reader, place, "it has %zu entries; up to %zu are possible", *length,
			      most);
	return 0;
}

/* --- Plain values ------------------------------------------------------------------------------- */

static int read_number(struct reader *reader, const json_t *json, const struct place *place,
		       void *to)
{
	if (!json_is_number(json))
		return refuse(reader, place, "it is no number");
	*(double *)to = json_number_value(json);
	return 0;
}

/* Whole, 0 or more. */
static int read_whole(struct reader *reader, const json_t *json, const struct place *place,
		      double most, uint64_t *whole)
{
	double number = 0;

	if (read_number(reader, json, place, &number))
		return -1;
	if (!(number >= 0 && number <= most) || number > floor(number))
		return refuse(reader, place, "it is %g; give a whole number from 0 to %.0f", number,
			      most);
	*whole = (uint64_t)number;
	return 0;
}

static int read_u32(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	uint64_t whole;

	if (read_whole(reader, json, place, UINT32_MAX - 1, &whole))
		return -1;
	*(uint32_t *)to = (uint32_t)whole;
	return 0;
}

static int read_u64(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	const double most = 0x1p53;

	return read_whole(reader, json, place, most, to);
}

static int read_bool(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	if (!json_is_boolean(json))
		return refuse(reader, place, "it is neither true nor false");
	*(bool *)to = json_is_true(json);
	return 0;
}

static int read_text(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	if (!json_is_string(json))
		return refuse(reader, place, "it is no text; give it in quotes");
	free(*(char **)to);
	*(char **)to = xstrdup(json_string_value(json));
	return 0;
}

/* One of `words`, which NULL ends: its number. */
static int read_word(struct reader *reader, const json_t *json, const struct place *place,
		     const char *const *words, unsigned *number)
{
	const char *word = json_string_value(json);
	char *known = NULL;

	for (*number = 0; word && words[*number]; ++*number)
		if (!strcmp(word, words[*number]))
			return 0;
	for (size_t i = 0; words[i]; i++)
		xappend(&known, ", ", "\"%s\"", words[i]);
	refuse(reader, place, "it is %s%.60s%s; give one of %s", word ? "\"" : "",
	       word ? word : "no text", word ? "\"" : "", known);
	free(known);
	return -1;
}

/* --- Times -------------------------------------------------------------------------------------- */

static int read_quantiles(struct reader *reader, const json_t *json, const struct place *place,
			  struct distribution *time)
{
	double quantiles[DISTRIBUTION_QUANTILE_COUNT];

	if (json_array_size(json) != DISTRIBUTION_QUANTILE_COUNT)
		return refuse(reader, place, "it has %zu quantiles; give %d", json_array_size(json),
			      DISTRIBUTION_QUANTILE_COUNT);
	for (size_t i = 0; i < DISTRIBUTION_QUANTILE_COUNT; i++) {
		struct place here = {.up = place, .index = i};

		if (read_number(reader, json_array_get(json, i), &here, &quantiles[i]))
			return -1;
	}
	*time = distribution_of_quantiles(quantiles);
	return 0;
}

/* A mean, or a pair of which `at` is the place of the mean and the other one the shape. */
static int read_moments(struct reader *reader, const json_t *json, const struct place *place,
			enum distribution_kind kind, struct distribution *time)
{
	size_t at = kind == DISTRIBUTION_ERLANG;
	double mean = 0, shape = 0;

	if (kind == DISTRIBUTION_FIXED || kind == DISTRIBUTION_EXPONENTIAL) {
		if (read_number(reader, json, place, &mean))
			return -1;
	} else if (json_array_size(json) != 2) {
		return refuse(reader, place, "it is no pair; give [%s]",
			      at ? "PHASES, MEAN" : "MEAN, CV2");
	} else if (read_number(reader, json_array_get(json, at), place, &mean) ||
		   read_number(reader, json_array_get(json, 1 - at), place, &shape)) {
		return -1;
	}
	if (at && !(shape >= 1 && shape <= DISTRIBUTION_PHASES_MAX && shape <= floor(shape)))
		return refuse(reader, place, "it has %g phases; give 1 to %d", shape,
			      DISTRIBUTION_PHASES_MAX);
	*time = distribution_make(kind, mean, shape);
	return 0;
}

static int read_time(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	struct distribution *time = to;
	void *member = json_object_iter((json_t *)(uintptr_t)json);
	struct place here = {.up = place};
	unsigned kind = 1;

	if (json_is_number(json)) {
		*time = distribution_make(DISTRIBUTION_FIXED, json_number_value(json), 0);
		return 0;
	}
	if (json_object_size(json) != 1)
		return refuse(reader, place,
			      "it is no time; give seconds, or {\"exponential\": "
			      "MEAN} and the like");
	here.key = json_object_iter_key(member);
	while (model_json_times[kind] && strcmp(model_json_times[kind], here.key))
		kind++;
	if (!model_json_times[kind])
		return refuse(reader, place,
			      "there is no kind of time \"%.60s\"; give fixed, "
			      "exponential, erlang, hyper, lognormal or quantiles",
			      here.key);
	if (kind == DISTRIBUTION_QUANTILES)
		return read_quantiles(reader, json_object_iter_value(member), &here, time);
	return read_moments(reader, json_object_iter_value(member), &here, kind, time);
}

/* A shape alone will do, as the mean is that of the rate. */
static int read_gaps(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	static const char *const shapes[] = {"fixed", "exponential", NULL};
	unsigned shape;

	if (!json_is_string(json))
		return read_time(reader, json, place, to);
	if (read_word(reader, json, place, shapes, &shape))
		return -1;
	*(struct distribution *)to = distribution_make(DISTRIBUTION_FIXED + shape, 1, 0);
	return 0;
}

/* --- Machine and stations ------------------------------------------------------------------------- */

static int read_slowdown(struct reader *reader, const json_t *json, const struct place *place,
			 void *to)
{
	struct model_machine *machine = to;
	size_t count;

	if (json_is_null(json))
		return 0;
	if (read_length(reader, json, place, MODEL_STEPS_MAX, &count))
		return -1;
	machine->slowdown = count ? xcalloc(count, sizeof(*machine->slowdown)) : NULL;
	machine->slowdown_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_number(reader, json_array_get(json, i), &here, &machine->slowdown[i]))
			return -1;
	}
	return 0;
}

static int read_machine(struct reader *reader, const json_t *json, const struct place *place,
			void *to)
{
	static const struct field fields[] = {
		{"cores", read_u32, offsetof(struct model_machine, cores)},
		{"slice_s", read_number, offsetof(struct model_machine, slice_s)},
		{"switch_s", read_number, offsetof(struct model_machine, switch_s)},
		{"wake_s", read_number, offsetof(struct model_machine, wake_s)},
		{"slowdown", read_slowdown, 0},
	};

	return read_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_station_kind(struct reader *reader, const json_t *json, const struct place *place,
			     void *to)
{
	unsigned kind;

	if (read_word(reader, json, place, model_json_stations, &kind))
		return -1;
	*(enum model_station_kind *)to = kind;
	return 0;
}

static int read_limit(struct reader *reader, const json_t *json, const struct place *place,
		      void *to)
{
	struct model_station *station = to;

	if (json_is_null(json))
		return 0;
	station->bounded = true;
	return read_u32(reader, json, place, &station->limit);
}

static int read_station(struct reader *reader, const json_t *json, const struct place *place,
			struct model_station *station)
{
	static const struct field fields[] = {
		{"name", read_text, offsetof(struct model_station, name)},
		{"kind", read_station_kind, offsetof(struct model_station, kind)},
		{"servers", read_u32, offsetof(struct model_station, servers)},
		{"limit", read_limit, 0},
		{"service", read_time, offsetof(struct model_station, service)},
		{"per_thread", read_bool, offsetof(struct model_station, per_thread)},
	};

	station->servers = 1;
	if (read_fields(reader, json, place, fields, field_count(fields), station))
		return -1;
	if (!json_object_get(json, "kind"))
		return refuse(reader, place,
			      "it has no kind; give \"kind\": \"queue\", \"lock\", "
			      "\"disk\" or \"delay\"");
	return 0;
}

/* `names` gets the name; twins are found later. */
static void add_name(struct map *names, size_t index, const char *name)
{
	char *other = NULL;

	/* A number for each: where it is a twin, or there is none, a name that no text has. */
	if (!name || map_find(names, name, strlen(name)) != MAP_NONE)
		name = other = xasprintf("\xff%zu", index);
	map_add(names, name, strlen(name));
	free(other);
}

static int read_stations(struct reader *reader, const json_t *json, const struct place *place,
			 void *to)
{
	struct model *model = to;
	size_t count;

	if (read_length(reader, json, place, MODEL_STATIONS_MAX, &count))
		return -1;
	model->stations = count ? xcalloc(count, sizeof(*model->stations)) : NULL;
	model->station_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_station(reader, json_array_get(json, i), &here, &model->stations[i]))
			return -1;
		add_name(&reader->stations, i, model->stations[i].name);
	}
	return 0;
}

/* The number of a name. */
static int read_name_of(struct reader *reader, const json_t *json, const struct place *place,
			const struct map *names, const char *thing, uint32_t *number)
{
	const char *name = json_string_value(json);
	struct nearest nearest;
	char *question;

	if (!name)
		return refuse(reader, place, "it is no text; give the name of a %s in quotes",
			      thing);
	*number = map_find(names, name, strlen(name));
	if (*number != MAP_NONE)
		return 0;
	nearest_init(&nearest, name);
	for (uint32_t i = 0; i < names->count; i++) {
		size_t size;
		const char *key = map_key(names, i, &size);
		char *text = xasprintf("%.*s", (int)size, key);

		nearest_try(&nearest, text);
		free(text);
	}
	question = nearest_question(&nearest);
	refuse(reader, place, "there is no %s \"%.60s\"; %s", thing, name,
	       question ? question : "add it");
	free(question);
	return -1;
}

static int read_station_name(struct reader *reader, const json_t *json, const struct place *place,
			     void *to)
{
	return read_name_of(reader, json, place, &reader->stations, "station", to);
}

/* --- Arrivals ------------------------------------------------------------------------------------- */

/* One name, or a list of them. */
static int read_to(struct reader *reader, const json_t *json, const struct place *place, void *to)
{
	struct model_source *source = to;
	size_t count = 1;

	if (!json_is_string(json) && read_length(reader, json, place, MODEL_EDGES_MAX, &count))
		return -1;
	source->to = count ? xcalloc(count, sizeof(*source->to)) : NULL;
	source->to_count = count;
	if (json_is_string(json))
		return read_station_name(reader, json, place, source->to);
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_station_name(reader, json_array_get(json, i), &here, &source->to[i]))
			return -1;
	}
	return 0;
}

static int read_source_kind(struct reader *reader, const json_t *json, const struct place *place,
			    void *to)
{
	unsigned kind;

	if (read_word(reader, json, place, model_json_sources, &kind))
		return -1;
	*(enum model_source_kind *)to = kind;
	return 0;
}

static int read_source(struct reader *reader, const json_t *json, const struct place *place,
		       struct model_source *source)
{
	static const struct field fields[] = {
		{"name", read_text, offsetof(struct model_source, name)},
		{"kind", read_source_kind, offsetof(struct model_source, kind)},
		{"rate", read_number, offsetof(struct model_source, rate)},
		{"gaps", read_gaps, offsetof(struct model_source, gaps)},
		{"clients", read_u32, offsetof(struct model_source, clients)},
		{"think", read_time, offsetof(struct model_source, think)},
		{"items", read_u64, offsetof(struct model_source, items)},
		{"to", read_to, 0},
	};

	if (read_fields(reader, json, place, fields, field_count(fields), source))
		return -1;
	if (!json_object_get(json, "kind"))
		return refuse(reader, place,
			      "it has no kind; give \"kind\": \"open\", \"closed\" "
			      "or \"batch\"");
	if (!json_object_get(json, "rate") && !json_is_string(json_object_get(json, "gaps")) &&
	    source->gaps.mean > 0)
		source->rate = 1 / source->gaps.mean;
	return 0;
}

static int read_sources(struct reader *reader, const json_t *json, const struct place *place,
			void *to)
{
	struct model *model = to;
	size_t count;

	if (read_length(reader, json, place, MODEL_SOURCES_MAX, &count))
		return -1;
	model->sources = count ? xcalloc(count, sizeof(*model->sources)) : NULL;
	model->source_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_source(reader, json_array_get(json, i), &here, &model->sources[i]))
			return -1;
	}
	return 0;
}

/* --- Graphs and visits ------------------------------------------------------------------------------ */

/* The number of a step, or MODEL_JSON_END. */
static int read_way(struct reader *reader, const json_t *json, const struct place *place,
		    uint32_t *to)
{
	if (json_is_string(json) && !strcmp(json_string_value(json), MODEL_JSON_END)) {
		*to = MODEL_NONE;
		return 0;
	}
	return read_u32(reader, json, place, to);
}

/* [STEP, SHARE] */
static int read_edge(struct reader *reader, const json_t *json, const struct place *place,
		     struct model_edge *edge)
{
	if (json_array_size(json) != 2)
		return refuse(reader, place, "it is no pair; give [STEP, SHARE]");
	if (read_way(reader, json_array_get(json, 0), place, &edge->to))
		return -1;
	return read_number(reader, json_array_get(json, 1), place, &edge->share);
}

static void set_edge(struct model_node *node, uint32_t to)
{
	node->edges = xcalloc(1, sizeof(*node->edges));
	node->edge_count = 1;
	node->edges[0] = (struct model_edge){to, 1};
}

/* One step, or a list of pairs. */
static int read_next(struct reader *reader, const json_t *json, const struct place *place, void *to)
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
	if (read_length(reader, json, place, MODEL_EDGES_MAX, &count))
		return -1;
	node->edges = count ? xcalloc(count, sizeof(*node->edges)) : NULL;
	node->edge_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_edge(reader, json_array_get(json, i), &here, &node->edges[i]))
			return -1;
	}
	return 0;
}

static int read_node_kind(struct reader *reader, const json_t *json, const struct place *place,
			  void *to)
{
	unsigned kind;

	if (read_word(reader, json, place, model_json_nodes, &kind))
		return -1;
	*(enum model_node_kind *)to = kind;
	return 0;
}

static int read_node(struct reader *reader, const json_t *json, const struct place *place,
		     struct model_node *node)
{
	static const struct field fields[] = {
		{"kind", read_node_kind, offsetof(struct model_node, kind)},
		{"station", read_station_name, offsetof(struct model_node, station)},
		{"time", read_time, offsetof(struct model_node, time)},
		{"next", read_next, 0},
		{"where", read_text, offsetof(struct model_node, where)},
	};

	node->station = MODEL_NONE;
	if (read_fields(reader, json, place, fields, field_count(fields), node))
		return -1;
	if (!json_object_get(json, "kind"))
		return refuse(reader, place,
			      "it has no kind; give \"kind\": \"cpu\", \"wait\", "
			      "\"acquire\", \"release\", \"put\" or \"done\"");
	return 0;
}

static int read_graph(struct reader *reader, const json_t *json, const struct place *place,
		      void *to)
{
	struct model_pool *pool = to;
	size_t count;

	if (read_length(reader, json, place, MODEL_NODES_MAX, &count))
		return -1;
	pool->nodes = count ? xcalloc(count, sizeof(*pool->nodes)) : NULL;
	pool->node_count = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *node = json_array_get(json, i);
		struct place here = {.up = place, .index = i};

		if (read_node(reader, node, &here, &pool->nodes[i]))
			return -1;
		if (!json_object_get(node, "next") && i + 1 < count)
			set_edge(&pool->nodes[i], (uint32_t)i + 1);
	}
	return 0;
}

/* [NODE, SECONDS] or [NODE] */
static int read_step(struct reader *reader, const json_t *json, const struct place *place,
		     struct model_step *step)
{
	size_t count = json_array_size(json);
	double seconds = 0;

	if (count < 1 || count > 2)
		return refuse(reader, place, "it is no step; give [STEP] or [STEP, SECONDS]");
	if (read_u32(reader, json_array_get(json, 0), place, &step->node) ||
	    (count > 1 && read_number(reader, json_array_get(json, 1), place, &seconds)))
		return -1;
	if (!(seconds >= 0 && seconds <= DISTRIBUTION_MEAN_MAX))
		return refuse(reader, place, "its time is %g s; give 0 to %g", seconds,
			      DISTRIBUTION_MEAN_MAX);
	step->seconds = (float)seconds;
	return 0;
}

static int read_visit(struct reader *reader, const json_t *json, const struct place *place,
		      struct model_pool *pool, struct model_visit *visit)
{
	size_t count;

	if (read_length(reader, json, place, MODEL_STEPS_MAX - pool->step_count, &count))
		return -1;
	*visit = (struct model_visit){(uint32_t)pool->step_count, (uint32_t)count};
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_step(reader, json_array_get(json, i), &here,
			      &pool->steps[pool->step_count + i]))
			return -1;
	}
	pool->step_count += count;
	return 0;
}

static int read_visits(struct reader *reader, const json_t *json, const struct place *place,
		       void *to)
{
	struct model_pool *pool = to;
	size_t count, steps = 0;

	if (read_length(reader, json, place, MODEL_VISITS_MAX, &count))
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
		struct place here = {.up = place, .index = i};

		if (read_visit(reader, json_array_get(json, i), &here, pool, &pool->visits[i]))
			return -1;
	}
	return 0;
}

/* --- Pools -------------------------------------------------------------------------------------------- */

static int read_dispatch(struct reader *reader, const json_t *json, const struct place *place,
			 void *to)
{
	unsigned dispatch;

	if (read_word(reader, json, place, model_json_dispatches, &dispatch))
		return -1;
	*(enum model_dispatch *)to = dispatch;
	return 0;
}

static int read_scale(struct reader *reader, const json_t *json, const struct place *place,
		      void *to)
{
	static const struct field fields[] = {
		{"wait", read_number, offsetof(struct model_pool, wait_scale)},
		{"cpu", read_number, offsetof(struct model_pool, cpu_scale)},
	};

	return read_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_why_fixed(struct reader *reader, const json_t *json, const struct place *place,
			  void *to)
{
	struct model_pool *pool = to;

	pool->fixed = true;
	return read_text(reader, json, place, &pool->why_fixed);
}

static int read_pool(struct reader *reader, const json_t *json, const struct place *place,
		     struct model_pool *pool)
{
	static const struct field fields[] = {
		{"name", read_text, offsetof(struct model_pool, name)},
		{"threads", read_u32, offsetof(struct model_pool, threads)},
		{"takes", read_station_name, offsetof(struct model_pool, takes)},
		{"dispatch", read_dispatch, offsetof(struct model_pool, dispatch)},
		{"fixed", read_bool, offsetof(struct model_pool, fixed)},
		{"why_fixed", read_why_fixed, 0},
		{"scale", read_scale, 0},
		{"graph", read_graph, 0},
		{"visits", read_visits, 0},
	};

	*pool = (struct model_pool){
		.threads = 1, .takes = MODEL_NONE, .cpu_scale = 1, .wait_scale = 1};
	return read_fields(reader, json, place, fields, field_count(fields), pool);
}

static int read_pools(struct reader *reader, const json_t *json, const struct place *place,
		      void *to)
{
	struct model *model = to;
	size_t count;

	if (read_length(reader, json, place, MODEL_POOLS_MAX, &count))
		return -1;
	model->pools = count ? xcalloc(count, sizeof(*model->pools)) : NULL;
	model->pool_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		if (read_pool(reader, json_array_get(json, i), &here, &model->pools[i]))
			return -1;
		add_name(&reader->pools, i, model->pools[i].name);
	}
	return 0;
}

/* --- The self-check ------------------------------------------------------------------------------------- */

static int read_checked(struct reader *reader, const json_t *json, const struct place *place,
			void *to)
{
	static const struct field fields[] = {
		{"recorded", read_number, offsetof(struct model_checked, recorded)},
		{"model", read_number, offsetof(struct model_checked, model)},
	};

	return read_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_pool_name(struct reader *reader, const json_t *json, const struct place *place,
			  void *to)
{
	return read_name_of(reader, json, place, &reader->pools, "pool", to);
}

static int read_check_items(struct reader *reader, const json_t *json, const struct place *place,
			    void *to)
{
	static const struct field fields[] = {
		{"station", read_station_name, offsetof(struct model_station_check, station)},
		{"pool", read_pool_name, offsetof(struct model_station_check, pool)},
		{"utilisation", read_checked, offsetof(struct model_station_check, utilisation)},
		{"length", read_checked, offsetof(struct model_station_check, length)},
	};
	const struct model_checked unknown = {NAN, NAN};
	struct model_check *check = to;
	size_t count;

	if (read_length(reader, json, place, MODEL_STATIONS_MAX + MODEL_POOLS_MAX, &count))
		return -1;
	check->items = count ? xcalloc(count, sizeof(*check->items)) : NULL;
	check->item_count = count;
	for (size_t i = 0; i < count; i++) {
		struct place here = {.up = place, .index = i};

		check->items[i] = (struct model_station_check){.station = MODEL_NONE,
							       .pool = MODEL_NONE,
							       .utilisation = unknown,
							       .length = unknown};
		if (read_fields(reader, json_array_get(json, i), &here, fields, field_count(fields),
				&check->items[i]))
			return -1;
	}
	return 0;
}

static int read_check(struct reader *reader, const json_t *json, const struct place *place,
		      void *to)
{
	static const struct field fields[] = {
		{"throughput_per_s", read_checked, offsetof(struct model_check, throughput_per_s)},
		{"response_s", read_checked, offsetof(struct model_check, response_s)},
		{"response_p95_s", read_checked, offsetof(struct model_check, response_p95_s)},
		{"busy_cores", read_checked, offsetof(struct model_check, busy_cores)},
		{"wall_s", read_checked, offsetof(struct model_check, wall_s)},
		{"items", read_check_items, 0},
	};
	struct model *model = to;

	model->has_check = true;
	return read_fields(reader, json, place, fields, field_count(fields), &model->check);
}

/* --- The whole ------------------------------------------------------------------------------------------- */

static int read_schema(struct reader *reader, const json_t *json, const struct place *place,
		       void *to)
{
	uint64_t schema;

	(void)to;
	if (read_whole(reader, json, place, UINT32_MAX, &schema))
		return -1;
	if (schema != MODEL_SCHEMA)
		return refuse(reader, place, "it is %.0f; this version of pscal reads models of %d",
			      (double)schema, MODEL_SCHEMA);
	return 0;
}

int model_of_json(struct model *model, const json_t *json, struct err *err)
{
	/* In the order in which one is needed for the next. */
	static const struct field fields[] = {
		{"schema", read_schema, 0},
		{"made_from", read_text, offsetof(struct model, made_from)},
		{"machine", read_machine, offsetof(struct model, machine)},
		{"stations", read_stations, 0},
		{"arrivals", read_sources, 0},
		{"pools", read_pools, 0},
		{"check", read_check, 0},
	};
	struct reader reader = {.model = model, .err = err};
	int rc;

	model_init(model);
	rc = read_fields(&reader, json, NULL, fields, field_count(fields), model);
	if (!rc && !json_object_get(json, "schema"))
		rc = err_set(err, "it has no \"schema\"; a model begins with {\"schema\": %d",
			     MODEL_SCHEMA);
	map_release(&reader.stations);
	map_release(&reader.pools);
	if (rc)
		model_release(model);
	return rc;
}
