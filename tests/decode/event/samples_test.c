/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/samples.h"

#include "decode/event/chains.h"
#include "decode/recording_bytes.h"
#include "perfdata/sample.h"
#include "support.h"

#include <stdio.h>
#include <sys/mman.h>

enum { FIELDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = FIELDS};

static void add(struct samples *samples, const struct perf_event_attr *attr, int32_t tid,
		uint64_t ip, uint64_t time_ns, uint16_t misc)
{
	const uint64_t words[] = {77, ip};
	const struct sample sample = {.pid = 100, .tid = tid, .time_ns = time_ns};

	samples_add(samples, attr, &sample, misc, (const char *)words);
}

static int map(struct samples *samples, int32_t pid, uint64_t begin, const char *path,
	       uint64_t time_ns, uint16_t misc, uint32_t protection)
{
	struct bytes body = {0};
	int rc;

	put_u32(&body, (uint32_t)pid);
	put_u32(&body, (uint32_t)pid);
	put_u64(&body, begin);
	put_u64(&body, 0x1000);
	put_u64(&body, 0x200);
	put_u64(&body, 8);
	put_u64(&body, 1234); /* inode */
	put_u64(&body, 0);
	put_u32(&body, protection);
	put_u32(&body, 2);
	put(&body, path, strlen(path) + 1);
	rc = samples_map(samples, PERF_RECORD_MMAP2, misc, time_ns, body.at, body.count);
	free(body.at);
	return rc;
}

static int map_code(struct samples *samples, int32_t pid, uint64_t begin, const char *path,
		    uint64_t time_ns)
{
	return map(samples, pid, begin, path, time_ns, PERF_RECORD_MISC_USER,
		   PROT_READ | PROT_EXEC);
}

static void a_thread_at_one_place_is_one_row(void **state)
{
	struct samples samples = {0};
	uint64_t counts[4] = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		add(&samples, &clock_attr, 100 + (int32_t)(i % 2), 0x1000 + i % 4, 50000 - i,
		    PERF_RECORD_MISC_USER);
	assert_true(samples.row_count < 10000);
	for (size_t i = 0; i < samples.row_count; i++)
		counts[samples.rows[i].ip - 0x1000] += samples.rows[i].count;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(counts[i], 5000);
	samples_release(&samples);
}

/* Memory has an end, and what does not fit is counted. */
static void samples_beyond_all_room_are_counted(void **state)
{
	struct samples samples = {.timed = true, .row_count = SAMPLES_ROWS_MAX};

	(void)state;
	add(&samples, &clock_attr, 100, 0x1000, 1, PERF_RECORD_MISC_USER);
	add(&samples, &clock_attr, 0, 0x1000, 2, PERF_RECORD_MISC_USER);
	assert_int_equal(samples.row_count, SAMPLES_ROWS_MAX);
	assert_int_equal(samples.dropped, 1);
	samples_release(&samples);
}

/* They are all there, without their times from the one on that has no row left. */
static void samples_that_may_merge_do_so_when_they_get_too_many(void **state)
{
	struct samples samples = {.timed = true, .may_merge = true};

	(void)state;
	for (uint64_t i = 0; i < SAMPLES_ROWS_MAX; i++)
		add(&samples, &clock_attr, 100, 0x1000, i, PERF_RECORD_MISC_USER);
	assert_true(samples.timed);
	assert_int_equal(samples.row_count, SAMPLES_ROWS_MAX);
	add(&samples, &clock_attr, 100, 0x2000, 1, PERF_RECORD_MISC_USER);
	assert_false(samples.timed);
	assert_int_equal(samples.dropped, 0);
	assert_int_equal(samples.row_count, 2);
	assert_int_equal(samples.rows[0].count, SAMPLES_ROWS_MAX);
	assert_int_equal(samples.rows[1].ip, 0x2000);
	samples_release(&samples);
}

static void each_sample_is_a_row_where_times_are_wanted(void **state)
{
	struct samples samples = {.timed = true};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		add(&samples, &clock_attr, 100, 0x1000, i, PERF_RECORD_MISC_USER);
	assert_int_equal(samples.row_count, 20000);
	assert_int_equal(samples.rows[19999].time_ns, 19999);
	samples_release(&samples);
}

