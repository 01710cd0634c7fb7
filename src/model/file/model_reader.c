/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_reader.h"

#include "base/alloc.h"
#include "base/names.h"
#include "model/file/model_json.h"

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

static void append_place(char **text, const struct json_place *place)
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
void reader_place(const struct reader *reader, const struct json_place *place)
{
	char *text = NULL;

	append_place(&text, place);
	if (text)
		err_wrap(reader->err, "%s", text);
	free(text);
}

static int refuse_key(const struct reader *reader, const struct json_place *place, const char *key,
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

/* Of the enums that are read so. */
_Static_assert(sizeof(enum model_node_kind) == sizeof(unsigned), "an enum is read as a number");

static int read_field(struct reader *reader, const json_t *json, const struct json_place *place,
		      const struct field *field, void *structure)
{
	void *to = (char *)structure + field->offset;

	if (!json)
		return 0;
	if (field->read)
		return field->read(reader, json, place, to);
	return reader_word(reader, json, place, field->words, to);
}

int reader_fields(struct reader *reader, const json_t *json, const struct json_place *place,
		  const struct field *fields, size_t count, void *to)
{
	const char *key;

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
		struct json_place here = {.up = place, .key = fields[i].key};

		if (read_field(reader, json_object_get(json, fields[i].key), &here, &fields[i], to))
			return -1;
	}
	return 0;
}

/* The length of an array. */
int reader_length(struct reader *reader, const json_t *json, const struct json_place *place,
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

int reader_number(struct reader *reader, const json_t *json, const struct json_place *place,
		  void *to)
{
	if (!json_is_number(json))
		return refuse(reader, place, "it is no number");
	*(double *)to = json_number_value(json);
	return 0;
}

/* Whole, 0 or more. */
static int read_whole(struct reader *reader, const json_t *json, const struct json_place *place,
		      double most, uint64_t *whole)
{
	double number = 0;

	if (reader_number(reader, json, place, &number))
		return -1;
	if (!(number >= 0 && number <= most) || number > floor(number))
		return refuse(reader, place, "it is %g; give a whole number from 0 to %.0f", number,
			      most);
	*whole = (uint64_t)number;
	return 0;
}

int reader_u32(struct reader *reader, const json_t *json, const struct json_place *place, void *to)
{
	uint64_t whole;

	if (read_whole(reader, json, place, UINT32_MAX - 1, &whole))
		return -1;
	*(uint32_t *)to = (uint32_t)whole;
	return 0;
}

int reader_u64(struct reader *reader, const json_t *json, const struct json_place *place, void *to)
{
	const double most = 0x1p53;

	return read_whole(reader, json, place, most, to);
}

int reader_bool(struct reader *reader, const json_t *json, const struct json_place *place, void *to)
{
	if (!json_is_boolean(json))
		return refuse(reader, place, "it is neither true nor false");
	*(bool *)to = json_is_true(json);
	return 0;
}

int reader_text(struct reader *reader, const json_t *json, const struct json_place *place, void *to)
{
	if (!json_is_string(json))
		return refuse(reader, place, "it is no text; give it in quotes");
	free(*(char **)to);
	*(char **)to = xstrdup(json_string_value(json));
	return 0;
}

/* One of `words`, which NULL ends: its number. */
int reader_word(struct reader *reader, const json_t *json, const struct json_place *place,
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

static int read_quantiles(struct reader *reader, const json_t *json, const struct json_place *place,
			  struct distribution *time)
{
	double quantiles[DISTRIBUTION_QUANTILE_COUNT];

	if (json_array_size(json) != DISTRIBUTION_QUANTILE_COUNT)
		return refuse(reader, place, "it has %zu quantiles; give %d", json_array_size(json),
			      DISTRIBUTION_QUANTILE_COUNT);
	for (size_t i = 0; i < DISTRIBUTION_QUANTILE_COUNT; i++) {
		struct json_place here = {.up = place, .index = i};

		if (reader_number(reader, json_array_get(json, i), &here, &quantiles[i]))
			return -1;
	}
	*time = distribution_of_quantiles(quantiles);
	return 0;
}

/* A mean, or a pair of which `at` is the place of the mean and the other one the shape. */
static int read_moments(struct reader *reader, const json_t *json, const struct json_place *place,
			enum distribution_kind kind, struct distribution *time)
{
	size_t at = kind == DISTRIBUTION_ERLANG;
	double mean = 0, shape = 0;

	if (kind == DISTRIBUTION_FIXED || kind == DISTRIBUTION_EXPONENTIAL) {
		if (reader_number(reader, json, place, &mean))
			return -1;
	} else if (json_array_size(json) != 2) {
		return refuse(reader, place, "it is no pair; give [%s]",
			      at ? "PHASES, MEAN" : "MEAN, CV2");
	} else if (reader_number(reader, json_array_get(json, at), place, &mean) ||
		   reader_number(reader, json_array_get(json, 1 - at), place, &shape)) {
		return -1;
	}
	if (at && !(shape >= 1 && shape <= DISTRIBUTION_PHASES_MAX && shape <= floor(shape)))
		return refuse(reader, place, "it has %g phases; give 1 to %d", shape,
			      DISTRIBUTION_PHASES_MAX);
	*time = distribution_make(kind, mean, shape);
	return 0;
}

int reader_time(struct reader *reader, const json_t *json, const struct json_place *place, void *to)
{
	struct distribution *time = to;
	void *member = json_object_iter((json_t *)(uintptr_t)json);
	struct json_place here = {.up = place};
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

/* --- Names ---------------------------------------------------------------------------------------- */

/* `names` gets the name; twins are found later. */
void reader_add_name(struct map *names, size_t index, const char *name)
{
	char *other = NULL;

	/* A number for each: where it is a twin, or there is none, a name that no text has. */
	if (!name || map_find(names, name, strlen(name)) != MAP_NONE)
		name = other = xasprintf("\xff%zu", index);
	map_add(names, name, strlen(name));
	free(other);
}

/* The number of a name. */
int reader_name(struct reader *reader, const json_t *json, const struct json_place *place,
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

int reader_station(struct reader *reader, const json_t *json, const struct json_place *place,
		   void *to)
{
	return reader_name(reader, json, place, &reader->stations, "station", to);
}
