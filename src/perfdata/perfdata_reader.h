/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All records of a recording in sequence, in this machine's byte order and uncompressed: of one
 * file or stream, or of all files of a directory. This reader does not interpret them.
 *
 * Each file of a directory has the records of one CPU, in the order of time except for the little
 * that a round allows for. The oldest next record of all files comes first, with FINISHED_ROUND
 * records in between, so that the records that wait to be sorted do not grow with the files.
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
	uint64_t place; /* bytes of the input before it, or before its compressed payload */
};

/*
 * Opens `path`, or if it is a directory (see perfdata/perfdata.h) the main file in it, `data`. NULL
 * with an error, also for a directory that is no recording.
 */
struct input *perfdata_reader_open(const char *path, enum input_owners owners, struct err *err);

/*
 * Makes a reader. `file` and the input that it was read from are borrowed; the input has not been
 * moved since. NULL with an error that lacks the name of the input.
 */
struct perfdata_reader *perfdata_reader_new(const struct perfdata_file *file, struct input *input,
					    struct err *err);
void perfdata_reader_free(struct perfdata_reader *reader);

/*
 * Returns 1 with a record, 0 at the end, or -1 with an error, which lacks the name of the input, if
 * that cannot be read. The body of a TRACING_DATA record is the data behind it; the data behind an
 * AUXTRACE record is skipped. A record of more than INPUT_PEEK_MAX bytes is cut to that size.
 */
int perfdata_reader_next(struct perfdata_reader *reader, struct perfdata_record *record,
			 struct err *err);

/* Returns whether a file ended within a record, or was so damaged that reading it stopped. */
bool perfdata_reader_truncated(const struct perfdata_reader *reader);

#endif
