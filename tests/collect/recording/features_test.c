/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/collector.h"
#include "collect/recording/features.h"
#include "collect/recording/recording.h"
#include "collect/target/target.h"
#include "perfdata/perfdata.h"

#include <stdlib.h>
#include <unistd.h>

static const struct perf_event_attr attr = {.type = 2};
static const uint64_t ids[] = {11, 12};
static struct perfdata_event events[] = {{"sched:sched_switch", &attr, ids, 2},
					 {"dummy", &attr, ids, 2}};

static const struct target_spec nothing;

static void tell(const struct collector *collector, FILE *out)
{
	(void)collector;
	fputs("told 1\n", out);
}

static void make(struct features *features, const struct target *target, uint64_t end_ns,
		 enum features_time time)
{
	static const char *const cmdline[] = {"pscal record", "true", NULL};
	static const struct collector_kind kind = {.name = "fake", .tell = tell};
	static struct collector collector = {.kind = &kind};
	static const struct collector_set collectors = {
		.items = {&collector}, .count = 1, .events = events, .event_count = 2};
	char root[64];
	struct err err;
	const struct recording_facts input = {
		.tracefs = root,
		.cmdline = cmdline,
		.target = target,
		.collectors = &collectors,
		.launched = 7,
		.start_ns = 1000,
		.end_ns = end_ns,
		.compression_level = 3,
		.compression_ratio = 7,
	};

	dir_make(root);
	dir_put(root, "events/header_page", "page\n");
	dir_put(root, "events/header_event", "event\n");
	dir_put(root, "events/sched/sched_switch/format", "format\n");
	assert_int_equal(features_make(features, &input, time, &err), 0);
	dir_remove(root);
}

static const struct perfdata_content *find(const struct features *features, int feature)
{
	for (size_t i = 0; i < features->count; i++)
		if (features->contents[i].feature == feature)
			return &features->contents[i];
	return NULL;
}

static void facts_without_a_field_of_perf_are_text(void **state)
{
	static const pid_t roots[] = {7};
	static const struct target_spec spec = {.pids = roots, .pid_count = 1};
	static struct target_thread threads[] = {
		{900, 7, 7, 1, 'S', "a b"},
		{950, 7, 8, 1, 'R', ""},
	};
	static struct target target = {
		.spec = &spec,
		.threads = threads,
		.thread_count = 2,
		.affinity = {.has = {[0] = true, [1] = true, [8] = true}},
	};
	struct features features;
	const struct perfdata_content *content;

	(void)state;
	make(&features, &target, UINT64_MAX, FEATURES_END);
	content = find(&features, PERFDATA_PSCAL);
	assert_non_null(content);
	assert_string_equal(content->bytes, "pscal 1\n"
					    "mode command\n"
					    "launched 7\n"
					    "collector fake\n"
					    "root 7\n"
					    "affinity 0-1,8\n"
					    "start_ns 1000\n"
					    "end_ns 18446744073709551615\n"
					    "told 1\n"
					    "thread 900 7 7 S a b\n"
					    "thread 950 7 8 R \n");
	assert_int_equal(content->size, strlen(content->bytes));
	features_release(&features);
}

static void unknown_facts_are_left_out(void **state)
{
	static struct target none = {.spec = &nothing};
	struct features features;

	(void)state;
	make(&features, &none, 0, FEATURES_TARGET);
	assert_int_equal(features.count, 1);
	assert_int_equal(features.contents[0].feature, PERFDATA_PSCAL);
	assert_string_equal(features.contents[0].bytes, "pscal 1\n"
							"mode command\n"
							"launched 7\n"
							"collector fake\n"
							"start_ns 1000\n"
							"told 1\n");
	features_release(&features);
}

static void a_compressed_file_names_its_compression(void **state)
{
	static struct target none = {.spec = &nothing};
	struct features features;
	const struct perfdata_content *content;
	struct perfdata_compressed how;

	(void)state;
	make(&features, &none, 0, FEATURES_BEGIN);
	content = find(&features, PERFDATA_COMPRESSED);
	assert_non_null(content);
	assert_int_equal(content->size, sizeof(how));
	memcpy(&how, content->bytes, sizeof(how));
	assert_int_equal(how.version, 1);
	assert_int_equal(how.type, 1);
	assert_int_equal(how.level, 3);
	assert_int_equal(how.ratio, 7);
	assert_true(how.unpacked_max >= (60 << 10) + UINT16_MAX);
	features_release(&features);
}

