/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/samples.h"

#include "decode/recording_bytes.h"
#include "perfdata/sample.h"
#include "random.h"
#include "stats/spin/map_finder.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { FIELDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = FIELDS};

static enum quality_fact add(struct samples *samples, const struct perf_event_attr *attr,
			     int32_t tid, uint64_t ip, uint64_t time_ns, uint16_t misc)
{
	const uint64_t words[] = {77, ip};
	const struct sample sample = {.pid = 100, .tid = tid, .time_ns = time_ns};

	return samples_add(samples, attr, &sample, misc, (const char *)words);
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

static void a_dropped_sample_is_counted_with_the_reason(void **state)
{
	static const struct perf_event_attr task_clock = {.type = PERF_TYPE_SOFTWARE,
							  .config = PERF_COUNT_SW_TASK_CLOCK,
							  .sample_type = FIELDS};
	static const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
						      .config = PERF_COUNT_SW_PAGE_FAULTS,
						      .sample_type = FIELDS};
	static const struct {
		const struct perf_event_attr *attr;
		size_t rows; /* rows before */
		int32_t tid;
		uint16_t mode;
		enum quality_fact why;
	} cases[] = {
		{&clock_attr, 1, 100, PERF_RECORD_MISC_USER, QUALITY_EVENTS},
		{&clock_attr, SAMPLES_ROWS_MAX, 100, PERF_RECORD_MISC_USER,
		 QUALITY_DROPPED_SAMPLES},
		{&clock_attr, 1, -1, PERF_RECORD_MISC_KERNEL, QUALITY_NAMELESS_SAMPLES},
		/* of an idle CPU */
		{&clock_attr, 1, 0, PERF_RECORD_MISC_KERNEL, QUALITY_EVENTS},
		/* of another PID namespace */
		{&clock_attr, 1, 0, PERF_RECORD_MISC_USER, QUALITY_NAMELESS_SAMPLES},
		{&task_clock, 1, 100, PERF_RECORD_MISC_USER, QUALITY_SECOND_CLOCK},
		{&faults, 1, 100, PERF_RECORD_MISC_USER, QUALITY_EVENTS},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct samples samples = {.timed = true};

		add(&samples, &clock_attr, 100, 0x1000, 1, PERF_RECORD_MISC_USER);
		samples.row_count = cases[i].rows;
		assert_int_equal(
			add(&samples, cases[i].attr, cases[i].tid, 0x1000, 2, cases[i].mode),
			cases[i].why);
		samples_release(&samples);
	}
}

/* All samples stay, but without times from the first one on that has no row. */
static void samples_that_may_merge_are_merged_when_there_are_too_many(void **state)
{
	struct samples samples = {.timed = true, .may_merge = true};

	(void)state;
	for (uint64_t i = 0; i < SAMPLES_ROWS_MAX; i++)
		add(&samples, &clock_attr, 100, 0x1000, i, PERF_RECORD_MISC_USER);
	assert_true(samples.timed);
	assert_int_equal(samples.row_count, SAMPLES_ROWS_MAX);
	assert_int_equal(add(&samples, &clock_attr, 100, 0x2000, 1, PERF_RECORD_MISC_USER),
			 QUALITY_EVENTS);
	assert_false(samples.timed);
	assert_int_equal(samples.row_count, 2);
	assert_int_equal(samples.rows[0].count, SAMPLES_ROWS_MAX);
	assert_int_equal(samples.rows[1].ip, 0x2000);
	samples_release(&samples);
}

static void a_sample_at_a_probe_or_behind_its_breakpoint_is_of_the_recording(void **state)
{
	static const struct {
		struct sampled row;
		bool at_probe;
	} cases[] = {
		{{.pid = 100, .ip = 0x1000}, true},  {{.pid = 100, .ip = 0x1001}, true},
		{{.pid = 100, .ip = 0x1002}, false}, {{.pid = 100, .ip = 0xfff}, false},
		{{.pid = 101, .ip = 0x1000}, false}, {{.pid = 100, .ip = 0}, false},
	};
	struct samples samples = {.timed = true};

	(void)state;
	assert_false(samples_at_probe(&samples, &cases[0].row));
	samples_note_probe(&samples, 100, 0x1000);
	samples_note_probe(&samples, 100, 0x1000);
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(samples_at_probe(&samples, &cases[i].row), cases[i].at_probe);
	samples_release(&samples);
}

