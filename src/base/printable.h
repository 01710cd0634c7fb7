/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of threads, functions, files, hosts, arguments: they may be any bytes, and a terminal obeys
 * some of them. This is the one place that decides how each of them is shown.
 *
 * Shown as it is: a character in well-formed UTF-8 that is no control character (U+0000..1F,
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
	 * For people: tables, sentences, pictures. Each byte is "\x1b", and a backslash before an 'x'
	 * is "\x5c", so that such a text can mean one thing only. It is not to be done twice.
	 */
	PRINTABLE_TEXT,
	/* For programs: CSV, databases. Each character, or byte that is in none, is U+FFFD. */
	PRINTABLE_DATA,
	/* The same, but newlines and tabs stay: for several lines that are ours, with names in them. */
	PRINTABLE_LINES,
	/* For JSON, which has its own escapes: only bytes that are no UTF-8 become U+FFFD. */
	PRINTABLE_UTF8,
};

/* `length` may be PRINTABLE_WHOLE: up to the NUL. */
#define PRINTABLE_WHOLE SIZE_MAX

/*
 * The number of bytes of the first character of `text`; 0 if it is not UTF-8, or `length` is 0.
 * `code` is the character; it may be NULL.
 */
size_t printable_decode(uint32_t *code, const char *text, size_t length);

/* The same, and 0 also if it is not shown as it is. */
size_t printable_character(const char *text, size_t length);

/* Would `printable` leave it as it is? */
bool printable_is(enum printable_as as, const char *text, size_t length);

/* The text as it is shown. The caller frees it. */
char *printable(enum printable_as as, const char *text, size_t length);

/* The same into a buffer, as far as it fits, and each character whole. */
char *printable_copy(char *out, size_t size, enum printable_as as, const char *text);

/* The same into a file. */
void printable_put(FILE *out, enum printable_as as, const char *text);

/* Prints a sentence, as PRINTABLE_TEXT, and a newline; on a terminal in lines of its width. */
void printable_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Does printable_say break the lines that go there? */
bool printable_wraps(FILE *out);

/*
 * In place, with a '?' for each byte that is not shown: for lines and notes in files of our own, which
 * must not become longer. Doing it twice does no harm. Returns `text`.
 */
char *printable_mend(char *text);

/* The number of its characters. */
size_t printable_length(const char *text);

/*
 * The words of a NULL-terminated list on one line, with blanks between them, quoted where a shell
 * would change them; what is not shown as bash and ksh read it in $'...'. The caller frees it.
 */
char *shell_quote(const char *const *words);

#endif
