/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/perfdata_layout.h"

#include "decode/perfdata_file.h"
#include "decode/perfdata_records.h"
#include "support.h"

#include <string.h>

enum {
	FULL = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
};

/* Numbers that count the words of a body. */
static struct perfdata_record record_of(uint32_t type, size_t words)
{
	static const uint64_t numbers[] = {100, 101, 102, 103, 104, 105, 106, 107};
	const struct perfdata_record record = {
		.header = {.type = type},
		.body = (const char *)numbers,
		.length = 8 * words,
	};

	return record;
}

static void fields_lie_where_the_sample_type_says(void **state)
{
	static const struct {
		uint64_t type, field;
		uint32_t record;
		int word; /* from the beginning, or none */
	} cases[] = {
		{FULL, PERF_SAMPLE_IDENTIFIER, PERF_RECORD_SAMPLE, 0},
		{FULL, PERF_SAMPLE_TID, PERF_RECORD_SAMPLE, 2},
		{FULL, PERF_SAMPLE_TIME, PERF_RECORD_SAMPLE, 3},
		{FULL, PERF_SAMPLE_CPU, PERF_RECORD_SAMPLE, 4},
		{FULL, PERF_SAMPLE_ID, PERF_RECORD_SAMPLE, -1},
		{PERF_SAMPLE_TIME, PERF_SAMPLE_TIME, PERF_RECORD_SAMPLE, 0},
		{FULL, PERF_SAMPLE_IDENTIFIER, PERF_RECORD_COMM, 7},
		{FULL, PERF_SAMPLE_CPU, PERF_RECORD_COMM, 6},
		{FULL, PERF_SAMPLE_TIME, PERF_RECORD_COMM, 5},
		{FULL, PERF_SAMPLE_TID, PERF_RECORD_COMM, 4},
		{FULL, PERF_SAMPLE_IP, PERF_RECORD_COMM, -1},
		{0, PERF_SAMPLE_TIME, PERF_RECORD_COMM, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perf_event_attr attr = {.sample_type = cases[i].type,
						     .sample_id_all = 1};
		struct perfdata_record record = record_of(cases[i].record, 8);
		int want = cases[i].word < 0 ? -1 : 8 * cases[i].word;

		if (perfdata_layout_offset(&attr, &record, cases[i].field) != want)
			fail_msg("case %zu", i);
		for (record.length = 0; record.length < 64; record.length++)
			assert_true(perfdata_layout_offset(&attr, &record, cases[i].field) + 8 <=
				    (int)record.length + 7); /* -1, or within */
	}
}

static void without_trailers_only_samples_have_fields(void **state)
{
	const struct perf_event_attr attr = {.sample_type = FULL};
	const struct perfdata_record sample = record_of(PERF_RECORD_SAMPLE, 8);
	const struct perfdata_record comm = record_of(PERF_RECORD_COMM, 8);

	(void)state;
	assert_int_equal(perfdata_layout_offset(&attr, &sample, PERF_SAMPLE_TIME), 24);
	assert_int_equal(perfdata_layout_offset(&attr, &comm, PERF_SAMPLE_TIME), -1);
	assert_int_equal(perfdata_layout_begin(&attr, &comm), -1);
}

static void times_are_those_of_kernel_records(void **state)
{
	struct perf_event_attr attr = {.sample_type = FULL, .sample_id_all = 1};
	struct perfdata_file file = {.attrs = &attr, .attr_count = 1, .alike = true};
	const struct {
		uint32_t type;
		uint64_t time_ns;
	} cases[] = {
		{PERF_RECORD_SAMPLE, 103},
		{PERF_RECORD_COMM, 105},
		{PERFDATA_RECORD_NOTE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perfdata_record record = record_of(cases[i].type, 8);

		assert_int_equal(perfdata_layout_time(&file, &record), cases[i].time_ns);
	}
	file.attr_count = 0;
	{
		const struct perfdata_record record = record_of(PERF_RECORD_SAMPLE, 8);

		assert_int_equal(perfdata_layout_time(&file, &record), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_lie_where_the_sample_type_says),
		cmocka_unit_test(without_trailers_only_samples_have_fields),
		cmocka_unit_test(times_are_those_of_kernel_records),
	};

	return RUN_TESTS(tests);
}
