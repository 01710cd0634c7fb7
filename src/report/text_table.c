/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_private.h"

#include "base/alloc.h"
#include "base/printable.h"

#include <libsmartcols.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 256 };

struct text_table {
	const struct table *table;
	FILE *out;
	struct libscols_table *columns; /* LAYOUT_ROWS */
	bool headed;			/* LAYOUT_STREAM: has the heading been printed? */
};

static bool is_left(const struct column *column)
{
	return column->width < 0 || column->unit == UNIT_BAR;
}

static void new_columns(struct text_table *text)
{
	text->columns = scols_new_table();
	scols_table_enable_nowrap(text->columns, 1);
	scols_table_set_column_separator(text->columns, "  ");
	scols_table_set_termforce(text->columns, SCOLS_TERMFORCE_NEVER);
	for (size_t i = 0; i < text->table->column_count; i++) {
		const struct column *column = &text->table->columns[i];
		char label[CELL_SIZE];

		printable_copy(label, sizeof(label), PRINTABLE_TEXT,
			       column->label ? column->label : "");
		scols_table_new_column(text->columns, label, 0,
				       is_left(column) ? 0 : SCOLS_FL_RIGHT);
	}
}

struct text_table *text_table_new(const struct table *table, FILE *out)
{
	struct text_table *text = xcalloc(1, sizeof(*text));

	text->table = table;
	text->out = out;
	if (table->layout == LAYOUT_ROWS)
		new_columns(text);
	if (table->title)
		printable_say(out, "%s", table->title);
	return text;
}

static void print_facts(struct text_table *text, const struct cell *cells)
{
	const struct table *table = text->table;
	char value[CELL_SIZE];
	int width = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		int length = (int)strlen(table->columns[i].label);

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		if (cells[i].kind == CELL_NULL)
			continue;
		format_cell(value, sizeof(value), &cells[i], table->columns[i].unit);
		fprintf(text->out, "%-*s  %s\n", width, table->columns[i].label, value);
	}
}

static void print_stream_cell(struct text_table *text, size_t i, const char *value)
{
	const struct column *column = &text->table->columns[i];
	bool last = i + 1 == text->table->column_count;
	int width = last && is_left(column) ? 0 : column->width;
	int beside = (int)(strlen(value) - printable_length(value)); /* bytes that take no room */

	if (width)
		width += width < 0 ? -beside : beside;
	fprintf(text->out, "%*s%s", width, value, last ? "\n" : "  ");
}

static void print_stream(struct text_table *text, const struct cell *cells)
{
	char value[CELL_SIZE];

	for (size_t i = 0; !text->headed && i < text->table->column_count; i++)
		print_stream_cell(text, i, text->table->columns[i].label);
	text->headed = true;
	for (size_t i = 0; i < text->table->column_count; i++)
		print_stream_cell(
			text, i,
			format_cell(value, sizeof(value), &cells[i], text->table->columns[i].unit));
}

static void keep_row(struct text_table *text, const struct cell *cells)
{
	struct libscols_line *line = scols_table_new_line(text->columns, NULL);
	char value[CELL_SIZE];

	for (size_t i = 0; i < text->table->column_count; i++)
		scols_line_set_data(
			line, i,
			format_cell(value, sizeof(value), &cells[i], text->table->columns[i].unit));
}

void text_table_row(struct text_table *text, const struct cell *cells)
{
	switch (text->table->layout) {
	case LAYOUT_FACTS:
		print_facts(text, cells);
		break;
	case LAYOUT_STREAM:
		print_stream(text, cells);
		break;
	case LAYOUT_ROWS:
		keep_row(text, cells);
		break;
	}
}

/*
 * How wide a character is libsmartcols asks the C library, which knows it of UTF-8 only if told to. Then
 * it need not encode what it gets, as all of that can be shown; of bytes that are no characters to the C
 * library it would find no end.
 */
static char *print_rows(struct libscols_table *columns)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL), before = NULL;
	char *printed = NULL;

	if (utf8) {
		before = uselocale(utf8);
		scols_table_enable_noencoding(columns, 1);
	}
	if (scols_print_table_to_string(columns, &printed))
		printed = NULL;
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return printed;
}

void text_table_end(struct text_table *text)
{
	char *printed = text->columns ? print_rows(text->columns) : NULL;

	if (printed)
		fprintf(text->out, "%s\n", printed);
	free(printed);
	scols_unref_table(text->columns);
	free(text);
}
