/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_records.h"

#include "decode/perfdata_bytes.h"
#include "perfdata/byte_order.h"
#include "support.h"

/* The records of these bytes, which are freed: "66:16 68:0!" is types, lengths, and cut short. */
static void check(struct perfdata_bytes *file, uint64_t size, const char *want)
{
	struct bytes got = {0};
	struct err err = {""};
	struct perfdata_record record;
	struct perfdata_records *records;
	struct input *input = input_open(file_with(file->data.at, file->data.count), &err);
	int rc;

	assert_non_null(input);
	records = perfdata_records_new(input, size, false);
	while ((rc = perfdata_records_next(records, &record, &err)) > 0) {
		char word[32];
		unsigned sum = 0;

		for (size_t i = 0; i < record.length; i++) /* all of it can be read */
			sum += (unsigned char)record.body[i];
		put(&got, word,
		    (size_t)snprintf(word, sizeof(word), "%s%u:%zu/%u", got.count ? " " : "",
				     record.header.type, record.length, sum));
	}
	assert_int_equal(rc, 0);
	assert_int_equal(perfdata_records_next(records, &record, &err), 0);
	put(&got, "!", perfdata_records_truncated(records));
	put(&got, "", 1);
	assert_string_equal(got.at, want);
	perfdata_records_free(records);
	input_close(input);
	free(got.at);
	free(file->data.at);
	file->data = (struct bytes){0};
}

static void add(struct perfdata_bytes *file, uint32_t type, const void *bytes, size_t length)
{
	struct bytes body = {0};

	put(&body, bytes, length);
	add_record(file, type, 0, &body);
}

static void records_come_up_to_the_size_or_the_end(void **state)
{
	static const struct {
		uint64_t size;
		const char *want;
	} cases[] = {
		{UINT64_MAX, "1:4/10 2:0/0"},
		{20, "1:4/10 2:0/0"},
		{12, "1:4/10"},
		{0, ""},
		{19, "1:4/10!"},
		{13, "1:4/10!"},
		{11, "!"},
		{4711, "1:4/10 2:0/0!"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = {0};

		add(&file, 1, "\1\2\3\4", 4);
		add(&file, 2, "", 0);
		check(&file, cases[i].size, cases[i].want);
	}
}

static void tracing_data_stand_behind_their_record_or_in_it(void **state)
{
	static const uint32_t size = 6, too_much = 7, huge = UINT32_MAX;
	struct perfdata_bytes file = {0};

	(void)state;
	add(&file, PERFDATA_RECORD_TRACING_DATA, &size, sizeof(size));
	put(&file.data, "\1\1\1\1\1\1", 6);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "66:6/6 1:0/0");

	add(&file, PERFDATA_RECORD_TRACING_DATA, "\6\0\0\0\1\1\1\1\1\1", 10);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "66:6/6 1:0/0");

	add(&file, PERFDATA_RECORD_TRACING_DATA, &too_much, sizeof(too_much));
	put(&file.data, "\1\1\1\1\1\1", 6);
	check(&file, UINT64_MAX, "!");

	add(&file, PERFDATA_RECORD_TRACING_DATA, &huge, sizeof(huge));
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "!");

	add(&file, PERFDATA_RECORD_TRACING_DATA, "", 0);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "66:0/0 1:0/0");
}

static void what_follows_auxtrace_is_passed_over(void **state)
{
	static const uint64_t size = 5, too_much = 6, huge = UINT64_MAX;
	struct perfdata_bytes file = {0};

	(void)state;
	add(&file, PERFDATA_RECORD_AUXTRACE, &size, sizeof(size));
	put(&file.data, "trace", 5);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "1:0/0");

	add(&file, PERFDATA_RECORD_AUXTRACE, &too_much, sizeof(too_much));
	put(&file.data, "trace", 5);
	check(&file, UINT64_MAX, "!");

	add(&file, PERFDATA_RECORD_AUXTRACE, &huge, sizeof(huge));
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "!");
}

