/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/recording.h"

#include "collect/collect_dir.h"
#include "collect/recording/collector.h"
#include "collect/recording/compressor.h"
#include "collect/recording/features.h"
#include "collect/recording/record.h"
#include "collect/target/target.h"
#include "perfdata/perfdata.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <zstd.h>

static const struct record_place place = {.id = 21, .time_ns = 1000, .pid = 7, .tid = 8, .cpu = 3};

struct fixture {
	char root[64], path[80];
	struct perf_event_attr attr;
	uint64_t id;
	struct perfdata_event event;
	struct target_spec spec;
	struct collector_set collectors;
	struct target *target;
	struct recording_facts input;
	struct recording recording;
	struct err err;
	uint8_t *bytes;
	size_t size;
	struct perfdata_header header;
};

/* A recording without tracepoints needs no tracefs. `comm`: name of the threads to record, or
 * NULL. */
static void begin_for(struct fixture *f, const char *comm, int level, uint64_t max_bytes)
{
	static const char *const cmdline[] = {"pscal record", NULL};
	static struct target_thread threads[] = {
		{0, 10, 10, 1, 'S', "a"}, {0, 10, 11, 1, 'S', "b"}, {0, 20, 20, 1, 'S', "b"}};
	struct recording_options options = {
		.compression_level = level, .max_bytes = max_bytes, .repeats = true};

	memset(f, 0, sizeof(*f));
	dir_make(f->root);
	snprintf(f->path, sizeof(f->path), "%s/data", f->root);
	f->target = calloc(1, sizeof(*f->target));
	f->target->spec = &f->spec;
	f->spec.comm = comm;
	f->target->threads = threads;
	f->target->thread_count = comm ? sizeof(threads) / sizeof(threads[0]) : 0;
	f->attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	f->id = 21;
	f->event = (struct perfdata_event){"dummy", &f->attr, &f->id, 1};
	f->collectors.events = &f->event;
	f->collectors.event_count = 1;
	f->input = (struct recording_facts){.cmdline = cmdline,
					    .target = f->target,
					    .collectors = &f->collectors,
					    .launched = 7,
					    .start_ns = 500};
	options.path = f->path;
	assert_int_equal(recording_open(&f->recording, &options, &f->err), 0);
	assert_int_equal(recording_begin(&f->recording, &f->input, &f->err), 0);
	assert_int_equal(recording_publish(&f->recording, &f->err), 0);
}

static void begin(struct fixture *f, int level, uint64_t max_bytes)
{
	begin_for(f, NULL, level, max_bytes);
}

static void load(struct fixture *f)
{
	struct stat status;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(fstat(fd, &status), 0);
	free(f->bytes);
	f->size = (size_t)status.st_size;
	f->bytes = malloc(f->size);
	assert_int_equal(read(fd, f->bytes, f->size), status.st_size);
	close(fd);
	memcpy(&f->header, f->bytes, sizeof(f->header));
}

/* The number of records of a type in the data; all records must be complete. */
static size_t count(struct fixture *f, uint32_t type)
{
	uint64_t at, end;
	size_t found = 0;

	load(f);
	at = f->header.data.offset;
	end = at + f->header.data.size;
	assert_true(end <= f->size);
	while (at < end) {
		struct perf_event_header record;

		memcpy(&record, f->bytes + at, sizeof(record));
		assert_true(record.size >= sizeof(record));
		found += record.type == type;
		at += record.size;
	}
	assert_int_equal(at, end);
	return found;
}

/* Ends a pass and writes it. */
static int finish_round(struct fixture *f)
{
	f->recording.round_ns = 0; /* long ago */
	return recording_round(&f->recording, &f->err);
}

/* True if the file holds this text. */
static bool says(struct fixture *f, const char *text)
{
	load(f);
	return memmem(f->bytes, f->size, text, strlen(text));
}

static void finish(struct fixture *f)
{
	struct err err;

	assert_int_equal(recording_close(&f->recording, &err), 0);
	dir_remove(f->root);
	free(f->target);
	free(f->bytes);
}

static void add(struct fixture *f, size_t records)
{
	while (records--)
		record_comm(&f->recording, &place, "name", 0);
}

static void a_recording_begins_with_the_known_facts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	assert_int_equal(count(&f, PERFDATA_RECORD_NOTE), 1);
	assert_true(says(&f, "pscal 1\nmode command\n"));
	assert_false(says(&f, "end_ns"));
	finish(&f);
}

