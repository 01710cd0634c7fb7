/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_reader.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_swap.h"
#include "perfdata/sample.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

/* --- Compressed records -------------------------------------------------------------------- */

/*
 * Unpacks records that perf record -z has compressed: the payloads of its COMPRESSED records, one
 * zstd stream. A payload is unpacked in pieces, so that memory does not grow with its size.
 */

/* Room for the largest record, and some to unpack at once. */
enum { INFLATE_CAPACITY = 256 << 10 };

struct inflate {
	ZSTD_DStream *stream;
	bool swapped; /* records are in the other byte order */
	ZSTD_inBuffer payload;
	bool drained; /* nothing is left of the payload, nor within zstd */
	size_t begin, end;
	char bytes[INFLATE_CAPACITY];
};

static struct inflate *inflate_new(bool swapped)
{
	struct inflate *inflate = xcalloc(1, sizeof(*inflate));

	inflate->stream = ZSTD_createDStream();
	if (!inflate->stream)
		abort();
	inflate->swapped = swapped;
	inflate->drained = true;
	return inflate;
}

static void inflate_free(struct inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

/* Sets the next payload, which is borrowed until inflate_next() returns 0. */
static void inflate_feed(struct inflate *inflate, const void *payload, size_t length)
{
	inflate->payload = (ZSTD_inBuffer){payload, length, 0};
	inflate->drained = false;
}

/*
 * Unpacks behind the bytes that have not been read yet. Returns 0, or -1 if the payload is damaged.
 */
static int inflate_unpack(struct inflate *inflate)
{
	ZSTD_outBuffer out;
	size_t rc;

	memmove(inflate->bytes, inflate->bytes + inflate->begin, inflate->end - inflate->begin);
	inflate->end -= inflate->begin;
	inflate->begin = 0;
	out = (ZSTD_outBuffer){inflate->bytes, sizeof(inflate->bytes), inflate->end};
	rc = ZSTD_decompressStream(inflate->stream, &out, &inflate->payload);
	if (ZSTD_isError(rc))
		return -1;
	inflate->drained = inflate->payload.pos == inflate->payload.size && out.pos < out.size;
	inflate->end = out.pos;
	return 0;
}

/*
 * Finds the next whole record, which begins with a struct perf_event_header (it may be unaligned).
 * Returns 1 and the record, valid until the next call; 0 if it needs the next payload; -1 if the
 * bytes are damaged, after which nothing can be read.
 */
static int inflate_next(struct inflate *inflate, const char **record)
{
	for (;;) {
		size_t left = inflate->end - inflate->begin;
		struct perf_event_header header;

		*record = inflate->bytes + inflate->begin;
		if (left >= sizeof(header)) {
			memcpy(&header, *record, sizeof(header));
			header.size = byte_order_u16(header.size, inflate->swapped);
			if (header.size < sizeof(header))
				return -1;
			if (header.size <= left) {
				inflate->begin += header.size;
				return 1;
			}
		}
		if (inflate->drained)
			return 0;
		if (inflate_unpack(inflate))
			return -1;
	}
}

/* Returns whether the last record is incomplete. */
static bool inflate_has_rest(const struct inflate *inflate)
{
	return inflate->end > inflate->begin;
}

/* --- The records of one file --------------------------------------------------------------- */

/* The limit: far above what perf writes, far below what would do harm. */
enum { TRACING_DATA_MAX = 1 << 26 };

struct record_stream {
	struct input *input;
	bool swapped;	    /* numbers are in the other byte order */
	bool endless;	    /* the size is not known */
	uint64_t left;	    /* bytes that have not been consumed yet */
	const char *window; /* bytes of the input that have been peeked at ... */
	size_t window_size; /* ... and need not be peeked at again */
	uint64_t given;	    /* bytes of the window that were returned; consumed later */
	uint64_t window_place;
	uint64_t place; /* of the last record returned */
	bool truncated;
	bool inflating;		 /* the record at the input is a payload that is being unpacked */
	struct inflate *inflate; /* NULL before the first payload */
	char *tracing_data;
};

/*
 * Makes a stream of `size` bytes of `input` (borrowed) from its position; UINT64_MAX: up to its
 * end. `swapped`: they are in the other byte order. Headers are returned in that of this machine,
 * bodies as they are.
 */
static struct record_stream *record_stream_new(struct input *input, uint64_t size, bool swapped)
{
	struct record_stream *stream = xcalloc(1, sizeof(*stream));

	stream->input = input;
	stream->swapped = swapped;
	stream->endless = size == UINT64_MAX;
	stream->left = size;
	return stream;
}

static void record_stream_free(struct record_stream *stream)
{
	if (!stream)
		return;
	inflate_free(stream->inflate);
	free(stream->tracing_data);
	free(stream);
}

/* Ends a damaged stream. Returns 0. */
static int stream_cut(struct record_stream *stream)
{
	stream->truncated = true;
	stream->left = 0;
	stream->inflating = false;
	return 0;
}

/* Returns a number at the beginning of the body; 0 if the body is shorter. */
static uint64_t body_number(const struct record_stream *stream,
			    const struct perfdata_record *record, size_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (record->length < width)
		return 0;
	if (width == sizeof(wide)) {
		memcpy(&wide, record->body, sizeof(wide));
		return byte_order_u64(wide, stream->swapped);
	}
	memcpy(&narrow, record->body, sizeof(narrow));
	return byte_order_u32(narrow, stream->swapped);
}

static void stream_consume(struct record_stream *stream)
{
	uint64_t skipped;

	if (stream->given > stream->left)
		stream->given = stream->left;
	skipped = input_skip(stream->input, stream->given);
	stream->left -= skipped;
	if (skipped < stream->given)
		stream_cut(stream);
	stream->given = 0;
	stream->window_size = 0;
}

static inline void read_header(const struct record_stream *stream, struct perf_event_header *header,
			       const void *bytes)
{
	memcpy(header, bytes, sizeof(*header));
	if (stream->swapped)
		byte_order_swap(header, sizeof(*header), "422");
}

/* Begins to unpack a record: the body of COMPRESSED, in COMPRESSED2 the size that it says. */
static void stream_inflate(struct record_stream *stream, const struct perfdata_record *record)
{
	const char *payload = record->body;
	uint64_t length = record->length;

	if (record->header.type == PERFDATA_RECORD_COMPRESSED2) {
		uint64_t size = body_number(stream, record, sizeof(size));

		payload += record->length < sizeof(size) ? record->length : sizeof(size);
		length = record->length < sizeof(size) ? 0 : record->length - sizeof(size);
		if (size < length)
			length = size;
	}
	if (!stream->inflate)
		stream->inflate = inflate_new(stream->swapped);
	inflate_feed(stream->inflate, payload, (size_t)length);
	stream->inflating = true;
}

/* Returns 1 with a record, 0 at the end of the payload. */
static int next_packed(struct record_stream *stream, struct perfdata_record *record)
{
	const char *bytes;
	int rc = inflate_next(stream->inflate, &bytes);

	if (rc < 0)
		return stream_cut(stream);
	if (!rc) {
		stream->inflating = false;
		return 0;
	}
	read_header(stream, &record->header, bytes);
	record->body = bytes + sizeof(record->header);
	record->length = record->header.size - sizeof(record->header);
	record->place = stream->place;
	return 1;
}

/* Reads `size` bytes behind a record. Memory grows with the bytes that come, not with `size`. */
static int read_behind(struct record_stream *stream, size_t size)
{
	size_t have = 0, capacity = 0;
	const void *bytes;

	free(stream->tracing_data);
	stream->tracing_data = NULL;
	array_reserve(&stream->tracing_data, &capacity, 1);
	while (have < size) {
		size_t got = input_peek(stream->input, &bytes, 1);

		if (!got)
			return -1;
		if (got > size - have)
			got = size - have;
		array_reserve(&stream->tracing_data, &capacity, have + got);
		memcpy(stream->tracing_data + have, bytes, got);
		have += got;
		stream->left -= input_skip(stream->input, got);
	}
	return 0;
}

/* Reads TRACING_DATA: u32 size. Some writers put the data into the record itself. */
static int next_tracing_data(struct record_stream *stream, struct perfdata_record *record)
{
	uint32_t size = (uint32_t)body_number(stream, record, sizeof(size));

	if (record->length > sizeof(size) && size <= record->length - sizeof(size)) {
		record->body += sizeof(size);
		record->length = size;
		return 1;
	}
	stream_consume(stream);
	if (size > TRACING_DATA_MAX || size > stream->left || read_behind(stream, size))
		return stream_cut(stream);
	record->body = stream->tracing_data;
	record->length = size;
	return 1;
}

static void pass_auxtrace(struct record_stream *stream, const struct perfdata_record *record)
{
	uint64_t size = body_number(stream, record, sizeof(size));

	stream_consume(stream);
	if (size > stream->left)
		stream_cut(stream);
	stream->given = size;
	stream_consume(stream);
}

/* Ends the stream, with `left` bytes of an incomplete record. Returns 0. */
static int stream_end(struct record_stream *stream, size_t left)
{
	if (left || (stream->left && !stream->endless) ||
	    (stream->inflate && inflate_has_rest(stream->inflate)))
		stream->truncated = true;
	stream->left = 0;
	return 0;
}

static size_t record_size(const struct perf_event_header *header)
{
	size_t upper = header->type >= PERFDATA_RECORD_SIMPLEPERF ? header->misc : 0;

	return upper << 16 | header->size;
}

/* Returns 1 with the record at the input as it is, 0 at the end. */
static int next_plain(struct record_stream *stream, struct perfdata_record *record)
{
	const void *bytes;
	size_t have, size;

	stream_consume(stream);
	if (!stream->left)
		return 0;
	have = input_peek(stream->input, &bytes, sizeof(record->header));
	if (have > stream->left)
		have = (size_t)stream->left;
	if (have < sizeof(record->header))
		return stream_end(stream, have);
	read_header(stream, &record->header, bytes);
	size = record_size(&record->header);
	if (size > INPUT_PEEK_MAX) /* no record that is needed */
		size = INPUT_PEEK_MAX;
	if (size > have)
		have = input_peek(stream->input, &bytes, size);
	if (size < sizeof(record->header) || size > have || size > stream->left)
		return stream_cut(stream);
	record->body = (const char *)bytes + sizeof(record->header);
	record->length = size - sizeof(record->header);
	stream->window = bytes;
	stream->window_size = have < stream->left ? have : (size_t)stream->left;
	stream->given = record_size(&record->header);
	record->place = stream->place = stream->window_place = stream->input->offset;
	return 1;
}

/* Returns whether the record, or data behind it, needs further processing. */
static inline bool is_special(uint32_t type)
{
	return type >= PERFDATA_RECORD_USER &&
	       (type == PERFDATA_RECORD_COMPRESSED || type == PERFDATA_RECORD_COMPRESSED2 ||
		type == PERFDATA_RECORD_TRACING_DATA || type == PERFDATA_RECORD_AUXTRACE ||
		type == PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA);
}

/* Returns the next record from the window, if it is whole and ordinary, as nearly all are. */
static inline bool next_in_window(struct record_stream *stream, struct perfdata_record *record)
{
	const uint64_t given = stream->given;
	const char *at;
	size_t size;

	if (given + sizeof(record->header) > stream->window_size || stream->inflating)
		return false;
	at = stream->window + given;
	read_header(stream, &record->header, at);
	size = record->header.type < PERFDATA_RECORD_USER ? record->header.size
							  : record_size(&record->header);
	if (size < sizeof(record->header) || given + size > stream->window_size ||
	    is_special(record->header.type))
		return false;
	record->body = at + sizeof(record->header);
	record->length = size - sizeof(record->header);
	record->place = stream->window_place + given;
	stream->given = given + size;
	return true;
}

static int stream_next(struct record_stream *stream, struct perfdata_record *record)
{
	for (;;) {
		if (stream->inflating && next_packed(stream, record) > 0)
			return 1;
		if (!next_plain(stream, record))
			return 0;
		switch (record->header.type) {
		case PERFDATA_RECORD_COMPRESSED:
		case PERFDATA_RECORD_COMPRESSED2:
			stream_inflate(stream, record);
			break;
		case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
			record->header.type = PERFDATA_RECORD_TRACING_DATA;
			return next_tracing_data(stream, record);
		case PERFDATA_RECORD_TRACING_DATA:
			return next_tracing_data(stream, record);
		case PERFDATA_RECORD_AUXTRACE:
			pass_auxtrace(stream, record);
			break;
		default:
			return 1;
		}
	}
}

/* Returns 1 with a record, 0 at the end, -1 with an error that lacks the name of the input. */
static int record_stream_next(struct record_stream *stream, struct perfdata_record *record,
			      struct err *err)
{
	if (next_in_window(stream, record) || stream_next(stream, record))
		return 1;
	/* A failed input looks as if it ended, possibly within a record. */
	return stream->input->problem ? err_set(err, "%s", stream->input->problem) : 0;
}

/* --- The files of a directory -------------------------------------------------------------- */

struct input *perfdata_reader_open(const char *path, enum input_owners owners, struct err *err)
{
	struct input *input = NULL;
	struct stat status;
	char *data;

	if (strcmp(path, "-") == 0 || stat(path, &status) || !S_ISDIR(status.st_mode))
		return input_open(path, owners, err);
	data = xasprintf("%s/data", path);
	if (access(data, F_OK) && errno == ENOENT)
		err_set(err,
			"%s: is a directory without a file 'data', as 'perf record --threads' "
			"makes one; name the file of a recording",
			path);
	else
		input = input_open(data, owners, err);
	free(data);
	return input;
}

/* A limit far above the CPUs of any machine. */
enum { NUMBER_MAX = 1 << 20 };

/* Returns the number of a file "data.12"; -1: another name. */
static int file_number(const char *name)
{
	uint64_t number;

	if (strncmp(name, "data.", 5) != 0 || parse_u64(&number, name + 5, NUMBER_MAX))
		return -1;
	return (int)number;
}

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static size_t list_files(int **numbers, const char *directory)
{
	DIR *entries = opendir(directory);
	size_t count = 0, capacity = 0;

	*numbers = NULL;
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		int number = file_number(entry->d_name);

		if (number < 0)
			continue;
		array_reserve(numbers, &capacity, count + 1);
		(*numbers)[count++] = number;
	}
	if (entries)
		closedir(entries);
	if (count)
		qsort(*numbers, count, sizeof(**numbers), compare_numbers);
	return count;
}

