/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/perfdata_write.h"

#include "base/alloc.h"
#include "collect/perfdata.h"
#include "collect/recording_file.h"

#include <stdlib.h>
#include <string.h>

/* What the attribute section holds for each event. */
struct attr_entry {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

static struct perfdata_header make_header(const struct perfdata_event *events, size_t count)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct attr_entry),
		.attrs = {sizeof(header), count * sizeof(struct attr_entry)},
	};

	header.data.offset = header.attrs.offset + header.attrs.size;
	for (size_t i = 0; i < count; i++)
		header.data.offset += events[i].id_count * sizeof(*events[i].ids);
	return header;
}

int perfdata_write_begin(struct recording_file *file, const struct perfdata_event *events,
			 size_t count, struct err *err)
{
	struct perfdata_header header = make_header(events, count);
	uint64_t ids_offset = header.attrs.offset + header.attrs.size;

	if (recording_file_append(file, &header, sizeof(header), err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct attr_entry entry = {*events[i].attr,
					   {ids_offset, events[i].id_count * sizeof(uint64_t)}};

		ids_offset += entry.ids.size;
		if (recording_file_append(file, &entry, sizeof(entry), err))
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (recording_file_append(file, events[i].ids,
					  events[i].id_count * sizeof(uint64_t), err))
			return -1;
	return 0;
}

int perfdata_write_end(struct recording_file *file, const struct perfdata_event *events,
		       size_t count, const struct perfdata_content *contents, size_t content_count,
		       struct err *err)
{
	struct perfdata_header header = make_header(events, count);
	struct perfdata_section *table = xcalloc(content_count, sizeof(*table));
	uint64_t offset = file->size + content_count * sizeof(*table);
	int rc;

	header.data.size = file->size - header.data.offset;
	for (size_t i = 0; i < content_count; i++) {
		unsigned bit = (unsigned)contents[i].feature;

		header.features[bit / 64] |= UINT64_C(1) << (bit % 64);
		table[i] = (struct perfdata_section){offset, contents[i].size};
		offset += contents[i].size;
	}
	rc = recording_file_append(file, table, content_count * sizeof(*table), err);
	for (size_t i = 0; !rc && i < content_count; i++)
		rc = recording_file_append(file, contents[i].bytes, contents[i].size, err);
	if (!rc)
		rc = recording_file_patch(file, &header, sizeof(header), 0, err);
	free(table);
	return rc;
}