static void the_records_of_a_round_are_in_the_file(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	for (size_t round = 1; round <= 3; round++) {
		add(&f, 10);
		assert_int_equal(count(&f, PERF_RECORD_COMM), 10 * (round - 1));
		assert_int_equal(finish_round(&f), 0);
		assert_int_equal(count(&f, PERF_RECORD_COMM), 10 * round);
		assert_int_equal(count(&f, PERFDATA_RECORD_FINISHED_ROUND), round);
	}
	assert_int_equal(finish_round(&f), 0); /* no new record */
	assert_int_equal(count(&f, PERFDATA_RECORD_FINISHED_ROUND), 3);
	finish(&f);
}

/* True if there is a note of this kind and time. */
static bool has_note(struct fixture *f, enum perfdata_note kind, const char *time)
{
	struct perf_event_header record;
	uint64_t at, end;

	load(f);
	end = f->header.data.offset + f->header.data.size;
	for (at = f->header.data.offset; at < end; at += record.size) {
		memcpy(&record, f->bytes + at, sizeof(record));
		if (record.type == PERFDATA_RECORD_NOTE && record.misc == kind &&
		    strcmp((const char *)f->bytes + at + sizeof(record), time) == 0)
			return true;
	}
	return false;
}

static void while_a_collector_is_late_rounds_tell_the_last_complete_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	f.recording.behind_ns = 1234567890123;
	add(&f, 10);
	recording_reach(&f.recording, 5000);
	assert_int_equal(finish_round(&f), 0);
	assert_int_equal(count(&f, PERFDATA_RECORD_FINISHED_ROUND), 0);
	assert_true(has_note(&f, PERFDATA_NOTE_ROUND, "1234567890123"));
	assert_true(has_note(&f, PERFDATA_NOTE_REACHED, "5000"));
	f.recording.behind_ns = 0;
	add(&f, 10);
	assert_int_equal(finish_round(&f), 0);
	assert_int_equal(count(&f, PERFDATA_RECORD_FINISHED_ROUND), 1);
	assert_false(has_note(&f, PERFDATA_NOTE_ROUND, "0"));
	finish(&f);
}

static void a_small_pass_waits_for_more_or_for_its_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	add(&f, 1);
	assert_int_equal(finish_round(&f), 0);
	add(&f, 1);
	f.recording.round_ns = UINT64_MAX / 2; /* just now, even if this test is delayed */
	assert_int_equal(recording_round(&f.recording, &f.err), 0);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 1);
	add(&f, 10000); /* enough for a write */
	assert_int_equal(recording_round(&f.recording, &f.err), 0);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 10002);
	add(&f, 1);
	assert_int_equal(recording_end(&f.recording, &f.input, &f.err), 0);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 10003);
	finish(&f);
}

static void the_end_is_noted_and_the_table_is_that_of_perf(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	add(&f, 1);
	assert_int_equal(finish_round(&f), 0);
	assert_true(f.recording.writer.header.features[0] & 1 << PERFDATA_RESERVED);
	f.input.end_ns = 9000;
	assert_int_equal(recording_end(&f.recording, &f.input, &f.err), 0);
	assert_true(says(&f, "end_ns 9000\n"));
	assert_int_equal(count(&f, PERF_RECORD_COMM), 1);
	assert_false(f.header.features[0] & 1 << PERFDATA_RESERVED);
	finish(&f);
}

static void notes_during_a_recording_are_in_the_file_at_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	add(&f, 1);
	assert_int_equal(recording_tell(&f.recording, "paused 5 6\n", &f.err), 0);
	assert_true(says(&f, "paused 5 6\n"));
	assert_int_equal(count(&f, PERFDATA_RECORD_NOTE), 4); /* two texts, two tables */
	assert_int_equal(count(&f, PERF_RECORD_COMM), 1);
	finish(&f);
}

static void a_long_pass_does_not_stay_in_memory(void **state)
{
	enum { RECORDS = 200000, BYTES = 64 * RECORDS };
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	add(&f, RECORDS);
	assert_true(f.recording.capacity < BYTES);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 0); /* before its round is over */
	assert_int_equal(finish_round(&f), 0);
	assert_int_equal(count(&f, PERF_RECORD_COMM), RECORDS);
	finish(&f);
}

static void a_compressed_file_is_smaller_and_names_its_compression(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1, 0);
	add(&f, 10000);
	assert_int_equal(finish_round(&f), 0);
	f.input.end_ns = 9000;
	assert_int_equal(recording_end(&f.recording, &f.input, &f.err), 0);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 0);
	assert_true(count(&f, PERFDATA_RECORD_COMPRESSED) >= 10000 * 64 / (60 << 10));
	assert_int_equal(count(&f, PERFDATA_RECORD_FINISHED_ROUND), 1);
	assert_true(f.header.features[0] & 1 << PERFDATA_COMPRESSED);
	assert_true(f.size < 20000);
	finish(&f);
}

