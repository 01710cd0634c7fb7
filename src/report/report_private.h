/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a report, for the files of this folder. */
#ifndef PSCAL_REPORT_REPORT_PRIVATE_H
#define PSCAL_REPORT_REPORT_PRIVATE_H

#include "base/io/output_file.h"
#include "base/names.h"
#include "report/report.h"

#include <stdio.h>

struct report_order;
struct text_table;

struct report {
	FILE *out;
	bool holds; /* with --sort: `held` is written to standard output when a table has the
		       column */
	char *held;
	size_t held_size;
	char *path;		 /* NULL: standard output */
	struct output_file file; /* the file at `path`; `out` has a descriptor of its own */
	enum report_format format;
	struct table table;	       /* current table, with the columns of this format */
	struct column *columns;	       /* columns of the current table; NULL: no table */
	struct cell *cells;	       /* cells of a row */
	struct text_table *text;       /* text form of the current table */
	const struct column *csv_head; /* CSV: columns whose heading was written last */
	unsigned csv_has;	       /* CSV: `has` of that table */
	bool quiet;		       /* text: without SENTENCE_WARNING and SENTENCE_NEXT */
	bool verbose, all_rows;	       /* text: with details; with all rows */
	size_t limit;		       /* text: number of rows of a table with a `top` */
	const char *sort;	       /* the column for the order of rows; NULL: unsorted */
	bool is_sorted;		       /* a table had that column */
	struct report_order *order;    /* the current table, if it has that column; else NULL */
	struct nearest nearest;	       /* names of columns similar to `sort` */
	char *labels;		       /* labels of all columns seen */
	bool colour;		       /* text: with escape sequences */
	bool html;		       /* text: as HTML */
	bool in_head;		       /* text: only verdict and alerts so far */
	char **alerts;		       /* JSON: alerts of this document */
	size_t alert_count, alert_capacity;
	bool has_verdict; /* this document has a verdict, and "warnings" */
	unsigned depth;	  /* JSON: number of open groups */
	bool series;	  /* a series of documents; JSON has each on a line */
	bool redraws;	  /* text: each document replaces the one before */
	bool started;	  /* something has been written */
	bool array;	  /* JSON: the document is an array of groups */
	bool comma;	  /* JSON: a comma is needed on this level */
};

/* Separates the next table or paragraph from the one before. */
void report_text_next(struct report *report);

/* JSON: ends a document with its alerts, if it has a verdict or alerts. */
void report_put_alerts(struct report *report);

/* Returns the value of a column in a row. */
struct cell report_cell(const struct column *column, const void *row);

/* Writes the row in `cells` of the report. */
void report_put_cells(struct report *report);

/* Holds back the rows of a table that has to be sorted. */
void report_order_begin(struct report *report, const struct table *table);
void report_order_row(struct report *report, const void *row);
void report_order_end(struct report *report);

/*
 * Checks that a table had the column of `sort`. If so, output that was held back is written, and
 * later output is not held back. Returns 0, or -1 with an error.
 */
int report_order_settle(struct report *report, struct err *err);

/* Returns the descriptor of the final output: standard output also while that is held back. */
int report_descriptor(const struct report *report);

/* Adds lines unchanged, after an empty line. */
void report_drawing(struct report *report, const char *lines);

/*
 * Write a sentence or a table as HTML. The texts of `cells` are printable, and each ends with a
 * NUL.
 */
void report_html_sentence(FILE *out, enum sentence kind, const char *shown);
void report_html_facts(FILE *out, const struct table *table, const struct cell *cells);
void report_html_rows(FILE *out, const struct table *table, const char *cells, size_t bytes);

/* Returns the size of the terminal, or COLUMNS and LINES; else 80 by 24. */
void report_size(const struct report *report, int *columns, int *rows);

static inline struct cell cell_number(double number)
{
	return (struct cell){.kind = CELL_NUMBER, .number = number};
}

static inline struct cell cell_ns(uint64_t ns)
{
	return (struct cell){.kind = CELL_NS, .count = (int64_t)ns};
}

static inline struct cell cell_bool(bool truth)
{
	return (struct cell){.kind = CELL_BOOL, .count = truth};
}

static inline struct cell cell_values(const struct values *values)
{
	return (struct cell){.kind = CELL_VALUES, .values = *values};
}

enum { FORMAT_BAR_WIDTH = 30 };

/* Writes `cell` as text to `out`, and returns `out`. A null cell is "-". */
const char *format_cell(char *out, size_t size, const struct cell *cell, enum unit unit);

/*
 * A table for people: aligned when it ends, or streamed in columns of fixed width. `table` and
 * `report` must outlive it.
 */
struct text_table *text_table_new(const struct table *table, const struct report *report);
void text_table_row(struct text_table *text, const struct cell *cells);
/* Prints the rest of the table, and frees it. */
void text_table_end(struct text_table *text);

#endif
