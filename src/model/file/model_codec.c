/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_codec.h"

#include "base/alloc.h"
#include "base/names.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest whole number that a double distinguishes from its neighbours. */
#define WHOLE_MOST 0x1p53

/* --- Places ----------------------------------------------------------------------------------- */

static void append_place(char **text, const struct json_place *place)
{
	if (!place)
		return;
	append_place(text, place->up);
	if (place->key)
		xappend(text, ".", "%.60s", place->key);
	else if (place->up)
		xappend(text, "", "[%zu]", place->index);
}

void place_refuse(const struct json_place *place)
{
	char *text = NULL;

	append_place(&text, place);
	if (text)
		err_wrap(place->codec->err, "%s", text);
	free(text);
}

/* --- Values that are read --------------------------------------------------------------------- */

int codec_value_length(const struct json_place *place, const json_t *json, size_t most,
		       size_t *length)
{
	if (!json_is_array(json))
		return codec_refuse(place, "it is not a list; give [...]");
	*length = json_array_size(json);
	if (*length > most)
		return codec_refuse(place, "it has %zu entries; up to %zu are possible", *length,
				    most);
	return 0;
}

int codec_value_number(const struct json_place *place, const json_t *json, double *number)
{
	if (!json_is_number(json))
		return codec_refuse(place, "it is not a number");
	*number = json_number_value(json);
	return 0;
}

int codec_value_whole(const struct json_place *place, const json_t *json, double least, double most,
		      double *whole)
{
	double number = 0;

	if (codec_value_number(place, json, &number))
		return -1;
	if (!(number >= least && number <= most) || number > floor(number))
		return codec_refuse(place, "it is %g; give a whole number from %.0f to %.0f",
				    number, least, most);
	*whole = number;
	return 0;
}

int codec_value_range(const struct json_place *place, double value, double least, double most)
{
	if (value >= least && value <= most)
		return 0;
	return codec_refuse(place, "it is %g; give %g to %g", value, least, most);
}

int codec_value_name(const struct json_place *place, const json_t *json, const struct map *names,
		     const char *thing, uint32_t *number)
{
	const char *name = json_string_value(json);
	struct nearest nearest;
	char *question;

	if (!name)
		return codec_refuse(place, "it is not text; give the name of a %s in quotes",
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
	codec_refuse(place, "there is no %s \"%.60s\"; %s", thing, name,
		     question ? question : "add it");
	free(question);
	return -1;
}

/* --- Values that are written ------------------------------------------------------------------ */

/* Replaces other bytes by "?": a thread or function name may be any bytes, JSON is UTF-8. */
json_t *json_of_text(const char *text)
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

json_t *json_of_number(double number)
{
	if (fabs(number) <= WHOLE_MOST && number <= floor(number) &&
	    !(signbit(number) && number >= 0))
		return json_integer((json_int_t)number);
	return json_real(number);
}

json_t *json_of_numbers(const double *numbers, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_of_number(numbers[i]));
	return list;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static int read_number(const struct json_place *place, const json_t *json, void *at)
{
	return codec_value_number(place, json, at);
}

/* Leaves out an unknown number, and a zero of a sparse field. */
static json_t *write_number(const struct json_place *place, const void *at)
{
	double number = *(const double *)at;

	if (!isfinite(number) || (place->field->sparse && !(fabs(number) > 0)))
		return NULL;
	return json_of_number(number);
}

/* Accepts any number, even an unknown one, if the field has no range. */
static int check_number(const struct json_place *place, const void *at)
{
	double least = place->field->least, most = place->field->most;

	return most > least ? codec_value_range(place, *(const double *)at, least, most) : 0;
}

static double whole_at(const struct json_place *place, const void *at)
{
	return place->field->size == sizeof(uint32_t) ? *(const uint32_t *)at
						      : (double)*(const uint64_t *)at;
}

static int read_whole(const struct json_place *place, const json_t *json, void *at)
{
	double number;

	if (codec_value_whole(place, json, place->field->least, place->field->most, &number))
		return -1;
	if (place->field->size == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)number;
	else
		*(uint64_t *)at = (uint64_t)number;
	return 0;
}

static json_t *write_whole(const struct json_place *place, const void *at)
{
	return json_of_number(whole_at(place, at));
}

static int check_whole(const struct json_place *place, const void *at)
{
	return codec_value_range(place, whole_at(place, at), place->field->least,
				 place->field->most);
}

const struct field_kind kind_number = {read_number, write_number, check_number},
			kind_whole = {read_whole, write_whole, check_whole};

/* Lists of numbers, each in the range of the field. */

int codec_value_numbers(const struct json_place *place, const json_t *json, double *numbers,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (codec_value_number(&here, json_array_get(json, i), &numbers[i]))
			return -1;
	}
	return 0;
}