/* Adds samples of three kinds; each differs only in its time from the one before of its kind. */
static size_t add_repeats(struct fixture *f, size_t number)
{
	static const uint8_t payloads[3][20] = {{1}, {2}, {3}};
	size_t whole = 0;

	for (size_t i = 0; i < number; i++) {
		const struct record_place then = {
			.id = 21, .time_ns = 1000 + i, .pid = 7, .tid = 8, .cpu = 3};

		if (recording_repeat(&f->recording, i % 3, then.time_ns))
			continue;
		record_sample(&f->recording, &then, NULL, payloads[i % 3], 20);
		recording_will_repeat(&f->recording, i % 3);
		whole++;
	}
	return whole;
}

/* All packed records in one piece; the caller frees it. */
static uint8_t *unpack(struct fixture *f, size_t *size)
{
	enum { ROOM = 4 << 20 };
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_outBuffer out = {malloc(ROOM), ROOM, 0};
	struct perf_event_header record;

	load(f);
	for (uint64_t at = f->header.data.offset; at < f->header.data.offset + f->header.data.size;
	     at += record.size) {
		ZSTD_inBuffer in = {f->bytes + at + sizeof(record), 0, 0};

		memcpy(&record, f->bytes + at, sizeof(record));
		in.size = record.size - sizeof(record);
		if (record.type != PERFDATA_RECORD_COMPRESSED)
			continue;
		assert_false(ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)));
		assert_int_equal(in.pos, in.size);
	}
	ZSTD_freeDStream(stream);
	*size = out.pos;
	return out.dst;
}

static void repeated_records_are_among_all_other_ones(void **state)
{
	struct perf_event_header record;
	uint64_t last_ns = 0;
	size_t size, samples = 0, others = 0;
	struct fixture f;
	uint8_t *bytes;

	(void)state;
	begin(&f, 1, 0);
	for (int i = 0; i < 4; i++) {
		add(&f, 100);
		assert_int_equal(add_repeats(&f, 5000), 3);
		add(&f, 100);
		assert_int_equal(finish_round(&f), 0);
	}
	assert_int_equal(f.recording.counts.samples, 20000);
	bytes = unpack(&f, &size);
	for (size_t at = 0; at < size; at += record.size) {
		memcpy(&record, bytes + at, sizeof(record));
		others += record.type != PERF_RECORD_SAMPLE;
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&last_ns, bytes + at + REPEAT_TIME_AT, sizeof(last_ns));
		assert_int_equal(last_ns, 1000 + samples++ % 5000);
	}
	assert_int_equal(samples, 20000);
	assert_int_equal(others, 800);
	free(bytes);
	finish(&f);
}

static void without_compression_repeated_records_are_left_to_other_recorders(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 0);
	assert_int_equal(add_repeats(&f, 100), 100);
	assert_int_equal(finish_round(&f), 0);
	assert_int_equal(count(&f, PERF_RECORD_SAMPLE), 100);
	assert_int_equal(f.recording.counts.samples, 100);
	finish(&f);
}

static void a_recording_is_full_at_its_size(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 0, 100000);
	assert_false(recording_is_full(&f.recording));
	add(&f, 2000);
	assert_int_equal(finish_round(&f), 0);
	assert_true(recording_is_full(&f.recording));
	finish(&f);
}

