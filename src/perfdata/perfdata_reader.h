/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All records of a recording in sequence, in this machine's byte order and uncompressed: of one
 * file or stream, or of all files of a directory. This reader does not interpret them.
 *
 * Each file of a directory has what the kernel wrote for one CPU, in the order of time but for the
 * little that a round allows for. Of all files the oldest next record comes first, and
 * FINISHED_ROUND records are given in between. So what waits to be sorted does not grow with the
 * files.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_READER_H
#define PSCAL_PERFDATA_PERFDATA_READER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/input.h"

struct err;
struct perfdata_file;
struct perfdata_reader;

struct perfdata_record {
	struct perf_event_header header;
	const char *body; /* borrowed until the next record */
	size_t length;
	uint64_t place; /* bytes of the input before it, or before the payload it is packed in */
};

/*
 * Opens `path`, or where it is a directory (see perfdata/perfdata.h) the file in it that the others
 * belong to. NULL with a sentence, also for a directory that is no recording.
 */
struct input *perfdata_reader_open(const char *path, enum input_owners owners, struct err *err);

/*
 * `file` and `input`, from which it was read, are borrowed; the input stands where it stood then.
 * NULL with a sentence that lacks the name of the input.
 */
struct perfdata_reader *perfdata_reader_new(const struct perfdata_file *file, struct input *input,
					    struct err *err);
void perfdata_reader_free(struct perfdata_reader *reader);

/*
 * Returns 1 with a record, 0 at the end, -1 with a sentence, which lacks the name of the input,
 * when that cannot be read. The body of a TRACING_DATA record is the data that follow it; what
 * follows an AUXTRACE record is passed over. Of a record of more than INPUT_PEEK_MAX bytes that
 * much is given.
 */
int perfdata_reader_next(struct perfdata_reader *reader, struct perfdata_record *record,
			 struct err *err);

/* A file ended within a record, or where damage made it impossible to go on. */
bool perfdata_reader_truncated(const struct perfdata_reader *reader);

#endif
