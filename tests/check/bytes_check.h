/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes by all that pscal makes of a trace: it refuses them, or its results fulfil the
 * invariants. */
#ifndef PSCAL_TESTS_CHECK_BYTES_CHECK_H
#define PSCAL_TESTS_CHECK_BYTES_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Reads bytes as the commands timeline, profile and forecast do, and writes their output in every
 * format. The commands may refuse the bytes, in one sentence that names the input. Returns -1 with
 * the fault of a result; *read tells if the bytes were a trace.
 */
int bytes_check_trace(bool *read, const void *bytes, size_t length, struct err *err);

/* The same for the levels of a profile in CSV, which forecast reads, too; *read tells if the bytes
 * were levels. */
int bytes_check_levels_csv(bool *read, const void *bytes, size_t length, struct err *err);

/* One sentence in one line; `path`, if not NULL, is named once. */
int bytes_check_sentence(const char *sentence, const char *path, struct err *err);

/* A file of these bytes that no other process sees; writes its path to `path`. The caller closes
 * it. */
int bytes_check_file(const void *bytes, size_t length, char path[64]);

#endif
