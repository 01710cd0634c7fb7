/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "model/file/model.h"
#include "model/file/model_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Values --------------------------------------------------------------------------------------- */

/* Names of threads and functions may be any bytes, those of JSON are UTF-8. */
static json_t *json_of_text(const char *text)
{
	json_t *json = json_string(text);
	char *copy;

	if (json)
		return json;
	copy = xstrdup(text);
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	json = json_string(copy);
	free(copy);
	return json;
}

static json_t *json_of_number(double number)
{
	const double whole = 0x1p53;

	if (fabs(number) <= whole && number <= floor(number) && !(signbit(number) && number >= 0))
		return json_integer((json_int_t)number);
	return json_real(number);
}

/* The shortest number that is read as the same `float`. */
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

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, json_of_text(text));
}

static void set_number(json_t *object, const char *key, double number)
{
	json_object_set_new(object, key, json_of_number(number));
}

static json_t *json_of_numbers(const double *numbers, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_of_number(numbers[i]));
	return list;
}

/* --- Times ------------------------------------------------------------------------------------------ */

static json_t *json_of_pair(double first, double second)
{
	return json_of_numbers((const double[]){first, second}, 2);
}

static json_t *json_of_time(const struct distribution *time)
{
	json_t *value, *object;

	switch (time->kind) {
	case DISTRIBUTION_ERLANG:
		value = json_of_pair(time->phases, time->mean);
		break;
	case DISTRIBUTION_HYPER:
	case DISTRIBUTION_LOGNORMAL:
		value = json_of_pair(time->mean, time->cv2);
		break;
	case DISTRIBUTION_QUANTILES:
		value = json_of_numbers(time->quantiles, DISTRIBUTION_QUANTILE_COUNT);
		break;
	default:
		value = json_of_number(time->mean);
	}
	if (time->kind == DISTRIBUTION_FIXED)
		return value;
	object = json_object();
	json_object_set_new(object, model_json_times[time->kind], value);
	return object;
}

static void set_time(json_t *object, const char *key, const struct distribution *time)
{
	if (time->kind != DISTRIBUTION_NONE)
		json_object_set_new(object, key, json_of_time(time));
}

/* --- Machine, arrivals, stations ---------------------------------------------------------------------- */

static json_t *json_of_machine(const struct model_machine *machine)
{
	json_t *json = json_object();

	set_number(json, "cores", machine->cores);
	if (machine->slice_s > 0)
		set_number(json, "slice_s", machine->slice_s);
	if (machine->switch_s > 0)
		set_number(json, "switch_s", machine->switch_s);
	if (machine->wake_s > 0)
		set_number(json, "wake_s", machine->wake_s);
	if (machine->slowdown_count)
		json_object_set_new(json, "slowdown",
				    json_of_numbers(machine->slowdown, machine->slowdown_count));
	return json;
}

static void set_gaps(json_t *json, const struct distribution *gaps)
{
	bool shape = gaps->kind == DISTRIBUTION_FIXED || gaps->kind == DISTRIBUTION_EXPONENTIAL;

	if (shape && gaps->mean >= 1 && gaps->mean <= 1)
		set_text(json, "gaps", model_json_times[gaps->kind]);
	else
		set_time(json, "gaps", gaps);
}

static json_t *json_of_source(const struct model *model, const struct model_source *source)
{
	json_t *json = json_object(), *to;

	set_text(json, "name", source->name);
	set_text(json, "kind", model_json_sources[source->kind]);
	if (source->kind == MODEL_OPEN) {
		set_number(json, "rate", source->rate);
		set_gaps(json, &source->gaps);
	} else if (source->kind == MODEL_CLOSED) {
		set_number(json, "clients", source->clients);
		set_time(json, "think", &source->think);
	} else {
		set_number(json, "items", (double)source->items);
	}
	to = json_array();
	for (size_t i = 0; i < source->to_count; i++)
		json_array_append_new(to, json_of_text(model->stations[source->to[i]].name));
	if (source->to_count == 1) {
		set_text(json, "to", model->stations[source->to[0]].name);
		json_decref(to);
	} else {
		json_object_set_new(json, "to", to);
	}
	return json;
}

static json_t *json_of_station(const struct model_station *station)
{
	json_t *json = json_object();

	set_text(json, "name", station->name);
	set_text(json, "kind", model_json_stations[station->kind]);
	if (station->kind == MODEL_DISK || (station->kind == MODEL_LOCK && station->servers != 1))
		set_number(json, "servers", station->servers);
	if (station->bounded)
		set_number(json, "limit", station->limit);
	set_time(json, "service", &station->service);
	if (station->per_thread)
		json_object_set_new(json, "per_thread", json_true());
	return json;
}