static int read_numbers(const struct json_place *place, const json_t *json, void *at)
{
	size_t *count = place_count(place, at);
	double *numbers;

	if (json_is_null(json))
		return 0;
	if (codec_value_length(place, json, place->field->count_most, count))
		return -1;
	*(double **)at = numbers = *count ? xcalloc(*count, sizeof(*numbers)) : NULL;
	return codec_value_numbers(place, json, numbers, *count);
}

static json_t *write_numbers(const struct json_place *place, const void *at)
{
	size_t count = *place_count(place, at);

	return count ? json_of_numbers(*(double *const *)at, count) : NULL;
}

int codec_check_length(const struct json_place *place, size_t count)
{
	const struct field *field = place->field;

	if (count < field->count_least)
		return codec_refuse(place, "there are none; give one or more");
	if (count > field->count_most)
		return codec_refuse(place, "there are %zu; up to %zu are possible", count,
				    field->count_most);
	return 0;
}

static int check_numbers(const struct json_place *place, const void *at)
{
	size_t count = *place_count(place, at);

	if (codec_check_length(place, count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (check_number(&here, &(*(double *const *)at)[i]))
			return -1;
	}
	return 0;
}

const struct field_kind kind_numbers = {read_numbers, write_numbers, check_numbers};

/* --- Words ------------------------------------------------------------------------------------ */

static int read_bool(const struct json_place *place, const json_t *json, void *at)
{
	if (!json_is_boolean(json))
		return codec_refuse(place, "it is neither true nor false");
	*(bool *)at = json_is_true(json);
	return 0;
}

static json_t *write_bool(const struct json_place *place, const void *at)
{
	(void)place;
	return *(const bool *)at ? json_true() : NULL;
}

int codec_read_text(const struct json_place *place, const json_t *json, void *at)
{
	if (!json_is_string(json))
		return codec_refuse(place, "it is not text; give it in quotes");
	free(*(char **)at);
	*(char **)at = xstrdup(json_string_value(json));
	return 0;
}

json_t *codec_write_text(const struct json_place *place, const void *at)
{
	const char *text = *(char *const *)at;

	(void)place;
	return text ? json_of_text(text) : NULL;
}

/* Lists the words whose bit is set in `bits`: "a" or "b". */
static char *list_words(const char *const *words, unsigned bits)
{
	char *list = NULL;

	for (unsigned i = 0; words[i]; i++)
		if (bits >> i & 1)
			xappend(&list, " or ", "\"%s\"", words[i]);
	return list;
}

int codec_read_word(const struct json_place *place, const json_t *json, void *at)
{
	const char *word = json_string_value(json), *const *words = place->field->about;
	unsigned number = 0;
	char *known;

	while (words[number] && (!word || strcmp(word, words[number]) != 0))
		number++;
	*(unsigned *)at = number;
	if (words[number])
		return 0;
	known = list_words(words, UINT_MAX);
	codec_refuse(place, "it is %s%.60s%s; give %s", word ? "\"" : "", word ? word : "no text",
		     word ? "\"" : "", known);
	free(known);
	return -1;
}

static json_t *write_word(const struct json_place *place, const void *at)
{
	return json_string(((const char *const *)place->field->about)[*(const unsigned *)at]);
}

const struct field_kind kind_bool = {read_bool, write_bool, NULL},
			kind_text = {codec_read_text, codec_write_text, NULL},
			kind_word = {codec_read_word, write_word, NULL};

/* --- Objects ---------------------------------------------------------------------------------- */

static const struct field *find_field(const struct json_fields *object, const char *key)
{
	for (size_t i = 0; i < object->field_count; i++)
		if (!strcmp(object->fields[i].key, key))
			return &object->fields[i];
	return NULL;
}

static int refuse_key(const struct json_place *place, const char *key,
		      const struct json_fields *object)
{
	struct nearest nearest;
	char *question, *known = NULL;

	nearest_init(&nearest, key);
	for (size_t i = 0; i < object->field_count; i++) {
		nearest_try(&nearest, object->fields[i].key);
		xappend(&known, ", ", "%s", object->fields[i].key);
	}
	question = nearest_question(&nearest);
	if (question)
		codec_refuse(place, "there is no \"%.60s\"; %s", key, question);
	else
		codec_refuse(place, "there is no \"%.60s\"; known are %s", key, known);
	free(question);
	free(known);
	return -1;
}

/* Refuses the first key that is not known. */
static int refuse_keys(const struct json_place *place, const json_t *json,
		       const struct json_fields *object)
{
	json_t *keys = (json_t *)(uintptr_t)json;

	for (void *at = json_object_iter(keys); at; at = json_object_iter_next(keys, at))
		if (!find_field(object, json_object_iter_key(at)))
			return refuse_key(place, json_object_iter_key(at), object);
	return 0;
}

/* A stand-in for the enums that are read as words. */
enum codec_enum { CODEC_ENUM };
_Static_assert(sizeof(enum codec_enum) == sizeof(unsigned), "an enum is read as a number");

static bool has_field(const struct json_fields *object, const struct field *field,
		      const void *whole)
{
	unsigned kind;

	if (!field->only)
		return true;
	memcpy(&kind, (const char *)whole + object->kind, sizeof(kind));
	return field->only >> kind & 1;
}

/* Refuses a missing member that is needed, or a member that this kind does not have. */
static int refuse_field(const struct json_place *place, const struct json_fields *object,
			const struct field *field)
{
	const struct field *kind = field->needed ? field : find_field(object, "kind");
	char *known = kind->kind == &kind_word
			      ? list_words(kind->about, field->only ? field->only : UINT_MAX)
			      : NULL;

	if (!field->needed)
		codec_refuse(place, "%s: only the kind %s has it", field->key, known);
	else if (known)
		codec_refuse(place, "it has no \"%s\"; give %s", field->key, known);
	else
		codec_refuse(place, "it has no \"%s\"; %s", field->key, (const char *)field->about);
	free(known);
	return -1;
}

static int read_field(const struct json_place *place, const json_t *json,
		      const struct json_fields *object, const struct field *field, void *whole)
{
	struct json_place here = place_of_field(place, field);

	if (!json)
		return field->needed ? refuse_field(place, object, field) : 0;
	if (!has_field(object, field, whole))
		return refuse_field(place, object, field);
	if (field->flag && !json_is_null(json))
		*((bool *)whole + field->flag) = true;
	if (field->flag && json_is_null(json))
		return 0;
	return field->kind->read(&here, json, (char *)whole + field->offset);
}

int codec_object_read(const struct json_place *place, const json_t *json,
		      const struct json_fields *object, void *whole)
{
	if (!json_is_object(json))
		return codec_refuse(place, "it is not an object; give {\"KEY\": VALUE, ...}");
	for (size_t i = 0; i < object->field_count; i++)
		if ((i == object->early && refuse_keys(place, json, object)) ||
		    read_field(place, json_object_get(json, object->fields[i].key), object,
			       &object->fields[i], whole))
			return -1;
	return 0;
}

json_t *codec_object_write(const struct json_place *place, const struct json_fields *object,
			   const void *whole)
{
	json_t *json = json_object();

	for (size_t i = 0; i < object->field_count; i++) {
		const struct field *field = &object->fields[i];
		struct json_place here = place_of_field(place, field);

		if (has_field(object, field, whole) && (place->codec->whole || !field->ballast) &&
		    (!field->flag || *((const bool *)whole + field->flag)))
			json_object_set_new(
				json, field->key,
				field->kind->write(&here, (const char *)whole + field->offset));
	}
	return json;
}

int codec_object_check(const struct json_place *place, const struct json_fields *object,
		       const void *whole)
{
	for (size_t i = 0; i < object->field_count; i++) {
		const struct field *field = &object->fields[i];
		struct json_place here = place_of_field(place, field);

		if (field->kind->check && has_field(object, field, whole) &&
		    field->kind->check(&here, (const char *)whole + field->offset))
			return -1;
	}
	return object->check ? object->check(place, whole) : 0;
}

static int read_object(const struct json_place *place, const json_t *json, void *at)
{
	return codec_object_read(place, json, place->field->about, at);
}

static json_t *write_object(const struct json_place *place, const void *at)
{
	json_t *json = codec_object_write(place, place->field->about, at);

	if (json_object_size(json) || !place->field->sparse)
		return json;
	json_decref(json);
	return NULL;
}

static int check_object(const struct json_place *place, const void *at)
{
	return codec_object_check(place, place->field->about, at);
}

const struct field_kind kind_object = {read_object, write_object, check_object};

/* --- Lists of objects ------------------------------------------------------------------------- */

int codec_read_list(const struct json_place *place, const json_t *json, void *at)
{
	const struct json_fields *item = place->field->about;
	size_t *count = place_count(place, at), length;
	char *items;

	if (codec_value_length(place, json, place->field->count_most, &length))
		return -1;
	*(char **)at = items = length ? xcalloc(length, item->size) : NULL;
	*count = length;
	for (size_t i = 0; i < length && item->init; i++)
		item->init(items + i * item->size);
	for (size_t i = 0; i < length; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (codec_object_read(&here, json_array_get(json, i), item, items + i * item->size))
			return -1;
	}
	return 0;
}

json_t *codec_write_list(const struct json_place *place, const void *at)
{
	const struct json_fields *item = place->field->about;
	const char *items = *(char *const *)at;
	size_t count = *place_count(place, at);
	json_t *list;

	if (!count && place->field->sparse)
		return NULL;
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
				      codec_object_write(place, item, items + i * item->size));
	return list;
}

int codec_check_list(const struct json_place *place, const void *at)
{
	const struct json_fields *item = place->field->about;
	const char *items = *(char *const *)at;
	size_t count = *place_count(place, at);

	if (codec_check_length(place, count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct json_place here = place_at(place, NULL, i);

		if (codec_object_check(&here, item, items + i * item->size))
			return -1;
	}
	return 0;
}

const struct field_kind kind_list = {codec_read_list, codec_write_list, codec_check_list};