static void the_kernel_is_one_place(void **state)
{
	struct samples samples = {0};

	(void)state;
	add(&samples, &clock_attr, 100, 0xffffffff81000000, 1, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(samples.row_count, 1);
	assert_int_equal(samples.rows[0].mode, SAMPLED_KERNEL);
	assert_int_equal(samples.rows[0].ip, 0);
	samples_release(&samples);
}

/* A place of the program in which a call was made that took it into the kernel. */
static void the_kernel_is_where_it_was_entered_if_chains_are_wanted(void **state)
{
	static const uint64_t ips[] = {(uint64_t)PERF_CONTEXT_KERNEL,
				       0xffffffff81000000,
				       (uint64_t)PERF_CONTEXT_USER,
				       0x1000,
				       0x2000,
				       0x3000};
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_CPU_CLOCK,
					     .sample_type = FIELDS | PERF_SAMPLE_CALLCHAIN};
	struct chains chains = {0};
	struct samples samples = {.chains = &chains, .chain_frames = 2};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		samples_add(
			&samples, &attr,
			&(struct sample){.pid = 100, .tid = 100, .chain = ips, .chain_length = 6},
			PERF_RECORD_MISC_KERNEL, (const char *)(const uint64_t[]){77, ips[1]});
	assert_int_equal(samples.rows[0].mode, SAMPLED_KERNEL);
	assert_int_equal(samples.rows[0].ip, 0x1000);
	assert_int_equal(samples.rows[0].chain, 1);
	assert_int_equal(samples.rows[1].chain, 1);
	assert_int_equal(chains_get(&chains, 1).count, 2);
	assert_int_equal(chains_get(&chains, 1).frames[1], 0x2000);
	samples_release(&samples);
	chains_release(&chains);
}

static void the_clock_tells_how_much_time_a_sample_stands_for(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		uint64_t tick_ns;
	} cases[] = {
		{{.type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 1000}, 1000000},
		{{.type = PERF_TYPE_SOFTWARE, .sample_period = 250000}, 250000},
		{{.type = PERF_TYPE_HARDWARE, .freq = 1, .sample_freq = 4000}, 250000},
		{{.type = PERF_TYPE_HARDWARE, .sample_period = 250000}, 0}, /* cycles */
		{{.type = PERF_TYPE_SOFTWARE, .freq = 1}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = cases[i].attr;
		struct samples samples = {0};

		attr.sample_type = FIELDS;
		add(&samples, &attr, 100, 0x1000, 1, PERF_RECORD_MISC_USER);
		assert_int_equal(samples.tick_ns, cases[i].tick_ns);
		samples_release(&samples);
	}
}

static void one_clock_counts_and_no_other_event(void **state)
{
	const struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					       .config = PERF_COUNT_HW_CPU_CYCLES,
					       .sample_type = FIELDS};
	const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_PAGE_FAULTS,
					       .sample_type = FIELDS};
	const struct perf_event_attr placeless = {.type = PERF_TYPE_SOFTWARE,
						  .config = PERF_COUNT_SW_CPU_CLOCK,
						  .sample_type = PERF_SAMPLE_TID};
	struct samples samples = {0};

	(void)state;
	add(&samples, &faults, 100, 1, 1, PERF_RECORD_MISC_USER);
	add(&samples, &placeless, 100, 1, 1, PERF_RECORD_MISC_USER);
	assert_false(samples.has_clock);
	add(&samples, &clock_attr, 0, 1, 1, PERF_RECORD_MISC_KERNEL); /* idles */
	add(&samples, &clock_attr, 100, 1, 1, PERF_RECORD_MISC_USER);
	add(&samples, &cycles, 100, 1, 1, PERF_RECORD_MISC_USER);
	assert_int_equal(samples.row_count, 1);
	samples_release(&samples);
}

static void code_is_mapped_from_a_file_or_from_none(void **state)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6"},
		{"//anon", NULL},
		{"[vdso]", NULL},
		{"/memfd:code (deleted)", "/memfd:code (deleted)"},
		{"", NULL},
	};
	struct samples samples = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mapped *mapped;

		assert_int_equal(map_code(&samples, 100, 0x4000, cases[i].name, 20), 0);
		mapped = &samples.maps[i];
		if (!mapped->path != !cases[i].path)
			fail_msg("'%s' has the path '%s'", cases[i].name, mapped->path);
		if (mapped->path)
			assert_string_equal(mapped->path, cases[i].path);
		assert_int_equal(mapped->begin, 0x4000);
		assert_int_equal(mapped->end, 0x5000);
		assert_int_equal(mapped->offset, 0x200);
		assert_int_equal(mapped->inode, 1234);
		assert_int_equal(mapped->time_ns, 20);
	}
	samples_release(&samples);
}

/* Of a file that is packed, a few bytes may become any number of paths. */
static void paths_take_no_memory_without_a_bound(void **state)
{
	struct samples samples = {0};
	char longest[5000];

	(void)state;
	memset(longest, '/', sizeof(longest));
	memset(longest + 1, 'a', sizeof(longest) - 2);
	longest[sizeof(longest) - 1] = '\0';
	map_code(&samples, 100, 0x4000, longest, 0);
	assert_null(samples.maps[0].path);
	longest[4095] = '\0';
	for (int i = 0; i < 20000; i++)
		map_code(&samples, 100, 0x4000, longest, 0);
	assert_in_range(samples.path_bytes, 60 << 20, 70 << 20);
	assert_in_range(samples.map_count, 15000, 18000);
	samples_release(&samples);
}

