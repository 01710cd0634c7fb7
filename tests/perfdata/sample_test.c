/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/sample.h"

#include "base/err.h"
#include "decode/recording_bytes.h"
#include "perfdata/perfdata_file.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A record has 64-bit words; a pair is two 32-bit numbers in one word. */
static uint64_t pair(int32_t first, int32_t second)
{
	const int32_t numbers[2] = {first, second};
	uint64_t word;

	memcpy(&word, numbers, sizeof(word));
	return word;
}

static int parse(struct sample *sample, const struct perf_event_attr *attr, const void *body,
		 size_t length)
{
	struct sample_layout layout;

	sample_layout_init(&layout, attr);
	return sample_parse(sample, &layout, body, length);
}

static int parse_trailer(struct sample *sample, const struct perf_event_attr *attr,
			 const void *body, size_t length)
{
	struct sample_layout layout;

	sample_layout_init(&layout, attr);
	return sample_parse_trailer(sample, &layout, body, length);
}

enum {
	ALL = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
	      PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
};

/* All fields, in the order of linux/perf_event.h. */
static size_t full_body(uint64_t *words)
{
	size_t n = 0;

	words[n++] = 4711;	   /* IDENTIFIER */
	words[n++] = 0xdead;	   /* IP */
	words[n++] = pair(12, 34); /* TID */
	words[n++] = 987654321;	   /* TIME */
	words[n++] = 0xadd;	   /* ADDR */
	words[n++] = 4711;	   /* ID */
	words[n++] = 99;	   /* STREAM_ID */
	words[n++] = pair(3, 0);   /* CPU */
	words[n++] = 1;		   /* PERIOD */
	words[n++] = 55;	   /* READ: value */
	words[n++] = 2;		   /* CALLCHAIN: count */
	words[n++] = 0xa;
	words[n++] = 0xb;
	memcpy(&words[n], "\x08\0\0\0payload!\0\0\0\0", 16); /* RAW: size, bytes, padding */
	return (n + 2) * sizeof(*words);
}

static void every_field_is_found_after_the_fields_before_it(void **state)
{
	const struct perf_event_attr attr = {.sample_type = ALL};
	uint64_t words[32];
	size_t length = full_body(words);
	struct sample sample;

	(void)state;
	assert_int_equal(parse(&sample, &attr, words, length), 0);
	assert_int_equal(sample.id, 4711);
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 34);
	assert_int_equal(sample.time_ns, 987654321);
	assert_int_equal(sample.cpu, 3);
	assert_int_equal(sample.raw_length, 8);
	assert_memory_equal(sample.raw, "payload!", 8);
	assert_int_equal(sample.chain_length, 2);
	assert_ptr_equal(sample.chain, words + 11);
}

static void a_sample_cut_anywhere_is_refused(void **state)
{
	const struct perf_event_attr attr = {.sample_type = ALL};
	uint64_t words[32];
	size_t length = full_body(words) - 4; /* the reader does not need the padding */
	struct sample sample;

	(void)state;
	assert_int_equal(parse(&sample, &attr, words, length), 0);
	for (size_t cut = 0; cut < length; cut++)
		if (parse(&sample, &attr, words, cut) != -1)
			fail_msg("%zu bytes of %zu were enough", cut, length);
}

static void missing_fields_are_unknown(void **state)
{
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP};
	const uint64_t word = 0xdead;
	struct sample sample;

	(void)state;
	assert_int_equal(parse(&sample, &attr, &word, sizeof(word)), 0);
	assert_int_equal(sample.pid, -1);
	assert_int_equal(sample.tid, -1);
	assert_int_equal(sample.cpu, -1);
	assert_int_equal(sample.time_ns, 0);
	assert_int_equal(sample.id, 0);
	assert_null(sample.raw);
	assert_int_equal(sample.chain_length, 0);
}

