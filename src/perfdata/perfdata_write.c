/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_write.h"

#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* --- The file ------------------------------------------------------------------------------ */

/* The first descriptor behind standard input, output and error. */
enum { FIRST_OWN_FD = 3 };

/* Opens a copy of standard output, which other code still uses after it is closed. */
static int open_standard_output(struct output_file *output, struct err *err)
{
	const char *path = "standard output";

	*output = (struct output_file){.place = {.path = path, .dir = -1}, .fd = -1};
	if (isatty(STDOUT_FILENO))
		return err_set(err,
			       "%s: is a terminal, and a recording is not text: pipe it into a "
			       "command, as 'pscal record -o - -- COMMAND | pscal profile'",
			       path);
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	return output->fd < 0 ? output_file_refuse(path, err) : 0;
}

int recording_file_open(struct recording_file *file, const char *path, struct err *err)
{
	static const struct output_kind kind = {.mode = 0600, .seeks = true};

	*file = (struct recording_file){.stream = strcmp(path, "-") == 0};
	return file->stream ? open_standard_output(&file->output, err)
			    : output_file_open(&file->output, path, &kind, err);
}

int recording_file_publish(struct recording_file *file, struct err *err)
{
	return output_file_publish(&file->output, OUTPUT_KEEPS_OLD, err);
}

int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err)
{
	size_t written;
	int rc = output_file_write(&file->output, bytes, size, &written, err);

	file->size += written;
	return rc;
}

int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err)
{
	ssize_t written = pwrite(file->output.fd, bytes, size, (off_t)offset);

	if (written < 0 || (size_t)written != size)
		return output_file_refuse(file->output.place.path, err);
	return 0;
}

void recording_file_cut(struct recording_file *file, uint64_t size)
{
	int fd = file->output.fd;

	if (file->stream || file->size <= size || ftruncate(fd, (off_t)size) ||
	    lseek(fd, (off_t)size, SEEK_SET) < 0)
		return;
	file->size = size;
}

int recording_file_close(struct recording_file *file, struct err *err)
{
	int rc = output_file_close(&file->output, err);

	*file = (struct recording_file){.stream = false};
	return rc;
}

/* --- The layout ----------------------------------------------------------------------------- */

enum { ALIGN = 8 };

/* The entry of each event in the attribute section. */
struct attr_entry {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

/* Returns the bytes from `size` to the next multiple of ALIGN. */
static size_t padding(uint64_t size)
{
	return (size_t)(-size & (ALIGN - 1));
}

/* Appends the padding behind `size` bytes. */
static int append_padding(struct recording_file *file, size_t size, struct err *err)
{
	static const char zeros[ALIGN];

	return recording_file_append(file, zeros, padding(size), err);
}

static int append_padded(struct recording_file *file, const void *bytes, size_t size,
			 struct err *err)
{
	if (recording_file_append(file, bytes, size, err))
		return -1;
	return append_padding(file, size, err);
}

/* --- File mode ----------------------------------------------------------------------------- */

static int write_events(struct perfdata_writer *writer, const struct perfdata_event *events,
			size_t count, struct err *err)
{
	uint64_t ids_offset = writer->header.attrs.offset + writer->header.attrs.size;

	for (size_t i = 0; i < count; i++) {
		struct attr_entry entry = {*events[i].attr,
					   {ids_offset, events[i].id_count * sizeof(uint64_t)}};

		ids_offset += entry.ids.size;
		if (recording_file_append(writer->file, &entry, sizeof(entry), err))
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (recording_file_append(writer->file, events[i].ids,
					  events[i].id_count * sizeof(uint64_t), err))
			return -1;
	return 0;
}

static void add_section(struct perfdata_writer *writer, int feature, struct perfdata_section place)
{
	size_t at = 0;

	while (at < writer->section_count && writer->features[at] < feature)
		at++;
	if (at == writer->section_count || writer->features[at] != feature) {
		size_t moved = writer->section_count++ - at;

		assert(writer->section_count <= PERFDATA_SECTIONS_MAX);
		memmove(&writer->sections[at + 1], &writer->sections[at],
			moved * sizeof(*writer->sections));
		memmove(&writer->features[at + 1], &writer->features[at],
			moved * sizeof(*writer->features));
	}
	writer->features[at] = feature;
	writer->sections[at] = place;
	writer->header.features[feature / 64] |= UINT64_C(1) << (feature % 64);
}

static int write_contents(struct perfdata_writer *writer, const struct perfdata_content *contents,
			  size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (append_padded(writer->file, contents[i].bytes, contents[i].size, err))
			return -1;
	return 0;
}

/* Enters the places of `contents`, which are or will be at `offset`. */
static void place_contents(struct perfdata_writer *writer, const struct perfdata_content *contents,
			   size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++) {
		add_section(writer, contents[i].feature,
			    (struct perfdata_section){offset, contents[i].size});
		offset += contents[i].size + padding(contents[i].size);
	}
}

int perfdata_write_begin(struct perfdata_writer *writer, struct recording_file *file,
			 const struct perfdata_event *events, size_t count,
			 const struct perfdata_content *contents, size_t content_count,
			 struct err *err)
{
	struct perfdata_header *header = &writer->header;

