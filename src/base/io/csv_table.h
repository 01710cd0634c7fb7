/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small table of text cells: CSV as spreadsheets, shells and people write it.
 *
 * Cells are separated by commas, semicolons or TABs, and if there are none of these by blanks, as
 * in gnuplot, R and awk; the first line that is not skipped decides. The reader skips empty lines,
 * lines that begin with '#', a byte order mark, and blanks around cells. Quoted cells may contain
 * separators and line ends. The first row is a header unless its first cell begins as a number
 * does. If blanks separate the cells, a comment right above the first row is the header if it has
 * as many words that may be names (gnuplot's "# N X"), and the second row may have one cell more
 * than the header, which is then a name of the row (R's write.table).
 *
 * A row may be shorter than the first one, never longer: a longer row looks like decimal commas in
 * a file separated by commas, and is refused rather than misread. With another separator, decimal
 * commas are read if no number of the table contains a point or two commas, and one number does not
 * have exactly three digits behind its comma: 1,000 alone may be a thousand.
 */
#ifndef PSCAL_BASE_IO_CSV_TABLE_H
#define PSCAL_BASE_IO_CSV_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct csv_table;
struct err;
struct input;

/* The limits of a table. A larger one is an error. A row has at most INPUT_LINE_MAX bytes. */
enum {
	CSV_ROWS_MAX = 1 << 22,
	CSV_COLUMNS_MAX = 1 << 10,
	CSV_CELL_BYTES_MAX = 1 << 12,
	CSV_TEXT_BYTES_MAX = 1 << 26,	 /* all cells together */
	CSV_COMMENT_BYTES_MAX = 1 << 16, /* all comments: later ones are ignored */
};

/* The bytes that csv_table_column_name writes at most. */
enum { CSV_NAME_BYTES = 80 };

/* Reads `input` to its end. Returns NULL with an error that names file and line. */
struct csv_table *csv_table_read(struct input *input, struct err *err);
void csv_table_free(struct csv_table *table);

/* Returns the name of the input of the table. Borrowed. */
const char *csv_table_source(const struct csv_table *table);

/* Return the number of rows below the header, and of columns of the first row. */
size_t csv_table_rows(const struct csv_table *table);
size_t csv_table_columns(const struct csv_table *table);

/* Returns the column that the header calls `name` (case does not matter), or -1. */
int csv_table_find(const struct csv_table *table, const char *name);

/* Returns the name of a column in the header; NULL without a header. Borrowed. */
const char *csv_table_heading(const struct csv_table *table, size_t column);

/* Writes a column as a sentence names it: "column 2 ('throughput')". */
void csv_table_column_name(char out[CSV_NAME_BYTES], const struct csv_table *table, size_t column);

/* Returns the text of a cell: "" if it is empty, NULL if its row is shorter. Borrowed. */
const char *csv_table_cell(const struct csv_table *table, size_t row, size_t column);

/*
 * Returns the value of a comment "# KEY: VALUE"; NULL if there is none, or they differ. Borrowed.
 */
const char *csv_table_fact(const struct csv_table *table, const char *key);

/*
 * Puts the place of a cell in front of an error: "FILE:LINE: column 2 ('throughput')"; with
 * CSV_WHOLE_ROW as column only the place of the row. Returns -1.
 */
#define CSV_WHOLE_ROW SIZE_MAX
int csv_table_wrap(const struct csv_table *table, size_t row, size_t column, struct err *err);

/*
 * Reads a cell as a finite number. Returns 0, or -1 with an error that names file, line and column.
 */
int csv_table_number(const struct csv_table *table, double *value, size_t row, size_t column,
		     struct err *err);

#endif
