/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_columns.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/map.h"
#include "base/parse.h"
#include "base/printable.h"
#include "stats/series/series.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The largest number of series; more names are no series. */
enum { SERIES_MANY = 1000 };

void series_split_release(struct series_split *split)
{
	free(split->rows);
	free(split->begins);
	map_release(&split->names);
}

static const char *cell_text(const struct csv_table *table, size_t row, int column)
{
	const char *cell = csv_table_cell(table, row, (size_t)column);

	return cell ? cell : "";
}

/* Returns the number of the row's series, or MAP_NONE if it is not asked for. */
static uint32_t split_number(struct map *names, const struct csv_table *table, size_t row,
			     const struct series_columns *columns,
			     const struct series_request *request)
{
	char *name = NULL;
	bool is_asked = true;
	uint32_t number;

	for (size_t i = 0; i < request->key_count; i++) {
		const char *cell = cell_text(table, row, columns->keys[i]);

		is_asked &= !request->keys[i].value || strcmp(cell, request->keys[i].value) == 0;
		xappend(&name, ", ", "%s", cell);
	}
	number = is_asked ? map_add(names, name, strlen(name)) : MAP_NONE;
	free(name);
	return number;
}

static void split_rows(struct series_split *split, const struct csv_table *table,
		       const struct series_columns *columns, const struct series_request *request)
{
	size_t count = csv_table_rows(table);
	uint32_t *numbers = xcalloc(count, sizeof(*numbers));

	*split = (struct series_split){.rows = xcalloc(count, sizeof(*split->rows))};
	for (size_t row = 0; row < count; row++)
		numbers[row] = split_number(&split->names, table, row, columns, request);
	/* Counts, then the beginnings of the series; filling in moves each on to the next one. */
	split->begins = xcalloc(split->names.count + 2, sizeof(*split->begins));
	for (size_t row = 0; row < count; row++)
		if (numbers[row] != MAP_NONE)
			split->begins[numbers[row] + 2]++;
	for (size_t i = 2; i < split->names.count + 2; i++)
		split->begins[i] += split->begins[i - 1];
	for (size_t row = 0; row < count; row++)
		if (numbers[row] != MAP_NONE)
			split->rows[split->begins[numbers[row] + 1]++] = row;
	free(numbers);
}

/* Returns "'kmeans', 'bfs' and 3 more". The caller frees the text. */
static char *split_list(const struct series_split *split)
{
	enum { LISTED = 6 };
	char *list = NULL;
	size_t i, size;

	for (i = 0; i < split->names.count && i < LISTED; i++) {
		const char *name = map_key(&split->names, (uint32_t)i, &size);

		xappend(&list, ", ", "'%.*s'", (int)(size < 60 ? size : 60), name);
	}
	if (i < split->names.count)
		xappend(&list, " and ", "%zu more", split->names.count - i);
	return list ? printable_mend(list) : xstrdup("none");
}

/* Returns false for measured values, as "12 MB", "99%", "12:00", dates, and for missing ones. */
static bool is_name(const char *cell)
{
	static const char *const missing[] = {"n/a", "na", "none", "null"};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (strcasecmp(cell, missing[i]) == 0)
			return false;
	return isalpha((unsigned char)*cell) || *cell & 0x80;
}

/*
 * Returns true if a name in the column occurs at several N, and the first cell that is not empty is
 * no number. A date or a remark in each row, or in one, names no series. With a name in the first
 * row an empty cell has the name above it, as in spreadsheets.
 */
static bool column_names_series(const struct csv_table *table, int column, int n)
{
	size_t capacity = 0;
	struct map names = {0};
	double *first = NULL, number;
	bool at_several = false, is_text = true, seen = false;
	const char *cell = "", *above = "";
	struct err err;

	for (size_t row = 0; is_text && row < csv_table_rows(table); row++, above = cell) {
		uint32_t name;

		cell = cell_text(table, row, column);
		if (!*cell && *cell_text(table, 0, column))
			cell = above;
		name = map_add(&names, cell, strlen(cell));
		array_reserve(&first, &capacity, names.count);
		is_text = seen || parse_double(&number, cell);
		seen |= *cell != '\0';
		if (!is_name(cell) || csv_table_number(table, &number, row, (size_t)n, &err))
			continue;
		at_several |= first[name] != 0 && first[name] != number;
		first[name] = number;
	}
	is_text &= names.count > 1;
	map_release(&names);
	free(first);
	return is_text && at_several;
}

