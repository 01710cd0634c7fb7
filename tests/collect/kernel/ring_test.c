/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/kernel/ring.h"

#include <string.h>

/* A ring without a kernel: put() writes records like the kernel. */
struct fake {
	struct perf_event_mmap_page page;
	uint64_t words[8]; /* 64 bytes */
	struct ring ring;
};

static void make(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	ring_init(&fake->ring, &fake->page, (const uint8_t *)fake->words, sizeof(fake->words));
}

/* Puts a record of `words` words, the second of which and all after it hold `value`. */
static void put(struct fake *fake, uint32_t type, size_t words, uint64_t value)
{
	const struct perf_event_header header = {.type = type,
						 .size = (uint16_t)(words * sizeof(uint64_t))};
	uint64_t at = fake->page.data_head / sizeof(uint64_t);

	memcpy(&fake->words[at % 8], &header, sizeof(header));
	for (size_t i = 1; i < words; i++)
		fake->words[(at + i) % 8] = value;
	fake->page.data_head += words * sizeof(uint64_t);
}

/* Word `index` of a record. */
static uint64_t word(const struct perf_event_header *record, size_t index)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)record + 8 * index, sizeof(value));
	return value;
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	assert_int_equal(ring_read(&fake.ring), 0);
	assert_null(ring_next(&fake.ring));
}

static void room_is_given_back_only_when_consumed(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	put(&fake, 9, 3, 7);
	assert_int_equal(ring_read(&fake.ring), 24);
	assert_int_equal(fake.page.data_tail, 0);
	ring_consume(&fake.ring);
	assert_int_equal(fake.page.data_tail, 24);
	assert_int_equal(ring_read(&fake.ring), 0);
}

static void a_record_that_wraps_is_joined(void **state)
{
	const struct perf_event_header *record;
	struct fake fake;

	(void)state;
	make(&fake);
	put(&fake, 1, 6, 1);
	ring_read(&fake.ring);
	ring_consume(&fake.ring);
	put(&fake, 2, 4, 22); /* words 6, 7, 0, 1 */
	put(&fake, 3, 2, 33);
	assert_int_equal(ring_read(&fake.ring), 48);
	record = ring_next(&fake.ring);
	assert_int_equal(record->type, 2);
	assert_int_equal(word(record, 1), 22);
	assert_int_equal(word(record, 3), 22);
	record = ring_next(&fake.ring);
	assert_int_equal(record->type, 3);
	assert_ptr_equal(record, &fake.words[2]); /* not copied */
	assert_int_equal(word(record, 1), 33);
	assert_null(ring_next(&fake.ring));
	ring_release(&fake.ring);
}

static void a_full_ring_is_read_whole(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	fake.page.data_head = 40;
	ring_read(&fake.ring);
	ring_consume(&fake.ring);
	put(&fake, 1, 8, 5);
	assert_int_equal(ring_read(&fake.ring), 64);
	assert_int_equal(word(ring_next(&fake.ring), 7), 5);
	assert_null(ring_next(&fake.ring));
	ring_release(&fake.ring);
}

static void a_record_without_a_size_ends_the_walk(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	fake.page.data_head = 16;
	ring_read(&fake.ring);
	assert_null(ring_next(&fake.ring));
}

static void records_after_the_first_look_are_left_by_a_rewind(void **state)
{
	struct fake fake;
	uint64_t head;

	(void)state;
	make(&fake);
	put(&fake, 1, 2, 11);
	ring_read(&fake.ring);
	head = fake.ring.head;
	put(&fake, 2, 2, 22);
	assert_int_equal(ring_read(&fake.ring), 32);
	assert_int_equal(ring_next(&fake.ring)->type, 1);
	assert_int_equal(ring_next(&fake.ring)->type, 2);
	ring_rewind(&fake.ring, head);
	assert_int_equal(ring_next(&fake.ring)->type, 1);
	assert_null(ring_next(&fake.ring));
	ring_consume(&fake.ring);
	assert_int_equal(fake.page.data_tail, 16);
	assert_int_equal(ring_read(&fake.ring), 16);
	assert_int_equal(ring_next(&fake.ring)->type, 2);
}

/* The body of an event with TID, TIME and ID at its end. */
static void a_body_is_that_of_its_kind_or_none(void **state)
{
	enum { TRAILER = 24 };
	static const struct {
		uint32_t type;
		size_t least; /* of the body; 0 if any length is refused */
		bool is_read;
	} cases[] = {
		{PERF_RECORD_SWITCH, 0, true},	{PERF_RECORD_FORK, 24, true},
		{PERF_RECORD_EXIT, 24, true},	{PERF_RECORD_COMM, 16, true},
		{PERF_RECORD_LOST, 16, true},	{PERF_RECORD_READ, 40, true},
		{PERF_RECORD_MMAP2, 8, true},	{PERF_RECORD_SWITCH_CPU_WIDE, 8, true},
		{PERF_RECORD_SAMPLE, 0, false}, {PERF_RECORD_THROTTLE, 0, false},
	};
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							    PERF_SAMPLE_ID,
					     .sample_id_all = 1};
	struct sample_layout layout;

	(void)state;
	sample_layout_init(&layout, &attr);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct {
			struct perf_event_header header;
			uint8_t bytes[64];
		} record = {.header = {.type = cases[i].type}};
		const uint32_t ids[] = {7, 8};
		const uint64_t words[] = {1000, 21};
		struct sample sample;

		memcpy(record.bytes + cases[i].least, ids, sizeof(ids));
		memcpy(record.bytes + cases[i].least + sizeof(ids), words, sizeof(words));
		record.header.size = (uint16_t)(8 + cases[i].least + TRAILER);
		if ((record_body(&sample, &record.header, &layout) == record.bytes) !=
		    cases[i].is_read)
			fail_msg("type %u: is not read as it should be", cases[i].type);
		if (!cases[i].is_read)
			continue;
		assert_int_equal(sample.pid, 7);
		assert_int_equal(sample.tid, 8);
		assert_int_equal(sample.time_ns, 1000);
		assert_int_equal(sample.id, 21);
		record.header.size -= 8;
		assert_null(record_body(&sample, &record.header, &layout));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_empty_ring_gives_nothing),
	cmocka_unit_test(room_is_given_back_only_when_consumed),
	cmocka_unit_test(a_record_that_wraps_is_joined),
	cmocka_unit_test(a_full_ring_is_read_whole),
	cmocka_unit_test(records_after_the_first_look_are_left_by_a_rewind),
	cmocka_unit_test(a_record_without_a_size_ends_the_walk),
	cmocka_unit_test(a_body_is_that_of_its_kind_or_none),
};

TEST_FILE(tests);
