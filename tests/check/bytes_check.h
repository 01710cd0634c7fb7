/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through all that pscal makes of a trace: it refuses them, or what it makes holds. */
#ifndef PSCAL_TESTS_CHECK_BYTES_CHECK_H
#define PSCAL_TESTS_CHECK_BYTES_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Reads bytes as the commands timeline, profile and forecast do and writes what they say in every
 * format. They may be refused, in one sentence that names the input. Returns -1 with what is wrong
 * with what pscal made of them; *read tells whether it could.
 */
int bytes_check_trace(bool *read, const void *bytes, size_t length, struct err *err);

/* The same as the levels of a profile in CSV, which forecast takes too; *read: they are some. */
int bytes_check_levels_csv(bool *read, const void *bytes, size_t length, struct err *err);

/* One sentence in one line; `path`, if not NULL, is named once. */
int bytes_check_sentence(const char *sentence, const char *path, struct err *err);

/* A file of these bytes that nobody else sees; its path goes to `path`. Close it. */
int bytes_check_file(const void *bytes, size_t length, char path[64]);

#endif
