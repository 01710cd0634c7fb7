/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "report/export/export_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The sink for CSV: a directory with a file for each table, and tables.sql, which creates the
 * tables in PostgreSQL. The first column is the recording, so that a table can have the rows of
 * many. Counters that not every recording has are one column of JSON, as the columns of a table are
 * the same for all recordings.
 */
enum { CSV_SCHEMA = TABLE_TABLES, CSV_FILES };

struct csv_tables {
	char *id;   /* the recording, as a CSV cell */
	char *made; /* the directory, if it is new; or NULL */
	char *paths[CSV_FILES];
	struct export_file files[CSV_FILES];
	char **names; /* names of additional columns of TABLE_INTERVAL */
	size_t name_count;
};

static void csv_put_quoted(FILE *out, const char *text, size_t length)
{
	const char *quote;

	putc('"', out);
	while ((quote = memchr(text, '"', length))) {
		size_t before = (size_t)(quote - text) + 1;

		fwrite(text, 1, before, out);
		putc('"', out);
		text += before;
		length -= before;
	}
	fwrite(text, 1, length, out);
	putc('"', out);
}

/* Writes a quoted text: an empty one is not NULL then, and one like a number not a number. */
static void csv_put_text(FILE *out, const char *text, size_t length)
{
	char *shown;

	if (printable_is(PRINTABLE_DATA, text, length)) {
		csv_put_quoted(out, text, length);
		return;
	}
	shown = printable(PRINTABLE_DATA, text, length);
	csv_put_quoted(out, shown, strlen(shown));
	free(shown);
}

static char *csv_cell(const char *text)
{
	char *cell = NULL;
	size_t size;
	FILE *out = open_memstream(&cell, &size);

	csv_put_text(out, text, strlen(text));
	fclose(out);
	return cell;
}

static void csv_put_header(FILE *out, enum export_table table)
{
	const struct table_kind *kind = &table_kinds[table];

	fputs("recording", out);
	for (size_t i = 0; i < kind->count; i++)
		fprintf(out, ",%s", kind->columns[i].name);
	fputs(table == TABLE_INTERVAL ? ",counters\n" : "\n", out);
}

/* Writes the schema, with types that PostgreSQL, SQLite, ClickHouse and Spark have. */
static void csv_put_schema(FILE *out)
{
	for (enum export_table table = 0; table < TABLE_TABLES; table++) {
		const struct table_kind *kind = &table_kinds[table];

		fprintf(out, "CREATE TABLE IF NOT EXISTS \"%s\" (\"recording\" TEXT", kind->name);
		for (size_t i = 0; i < kind->count; i++)
			fprintf(out, ", \"%s\" %s", kind->columns[i].name,
				kind->columns[i].type == COLUMN_COUNT ? "BIGINT" : "TEXT");
		fputs(table == TABLE_INTERVAL ? ", \"counters\" TEXT);\n" : ");\n", out);
	}
}

static void csv_tables_close(void *own)
{
	struct csv_tables *tables = own;

	for (size_t i = 0; i < CSV_FILES; i++) {
		export_file_close(&tables->files[i]);
		free(tables->paths[i]);
	}
	for (size_t i = 0; i < tables->name_count; i++)
		free(tables->names[i]);
	if (tables->made)
		rmdir(tables->made); /* fails if complete files are in it */
	free(tables->made);
	free(tables->names);
	free(tables->id);
	free(tables);
}

static int csv_open_files(struct csv_tables *tables, const struct export_request *request,
			  struct err *err)
{
	if (!mkdir(request->path, 0777))
		tables->made = xstrdup(request->path);
	else if (errno != EEXIST)
		return output_file_refuse(request->path, err);
	for (size_t i = 0; i < CSV_FILES; i++) {
		tables->paths[i] =
			xasprintf("%s/%s", request->path, i == CSV_SCHEMA ? "tables.sql" : "");
		if (i < CSV_SCHEMA) {
			free(tables->paths[i]);
			tables->paths[i] =
				xasprintf("%s/%s.csv", request->path, table_kinds[i].name);
		}
		if (export_file_open(&tables->files[i], tables->paths[i], request->replace, err))
			return -1;
	}
	return 0;
}

static void *csv_tables_open(const struct export_request *request, struct err *err)
{
	struct csv_tables *tables = xcalloc(1, sizeof(*tables));

	tables->id = csv_cell(request->id);
	if (csv_open_files(tables, request, err)) {
		csv_tables_close(tables);
		return NULL;
	}
	for (enum export_table i = 0; i < TABLE_TABLES; i++)
		csv_put_header(tables->files[i].out, i);
	csv_put_schema(tables->files[CSV_SCHEMA].out);
	return tables;
}

static void csv_tables_add_columns(void *own, enum export_table table, const char *const *names,
				   size_t count)
{
	struct csv_tables *tables = own;

	if (table != TABLE_INTERVAL)
		return;
	tables->names = xcalloc(count, sizeof(*tables->names));
	for (size_t i = 0; i < count; i++)
		tables->names[tables->name_count++] =
			printable(PRINTABLE_DATA, names[i], PRINTABLE_WHOLE);
}

static void csv_put_cell(FILE *out, const struct table_cell *cell)
{
	if (cell->kind == CELL_IS_COUNT)
		export_put_count(out, cell->count);
	else if (cell->kind == CELL_IS_TEXT)
		csv_put_text(out, cell->text, cell->length);
}

/* Writes {"page-faults": 5}, with all quotes doubled. The names have no backslash. */
static void csv_put_counters(FILE *out, const struct csv_tables *tables,
			     const struct table_cell *cells)
{
	const char *separator = "\"{";

	for (size_t i = 0; i < tables->name_count; i++) {
		if (cells[i].kind != CELL_IS_COUNT)
			continue;
		fprintf(out, "%s\"\"", separator);
		for (const char *at = tables->names[i]; *at; at++)
			putc(*at == '"' || *at == '\\' ? '_' : *at, out);
		fprintf(out, "\"\": %" PRId64, cells[i].count);
		separator = ", ";
	}
	if (*separator == ',')
		fputs("}\"", out);
}

static void csv_tables_put(void *own, enum export_table table, struct table_cell *cells)
{
	struct csv_tables *tables = own;
	FILE *out = tables->files[table].out;
	size_t count = table_kinds[table].count;

	fputs(tables->id, out);
	for (size_t i = 0; i < count; i++) {
		putc(',', out);
		csv_put_cell(out, &cells[i]);
	}
	if (table == TABLE_INTERVAL) {
		putc(',', out);
		csv_put_counters(out, tables, cells + count);
	}
	putc('\n', out);
}

static void csv_tables_clear(void *own, enum export_table table)
{
	struct csv_tables *tables = own;

	export_file_restart(&tables->files[table]);
	csv_put_header(tables->files[table].out, table);
}

static int csv_tables_check(const void *own, struct err *err)
{
	const struct csv_tables *tables = own;

	for (size_t i = 0; i < CSV_FILES; i++)
		if (export_file_check(&tables->files[i], err))
			return -1;
	return 0;
}

static int csv_tables_publish(void *own, struct err *err)
{
	struct csv_tables *tables = own;

	for (size_t i = CSV_FILES; i--;) /* meta.csv is the last one: with it all files are there */
		if (export_file_publish(&tables->files[i], err))
			return -1;
	return 0;
}

const struct table_sink csv_sink = {
	.open = csv_tables_open,
	.add_columns = csv_tables_add_columns,
	.put = csv_tables_put,
	.clear = csv_tables_clear,
	.check = csv_tables_check,
	.publish = csv_tables_publish,
	.close = csv_tables_close,
};
