/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/sample.h"

#include "perfdata/byte_cursor.h"

/* Fields of one word, in the order in which they come. */
static const uint64_t head_fields[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};
static const uint64_t trailer_fields[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
};

static struct sample_places find_places(uint64_t type, const uint64_t *fields, size_t count)
{
	struct sample_places places = {-1, -1, -1, -1, 0};

	for (size_t i = 0; i < count; i++) {
		int16_t at = (int16_t)places.size;

		if (!(type & fields[i]))
			continue;
		if (fields[i] == PERF_SAMPLE_IDENTIFIER || fields[i] == PERF_SAMPLE_ID)
			places.id = at; /* the same number in both */
		else if (fields[i] == PERF_SAMPLE_TID)
			places.tid = at;
		else if (fields[i] == PERF_SAMPLE_TIME)
			places.time = at;
		else if (fields[i] == PERF_SAMPLE_CPU)
			places.cpu = at;
		places.size = (uint16_t)(places.size + 8);
	}
	if (fields == head_fields && type & PERF_SAMPLE_IDENTIFIER)
		places.id = 0;
	return places;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool sample_attr_tells(const struct perf_event_attr *attr)
{
	const uint64_t needed = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;

	return attr->type == PERF_TYPE_TRACEPOINT && (attr->sample_type & needed) == needed;
}

void sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	*layout = (struct sample_layout){
		.head = find_places(type, head_fields, COUNT(head_fields)),
		.trailer = find_places(attr->sample_id_all ? type : 0, trailer_fields,
				       COUNT(trailer_fields)),
		.has_raw = type & PERF_SAMPLE_RAW,
		.has_more = type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN),
		.is_tracepoint = sample_attr_tells(attr),
		.attr = *attr,
	};
	layout->is_usual = layout->is_tracepoint && layout->has_raw && !layout->has_more &&
			   layout->head.tid >= 0 && layout->head.time >= 0 &&
			   layout->head.cpu >= 0 && layout->head.id >= 0;
}

bool sample_layout_is_same(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->attr.sample_type == b->attr.sample_type &&
	       a->attr.read_format == b->attr.read_format &&
	       a->attr.sample_id_all == b->attr.sample_id_all &&
	       a->is_tracepoint == b->is_tracepoint;
}

static uint64_t load(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static int32_t load_half(const char *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* There are places->size bytes. */
static void load_all(struct sample *sample, const struct sample_places *places, const char *at)
{
	sample->time_ns = places->time >= 0 ? load(at + places->time) : 0;
	sample->id = places->id >= 0 ? load(at + places->id) : 0;
	sample->pid = places->tid >= 0 ? load_half(at + places->tid) : -1;
	sample->tid = places->tid >= 0 ? load_half(at + places->tid + 4) : -1;
	sample->cpu = places->cpu >= 0 ? load_half(at + places->cpu) : -1;
	sample->raw = NULL;
	sample->raw_length = 0;
	sample->chain = NULL;
	sample->chain_length = 0;
}

/* --- What may be of any length ------------------------------------------------------------- */

static void skip_read(struct byte_cursor *cursor, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t each = PERF_FORMAT_ID | SAMPLE_FORMAT_LOST;
	uint64_t count = format & PERF_FORMAT_GROUP ? byte_cursor_u64(cursor) : 1;

	byte_cursor_skip(cursor, (uint64_t)__builtin_popcountll(format & times), 8);
	byte_cursor_skip(cursor, count, 8 * (1 + (size_t)__builtin_popcountll(format & each)));
}

/* u64 count; so many addresses, among them marks of whose they are */
static void take_chain(struct byte_cursor *cursor, struct sample *sample)
{
	uint64_t count = byte_cursor_u64(cursor);

	sample->chain = cursor->at;
	byte_cursor_skip(cursor, count, sizeof(uint64_t));
	sample->chain_length = cursor->short_of ? 0 : (size_t)count;
}

/* u32 length; so many bytes */
static void take_raw(struct byte_cursor *cursor, struct sample *sample)
{
	uint32_t length = byte_cursor_u32(cursor);

	sample->raw = byte_cursor_take(cursor, length);
	sample->raw_length = sample->raw ? length : 0;
}

int sample_parse_any(struct sample *sample, const struct sample_layout *layout, const void *body,
		     size_t length)
{
	struct byte_cursor cursor = {.at = body, .left = length};

	if (length < layout->head.size)
		return -1;
	load_all(sample, &layout->head, body);
	byte_cursor_take(&cursor, layout->head.size);
	if (layout->has_more) {
		if (layout->attr.sample_type & PERF_SAMPLE_READ)
			skip_read(&cursor, layout->attr.read_format);
		if (layout->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			take_chain(&cursor, sample);
	}
	if (layout->has_raw)
		take_raw(&cursor, sample);
	return cursor.short_of ? -1 : 0;
}

int sample_parse_trailer(struct sample *sample, const struct sample_layout *layout,
			 const void *body, size_t length)
{
	if (length < layout->trailer.size)
		return -1;
	load_all(sample, &layout->trailer, (const char *)body + length - layout->trailer.size);
	return 0;
}