static bool column_is_taken(const struct series_columns *columns, int column,
			    const struct csv_table *table)
{
	enum quantity quantity =
		column_name_read(csv_table_heading(table, (size_t)column)).quantity;

	return column == columns->n || column == columns->value || column == columns->clock ||
	       column == columns->work || column == columns->weight || quantity == QUANTITY_CLOCK ||
	       quantity == QUANTITY_TIME;
}

/* Returns the column for an error: its name, if a shell and --series take it, or its number. */
static char *column_key(const struct csv_table *table, int column)
{
	const char *name = csv_table_heading(table, (size_t)column);

	return name && *name && !strpbrk(name, " \t,='\"$`\\#()<>|&;*?[{!~") &&
			       printable_is(PRINTABLE_TEXT, name, PRINTABLE_WHOLE)
		       ? xasprintf("%.60s", name)
		       : xasprintf("%d", column + 1);
}

/* Returns the first row whose keys --series and a quoted shell word allow, or the row count. */
static size_t row_to_name(const struct csv_table *table, const struct series_columns *columns,
			  size_t key_count)
{
	size_t row, key;

	for (row = 0; row < csv_table_rows(table); row++) {
		for (key = 0; key < key_count; key++) {
			const char *cell = cell_text(table, row, columns->keys[key]);

			if (strpbrk(cell, ",'") ||
			    !printable_is(PRINTABLE_TEXT, cell, PRINTABLE_WHOLE))
				break;
		}
		if (key == key_count)
			break;
	}
	return row;
}

/* Returns ", one of them with --series 'program=kmeans'", or "". The caller frees the text. */
static char *advise_one(const struct csv_table *table, const struct series_columns *columns,
			size_t key_count)
{
	size_t row = row_to_name(table, columns, key_count);
	char *one = NULL, *advice;

	if (row == csv_table_rows(table))
		return xstrdup("");
	for (size_t i = 0; i < key_count; i++) {
		char *key = column_key(table, columns->keys[i]);

		xappend(&one, ",", "%s=%.60s", key, cell_text(table, row, columns->keys[i]));
		free(key);
	}
	advice = xasprintf(", one of them with --series '%s'", one);
	free(one);
	return advice;
}

int series_refuse_several(const struct csv_table *table, struct series_columns *columns,
			  struct err *err)
{
	struct series_request asked = {.key_count = 0};
	char *titles = NULL, *each = NULL, *one, *list;
	struct series_split split;

	for (int i = 0; i < (int)csv_table_columns(table) && asked.key_count < SERIES_KEYS; i++) {
		char title[CSV_NAME_BYTES], *key;

		if (column_is_taken(columns, i, table) ||
		    !column_names_series(table, i, columns->n))
			continue;
		columns->keys[asked.key_count++] = i;
		csv_table_column_name(title, table, (size_t)i);
		key = column_key(table, i);
		xappend(&titles, " and ", "%s", title);
		xappend(&each, ",", "%s", key);
		free(key);
	}
	if (!asked.key_count)
		return 0;
	split_rows(&split, table, columns, &asked);
	list = split_list(&split);
	one = advise_one(table, columns, asked.key_count);
	err_set(err,
		"%s: %s name%s %zu series: %s; fit each by itself with --series %s%s, or all as "
		"one with --series none",
		csv_table_source(table), titles, asked.key_count > 1 ? "" : "s", split.names.count,
		list, each, one);
	series_split_release(&split);
	free(titles);
	free(each);
	free(one);
	free(list);
	return -1;
}

/* Reports that there is no such series. */
static int refuse_unknown(const struct csv_table *table, const struct series_columns *columns,
			  const struct series_request *request, struct err *err)
{
	struct series_request each = {.key_count = request->key_count};
	struct series_split split;
	char *list;

	split_rows(&split, table, columns, &each);
	list = split_list(&split);
	err_set(err, "%s: --series: no row is of this series; there are %s",
		csv_table_source(table), list);
	series_split_release(&split);
	free(list);
	return -1;
}

int series_split_rows(struct series_split *split, const struct csv_table *table,
		      const struct series_columns *columns, const struct series_request *request,
		      struct err *err)
{
	split_rows(split, table, columns, request);
	if (split->names.count > SERIES_MANY)
		return err_set(err, "%s: --series: there are %zu series, more than %d",
			       csv_table_source(table), split->names.count, SERIES_MANY);
	return split->names.count ? 0 : refuse_unknown(table, columns, request, err);
}
