/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Safe display of the names of threads, functions, files and hosts, and of arguments. A name may be
 * any bytes, and a terminal obeys some of them. This module alone decides how each byte is shown.
 *
 * A character is shown as it is if it is well-formed UTF-8, no control character (U+0000..1F,
 * U+007F..9F), ends no line (U+2028, U+2029) and does not change the direction of the text behind
 * it (U+061C, U+200E, U+200F, U+202A..202E, U+2066..2069). No other byte is written as it is.
 */
#ifndef PSCAL_BASE_PRINTABLE_H
#define PSCAL_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum printable_as {
	/*
	 * Text for people: tables, sentences, pictures. Each byte that is not shown as it is
	 * becomes "\x1b" or the like, and a backslash before an 'x' becomes "\x5c", so that the
	 * text has one meaning. It must not be converted twice.
	 */
	PRINTABLE_TEXT,
	/* Data for programs: CSV, databases. Each character, or stray byte, becomes U+FFFD. */
	PRINTABLE_DATA,
	/*
	 * Several lines of pscal with names in them: as PRINTABLE_DATA, but newlines and tabs stay.
	 */
	PRINTABLE_LINES,
	/* JSON, which has its own escapes: only bytes that are not UTF-8 become U+FFFD. */
	PRINTABLE_UTF8,
};

/* A `length` for the whole text, up to the NUL. */
#define PRINTABLE_WHOLE SIZE_MAX

/*
 * Returns the number of bytes of the first character of `text`; 0 if it is not UTF-8, or `length`
 * is 0. Stores the character in `code`, unless that is NULL.
 */
size_t printable_decode(uint32_t *code, const char *text, size_t length);

/* Returns the same, but 0 also for a character that is not shown as it is. */
size_t printable_character(const char *text, size_t length);

/* Returns whether `printable` leaves the text as it is. */
bool printable_is(enum printable_as as, const char *text, size_t length);

/* Returns the text as it is shown. The caller frees it. */
char *printable(enum printable_as as, const char *text, size_t length);

/* Writes the text as it is shown to a buffer, as many whole characters as fit. Returns `out`. */
char *printable_copy(char *out, size_t size, enum printable_as as, const char *text);

/* Writes the text as it is shown to a file. */
void printable_put(FILE *out, enum printable_as as, const char *text);

/* Prints a sentence, as PRINTABLE_TEXT, and a newline; a terminal gets lines of its width. */
void printable_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether printable_say breaks lines on `out`, which is a terminal then. */
bool printable_wraps(FILE *out);

/*
 * Replaces each byte that is not shown by '?', in place: for lines and notes in files of pscal,
 * which must not become longer. A second call changes nothing. Returns `text`.
 */
char *printable_mend(char *text);

/* Returns the number of characters of a text. */
size_t printable_length(const char *text);

/*
 * Returns the words of a NULL-terminated list on one line, with blanks between them. Words that a
 * shell would change are quoted, those that are not shown in $'...', which bash and ksh read. The
 * caller frees it.
 */
char *shell_quote(const char *const *words);

#endif
