/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/compressor.h"

#include "base/err.h"
#include "perfdata/perfdata.h"
#include "support.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MANY = 1 << 20 };

/* Bytes that do not compress at all. */
static uint8_t *noise(size_t size)
{
	uint8_t *bytes = malloc(size);

	srand(1);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(rand() >> 8);
	return bytes;
}

static uint8_t *repetition(size_t size)
{
	uint8_t *bytes = malloc(size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % 112);
	return bytes;
}

/* Packs the bytes piece by piece; each record unpacks to the piece that went into it. */
static uint32_t check_both_ways(int level, const uint8_t *bytes, size_t size)
{
	static uint8_t unpacked[COMPRESSOR_UNPACKED_MAX];
	struct err err;
	struct compressor *compressor = compressor_new(level, false, &err);
	ZSTD_DStream *stream = ZSTD_createDStream();
	uint32_t ratio;

	assert_non_null(compressor);
	for (size_t at = 0; at < size;) {
		size_t piece = 1 + (size_t)rand() % COMPRESSOR_CHUNK_BYTES;
		const struct perf_event_header *record;
		ZSTD_outBuffer out = {unpacked, sizeof(unpacked), 0};
		ZSTD_inBuffer in = {NULL, 0, 0};

		if (piece > size - at)
			piece = size - at;
		record = compressor_pack(compressor, bytes + at, piece, &err);
		assert_non_null(record);
		assert_int_equal(record->type, PERFDATA_RECORD_COMPRESSED);
		in.src = record + 1;
		in.size = record->size - sizeof(*record);
		assert_false(ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)));
		assert_int_equal(in.pos, in.size);
		assert_int_equal(out.pos, piece);
		assert_memory_equal(unpacked, bytes + at, piece);
		at += piece;
	}
	ratio = compressor_ratio(compressor);
	ZSTD_freeDStream(stream);
	compressor_free(compressor);
	return ratio;
}

static void each_record_unpacks_to_what_went_into_it(void **state)
{
	static const int levels[] = {1, 3, 19};
	uint8_t *bytes = repetition(MANY);

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		assert_true(check_both_ways(levels[i], bytes, MANY) > 10);
	free(bytes);
}

static void incompressible_bytes_fit_into_records_too(void **state)
{
	uint8_t *bytes = noise(MANY);

	(void)state;
	assert_int_equal(check_both_ways(1, bytes, MANY), 1);
	free(bytes);
}

static void the_largest_piece_of_noise_fits(void **state)
{
	uint8_t *bytes = noise(COMPRESSOR_CHUNK_BYTES);
	struct err err;
	struct compressor *compressor = compressor_new(1, false, &err);
	const struct perf_event_header *record =
		compressor_pack(compressor, bytes, COMPRESSOR_CHUNK_BYTES, &err);

	(void)state;
	assert_non_null(record);
	assert_true(record->size > COMPRESSOR_CHUNK_BYTES);
	assert_true(record->size <= PERFDATA_RECORD_MAX);
	compressor_free(compressor);
	free(bytes);
}

struct fixture {
	struct repeat_packer *packer;
	ZSTD_DStream *stream;
	uint8_t *whole; /* the expected bytes */
	size_t size, capacity, taken, packed;
	size_t put; /* the number of records put whole */
};

static struct fixture *begin(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->packer = repeat_packer_new();
	f->stream = ZSTD_createDStream();
	return f;
}

static void finish(struct fixture *f)
{
	repeat_packer_free(f->packer);
	ZSTD_freeDStream(f->stream);
	free(f->whole);
	free(f);
}

/* All bytes except the time depend on the key. */
static void add(struct fixture *f, uint64_t key, uint64_t time_ns)
{
	uint8_t record[REPEAT_RECORD_BYTES];
	uint64_t number = key;

	for (size_t i = 0; i < sizeof(record); i += sizeof(number)) {
		number = number * 0x9e3779b97f4a7c15 + i;
		memcpy(record + i, &number, sizeof(number));
	}
	memcpy(record + REPEAT_TIME_AT, &time_ns, sizeof(time_ns));
	if (!repeat_packer_repeat(f->packer, key, time_ns)) {
		repeat_packer_put(f->packer, key, record);
		f->put++;
	}
	if (f->size + sizeof(record) > f->capacity) {
		f->capacity = 2 * f->capacity + (1 << 20);
		f->whole = realloc(f->whole, f->capacity);
	}
	memcpy(f->whole + f->size, record, sizeof(record));
	f->size += sizeof(record);
}

