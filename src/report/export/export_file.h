/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that a format is written into as a stream, packed by gzip where its name ends in ".gz". It
 * has another name until it is complete. The first failure is kept, and all that follows is thrown
 * away.
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
	FILE *out; /* to write to */
	struct export_stream *stream;
};

/* Returns 0, or -1 with a sentence. `path` is borrowed. */
int export_file_open(struct export_file *file, const char *path, bool replace, struct err *err);

/* Has all been written so far? Returns 0, or -1 with a sentence. */
int export_file_check(const struct export_file *file, struct err *err);

/* Throws away all that has been written. */
void export_file_restart(struct export_file *file);

/* Gives it its name. Returns 0, or -1 with a sentence. */
int export_file_publish(struct export_file *file, struct err *err);

/* One that was not published is gone; one that is all zeros is closed. */
void export_file_close(struct export_file *file);

/* --- Values -------------------------------------------------------------------------------- */

/* In digits, without the time that printf takes. */
void export_put_count(FILE *out, int64_t count);

/* Nanoseconds as microseconds, or as milliseconds, with all digits. */
void export_put_us(FILE *out, uint64_t time_ns);
void export_put_ms(FILE *out, uint64_t time_ns);

#endif