/* --- Pools --------------------------------------------------------------------------------------------- */

static json_t *json_of_way(uint32_t to)
{
	return to == MODEL_NONE ? json_string(MODEL_JSON_END) : json_integer(to);
}

/* Left out where it is the next step, which is nothing behind the last. */
static void set_next(json_t *json, const struct model_pool *pool, size_t index)
{
	const struct model_node *node = &pool->nodes[index];
	bool last = index + 1 == pool->node_count;
	bool only = node->edge_count == 1 && node->edges[0].share >= 1 && node->edges[0].share <= 1;
	json_t *list;

	if (last ? !node->edge_count : only && node->edges[0].to == index + 1)
		return;
	if (only) {
		json_object_set_new(json, "next", json_of_way(node->edges[0].to));
		return;
	}
	list = json_array();
	for (size_t i = 0; i < node->edge_count; i++) {
		json_t *pair = json_array();

		json_array_append_new(pair, json_of_way(node->edges[i].to));
		json_array_append_new(pair, json_of_number(node->edges[i].share));
		json_array_append_new(list, pair);
	}
	json_object_set_new(json, "next", list);
}

static json_t *json_of_graph(const struct model *model, const struct model_pool *pool)
{
	json_t *graph = json_array();

	for (size_t i = 0; i < pool->node_count; i++) {
		const struct model_node *node = &pool->nodes[i];
		json_t *json = json_object();

		set_text(json, "kind", model_json_nodes[node->kind]);
		if (node->station != MODEL_NONE)
			set_text(json, "station", model->stations[node->station].name);
		set_time(json, "time", &node->time);
		set_text(json, "where", node->where);
		set_next(json, pool, i);
		json_array_append_new(graph, json);
	}
	return graph;
}

static json_t *json_of_visits(const struct model_pool *pool)
{
	json_t *visits = json_array();

	for (size_t i = 0; i < pool->visit_count; i++) {
		const struct model_visit *visit = &pool->visits[i];
		json_t *json = json_array();

		for (size_t j = 0; j < visit->count; j++) {
			const struct model_step *step = &pool->steps[visit->first + j];
			json_t *pair = json_array();

			json_array_append_new(pair, json_integer(step->node));
			if (step->seconds > 0)
				json_array_append_new(pair, json_of_float(step->seconds));
			json_array_append_new(json, pair);
		}
		json_array_append_new(visits, json);
	}
	return visits;
}

static json_t *json_of_pool(const struct model *model, const struct model_pool *pool, bool whole)
{
	json_t *json = json_object(), *scale = json_object();

	set_text(json, "name", pool->name);
	set_number(json, "threads", pool->threads);
	if (pool->takes < model->station_count)
		set_text(json, "takes", model->stations[pool->takes].name);
	set_text(json, "dispatch", model_json_dispatches[pool->dispatch]);
	if (pool->fixed)
		json_object_set_new(json, "fixed", json_true());
	set_text(json, "why_fixed", pool->why_fixed);
	set_number(scale, "cpu", pool->cpu_scale);
	json_object_set_new(json, "scale", scale);
	set_number(scale, "wait", pool->wait_scale);
	if (pool->node_count)
		json_object_set_new(json, "graph", json_of_graph(model, pool));
	if (whole && pool->visit_count)
		json_object_set_new(json, "visits", json_of_visits(pool));
	return json;
}

/* --- The self-check ------------------------------------------------------------------------------------- */

/* A number that is not known is left out. */
static void set_checked(json_t *json, const char *key, const struct model_checked *checked)
{
	json_t *pair = json_object();

	if (isfinite(checked->recorded))
		set_number(pair, "recorded", checked->recorded);
	if (isfinite(checked->model))
		set_number(pair, "model", checked->model);
	if (json_object_size(pair))
		json_object_set(json, key, pair);
	json_decref(pair);
}

