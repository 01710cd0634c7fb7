/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "perfdata/perfdata.h"
#include "perfdata/perfdata_write.h"

#include <fcntl.h>
#include <unistd.h>

static const struct perf_event_attr attrs[2] = {
	{.type = 2, .config = 372, .size = sizeof(attrs[0])},
	{.type = 1, .size = sizeof(attrs[1])}};
static const uint64_t ids[2][2] = {{11, 12}, {21, 22}};
static const struct perfdata_event events[2] = {{"a:b", &attrs[0], ids[0], 2},
						{"dummy", &attrs[1], ids[1], 2}};

static char host[] = "host", traced[] = "12 bytes it.", text[] = "the text";
static const struct perfdata_content contents[] = {{PERFDATA_TRACING_DATA, traced, 12},
						   {PERFDATA_HOSTNAME, host, 4}};
static const struct perfdata_content last[] = {{PERFDATA_HOSTNAME, traced, 12},
					       {PERFDATA_PSCAL, text, 8}};

struct fixture {
	char root[64], path[80];
	struct recording_file file;
	struct perfdata_writer writer;
	struct err err;
	char bytes[4096];
	size_t size;
	struct perfdata_header header;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	dir_make(f->root);
	snprintf(f->path, sizeof(f->path), "%s/data", f->root);
	assert_int_equal(recording_file_open(&f->file, f->path, &f->err), 0);
	assert_int_equal(
		perfdata_write_begin(&f->writer, &f->file, events, 2, contents, 2, &f->err), 0);
	assert_int_equal(recording_file_publish(&f->file, &f->err), 0);
}

static void load(struct fixture *f)
{
	FILE *file = fopen(f->path, "re");

	assert_non_null(file);
	f->size = fread(f->bytes, 1, sizeof(f->bytes), file);
	fclose(file);
	memcpy(&f->header, f->bytes, sizeof(f->header));
}

static void end(struct fixture *f)
{
	assert_int_equal(recording_file_close(&f->file, &f->err), 0);
	dir_remove(f->root);
}

/* The section of a feature, by the table after the data. */
static struct perfdata_section section_of(const struct fixture *f, int feature)
{
	uint64_t at = f->header.data.offset + f->header.data.size;
	struct perfdata_section section = {0};

	assert_true(f->header.features[feature / 64] >> feature % 64 & 1);
	for (int bit = 0; bit < feature; bit++)
		at += f->header.features[bit / 64] >> bit % 64 & 1 ? sizeof(section) : 0;
	assert_true(at + sizeof(section) <= f->size);
	memcpy(&section, f->bytes + at, sizeof(section));
	return section;
}

static void check_section(const struct fixture *f, int feature, const char *want, size_t size)
{
	struct perfdata_section section = section_of(f, feature);

	assert_int_equal(section.size, size);
	assert_true(section.offset % 8 == 0 && section.offset + size <= f->size);
	assert_memory_equal(f->bytes + section.offset, want, size);
}

static void before_the_first_mark_there_are_no_data(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(recording_file_append(&f.file, "a record", 8, &f.err), 0);
	load(&f);
	assert_int_equal(f.header.magic, PERFDATA_MAGIC);
	assert_int_equal(f.header.size, PERFDATA_HEADER_SIZE);
	assert_int_equal(f.header.data.size, 0);
	assert_int_equal(f.header.data.offset + 8, f.size);
	end(&f);
}

static void each_event_has_its_attribute_and_ids(void **state)
{
	struct {
		struct perf_event_attr attr;
		struct perfdata_section ids;
	} entry;
	struct fixture f;

	(void)state;
	begin(&f);
	load(&f);
	assert_int_equal(f.header.attr_size, sizeof(entry));
	assert_int_equal(f.header.attrs.size, 2 * sizeof(entry));
	for (size_t i = 0; i < 2; i++) {
		memcpy(&entry, f.bytes + f.header.attrs.offset + i * sizeof(entry), sizeof(entry));
		assert_memory_equal(&entry.attr, &attrs[i], sizeof(attrs[i]));
		assert_int_equal(entry.ids.size, sizeof(ids[i]));
		assert_memory_equal(f.bytes + entry.ids.offset, ids[i], sizeof(ids[i]));
	}
	end(&f);
}

