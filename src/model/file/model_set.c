/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "model/file/model_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number is set in the model's JSON, which is read again: all names of the file work. */

static const char machine_name[] = "machine";

/* --- Sources, stations and pools -------------------------------------------------------------- */

static const char *const lists[] = {"arrivals", "stations", "pools"};
enum { LIST_COUNT = sizeof(lists) / sizeof(lists[0]) };

/* Finds the object of NAME.REST, and *rest behind the point. NULL: none has that name. */
static json_t *find_thing(json_t *json, const char *name, const char **rest)
{
	size_t machine_length = strlen(machine_name);

	if (!strncmp(name, machine_name, machine_length) && name[machine_length] == '.') {
		*rest = name + machine_length + 1;
		return json_object_get(json, machine_name);
	}
	for (size_t i = 0; i < LIST_COUNT; i++) {
		json_t *list = json_object_get(json, lists[i]);

		for (size_t j = 0; j < json_array_size(list); j++) {
			json_t *thing = json_array_get(list, j);
			const char *own = json_string_value(json_object_get(thing, "name"));
			size_t length = own ? strlen(own) : 0;

			if (own && !strncmp(name, own, length) && name[length] == '.') {
				*rest = name + length + 1;
				return thing;
			}
		}
	}
	return NULL;
}

static void add_numbers(char **known, struct nearest *nearest, const char *path, json_t *json);

static void add_member(char **known, struct nearest *nearest, const char *path, const char *key,
		       json_t *value)
{
	char *whole = xasprintf("%s.%s", path, key);

	if (json_is_number(value)) {
		xappend(known, ", ", "%s", whole);
		nearest_try(nearest, whole);
	} else if (json_is_object(value)) {
		add_numbers(known, nearest, whole, value);
	}
	free(whole);
}

/* Adds the numbers of the object and of the objects in it. */
static void add_numbers(char **known, struct nearest *nearest, const char *path, json_t *json)
{
	for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
		add_member(known, nearest, path, json_object_iter_key(at),
			   json_object_iter_value(at));
}

static int refuse_name(json_t *json, const char *name, struct err *err)
{
	struct nearest nearest;
	char *known = NULL, *question;

	nearest_init(&nearest, name);
	add_numbers(&known, &nearest, machine_name, json_object_get(json, machine_name));
	for (size_t i = 0; i < LIST_COUNT; i++) {
		json_t *list = json_object_get(json, lists[i]);

		for (size_t j = 0; j < json_array_size(list); j++) {
			json_t *thing = json_array_get(list, j);

			add_numbers(&known, &nearest,
				    json_string_value(json_object_get(thing, "name")), thing);
		}
	}
	question = nearest_question(&nearest);
	if (question)
		err_set(err, "the model has no number \"%.100s\"; %s", name, question);
	else
		err_set(err, "the model has no number \"%.100s\"; it has %s", name, known);
	free(question);
	free(known);
	return -1;
}

/* --- The path to a number --------------------------------------------------------------------- */

/* Returns the index of "[3]" at *path, and moves *path behind it. -1: there is no index. */
static ptrdiff_t take_index(const char **path)
{
	char *end;
	unsigned long index;

	if (**path != '[' || (*path)[1] < '0' || (*path)[1] > '9')
		return -1;
	index = strtoul(*path + 1, &end, 10);
	if (*end != ']' || index > MODEL_STEPS_MAX)
		return -1;
	*path = end + 1;
	return (ptrdiff_t)index;
}

static json_t *number_of(double value)
{
	const double whole = 0x1p53;

	if (fabs(value) <= whole && value <= floor(value))
		return json_integer((json_int_t)value);
	return json_real(value);
}

/*
 * Follows a path such as "scale.cpu" or "graph[3].time.exponential" from `json`, and sets the
 * value. A missing key is added to an object; reading the JSON refuses unknown keys. Returns -1 if
 * the path leads nowhere.
 */
static int set_path(json_t *json, const char *path, double value)
{
	while (*path) {
		ptrdiff_t index = take_index(&path);
		size_t length = index < 0 ? strcspn(path, ".[") : 0;
		char *key = index < 0 ? xasprintf("%.*s", (int)length, path) : NULL;
		json_t *inner;
		int rc;

		path += length;
		inner = key ? json_object_get(json, key) : json_array_get(json, (size_t)index);
		if (!*path && inner && !json_is_number(inner)) {
			free(key);
			return -1;
		}
		if (!*path) {
			rc = key ? json_object_set_new(json, key, number_of(value))
				 : json_array_set_new(json, (size_t)index, number_of(value));
			free(key);
			return rc;
		}
		free(key);
		if (!inner)
			return -1;
		json = inner;
		path += *path == '.';
	}
	return -1;
}

/* Moves recorded visits and the self-check, which a partial JSON lacks, out of `from`. */
static void take_recorded(struct model *to, struct model *from)
{
	for (size_t i = 0; i < to->pool_count; i++) {
		struct model_pool *pool = &to->pools[i], *old = &from->pools[i];

		pool->visits = old->visits;
		pool->visit_count = old->visit_count;
		pool->steps = old->steps;
		pool->step_count = old->step_count;
		old->visits = NULL;
		old->steps = NULL;
		old->visit_count = old->step_count = 0;
	}
	to->has_check = from->has_check;
	to->check = from->check;
	from->check.items = NULL;
	from->check.item_count = 0;
}

/* Drops "connections" if the number of threads has changed: clients are then spread evenly. */
static void drop_connections(json_t *pool)
{
	const char *key = "connections";
	size_t count = json_array_size(json_object_get(pool, key));

	if (count && json_integer_value(json_object_get(pool, "threads")) != (json_int_t)count)
		json_object_del(pool, key);
}

static int set_in_json(struct model *model, json_t *json, const char *name, double value,
		       struct err *err)
{
	const char *path;
	json_t *thing = find_thing(json, name, &path);
	struct model changed;

	if (!thing || set_path(thing, path, value))
		return refuse_name(json, name, err);
	drop_connections(thing);
	if (model_of_json(&changed, json, err))
		return -1;
	take_recorded(&changed, model);
	if (model_validate(&changed, err)) {
		take_recorded(model, &changed);
		model_release(&changed);
		return -1;
	}
	model_release(model);
	*model = changed;
	return 0;
}

int model_set(struct model *model, const char *name, double value, struct err *err)
{
	json_t *json;
	int rc;

	if (!isfinite(value))
		return err_set(err, "%s: give a finite number", name);
	json = model_to_json(model, false);
	rc = set_in_json(model, json, name, value, err);
	json_decref(json);
	return rc;
}
