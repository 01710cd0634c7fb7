/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "model/file/model.h"
#include "model/file/model_json.h"

#include <stdlib.h>
#include <string.h>

/* Limits memory: each value or member takes about 100 bytes when read, even an empty one. */
static bool has_too_many_values(const char *text, size_t size)
{
	size_t count = 0;
	bool quoted = false;

	for (size_t i = 0; i < size && count <= MODEL_VALUES_MAX; i++) {
		char c = text[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == ',' || c == '[' || c == '{'))
			count++;
	}
	return count > MODEL_VALUES_MAX;
}

int model_read_text(struct model *model, const char *text, size_t size, struct err *err)
{
	json_error_t error;
	json_t *json;
	int rc;

	if (size > MODEL_FILE_MAX)
		return err_set(err, "it has more than %d bytes; a model has fewer", MODEL_FILE_MAX);
	if (has_too_many_values(text, size))
		return err_set(err, "it has more than %d values; a model has fewer",
			       MODEL_VALUES_MAX);
	json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return err_set(err, "line %d, column %d: %s", error.line, error.column, error.text);
	rc = model_of_json(model, json, err);
	json_decref(json);
	if (!rc && model_validate(model, err)) {
		model_release(model);
		rc = -1;
	}
	return rc;
}

/* --- Files ------------------------------------------------------------------------------------ */

static int read_whole_input(struct model *model, struct input *input, struct err *err)
{
	char *text = NULL;
	size_t size = 0, capacity = 0;

	for (;;) {
		const void *bytes;
		size_t count = input_peek(input, &bytes, INPUT_PEEK_MAX);

		if (!count || size + count > MODEL_FILE_MAX)
			break;
		array_reserve(&text, &capacity, size + count);
		memcpy(text + size, bytes, count);
		size += input_skip(input, count);
	}
	if (input->problem) {
		free(text);
		return err_set(err, "%s", input->problem);
	}
	if (size && !input_peek(input, &(const void *){NULL}, 1)) {
		int rc = model_read_text(model, text, size, err);

		free(text);
		return rc;
	}
	free(text);
	return err_set(err, "it has more than %d bytes; a model has fewer", MODEL_FILE_MAX);
}

int model_read_input(struct model *model, struct input *input, struct err *err)
{
	int rc = read_whole_input(model, input, err);

	return rc ? err_wrap(err, "%s", input->name) : 0;
}

int model_read_file(struct model *model, const char *path, struct err *err)
{
	struct input *input = input_open(path, INPUT_OF_ANYONE, err);
	int rc = input ? model_read_input(model, input, err) : -1;

	input_close(input);
	return rc;
}

bool model_input_is(struct input *input)
{
	const void *bytes;
	const char *text;
	size_t size = input_peek(input, &bytes, 1);

	text = bytes;
	while (size && *text && strchr(" \t\r\n", *text)) {
		text++;
		size--;
	}
	return size && *text == '{';
}

/* --- Text ------------------------------------------------------------------------------------- */

/* Returns whether a list has a line for each entry, as the model has for each member. */
static bool is_broken(const char *key)
{
	static const char *const keys[] = {"arrivals", "stations", "pools",
					   "graph",    "visits",   "items"};

	for (size_t i = 0; key && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* Writes the shortest number that is read as the same double. */
static void json_put_real(double number, FILE *stream)
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

static void json_put_break(unsigned depth, FILE *stream)
{
	fprintf(stream, "\n%*s", 2 * (int)depth, "");
}

static void json_put(const json_t *json, const char *key, unsigned depth, FILE *stream);

static void json_put_object(const json_t *json, unsigned depth, FILE *stream)
{
	json_t *object = (json_t *)(uintptr_t)json;
	bool first = true;

	fputc('{', stream);
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		const char *key = json_object_iter_key(at);

		fputs(first ? "" : ",", stream);
		if (!depth || (is_broken(key) && !first))
			json_put_break(depth + 1, stream);
		else if (!first)
			fputc(' ', stream);
		fprintf(stream, "\"%s\": ", key);
		json_put(json_object_iter_value(at), key, depth + 1, stream);
		first = false;
	}
	fputs(depth ? "}" : "\n}\n", stream);
}

static void json_put_list(const json_t *json, const char *key, unsigned depth, FILE *stream)
{
	size_t count = json_array_size(json);

	fputc('[', stream);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stream);
		if (is_broken(key))
			json_put_break(depth + 1, stream);
		else if (i)
			fputc(' ', stream);
		json_put(json_array_get(json, i), NULL, depth + 1, stream);
	}
	if (count && is_broken(key))
		json_put_break(depth, stream);
	fputc(']', stream);
}

static void json_put(const json_t *json, const char *key, unsigned depth, FILE *stream)
{
	if (json_is_object(json))
		json_put_object(json, depth, stream);
	else if (json_is_array(json))
		json_put_list(json, key, depth, stream);
	else if (json_is_real(json))
		json_put_real(json_real_value(json), stream);
	else
		json_dumpf(json, stream, JSON_ENCODE_ANY);
}

int model_write(const struct model *model, FILE *stream, struct err *err)
{
	json_t *json = model_to_json(model, true);

	json_put(json, NULL, 0, stream);
	json_decref(json);
	if (fflush(stream) || ferror(stream))
		return err_set(err, "the model cannot be written: %m");
	return 0;
}