static void a_read_field_is_as_long_as_its_format_says(void **state)
{
	enum {
		ENABLED = PERF_FORMAT_TOTAL_TIME_ENABLED,
		RUNNING = PERF_FORMAT_TOTAL_TIME_RUNNING,
		ID = PERF_FORMAT_ID,
		GROUP = PERF_FORMAT_GROUP,
		LOST = 1 << 4,
	};
	static const struct {
		uint64_t format;
		uint64_t first; /* number of values of a group; else the value */
		size_t words;
	} cases[] = {
		{0, 7, 1},
		{ENABLED, 7, 2},
		{ENABLED | RUNNING, 7, 3},
		{ENABLED | RUNNING | ID, 7, 4},
		{ENABLED | RUNNING | ID | LOST, 7, 5},
		{LOST, 7, 2},
		{GROUP, 0, 1},
		{GROUP, 3, 1 + 3},
		{GROUP | ID, 3, 1 + 2 * 3},
		{GROUP | ENABLED | RUNNING, 2, 1 + 2 + 2},
		{GROUP | ENABLED | RUNNING | ID | LOST, 2, 1 + 2 + 3 * 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct perf_event_attr attr = {
			.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
			.read_format = cases[i].format,
		};
		uint64_t words[16] = {cases[i].first};
		size_t length = (cases[i].words + 1) * sizeof(*words);
		struct sample sample;

		memcpy(&words[cases[i].words], "\x04\0\0\0mark", 8);
		if (parse(&sample, &attr, words, length) || sample.raw_length != 4 ||
		    memcmp(sample.raw, "mark", 4) != 0)
			fail_msg("case %zu", i);
		assert_int_equal(parse(&sample, &attr, words, length - 8), -1);
	}
}

static void counts_of_more_than_the_record_holds_are_refused(void **state)
{
	static const struct {
		uint64_t type, read_format;
		uint64_t words[3];
	} cases[] = {
		{PERF_SAMPLE_CALLCHAIN, 0, {3, 1, 2}},
		{PERF_SAMPLE_CALLCHAIN, 0, {UINT64_MAX, 1, 2}},
		{PERF_SAMPLE_CALLCHAIN, 0, {UINT64_C(1) << 61, 1, 2}},
		{PERF_SAMPLE_CALLCHAIN, 0, {(UINT64_C(1) << 61) + 1, 1, 2}},
		{PERF_SAMPLE_READ, PERF_FORMAT_GROUP, {3, 1, 2}},
		{PERF_SAMPLE_READ, PERF_FORMAT_GROUP, {UINT64_MAX, 1, 2}},
		{PERF_SAMPLE_READ, PERF_FORMAT_GROUP | PERF_FORMAT_ID, {UINT64_C(1) << 60, 1, 2}},
		{PERF_SAMPLE_RAW, 0, {21, 1, 2}},
		{PERF_SAMPLE_RAW, 0, {UINT32_MAX, 1, 2}},
		{PERF_SAMPLE_RAW, 0, {UINT32_MAX - 3, 1, 2}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct perf_event_attr attr = {.sample_type = cases[i].type,
						     .read_format = cases[i].read_format};
		struct sample sample;

		if (parse(&sample, &attr, cases[i].words, sizeof(cases[i].words)) != -1)
			fail_msg("case %zu was taken", i);
	}
}

static void a_raw_field_may_be_empty(void **state)
{
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_RAW};
	struct sample sample;

	(void)state;
	assert_int_equal(parse(&sample, &attr, "\0\0\0\0", 4), 0);
	assert_int_equal(sample.raw_length, 0);
	assert_int_equal(parse(&sample, &attr, "\0\0\0", 3), -1);
}

/* --- The trailer of other records ---------------------------------------------------------- */

static void a_trailer_is_the_end_of_a_record(void **state)
{
	const struct perf_event_attr attr = {.sample_type = ALL, .sample_id_all = 1};
	const uint64_t words[] = {111, 222, pair(12, 34), 987, 4711, 99, pair(3, 0), 4711};
	struct sample sample;

	(void)state;
	assert_int_equal(parse_trailer(&sample, &attr, words, sizeof(words)), 0);
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 34);
	assert_int_equal(sample.time_ns, 987);
	assert_int_equal(sample.cpu, 3);
	assert_int_equal(sample.id, 4711);
	assert_null(sample.raw);
	for (size_t cut = 0; cut < 48; cut++)
		assert_int_equal(parse_trailer(&sample, &attr, words, cut), -1);
}