/*
 * Opens the files that are not empty. A CPU without records has an empty file, which is no input.
 */
static int open_files(struct input **inputs, size_t *count, const char *directory,
		      const int *numbers, size_t number_count, enum input_owners owners,
		      struct err *err)
{
	for (size_t i = 0; i < number_count; i++) {
		char *path = xasprintf("%sdata.%d", directory, numbers[i]);
		struct stat status;
		int rc = 0;

		if (stat(path, &status) || status.st_size) {
			inputs[*count] = input_open(path, owners, err);
			rc = inputs[*count] ? 0 : -1;
			*count += inputs[*count] ? 1 : 0;
		}
		free(path);
		if (rc)
			return -1;
	}
	return 0;
}

/* Returns the directory of DIRECTORY/data; NULL: another name. The caller frees it. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strcmp(name, "data") != 0)
		return NULL;
	return slash ? xasprintf("%.*s", (int)(slash - path + 1), path) : xstrdup("./");
}

/*
 * Opens the files beside `data`: *inputs, in the order of their numbers. The caller closes each of
 * them and frees the array. Returns 0, or -1 with an error that lacks the name of `data`.
 */
static int open_rest(struct input ***inputs, size_t *count, const struct input *data,
		     struct err *err)
{
	char *directory = directory_of(data->name);
	int *numbers = NULL, rc;
	size_t number_count = directory ? list_files(&numbers, directory) : 0;