static void each_kind_of_target_has_its_lines(void **state)
{
	static const pid_t named[] = {7, 8};
	char *self = xasprintf(
		"mode command\nlaunched 7\ncollector fake\nwide 1\nself %d\nstart_ns 1000\n",
		(int)getpid());
	const struct {
		struct target_spec spec;
		const char *lines;
	} cases[] = {
		{{.pids = named, .pid_count = 2, .alone = true},
		 "mode command\nlaunched 7\ncollector fake\nroot 7\nroot 8\nalone 1\nstart_ns "
		 "1000\n"},
		{{.tids = named, .tid_count = 2},
		 "mode command\nlaunched 7\ncollector fake\ntid 7\ntid 8\nstart_ns 1000\n"},
		{{.comm = "a b"},
		 "mode command\nlaunched 7\ncollector fake\ncomm a b\nstart_ns 1000\n"},
		{{.all = true}, self},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct target target;
		struct features features;

		target.spec = &cases[i].spec;
		make(&features, &target, 0, FEATURES_TARGET);
		assert_non_null(strstr(find(&features, PERFDATA_PSCAL)->bytes, cases[i].lines));
		features_release(&features);
	}
	free(self);
}

static void sections_ascend_as_the_format_requires(void **state)
{
	static struct target none = {.spec = &nothing};
	struct features features;

	(void)state;
	make(&features, &none, 0, FEATURES_BEGIN);
	for (size_t i = 1; i < features.count; i++)
		assert_true(features.contents[i - 1].feature < features.contents[i].feature);
	features_release(&features);
}

static void strings_are_padded_and_preceded_by_their_size(void **state)
{
	static struct target none = {.spec = &nothing};
	struct features features;
	const struct perfdata_content *content;
	uint32_t words[2];

	(void)state;
	make(&features, &none, 0, FEATURES_BEGIN);
	content = find(&features, PERFDATA_CMDLINE);
	memcpy(words, content->bytes, sizeof(words));
	assert_int_equal(words[0], 2);
	assert_int_equal(words[1], 64);
	assert_string_equal(content->bytes + 8, "pscal record");
	assert_string_equal(content->bytes + 8 + 64 + 4, "true");
	assert_int_equal(content->size, 4 + 2 * (4 + 64));
	features_release(&features);
}

/* A recording uses calibrations of its machine by the name of the CPU. */
static void the_cpu_is_named_as_the_machine_names_it(void **state)
{
	static struct target none = {.spec = &nothing};
	struct features features;
	const struct perfdata_content *content;
	char *model = cpu_model("");

	(void)state;
	make(&features, &none, 0, FEATURES_BEGIN);
	content = find(&features, PERFDATA_CPUDESC);
	if (model)
		assert_string_equal(content->bytes + 4, model);
	else
		assert_null(content);
	free(model);
	features_release(&features);
}

/* --- Tracing data --------------------------------------------------------------------------- */

/* Two tracepoints of one system, and one of a group of a single run of the recorder. */
static struct perfdata_event tracepoints[] = {{"sched:sched_switch", &attr, ids, 1},
					      {"sched:sched_waking", &attr, ids, 1},
					      {"pscal:mutex_lock", &attr, ids, 1}};

/* Makes the section of the first `count` tracepoints; `formats`: tracefs has the formats of
 * sched. */