	*writer = (struct perfdata_writer){.file = file};
	*header = (struct perfdata_header){
		.magic = PERFDATA_MAGIC,
		.size = sizeof(*header),
		.attr_size = sizeof(struct attr_entry),
		.attrs = {sizeof(*header), count * sizeof(struct attr_entry)},
	};
	if (recording_file_append(file, header, sizeof(*header), err) ||
	    write_events(writer, events, count, err))
		return -1;
	place_contents(writer, contents, content_count, file->size);
	if (write_contents(writer, contents, content_count, err))
		return -1;
	header->data.offset = file->size;
	/* A place in the table for the header of the note, see perfdata_write_mark(). */
	add_section(writer, PERFDATA_RESERVED, (struct perfdata_section){0});
	return recording_file_patch(file, header, sizeof(*header), 0, err);
}

int perfdata_write_mark(struct perfdata_writer *writer, struct err *err)
{
	size_t size = writer->section_count * sizeof(*writer->sections);
	const struct perf_event_header note = {PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TABLE,
					       (uint16_t)size};
	struct perfdata_section *data = &writer->header.data;

	assert(writer->features[0] == PERFDATA_RESERVED);
	memcpy(&writer->sections[0].offset, &note, sizeof(note));
	data->size = writer->file->size - data->offset;
	if (recording_file_append(writer->file, writer->sections, size, err))
		return -1;
	return recording_file_patch(writer->file, &data->size, sizeof(data->size),
				    offsetof(struct perfdata_header, data.size), err);
}

/* Removes the header of the note, which a complete recording does not need. */
static void drop_reserved(struct perfdata_writer *writer)
{
	assert(writer->features[0] == PERFDATA_RESERVED);
	writer->section_count--;
	memmove(&writer->sections[0], &writer->sections[1],
		writer->section_count * sizeof(*writer->sections));
	memmove(&writer->features[0], &writer->features[1],
		writer->section_count * sizeof(*writer->features));
	writer->header.features[0] &= ~(UINT64_C(1) << PERFDATA_RESERVED);
}

int perfdata_write_end(struct perfdata_writer *writer, const struct perfdata_content *contents,
		       size_t content_count, struct err *err)
{
	struct recording_file *file = writer->file;
	uint64_t table_offset = file->size;
	size_t table_size;

	drop_reserved(writer);
	/* The sections first determine the length of their table, and that their places. */
	place_contents(writer, contents, content_count, 0);
	table_size = writer->section_count * sizeof(*writer->sections);
	place_contents(writer, contents, content_count, table_offset + table_size);
	writer->header.data.size = table_offset - writer->header.data.offset;
	if (recording_file_append(file, writer->sections, table_size, err) ||
	    write_contents(writer, contents, content_count, err))
		return -1;
	return recording_file_patch(file, &writer->header, sizeof(writer->header), 0, err);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Writes a record whose body is in two pieces, padded to a multiple of ALIGN. */
static int write_record(struct recording_file *file, uint32_t type, uint16_t misc,
			const void *first, size_t first_size, const void *second,
			size_t second_size, struct err *err)
{
	size_t size = sizeof(struct perf_event_header) + first_size + second_size;
	const struct perf_event_header header = {type, misc, (uint16_t)(size + padding(size))};

	assert(size <= PERFDATA_RECORD_MAX);
	if (recording_file_append(file, &header, sizeof(header), err) ||
	    recording_file_append(file, first, first_size, err) ||
	    recording_file_append(file, second, second_size, err))
		return -1;
	return append_padding(file, size, err);
}

int perfdata_write_notes(struct recording_file *file, const char *text, size_t length,
			 struct err *err)
{
	const size_t part_max = PERFDATA_RECORD_MAX - sizeof(struct perf_event_header);

	for (; length > part_max; text += part_max, length -= part_max)
		if (write_record(file, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TEXT, text, part_max,
				 NULL, 0, err))
			return -1;
	return write_record(file, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TEXT_END, text, length, NULL,
			    0, err);
}

/* --- Pipe mode ----------------------------------------------------------------------------- */

static int stream_tracing_data(struct recording_file *file, const struct perfdata_content *content,
			       struct err *err)
{
	struct {
		struct perf_event_header header;
		uint32_t size;
	} record = {{PERFDATA_RECORD_TRACING_DATA, 0, sizeof(record)},
		    (uint32_t)(content->size + padding(content->size))};

	if (recording_file_append(file, &record, sizeof(record), err))
		return -1;
	return append_padded(file, content->bytes, content->size, err);
}

static int stream_feature(struct recording_file *file, const struct perfdata_content *content,
			  struct err *err)
{
	const uint64_t feature = (uint64_t)content->feature;
	const size_t size_max =
		PERFDATA_RECORD_MAX - sizeof(struct perf_event_header) - sizeof(feature);

	if (content->size > size_max)
		return 0;
	return write_record(file, PERFDATA_RECORD_FEATURE, 0, &feature, sizeof(feature),
			    content->bytes, content->size, err);
}

int perfdata_write_stream(struct recording_file *file, const struct perfdata_event *events,
			  size_t count, const struct perfdata_content *contents,
			  size_t content_count, struct err *err)
{
	const uint64_t header[] = {PERFDATA_MAGIC, PERFDATA_PIPE_HEADER_SIZE};

	if (recording_file_append(file, header, sizeof(header), err))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (write_record(file, PERFDATA_RECORD_ATTR, 0, events[i].attr,
				 sizeof(*events[i].attr), events[i].ids,
				 events[i].id_count * sizeof(*events[i].ids), err))
			return -1;
	for (size_t i = 0; i < content_count; i++)
		if (contents[i].feature == PERFDATA_TRACING_DATA
			    ? stream_tracing_data(file, &contents[i], err)
			    : stream_feature(file, &contents[i], err))
			return -1;
	return 0;
}