	*inputs = xcalloc(number_count, sizeof(**inputs));
	*count = 0;
	if (number_count)
		rc = open_files(*inputs, count, directory, numbers, number_count, data->owners,
				err);
	else
		rc = err_set(err, "is the first file of a directory that 'perf record --threads' "
				  "has written, and the other files (data.0 and so on) are not "
				  "beside it: name the directory");
	for (size_t i = 0; rc && i < *count; i++)
		input_close((*inputs)[i]);
	if (rc)
		free(*inputs);
	free(numbers);
	free(directory);
	return rc;
}

/* --- All records --------------------------------------------------------------------------- */

/* The number of records in a round: enough to cost nothing, few enough to wait for. */
enum { ROUND = 1024 };

struct reader_file {
	struct input *input; /* NULL: not owned */
	struct record_stream *records;
	struct perfdata_swap *swap;    /* NULL: not in the other byte order */
	struct perfdata_record record; /* the next record */
	uint64_t time_ns;	       /* time of that record, or of the last one with a time */
	bool met;		       /* `record` is set */
	bool ended;
};

struct perfdata_reader {
	const struct perfdata_file *file;
	struct record_owners owners; /* for the times of records */
	struct reader_file *all;
	size_t count;
	struct record_stream *alone; /* the only file, if it needs no conversion; or NULL */
	struct reader_file *turn;    /* the file of the last record; NULL: to be chosen */
	uint64_t turn_until_ns;	     /* no record of another file is older */
	unsigned round_left;	     /* records left in the round */
};

