/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/model_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "model/file/model.h"
#include "model/file/model_json.h"

#include <stdlib.h>
#include <string.h>

int model_read_text(struct model *model, const char *text, size_t size, struct err *err)
{
	json_error_t error;
	json_t *json;
	int rc;

	if (size > MODEL_FILE_MAX)
		return err_set(err, "it has more than %d bytes; a model has fewer", MODEL_FILE_MAX);
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

/* --- Files ------------------------------------------------------------------------------------------------ */

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
