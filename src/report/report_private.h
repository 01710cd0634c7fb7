/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report while it is written, for the files of this folder. */
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
	bool holds; /* with --sort: standard output gets `held` if a table has the column */
	char *held;
	size_t held_size;
	char *path;		 /* NULL: standard output */
	struct output_file file; /* else; `out` has a descriptor of its own */
	enum report_format format;
	struct table table;	       /* being written now, with the columns of this format */
	struct column *columns;	       /* these; NULL: no table is being written */
	struct cell *cells;	       /* of one row of them */
	struct text_table *text;       /* its text form */
	const struct column *csv_head; /* CSV: the heading of these has been written ... */
	unsigned csv_has;	       /* ... for a table that has that */
	bool quiet;		       /* text: verdict, alerts and tables only */
	bool brief;		       /* text: verdict and first table only ... */
	bool has_table;		       /* ... which has been written */
	bool verbose, all_rows;	       /* text: details, all rows */
	size_t limit;		       /* text: rows of a table, where it has a `top` */
	const char *sort;	       /* rows are in the order of this column ... */
	bool is_sorted;		       /* ... which a table had ... */
	struct report_order *order;    /* ... which is being written now; NULL: another one */
	struct nearest nearest;	       /* ... or these, which are like it ... */
	char *labels;		       /* ... and these, which there are */
	bool colour;		       /* text: has escape sequences */
	bool html;		       /* text: is HTML */
	bool in_head;		       /* text: nothing but verdict and alerts so far */
	char **alerts;		       /* JSON: of this document */
	size_t alert_count, alert_capacity;
	bool has_verdict; /* this document has one, and "warnings" */
	unsigned depth;	  /* JSON: groups that are open */
	bool series;	  /* of documents, of which JSON has one a line */
	bool redraws;	  /* text: each in the place of the one before */
	bool started;	  /* something has been written */
	bool array;	  /* JSON: the document is an array of groups ... */
	bool comma;	  /* JSON: something stands before on this level */
};

/* Parts the table or paragraph that follows from the one before. */
void report_text_next(struct report *report);

/* JSON: ends a document with its alerts, if it has a verdict or alerts. */
void report_put_alerts(struct report *report);

/* The value of the column in a row. */
struct cell report_cell(const struct column *column, const void *row);

/* Writes the row of which `cells` of the report are the values. */
void report_put_cells(struct report *report);

/* Keeps the rows of a table back until all are there, if it is to be put in order. */
void report_order_begin(struct report *report, const struct table *table);
void report_order_row(struct report *report, const void *row);
void report_order_end(struct report *report);

/*
 * Has a table had the column of the order? Then what was held back is written, and what follows is not
 * held back. Returns 0, or -1 with a sentence.
 */
int report_order_settle(struct report *report, struct err *err);

/* Where people read it: standard output also while that is held back. */
int report_descriptor(const struct report *report);

/* Lines as they are, after an empty line. */
void report_drawing(struct report *report, const char *lines);

/* A sentence, and a table of HTML, of which the texts of `cells` are shown ones: with a NUL behind each. */
void report_html_sentence(FILE *out, enum sentence kind, const char *shown);
void report_html_facts(FILE *out, const struct table *table, const struct cell *cells);
void report_html_rows(FILE *out, const struct table *table, const char *cells, size_t bytes);

/* The size of the terminal, or as COLUMNS and LINES say; else 80 by 24. */
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

/* Writes `cell` as text into `out` and returns `out`. What does not exist is "-". */
const char *format_cell(char *out, size_t size, const struct cell *cell, enum unit unit);

/*
 * A table for people: aligned at its end, or streamed in columns of fixed width. `table` and `report`
 * must outlive what is returned.
 */
struct text_table *text_table_new(const struct table *table, const struct report *report);
void text_table_row(struct text_table *text, const struct cell *cells);
/* Prints what is not printed yet and frees. */
void text_table_end(struct text_table *text);

#endif