static void reader_add(struct perfdata_reader *reader, struct input *owned, struct input *input,
		       uint64_t size)
{
	bool swapped = reader->file->swapped;

	reader->all[reader->count++] = (struct reader_file){
		.input = owned,
		.records = record_stream_new(input, size, swapped),
		.swap = swapped ? perfdata_swap_new() : NULL,
	};
}

static int reader_add_rest(struct perfdata_reader *reader, const struct input *data,
			   struct err *err)
{
	struct input **inputs;
	size_t count;

	if (open_rest(&inputs, &count, data, err))
		return -1;
	reader->all = xreallocarray(reader->all, 1 + count, sizeof(*reader->all));
	for (size_t i = 0; i < count; i++)
		reader_add(reader, inputs[i], inputs[i], UINT64_MAX);
	free(inputs);
	return 0;
}

struct perfdata_reader *perfdata_reader_new(const struct perfdata_file *file, struct input *input,
					    struct err *err)
{
	struct perfdata_reader *reader = xcalloc(1, sizeof(*reader));

	input_skip(input, file->data.offset);
	reader->file = file;
	reader->round_left = ROUND;
	reader->all = xcalloc(1, sizeof(*reader->all));
	reader_add(reader, NULL, input, file->data.size);
	if (file->directory && reader_add_rest(reader, input, err)) {
		perfdata_reader_free(reader);
		return NULL;
	}
	if (reader->count == 1 && !file->swapped)
		reader->alone = reader->all[0].records;
	return reader;
}

