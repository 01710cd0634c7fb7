/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All records of a recording, one after the other and as this machine would have written them:
 * those of one file, or of all files of a directory.
 *
 * Each file of a directory has what the kernel wrote for one CPU, in the order of time but for the
 * little that a round allows for. Of all files the oldest next record comes first, and
 * FINISHED_ROUND records are given in between. So what waits to be sorted does not grow with the
 * files.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_STREAMS_H
#define PSCAL_PERFDATA_PERFDATA_STREAMS_H

#include <stdbool.h>

struct err;
struct input;
struct perfdata_file;
struct perfdata_record;
struct perfdata_streams;

/*
 * `file` and `input`, from which it was read, are borrowed; the input stands where it stood then.
 * NULL with a sentence that lacks the name of the input.
 */
struct perfdata_streams *perfdata_streams_new(const struct perfdata_file *file, struct input *input,
					      struct err *err);
void perfdata_streams_free(struct perfdata_streams *streams);

/* Returns 1 with a record, 0 at the end, -1 with a sentence. */
int perfdata_streams_next(struct perfdata_streams *streams, struct perfdata_record *record,
			  struct err *err);

/* One of them ended too early, see perfdata_records_truncated(). */
bool perfdata_streams_truncated(const struct perfdata_streams *streams);

#endif
