/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_streams.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "perfdata/perfdata_directory.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_records.h"
#include "perfdata/perfdata_swap.h"
#include "perfdata/record_owner.h"

#include <stdlib.h>

/* So many records are a round: enough for it to cost nothing, few enough to wait. */
enum { ROUND = 1024 };

struct stream {
	struct input *input; /* NULL: it is not ours */
	struct perfdata_records *records;
	struct perfdata_swap *swap;    /* NULL: it is of this machine's byte order */
	struct perfdata_record record; /* the next one */
	uint64_t time_ns;	       /* of that, or of the last one that had a time */
	bool met;		       /* there is such a record */
	bool ended;
};

struct perfdata_streams {
	const struct perfdata_file *file;
	struct record_owners owners; /* for the times of records */
	struct stream *all;
	size_t count;
	struct stream *turn;	/* whose record has been given out; NULL: to be found out */
	uint64_t turn_until_ns; /* none of the others is older */
	unsigned round_left;	/* records */
};

static void add_stream(struct perfdata_streams *streams, struct input *owned, struct input *input,
		       uint64_t size)
{
	bool swapped = streams->file->swapped;

	streams->all[streams->count++] = (struct stream){
		.input = owned,
		.records = perfdata_records_new(input, size, swapped),
		.swap = swapped ? perfdata_swap_new() : NULL,
	};
}

static int open_directory(struct perfdata_streams *streams, const struct input *data,
			  struct err *err)
{
	struct input **inputs;
	size_t count;

	if (perfdata_directory_rest(&inputs, &count, data, err))
		return -1;
	streams->all = xreallocarray(streams->all, 1 + count, sizeof(*streams->all));
	for (size_t i = 0; i < count; i++)
		add_stream(streams, inputs[i], inputs[i], UINT64_MAX);
	free(inputs);
	return 0;
}

struct perfdata_streams *perfdata_streams_new(const struct perfdata_file *file, struct input *input,
					      struct err *err)
{
	struct perfdata_streams *streams = xcalloc(1, sizeof(*streams));

	input_skip(input, file->data.offset);
	streams->file = file;
	streams->round_left = ROUND;
	streams->all = xcalloc(1, sizeof(*streams->all));
	add_stream(streams, NULL, input, file->data.size);
	if (file->directory && open_directory(streams, input, err)) {
		perfdata_streams_free(streams);
		return NULL;
	}
	return streams;
}

void perfdata_streams_free(struct perfdata_streams *streams)
{
	if (!streams)
		return;
	for (size_t i = 0; i < streams->count; i++) {
		perfdata_records_free(streams->all[i].records);
		perfdata_swap_free(streams->all[i].swap);
		input_close(streams->all[i].input);
	}
	record_owners_release(&streams->owners);
	free(streams->all);
	free(streams);
}

bool perfdata_streams_truncated(const struct perfdata_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++)
		if (perfdata_records_truncated(streams->all[i].records))
			return true;
	return false;
}

static inline int read_one(const struct perfdata_streams *streams, struct stream *stream,
			   struct perfdata_record *record, struct err *err)
{
	int rc = perfdata_records_next(stream->records, record, err);

	if (rc > 0 && stream->swap)
		perfdata_swap_record(stream->swap, streams->file, record);
	return rc;
}

/* When it was; 0 when it does not say. */
static uint64_t time_of(struct perfdata_streams *streams, const struct perfdata_record *record)
{
	bool is_sample = record->header.type == PERF_RECORD_SAMPLE;
	const struct sample_layout *layout;
	struct sample sample = {0};

	if (record->header.type >= PERFDATA_RECORD_USER || !streams->file->attr_count)
		return 0;
	record_owners_update(&streams->owners, streams->file);
	layout = record_owners_find(&streams->owners, streams->file, is_sample, record->body,
				    record->length);
	if (!layout)
		return 0;
	if (is_sample)
		sample_parse(&sample, layout, record->body, record->length);
	else
		sample_parse_trailer(&sample, layout, record->body, record->length);
	return sample.time_ns;
}

/* The next record of a stream, and when it was. */
static int meet(struct perfdata_streams *streams, struct stream *stream, struct err *err)
{
	int rc = read_one(streams, stream, &stream->record, err);
	uint64_t time_ns = rc > 0 ? time_of(streams, &stream->record) : 0;

	if (time_ns > stream->time_ns)
		stream->time_ns = time_ns;
	stream->met = rc > 0;
	stream->ended = rc == 0;
	return rc;
}

/* Finds the stream with the oldest record, and how old those of the others are. */
static int choose(struct perfdata_streams *streams, struct err *err)
{
	streams->turn = NULL;
	streams->turn_until_ns = UINT64_MAX;
	for (size_t i = 0; i < streams->count; i++) {
		struct stream *stream = &streams->all[i];

		if (!stream->met && !stream->ended && meet(streams, stream, err) < 0)
			return -1;
		if (stream->ended)
			continue;
		if (!streams->turn || stream->time_ns < streams->turn->time_ns) {
			if (streams->turn)
				streams->turn_until_ns = streams->turn->time_ns;
			streams->turn = stream;
		} else if (stream->time_ns < streams->turn_until_ns) {
			streams->turn_until_ns = stream->time_ns;
		}
	}
	return streams->turn ? 1 : 0;
}

/* The oldest record of all. */
static int merge(struct perfdata_streams *streams, struct perfdata_record *record, struct err *err)
{
	int rc = 1;

	if (streams->turn && meet(streams, streams->turn, err) < 0)
		return -1;
	if (!streams->turn || streams->turn->ended ||
	    streams->turn->time_ns > streams->turn_until_ns)
		rc = choose(streams, err);
	if (rc > 0)
		*record = streams->turn->record;
	return rc;
}

int perfdata_streams_next(struct perfdata_streams *streams, struct perfdata_record *record,
			  struct err *err)
{
	int rc;

	if (streams->count == 1)
		return read_one(streams, &streams->all[0], record, err);
	if (!streams->round_left--) {
		streams->round_left = ROUND;
		*record =
			(struct perfdata_record){.header = {.type = PERFDATA_RECORD_FINISHED_ROUND,
							    .size = sizeof(record->header)}};
		return 1;
	}
	do
		rc = merge(streams, record, err);
	while (rc > 0 && record->header.type == PERFDATA_RECORD_FINISHED_ROUND); /* of one file */
	return rc;
}
