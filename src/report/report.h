/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one writer of results. A command turns its noun into rows once; how they look as text, CSV
 * or JSON is decided here.
 *
 * A table says its columns. Its rows are printed below one another (LAYOUT_ROWS: in JSON an array
 * of objects under the table's key), or it has one row of facts (LAYOUT_FACTS: in text "label
 * value" lines, in JSON members of the enclosing object). A format that a table does not name in
 * `in` passes over it: CSV has room for one table only.
 *
 *	report_begin(report, &levels_table);
 *	report_row(report, (struct cell[]){cell_count(1), cell_number(0.5), cell_null()});
 *	report_end(report);
 */
#ifndef PSCAL_REPORT_REPORT_H
#define PSCAL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;

/* Values of --format; they can be or-ed into struct table's `in`. */
enum report_format { REPORT_TEXT = 1, REPORT_CSV = 2, REPORT_JSON = 4, REPORT_ALL = 7 };

/* How a number is shown to people. CSV and JSON always hold the raw value in SI units. */
enum unit {
	UNIT_NONE,    /* text, whole numbers, truth values */
	UNIT_SECONDS, /* 1.234 s */
	UNIT_SPAN,    /* seconds, and shown as what is readable: 1.23 ms, 45.6 us, 789 ns */
	UNIT_STAMP,   /* seconds with nanoseconds: 12.345678901 */
	UNIT_SHARE,   /* 0..1, shown as 12.3 % */
	UNIT_BAR,     /* 0..1, shown as a bar; text only */
	UNIT_FACTOR,  /* 1.93x */
	UNIT_DECIMAL, /* a number with 6 significant digits */
};

struct column {
	const char *key;   /* JSON member and CSV header, with the unit: "wall_s" */
	const char *label; /* what people read: "wall" */
	enum unit unit;
	int width; /* characters, for tables that are streamed; negative for left-aligned text */
};

enum layout {
	LAYOUT_ROWS,
	LAYOUT_FACTS,
	LAYOUT_STREAM, /* rows of fixed width, printed as they come: for tables without end */
};

struct table {
	const char *key;   /* JSON; NULL for facts that belong to the enclosing object */
	const char *title; /* text: a line above, or NULL */
	enum layout layout;
	unsigned in; /* formats */
	const struct column *columns;
	size_t column_count;
};

struct cell {
	enum { CELL_NULL, CELL_NUMBER, CELL_COUNT, CELL_BOOL, CELL_TEXT, CELL_LIST } kind;
	double number;		 /* not finite: null */
	int64_t count;		 /* CELL_COUNT, CELL_BOOL, and the length of a list */
	const char *text;	 /* borrowed until report_row returns */
	const char *const *list; /* CELL_LIST: texts; in text and CSV joined by a blank */
};

static inline struct cell cell_null(void)
{
	return (struct cell){.kind = CELL_NULL};
}

static inline struct cell cell_number(double number)
{
	return (struct cell){.kind = CELL_NUMBER, .number = number};
}

static inline struct cell cell_seconds(uint64_t ns)
{
	return cell_number((double)ns / 1e9);
}

static inline struct cell cell_count(int64_t count)
{
	return (struct cell){.kind = CELL_COUNT, .count = count};
}

static inline struct cell cell_bool(bool truth)
{
	return (struct cell){.kind = CELL_BOOL, .count = truth};
}

/* NULL is null. */
static inline struct cell cell_text(const char *text)
{
	return (struct cell){.kind = text ? CELL_TEXT : CELL_NULL, .text = text};
}

static inline struct cell cell_list(const char *const *list, size_t count)
{
	return (struct cell){.kind = CELL_LIST, .list = list, .count = (int64_t)count};
}

struct report;

/* Writes to `path`, or to standard output when it is NULL. NULL with a sentence on failure. */
struct report *report_open(const char *path, enum report_format format, struct err *err);

/*
 * Ends the document; the file has it from then on, in one step. Returns -1 with a sentence when
 * anything could not be written.
 */
int report_close(struct report *report, struct err *err);

/*
 * The same if `rc` is 0: the document is complete. Else the file stays as it was, and -1
 * is returned with the sentence that is there.
 */
int report_finish(struct report *report, int rc, struct err *err);

/*
 * A series of documents, each of which report_next ends: JSON has each on a line of its own (JSON
 * Lines), and text on a terminal takes the place of what was there. To be called first. A file has its
 * name from then on. Returns 0, or -1 with a sentence.
 */
int report_set_series(struct report *report, struct err *err);

/*
 * The document is an array of groups, even if there turns out to be none of them (CSV and text are
 * not affected). To be called first.
 */
void report_set_array(struct report *report);

/* Ends a document of a series; another may follow. Returns as report_close. */
int report_next(struct report *report, struct err *err);

/* Is anything shown of a table meant for the formats `in`? Saves the work of making rows. */
bool report_shows(const struct report *report, unsigned in);

void report_begin(struct report *report, const struct table *table);
void report_row(struct report *report, const struct cell *cells);
void report_end(struct report *report);

/*
 * JSON: the members that follow go into an object under `key` until report_ungroup; with key NULL
 * the document is an array and each group one of its elements (then nothing may stand outside).
 */
void report_group(struct report *report, const char *key);
void report_ungroup(struct report *report);

/* Text only: a paragraph, broken into lines of 80 columns, after an empty line. */
void report_note(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for what can be left out on demand: a warning, the quality of the data. */
void report_warning(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void report_set_quiet(struct report *report, bool quiet);

/* Text only: lines as they are, after an empty line. */
void report_drawing(struct report *report, const char *lines);

/* Text only: one line as it is, with nothing before it: for formats that are lines of text. */
void report_line(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What fits onto the terminal, or is asked for by COLUMNS and LINES; 80 by 24 where nothing is. */
void report_size(const struct report *report, int *columns, int *rows);

/* JSON only: "key": [1, 2]. */
void report_counts(struct report *report, const char *key, const int32_t *counts, size_t count);

/* JSON only: "key": [0.1, null]; null is what is not finite. */
void report_numbers(struct report *report, const char *key, const double *numbers, size_t count);

#endif
