/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/sample.h"

#include <stdbool.h>
#include <string.h>

/* What is left of a record. */
struct cursor {
	const char *at;
	size_t left;
	bool short_of; /* something was not there */
};

static uint64_t take(struct cursor *cursor)
{
	uint64_t value = 0;

	if (cursor->left < sizeof(value)) {
		cursor->short_of = true;
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	cursor->left -= sizeof(value);
	return value;
}

static void skip(struct cursor *cursor, uint64_t count, size_t size)
{
	if (count > cursor->left / size) {
		cursor->short_of = true;
		return;
	}
	cursor->at += count * size;
	cursor->left -= (size_t)count * size;
}

/* Two 32-bit numbers in one field: pid and tid, cpu and padding. */
static void take_pair(struct cursor *cursor, int32_t *first, int32_t *second)
{
	uint64_t field = take(cursor);
	int32_t pair[2];

	memcpy(pair, &field, sizeof(pair));
	*first = pair[0];
	*second = pair[1];
}

static void skip_read(struct cursor *cursor, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t each = PERF_FORMAT_ID | 1U << 4; /* PERF_FORMAT_LOST, Linux 6.0 */
	uint64_t count = format & PERF_FORMAT_GROUP ? take(cursor) : 1;

	skip(cursor, (uint64_t)__builtin_popcountll(format & times), 8);
	skip(cursor, count, 8 * (1 + (size_t)__builtin_popcountll(format & each)));
}

static void take_raw(struct cursor *cursor, struct sample *sample)
{
	uint32_t length;

	if (cursor->left < sizeof(length)) {
		cursor->short_of = true;
		return;
	}
	memcpy(&length, cursor->at, sizeof(length));
	cursor->at += sizeof(length);
	cursor->left -= sizeof(length);
	if (length > cursor->left) {
		cursor->short_of = true;
		return;
	}
	sample->raw = cursor->at;
	sample->raw_length = length;
}

static const struct sample empty = {.pid = -1, .tid = -1, .cpu = -1};

int sample_parse(struct sample *sample, const struct perf_event_attr *attr, const void *body,
		 size_t length)
{
	struct cursor cursor = {body, length, false};
	uint64_t type = attr->sample_type;
	int32_t padding;

	*sample = empty;
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take(&cursor);
	if (type & PERF_SAMPLE_IP)
		take(&cursor);
	if (type & PERF_SAMPLE_TID)
		take_pair(&cursor, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time_ns = take(&cursor);
	if (type & PERF_SAMPLE_ADDR)
		take(&cursor);
	if (type & PERF_SAMPLE_ID)
		sample->id = take(&cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		take(&cursor);
	if (type & PERF_SAMPLE_CPU)
		take_pair(&cursor, &sample->cpu, &padding);
	if (type & PERF_SAMPLE_PERIOD)
		take(&cursor);
	if (type & PERF_SAMPLE_READ)
		skip_read(&cursor, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		skip(&cursor, take(&cursor), 8);
	if (type & PERF_SAMPLE_RAW)
		take_raw(&cursor, sample);
	return cursor.short_of ? -1 : 0;
}

int sample_parse_trailer(struct sample *sample, const struct perf_event_attr *attr,
			 const void *body, size_t length)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	uint64_t type = attr->sample_type & fields;
	size_t size = 8 * (size_t)__builtin_popcountll(type);
	struct cursor cursor = {0};
	int32_t padding;

	*sample = empty;
	if (!attr->sample_id_all)
		return 0;
	if (length < size)
		return -1;
	cursor.at = (const char *)body + length - size;
	cursor.left = size;
	if (type & PERF_SAMPLE_TID)
		take_pair(&cursor, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time_ns = take(&cursor);
	if (type & PERF_SAMPLE_ID)
		sample->id = take(&cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		take(&cursor);
	if (type & PERF_SAMPLE_CPU)
		take_pair(&cursor, &sample->cpu, &padding);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take(&cursor);
	return 0;
}

int sample_id_offset(uint64_t sample_type)
{
	const uint64_t before =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (sample_type & PERF_SAMPLE_ID)
		return 8 * __builtin_popcountll(sample_type & before);
	return -1;
}