/* Their sizes have 32 bits, the upper half where others have `misc`. */
static void records_of_simpleperf_may_be_large(void **state)
{
	const struct perf_event_header large = {32769, 1, 16}, huge = {32769, UINT16_MAX, 16};
	const struct perf_event_header tracing = {PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA, 0, 15};
	const uint32_t size = 3;
	struct perfdata_bytes file = {0};
	char *bytes = xcalloc(65536 + 8, 1);

	(void)state;
	put(&file.data, &large, sizeof(large));
	put(&file.data, bytes, 65536 + 8);
	put(&file.data, &tracing, sizeof(tracing));
	put(&file.data, &size, sizeof(size));
	put(&file.data, "\1\2\3", 3);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "32769:65544/0 66:3/6 1:0/0");
	put(&file.data, &huge, sizeof(huge));
	put(&file.data, bytes, 65536);
	check(&file, UINT64_MAX, "!");
	free(bytes);
}

static void compressed_records_come_in_place(void **state)
{
	struct perfdata_bytes file = {0}, packed = {0};

	(void)state;
	add(&packed, 3, "\5", 1);
	add(&packed, 4, "\6\6", 2);
	pack(&packed, PERFDATA_RECORD_COMPRESSED2, 1000);
	add(&file, 1, "", 0);
	put(&file.data, packed.data.at, packed.data.count);
	free(packed.data.at);
	add(&file, 2, "", 0);
	check(&file, UINT64_MAX, "1:0/0 3:1/5 4:2/12 2:0/0");

	add(&file, PERFDATA_RECORD_COMPRESSED, "", 0);
	add(&file, PERFDATA_RECORD_COMPRESSED2, "\377\377\377\377", 4);
	add(&file, 2, "", 0);
	check(&file, UINT64_MAX, "2:0/0");

	add(&file, PERFDATA_RECORD_COMPRESSED2, "\377\377\377\377\377\377\377\377damage", 14);
	add(&file, 2, "", 0);
	check(&file, UINT64_MAX, "!");
}

static void compressed_data_may_end_in_a_record(void **state)
{
	struct perfdata_bytes packed = {0};

	(void)state;
	add(&packed, 3, "\5", 1);
	add(&packed, 4, "\6\6", 2);
	packed.data.count--;
	pack(&packed, PERFDATA_RECORD_COMPRESSED, 1000);
	check(&packed, UINT64_MAX, "3:1/5!");
}

/* Its sizes are the other way round, and so are those of the records that are packed in it. */
static void sizes_of_the_other_byte_order_are_understood(void **state)
{
	struct perfdata_bytes packed = {0}, file = {0};
	struct perfdata_record record;
	struct perfdata_records *records;
	struct input *input;
	struct err err = {""};

	(void)state;
	put(&packed.data, "\0\0\0\3\0\7\0\12ab", 10); /* type 3, misc 7, size 10 */
	pack(&packed, PERFDATA_RECORD_COMPRESSED, 1000);
	put(&file.data, packed.data.at, packed.data.count);
	byte_order_swap(file.data.at, 8, "422");
	put(&file.data, "\0\0\0\x42\0\0\0\14\0\0\0\2", 12); /* TRACING_DATA, 2 bytes */
	put(&file.data, "cd", 2);
	input = input_open(file_with(file.data.at, file.data.count), &err);
	records = perfdata_records_new(input, UINT64_MAX, true);
	assert_int_equal(perfdata_records_next(records, &record, &err), 1);
	assert_int_equal(record.header.type, 3);
	assert_int_equal(record.header.misc, 7);
	assert_int_equal(record.length, 2);
	assert_memory_equal(record.body, "ab", 2);
	assert_int_equal(perfdata_records_next(records, &record, &err), 1);
	assert_int_equal(record.header.type, PERFDATA_RECORD_TRACING_DATA);
	assert_int_equal(record.length, 2);
	assert_memory_equal(record.body, "cd", 2);
	assert_int_equal(perfdata_records_next(records, &record, &err), 0);
	assert_false(perfdata_records_truncated(records));
	perfdata_records_free(records);
	input_close(input);
	free(packed.data.at);
	free(file.data.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_up_to_the_size_or_the_end),
		cmocka_unit_test(tracing_data_stand_behind_their_record_or_in_it),
		cmocka_unit_test(what_follows_auxtrace_is_passed_over),
		cmocka_unit_test(records_of_simpleperf_may_be_large),
		cmocka_unit_test(compressed_records_come_in_place),
		cmocka_unit_test(compressed_data_may_end_in_a_record),
		cmocka_unit_test(sizes_of_the_other_byte_order_are_understood),
	};

	return RUN_TESTS(tests);
}
