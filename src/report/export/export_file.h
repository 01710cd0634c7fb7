/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output file of a format, written as a stream, and packed by gzip if its name ends in ".gz". It
 * has another name until it is complete. The first failure is kept, and later output is discarded.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_FILE_H
#define PSCAL_REPORT_EXPORT_EXPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/io/output_file.h"

struct err;

struct export_file {
	FILE *out; /* the stream */
	struct export_stream *stream;
};

/* Opens the file. `path` is borrowed. Returns 0, or -1 with an error. */
int export_file_open(struct export_file *file, const char *path, bool replace, struct err *err);

/* Returns 0, or -1 with an error if a write failed. */
int export_file_check(const struct export_file *file, struct err *err);

/* Discards all output so far. */
void export_file_restart(struct export_file *file);

/* Gives the file its name. Returns 0, or -1 with an error. */
int export_file_publish(struct export_file *file, struct err *err);

/* Closes the file, and removes it if it was not published. A file that is all zero is closed. */
void export_file_close(struct export_file *file);

/* --- Values -------------------------------------------------------------------------------- */

/* Writes a number in decimal digits, faster than printf. */
void export_put_count(FILE *out, int64_t count);

/* Write nanoseconds as microseconds, or as milliseconds, with all digits. */
void export_put_us(FILE *out, uint64_t time_ns);
void export_put_ms(FILE *out, uint64_t time_ns);

#endif
