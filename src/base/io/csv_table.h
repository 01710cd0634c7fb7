/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small table of text cells: CSV as spreadsheets, shells and people write it.
 *
 * Cells are separated by commas, semicolons or TABs, and where there is none of these by blanks, as
 * gnuplot, R and awk have it; the first line that is not skipped tells which. Skipped are empty
 * lines, lines that begin with '#', a byte order mark, and blanks around cells. Quoted cells may
 * hold separators and line ends. The first row is a header unless its first cell begins as a number
 * does. Where blanks separate the cells, a comment right above the first row is the header if it
 * has as many words that may be names (gnuplot's "# N X"), and the second row may have one cell more than the header,
 * which is then a name of the row (R's write.table).
 *
 * A row may be shorter than the first one, never longer: that is what a decimal comma looks like
 * in a file separated by commas, and it is refused rather than misread. Where something else
 * separates the cells, decimal commas are read, if no number of the table holds a point or two
 * commas, and one is not three digits long behind its comma: 1,000 alone may be a thousand.
 */
#ifndef PSCAL_BASE_IO_CSV_TABLE_H
#define PSCAL_BASE_IO_CSV_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct csv_table;
struct err;
struct input;

/* The limits of a table; more is refused with a sentence. A row has at most INPUT_LINE_MAX bytes.
 */
enum {
	CSV_ROWS_MAX = 1 << 22,
	CSV_COLUMNS_MAX = 1 << 10,
	CSV_CELL_BYTES_MAX = 1 << 12,
	CSV_TEXT_BYTES_MAX = 1 << 26,	 /* all cells together */
	CSV_COMMENT_BYTES_MAX = 1 << 16, /* all comments: those behind are passed over */
};

/* Room for what csv_table_column_name writes. */
enum { CSV_NAME_BYTES = 80 };

/* Reads `input` to its end. NULL with why, file and line. */
struct csv_table *csv_table_read(struct input *input, struct err *err);
void csv_table_free(struct csv_table *table);

/* The name of the input it was read from. Borrowed. */
const char *csv_table_source(const struct csv_table *table);

/* Rows below the header, and columns of the first row. */
size_t csv_table_rows(const struct csv_table *table);
size_t csv_table_columns(const struct csv_table *table);

/* The column that the header calls `name` (case does not matter), or -1. */
int csv_table_find(const struct csv_table *table, const char *name);

/* The name of a column in the header; NULL without a header. Borrowed. */
const char *csv_table_heading(const struct csv_table *table, size_t column);

/* A column as a sentence names it: "column 2 ('throughput')". */
void csv_table_column_name(char out[CSV_NAME_BYTES], const struct csv_table *table, size_t column);

/* The text of a cell, "" when it is empty, NULL where the row is shorter. Borrowed. */
const char *csv_table_cell(const struct csv_table *table, size_t row, size_t column);

/* The value of a comment "# KEY: VALUE", NULL where there is none or where they differ. Borrowed. */
const char *csv_table_fact(const struct csv_table *table, const char *key);

/* Puts in front of a sentence where a cell is: "FILE:LINE: column 2 ('throughput')", or with
 * CSV_WHOLE_ROW for a column where its row is. Returns -1. */
#define CSV_WHOLE_ROW SIZE_MAX
int csv_table_wrap(const struct csv_table *table, size_t row, size_t column, struct err *err);

/* A cell as a finite number. Returns 0, or -1 with a sentence that names file, line and column. */
int csv_table_number(const struct csv_table *table, double *value, size_t row, size_t column,
		     struct err *err);

#endif
