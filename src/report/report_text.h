/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences of a report that is text; in other formats there are none of them.
 *
 *	report_note_if(report, left_out, "%zu row%s left out.", left_out,
 *		       plural(left_out, " is", "s are"));
 */
#ifndef PSCAL_REPORT_REPORT_TEXT_H
#define PSCAL_REPORT_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report;

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

/* A paragraph, broken into lines of 80 columns, after an empty line; if the condition holds. */
void report_note_if(struct report *report, bool holds, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define report_note(report, ...) report_note_if(report, true, __VA_ARGS__)

/* The same for what can be left out on demand: a warning, the quality of the data. */
void report_warning_if(struct report *report, bool holds, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define report_warning(report, ...) report_warning_if(report, true, __VA_ARGS__)

/* One line as it is, with nothing before it: for formats that are lines of text. */
void report_line(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- Parts of sentences -------------------------------------------------------------------- */

/* Adds to a text that is to be freed. */
void append_text(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The one if `count` is 1, else the other. */
const char *plural(uint64_t count, const char *one, const char *several);

enum { VALUE_SIZE = 32 };

/* A number as tables have it, in `out`, which is returned. What does not exist is "-". */
const char *format_value(char out[VALUE_SIZE], double value, enum unit unit);

#endif
