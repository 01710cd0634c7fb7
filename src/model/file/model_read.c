/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_json.h"

#include "base/alloc.h"
#include "model/file/model_reader.h"

#include <math.h>
#include <string.h>

/* --- Machine and stations ------------------------------------------------------------------------- */

static int read_slowdown(struct reader *reader, const json_t *json, const struct json_place *place,
			 void *to)
{
	struct model_machine *machine = to;
	size_t count;

	if (json_is_null(json))
		return 0;
	if (reader_length(reader, json, place, MODEL_STEPS_MAX, &count))
		return -1;
	machine->slowdown = count ? xcalloc(count, sizeof(*machine->slowdown)) : NULL;
	machine->slowdown_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (reader_number(reader, json_array_get(json, i), &here, &machine->slowdown[i]))
			return -1;
	}
	return 0;
}

static int read_machine(struct reader *reader, const json_t *json, const struct json_place *place,
			void *to)
{
	static const struct field fields[] = {
		FIELD("cores", reader_u32, struct model_machine, cores),
		FIELD("slice_s", reader_number, struct model_machine, slice_s),
		FIELD("switch_s", reader_number, struct model_machine, switch_s),
		FIELD("wake_s", reader_number, struct model_machine, wake_s),
		FIELD_WHOLE("slowdown", read_slowdown),
	};

	return reader_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_limit(struct reader *reader, const json_t *json, const struct json_place *place,
		      void *to)
{
	struct model_station *station = to;

	if (json_is_null(json))
		return 0;
	station->bounded = true;
	return reader_u32(reader, json, place, &station->limit);
}

static int read_station(struct reader *reader, const json_t *json, const struct json_place *place,
			struct model_station *station)
{
	static const struct field fields[] = {
		FIELD("name", reader_text, struct model_station, name),
		FIELD_WORD("kind", model_json_stations, struct model_station, kind),
		FIELD("servers", reader_u32, struct model_station, servers),
		FIELD_WHOLE("limit", read_limit),
		FIELD("service", reader_time, struct model_station, service),
		FIELD("per_thread", reader_bool, struct model_station, per_thread),
	};

	station->servers = 1;
	if (reader_fields(reader, json, place, fields, field_count(fields), station))
		return -1;
	if (!json_object_get(json, "kind"))
		return refuse(reader, place,
			      "it has no kind; give \"kind\": \"queue\", \"lock\", "
			      "\"disk\" or \"delay\"");
	return 0;
}

static int read_stations(struct reader *reader, const json_t *json, const struct json_place *place,
			 void *to)
{
	struct model *model = to;
	size_t count;

	if (reader_length(reader, json, place, MODEL_STATIONS_MAX, &count))
		return -1;
	model->stations = count ? xcalloc(count, sizeof(*model->stations)) : NULL;
	model->station_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_station(reader, json_array_get(json, i), &here, &model->stations[i]))
			return -1;
		reader_add_name(&reader->stations, i, model->stations[i].name);
	}
	return 0;
}

/* The number of a name. */
/* --- Arrivals ------------------------------------------------------------------------------------- */

/* A shape alone will do, as the mean is that of the rate. */
static int read_gaps(struct reader *reader, const json_t *json, const struct json_place *place,
		     void *to)
{
	static const char *const shapes[] = {"fixed", "exponential", NULL};
	unsigned shape;

	if (!json_is_string(json))
		return reader_time(reader, json, place, to);
	if (reader_word(reader, json, place, shapes, &shape))
		return -1;
	*(struct distribution *)to = distribution_make(DISTRIBUTION_FIXED + shape, 1, 0);
	return 0;
}

/* One name, or a list of them. */
static int read_to(struct reader *reader, const json_t *json, const struct json_place *place,
		   void *to)
{
	struct model_source *source = to;
	size_t count = 1;

	if (!json_is_string(json) && reader_length(reader, json, place, MODEL_EDGES_MAX, &count))
		return -1;
	source->to = count ? xcalloc(count, sizeof(*source->to)) : NULL;
	source->to_count = count;
	if (json_is_string(json))
		return reader_station(reader, json, place, source->to);
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (reader_station(reader, json_array_get(json, i), &here, &source->to[i]))
			return -1;
	}
	return 0;
}

