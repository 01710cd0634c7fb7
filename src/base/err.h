/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reason of a failure in one whole sentence, "where: what; remedy". The remedy is the text
 * behind the last "; " of a format; on a terminal err_say puts it on its own line.
 *
 * A function that can fail takes a `struct err *` as its last parameter and returns 0 or -1 (or a
 * pointer or NULL). It writes the sentence only when it fails. The caller of main's commands alone
 * prints it, with base/printable: names may be in it as they are.
 */
#ifndef PSCAL_BASE_ERR_H
#define PSCAL_BASE_ERR_H

#include <stddef.h>
#include <stdio.h>

struct err {
	char text[1024];
	size_t hint; /* offset of the remedy in it; 0: none */
};

/* Both return -1, so that a failing function can end in `return err_set(err, ...)`.
 * The format knows glibc's %m, the text of errno. */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A fixed sentence, as from a table; a sentence with names is not split. */
int err_set_sentence(struct err *err, const char *sentence);

/* Puts "FORMAT: " in front of the sentence: err_wrap(err, "%s:%zu", path, row). */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "PREFIX: TEXT"; a terminal gets lines of its width, and the remedy on a line "hint: ...". */
void err_say(FILE *out, const char *prefix, const struct err *err);

#endif