static void data_are_no_code(void **state)
{
	struct samples samples = {0};

	(void)state;
	map(&samples, 100, 0x4000, "/data", 0, PERF_RECORD_MISC_USER, PROT_READ);
	map(&samples, 100, 0x4000, "/data", 0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA,
	    PROT_READ | PROT_EXEC);
	assert_int_equal(samples.map_count, 0);
	samples_release(&samples);
}

static void a_new_thread_is_no_new_process(void **state)
{
	struct samples samples = {0};

	(void)state;
	samples_fork(&samples, 300, 300, 1);
	assert_int_equal(samples.parent_count, 0);
	samples_fork(&samples, 301, 300, 2);
	assert_int_equal(samples.parent_count, 1);
	samples_release(&samples);
}

static void a_record_that_is_cut_short_is_damaged(void **state)
{
	static const char zeroes[64];
	struct samples samples = {0};

	(void)state;
	for (size_t length = 0; length < 64; length++)
		assert_int_equal(samples_map(&samples, PERF_RECORD_MMAP2, 0, 0, zeroes, length),
				 -1);
	for (size_t length = 0; length < 32; length++)
		assert_int_equal(samples_map(&samples, PERF_RECORD_MMAP, 0, 0, zeroes, length), -1);
	assert_int_equal(samples.map_count, 0);
	samples_release(&samples);
}

static void a_map_may_have_a_build_id_in_the_place_of_its_inode(void **state)
{
	static const struct {
		const char *bytes; /* size, padding, id */
		size_t size;
	} cases[] = {
		{"\x14\0\0\0abcdefghijklmnopqrst", 20},
		{"\x08\0\0\0abcdefgh\0\0\0\0\0\0\0\0\0\0\0", 8},
		{"\x15\0\0\0abcdefghijklmnopqrst", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct samples samples = {0};
		struct bytes body = {0};

		put_u32(&body, 100);
		put_u32(&body, 100);
		put_u64(&body, 0x1000);
		put_u64(&body, 0x1000);
		put_u64(&body, 0);
		put(&body, cases[i].bytes, 24);
		put_u32(&body, PROT_EXEC);
		put_u32(&body, 0);
		put(&body, "/a", 3);
		assert_int_equal(samples_map(&samples, PERF_RECORD_MMAP2,
					     PERF_RECORD_MISC_MMAP_BUILD_ID, 1, body.at,
					     body.count),
				 0);
		assert_int_equal(samples.map_count, 1);
		assert_int_equal(samples.maps[0].inode, 0);
		assert_int_equal(samples.maps[0].build_id_size, cases[i].size);
		assert_memory_equal(samples.maps[0].build_id, cases[i].bytes + 4, cases[i].size);
		samples_release(&samples);
		free(body.at);
	}
}

/* Its inode is that of another machine. */
static void files_can_be_below_another_root(void **state)
{
	char *file = strdup(file_with("x", 1)), *name = strrchr(file, '/'), found[4096];
	struct samples samples = {0};

	(void)state;
	map_code(&samples, 100, 0x1000, name, 1);
	map_code(&samples, 100, 0x2000, "/is/nowhere", 1);
	snprintf(found, sizeof(found), "%s", file);
	*name = '\0';
	samples_set_root(&samples, file);
	assert_string_equal(samples.maps[0].path, found);
	assert_int_equal(samples.maps[0].inode, 0);
	assert_int_equal(samples.maps[1].inode, 0);
	samples_release(&samples);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_at_one_place_is_one_row),
		cmocka_unit_test(each_sample_is_a_row_where_times_are_wanted),
		cmocka_unit_test(samples_beyond_all_room_are_counted),
		cmocka_unit_test(samples_that_may_merge_do_so_when_they_get_too_many),
		cmocka_unit_test(the_kernel_is_one_place),
		cmocka_unit_test(the_kernel_is_where_it_was_entered_if_chains_are_wanted),
		cmocka_unit_test(the_clock_tells_how_much_time_a_sample_stands_for),
		cmocka_unit_test(one_clock_counts_and_no_other_event),
		cmocka_unit_test(code_is_mapped_from_a_file_or_from_none),
		cmocka_unit_test(paths_take_no_memory_without_a_bound),
		cmocka_unit_test(data_are_no_code),
		cmocka_unit_test(a_new_thread_is_no_new_process),
		cmocka_unit_test(a_record_that_is_cut_short_is_damaged),
		cmocka_unit_test(a_map_may_have_a_build_id_in_the_place_of_its_inode),
		cmocka_unit_test(files_can_be_below_another_root),
	};

	return RUN_TESTS(tests);
}
