/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/perfdata.h"
#include "collect/perfdata_write.h"
#include "collect/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

static const struct perf_event_attr attrs[2] = {{.type = 2, .config = 372}, {.type = 1}};
static const uint64_t ids[2][2] = {{11, 12}, {21, 22}};
static const struct perfdata_event events[2] = {{"a:b", &attrs[0], ids[0], 2},
						{"dummy", &attrs[1], ids[1], 2}};

struct fixture {
	char root[64], path[80];
	struct recording_file file;
	struct err err;
	char bytes[4096];
	size_t size;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	dir_make(f->root);
	snprintf(f->path, sizeof(f->path), "%s/data", f->root);
	assert_int_equal(recording_file_open(&f->file, f->path, &f->err), 0);
	assert_int_equal(perfdata_write_begin(&f->file, events, 2, &f->err), 0);
	assert_int_equal(recording_file_publish(&f->file, &f->err), 0);
}

static void load(struct fixture *f)
{
	FILE *file = fopen(f->path, "re");

	assert_non_null(file);
	f->size = fread(f->bytes, 1, sizeof(f->bytes), file);
	fclose(file);
}

static void end(struct fixture *f)
{
	assert_int_equal(recording_file_close(&f->file, &f->err), 0);
	dir_remove(f->root);
}

static void a_recording_that_did_not_end_has_no_data_size(void **state)
{
	struct perfdata_header header;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(recording_file_append(&f.file, "a record", 8, &f.err), 0);
	load(&f);
	memcpy(&header, f.bytes, sizeof(header));
	assert_int_equal(header.magic, PERFDATA_MAGIC);
	assert_int_equal(header.size, PERFDATA_HEADER_SIZE);
	assert_int_equal(header.data.size, 0);
	assert_int_equal(header.data.offset + 8, f.size);
	assert_int_equal(header.features[0] | header.features[1] | header.features[2] |
				 header.features[3],
			 0);
	end(&f);
}

static void each_event_has_its_attribute_and_ids(void **state)
{
	struct {
		struct perf_event_attr attr;
		struct perfdata_section ids;
	} entry;
	struct perfdata_header header;
	struct fixture f;

	(void)state;
	begin(&f);
	load(&f);
	memcpy(&header, f.bytes, sizeof(header));
	assert_int_equal(header.attr_size, sizeof(entry));
	assert_int_equal(header.attrs.size, 2 * sizeof(entry));
	for (size_t i = 0; i < 2; i++) {
		memcpy(&entry, f.bytes + header.attrs.offset + i * sizeof(entry), sizeof(entry));
		assert_memory_equal(&entry.attr, &attrs[i], sizeof(attrs[i]));
		assert_int_equal(entry.ids.size, sizeof(ids[i]));
		assert_memory_equal(f.bytes + entry.ids.offset, ids[i], sizeof(ids[i]));
	}
	end(&f);
}

static void sections_follow_the_data_in_the_order_of_their_bits(void **state)
{
	char one[] = "one", two[] = "second";
	const struct perfdata_content contents[] = {{PERFDATA_HOSTNAME, one, 3},
						    {PERFDATA_PSCAL, two, 6}};
	struct perfdata_section table[2];
	struct perfdata_header header;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(recording_file_append(&f.file, "a record", 8, &f.err), 0);
	assert_int_equal(perfdata_write_end(&f.file, events, 2, contents, 2, &f.err), 0);
	load(&f);
	memcpy(&header, f.bytes, sizeof(header));
	assert_int_equal(header.data.size, 8);
	assert_true(header.features[0] == UINT64_C(1) << PERFDATA_HOSTNAME);
	assert_true(header.features[3] == UINT64_C(1) << (PERFDATA_PSCAL - 192));
	memcpy(table, f.bytes + header.data.offset + header.data.size, sizeof(table));
	assert_int_equal(table[0].size, 3);
	assert_memory_equal(f.bytes + table[0].offset, one, 3);
	assert_int_equal(table[1].size, 6);
	assert_memory_equal(f.bytes + table[1].offset, two, 6);
	assert_int_equal(table[1].offset + table[1].size, f.size);
	end(&f);
}

static void a_file_keeps_the_one_before_and_is_the_owners_alone(void **state)
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
	assert_int_equal(rmdir(f.root), 0); /* it is empty */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_that_did_not_end_has_no_data_size),
		cmocka_unit_test(each_event_has_its_attribute_and_ids),
		cmocka_unit_test(sections_follow_the_data_in_the_order_of_their_bits),
		cmocka_unit_test(a_file_keeps_the_one_before_and_is_the_owners_alone),
		cmocka_unit_test(a_file_that_is_not_published_is_gone),
		cmocka_unit_test(a_link_is_written_through),
	};

	return RUN_TESTS(tests);
}
