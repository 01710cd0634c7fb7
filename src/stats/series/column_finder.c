/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/column_finder.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "'threads', 'elapsed', ...", or "columns 1 to 3". */
static void list_columns(char *out, size_t size, const struct column_finder *finder)
{
	size_t used = 0;

	if (!csv_table_has_header(finder->table)) {
		snprintf(out, size, "columns 1 to %zu, without names", finder->count);
		return;
	}
	*out = '\0';
	for (size_t i = 0; i < finder->count; i++) {
		char name[CSV_NAME_BYTES];

		csv_table_column_name(name, finder->table, i);
		if (used + strlen(name) + 8 > size) {
			strcpy(out + used, ", ...");
			return;
		}
		used += (size_t)sprintf(out + used, "%s%s", i ? ", " : "", name);
	}
}

int column_finder_missing(const struct column_finder *finder, const char *what, const char *name)
{
	char columns[400];

	list_columns(columns, sizeof(columns), finder);
	return err_set(
		finder->err,
		"%s: the header does not say which column is the %s; call it '%s', or say it "
		"with --columns: there are %s",
		csv_table_source(finder->table), what, name, columns);
}

int column_finder_several(const struct column_finder *finder, size_t one, size_t other,
			  const char *what)
{
	char names[2][CSV_NAME_BYTES];

	csv_table_column_name(names[0], finder->table, one);
	csv_table_column_name(names[1], finder->table, other);
	return err_set(
		finder->err,
		"%s: %s and %s may both be the %s; say which columns to take with --columns, "
		"N first",
		csv_table_source(finder->table), names[0], names[1], what);
}

/* Has the column one number only, or what is none? */
static bool is_constant(const struct column_finder *finder, size_t column)
{
	const char *first = csv_table_cell(finder->table, 0, column);

	for (size_t row = 1; row < csv_table_rows(finder->table); row++) {
		const char *cell = csv_table_cell(finder->table, row, column);

		if (!first || !cell || strcmp(cell, first) != 0)
			return false;
	}
	return true;
}

int column_finder_one(const struct column_finder *finder, enum quantity quantity, const char *what)
{
	int best = COLUMN_NONE, rival = COLUMN_NONE;
	int best_rank = -1;

	for (size_t i = 0; i < finder->count; i++) {
		const struct column_name *name = &finder->names[i];
		int rank = name->plain ? 3 : name->weak ? 0 : 2;

		if (name->quantity != quantity)
			continue;
		if (best != COLUMN_NONE && quantity == QUANTITY_N && rank < 3 &&
		    is_constant(finder, i))
			continue;
		if (best != COLUMN_NONE && quantity == QUANTITY_N && best_rank < 3 &&
		    is_constant(finder, (size_t)best))
			best_rank = -1;
		if (rank > best_rank) {
			best = (int)i;
			best_rank = rank;
			rival = COLUMN_NONE;
		} else if (rank == best_rank) {
			rival = (int)i;
		}
	}
	if (rival == COLUMN_NONE)
		return best;
	column_finder_several(finder, (size_t)best, (size_t)rival, what);
	return COLUMN_SEVERAL;
}

int column_finder_first(const struct column_finder *finder, const enum quantity *quantities,
			size_t count, int except)
{
	int found = COLUMN_NONE;

	for (size_t i = 0; i < count && found == COLUMN_NONE; i++) {
		found = column_finder_one(finder, quantities[i], quantity_name(quantities[i]));
		if (found == except)
			found = COLUMN_NONE;
	}
	return found;
}

int column_finder_said(const struct column_finder *finder, const char *text)
{
	char columns[400];
	uint64_t number;
	int found = COLUMN_NONE;

	if (parse_u64(&number, text, finder->count) == 0 && number > 0)
		return (int)number - 1;
	for (size_t i = 0; csv_table_has_header(finder->table) && i < finder->count; i++) {
		if (strcasecmp(csv_table_heading(finder->table, i), text) != 0)
			continue;
		if (found != COLUMN_NONE)
			return err_set(finder->err,
				       "%s: columns %d and %zu are both called '%s'; give the "
				       "number of the one to take",
				       csv_table_source(finder->table), found + 1, i + 1, text);
		found = (int)i;
	}
	if (found != COLUMN_NONE)
		return found;
	list_columns(columns, sizeof(columns), finder);
	return err_set(finder->err, "%s: there is no column '%.80s'; there are %s",
		       csv_table_source(finder->table), text, columns);
}