void perfdata_reader_free(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->count; i++) {
		record_stream_free(reader->all[i].records);
		perfdata_swap_free(reader->all[i].swap);
		input_close(reader->all[i].input);
	}
	record_owners_release(&reader->owners);
	free(reader->all);
	free(reader);
}

bool perfdata_reader_truncated(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->all[i].records->truncated)
			return true;
	return false;
}

static inline int reader_read(const struct perfdata_reader *reader, struct reader_file *file,
			      struct perfdata_record *record, struct err *err)
{
	int rc = record_stream_next(file->records, record, err);

	if (rc > 0 && file->swap)
		perfdata_swap_record(file->swap, reader->file, record);
	return rc;
}

/* Returns the time of a record; 0: it has none. */
static uint64_t reader_time(struct perfdata_reader *reader, const struct perfdata_record *record)
{
	bool is_sample = record->header.type == PERF_RECORD_SAMPLE;
	const struct sample_layout *layout;
	struct sample sample = {0};

	if (record->header.type >= PERFDATA_RECORD_USER || !reader->file->attr_count)
		return 0;
	record_owners_update(&reader->owners, reader->file);
	layout = record_owners_find(&reader->owners, reader->file, is_sample, record->body,
				    record->length);
	if (!layout)
		return 0;
	if (is_sample)
		sample_parse(&sample, layout, record->body, record->length);
	else
		sample_parse_trailer(&sample, layout, record->body, record->length);
	return sample.time_ns;
}