static void each_sample_is_a_row_if_times_are_requested(void **state)
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

/* The place in the program of the call that led into the kernel. */
static void with_chains_a_sample_in_the_kernel_is_at_the_call_into_it(void **state)
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

static void the_clock_tells_the_time_of_a_sample(void **state)
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
	add(&samples, &clock_attr, 0, 1, 1, PERF_RECORD_MISC_KERNEL); /* the idle thread */
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

/* A few bytes of a packed file may unpack to any number of paths. */
static void paths_take_limited_memory(void **state)
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

static void the_stack_of_a_thread_is_known_as_such(void **state)
{
	const struct {
		const char *path;
		uint16_t misc;
		int32_t stack_of;
		size_t maps;
	} cases[] = {
		{"[stack:100]", PERF_RECORD_MISC_MMAP_DATA, 100, 1},
		{"[stack:9999999999]", PERF_RECORD_MISC_MMAP_DATA, 100, 1},
		{"[stack]", PERF_RECORD_MISC_MMAP_DATA, 0, 0},
		{"[stack:", PERF_RECORD_MISC_MMAP_DATA, 0, 0},
		{"/[stack:100]", PERF_RECORD_MISC_MMAP_DATA, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct samples samples = {0};

		assert_int_equal(map(&samples, 100, 0x1000, cases[i].path, 1, cases[i].misc, 3), 0);
		assert_int_equal(samples.map_count, cases[i].maps);
		if (cases[i].maps) {
			assert_int_equal(samples.maps[0].stack_of, cases[i].stack_of);
			assert_null(samples.maps[0].path);
		}
		samples_release(&samples);
	}
}

static void code_of_the_kernel_in_a_process_is_known_as_such(void **state)
{
	const struct {
		const char *path;
		uint16_t misc;
		bool is_vdso;
		size_t maps;
	} cases[] = {
		{"[vdso]", 0, true, 1},	  {"[vdso]", PERF_RECORD_MISC_MMAP_DATA, false, 0},
		{"[vdso", 0, false, 1},	  {"[vdso]2", 0, false, 1},
		{"/[vdso]", 0, false, 1}, {"//anon", 0, false, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct samples samples = {0};

		assert_int_equal(map(&samples, 100, 0x1000, cases[i].path, 1, cases[i].misc,
				     PROT_READ | PROT_EXEC),
				 0);
		assert_int_equal(samples.map_count, cases[i].maps);
		if (cases[i].maps)
			assert_int_equal(samples.maps[0].is_vdso, cases[i].is_vdso);
		samples_release(&samples);
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

static struct mapped code(int32_t pid, uint64_t begin, const char *path, uint64_t time_ns)
{
	return (struct mapped){.pid = pid,
			       .time_ns = time_ns,
			       .begin = begin,
			       .end = begin + 0x1000,
			       .path = (char *)(uintptr_t)path};
}

struct place {
	int32_t pid;
	uint64_t ip, time_ns;
	const char *path;
};

static void hold(const struct samples *samples, const struct place *places, size_t count)
{
	struct map_finder finder;

	map_finder_init(&finder, samples);
	for (size_t i = 0; i < count; i++) {
		const struct place *at = &places[i];
		const struct mapped *found = map_finder_find(&finder, at->pid, at->ip, at->time_ns);

		const char *path = found ? found->path : "nothing";

		if (strcmp(path, at->path ? at->path : "nothing") != 0)
			fail_msg("place %zu is in %s", i, path);
	}
	map_finder_release(&finder);
}

static void a_place_is_in_the_last_mapping_there(void **state)
{
	struct mapped maps[] = {
		code(100, 0x4000, "/new", 20),	  code(100, 0x4000, "/old", 0),
		code(100, 0x4800, "/over", 30),	  code(101, 0x9000, "/first", 10),
		code(101, 0x9000, "/second", 10),
	};
	const struct samples samples = {.maps = maps, .map_count = COUNT(maps)};
	static const struct place places[] = {
		{100, 0x4000, 10, "/old"},  {100, 0x4fff, 20, "/new"},	  {100, 0x47ff, 40, "/new"},
		{100, 0x4800, 40, "/over"}, {100, 0x57ff, 40, "/over"},	  {100, 0x5800, 40, NULL},
		{100, 0x3fff, 40, NULL},    {101, 0x4000, 20, NULL},	  {99, 0x4000, 20, NULL},
		{101, 0x9000, 9, NULL},	    {101, 0x9000, 10, "/second"}, {102, 0x9000, 10, NULL},
	};

	(void)state;
	hold(&samples, places, COUNT(places));
}

static void a_child_has_the_mappings_of_its_parent(void **state)
{
	struct mapped maps[] = {
		code(100, 0x4000, "/before", 10),
		code(200, 0x4000, "/earlier", 5), /* another process had this number */
		code(100, 0x4000, "/after", 30),
		code(200, 0x4000, "/exec", 50),
	};
	struct parentage parents[] = {
		{200, 100, 20},
		{400, 500, 1}, /* damaged: each process is the parent of the other */
		{500, 400, 1},
	};
	const struct samples samples = {.maps = maps,
					.map_count = COUNT(maps),
					.parents = parents,
					.parent_count = COUNT(parents)};
	static const struct place places[] = {
		{200, 0x4000, 40, "/before"},
		{200, 0x4000, 15, "/earlier"},
		{200, 0x4000, 60, "/exec"},
		{400, 0x4000, 60, NULL},
	};

	(void)state;
	hold(&samples, places, COUNT(places));
}

/* The slow way: looks at all maps in the order of their records. */
static const struct mapped *look_through(const struct samples *samples, int32_t pid, uint64_t ip,
					 uint64_t time_ns)
{
	const struct mapped *found = NULL;

	for (size_t i = 0; i < samples->map_count; i++) {
		const struct mapped *map = &samples->maps[i];

		if (map->pid == pid && ip >= map->begin && ip < map->end &&
		    map->time_ns <= time_ns && (!found || map->time_ns >= found->time_ns))
			found = map;
	}
	return found;
}

static void any_maps_are_found_as_by_a_look_at_all(void **state)
{
	enum { MAPS = 40, PLACES = 1000, TRIALS = 20 };
	struct mapped maps[MAPS];
	const struct samples samples = {.maps = maps, .map_count = MAPS};
	struct random random = {3};

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct map_finder finder;

		for (size_t i = 0; i < MAPS; i++) {
			maps[i] = code(100 + (int32_t)random_below(&random, 3),
				       random_below(&random, 50), "/", random_below(&random, 8));
			maps[i].end = maps[i].begin + random_below(&random, 30);
		}
		map_finder_init(&finder, &samples);
		for (int i = 0; i < PLACES; i++) {
			int32_t pid = 99 + (int32_t)random_below(&random, 5);
			uint64_t ip = random_below(&random, 90);
			uint64_t time_ns = random_below(&random, 9);

			assert_ptr_equal(map_finder_find(&finder, pid, ip, time_ns),
					 look_through(&samples, pid, ip, time_ns));
		}
		map_finder_release(&finder);
	}
}

/* A damaged file may have as many maps as are kept, all at one place. */
static void many_maps_at_one_place_are_not_looked_through(void **state)
{
	struct mapped *maps = calloc(SAMPLES_MAPS_MAX, sizeof(*maps));
	const struct samples samples = {.maps = maps, .map_count = SAMPLES_MAPS_MAX};
	struct map_finder finder;

	(void)state;
	assert_non_null(maps);
	for (size_t i = 0; i < SAMPLES_MAPS_MAX; i++)
		maps[i] = code(100, 0x4000, "/", i);
	map_finder_init(&finder, &samples);
	for (int i = 0; i < 10000; i++)
		assert_ptr_equal(map_finder_find(&finder, 100, 0x4000, (uint64_t)i), &maps[i]);
	map_finder_release(&finder);
	free(maps);
}

static void without_maps_no_place_is_found(void **state)
{
	const struct samples samples = {.map_count = 0};
	static const struct place place = {100, 0x4000, 1, NULL};

	(void)state;
	hold(&samples, &place, 1);
}

/* --- Call chains --------------------------------------------------------------------------- */

static void chains_that_are_alike_have_one_number(void **state)
{
	static const uint64_t frames[] = {0x10, 0x20, 0x30};
	struct chains chains = {0};
	uint32_t first, second;
	struct chain chain;

	(void)state;
	first = chains_add(&chains, 7, 100, frames, 3);
	second = chains_add(&chains, 7, 200, frames, 2);
	assert_int_not_equal(first, 0);
	assert_int_not_equal(second, first);
	assert_int_equal(chains_add(&chains, 7, 300, frames, 3), first);
	assert_int_not_equal(chains_add(&chains, 8, 300, frames, 3), first);
	assert_int_equal(chains_add(&chains, 7, 300, frames, 0), 0);
	chain = chains_get(&chains, first);
	assert_int_equal(chain.pid, 7);
	assert_int_equal(chain.time_ns, 100);
	assert_int_equal(chain.count, 3);
	assert_memory_equal(chain.frames, frames, sizeof(frames));
	assert_int_equal(chains_get(&chains, 0).count, 0);
	assert_int_equal(chains_get(&chains, 4).count, 0);
	chains_release(&chains);
}

static void many_different_chains_have_different_numbers(void **state)
{
	enum { MANY = 20000 };
	struct chains chains = {0};

	(void)state;
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++) {
			const uint64_t frames[] = {i % 100, i / 100};

			assert_int_equal(chains_add(&chains, 1, i, frames, 2), i + 1);
		}
	assert_int_equal(chains.count, MANY);
	assert_int_equal(chains.dropped, 0);
	chains_release(&chains);
}

static void chains_beyond_the_room_are_counted(void **state)
{
	const size_t room = CHAINS_FRAMES_MAX / CHAIN_FRAMES_MAX;
	uint64_t frames[CHAIN_FRAMES_MAX] = {0};
	struct chains chains = {0};

	(void)state;
	for (frames[0] = 0; frames[0] < room + 5; frames[0]++)
		assert_int_equal(chains_add(&chains, 1, 0, frames, CHAIN_FRAMES_MAX),
				 frames[0] < room ? frames[0] + 1 : 0);
	assert_int_equal(chains.dropped, 5);
	frames[0] = 3; /* known already */
	assert_int_equal(chains_add(&chains, 1, 0, frames, CHAIN_FRAMES_MAX), 4);
	chains_release(&chains);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(chains_that_are_alike_have_one_number),
	cmocka_unit_test(many_different_chains_have_different_numbers),
	cmocka_unit_test(chains_beyond_the_room_are_counted),
	cmocka_unit_test(a_thread_at_one_place_is_one_row),
	cmocka_unit_test(each_sample_is_a_row_if_times_are_requested),
	cmocka_unit_test(a_dropped_sample_is_counted_with_the_reason),
	cmocka_unit_test(samples_that_may_merge_are_merged_when_there_are_too_many),
	cmocka_unit_test(a_sample_at_a_probe_or_behind_its_breakpoint_is_of_the_recording),
	cmocka_unit_test(the_kernel_is_one_place),
	cmocka_unit_test(with_chains_a_sample_in_the_kernel_is_at_the_call_into_it),
	cmocka_unit_test(the_clock_tells_the_time_of_a_sample),
	cmocka_unit_test(one_clock_counts_and_no_other_event),
	cmocka_unit_test(code_is_mapped_from_a_file_or_from_none),
	cmocka_unit_test(paths_take_limited_memory),
	cmocka_unit_test(data_are_no_code),
	cmocka_unit_test(a_new_thread_is_no_new_process),
	cmocka_unit_test(a_record_that_is_cut_short_is_damaged),
	cmocka_unit_test(a_map_may_have_a_build_id_in_the_place_of_its_inode),
	cmocka_unit_test(the_stack_of_a_thread_is_known_as_such),
	cmocka_unit_test(code_of_the_kernel_in_a_process_is_known_as_such),
	cmocka_unit_test(files_can_be_below_another_root),
	cmocka_unit_test(a_place_is_in_the_last_mapping_there),
	cmocka_unit_test(a_child_has_the_mappings_of_its_parent),
	cmocka_unit_test(any_maps_are_found_as_by_a_look_at_all),
	cmocka_unit_test(many_maps_at_one_place_are_not_looked_through),
	cmocka_unit_test(without_maps_no_place_is_found),
};

TEST_FILE(tests);
