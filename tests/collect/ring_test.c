/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/ring.h"

#include <string.h>

/* A ring without a kernel: what the kernel does to it is done by put(). */
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

/* A record of `words` words, the second of which and all after it hold `value`. */
static void put(struct fake *fake, uint32_t type, size_t words, uint64_t value)
{
	union ring_record record = {
		.header = {.type = type, .size = (uint16_t)(words * sizeof(uint64_t))}};
	uint64_t at = fake->page.data_head / sizeof(uint64_t);

	fake->words[at % 8] = record.words[0];
	for (size_t i = 1; i < words; i++)
		fake->words[(at + i) % 8] = value;
	fake->page.data_head += words * sizeof(uint64_t);
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct ring_span spans[2];
	struct fake fake;

	(void)state;
	make(&fake);
	assert_int_equal(ring_read(&fake.ring, spans), 0);
	assert_int_equal(spans[0].size + spans[1].size, 0);
}

static void room_is_given_back_only_when_consumed(void **state)
{
	struct ring_span spans[2];
	struct fake fake;

	(void)state;
	make(&fake);
	put(&fake, 9, 3, 7);
	assert_int_equal(ring_read(&fake.ring, spans), 24);
	assert_int_equal(fake.page.data_tail, 0);
	ring_consume(&fake.ring);
	assert_int_equal(fake.page.data_tail, 24);
	assert_int_equal(ring_read(&fake.ring, spans), 0);
}

static void what_runs_over_the_end_comes_in_two_pieces(void **state)
{
	struct ring_span spans[2];
	union ring_record record;
	struct fake fake;
	size_t offset = 0;

	(void)state;
	make(&fake);
	put(&fake, 1, 6, 1);
	ring_read(&fake.ring, spans);
	ring_consume(&fake.ring);
	put(&fake, 2, 4, 22); /* words 6, 7, 0, 1 */
	put(&fake, 3, 2, 33);
	assert_int_equal(ring_read(&fake.ring, spans), 48);
	assert_ptr_equal(spans[0].bytes, &fake.words[6]);
	assert_int_equal(spans[0].size, 16);
	assert_ptr_equal(spans[1].bytes, &fake.words[0]);
	assert_int_equal(spans[1].size, 32);
	assert_int_equal(ring_next(&fake.ring, &offset, &record), 1);
	assert_int_equal(record.header.type, 2);
	assert_int_equal(record.words[1], 22);
	assert_int_equal(record.words[3], 22);
	assert_int_equal(record.words[4], 0); /* not a part of it */
	assert_int_equal(ring_next(&fake.ring, &offset, &record), 1);
	assert_int_equal(record.header.type, 3);
	assert_int_equal(record.words[1], 33);
	assert_int_equal(ring_next(&fake.ring, &offset, &record), 0);
}

static void a_full_ring_is_read_whole(void **state)
{
	struct ring_span spans[2];
	struct fake fake;

	(void)state;
	make(&fake);
	fake.page.data_head = 40;
	ring_read(&fake.ring, spans);
	ring_consume(&fake.ring);
	put(&fake, 1, 8, 5);
	assert_int_equal(ring_read(&fake.ring, spans), 64);
	assert_int_equal(spans[0].size, 24);
	assert_int_equal(spans[1].size, 40);
}

static void a_record_without_a_size_ends_the_walk(void **state)
{
	struct ring_span spans[2];
	union ring_record record;
	struct fake fake;
	size_t offset = 0;

	(void)state;
	make(&fake);
	fake.page.data_head = 16;
	ring_read(&fake.ring, spans);
	assert_int_equal(ring_next(&fake.ring, &offset, &record), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_gives_nothing),
		cmocka_unit_test(room_is_given_back_only_when_consumed),
		cmocka_unit_test(what_runs_over_the_end_comes_in_two_pieces),
		cmocka_unit_test(a_full_ring_is_read_whole),
		cmocka_unit_test(a_record_without_a_size_ends_the_walk),
	};

	return RUN_TESTS(tests);
}
