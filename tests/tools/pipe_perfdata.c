/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipe_perfdata IN OUT: writes a perf.data file as perf writes it into a pipe: the content of
 * sections, events with their ids and formats of tracepoints, comes as records before the data. For
 * files of this machine's byte order, whose records have any length that they may have in a file.
 */
#include "perfdata/perfdata.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noreturn)) static void fail(const char *why)
{
	fprintf(stderr, "pipe_perfdata: %s\n", why);
	exit(1);
}

static char *read_all(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	long size;
	char *bytes;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		fail("cannot read the file");
	rewind(file);
	bytes = malloc((size_t)size + 1);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
		fail("cannot read the file");
	fclose(file);
	*length = (size_t)size;
	return bytes;
}

static void put(FILE *file, const void *what, size_t length)
{
	if (length && fwrite(what, length, 1, file) != 1)
		fail("cannot write");
}

/* A header of a record with a body of `length` bytes, which follows. */
static void put_header(FILE *file, uint32_t type, size_t length)
{
	struct perf_event_header header = {type, 0, (uint16_t)(sizeof(header) + length)};

	put(file, &header, sizeof(header));
}

/* The place of the section; the tool trusts its input to be a file of perf. */
static const char *section(const char *bytes, size_t length, const struct perfdata_section *where)
{
	if (where->offset > length || where->size > length - where->offset)
		fail("a section is not in the file");
	return bytes + where->offset;
}

static void put_attrs(FILE *file, const char *bytes, size_t length,
		      const struct perfdata_header *header)
{
	const char *attrs = section(bytes, length, &header->attrs);
	size_t attr_size = header->attr_size - sizeof(struct perfdata_section);

	for (size_t i = 0; i < header->attrs.size / header->attr_size; i++) {
		const char *attr = attrs + i * header->attr_size;
		struct perfdata_section ids;

		memcpy(&ids, attr + attr_size, sizeof(ids));
		put_header(file, PERFDATA_RECORD_ATTR, attr_size + ids.size);
		put(file, attr, attr_size);
		put(file, section(bytes, length, &ids), ids.size);
	}
}

/* The table has an entry for each set bit; the bit of tracing data is the first. */
static void put_tracing_data(FILE *file, const char *bytes, size_t length,
			     const struct perfdata_header *header)
{
	struct perfdata_section table = {header->data.offset + header->data.size,
					 (1 + (header->features[0] & 1)) *
						 sizeof(struct perfdata_section)};
	struct perfdata_section tracing;
	uint64_t padding = 0;
	uint32_t size;

	if (!(header->features[0] & 1 << PERFDATA_TRACING_DATA))
		return;
	memcpy(&tracing, section(bytes, length, &table) + table.size - sizeof(tracing),
	       sizeof(tracing));
	size = (uint32_t)(tracing.size + 7) & ~7U;
	put_header(file, PERFDATA_RECORD_TRACING_DATA, sizeof(size));
	put(file, &size, sizeof(size));
	put(file, section(bytes, length, &tracing), tracing.size);
	put(file, &padding, size - tracing.size);
}

int main(int argc, char **argv)
{
	const uint64_t pipe_header[] = {PERFDATA_MAGIC, PERFDATA_PIPE_HEADER_SIZE};
	struct perfdata_header header;
	size_t length;
	char *bytes;
	FILE *file;

	if (argc != 3)
		fail("say which file and which new one: pipe_perfdata IN OUT");
	bytes = read_all(argv[1], &length);
	if (length < sizeof(header))
		fail("this is no perf.data file");
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != PERFDATA_MAGIC || header.size != sizeof(header))
		fail("this is no perf.data file of this machine");
	file = fopen(argv[2], "wb");
	if (!file)
		fail("cannot write the new file");
	put(file, pipe_header, sizeof(pipe_header));
	put_attrs(file, bytes, length, &header);
	put_tracing_data(file, bytes, length, &header);
	put(file, section(bytes, length, &header.data), header.data.size);
	free(bytes);
	if (fclose(file))
		fail("cannot write the new file");
	return 0;
}
