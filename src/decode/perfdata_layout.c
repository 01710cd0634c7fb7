/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_layout.h"

#include "decode/perfdata_file.h"
#include "decode/perfdata_records.h"

#include <linux/perf_event.h>
#include <string.h>

/*
 * A word each, in this order, of which a record has those that its event's sample_type names
 * (linux/perf_event.h).
 */
static const uint64_t in_samples[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};
static const uint64_t in_trailers[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
};
enum {
	IN_SAMPLES = sizeof(in_samples) / sizeof(in_samples[0]),
	IN_TRAILERS = sizeof(in_trailers) / sizeof(in_trailers[0]),
	WORD = sizeof(uint64_t),
};

/* Words before `field` among those of `type`; all of them when there is no such field. */
static size_t words_before(const uint64_t *fields, size_t count, uint64_t type, uint64_t field)
{
	size_t words = 0;

	for (size_t i = 0; i < count && fields[i] != field; i++)
		words += (type & fields[i]) != 0;
	return words;
}

int perfdata_layout_begin(const struct perf_event_attr *attr, const struct perfdata_record *record)
{
	size_t length = WORD * words_before(in_trailers, IN_TRAILERS, attr->sample_type, 0);

	return attr->sample_id_all && length <= record->length ? (int)(record->length - length)
							       : -1;
}

int perfdata_layout_offset(const struct perf_event_attr *attr, const struct perfdata_record *record,
			   uint64_t field)
{
	bool sample = record->header.type == PERF_RECORD_SAMPLE;
	const uint64_t *fields = sample ? in_samples : in_trailers;
	size_t count = sample ? IN_SAMPLES : IN_TRAILERS, offset;
	int begin = sample ? 0 : perfdata_layout_begin(attr, record);

	offset = (size_t)begin + WORD * words_before(fields, count, attr->sample_type, field);
	if (begin < 0 || !(attr->sample_type & field) || offset + WORD > record->length)
		return -1;
	return (int)offset;
}

static uint64_t word_at(const struct perfdata_record *record, int offset)
{
	uint64_t word = 0;

	if (offset >= 0)
		memcpy(&word, record->body + offset, sizeof(word));
	return word;
}

/* Where ids lie must be the same in all, or nobody could tell them apart. */
const struct perf_event_attr *perfdata_layout_attr(const struct perfdata_file *file,
						   const struct perfdata_record *record)
{
	const struct perf_event_attr *first = file->attrs;
	const struct perf_event_attr *found = NULL;
	int offset;

	if (!file->attr_count || file->alike)
		return file->attr_count ? first : NULL;
	offset = perfdata_layout_offset(first, record, PERF_SAMPLE_IDENTIFIER);
	if (offset < 0)
		offset = perfdata_layout_offset(first, record, PERF_SAMPLE_ID);
	if (offset >= 0)
		found = perfdata_file_attr(file, word_at(record, offset));
	if (record->header.type == PERF_RECORD_SAMPLE)
		return found;
	return found ? found : first;
}

uint64_t perfdata_layout_time(const struct perfdata_file *file,
			      const struct perfdata_record *record)
{
	const struct perf_event_attr *attr = NULL;

	if (record->header.type < PERFDATA_RECORD_USER)
		attr = perfdata_layout_attr(file, record);
	return attr ? word_at(record, perfdata_layout_offset(attr, record, PERF_SAMPLE_TIME)) : 0;
}
