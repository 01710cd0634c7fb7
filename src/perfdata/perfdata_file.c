/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_swap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The limits of a file: far above what perf writes, far below what would do harm. */
enum { ATTR_MAX = 4096, ATTR_COUNT_MAX = 65536, ID_COUNT_MAX = 1 << 22, FEATURE_MAX = 1 << 26 };

struct perfdata_id {
	uint64_t id;
	size_t event; /* number of the event from 1 on; 0: unused */
};

static size_t id_hash(uint64_t id, size_t mask)
{
	return (size_t)((id * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
}

/* --- Header -------------------------------------------------------------------------------- */

/* Reads the first two words, which show the version, the byte order and the mode. */
static int read_begin(struct perfdata_file *file, struct input *input, struct err *err)
{
	uint64_t begin[2]; /* magic, size of the header */
	const void *bytes;

	if (input_peek(input, &bytes, sizeof(begin)) < sizeof(begin))
		return err_set(err, "is a perf.data file cut off within its header");
	memcpy(begin, bytes, sizeof(begin));
	if (begin[0] == PERFDATA_MAGIC_1 || begin[0] == PERFDATA_MAGIC_1_BIG)
		file->swapped = begin[1] > UINT32_MAX; /* a small number in the other byte order */
	else
		file->swapped = begin[0] != PERFDATA_MAGIC;
	file->stream = byte_order_u64(begin[1], file->swapped) == PERFDATA_PIPE_HEADER_SIZE;
	file->data = (struct perfdata_section){PERFDATA_PIPE_HEADER_SIZE, UINT64_MAX};
	return 0;
}

static bool has_feature(const uint64_t *features, int feature)
{
	return features[feature / 64] >> (feature % 64) & 1;
}

/* Swaps `features`, an array of long: of 64 bits, or of 32 bits on old machines. */
static void swap_features(uint64_t features[4])
{
	uint64_t by_four[4];

	memcpy(by_four, features, sizeof(by_four));
	byte_order_swap(by_four, sizeof(by_four), "44444444");
	byte_order_swap(features, sizeof(by_four), "*");
	if (!has_feature(features, PERFDATA_HOSTNAME) && has_feature(by_four, PERFDATA_HOSTNAME))
		memcpy(features, by_four, sizeof(by_four));
}

/* Reads the header before anything else: a damaged input need not be unpacked to its end. */
static int read_header(struct perfdata_header *header, const struct perfdata_file *file,
		       struct input *input, struct err *err)
{
	const char *cut_off = "is a perf.data file cut off within its header";
	const void *bytes;
	size_t length = input_peek(input, &bytes, PERFDATA_HEADER_SIZE);

	*header = (struct perfdata_header){0};
	if (length < PERFDATA_HEADER_SIZE_MIN)
		return err_set_sentence(err, cut_off);
	memcpy(header, bytes, PERFDATA_HEADER_SIZE_MIN);
	if (file->swapped)
		byte_order_swap(header, PERFDATA_HEADER_SIZE_MIN, "*");
	if (header->size < PERFDATA_HEADER_SIZE_MIN)
		return err_set(err, "has a header of an impossible size");
	if (header->size >= PERFDATA_HEADER_SIZE) {
		if (length < PERFDATA_HEADER_SIZE)
			return err_set_sentence(err, cut_off);
		memcpy(header->features, (const char *)bytes + PERFDATA_HEADER_SIZE_MIN,
		       sizeof(header->features));
	}
	if (file->swapped)
		swap_features(header->features);
	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    header->attr_size > ATTR_MAX || header->attrs.size % header->attr_size ||
	    header->attrs.size / header->attr_size > ATTR_COUNT_MAX || !header->attrs.size)
		return err_set(err, "has a table of events of an impossible size");
	return 0;
}

/* --- Events -------------------------------------------------------------------------------- */

/* Copies an attr, which may be shorter (older) or longer (newer); missing members are zero. */
static void copy_attr(struct perf_event_attr *attr, const char *bytes, size_t length)
{
	uint32_t size;

	memcpy(&size, bytes + offsetof(struct perf_event_attr, size), sizeof(size));
	if (size >= PERF_ATTR_SIZE_VER0 && size < length)
		length = size;
	if (length > sizeof(*attr))
		length = sizeof(*attr);
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, bytes, length);
}

