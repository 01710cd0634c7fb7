/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/counts.h"

#include "decode/recording_bytes.h"
#include "perfdata/sample.h"
#include "support.h"

enum { TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, LOST = 1 << 4 };

static const struct sample at_5000 = {.time_ns = 5000, .id = 77};

/* The description of an event in PERFDATA_EVENT_DESC. */
static void put_event(struct bytes *bytes, uint32_t type, uint64_t config, const char *name,
		      const uint64_t *ids, uint32_t id_count)
{
	const struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};

	put(bytes, &attr, sizeof(attr));
	put_u32(bytes, id_count);
	put_u32(bytes, (uint32_t)strlen(name) + 1);
	put_text(bytes, name);
	put(bytes, ids, id_count * sizeof(*ids));
}

static struct bytes section(void)
{
	static const uint64_t faults[] = {20, 10}, clock[] = {15};
	struct bytes bytes = {0};

	put_u32(&bytes, 2);
	put_u32(&bytes, sizeof(struct perf_event_attr));
	put_event(&bytes, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults", faults, 2);
	put_event(&bytes, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock", clock, 1);
	return bytes;
}

static int add(struct counts *counts, uint64_t format, const uint64_t *words, size_t word_count)
{
	const struct perf_event_attr attr = {.type = 4, .config = 0x10e, .read_format = format};
	struct bytes body = {0};
	int rc;

	put_u32(&body, 100);
	put_u32(&body, 101);
	put(&body, words, word_count * sizeof(*words));
	rc = counts_add(counts, &attr, &at_5000, body.at, body.count);
	free(body.at);
	return rc;
}

#define ADD(counts, format, ...)                                 \
	add((counts), (format), (const uint64_t[]){__VA_ARGS__}, \
	    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void events_have_the_names_of_the_section(void **state)
{
	struct bytes bytes = section();
	struct counts counts = {0};

	(void)state;
	assert_int_equal(counts_name(&counts, bytes.at, bytes.count), 0);
	assert_int_equal(ADD(&counts, TIMES | PERF_FORMAT_ID, 42, 9, 8, 10), 0);
	assert_int_equal(ADD(&counts, TIMES | PERF_FORMAT_ID, 43, 9, 8, 15), 0);
	assert_int_equal(ADD(&counts, TIMES | PERF_FORMAT_ID, 44, 9, 8, 20), 0);
	assert_int_equal(counts.row_count, 3);
	assert_string_equal(counts.counters[counts.rows[0].counter].name, "page-faults");
	assert_string_equal(counts.counters[counts.rows[1].counter].name, "task-clock");
	assert_string_equal(counts.counters[counts.rows[2].counter].name, "page-faults");
	assert_false(counts.counters[counts.rows[0].counter].in_ns);
	assert_true(counts.counters[counts.rows[1].counter].in_ns);
	counts_release(&counts);
	free(bytes.at);
}

static void an_event_without_a_name_has_its_numbers(void **state)
{
	struct counts counts = {0};

	(void)state;
	assert_int_equal(ADD(&counts, PERF_FORMAT_ID, 42, 99), 0);
	assert_int_equal(ADD(&counts, PERF_FORMAT_ID, 43, 98), 0);
	assert_int_equal(counts.counter_count, 1);
	assert_string_equal(counts.counters[0].name, "type 4 config 0x10e");
	counts_release(&counts);
}

static void a_value_has_the_fields_of_its_format(void **state)
{
	static const struct {
		uint64_t format;
		uint64_t words[5];
		size_t count;
		struct count want;
	} cases[] = {
		{0, {42}, 1, {.value = 42}},
		{PERF_FORMAT_ID, {42, 1}, 2, {.value = 42}},
		{TIMES, {42, 9, 8}, 3, {.value = 42, .enabled_ns = 9, .running_ns = 8}},
		{PERF_FORMAT_TOTAL_TIME_RUNNING, {42, 8}, 2, {.value = 42, .running_ns = 8}},
		{TIMES | PERF_FORMAT_ID | LOST,
		 {42, 9, 8, 1, 7},
		 5,
		 {.value = 42, .enabled_ns = 9, .running_ns = 8}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counts counts = {0};

		assert_int_equal(add(&counts, cases[i].format, cases[i].words, cases[i].count), 0);
		assert_int_equal(counts.row_count, 1);
		assert_int_equal(counts.rows[0].pid, 100);
		assert_int_equal(counts.rows[0].tid, 101);
		assert_int_equal(counts.rows[0].time_ns, 5000);
		assert_int_equal(counts.rows[0].value, cases[i].want.value);
		assert_int_equal(counts.rows[0].enabled_ns, cases[i].want.enabled_ns);
		assert_int_equal(counts.rows[0].running_ns, cases[i].want.running_ns);
		assert_int_equal(counts.rows[0].has_times, (cases[i].format & TIMES) == TIMES);
		counts_release(&counts);
	}
}

static void a_group_has_a_value_for_each_member(void **state)
{
	struct bytes bytes = section();
	struct counts counts = {0};

	(void)state;
	counts_name(&counts, bytes.at, bytes.count);
	assert_int_equal(
		ADD(&counts, PERF_FORMAT_GROUP | TIMES | PERF_FORMAT_ID, 2, 9, 8, 42, 10, 43, 15),
		0);
	assert_int_equal(counts.row_count, 2);
	assert_int_equal(counts.rows[0].value, 42);
	assert_int_equal(counts.rows[1].value, 43);
	assert_int_equal(counts.rows[1].running_ns, 8);
	assert_string_equal(counts.counters[counts.rows[1].counter].name, "task-clock");
	counts_release(&counts);
	free(bytes.at);
}

static void a_record_cut_short_is_refused(void **state)
{
	static const struct {
		uint64_t format;
		uint64_t words[5];
		size_t count;
	} cases[] = {
		{0, {0}, 0},
		{TIMES, {42, 9}, 2},
		{TIMES | PERF_FORMAT_ID, {42, 9, 8}, 3},
		{PERF_FORMAT_GROUP | PERF_FORMAT_ID, {2, 42, 1, 43}, 4},
		{PERF_FORMAT_GROUP | PERF_FORMAT_ID, {UINT64_MAX, 42, 1}, 3},
		{PERF_FORMAT_GROUP | PERF_FORMAT_ID, {UINT64_MAX / 16 + 2, 42, 1}, 3},
		{PERF_FORMAT_GROUP, {1, 42}, 2}, /* the value has no id */
	};
	const struct perf_event_attr attr = {0};
	struct counts counts = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!add(&counts, cases[i].format, cases[i].words, cases[i].count))
			fail_msg("case %zu was taken", i);
	for (size_t length = 0; length < 16; length++)
		assert_int_equal(counts_add(&counts, &attr, &at_5000, "0123456789abcdef", length),
				 -1);
	assert_int_equal(counts.row_count, 0);
	counts_release(&counts);
}

static void a_section_cut_short_keeps_what_could_be_read(void **state)
{
	struct bytes bytes = section();

	(void)state;
	for (size_t length = 0; length < bytes.count; length++) {
		char *exact = malloc(length ? length : 1); /* the sanitizer watches its end */
		struct counts counts = {0};

		memcpy(exact, bytes.at, length);
		assert_int_equal(counts_name(&counts, exact, length), -1);
		assert_true(counts.counter_count < 2 || counts.id_count < 3);
		counts_release(&counts);
		free(exact);
	}
	free(bytes.at);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(events_have_the_names_of_the_section),
	cmocka_unit_test(an_event_without_a_name_has_its_numbers),
	cmocka_unit_test(a_value_has_the_fields_of_its_format),
	cmocka_unit_test(a_group_has_a_value_for_each_member),
	cmocka_unit_test(a_record_cut_short_is_refused),
	cmocka_unit_test(a_section_cut_short_keeps_what_could_be_read),
};

TEST_FILE(tests);
