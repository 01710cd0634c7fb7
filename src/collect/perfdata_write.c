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

int perfdata_write_round(struct recording_file *file, struct err *err)
{
	struct perf_event_header round = {.type = PERFDATA_RECORD_FINISHED_ROUND,
					  .size = sizeof(round)};

	return recording_file_append(file, &round, sizeof(round), err);
}

/* What every record but a sample ends in, for this sample type. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

static int write_fork(struct recording_file *file, const struct perfdata_thread *thread,
		      const struct sample_id *sample_id, struct err *err)
{
	/* As perf does: the first thread of a process has created the others. */
	uint32_t parent = (uint32_t)(thread->tid == thread->pid ? thread->parent : thread->pid);
	struct {
		struct perf_event_header header;
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		struct sample_id sample_id;
	} record = {
		.header = {PERF_RECORD_FORK, PERF_RECORD_MISC_USER, sizeof(record)},
		.pid = (uint32_t)thread->pid,
		.parent_pid = parent,
		.tid = (uint32_t)thread->tid,
		.parent_tid = parent,
		.sample_id = *sample_id,
	};

	return recording_file_append(file, &record, sizeof(record), err);
}

static int write_comm(struct recording_file *file, const struct perfdata_thread *thread,
		      const struct sample_id *sample_id, struct err *err)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct sample_id sample_id;
	} record = {
		.header = {PERF_RECORD_COMM, PERF_RECORD_MISC_USER, sizeof(record)},
		.pid = (uint32_t)thread->pid,
		.tid = (uint32_t)thread->tid,
		.sample_id = *sample_id,
	};

	memcpy(record.comm, thread->comm, strnlen(thread->comm, sizeof(record.comm) - 1));
	return recording_file_append(file, &record, sizeof(record), err);
}

int perfdata_write_thread(struct recording_file *file, const struct perfdata_thread *thread,
			  uint64_t id, struct err *err)
{
	const struct sample_id sample_id = {
		.pid = (uint32_t)thread->pid, .tid = (uint32_t)thread->tid, .id = id};

	if (write_fork(file, thread, &sample_id, err))
		return -1;
	return write_comm(file, thread, &sample_id, err);
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