static int read_attrs(struct perfdata_file *file, struct perfdata_section *ids,
		      const struct perfdata_header *header, const struct input *input,
		      struct err *err)
{
	size_t attr_length = header->attr_size - sizeof(*ids);
	char bytes[ATTR_MAX];

	for (size_t i = 0; i < file->attr_count; i++) {
		uint64_t offset = header->attrs.offset + i * header->attr_size;

		if (input_read_at(input, bytes, header->attr_size, offset, err))
			return -1;
		memcpy(&ids[i], bytes + attr_length, sizeof(*ids));
		if (file->swapped) {
			byte_order_swap(&ids[i], sizeof(*ids), "88");
			byte_order_swap(bytes, attr_length, BYTE_ORDER_ATTR);
		}
		copy_attr(&file->attrs[i], bytes, attr_length);
	}
	return 0;
}

/*
 * Adds an id, which belongs to the first event that has it. Returns -1 if finding an id would take
 * forever: half of the places are free, so that is no accident.
 */
static int put_id(struct perfdata_file *file, struct perfdata_id id)
{
	enum { STEPS_MAX = 1 << 10 };
	size_t i = id_hash(id.id, file->id_mask), steps = 0;

	while (file->ids[i].event && file->ids[i].id != id.id && ++steps < STEPS_MAX)
		i = (i + 1) & file->id_mask;
	if (steps == STEPS_MAX)
		return -1;
	if (!file->ids[i].event)
		file->ids[i] = id;
	return 0;
}

/* Makes room for `count` ids, with half of the places free. Returns 0 or -1. */
static int reserve_ids(struct perfdata_file *file, size_t count)
{
	struct perfdata_id *old = file->ids;
	size_t old_places = old ? file->id_mask + 1 : 0, places = 16;
	int rc = 0;

	while (places < 2 * count)
		places *= 2;
	if (places <= old_places)
		return 0;
	file->ids = xcalloc(places, sizeof(*file->ids));
	file->id_mask = places - 1;
	for (size_t i = 0; i < old_places; i++)
		if (old[i].event && put_id(file, old[i]))
			rc = -1;
	free(old);
	return rc;
}

