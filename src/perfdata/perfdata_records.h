/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a perf.data file or stream, one after the other, whether they are compressed or
 * not. What they mean is not known here.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_RECORDS_H
#define PSCAL_PERFDATA_PERFDATA_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct input;
struct perfdata_records;

struct perfdata_record {
	struct perf_event_header header;
	const char *body; /* borrowed until the next record */
	size_t length;
	uint64_t place; /* bytes of the input before it, or before the payload it is packed in */
};

/*
 * Reads `size` bytes of `input` (borrowed) from where it is; UINT64_MAX: up to its end. `swapped`:
 * they are of the other byte order. Headers are given in that of this machine, bodies as they are.
 */
struct perfdata_records *perfdata_records_new(struct input *input, uint64_t size, bool swapped);
void perfdata_records_free(struct perfdata_records *records);

/*
 * Returns 1 with a record, 0 at the end, -1 with a sentence, which lacks the name of the input,
 * when that cannot be read. The body of a TRACING_DATA record is the data that follow it; what
 * follows an AUXTRACE record is passed over. Of a record of more than INPUT_PEEK_MAX bytes that
 * much is given.
 */
int perfdata_records_next(struct perfdata_records *records, struct perfdata_record *record,
			  struct err *err);

/* They ended within a record, or where damage made it impossible to go on. */
bool perfdata_records_truncated(const struct perfdata_records *records);

#endif