static int make_tracing_data(struct features *features, size_t count, bool formats, struct err *err)
{
	static const char *const cmdline[] = {"pscal record", NULL};
	static const struct collector_kind kind = {.name = "fake"};
	static struct collector collector = {.kind = &kind};
	static struct target none = {.spec = &nothing};
	const struct collector_set collectors = {
		.items = {&collector}, .count = 1, .events = tracepoints, .event_count = count};
	char root[64], group[UPROBES_GROUP_SIZE], *run_place, *format;
	struct run_directory run;
	const struct recording_facts input = {.tracefs = root,
					      .run = &run,
					      .cmdline = cmdline,
					      .target = &none,
					      .collectors = &collectors};
	int rc;

	dir_make(root);
	run_place = xasprintf("%s/run", root);
	assert_int_equal(run_directory_open_in(&run, run_place, err), 0);
	uprobes_group(group, UPROBES_SYNC, &run);
	format = xasprintf("events/%s/mutex_lock/format", group);
	dir_put(root, "events/header_page", "page\n");
	dir_put(root, "events/header_event", "event\n");
	dir_put(root, format, "m\n");
	if (formats) {
		dir_put(root, "events/sched/sched_switch/format", "s\n");
		dir_put(root, "events/sched/sched_waking/format", "wk\n");
	}
	rc = features_make(features, &input, FEATURES_BEGIN, err);
	run_directory_close(&run);
	free(format);
	free(run_place);
	dir_remove(root);
	return rc;
}

static void the_section_is_laid_out_as_perf_reads_it(void **state)
{
	static const char before[] = "\x17\x08\x44"
				     "tracing"
				     "0.6\0";
	static const char after[] = "header_page\0"
				    "\x05\0\0\0\0\0\0\0"
				    "page\n"
				    "header_event\0"
				    "\x06\0\0\0\0\0\0\0"
				    "event\n"
				    "\0\0\0\0"
				    "\x01\0\0\0"
				    "sched\0"
				    "\x02\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "s\n"
				    "\x03\0\0\0\0\0\0\0"
				    "wk\n"
				    "\0\0\0\0"
				    "\0\0\0\0"
				    "\0\0\0\0\0\0\0"; /* and the NUL of the literal */
	const struct perfdata_content *content;
	size_t at = sizeof(before) - 1;
	struct features features;
	uint32_t page_size;
	struct err err;

	(void)state;
	assert_int_equal(make_tracing_data(&features, 2, true, &err), 0);
	content = find(&features, PERFDATA_TRACING_DATA);
	assert_non_null(content);
	assert_int_equal(content->size, at + 6 + sizeof(after));
	assert_memory_equal(content->bytes, before, at);
	assert_int_equal(content->bytes[at], __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(content->bytes[at + 1], sizeof(long));
	memcpy(&page_size, content->bytes + at + 2, sizeof(page_size));
	assert_int_equal(page_size, sysconf(_SC_PAGESIZE));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_memory_equal(content->bytes + at + 6, after, sizeof(after));
	features_release(&features);
}

/* The group of a run gets the common name of such groups. */
static void events_of_several_systems_are_under_the_names_of_these(void **state)
{
	static const char after[] = "\x02\0\0\0"
				    "sched\0"
				    "\x02\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "s\n"
				    "\x03\0\0\0\0\0\0\0"
				    "wk\n"
				    "pscal\0"
				    "\x01\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "m\n"
				    "\0\0\0\0"
				    "\0\0\0\0"
				    "\0\0\0\0\0\0\0"; /* and the NUL of the literal */
	const struct perfdata_content *content;
	struct features features;
	struct err err;

	(void)state;
	assert_int_equal(make_tracing_data(&features, 3, true, &err), 0);
	content = find(&features, PERFDATA_TRACING_DATA);
	assert_true(content->size > sizeof(after));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_memory_equal(content->bytes + content->size - sizeof(after), after,
				    sizeof(after));
	features_release(&features);
}

static void a_missing_format_is_named(void **state)
{
	struct features features;
	struct err err;

	(void)state;
	assert_int_equal(make_tracing_data(&features, 2, false, &err), -1);
	assert_non_null(strstr(err.text, "events/sched/sched_switch/format"));
	features_release(&features);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(facts_without_a_field_of_perf_are_text),
	cmocka_unit_test(unknown_facts_are_left_out),
	cmocka_unit_test(a_compressed_file_names_its_compression),
	cmocka_unit_test(each_kind_of_target_has_its_lines),
	cmocka_unit_test(sections_ascend_as_the_format_requires),
	cmocka_unit_test(strings_are_padded_and_preceded_by_their_size),
	cmocka_unit_test(the_cpu_is_named_as_the_machine_names_it),
	cmocka_unit_test(the_section_is_laid_out_as_perf_reads_it),
	cmocka_unit_test(events_of_several_systems_are_under_the_names_of_these),
	cmocka_unit_test(a_missing_format_is_named),
};

TEST_FILE(tests);
