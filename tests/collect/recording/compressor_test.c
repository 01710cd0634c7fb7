/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/compressor.h"

#include "base/err.h"
#include "perfdata/perfdata.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

enum { MANY = 1 << 20 };

/* What does not compress at all. */
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

/* Packs it piece by piece, and each record unpacks to what went into it. */
static uint32_t check_both_ways(int level, const uint8_t *bytes, size_t size)
{
	static uint8_t unpacked[COMPRESSOR_UNPACKED_MAX];
	struct err err;
	struct compressor *compressor = compressor_new(level, &err);
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

static void what_does_not_compress_fits_into_records_as_well(void **state)
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
	struct compressor *compressor = compressor_new(COMPRESSOR_LEVEL_DEFAULT, &err);
	const struct perf_event_header *record =
		compressor_pack(compressor, bytes, COMPRESSOR_CHUNK_BYTES, &err);

	(void)state;
	assert_non_null(record);
	assert_true(record->size > COMPRESSOR_CHUNK_BYTES);
	assert_true(record->size <= PERFDATA_RECORD_MAX);
	compressor_free(compressor);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_record_unpacks_to_what_went_into_it),
		cmocka_unit_test(what_does_not_compress_fits_into_records_as_well),
		cmocka_unit_test(the_largest_piece_of_noise_fits),
	};

	return RUN_TESTS(tests);
}