static void a_trailer_holds_what_the_event_samples(void **state)
{
	const uint64_t words[] = {pair(12, 34), 987};
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
				       .sample_id_all = 1};
	struct sample sample;

	(void)state;
	assert_int_equal(parse_trailer(&sample, &attr, words, sizeof(words)), 0);
	assert_int_equal(sample.tid, 34);
	assert_int_equal(sample.time_ns, 987);
	assert_int_equal(sample.cpu, -1);
	attr.sample_type = PERF_SAMPLE_TIME;
	assert_int_equal(parse_trailer(&sample, &attr, words, sizeof(words)), 0);
	assert_int_equal(sample.tid, -1);
	assert_int_equal(sample.time_ns, 987);
}

static void without_a_trailer_nothing_is_known(void **state)
{
	const struct perf_event_attr attr = {.sample_type = ALL};
	struct sample sample = {.tid = 7};

	(void)state;
	assert_int_equal(parse_trailer(&sample, &attr, "", 0), 0);
	assert_int_equal(sample.tid, -1);
	assert_int_equal(sample.time_ns, 0);
}

static void the_id_is_found_before_the_event_is_known(void **state)
{
	static const struct {
		uint64_t type;
		int offset, trailer_offset;
	} cases[] = {
		{0, -1, -1},
		{PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, -1, -1},
		{PERF_SAMPLE_ID, 0, 0},
		{PERF_SAMPLE_ID | PERF_SAMPLE_TIME, 8, 8},
		{PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, 0, 0},
		{PERF_SAMPLE_ID | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR, 16, 8},
		{ALL & ~(uint64_t)PERF_SAMPLE_IDENTIFIER, 32, 16},
		{ALL, 0, 40},
		{PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct perf_event_attr attr = {.sample_type = cases[i].type,
						     .sample_id_all = 1};
		struct sample_layout layout;

		sample_layout_init(&layout, &attr);
		assert_int_equal(layout.head.id, cases[i].offset);
		assert_int_equal(layout.trailer.id, cases[i].trailer_offset);
	}
}

static void events_are_alike_whose_records_mean_the_same(void **state)
{
	static const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .type = PERF_TYPE_TRACEPOINT};
	static const struct {
		struct perf_event_attr other;
		bool same;
	} cases[] = {
		{{.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		  .type = PERF_TYPE_TRACEPOINT,
		  .config = 7},
		 true},
		{{.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .type = PERF_TYPE_SOFTWARE},
		 false},
		{{.sample_type = PERF_SAMPLE_TID, .type = PERF_TYPE_TRACEPOINT}, false},
		{{.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		  .type = PERF_TYPE_TRACEPOINT,
		  .read_format = PERF_FORMAT_ID},
		 false},
		{{.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		  .type = PERF_TYPE_TRACEPOINT,
		  .sample_id_all = 1},
		 false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perf_event_attr attrs[] = {attr, cases[i].other};
		const struct perfdata_file file = {.attrs = attrs, .attr_count = 2};
		struct err err;

		assert_int_equal(record_owners_check(&file, &err), cases[i].same ? 0 : -1);
	}
}

enum {
	ID_FIRST = PERF_SAMPLE_IDENTIFIER,
	ID_THIRD = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
	ID_SECOND = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
	NO_ID = PERF_SAMPLE_TIME,
	NO_ID_EITHER = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
};

/* Events with these sample types; event i has the ids 10 i + 10 and 10 i + 11. */
struct events {
	uint64_t types[3];
	size_t count;
	bool no_ids;	  /* the file lists no ids */
	bool no_trailers; /* sample_id_all is off */
};

#define EVENTS(n, ...)                               \
	{                                            \
		.types = {__VA_ARGS__}, .count = (n) \
	}

static void add_events(struct perfdata_file *file, const struct events *events, size_t from,
		       size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
						     .size = sizeof(attr),
						     .sample_type = events->types[i],
						     .sample_id_all = !events->no_trailers};
		struct bytes body = {0};

		put(&body, &attr, sizeof(attr));
		for (uint64_t id = 10 * i + 10; id < 10 * i + 12 && !events->no_ids; id++)
			put_u64(&body, id);
		assert_int_equal(perfdata_file_add(file, body.at, body.count), 0);
		free(body.at);
	}
}

static void make_file(struct perfdata_file *file, const struct events *events)
{
	*file = (struct perfdata_file){0};
	add_events(file, events, 0, events->count);
}

