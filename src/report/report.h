/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only writer of results. A command makes rows, which are structs; this module formats them as
 * text, CSV or JSON.
 *
 * A table has columns, and a column shows a member of the row. A table has rows below one another
 * (LAYOUT_ROWS: in JSON an array of objects under the table's key), or one row of facts
 * (LAYOUT_FACTS: in text "label value" lines; in JSON an object under the table's key, or without
 * key members of the enclosing object).
 *
 *	static const struct column level_columns[] = {
 *		{"active", "threads ready", UNIT_NONE, FIELD(level, active)},
 *		{"wall_s", "wall time", UNIT_SECONDS, NS(level, wall_ns)},
 *		{"is_unknown", FIELD(level, is_unknown)},        no label: not in text
 *		{NULL, "share", UNIT_SHARE, FIELD(level, share)}, no key: in text only
 *	};
 *	static const struct table level_table = {.key = "levels", COLUMNS(level_columns)};
 *
 *	report_table(report, &level_table, levels, level_count);
 */
#ifndef PSCAL_REPORT_REPORT_H
#define PSCAL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report_json.h"
#include "report/report_text.h"

struct err;

/*
 * The values of --format, and a set of them in `in` of struct table. REPORT_TERMINAL is for
 * report_shows() only: text but not HTML, whose reader has a command line.
 */
enum report_format {
	REPORT_TEXT = 1,
	REPORT_CSV = 2,
	REPORT_JSON = 4,
	REPORT_ALL = 7,
	REPORT_TERMINAL = 8,
};

/*
 * The way in which a column reads its member; FIELD and NS derive it from the type of the member.
 */
enum type {
	TYPE_NUMBER,   /* double; null if not finite */
	TYPE_UNSIGNED, /* a whole number; null if all bits are set */
	TYPE_SIGNED,   /* a whole number; null if negative */
	TYPE_BOOL,
	TYPE_TRUTH,   /* struct truth; null if unknown */
	TYPE_TEXT,    /* const char *; NULL is null */
	TYPE_COMM,    /* char[16] or char[48], with a NUL */
	TYPE_VALUES,  /* struct values; null without pointers */
	TYPE_CELL,    /* struct cell */
	TYPE_NS,      /* uint64_t nanoseconds, shown in seconds; null if all bits are set */
	TYPE_NS_REAL, /* double nanoseconds, shown in seconds */
};

/* clang-format off */
#define REPORT_MEMBER(tag, member) \
	.offset = offsetof(struct tag, member), .size = sizeof(((struct tag *)NULL)->member)

/* A column that shows a member of the row, which is a struct `tag`. */
#define FIELD(tag, member) \
	.type = _Generic(&((struct tag *)NULL)->member, \
		double *: TYPE_NUMBER, bool *: TYPE_BOOL, struct truth *: TYPE_TRUTH, \
		const char **: TYPE_TEXT, char **: TYPE_TEXT, char(*)[16]: TYPE_COMM, char(*)[48]: TYPE_COMM, \
		struct values *: TYPE_VALUES, struct cell *: TYPE_CELL, \
		int *: TYPE_SIGNED, long *: TYPE_SIGNED, \
		unsigned char *: TYPE_UNSIGNED, unsigned short *: TYPE_UNSIGNED, \
		unsigned *: TYPE_UNSIGNED, unsigned long *: TYPE_UNSIGNED), \
	REPORT_MEMBER(tag, member)

/* The same for nanoseconds, which are shown in seconds. */
#define NS(tag, member) \
	.type = _Generic(&((struct tag *)NULL)->member, \
		uint64_t *: TYPE_NS, double *: TYPE_NS_REAL), \
	REPORT_MEMBER(tag, member)
/* clang-format on */

struct column {
	const char *key;   /* JSON member and CSV header, with the unit: "wall_s"; NULL: in text
			      only */
	const char *label; /* heading in text: "wall"; NULL: not in text */
	enum unit unit;
	int width; /* characters, for LAYOUT_STREAM; negative for left-aligned text */
	enum type type;
	size_t offset, size;
	const char *absent; /* text for null; NULL: "-", and a fact is left out */
	unsigned needs;	    /* bits that `has` of the table needs for this column */
	bool detail;	    /* in text only with -v */
	bool optional;	    /* left out if a terminal is too narrow for all columns */
};

enum layout {
	LAYOUT_ROWS,
	LAYOUT_FACTS,
	LAYOUT_STREAM, /* rows of fixed width that are printed at once, for tables without end */
};

struct table {
	const char *key;   /* JSON; NULL for facts of the enclosing object */
	const char *title; /* text: a line above; or NULL */
	enum layout layout;
	unsigned in; /* formats; 0: text and JSON, as CSV has room for one table only */
	const struct column *columns;
	size_t column_count;
	unsigned has; /* bits for `needs` of columns */
	bool detail;  /* in text only with -v */
	size_t top;   /* number of rows in text without --all; 0: all rows */
};

#define COLUMNS(array) .columns = (array), .column_count = sizeof(array) / sizeof((array)[0])

struct report;

/*
 * Opens a report that is written to `path`, or to standard output if NULL. Returns NULL with an
 * error on failure.
 */
struct report *report_open(const char *path, enum report_format format, struct err *err);

/*
 * Ends the document. If `rc` is 0, the file gets all of it in one step; else the file stays as it
 * was, and -1 is returned with the error that is already in `err`. Returns -1 with an error if a
 * write failed.
 */
int report_finish(struct report *report, int rc, struct err *err);

enum report_setting {
	REPORT_QUIET,	 /* text: without SENTENCE_WARNING and SENTENCE_NEXT */
	REPORT_VERBOSE,	 /* text: the details, too */
	REPORT_ALL_ROWS, /* text: all rows of all tables */
	REPORT_COLOUR,	 /* text: the verdict is bold, the mark of an alert yellow */
	REPORT_HTML,	 /* text: its paragraphs and tables are elements of HTML */
	/*
	 * A series of documents, each of which report_next() ends. JSON has each document on a line
	 * of its own (JSON Lines), and text on a terminal replaces the document before. A file gets
	 * its name when this is set.
	 */
	REPORT_SERIES,
};

/* Changes a setting, before anything else. Returns 0, or -1 with an error. */
int report_set(struct report *report, enum report_setting setting, struct err *err);

/*
 * Chooses rows. In text each table with a `top` has `limit` rows instead, unless 0. The rows of
 * tables are in the order of the column that `sort` names by its key or label, the largest number
 * first; NULL: unsorted. report_finish() fails if no table has that column.
 */
void report_choose_rows(struct report *report, size_t limit, const char *sort);

/*
 * Checks that a table has had the column of `sort`. Returns 0, or -1 with an error. For a command
 * with one table, between report_begin() and its rows.
 */
int report_check_order(const struct report *report, struct err *err);

/* Ends a document of a series; another may follow. Returns 0, or -1 with an error. */
int report_next(struct report *report, struct err *err);

/* Returns whether tables for the formats `in` are shown. Saves the work of making rows. */
bool report_shows(const struct report *report, unsigned in);

/* Adds a table of an array of rows. */
#define report_table(report, table, rows, count) \
	report_rows(report, table, rows, count, sizeof(*(rows)))
void report_rows(struct report *report, const struct table *table, const void *rows, size_t count,
		 size_t row_size);

/*
 * Adds a row of facts, in JSON as the object `name`, or if NULL as members of the enclosing object.
 */
#define report_facts(report, name, columns, row)                                                  \
	report_table(                                                                             \
		report,                                                                           \
		(&(const struct table){.key = (name), .layout = LAYOUT_FACTS, COLUMNS(columns)}), \
		row, 1)

/* Add a table whose rows are made one after the other. */
void report_begin(struct report *report, const struct table *table);
void report_row(struct report *report, const void *row);
void report_end(struct report *report);

/*
 * For struct output_kind: returns whether the bytes are the beginning of a recording. No output
 * replaces a recording, as no second run is like the first.
 */
bool report_keeps(const char *bytes, size_t size);

#endif
