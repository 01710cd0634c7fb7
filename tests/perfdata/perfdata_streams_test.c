/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_streams.h"

#include "decode/directory_of_files.h"
#include "decode/perfdata_bytes.h"
#include "decode/trace_input.h"
#include "perfdata/perfdata_directory.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_records.h"
#include "support.h"

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
	add_round(&file); /* says nothing of the other files */
	bytes = perfdata_join(&file);
	directory_add(directory, "data", bytes.at, bytes.count);
	free(bytes.at);
}

/*
 * CPUs of very different loads, one of them idle for long: after each round nothing is older than
 * what was the youngest at the round before, and there are many rounds.
 */
static void files_of_a_directory_come_in_rounds(void **state)
{
	uint64_t youngest_ns = 0, due_ns = 0, next_due_ns = 0;
	size_t records = 0, rounds = 0, since_round = 0;
	struct directory directory;
	struct perfdata_file file;
	struct perfdata_record record;
	struct perfdata_streams *streams;
	struct err err = {""};
	struct input *input;
	int rc;

	(void)state;
	directory_make(&directory);
	add_first(&directory);
	add_stream(&directory, "data.0", 0, 1000, 10, 20000);
	add_stream(&directory, "data.1", 1, 1005, 1000, 200);
	add_stream(&directory, "data.2", 0, 150000, 1, 20000);
	input = perfdata_directory_open(directory.path, INPUT_OF_ANYONE, &err);
	assert_int_equal(perfdata_file_init(&file, input, &err), 0);
	streams = perfdata_streams_new(&file, input, &err);
	assert_non_null(streams);
	while ((rc = perfdata_streams_next(streams, &record, &err)) > 0) {
		uint64_t time_ns = 0;

		if (record.header.type == PERF_RECORD_SAMPLE) /* behind TID, see SWITCH_TYPE */
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
	assert_false(perfdata_streams_truncated(streams));
	perfdata_streams_free(streams);
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
		struct err err = {""};
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
	struct err err = {""};

	(void)state;
	directory_make(&directory);
	add_first(&directory);
	assert_null(
		trace_input_read(trace_input_open(directory.path, INPUT_OF_ANYONE, &err), &err));
	assert_non_null(strstr(err.text, "/data: is the first file of a directory"));
	directory_remove(&directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_a_directory_come_in_rounds),
		cmocka_unit_test(the_events_of_a_directory_are_those_of_all_files_in_order),
		cmocka_unit_test(a_first_file_alone_is_refused),
	};

	return RUN_TESTS(tests);
}