/* Each record unpacks, with one call, to a part of the input, and all records to the whole. */
static void take(struct fixture *f)
{
	static uint8_t unpacked[COMPRESSOR_UNPACKED_MAX];
	size_t size, expected, left, before = f->taken;
	const uint8_t *bytes = repeat_packer_take(f->packer, &size, &expected);

	f->packed += size;
	for (size_t at = 0; at < size;) {
		struct perf_event_header header;
		ZSTD_inBuffer in = {NULL, 0, 0};
		ZSTD_outBuffer out = {unpacked, sizeof(unpacked), 0};

		memcpy(&header, bytes + at, sizeof(header));
		assert_int_equal(header.type, PERFDATA_RECORD_COMPRESSED);
		in.src = bytes + at + sizeof(header);
		in.size = header.size - sizeof(header);
		left = ZSTD_decompressStream(f->stream, &out, &in);
		if (ZSTD_isError(left))
			fail_msg("zstd says: %s", ZSTD_getErrorName(left));
		assert_int_equal(in.pos, in.size);
		assert_in_range(out.pos, 1, COMPRESSOR_UNPACKED_MAX - PERFDATA_RECORD_MAX);
		assert_int_equal(left, 0); /* each record is a frame */
		assert_true(f->taken + out.pos <= f->size);
		assert_memory_equal(unpacked, f->whole + f->taken, out.pos);
		f->taken += out.pos;
		at += header.size;
	}
	assert_int_equal(f->taken, f->size);
	assert_int_equal(f->taken - before, expected);
	assert_int_equal(repeat_packer_size(f->packer), 0);
}

static void an_empty_input_has_no_record(void **state)
{
	struct fixture *f = begin();
	size_t size, unpacked;

	(void)state;
	repeat_packer_take(f->packer, &size, &unpacked);
	assert_int_equal(size, 0);
	add(f, 1, 5);
	take(f);
	repeat_packer_take(f->packer, &size, &unpacked);
	assert_int_equal(size, 0);
	assert_int_equal(unpacked, 0);
	finish(f);
}

static void a_record_repeats_but_for_its_time(void **state)
{
	struct fixture *f = begin();

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		add(f, 7, 1000 + 10 * i);
	take(f);
	assert_int_equal(f->put, 1);
	assert_true(f->packed < 5000 * 4);
	finish(f);
}

/* Every 2^24 ns, and when time goes back. */
static void a_time_that_differs_more_is_put_whole(void **state)
{
	static const uint64_t times[] = {0xfffffe, 0xffffff, 0x1000000, 0x1000001, 0xffffff};
	struct fixture *f = begin();

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		add(f, 7, times[i]);
	take(f);
	assert_int_equal(f->put, 3);
	finish(f);
}

static void records_that_were_taken_are_not_repeated(void **state)
{
	struct fixture *f = begin();

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (uint64_t k = 0; k < 100; k++)
			add(f, k % 2, k);
		take(f);
	}
	assert_int_equal(f->put, 6);
	finish(f);
}

/* A frame has some 5600 repeats, or a thousand whole records. */
static void a_record_that_is_too_far_away_is_put_again(void **state)
{
	struct fixture *f = begin();

	(void)state;
	add(f, 7, 1);
	for (uint64_t i = 0; i < 5000; i++)
		add(f, 8, i);
	add(f, 7, 1);
	assert_int_equal(f->put, 2);
	for (uint64_t i = 0; i < 6000; i++)
		add(f, 8, i);
	assert_int_equal(f->put, 3);
	add(f, 7, 1);
	assert_int_equal(f->put, 4);
	take(f);
	finish(f);
}

struct mix {
	uint64_t keys;
	int pattern; /* 0: random; else the records take turns, and are random every so often */
	uint64_t step_ns;
};

static void any_mix_of_records_unpacks_to_what_it_was(void **state)
{
	static const struct mix mixes[] = {
		{1, 0, 10},   {2, 0, 10},    {2, 7, 10},     {40, 0, 10},      {40, 100, 10},
		{300, 50, 1}, {5000, 0, 10}, {5000, 3, 900}, {100000, 10, 10}, {3, 5, 1000000},
		{300, 0, 1},  {700, 0, 1},   {2000, 0, 1},
	};

	(void)state;
	srand(2);
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		const struct mix *mix = &mixes[i];
		struct fixture *f = begin();
		uint64_t time_ns = 0x123456789abcd;

		for (uint64_t k = 0; k < 60000; k++) {
			int chance = mix->pattern ? rand() % mix->pattern == 0 : 1;

			time_ns += (uint64_t)rand() % (2 * mix->step_ns);
			add(f, (chance ? (uint64_t)rand() : k) % mix->keys, time_ns);
			if (rand() % 20000 == 0)
				take(f);
		}
		take(f);
		finish(f);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_record_unpacks_to_what_went_into_it),
	cmocka_unit_test(incompressible_bytes_fit_into_records_too),
	cmocka_unit_test(the_largest_piece_of_noise_fits),
	cmocka_unit_test(an_empty_input_has_no_record),
	cmocka_unit_test(a_record_repeats_but_for_its_time),
	cmocka_unit_test(a_time_that_differs_more_is_put_whole),
	cmocka_unit_test(records_that_were_taken_are_not_repeated),
	cmocka_unit_test(a_record_that_is_too_far_away_is_put_again),
	cmocka_unit_test(any_mix_of_records_unpacks_to_what_it_was),
};

TEST_FILE(tests);