/* A reader finds `count` records of 8 bytes, without the tables between them. */
static void check_records(const struct fixture *f, size_t count)
{
	uint64_t at = f->header.data.offset, data_end = at + f->header.data.size;
	size_t found = 0;

	while (at < data_end) {
		struct perf_event_header record;

		assert_true(at + sizeof(record) <= data_end);
		memcpy(&record, f->bytes + at, sizeof(record));
		assert_true(record.size >= sizeof(record));
		if (record.type == PERFDATA_RECORD_NOTE)
			assert_int_equal(record.misc, PERFDATA_NOTE_TABLE);
		else
			found++;
		at += record.size;
	}
	assert_int_equal(at, data_end);
	assert_int_equal(found, count);
}

static void after_each_mark_the_file_is_whole(void **state)
{
	static const struct perf_event_header record = {PERFDATA_RECORD_FINISHED_ROUND, 0, 8};
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 1; i < 5; i++) {
		assert_int_equal(recording_file_append(&f.file, &record, 8, &f.err), 0);
		assert_int_equal(perfdata_write_mark(&f.writer, &f.err), 0);
		load(&f);
		check_records(&f, i);
		check_section(&f, PERFDATA_TRACING_DATA, traced, 12);
		check_section(&f, PERFDATA_HOSTNAME, host, 4);
	}
	end(&f);
}

static void an_append_after_a_mark_leaves_the_file_whole(void **state)
{
	char junk[1000];
	struct fixture f;

	(void)state;
	memset(junk, 0xa5, sizeof(junk));
	begin(&f);
	assert_int_equal(perfdata_write_mark(&f.writer, &f.err), 0);
	assert_int_equal(recording_file_append(&f.file, junk, sizeof(junk), &f.err), 0);
	load(&f);
	check_records(&f, 0);
	check_section(&f, PERFDATA_HOSTNAME, host, 4);
	end(&f);
}

static void the_end_replaces_sections_and_adds_some(void **state)
{
	static const struct perf_event_header record = {PERFDATA_RECORD_FINISHED_ROUND, 0, 8};
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(recording_file_append(&f.file, &record, 8, &f.err), 0);
	assert_int_equal(perfdata_write_mark(&f.writer, &f.err), 0);
	assert_int_equal(perfdata_write_end(&f.writer, last, 2, &f.err), 0);
	load(&f);
	check_records(&f, 1);
	assert_int_equal(f.header.features[0], 1 << PERFDATA_TRACING_DATA | 1 << PERFDATA_HOSTNAME);
	assert_true(f.header.features[3] == UINT64_C(1) << (PERFDATA_PSCAL - 192));
	check_section(&f, PERFDATA_TRACING_DATA, traced, 12);
	check_section(&f, PERFDATA_HOSTNAME, traced, 12);
	check_section(&f, PERFDATA_PSCAL, text, 8);
	end(&f);
}

static void a_long_text_is_cut_into_notes(void **state)
{
	static char bytes[200000];
	struct perf_event_header note;
	size_t length = 150001, at = 0, seen = 0;
	char *long_text = malloc(length);
	struct fixture f;
	FILE *file;

	(void)state;
	memset(long_text, 'x', length);
	begin(&f);
	recording_file_cut(&f.file, 0);
	assert_int_equal(perfdata_write_notes(&f.file, long_text, length, &f.err), 0);
	file = fopen(f.path, "re");
	assert_int_equal(fread(bytes, 1, sizeof(bytes), file), f.file.size);
	fclose(file);
	for (; at < f.file.size; at += note.size) {
		memcpy(&note, bytes + at, sizeof(note));
		assert_int_equal(note.type, PERFDATA_RECORD_NOTE);
		assert_int_equal(note.size % 8, 0);
		for (size_t i = sizeof(note); i < note.size; i++)
			seen += bytes[at + i] == 'x';
		assert_int_equal(note.misc, at + note.size < f.file.size ? PERFDATA_NOTE_TEXT
									 : PERFDATA_NOTE_TEXT_END);
	}
	assert_int_equal(at, f.file.size);
	assert_int_equal(seen, length);
	free(long_text);
	end(&f);
}