/* Reads the next record of a file, and its time. Returns 1, 0 at the end, or -1 with an error. */
static int reader_meet(struct perfdata_reader *reader, struct reader_file *file, struct err *err)
{
	int rc = reader_read(reader, file, &file->record, err);
	uint64_t time_ns = rc > 0 ? reader_time(reader, &file->record) : 0;

	if (time_ns > file->time_ns)
		file->time_ns = time_ns;
	file->met = rc > 0;
	file->ended = rc == 0;
	return rc;
}

/* Finds the file with the oldest record, and the time of the oldest of the others. */
static int reader_choose(struct perfdata_reader *reader, struct err *err)
{
	reader->turn = NULL;
	reader->turn_until_ns = UINT64_MAX;
	for (size_t i = 0; i < reader->count; i++) {
		struct reader_file *file = &reader->all[i];

		if (!file->met && !file->ended && reader_meet(reader, file, err) < 0)
			return -1;
		if (file->ended)
			continue;
		if (!reader->turn || file->time_ns < reader->turn->time_ns) {
			if (reader->turn)
				reader->turn_until_ns = reader->turn->time_ns;
			reader->turn = file;
		} else if (file->time_ns < reader->turn_until_ns) {
			reader->turn_until_ns = file->time_ns;
		}
	}
	return reader->turn ? 1 : 0;
}

/* Returns 1 with the oldest record of all files, 0 at the end, or -1 with an error. */
static int reader_merge(struct perfdata_reader *reader, struct perfdata_record *record,
			struct err *err)
{
	int rc = 1;

	if (reader->turn && reader_meet(reader, reader->turn, err) < 0)
		return -1;
	if (!reader->turn || reader->turn->ended || reader->turn->time_ns > reader->turn_until_ns)
		rc = reader_choose(reader, err);
	if (rc > 0)
		*record = reader->turn->record;
	return rc;
}

/* The general case of perfdata_reader_next, beside records in the window of a single file. */
static __attribute__((noinline)) int next_any(struct perfdata_reader *reader,
					      struct perfdata_record *record, struct err *err)
{
	int rc;

	if (reader->count == 1)
		return reader_read(reader, &reader->all[0], record, err);
	if (!reader->round_left--) {
		reader->round_left = ROUND;
		*record =
			(struct perfdata_record){.header = {.type = PERFDATA_RECORD_FINISHED_ROUND,
							    .size = sizeof(record->header)}};
		return 1;
	}
	do
		rc = reader_merge(reader, record, err);
	while (rc > 0 && record->header.type == PERFDATA_RECORD_FINISHED_ROUND); /* of one file */
	return rc;
}

int perfdata_reader_next(struct perfdata_reader *reader, struct perfdata_record *record,
			 struct err *err)
{
	if (reader->alone && next_in_window(reader->alone, record))
		return 1;
	return next_any(reader, record, err);
}