static int read_source(struct reader *reader, const json_t *json, const struct json_place *place,
		       struct model_source *source)
{
	static const struct field fields[] = {
		FIELD("name", reader_text, struct model_source, name),
		FIELD_WORD("kind", model_json_sources, struct model_source, kind),
		FIELD("rate", reader_number, struct model_source, rate),
		FIELD("gaps", read_gaps, struct model_source, gaps),
		FIELD("clients", reader_u32, struct model_source, clients),
		FIELD("think", reader_time, struct model_source, think),
		FIELD("items", reader_u64, struct model_source, items),
		FIELD_WHOLE("to", read_to),
	};

	if (reader_fields(reader, json, place, fields, field_count(fields), source))
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

static int read_sources(struct reader *reader, const json_t *json, const struct json_place *place,
			void *to)
{
	struct model *model = to;
	size_t count;

	if (reader_length(reader, json, place, MODEL_SOURCES_MAX, &count))
		return -1;
	model->sources = count ? xcalloc(count, sizeof(*model->sources)) : NULL;
	model->source_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		if (read_source(reader, json_array_get(json, i), &here, &model->sources[i]))
			return -1;
	}
	return 0;
}

/* --- The self-check ------------------------------------------------------------------------------------- */

static int read_checked(struct reader *reader, const json_t *json, const struct json_place *place,
			void *to)
{
	static const struct field fields[] = {
		FIELD("recorded", reader_number, struct model_checked, recorded),
		FIELD("model", reader_number, struct model_checked, model),
	};

	return reader_fields(reader, json, place, fields, field_count(fields), to);
}

static int read_pool_name(struct reader *reader, const json_t *json, const struct json_place *place,
			  void *to)
{
	return reader_name(reader, json, place, &reader->pools, "pool", to);
}

static int read_check_items(struct reader *reader, const json_t *json,
			    const struct json_place *place, void *to)
{
	static const struct field fields[] = {
		FIELD("station", reader_station, struct model_station_check, station),
		FIELD("pool", read_pool_name, struct model_station_check, pool),
		FIELD("utilisation", read_checked, struct model_station_check, utilisation),
		FIELD("length", read_checked, struct model_station_check, length),
	};
	const struct model_checked unknown = {NAN, NAN};
	struct model_check *check = to;
	size_t count;

	if (reader_length(reader, json, place, MODEL_STATIONS_MAX + MODEL_POOLS_MAX, &count))
		return -1;
	check->items = count ? xcalloc(count, sizeof(*check->items)) : NULL;
	check->item_count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = {.up = place, .index = i};

		check->items[i] = (struct model_station_check){.station = MODEL_NONE,
							       .pool = MODEL_NONE,
							       .utilisation = unknown,
							       .length = unknown};
		if (reader_fields(reader, json_array_get(json, i), &here, fields,
				  field_count(fields), &check->items[i]))
			return -1;
	}
	return 0;
}

static int read_check(struct reader *reader, const json_t *json, const struct json_place *place,
		      void *to)
{
	static const struct field fields[] = {
		FIELD("throughput_per_s", read_checked, struct model_check, throughput_per_s),
		FIELD("response_s", read_checked, struct model_check, response_s),
		FIELD("response_p95_s", read_checked, struct model_check, response_p95_s),
		FIELD("busy_cores", read_checked, struct model_check, busy_cores),
		FIELD("wall_s", read_checked, struct model_check, wall_s),
		FIELD_WHOLE("items", read_check_items),
	};
	struct model *model = to;

	model->has_check = true;
	return reader_fields(reader, json, place, fields, field_count(fields), &model->check);
}

/* --- The whole ------------------------------------------------------------------------------------------- */

static int read_schema(struct reader *reader, const json_t *json, const struct json_place *place,
		       void *to)
{
	uint64_t schema;

	(void)to;
	if (reader_u64(reader, json, place, &schema))
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
		FIELD_WHOLE("schema", read_schema),
		FIELD("made_from", reader_text, struct model, made_from),
		FIELD("machine", read_machine, struct model, machine),
		FIELD_WHOLE("stations", read_stations),
		FIELD_WHOLE("arrivals", read_sources),
		FIELD_WHOLE("pools", reader_pools),
		FIELD_WHOLE("check", read_check),
	};
	struct reader reader = {.model = model, .err = err};
	int rc;

	model_init(model);
	rc = reader_fields(&reader, json, NULL, fields, field_count(fields), model);
	if (!rc && !json_object_get(json, "schema"))
		rc = err_set(err, "it has no \"schema\"; a model begins with {\"schema\": %d",
			     MODEL_SCHEMA);
	map_release(&reader.stations);
	map_release(&reader.pools);
	if (rc)
		model_release(model);
	return rc;
}
