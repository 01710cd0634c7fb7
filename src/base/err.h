/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reason of a failure in one whole sentence, "where: what; remedy". The remedy is the text
 * behind the last "; " of the format; err_say puts it on its own line of a terminal.
 *
 * A function that can fail takes a `struct err *` as its last parameter and returns 0 or -1 (or a
 * pointer or NULL). It writes the sentence only when it fails. Only the caller of the commands, in
 * pscal.c, prints it, with base/printable: names may be in it as they are.
 */
#ifndef PSCAL_BASE_ERR_H
#define PSCAL_BASE_ERR_H

#include <stddef.h>
#include <stdio.h>

struct err {
	char text[1024];
	size_t hint; /* offset of the remedy in `text`; 0: none */
};

/*
 * Sets the sentence and returns -1, so that a failing function can end in `return err_set(err,
 * ...)`. The format knows glibc's %m, the text of errno.
 */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets a sentence without names, whose remedy is the text behind its last "; ". Returns -1. */
int err_set_sentence(struct err *err, const char *sentence);

/*
 * Puts "FORMAT: " in front of the sentence, as err_wrap(err, "%s:%zu", path, row), and returns -1.
 */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "PREFIX: TEXT"; on a terminal in lines of its width, the remedy on a line "hint: ...". */
void err_say(FILE *out, const char *prefix, const struct err *err);

#endif
