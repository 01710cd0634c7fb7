/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_reader.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/directory_of_files.h"
#include "decode/perfdata_bytes.h"
#include "decode/trace_input.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_swap.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* `count` switches on one CPU, every `step` ns from `begin` on. */
static void add_stream(struct directory *directory, const char *name, int32_t cpu, uint64_t begin,
		       uint64_t step, size_t count)
{
	struct perfdata_bytes stream = {0};

	for (size_t i = 0; i < count; i++)
		add_switch(&stream, begin + step * i, cpu, 5, 1, 6);
	directory_add(directory, name, stream.data.at, stream.data.count);
	free(stream.data.at);
}

static void add_first(struct directory *directory)
{
	struct perfdata_bytes file = {.directory = true};
	struct bytes bytes;

	add_comm(&file, 5, 5, "t5");
	add_round(&file); /* this round tells nothing about other files */
	bytes = perfdata_join(&file);
	directory_add(directory, "data", bytes.at, bytes.count);
	free(bytes.at);
}

/*
 * CPUs with very different loads, one of them idle for long: after each round no record is older
 * than the youngest one at the round before, and there are many rounds.
 */
static void files_of_a_directory_come_in_rounds(void **state)
{
	uint64_t youngest_ns = 0, due_ns = 0, next_due_ns = 0;
	size_t records = 0, rounds = 0, since_round = 0;
	struct directory directory;
	struct perfdata_file file;
	struct perfdata_record record;
	struct perfdata_reader *reader;
	struct err err = {.text = ""};
	struct input *input;
	int rc;

	(void)state;
	directory_make(&directory);
	add_first(&directory);
	add_stream(&directory, "data.0", 0, 1000, 10, 20000);
	add_stream(&directory, "data.1", 1, 1005, 1000, 200);
	add_stream(&directory, "data.2", 0, 150000, 1, 20000);
	input = perfdata_reader_open(directory.path, INPUT_OF_ANYONE, &err);
	assert_int_equal(perfdata_file_init(&file, input, &err), 0);
	reader = perfdata_reader_new(&file, input, &err);
	assert_non_null(reader);
	while ((rc = perfdata_reader_next(reader, &record, &err)) > 0) {
		uint64_t time_ns = 0;

		if (record.header.type == PERF_RECORD_SAMPLE) /* after TID, see SWITCH_TYPE */
			memcpy(&time_ns, record.body + 8, sizeof(time_ns));
		if (record.header.type == PERFDATA_RECORD_FINISHED_ROUND) {
			due_ns = next_due_ns;
			next_due_ns = youngest_ns;
			since_round = 0;
			rounds++;
			continue;
		}
		records++;
		assert_true(!time_ns || time_ns >= due_ns);
		assert_true(since_round++ < 1025);
		youngest_ns = time_ns > youngest_ns ? time_ns : youngest_ns;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(records, 1 + 40200);
	assert_true(rounds > 35);
	assert_false(perfdata_reader_truncated(reader));
	perfdata_reader_free(reader);
	perfdata_file_release(&file);
	input_close(input);
	directory_remove(&directory);
}

static void the_events_of_a_directory_are_those_of_all_files_in_order(void **state)
{
	for (int cut = 0; cut < 2; cut++) {
		uint64_t now_ns = 0;
		size_t switches = 0;
		struct event_source *source;
		struct directory directory;
		struct err err = {.text = ""};
		struct event event;

		(void)state;
		directory_make(&directory);
		add_first(&directory);
		add_stream(&directory, "data.0", 0, 1000, 10, 3000);
		add_stream(&directory, "data.1", 1, 1005, 7, 3000);
		if (cut)
			assert_int_equal(truncate(directory.files[2], 100), 0);
		source = trace_input_read(trace_input_open(directory.path, INPUT_OF_ANYONE, &err),
					  &err);
		assert_non_null(source);
		while (event_source_next(source, &event, &err) > 0) {
			assert_true(event.time_ns >= now_ns);
			now_ns = event.time_ns;
			switches += event.kind == EVENT_SWITCH;
		}
		assert_int_equal(switches, cut ? 3000 : 6000);
		assert_int_equal(source->quality.truncated, cut);
		event_source_free(source);
		directory_remove(&directory);
	}
}

static void a_first_file_alone_is_refused(void **state)
{
	struct directory directory;
	struct err err = {.text = ""};

	(void)state;
	directory_make(&directory);
	add_first(&directory);
	assert_null(
		trace_input_read(trace_input_open(directory.path, INPUT_OF_ANYONE, &err), &err));
	assert_non_null(strstr(err.text, "/data: is the first file of a directory"));
	directory_remove(&directory);
}

/* Checks the records of these bytes, which it frees: "66:16 68:0!" is their types and lengths; !
 * marks one that is cut short. */
static void check(struct perfdata_bytes *file, uint64_t size, const char *want)
{
	const struct perfdata_file described = {.data = {0, size}};
	struct bytes got = {0};
	struct err err = {.text = ""};
	struct perfdata_record record;
	struct perfdata_reader *reader;
	struct input *input =
		input_open(file_with(file->data.at, file->data.count), INPUT_OF_ANYONE, &err);
	int rc;

	assert_non_null(input);
	reader = perfdata_reader_new(&described, input, &err);
	while ((rc = perfdata_reader_next(reader, &record, &err)) > 0) {
		char word[32];
		unsigned sum = 0;

		for (size_t i = 0; i < record.length; i++) /* all of the record can be read */
			sum += (unsigned char)record.body[i];
		put(&got, word,
		    (size_t)snprintf(word, sizeof(word), "%s%u:%zu/%u", got.count ? " " : "",
				     record.header.type, record.length, sum));
	}
	assert_int_equal(rc, 0);
	assert_int_equal(perfdata_reader_next(reader, &record, &err), 0);
	put(&got, "!", perfdata_reader_truncated(reader));
	put(&got, "", 1);
	assert_string_equal(got.at, want);
	perfdata_reader_free(reader);
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

static void tracing_data_follow_their_record_or_are_in_it(void **state)
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

static void the_data_of_auxtrace_is_skipped(void **state)
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

/* Their sizes have 32 bits, the upper half in the place of `misc`. */
static void records_of_simpleperf_may_be_large(void **state)
{
	const struct perf_event_header before = {32767, 1, 16}, large = {32768, 1, 16};
	const struct perf_event_header huge = {32769, UINT16_MAX, 16};
	const struct perf_event_header tracing = {PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA, 0, 15};
	const uint32_t size = 3;
	struct perfdata_bytes file = {0};
	char *bytes = xcalloc(65536 + 8, 1);

	(void)state;
	put(&file.data, &before, sizeof(before));
	put(&file.data, bytes, 8);
	put(&file.data, &large, sizeof(large));
	put(&file.data, bytes, 65536 + 8);
	put(&file.data, &tracing, sizeof(tracing));
	put(&file.data, &size, sizeof(size));
	put(&file.data, "\1\2\3", 3);
	add(&file, 1, "", 0);
	check(&file, UINT64_MAX, "32767:8/0 32768:65544/0 66:3/6 1:0/0");
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

/* Adds a zeroed record of `size` bytes with its header. */
static void add_empty(struct perfdata_bytes *file, uint32_t type, uint16_t size)
{
	char *body = xcalloc(size, 1);

	add(file, type, body, size - sizeof(struct perf_event_header));
	free(body);
}

static void packed_records_of_all_sizes_come_out_whole(void **state)
{
	static const uint16_t sizes[] = {8, 65528, 16, 65535, 9, 65528, 40};

	(void)state;
	for (size_t piece = 1; piece <= 1000; piece *= 1000) {
		struct perfdata_bytes packed = {0};

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			add_empty(&packed, (uint32_t)i, sizes[i]);
		pack(&packed, PERFDATA_RECORD_COMPRESSED, piece);
		check(&packed, UINT64_MAX,
		      "0:0/0 1:65520/0 2:8/0 3:65527/0 4:1/0 5:65520/0 6:32/0");
	}
}

/* A small payload that unpacks to many bytes is unpacked in parts. */
static void a_small_payload_may_unpack_to_many_bytes(void **state)
{
	enum { RECORDS = 20000 };
	const struct perfdata_file described = {.data = {0, UINT64_MAX}};
	struct perfdata_bytes packed = {0};
	struct perfdata_reader *reader;
	struct perfdata_record record;
	struct err err = {.text = ""};
	struct input *input;
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		add_empty(&packed, 7, 1000);
	pack(&packed, PERFDATA_RECORD_COMPRESSED, 60000);
	assert_true(packed.data.count < 20000);
	input = input_open(file_with(packed.data.at, packed.data.count), INPUT_OF_ANYONE, &err);
	reader = perfdata_reader_new(&described, input, &err);
	while (perfdata_reader_next(reader, &record, &err) > 0)
		seen++;
	assert_int_equal(seen, RECORDS);
	perfdata_reader_free(reader);
	input_close(input);
	free(packed.data.at);
}

static void packed_records_of_strange_sizes_are_damage(void **state)
{
	static const uint16_t sizes[] = {0, 7};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct perf_event_header header = {1, 0, sizes[i]};
		struct perfdata_bytes packed = {0};

		put(&packed.data, &header, sizeof(header));
		pack(&packed, PERFDATA_RECORD_COMPRESSED, 1000);
		add(&packed, 2, "", 0);
		check(&packed, UINT64_MAX, "!");
	}
}

/* The sizes of the file and of its packed records are in the other byte order. */
static void sizes_of_the_other_byte_order_are_understood(void **state)
{
	const struct perfdata_file whole = {.swapped = true, .data = {0, UINT64_MAX}};
	struct perfdata_bytes packed = {0}, file = {0};
	struct perfdata_record record;
	struct perfdata_reader *reader;
	struct input *input;
	struct err err = {.text = ""};

	(void)state;
	put(&packed.data, "\0\0\0\3\0\7\0\12ab", 10); /* type 3, misc 7, size 10 */
	pack(&packed, PERFDATA_RECORD_COMPRESSED, 1000);
	put(&file.data, packed.data.at, packed.data.count);
	byte_order_swap(file.data.at, 8, "422");
	put(&file.data, "\0\0\0\x42\0\0\0\14\0\0\0\2", 12); /* TRACING_DATA, 2 bytes */
	put(&file.data, "cd", 2);
	input = input_open(file_with(file.data.at, file.data.count), INPUT_OF_ANYONE, &err);
	reader = perfdata_reader_new(&whole, input, &err);
	assert_int_equal(perfdata_reader_next(reader, &record, &err), 1);
	assert_int_equal(record.header.type, 3);
	assert_int_equal(record.header.misc, 7);
	assert_int_equal(record.length, 2);
	assert_memory_equal(record.body, "ab", 2);
	assert_int_equal(perfdata_reader_next(reader, &record, &err), 1);
	assert_int_equal(record.header.type, PERFDATA_RECORD_TRACING_DATA);
	assert_int_equal(record.length, 2);
	assert_memory_equal(record.body, "cd", 2);
	assert_int_equal(perfdata_reader_next(reader, &record, &err), 0);
	assert_false(perfdata_reader_truncated(reader));
	perfdata_reader_free(reader);
	input_close(input);
	free(packed.data.at);
	free(file.data.at);
}

static void a_directory_is_opened_at_its_first_file(void **state)
{
	struct directory directory;
	struct err err = {.text = ""};
	struct input *input;

	(void)state;
	directory_make(&directory);
	assert_null(perfdata_reader_open(directory.path, INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, "is a directory without a file 'data'"));
	directory_add(&directory, "data", "x", 1);
	input = perfdata_reader_open(directory.path, INPUT_OF_ANYONE, &err);
	assert_non_null(input);
	assert_string_equal(input->name, directory.files[0]);
	input_close(input);
	directory_remove(&directory);
	assert_null(perfdata_reader_open("/nowhere/at/all", INPUT_OF_ANYONE, &err));
	assert_non_null(strstr(err.text, "/nowhere/at/all: cannot open"));
}

/* Opens all files of `data`: the types of their records as "12 7", or the sentence of an error. */
static void check_files(const char *data, const char *want)
{
	const struct perfdata_file first = {.directory = true, .data = {0, UINT64_MAX}};
	struct perfdata_reader *reader;
	struct perfdata_record record;
	struct err err = {.text = ""};
	struct input *input = input_open(data, INPUT_OF_ANYONE, &err);
	char got[64] = "", *at = got;

	reader = perfdata_reader_new(&first, input, &err);
	if (reader) {
		while (perfdata_reader_next(reader, &record, &err) > 0)
			at += sprintf(at, "%s%u", at > got ? " " : "", record.header.type);
		assert_string_equal(got, want);
	} else {
		assert_non_null(strstr(err.text, want));
	}
	perfdata_reader_free(reader);
	input_close(input);
}

static const char *add_one(struct directory *directory, const char *name, uint32_t type)
{
	const struct perf_event_header header = {.type = type, .size = sizeof(header)};

	return directory_add(directory, name, &header, sizeof(header));
}

static void the_files_beside_it_come_by_their_numbers(void **state)
{
	struct directory directory;
	const char *data;

	(void)state;
	directory_make(&directory);
	data = add_one(&directory, "data", 1);
	check_files(data, "are not beside it");
	add_one(&directory, "data.10", 10);
	add_one(&directory, "data.2", 2);
	directory_add(&directory, "data.3", "", 0); /* a CPU without events */
	add_one(&directory, "data.old", 3);
	add_one(&directory, "data.-1", 4);
	check_files(data, "1 2 10");
	directory_remove(&directory);
}

static void a_file_of_another_name_has_none_beside_it(void **state)
{
	struct directory directory;
	const char *data;

	(void)state;
	directory_make(&directory);
	data = add_one(&directory, "perf.data", 1);
	add_one(&directory, "data.0", 2);
	check_files(data, "are not beside it");
	directory_remove(&directory);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(files_of_a_directory_come_in_rounds),
	cmocka_unit_test(the_events_of_a_directory_are_those_of_all_files_in_order),
	cmocka_unit_test(a_first_file_alone_is_refused),
	cmocka_unit_test(records_come_up_to_the_size_or_the_end),
	cmocka_unit_test(tracing_data_follow_their_record_or_are_in_it),
	cmocka_unit_test(the_data_of_auxtrace_is_skipped),
	cmocka_unit_test(records_of_simpleperf_may_be_large),
	cmocka_unit_test(compressed_records_come_in_place),
	cmocka_unit_test(compressed_data_may_end_in_a_record),
	cmocka_unit_test(packed_records_of_all_sizes_come_out_whole),
	cmocka_unit_test(a_small_payload_may_unpack_to_many_bytes),
	cmocka_unit_test(packed_records_of_strange_sizes_are_damage),
	cmocka_unit_test(sizes_of_the_other_byte_order_are_understood),
	cmocka_unit_test(a_directory_is_opened_at_its_first_file),
	cmocka_unit_test(the_files_beside_it_come_by_their_numbers),
	cmocka_unit_test(a_file_of_another_name_has_none_beside_it),
};

TEST_FILE(tests);
