/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/sample.h"

#include "base/alloc.h"
#include "base/err.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"

#include <stdlib.h>

/* The fields of one word, in the order of the format. */
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

enum sample_tells sample_attr_tells(const struct perf_event_attr *attr)
{
	const uint64_t needed = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;

	if (attr->type != PERF_TYPE_TRACEPOINT || (attr->sample_type & needed) != needed)
		return SAMPLE_TELLS_NOTHING;
	return attr->freq || attr->sample_period > 1 ? SAMPLE_TELLS_SOME : SAMPLE_TELLS_ALL;
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
		.tells = sample_attr_tells(attr),
		.attr = *attr,
	};
	layout->is_usual = layout->tells == SAMPLE_TELLS_ALL && layout->has_raw &&
			   !layout->has_more && !attr->write_backward && layout->head.tid >= 0 &&
			   layout->head.time >= 0 && layout->head.cpu >= 0 && layout->head.id >= 0;
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

/* Loads the fields from places->size bytes. */
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

/* --- Fields of variable length -------------------------------------------------------------- */

static void skip_read(struct byte_cursor *cursor, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t each = PERF_FORMAT_ID | SAMPLE_FORMAT_LOST;
	uint64_t count = format & PERF_FORMAT_GROUP ? byte_cursor_u64(cursor) : 1;

	byte_cursor_skip(cursor, (uint64_t)__builtin_popcountll(format & times), 8);
	byte_cursor_skip(cursor, count, 8 * (1 + (size_t)__builtin_popcountll(format & each)));
}

/* Reads a call chain: u64 count; that many addresses, with marks of kernel and user. */
static void take_chain(struct byte_cursor *cursor, struct sample *sample)
{
	uint64_t count = byte_cursor_u64(cursor);

	sample->chain = cursor->at;
	byte_cursor_skip(cursor, count, sizeof(uint64_t));
	sample->chain_length = cursor->short_of ? 0 : (size_t)count;
}

/* Reads a payload: u32 length; that many bytes. */
static void take_raw(struct byte_cursor *cursor, struct sample *sample)
{
	uint32_t length = byte_cursor_u32(cursor);

	sample->raw = byte_cursor_take(cursor, length);
	sample->raw_length = sample->raw ? length : 0;
}

int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *body,
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

size_t sample_user_chain(uint64_t *frames, size_t max, const struct sample *sample)
{
	bool user = false;
	size_t found = 0;

	for (size_t i = 0; i < sample->chain_length && found < max; i++) {
		uint64_t ip = load((const char *)sample->chain + i * sizeof(ip));

		if (user && (ip < (uint64_t)PERF_CONTEXT_MAX || ip == (uint64_t)PERF_CONTEXT_USER))
			frames[found++] = ip;
		else if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			user = ip == (uint64_t)PERF_CONTEXT_USER;
	}
	return found;
}

/* --- The event of a record ------------------------------------------------------------------- */

void record_owners_release(struct record_owners *owners)
{
	free(owners->layouts);
	owners->layouts = NULL;
}

/* Returns the place of the id from the end of the record: below 0, or 0 for none. */
static int trailer_place(const struct sample_layout *layout)
{
	return layout->trailer.id < 0 ? 0 : layout->trailer.id - layout->trailer.size;
}

static void owner_places_add(struct owner_places *places, int at)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->at[i] == at)
			return;
	if (places->count < OWNER_PLACES_MAX) /* no file needs more */
		places->at[places->count++] = at;
}

/* Returns whether samples of both events have the same fields and meaning. */
static bool has_same_samples(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->attr.sample_type == b->attr.sample_type &&
	       a->attr.read_format == b->attr.read_format &&
	       a->attr.sample_id_all == b->attr.sample_id_all && a->tells == b->tells;
}

static bool has_same_trailer(const struct sample_layout *a, const struct sample_layout *b)
{
	return memcmp(&a->trailer, &b->trailer, sizeof(a->trailer)) == 0;
}

/* Learns new events. Events are only ever added, so that known layouts stay, but may move. */
void record_owners_learn(struct record_owners *owners, const struct perfdata_file *file)
{
	array_reserve(&owners->layouts, &owners->capacity, file->attr_count);
	memset(owners->cache, 0, sizeof(owners->cache));
	owners->id_count = file->id_count;
	if (!owners->count)
		owners->sample.alike = owners->trailer.alike = true;
	for (; owners->count < file->attr_count; owners->count++) {
		struct sample_layout *layout = &owners->layouts[owners->count];

		sample_layout_init(layout, &file->attrs[owners->count]);
		if (layout->head.id >= 0)
			owner_places_add(&owners->sample, layout->head.id);
		if (layout->trailer.id >= 0)
			owner_places_add(&owners->trailer, trailer_place(layout));
		owners->sample.alike &= has_same_samples(layout, owners->layouts);
		owners->trailer.alike &= has_same_trailer(layout, owners->layouts);
	}
}

int record_owners_check(const struct perfdata_file *file, struct err *err)
{
	struct record_owners owners = {0};
	bool can;

	record_owners_learn(&owners, file);
	can = owners.sample.alike || owners.sample.count;
	record_owners_release(&owners);
	return can ? 0
		   : err_set(err, "holds events with different fields and without the ids that "
				  "would tell them apart; record them with 'pscal record' or "
				  "'perf sched record'");
}

static const struct sample_layout *owner_of_id(struct record_owners *owners,
					       const struct perfdata_file *file, uint64_t id)
{
	size_t place = id % OWNER_CACHE_SIZE;
	const struct perf_event_attr *attr;

	if (owners->cache[place].layout && owners->cache[place].id == id)
		return owners->cache[place].layout;
	attr = perfdata_file_attr(file, id);
	if (!attr)
		return NULL;
	owners->cache[place].id = id;
	owners->cache[place].layout = &owners->layouts[attr - file->attrs];
	owners->cache[place].in_sample = owners->cache[place].layout->head.id >= 0;
	return owners->cache[place].layout;
}

/* Returns the event of the ids at these places; NULL: none, or several. `*id`: the first one. */
static const struct sample_layout *owner_by_places(struct record_owners *owners,
						   const struct perfdata_file *file, bool is_sample,
						   const char *body, size_t length, uint64_t *id)
{
	const struct owner_places *places = is_sample ? &owners->sample : &owners->trailer;
	const struct sample_layout *found = NULL;

	*id = 0;
	for (size_t i = 0; i < places->count; i++) {
		size_t at = (size_t)places->at[i] + (is_sample ? 0 : length);
		const struct sample_layout *layout;
		uint64_t tried;

		if (at > length || length - at < sizeof(tried))
			continue;
		memcpy(&tried, body + at, sizeof(tried));
		*id = *id ? *id : tried;
		layout = owner_of_id(owners, file, tried);
		if (!layout ||
		    places->at[i] != (is_sample ? layout->head.id : trailer_place(layout)))
			continue;
		if (found && found != layout)
			return NULL;
		found = layout;
	}
	return found;
}

const struct sample_layout *record_owners_search(struct record_owners *owners,
						 const struct perfdata_file *file, bool is_sample,
						 const char *body, size_t length)
{
	bool alike = is_sample ? owners->sample.alike : owners->trailer.alike;
	const struct sample_layout *found;
	uint64_t id;

	if (owners->count == 1)
		return &owners->layouts[0];
	found = owner_by_places(owners, file, is_sample, body, length, &id);
	if (found)
		return found;
	if (!id && !is_sample) /* a record that perf made up: its whole trailer is zero */
		return &owners->layouts[0];
	return alike && (!id || !file->id_count) ? &owners->layouts[0] : NULL;
}
