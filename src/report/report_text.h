/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values of rows, and the sentences of a report. A text begins with the verdict; alerts, tables
 * and notes follow, and the next step ends it. JSON has the verdict and the alerts, CSV none of
 * them.
 *
 *	report_verdict(report, "%s used %.2f of %u CPUs.", name, used, cores);
 *	report_alert_if(report, others > .1, "Other programs used %.0f %% of the CPUs.",
 *			others * 100);
 *	report_table(report, &level_table, levels, level_count);
 *	report_detail(report, "Waits below 1 us are not counted.");
 *	report_next_step(report, "pscal forecast %s", path);
 */
#ifndef PSCAL_REPORT_REPORT_TEXT_H
#define PSCAL_REPORT_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/quality.h"

struct report;

/* The form of a number in text. CSV and JSON always hold the raw value in SI units. */
enum unit {
	UNIT_NONE,    /* text, whole numbers, truth values */
	UNIT_SECONDS, /* 1.234 s */
	UNIT_SPAN,    /* seconds in a readable unit: 1.23 ms, 45.6 us, 789 ns */
	UNIT_STAMP,   /* seconds with nanoseconds: 12.345678901 */
	UNIT_SHARE,   /* 0..1, shown as 12.3 % */
	UNIT_BAR,     /* 0..1, shown as a bar; text only */
	UNIT_FACTOR,  /* 1.93x */
	UNIT_DECIMAL, /* a number with 6 significant digits */
	UNIT_SHORT,   /* 3 digits, or all digits of a whole number: 0.0000386, 1884 */
};

/* A truth value that may be unknown. */
struct truth {
	bool known, holds;
};

/*
 * A list of `count` elements in one of the pointers. Text and CSV show only texts, with blanks
 * between.
 */
struct values {
	const char *const *texts;
	const int32_t *counts;
	const double *numbers; /* null if not finite */
	size_t count;
};

/* A value whose kind is known only when the row is made. */
struct cell {
	enum {
		CELL_NULL,
		CELL_NUMBER,
		CELL_NS,
		CELL_COUNT,
		CELL_BOOL,
		CELL_TEXT,
		CELL_VALUES
	} kind;
	double number;	  /* null if not finite */
	int64_t count;	  /* CELL_COUNT, CELL_BOOL; CELL_NS: nanoseconds, shown in seconds */
	const char *text; /* borrowed until report_row returns */
	struct values values;
};

static inline struct cell cell_count(int64_t count)
{
	return (struct cell){.kind = CELL_COUNT, .count = count};
}

/* Returns a text; NULL is null. */
static inline struct cell cell_text(const char *text)
{
	return (struct cell){.kind = text ? CELL_TEXT : CELL_NULL, .text = text};
}

/* --- Sentences ----------------------------------------------------------------------------- */

enum sentence {
	/* The answer: the first paragraph; in JSON the member "verdict". */
	SENTENCE_VERDICT,
	/*
	 * A warning that changes the meaning of the result: a line that begins with "!", also with
	 * -q. In JSON an element of "warnings" at the end of the document, or of each document of
	 * an array.
	 */
	SENTENCE_ALERT,
	SENTENCE_REMARK,  /* a line after the verdict and the alerts */
	SENTENCE_NOTE,	  /* a paragraph */
	SENTENCE_WARNING, /* a paragraph; not with -q */
	SENTENCE_DETAIL,  /* a paragraph on method, assumptions, passed checks or cost; only with
			     -v */
	SENTENCE_NEXT,	  /* the next command, as the last line; not with -q */
};

/*
 * Adds a sentence if `holds`. Lines are broken at 80 columns, or at the width of a narrower
 * terminal.
 */
void report_say_if(struct report *report, enum sentence kind, bool holds, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#define report_alert_if(report, ...)   report_say_if(report, SENTENCE_ALERT, __VA_ARGS__)
#define report_note_if(report, ...)    report_say_if(report, SENTENCE_NOTE, __VA_ARGS__)
#define report_warning_if(report, ...) report_say_if(report, SENTENCE_WARNING, __VA_ARGS__)
#define report_detail_if(report, ...)  report_say_if(report, SENTENCE_DETAIL, __VA_ARGS__)
#define report_verdict(report, ...)    report_say_if(report, SENTENCE_VERDICT, true, __VA_ARGS__)
#define report_alert(report, ...)      report_alert_if(report, true, __VA_ARGS__)
#define report_remark_if(report, ...)  report_say_if(report, SENTENCE_REMARK, __VA_ARGS__)
#define report_remark(report, ...)     report_remark_if(report, true, __VA_ARGS__)
#define report_note(report, ...)       report_note_if(report, true, __VA_ARGS__)
#define report_warning(report, ...)    report_warning_if(report, true, __VA_ARGS__)
#define report_detail(report, ...)     report_detail_if(report, true, __VA_ARGS__)
#define report_next_step(report, ...)  report_say_if(report, SENTENCE_NEXT, true, __VA_ARGS__)

/* Adds a text as a member of the enclosing object, in JSON only. */
void report_sentence(struct report *report, const char *key, const char *text);

/* Returns whether text shows a sentence of this kind. Saves the work of making it. */
bool report_says(const struct report *report, enum sentence kind);

/* Prints one line unchanged, with nothing before it: for formats that are lines of text. */
void report_line(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- Parts of sentences -------------------------------------------------------------------- */
/* Returns `one` if `count` is 1, else `several`. */
const char *plural(uint64_t count, const char *one, const char *several);

enum { VALUE_SIZE = 32 };

/* Writes a number as in tables to `out`, and returns it. A null value is "-". */
const char *format_value(char out[VALUE_SIZE], double value, enum unit unit);

/* --- The quality of the data ------------------------------------------------------------------ */

/*
 * Text: adds a sentence for each flaw of the data: an alert, which belongs to the verdict, if it
 * changes the meaning of the result; else a detail. JSON: with the details, adds the object
 * "quality".
 */
void report_quality_details(struct report *report, const struct quality *quality);
#define report_quality_alerts(report, quality) report_program_quality(report, NULL, quality)
#define report_quality(report, quality) \
	(report_quality_alerts(report, quality), report_quality_details(report, quality))

/* Adds the alerts of one of several programs; `name` NULL: there is one program. */
void report_program_quality(struct report *report, const char *name, const struct quality *quality);

/* Returns the sentence for a fact, which the caller frees; NULL: no flaw. */
char *report_quality_sentence(enum quality_fact fact, uint64_t value);

#endif