static void check(const struct events *events, bool is_sample, const uint64_t *words,
		  size_t word_count, int want, size_t number)
{
	struct record_owners owners = {0};
	struct perfdata_file file = {0};
	const struct sample_layout *found;

	/* A stream has events between its records. */
	add_events(&file, events, 0, events->count / 2);
	record_owners_learn(&owners, &file);
	add_events(&file, events, events->count / 2, events->count);
	record_owners_learn(&owners, &file);
	for (int again = 0; again < 2; again++) { /* the second result comes from a cache */
		found = record_owners_find(&owners, &file, is_sample, (const char *)words,
					   word_count * sizeof(*words));
		if ((found ? found - owners.layouts : -1) != want)
			fail_msg("case %zu: %d", number,
				 found ? (int)(found - owners.layouts) : -1);
	}
	record_owners_release(&owners);
	perfdata_file_release(&file);
}

static void the_id_of_a_sample_tells_its_event_at_any_offset(void **state)
{
	static const struct {
		struct events events;
		uint64_t words[4];
		int want;
	} cases[] = {
		{EVENTS(1, NO_ID), {1}, 0}, /* the only event */
		{EVENTS(1, ID_FIRST), {4711}, 0},
		{EVENTS(2, ID_FIRST, ID_FIRST), {10}, 0},
		{EVENTS(2, ID_FIRST, ID_FIRST), {21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_IP), {21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST), {4711}, -1},
		{EVENTS(2, ID_FIRST, ID_FIRST), {0}, 0}, /* either event has the same fields */
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_IP), {0}, -1},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_CPU), {1, 2, 20}, 1},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_CPU), {10, 10, 4711}, -1},
		{EVENTS(2, ID_THIRD, ID_SECOND), {5000, 20, 7}, 1}, /* each at its own offset */
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 5000, 11}, 0},
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 20, 11}, -1}, /* either event is possible */
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 11, 21}, -1}, /* at the other's offset */
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), {10, 5000, 7}, 0},
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), {7, 30, 8}, 2},
		{EVENTS(2, NO_ID, ID_SECOND), {5000, 21}, 1},
		{EVENTS(2, NO_ID, ID_SECOND), {5000, 0}, -1},
		{EVENTS(2, NO_ID, NO_ID), {5000}, 0},
		{EVENTS(2, NO_ID, NO_ID_EITHER), {5000}, -1},
		{{.types = {ID_FIRST, ID_FIRST}, .count = 2, .no_ids = true}, {77}, 0},
		{{.types = {ID_FIRST, ID_SECOND}, .count = 2, .no_ids = true}, {77}, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(&cases[i].events, true, cases[i].words, 4, cases[i].want, i);
}

static void the_id_of_another_record_is_before_its_end(void **state)
{
	static const struct {
		struct events events;
		uint64_t words[4];
		int want;
	} cases[] = {
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {0, 0, 5000, 21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {0, 0, 5000, 4711}, -1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {1, 2, 0, 0}, 0}, /* by perf */
		{EVENTS(2, ID_THIRD, ID_SECOND), {0, 5000, 20, 3}, 1},
		{EVENTS(2, ID_THIRD, ID_SECOND), {0, 7, 5000, 11}, 0},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_IP), {0, 7, 5000, 21}, 1},
		/* the id is the first field of the trailer */
		{EVENTS(2, PERF_SAMPLE_ID, PERF_SAMPLE_ID | PERF_SAMPLE_CPU), {0, 0, 20, 3}, 1},
		{EVENTS(2, PERF_SAMPLE_ID, PERF_SAMPLE_ID | PERF_SAMPLE_CPU), {0, 0, 5000, 11}, 0},
		{{.types = {ID_THIRD, ID_SECOND}, .count = 2, .no_trailers = true},
		 {0, 5000, 20, 3},
		 0},
		{EVENTS(2, NO_ID, NO_ID_EITHER), {0, 0, 0, 5000}, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(&cases[i].events, false, cases[i].words, 4, cases[i].want, i);
}

static void a_record_too_short_for_an_id_is_of_no_known_event(void **state)
{
	static const struct events unlike = EVENTS(2, ID_THIRD, ID_SECOND);
	static const uint64_t words[] = {7, 5000, 11};

	(void)state;
	check(&unlike, true, words, 3, 0, 0);
	check(&unlike, true, words, 2, -1, 1);
	check(&unlike, true, words, 0, -1, 2);
	check(&unlike, false, words, 0, 0, 3);
}

