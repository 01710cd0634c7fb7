/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_records.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "perfdata/byte_order.h"
#include "perfdata/inflate.h"
#include "perfdata/perfdata.h"

#include <stdlib.h>
#include <string.h>

/* Far above what perf writes, far below what could hurt. */
enum { TRACING_DATA_MAX = 1 << 26 };

struct perfdata_records {
	struct input *input;
	bool swapped;	    /* numbers are of the other byte order */
	bool endless;	    /* up to the end of the input */
	uint64_t left;	    /* bytes that have not been consumed yet */
	const char *window; /* what has been looked at of the input ... */
	size_t window_size; /* ... and may be given out without looking again */
	uint64_t given;	    /* bytes at its beginning that have been, to be consumed later */
	uint64_t window_place;
	uint64_t place; /* of the record given out last */
	bool truncated;
	bool inflating;		 /* the record at the input is a payload that is being unpacked */
	struct inflate *inflate; /* NULL before the first of them */
	char *tracing_data;
};

struct perfdata_records *perfdata_records_new(struct input *input, uint64_t size, bool swapped)
{
	struct perfdata_records *records = xcalloc(1, sizeof(*records));

	records->input = input;
	records->swapped = swapped;
	records->endless = size == UINT64_MAX;
	records->left = size;
	return records;
}

void perfdata_records_free(struct perfdata_records *records)
{
	if (!records)
		return;
	inflate_free(records->inflate);
	free(records->tracing_data);
	free(records);
}

bool perfdata_records_truncated(const struct perfdata_records *records)
{
	return records->truncated;
}

/* Nothing more can be read. */
static int cut(struct perfdata_records *records)
{
	records->truncated = true;
	records->left = 0;
	records->inflating = false;
	return 0;
}

/* A number that the body begins with; 0 when it is not there. */
static uint64_t number_of(const struct perfdata_records *records,
			  const struct perfdata_record *record, size_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (record->length < width)
		return 0;
	if (width == sizeof(wide)) {
		memcpy(&wide, record->body, sizeof(wide));
		return byte_order_u64(wide, records->swapped);
	}
	memcpy(&narrow, record->body, sizeof(narrow));
	return byte_order_u32(narrow, records->swapped);
}

static void consume(struct perfdata_records *records)
{
	uint64_t skipped;

	if (records->given > records->left)
		records->given = records->left;
	skipped = input_skip(records->input, records->given);
	records->left -= skipped;
	if (skipped < records->given)
		cut(records);
	records->given = 0;
	records->window_size = 0;
}

static inline void read_header(const struct perfdata_records *records,
			       struct perf_event_header *header, const void *bytes)
{
	memcpy(header, bytes, sizeof(*header));
	if (records->swapped)
		byte_order_swap(header, sizeof(*header), "422");
}

/* --- Records of records -------------------------------------------------------------------- */

/* The payload of COMPRESSED is its body, that of COMPRESSED2 as much of it as it says. */
static void feed(struct perfdata_records *records, const struct perfdata_record *record)
{
	const char *payload = record->body;
	uint64_t length = record->length;

	if (record->header.type == PERFDATA_RECORD_COMPRESSED2) {
		uint64_t size = number_of(records, record, sizeof(size));

		payload += record->length < sizeof(size) ? record->length : sizeof(size);
		length = record->length < sizeof(size) ? 0 : record->length - sizeof(size);
		if (size < length)
			length = size;
	}
	if (!records->inflate)
		records->inflate = inflate_new(records->swapped);
	inflate_feed(records->inflate, payload, (size_t)length);
	records->inflating = true;
}

/* Returns 1 with a record, 0 when the payload has no more. */
static int next_packed(struct perfdata_records *records, struct perfdata_record *record)
{
	const char *bytes;
	int rc = inflate_next(records->inflate, &bytes);

	if (rc < 0)
		return cut(records);
	if (!rc) {
		records->inflating = false;
		return 0;
	}
	read_header(records, &record->header, bytes);
	record->body = bytes + sizeof(record->header);
	record->length = record->header.size - sizeof(record->header);
	record->place = records->place;
	return 1;
}

/* --- Records with something behind them ---------------------------------------------------- */

/* Takes as much memory as there are bytes, whatever the size says. */
static int read_behind(struct perfdata_records *records, size_t size)
{
	size_t have = 0, capacity = 0;
	const void *bytes;

	free(records->tracing_data);
	records->tracing_data = NULL;
	array_reserve(&records->tracing_data, &capacity, 1);
	while (have < size) {
		size_t got = input_peek(records->input, &bytes, 1);

		if (!got)
			return -1;
		if (got > size - have)
			got = size - have;
		array_reserve(&records->tracing_data, &capacity, have + got);
		memcpy(records->tracing_data + have, bytes, got);
		have += got;
		records->left -= input_skip(records->input, got);
	}
	return 0;
}