static void in_a_stream_everything_is_a_record(void **state)
{
	static const uint32_t types[] = {PERFDATA_RECORD_ATTR, PERFDATA_RECORD_ATTR,
					 PERFDATA_RECORD_TRACING_DATA, PERFDATA_RECORD_FEATURE};
	struct perf_event_header record;
	size_t at = PERFDATA_PIPE_HEADER_SIZE;
	uint64_t begins[2];
	uint32_t size;
	struct fixture f;

	(void)state;
	begin(&f);
	recording_file_cut(&f.file, 0);
	assert_int_equal(perfdata_write_stream(&f.file, events, 2, contents, 2, &f.err), 0);
	load(&f);
	memcpy(begins, f.bytes, sizeof(begins));
	assert_int_equal(begins[0], PERFDATA_MAGIC);
	assert_int_equal(begins[1], PERFDATA_PIPE_HEADER_SIZE);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++, at += record.size) {
		memcpy(&record, f.bytes + at, sizeof(record));
		assert_int_equal(record.type, types[i]);
		if (i < 2) {
			assert_memory_equal(f.bytes + at + 8, &attrs[i], sizeof(attrs[i]));
			assert_memory_equal(f.bytes + at + 8 + sizeof(attrs[i]), ids[i], 16);
			assert_int_equal(record.size, 8 + sizeof(attrs[i]) + 16);
		} else if (i == 2) {
			memcpy(&size, f.bytes + at + 8, sizeof(size));
			assert_int_equal(size, 16);
			assert_memory_equal(f.bytes + at + record.size, traced, 12);
			at += size;
		} else {
			assert_memory_equal(f.bytes + at + 16, host, 4);
		}
	}
	assert_int_equal(at, f.size);
	end(&f);
}

static void the_old_file_is_kept_and_only_the_owner_can_read_the_new_one(void **state)
{
	char old[96];
	struct stat status;
	struct fixture f;

	(void)state;
	begin(&f);
	recording_file_close(&f.file, &f.err);
	snprintf(old, sizeof(old), "%s.old", f.path);
	assert_int_equal(recording_file_open(&f.file, f.path, &f.err), 0);
	assert_int_not_equal(access(old, F_OK), 0);
	assert_int_equal(recording_file_publish(&f.file, &f.err), 0);
	assert_int_equal(access(old, F_OK), 0);
	assert_int_equal(stat(f.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	end(&f);
}

static void a_file_that_is_not_published_is_gone(void **state)
{
	struct fixture f;

	(void)state;
	memset(&f, 0, sizeof(f));
	dir_make(f.root);
	snprintf(f.path, sizeof(f.path), "%s/data", f.root);
	assert_int_equal(recording_file_open(&f.file, f.path, &f.err), 0);
	assert_int_equal(recording_file_close(&f.file, &f.err), 0);
	assert_int_equal(rmdir(f.root), 0); /* the directory is empty */
}

static void a_link_is_written_through(void **state)
{
	char target[96];
	struct stat status;
	struct fixture f;

	(void)state;
	memset(&f, 0, sizeof(f));
	dir_make(f.root);
	dir_put(f.root, "target", "old");
	snprintf(target, sizeof(target), "%s/target", f.root);
	snprintf(f.path, sizeof(f.path), "%s/link", f.root);
	assert_int_equal(symlink(target, f.path), 0);
	assert_int_equal(recording_file_open(&f.file, f.path, &f.err), 0);
	assert_int_equal(recording_file_append(&f.file, "new data", 8, &f.err), 0);
	assert_int_equal(recording_file_publish(&f.file, &f.err), 0);
	assert_int_equal(lstat(f.path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(target, &status), 0);
	assert_int_equal(status.st_size, 8);
	end(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(before_the_first_mark_there_are_no_data),
	cmocka_unit_test(each_event_has_its_attribute_and_ids),
	cmocka_unit_test(after_each_mark_the_file_is_whole),
	cmocka_unit_test(an_append_after_a_mark_leaves_the_file_whole),
	cmocka_unit_test(the_end_replaces_sections_and_adds_some),
	cmocka_unit_test(a_long_text_is_cut_into_notes),
	cmocka_unit_test(in_a_stream_everything_is_a_record),
	cmocka_unit_test(the_old_file_is_kept_and_only_the_owner_can_read_the_new_one),
	cmocka_unit_test(a_file_that_is_not_published_is_gone),
	cmocka_unit_test(a_link_is_written_through),
};

TEST_FILE(tests);