/* Adds the ids of event `number`. `bytes` need not be aligned. Returns 0 or -1. */
static int add_ids(struct perfdata_file *file, size_t number, const char *bytes, size_t count)
{
	if (count > ID_COUNT_MAX - file->id_count)
		return -1;
	file->id_count += count;
	if (reserve_ids(file, file->id_count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct perfdata_id id = {.event = number + 1};

		memcpy(&id.id, bytes + i * sizeof(id.id), sizeof(id.id));
		if (put_id(file, id))
			return -1;
	}
	return 0;
}

/* Reads the ids of one event. */
static int read_ids_at(struct perfdata_file *file, size_t number, struct perfdata_section section,
		       const struct input *input, struct err *err)
{
	size_t count = section.size / 8;
	char *ids = xcalloc(count, 8);
	int rc = input_read_at(input, ids, 8 * count, section.offset, err);

	if (file->swapped)
		byte_order_swap(ids, 8 * count, "*");
	if (!rc && add_ids(file, number, ids, count))
		rc = err_set(err, "has impossible event ids");
	free(ids);
	return rc;
}

/* Reads the ids of all events. No id is in a file twice: all are smaller than the file. */
static int read_ids(struct perfdata_file *file, const struct perfdata_section *sections,
		    const struct input *input, struct err *err)
{
	uint64_t left = input->size;

	for (size_t i = 0; i < file->attr_count; i++) {
		if (sections[i].size > left || sections[i].size / 8 > ID_COUNT_MAX)
			return err_set(err, "has more event ids than are possible");
		left -= sections[i].size;
		if (read_ids_at(file, i, sections[i], input, err))
			return -1;
	}
	return 0;
}

int perfdata_file_add(struct perfdata_file *file, const void *body, size_t length)
{
	const char *bytes = body;
	uint32_t size;

	if (length < PERF_ATTR_SIZE_VER0 || file->attr_count >= ATTR_COUNT_MAX)
		return -1;
	memcpy(&size, bytes + offsetof(struct perf_event_attr, size), sizeof(size));
	if (size < PERF_ATTR_SIZE_VER0 || size > length)
		return -1;
	array_reserve(&file->attrs, &file->attr_capacity, file->attr_count + 1);
	copy_attr(&file->attrs[file->attr_count], bytes, size);
	return add_ids(file, file->attr_count++, bytes + size, (length - size) / 8);
}

/* --- Sections ------------------------------------------------------------------------------ */

/* Reads the table of features, which must be complete. */
static void read_features(struct perfdata_file *file, const struct perfdata_header *header,
			  const struct input *input)
{
	uint64_t offset = file->data.offset + file->data.size, size = input->size;
	struct err ignored;

	for (int bit = 0; bit < PERFDATA_FEATURE_COUNT; bit++) {
		struct perfdata_section section;

		if (!has_feature(header->features, bit))
			continue;
		if (input_read_at(input, &section, sizeof(section), offset, &ignored)) {
			file->truncated = true;
			return;
		}
		if (file->swapped)
			byte_order_swap(&section, sizeof(section), "88");
		if (section.offset > size || section.size > size - section.offset)
			file->truncated = true;
		else
			file->features[bit] = section;
		offset += sizeof(section);
	}
}

/*
 * Reads the note's table. Its first section is the header of the note. PERFDATA_PSCAL is only known
 * at the end, so the rest of the table is the other features if it has as many sections.
 */
void perfdata_file_read_table(struct perfdata_file *file, const void *body, size_t length)
{
	const char *at = (const char *)body + sizeof(uint64_t);
	size_t left = length < sizeof(uint64_t) ? 0 : length - sizeof(uint64_t);
	size_t count = 0;

	for (int bit = PERFDATA_TRACING_DATA; bit < PERFDATA_PSCAL; bit++)
		count += has_feature(file->feature_bits, bit);
	if (!file->truncated || left != count * sizeof(struct perfdata_section))
		return;
	for (int bit = PERFDATA_TRACING_DATA; bit < PERFDATA_PSCAL; bit++) {
		if (!has_feature(file->feature_bits, bit))
			continue;
		memcpy(&file->features[bit], at, sizeof(file->features[bit]));
		if (file->swapped)
			byte_order_swap(&file->features[bit], sizeof(file->features[bit]), "88");
		at += sizeof(file->features[bit]);
	}
}

static void place_data(struct perfdata_file *file, const struct perfdata_header *header,
		       uint64_t file_size)
{
	uint64_t room = header->data.offset < file_size ? file_size - header->data.offset : 0;

	file->data = header->data;
	file->interrupted = header->data.size == 0;
	file->truncated = file->interrupted || header->data.size > room;
	if (file->truncated)
		file->data.size = room;
}

static int read_file(struct perfdata_file *file, struct input *input, struct err *err)
{
	struct perfdata_header header;
	struct perfdata_section *ids;
	int rc;

	if (read_header(&header, file, input, err) || input_make_seekable(input, err))
		return -1;
	place_data(file, &header, input->size);
	memcpy(file->feature_bits, header.features, sizeof(file->feature_bits));
	file->directory = has_feature(header.features, PERFDATA_DIR_FORMAT);
	file->attr_count = file->attr_capacity = header.attrs.size / header.attr_size;
	file->attrs = xcalloc(file->attr_count, sizeof(*file->attrs));
	ids = xcalloc(file->attr_count, sizeof(*ids));
	rc = read_attrs(file, ids, &header, input, err);
	if (!rc)
		rc = read_ids(file, ids, input, err);
	if (!rc && !file->truncated)
		read_features(file, &header, input);
	free(ids);
	return rc;
}

int perfdata_file_init(struct perfdata_file *file, struct input *input, struct err *err)
{
	int rc;

	*file = (struct perfdata_file){0};
	reserve_ids(file, 0);
	rc = read_begin(file, input, err);
	if (!rc && !file->stream)
		rc = read_file(file, input, err);
	if (rc)
		perfdata_file_release(file);
	return rc;
}

void perfdata_file_release(struct perfdata_file *file)
{
	free(file->attrs);
	free(file->ids);
}

const struct perf_event_attr *perfdata_file_attr(const struct perfdata_file *file, uint64_t id)
{
	size_t i = id_hash(id, file->id_mask);

	for (; file->ids[i].event; i = (i + 1) & file->id_mask)
		if (file->ids[i].id == id)
			return &file->attrs[file->ids[i].event - 1];
	return NULL;
}

char *perfdata_file_feature(const struct perfdata_file *file, const struct input *input,
			    enum perfdata_feature feature, size_t *length, struct err *err)
{
	struct perfdata_section section = file->features[feature];
	char *bytes;

	if (!section.size || section.size > FEATURE_MAX || section.size > input->size) {
		err_set(err, "feature section %d is missing or too large", feature);
		return NULL;
	}
	bytes = xcalloc(section.size + 1, 1);
	if (input_read_at(input, bytes, section.size, section.offset, err)) {
		free(bytes);
		return NULL;
	}
	if (file->swapped && feature == PERFDATA_EVENT_DESC)
		byte_order_swap_event_desc(bytes, section.size);
	*length = section.size;
	return bytes;
}

/* --- Tracing data -------------------------------------------------------------------------- */

/* Returns a text that follows its size of 8 bytes; NULL: it is cut short. */
static const char *take_text_block(struct byte_cursor *cursor, uint64_t *length)
{
	*length = byte_cursor_u64(cursor);
	return cursor->short_of ? NULL : byte_cursor_take(cursor, *length);
}

static int read_event_texts(const struct tracing_section *section, struct byte_cursor *cursor,
			    const char *system)
{
	for (uint32_t left = byte_cursor_u32(cursor); left; left--) {
		uint64_t length;
		const char *format = take_text_block(cursor, &length);

		if (!format || section->add(section->context, system, format, (size_t)length))
			return -1;
	}
	return cursor->short_of ? -1 : 0;
}

static int read_system_texts(const struct tracing_section *section, struct byte_cursor *cursor)
{
	if (read_event_texts(section, cursor, "ftrace"))
		return -1;
	for (uint32_t left = byte_cursor_u32(cursor); left; left--) {
		const char *system = byte_cursor_text(cursor);

		if (!system || read_event_texts(section, cursor, system))
			return -1;
	}
	return cursor->short_of ? -1 : 0;
}

/* Skips the word that introduces a block ("header_page"), and the block. */
static int skip_text_block(struct byte_cursor *cursor, const char *word)
{
	const char *text = byte_cursor_text(cursor);
	uint64_t length;

	return text && strcmp(text, word) == 0 && take_text_block(cursor, &length) ? 0 : -1;
}

int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err)
{
	struct byte_cursor cursor = {.at = bytes, .left = length};
	const char *magic = byte_cursor_take(&cursor, 10);
	const char *version, *big_endian;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10) != 0)
		return err_set(err, "its tracing data begin with wrong bytes");
	version = byte_cursor_text(&cursor);
	big_endian = byte_cursor_take(&cursor, 1);
	byte_cursor_take(&cursor, 1); /* the size of a long */
	byte_cursor_u32(&cursor);     /* the size of a page */
	if (!version || !big_endian || cursor.short_of)
		return err_set(err, "its tracing data are cut short");
	if (*big_endian != 0 && *big_endian != 1)
		return err_set(err, "its tracing data name no byte order");
	section->swapped = *big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	cursor.swapped = section->swapped;
	if (skip_text_block(&cursor, "header_page") || skip_text_block(&cursor, "header_event") ||
	    read_system_texts(section, &cursor))
		return err_set(err, "its tracing data are cut short or damaged");
	return 0;
}