static void events_that_cannot_be_distinguished_are_refused(void **state)
{
	static const struct {
		struct events events;
		int rc;
	} cases[] = {
		{EVENTS(1, NO_ID), 0},
		{EVENTS(2, NO_ID, NO_ID), 0},
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), 0},
		{EVENTS(2, NO_ID, ID_SECOND), 0}, /* some can be told apart */
		{EVENTS(2, NO_ID, NO_ID_EITHER), -1},
		{EVENTS(0, 0), 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_file file;
		struct err err = {.text = ""};

		make_file(&file, &cases[i].events);
		assert_int_equal(record_owners_check(&file, &err), cases[i].rc);
		assert_int_equal(strstr(err.text, "tell them apart") != NULL, cases[i].rc != 0);
		perfdata_file_release(&file);
	}
}

/* --- Call chains --------------------------------------------------------------------------- */

#define KERNEL	 (uint64_t) PERF_CONTEXT_KERNEL
#define USER	 (uint64_t) PERF_CONTEXT_USER
#define DEFERRED (UINT64_MAX - 639) /* PERF_CONTEXT_USER_DEFERRED, which a number follows */

static void frames_of_user_code_follow_their_mark(void **state)
{
	static const struct {
		uint64_t ips[8];
		size_t count;
		uint64_t want[4];
		size_t found;
	} cases[] = {
		{{USER, 0x10, 0x20}, 3, {0x10, 0x20}, 2},
		{{KERNEL, 0xffffffff81000000, USER, 0x10}, 4, {0x10}, 1},
		{{USER, 0x10, KERNEL, 0x99, USER, 0x20}, 6, {0x10, 0x20}, 2},
		{{USER, 0x10, 0x20, USER, 0x30}, 5, {0x10, 0x20, USER, 0x30}, 4},
		{{USER}, 1, {0}, 0},
		{{KERNEL, 0x99}, 2, {0}, 0},
		{{0x10, 0x20}, 2, {0}, 0}, /* no mark of user or kernel */
		{{USER, 0x10, DEFERRED, 77}, 4, {0x10}, 1},
		{{USER, 0, UINT64_MAX - 4095}, 3, {0, UINT64_MAX - 4095}, 2},
		{{0}, 0, {0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t frames[8];
		char odd[1 + sizeof(cases[i].ips)];
		const struct sample sample = {.chain = odd + 1, .chain_length = cases[i].count};
		size_t found;

		memcpy(odd + 1, cases[i].ips, sizeof(cases[i].ips));
		found = sample_user_chain(frames, 8, &sample);
		if (found != cases[i].found || memcmp(frames, cases[i].want, found * 8) != 0)
			fail_msg("case %zu has %zu frames", i, found);
	}
}

static void frames_beyond_the_room_are_left_out(void **state)
{
	uint64_t ips[300] = {USER}, frames[127];
	const struct sample sample = {.chain = ips, .chain_length = 300};

	(void)state;
	assert_int_equal(sample_user_chain(frames, 127, &sample), 127);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(frames_of_user_code_follow_their_mark),
	cmocka_unit_test(frames_beyond_the_room_are_left_out),
	cmocka_unit_test(every_field_is_found_after_the_fields_before_it),
	cmocka_unit_test(a_sample_cut_anywhere_is_refused),
	cmocka_unit_test(missing_fields_are_unknown),
	cmocka_unit_test(a_read_field_is_as_long_as_its_format_says),
	cmocka_unit_test(counts_of_more_than_the_record_holds_are_refused),
	cmocka_unit_test(a_raw_field_may_be_empty),
	cmocka_unit_test(a_trailer_is_the_end_of_a_record),
	cmocka_unit_test(a_trailer_holds_what_the_event_samples),
	cmocka_unit_test(without_a_trailer_nothing_is_known),
	cmocka_unit_test(the_id_is_found_before_the_event_is_known),
	cmocka_unit_test(events_are_alike_whose_records_mean_the_same),
	cmocka_unit_test(the_id_of_a_sample_tells_its_event_at_any_offset),
	cmocka_unit_test(the_id_of_another_record_is_before_its_end),
	cmocka_unit_test(a_record_too_short_for_an_id_is_of_no_known_event),
	cmocka_unit_test(events_that_cannot_be_distinguished_are_refused),
};

TEST_FILE(tests);