/* As on a full disk, in the middle of a record. */
static void a_failed_write_leaves_the_earlier_content(void **state)
{
	enum { LIMIT = 50001 };
	struct rlimit before, limit;
	struct fixture f;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	begin(&f, 0, 0);
	add(&f, 10);
	assert_int_equal(finish_round(&f), 0);
	limit = (struct rlimit){LIMIT, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	add(&f, 2000);
	assert_int_equal(finish_round(&f), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(f.err.text, "; the part recorded until then is readable"));
	assert_int_equal(count(&f, PERF_RECORD_COMM), 10);
	assert_int_equal(f.size, f.recording.sound_bytes);

	add(&f, 1); /* a later record gets the error again */
	f.err.text[0] = '\0';
	assert_int_equal(finish_round(&f), -1);
	assert_non_null(strstr(f.err.text, "; the part recorded"));
	assert_int_equal(recording_end(&f.recording, &f.input, &f.err), -1);
	assert_int_equal(count(&f, PERF_RECORD_COMM), 10);
	finish(&f);
}

static void a_failed_write_within_a_pass_is_reported_after_it(void **state)
{
	struct rlimit before, limit;
	struct fixture f;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	begin(&f, 0, 0);
	limit = (struct rlimit){1 << 20, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	add(&f, 200000);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(finish_round(&f), -1);
	assert_non_null(strstr(f.err.text, "has reached the file size"));
	assert_int_equal(count(&f, PERF_RECORD_COMM), 0);
	finish(&f);
}

/* --- Counts --------------------------------------------------------------------------------- */

/* The part of a record that the recording reads. */
union record {
	struct perf_event_header header;
	uint64_t words[8];
};

static union record forked(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	const uint32_t body[4] = {pid, ppid, tid, ptid};
	union record record = {.header = {.type = PERF_RECORD_FORK, .size = 32}};

	memcpy(&record.words[1], body, sizeof(body));
	record.words[3] = 1000; /* time */
	return record;
}

static void count_fork(struct fixture *f, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	union record record = forked(pid, ppid, tid, ptid);

	recording_count(&f->recording, &record);
}

static void threads_created_by_threads_of_a_name_have_it_too(void **state)
{
	union record before = forked(21, 20, 21, 20);
	struct fixture f;

	(void)state;
	begin_for(&f, "b", 0, 0);
	assert_int_equal(f.recording.counts.named_threads, 2);
	count_fork(&f, 10, 10, 12, 10);
	count_fork(&f, 10, 10, 13, 11);
	count_fork(&f, 40, 20, 40, 20);
	count_fork(&f, 40, 20, 40, 20); /* another thread with its number */
	before.words[3] = 0;		/* of a thread that existed before */
	recording_count(&f.recording, &before);
	assert_int_equal(f.recording.counts.named_threads, 5);
	finish(&f);
}

static void a_thread_joins_when_it_gets_the_name(void **state)
{
	union record record = {.words = {[1] = 10 | UINT64_C(12) << 32}};
	struct fixture f;

	(void)state;
	begin_for(&f, "work", 0, 0);
	record.header = (struct perf_event_header){.type = PERF_RECORD_COMM, .size = 40};
	strcpy((char *)&record.words[2], "worker");
	recording_count(&f.recording, &record);
	assert_int_equal(f.recording.counts.named_threads, 0);
	strcpy((char *)&record.words[2], "work");
	recording_count(&f.recording, &record);
	recording_count(&f.recording, &record);
	assert_int_equal(f.recording.counts.named_threads, 1);
	finish(&f);
}

static void samples_and_losses_add_up(void **state)
{
	const union record sample = {.header = {.type = PERF_RECORD_SAMPLE, .size = 64}};
	union record lost = {.words = {[0] = 0, [1] = 77 /* id */, [2] = 5}};
	struct recording recording = {.size = 0};

	(void)state;
	lost.header = (struct perf_event_header){.type = PERF_RECORD_LOST, .size = 24};
	recording_count(&recording, &sample);
	recording_count(&recording, &lost);
	recording_count(&recording, &sample);
	lost.header.type = PERF_RECORD_LOST_SAMPLES;
	lost.words[1] = 2;
	recording_count(&recording, &lost);
	assert_int_equal(recording.counts.samples, 2);
	assert_int_equal(recording.counts.lost, 7);
	recording_drop(&recording);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_recording_begins_with_the_known_facts),
	cmocka_unit_test(the_records_of_a_round_are_in_the_file),
	cmocka_unit_test(while_a_collector_is_late_rounds_tell_the_last_complete_time),
	cmocka_unit_test(a_small_pass_waits_for_more_or_for_its_time),
	cmocka_unit_test(the_end_is_noted_and_the_table_is_that_of_perf),
	cmocka_unit_test(notes_during_a_recording_are_in_the_file_at_once),
	cmocka_unit_test(a_long_pass_does_not_stay_in_memory),
	cmocka_unit_test(a_compressed_file_is_smaller_and_names_its_compression),
	cmocka_unit_test(repeated_records_are_among_all_other_ones),
	cmocka_unit_test(without_compression_repeated_records_are_left_to_other_recorders),
	cmocka_unit_test(a_recording_is_full_at_its_size),
	cmocka_unit_test(a_failed_write_leaves_the_earlier_content),
	cmocka_unit_test(a_failed_write_within_a_pass_is_reported_after_it),
	cmocka_unit_test(threads_created_by_threads_of_a_name_have_it_too),
	cmocka_unit_test(a_thread_joins_when_it_gets_the_name),
	cmocka_unit_test(samples_and_losses_add_up),
};

TEST_FILE(tests);
