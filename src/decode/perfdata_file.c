/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"

#include <stdlib.h>
#include <string.h>

/* Far above what perf writes, far below what could hurt. */
enum { ATTR_MAX = 4096, ATTR_COUNT_MAX = 65536, ID_COUNT_MAX = 1 << 22, FEATURE_MAX = 1 << 28 };

struct perfdata_id {
	uint64_t id;
	const struct perf_event_attr *attr; /* NULL: the place is free */
};

static size_t hash(uint64_t id, size_t mask)
{
	return (size_t)((id * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
}

static int check_header(const struct perfdata_header *header, struct err *err)
{
	if (header->size == PERFDATA_PIPE_HEADER_SIZE)
		return err_set(err, "is a stream of perf record -o -, which cannot be read yet: "
				    "record into a file, or pipe in the text of perf script");
	if (header->size < PERFDATA_HEADER_SIZE)
		return err_set(err, "has a header of a strange size");
	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    header->attr_size > ATTR_MAX || header->attrs.size % header->attr_size ||
	    header->attrs.size / header->attr_size > ATTR_COUNT_MAX || !header->attrs.size)
		return err_set(err, "has a table of events of a strange size");
	return 0;
}

/* The attr may be older and shorter or newer and longer than ours: what is missing is zero. */
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
		copy_attr(&file->attrs[i], bytes, attr_length);
		memcpy(&ids[i], bytes + attr_length, sizeof(*ids));
	}
	return 0;
}

static void add_id(struct perfdata_file *file, uint64_t id, const struct perf_event_attr *attr)
{
	size_t i = hash(id, file->id_mask);

	while (file->ids[i].attr)
		i = (i + 1) & file->id_mask;
	file->ids[i] = (struct perfdata_id){id, attr};
}

static int read_ids(struct perfdata_file *file, const struct perfdata_section *sections,
		    const struct input *input, struct err *err)
{
	size_t count = 0, places = 16;

	for (size_t i = 0; i < file->attr_count; i++) {
		if (sections[i].size / 8 > ID_COUNT_MAX - count ||
		    sections[i].size > input_size(input))
			return err_set(err, "has more event ids than can be");
		count += sections[i].size / 8;
	}
	while (places < 2 * count)
		places *= 2;
	file->ids = xcalloc(places, sizeof(*file->ids));
	file->id_mask = places - 1;
	for (size_t i = 0; i < file->attr_count; i++) {
		size_t own = sections[i].size / 8;
		uint64_t *ids = xcalloc(own, sizeof(*ids));
		int rc = input_read_at(input, ids, own * sizeof(*ids), sections[i].offset, err);

		for (size_t k = 0; !rc && k < own; k++)
			add_id(file, ids[k], &file->attrs[i]);
		free(ids);
		if (rc)
			return -1;
	}
	return 0;
}

/* A file that ends in its own data, or whose recorder died, has no table of features. */
static void read_features(struct perfdata_file *file, const struct perfdata_header *header,
			  const struct input *input)
{
	uint64_t offset = file->data.offset + file->data.size;
	struct err ignored;

	for (int bit = 0; bit < PERFDATA_FEATURE_COUNT; bit++) {
		struct perfdata_section section;

		if (!(header->features[bit / 64] >> (bit % 64) & 1))
			continue;
		if (input_read_at(input, &section, sizeof(section), offset, &ignored)) {
			file->truncated = true;
			return;
		}
		file->features[bit] = section;
		offset += sizeof(section);
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

int perfdata_file_init(struct perfdata_file *file, const struct input *input, struct err *err)
{
	struct perfdata_header header;
	struct perfdata_section *ids;
	int rc;

	*file = (struct perfdata_file){0};
	if (!input_size(input))
		return err_set(err, "a perf.data file cannot be read from a pipe: name it, or "
				    "pipe in the text of perf script");
	if (input_read_at(input, &header, sizeof(header), 0, err))
		return err_set(err, "is a perf.data file cut off within its header");
	if (check_header(&header, err))
		return -1;
	place_data(file, &header, input_size(input));
	file->attr_count = header.attrs.size / header.attr_size;
	file->attrs = xcalloc(file->attr_count, sizeof(*file->attrs));
	ids = xcalloc(file->attr_count, sizeof(*ids));
	rc = read_attrs(file, ids, &header, input, err);
	if (!rc)
		rc = read_ids(file, ids, input, err);
	if (!rc && !file->truncated)
		read_features(file, &header, input);
	free(ids);
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
	size_t i = hash(id, file->id_mask);

	for (; file->ids[i].attr; i = (i + 1) & file->id_mask)
		if (file->ids[i].id == id)
			return file->ids[i].attr;
	return NULL;
}

char *perfdata_file_feature(const struct perfdata_file *file, const struct input *input,
			    enum perfdata_feature feature, size_t *length, struct err *err)
{
	struct perfdata_section section = file->features[feature];
	char *bytes;

	if (!section.size || section.size > FEATURE_MAX || section.size > input_size(input)) {
		err_set(err, "feature section %d is missing or too large", feature);
		return NULL;
	}
	bytes = xcalloc(section.size + 1, 1);
	if (input_read_at(input, bytes, section.size, section.offset, err)) {
		free(bytes);
		return NULL;
	}
	*length = section.size;
	return bytes;
}