static json_t *json_of_check(const struct model *model)
{
	const struct model_check *check = &model->check;
	json_t *json = json_object(), *items = json_array();

	set_checked(json, "throughput_per_s", &check->throughput_per_s);
	set_checked(json, "response_s", &check->response_s);
	set_checked(json, "response_p95_s", &check->response_p95_s);
	set_checked(json, "busy_cores", &check->busy_cores);
	set_checked(json, "wall_s", &check->wall_s);
	for (size_t i = 0; i < check->item_count; i++) {
		const struct model_station_check *item = &check->items[i];
		json_t *object = json_object();

		if (item->station < model->station_count)
			set_text(object, "station", model->stations[item->station].name);
		if (item->pool < model->pool_count)
			set_text(object, "pool", model->pools[item->pool].name);
		set_checked(object, "utilisation", &item->utilisation);
		set_checked(object, "length", &item->length);
		json_array_append_new(items, object);
	}
	if (check->item_count)
		json_object_set(json, "items", items);
	json_decref(items);
	return json;
}

/* --- The whole ------------------------------------------------------------------------------------------- */

json_t *model_to_json(const struct model *model, bool whole)
{
	json_t *json = json_object(), *sources = json_array(), *stations = json_array();
	json_t *pools = json_array();

	json_object_set_new(json, "schema", json_integer(MODEL_SCHEMA));
	set_text(json, "made_from", model->made_from);
	json_object_set_new(json, "machine", json_of_machine(&model->machine));
	for (size_t i = 0; i < model->source_count; i++)
		json_array_append_new(sources, json_of_source(model, &model->sources[i]));
	for (size_t i = 0; i < model->station_count; i++)
		json_array_append_new(stations, json_of_station(&model->stations[i]));
	for (size_t i = 0; i < model->pool_count; i++)
		json_array_append_new(pools, json_of_pool(model, &model->pools[i], whole));
	json_object_set_new(json, "arrivals", sources);
	json_object_set_new(json, "stations", stations);
	json_object_set_new(json, "pools", pools);
	if (whole && model->has_check)
		json_object_set_new(json, "check", json_of_check(model));
	return json;
}

/* --- Text ------------------------------------------------------------------------------------------------- */

/* Each entry of these lists, and each member of the whole, has a line of its own. */
static bool is_broken(const char *key)
{
	static const char *const keys[] = {"arrivals", "stations", "pools",
					   "graph",    "visits",   "items"};

	for (size_t i = 0; key && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* In as few digits as it is read again from. */
static void write_real(double number, FILE *stream)
{
	enum { DIGITS = 15, DIGITS_MOST = 17 };
	char text[32];

	for (int digits = DIGITS; digits <= DIGITS_MOST; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) >= number && strtod(text, NULL) <= number)
			break;
	}
	fputs(text, stream);
	if (!strpbrk(text, ".e"))
		fputs(".0", stream);
}

static void write_break(unsigned depth, FILE *stream)
{
	fprintf(stream, "\n%*s", 2 * (int)depth, "");
}

static void write_json(const json_t *json, const char *key, unsigned depth, FILE *stream);

static void write_object(const json_t *json, unsigned depth, FILE *stream)
{
	json_t *object = (json_t *)(uintptr_t)json;
	bool first = true;

	fputc('{', stream);
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		const char *key = json_object_iter_key(at);

		fputs(first ? "" : ",", stream);
		if (!depth || (is_broken(key) && !first))
			write_break(depth + 1, stream);
		else if (!first)
			fputc(' ', stream);
		fprintf(stream, "\"%s\": ", key);
		write_json(json_object_iter_value(at), key, depth + 1, stream);
		first = false;
	}
	fputs(depth ? "}" : "\n}\n", stream);
}

static void write_list(const json_t *json, const char *key, unsigned depth, FILE *stream)
{
	size_t count = json_array_size(json);

	fputc('[', stream);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stream);
		if (is_broken(key))
			write_break(depth + 1, stream);
		else if (i)
			fputc(' ', stream);
		write_json(json_array_get(json, i), NULL, depth + 1, stream);
	}
	if (count && is_broken(key))
		write_break(depth, stream);
	fputc(']', stream);
}

static void write_json(const json_t *json, const char *key, unsigned depth, FILE *stream)
{
	if (json_is_object(json))
		write_object(json, depth, stream);
	else if (json_is_array(json))
		write_list(json, key, depth, stream);
	else if (json_is_real(json))
		write_real(json_real_value(json), stream);
	else
		json_dumpf(json, stream, JSON_ENCODE_ANY);
}

int model_write(const struct model *model, FILE *stream, struct err *err)
{
	json_t *json = model_to_json(model, true);

	write_json(json, NULL, 0, stream);
	json_decref(json);
	if (fflush(stream) || ferror(stream))
		return err_set(err, "the model cannot be written: %m");
	return 0;
}
