/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/cell_data.h"

#include "base/alloc.h"
#include "base/printable.h"

#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON ---------------------------------------------------------------------------------- */

/* A thread may call itself anything; JSON is UTF-8. */
static json_t *json_text(const char *name)
{
	json_t *json = json_string(name);
	char *text;

	if (json)
		return json;
	text = printable(PRINTABLE_UTF8, name, PRINTABLE_WHOLE);
	json = json_string(text);
	free(text);
	return json;
}

json_t *cell_json(const struct cell *cell)
{
	json_t *list;

	switch (cell->kind) {
	case CELL_NUMBER:
		return isfinite(cell->number) ? json_real(cell->number) : json_null();
	case CELL_COUNT:
		return json_integer(cell->count);
	case CELL_BOOL:
		return json_boolean(cell->count);
	case CELL_TEXT:
		return json_text(cell->text);
	case CELL_LIST:
		list = json_array();
		for (int64_t i = 0; i < cell->count; i++)
			json_array_append_new(list, json_text(cell->list[i]));
		return list;
	case CELL_NULL:
		break;
	}
	return json_null();
}

void cell_json_set(json_t *object, const char *key, const struct cell *cell)
{
	char *text = printable(PRINTABLE_UTF8, key, PRINTABLE_WHOLE);

	json_object_set_new(object, text, cell_json(cell));
	free(text);
}

/* Escapes characters that JSON allows and a terminal obeys; only strings have them. */
static void json_print(FILE *out, const char *json)
{
	size_t length = strlen(json), bytes;

	for (; length; json += bytes, length -= bytes) {
		uint32_t code = 0;

		bytes = printable_decode(&code, json, length);
		if (printable_character(json, length))
			fwrite(json, 1, bytes, out);
		else
			fprintf(out, "\\u%04" PRIX32, code);
	}
}

void cell_json_put(FILE *out, json_t *value)
{
	char *json = json_dumps(value, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);

	if (printable_is(PRINTABLE_DATA, json, PRINTABLE_WHOLE))
		fputs(json, out);
	else
		json_print(out, json);
	free(json);
	json_decref(value);
}

/* --- CSV ----------------------------------------------------------------------------------- */

/* RFC 4180. No text has lines, so that each row is a line. */
void cell_csv_text(FILE *out, const char *name)
{
	char *text;

	if (!strpbrk(name, ",\"")) {
		printable_put(out, PRINTABLE_DATA, name);
		return;
	}
	text = printable(PRINTABLE_DATA, name, PRINTABLE_WHOLE);
	csv_fwrite(out, text, strlen(text));
	free(text);
}

static void csv_list(FILE *out, const struct cell *cell)
{
	char *text = NULL;
	size_t size;
	FILE *joined = open_memstream(&text, &size);

	if (!joined)
		return;
	for (int64_t i = 0; i < cell->count; i++)
		fprintf(joined, "%s%s", i ? " " : "", cell->list[i]);
	fclose(joined);
	cell_csv_text(out, text);
	free(text);
}

void cell_csv_put(FILE *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		if (isfinite(cell->number))
			fprintf(out, "%.17g", cell->number);
		break;
	case CELL_COUNT:
		fprintf(out, "%" PRId64, cell->count);
		break;
	case CELL_BOOL:
		fputs(cell->count ? "true" : "false", out);
		break;
	case CELL_TEXT:
		cell_csv_text(out, cell->text);
		break;
	case CELL_LIST:
		csv_list(out, cell);
		break;
	case CELL_NULL:
		break;
	}
}