/* TRACING_DATA: u32 size. Some writers put the data into the record itself. */
static int next_tracing_data(struct perfdata_records *records, struct perfdata_record *record)
{
	uint32_t size = (uint32_t)number_of(records, record, sizeof(size));

	if (record->length > sizeof(size) && size <= record->length - sizeof(size)) {
		record->body += sizeof(size);
		record->length = size;
		return 1;
	}
	consume(records);
	if (size > TRACING_DATA_MAX || size > records->left || read_behind(records, size))
		return cut(records);
	record->body = records->tracing_data;
	record->length = size;
	return 1;
}

static void pass_auxtrace(struct perfdata_records *records, const struct perfdata_record *record)
{
	uint64_t size = number_of(records, record, sizeof(size));

	consume(records);
	if (size > records->left)
		cut(records);
	records->given = size;
	consume(records);
}

/* --- The stream ---------------------------------------------------------------------------- */

/* Nothing is left, or less than a record. */
static int end(struct perfdata_records *records, size_t left)
{
	if (left || (records->left && !records->endless) ||
	    (records->inflate && inflate_has_rest(records->inflate)))
		records->truncated = true;
	records->left = 0;
	return 0;
}

static size_t size_of(const struct perf_event_header *header)
{
	size_t upper = header->type >= PERFDATA_RECORD_SIMPLEPERF ? header->misc : 0;

	return upper << 16 | header->size;
}

/* The record at the input as it is. Returns 1, or 0 at the end. */
static int next_plain(struct perfdata_records *records, struct perfdata_record *record)
{
	const void *bytes;
	size_t have, size;

	consume(records);
	if (!records->left)
		return 0;
	have = input_peek(records->input, &bytes, sizeof(record->header));
	if (have > records->left)
		have = (size_t)records->left;
	if (have < sizeof(record->header))
		return end(records, have);
	read_header(records, &record->header, bytes);
	size = size_of(&record->header);
	if (size > INPUT_PEEK_MAX) /* nothing that is needed */
		size = INPUT_PEEK_MAX;
	if (size > have)
		have = input_peek(records->input, &bytes, size);
	if (size < sizeof(record->header) || size > have || size > records->left)
		return cut(records);
	record->body = (const char *)bytes + sizeof(record->header);
	record->length = size - sizeof(record->header);
	records->window = bytes;
	records->window_size = have < records->left ? have : (size_t)records->left;
	records->given = size_of(&record->header);
	record->place = records->place = records->window_place = input_offset(records->input);
	return 1;
}

/* What follows it, or what it holds, is not for others. */
static inline bool is_special(uint32_t type)
{
	return type == PERFDATA_RECORD_COMPRESSED || type == PERFDATA_RECORD_COMPRESSED2 ||
	       type == PERFDATA_RECORD_TRACING_DATA || type == PERFDATA_RECORD_AUXTRACE ||
	       type == PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA;
}

/* A whole and ordinary record that has been looked at already; nearly all are. */
static inline bool next_in_window(struct perfdata_records *records, struct perfdata_record *record)
{
	size_t room = records->window_size - (size_t)records->given, size;
	const char *at;

	if (records->given > records->window_size || room < sizeof(record->header))
		return false;
	at = records->window + records->given;
	read_header(records, &record->header, at);
	size = size_of(&record->header);
	if (size < sizeof(record->header) || size > room || is_special(record->header.type))
		return false;
	record->body = at + sizeof(record->header);
	record->length = size - sizeof(record->header);
	record->place = records->place = records->window_place + records->given;
	records->given += size;
	return true;
}

static __attribute__((noinline)) int next(struct perfdata_records *records,
					  struct perfdata_record *record)
{
	for (;;) {
		if (records->inflating ? next_packed(records, record) > 0
				       : next_in_window(records, record))
			return 1;
		if (!next_plain(records, record))
			return 0;
		switch (record->header.type) {
		case PERFDATA_RECORD_COMPRESSED:
		case PERFDATA_RECORD_COMPRESSED2:
			feed(records, record);
			break;
		case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
			record->header.type = PERFDATA_RECORD_TRACING_DATA;
			return next_tracing_data(records, record);
		case PERFDATA_RECORD_TRACING_DATA:
			return next_tracing_data(records, record);
		case PERFDATA_RECORD_AUXTRACE:
			pass_auxtrace(records, record);
			break;
		default:
			return 1;
		}
	}
}

int perfdata_records_next(struct perfdata_records *records, struct perfdata_record *record,
			  struct err *err)
{
	if (!records->inflating && next_in_window(records, record))
		return 1;
	if (next(records, record))
		return 1;
	/* An input that fails looks as if it ended, in the middle of whatever. */
	return input_problem(records->input) ? err_set(err, "%s", input_problem(records->input))
					     : 0;
}
