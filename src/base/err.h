/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why something failed, in one whole sentence: where, what, what to try.
 *
 * A function that can fail takes a `struct err *` as its last parameter and returns 0 or -1 (or a
 * pointer or NULL). It writes the sentence only when it fails. The caller of main's commands alone
 * prints it, with base/printable: names may be in it as they are.
 */
#ifndef PSCAL_BASE_ERR_H
#define PSCAL_BASE_ERR_H

struct err {
	char text[1024];
};

/* Both return -1, so that a failing function can end in `return err_set(err, ...)`.
 * The format knows glibc's %m, the text of errno. */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "FORMAT: " in front of what is already there: err_wrap(err, "%s:%zu", path, row). */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
