/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_swap.h"

#include "base/alloc.h"
#include "decode/recording_bytes.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_reader.h"
#include "support.h"

#include <string.h>

/* perfdata_source_test.c swaps whole files; this file tests damaged records. */

static void put_swapped_u64(struct bytes *bytes, uint64_t number)
{
	put_u64(bytes, byte_order_u64(number, true));
}

static void a_payload_is_kept_and_numbers_are_swapped(void **state)
{
	static const char payload[] = "\1\2\3\4\5\6\7\10\11\12\13";
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
						      PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
				       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
	struct perfdata_file file = {.attrs = &attr, .attr_count = 1};
	struct perfdata_swap *swap = perfdata_swap_new();
	struct bytes body = {0};
	uint32_t size;

	(void)state;
	put_swapped_u64(&body, 4711);
	put_swapped_u64(&body, 2); /* count of members: value, id */
	for (uint64_t i = 0; i < 4; i++)
		put_swapped_u64(&body, i);
	put_swapped_u64(&body, 1); /* count of frames */
	put_swapped_u64(&body, 0xa);
	put_u32(&body, byte_order_u32(sizeof(payload), true));
	put(&body, payload, sizeof(payload));
	for (size_t length = 0; length <= body.count; length++) {
		char *exact = memcpy(xcalloc(length + 1, 1), body.at, length);
		struct perfdata_record record = {
			.header = {.type = PERF_RECORD_SAMPLE}, .body = exact, .length = length};

		perfdata_swap_record(swap, &file, &record);
		assert_int_equal(record.length, length);
		if (length == body.count) {
			memcpy(&size, record.body + 64, sizeof(size));
			assert_int_equal(size, sizeof(payload));
			assert_memory_equal(record.body + 68, payload, sizeof(payload));
		}
		free(exact);
	}
	perfdata_swap_free(swap);
	free(body.at);
}

/* Each count of a record is larger than the record. */
static void counts_beyond_the_end_of_the_record_are_ignored(void **state)
{
	static const uint64_t types[] = {PERF_SAMPLE_RAW, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
					 PERF_SAMPLE_READ | PERF_SAMPLE_RAW};
	static const uint64_t counts[] = {UINT64_MAX, INT64_MAX, UINT64_MAX / 8, UINT32_MAX, 17, 2};
	struct perfdata_swap *swap = perfdata_swap_new();

	(void)state;
	for (size_t i = 0; i < 18; i++) {
		struct perf_event_attr attr = {.sample_type = types[i / 6],
					       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID};
		struct perfdata_file file = {.attrs = &attr, .attr_count = 1};
		uint64_t words[] = {counts[i % 6], counts[i % 6]};
		struct perfdata_record record = {.header = {.type = PERF_RECORD_SAMPLE},
						 .body = (const char *)words,
						 .length = sizeof(words)};

		perfdata_swap_record(swap, &file, &record);
		assert_int_equal(record.length, sizeof(words));
	}
	perfdata_swap_free(swap);
}

static void a_damaged_description_of_events_is_swapped_as_far_as_it_goes(void **state)
{
	struct bytes section = {0};

	(void)state;
	put_u32(&section, byte_order_u32(2, true));
	put_u32(&section, byte_order_u32(64, true));
	for (int i = 0; i < 8; i++)
		put_u64(&section, 0);
	put_u32(&section, byte_order_u32(1, true));
	put_u32(&section, byte_order_u32(4, true));
	put(&section, "abc", 4);
	put_swapped_u64(&section, 17);
	for (size_t length = 0; length <= section.count; length++) {
		char *exact = memcpy(xcalloc(length + 1, 1), section.at, length);
		uint64_t id;

		byte_order_swap_event_desc(exact, length);
		if (length == section.count) {
			memcpy(&id, exact + length - sizeof(id), sizeof(id));
			assert_int_equal(id, 17);
			assert_string_equal(exact + 80, "abc");
		}
		free(exact);
	}
	free(section.at);
}

static void numbers_are_swapped_one_by_one(void **state)
{
	static const struct {
		const char *layout, *bytes, *want;
	} cases[] = {
		{"", "abcdefgh", "abcdefgh"},
		{"8", "abcdefgh", "hgfedcba"},
		{"44", "abcdefgh", "dcbahgfe"},
		{"2214", "abcdefghij", "badceihgfj"},
		{"4", "abcdefgh", "dcbaefgh"},
		{"448", "abcdefgh1234", "dcbahgfe1234"},
		{"4*", "abcd12345678abcdefghtail", "dcba87654321hgfedcbatail"},
		{"*", "abcdefg", "abcdefg"},
		{"b", "\x01\x80\x03\x40\x55\x0f\xff\x12", "\x80\x01\xc0\x02\xaa\xf0\xff\x48"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[32] = "";
		size_t length = strlen(cases[i].bytes);

		memcpy(bytes, cases[i].bytes, length);
		byte_order_swap(bytes, length, cases[i].layout);
		if (strcmp(bytes, cases[i].want) != 0)
			fail_msg("'%s' of '%s' is '%s'", cases[i].layout, cases[i].bytes, bytes);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_are_swapped_one_by_one),
	cmocka_unit_test(a_payload_is_kept_and_numbers_are_swapped),
	cmocka_unit_test(counts_beyond_the_end_of_the_record_are_ignored),
	cmocka_unit_test(a_damaged_description_of_events_is_swapped_as_far_as_it_goes),
};

TEST_FILE(tests);
