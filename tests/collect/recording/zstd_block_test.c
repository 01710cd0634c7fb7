/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/zstd_block.h"

#include "support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

enum { BYTES_MAX = 4 << 20, LITERALS_MAX = 60 << 10, SEQUENCES_MAX = 2000 };

/* What a frame is made of, and what is to come out. */
struct fixture {
	struct zstd_codes codes;
	uint8_t frame[BYTES_MAX], whole[BYTES_MAX], literals[LITERALS_MAX];
	struct zstd_sequence sequences[SEQUENCES_MAX];
	size_t size, whole_size, literal_bytes, sequence_count;
	uint32_t offset; /* of the last sequence */
};

static struct fixture *begin(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	srand(1);
	zstd_codes_init(&f->codes);
	zstd_frame_write(f->frame);
	f->size = ZSTD_FRAME_HEADER_BYTES;
	return f;
}

static void add_literals(struct fixture *f, size_t count)
{
	for (; count; count--) {
		f->literals[f->literal_bytes] = (uint8_t)(rand() >> 8);
		f->whole[f->whole_size++] = f->literals[f->literal_bytes++];
	}
}

static void add(struct fixture *f, size_t literals, size_t match, uint32_t offset)
{
	add_literals(f, literals);
	f->sequences[f->sequence_count++] = (struct zstd_sequence){
		(uint16_t)literals, (uint16_t)match,
		offset == f->offset && literals ? ZSTD_SAME_OFFSET : ZSTD_OFFSET(offset)};
	f->offset = offset;
	for (; match; match--, f->whole_size++)
		f->whole[f->whole_size] = f->whole[f->whole_size - offset];
}

/* The block ends here. Returns its size. */
static size_t end_block(struct fixture *f, bool last)
{
	size_t size = zstd_block_write(f->frame + f->size, &f->codes,
				       &(struct zstd_block){f->literals, f->literal_bytes,
							    f->sequences, f->sequence_count});

	assert_true(size <= f->literal_bytes + ZSTD_SEQUENCE_BYTES_MAX * f->sequence_count +
				    ZSTD_BLOCK_EXTRA_BYTES);
	if (last)
		zstd_block_make_last(f->frame + f->size);
	f->size += size;
	f->literal_bytes = f->sequence_count = 0;
	return size;
}

/* zstd makes of the frame what it was made of. */
static void check(struct fixture *f)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	uint8_t *unpacked = malloc(BYTES_MAX);
	ZSTD_inBuffer in = {f->frame, f->size, 0};
	ZSTD_outBuffer out = {unpacked, BYTES_MAX, 0};
	size_t left = ZSTD_decompressStream(stream, &out, &in);

	if (ZSTD_isError(left))
		fail_msg("zstd says: %s", ZSTD_getErrorName(left));
	assert_int_equal(left, 0); /* that was the last block */
	assert_int_equal(in.pos, f->size);
	assert_int_equal(out.pos, f->whole_size);
	assert_memory_equal(unpacked, f->whole, f->whole_size);
	ZSTD_freeDStream(stream);
	free(unpacked);
	free(f);
}

static void literals_alone_are_a_block(void **state)
{
	struct fixture *f = begin();

	(void)state;
	add_literals(f, 64);
	end_block(f, true);
	check(f);
}

static void one_sequence_is_enough(void **state)
{
	struct fixture *f = begin();

	(void)state;
	add(f, 64, 24, 64);
	end_block(f, true);
	check(f);
}

static void every_sequence_that_is_possible_is_read_as_it_was(void **state)
{
	static const size_t literals[] = {0,	3,    64,   65,	  127,	128,  255,   256,
					  1000, 2047, 2048, 4095, 4096, 8191, 16384, 32767};
	static const size_t matches[] = {24, 37, 61};
	static const uint32_t offsets[] = {64,	  125,	 126,	192,   253,   1024,   4096,
					   16384, 32765, 65533, 65536, 99999, 131072, 262080};
	struct fixture *f = begin();

	(void)state;
	for (int i = 0; i < 6; i++) {
		add_literals(f, 50000);
		end_block(f, false);
	}
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++)
		for (size_t k = 0; k < sizeof(offsets) / sizeof(offsets[0]); k++) {
			add(f, literals[i], matches[(i + k) % 3], offsets[k]);
			add(f, 3, matches[(i + k + 1) % 3], offsets[k]);
			add(f, 3, matches[(i + k + 2) % 3], offsets[k]);
			if (f->literal_bytes > 20000)
				end_block(f, false);
		}
	end_block(f, true);
	check(f);
}

/* Somewhere in the window. */
static uint32_t far(const struct fixture *f)
{
	size_t most = (1 << ZSTD_WINDOW_BITS) - 1;

	if (f->whole_size < most)
		most = f->whole_size;
	return 64 + (uint32_t)rand() % (uint32_t)(most - 63);
}

static void sequences_by_chance_are_read_as_they_were(void **state)
{
	struct fixture *f = begin();

	(void)state;
	add_literals(f, 256);
	end_block(f, false);
	for (int block = 0; block < 12; block++) {
		int count = 1 + rand() % 1000;

		for (int i = 0; i < count; i++) {
			size_t literals = (size_t[]){3, 3, 3, 3, 3, 3, 0, 64}[rand() % 8];
			size_t match = (size_t[]){61, 61, 61, 37, 37, 24}[rand() % 6];
			uint32_t offset = rand() % 4 ? f->offset : 0;

			if (!offset)
				offset = far(f);
			add(f, literals, match, offset);
		}
		add_literals(f, (size_t)(rand() % 2) * 64);
		end_block(f, block == 11);
	}
	check(f);
}

/* Half a bit for each part that is as it mostly is, and three for what a match of 61 leaves. */
static void what_is_frequent_takes_little(void **state)
{
	struct fixture *f = begin();
	size_t size;

	(void)state;
	add(f, 64, 61, 64);
	for (int i = 0; i < 1000; i++)
		add(f, 3, 61, 64);
	size = end_block(f, true) - 64 - 3000;
	assert_in_range(size, 600, 850);
	check(f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(literals_alone_are_a_block),
	cmocka_unit_test(one_sequence_is_enough),
	cmocka_unit_test(every_sequence_that_is_possible_is_read_as_it_was),
	cmocka_unit_test(sequences_by_chance_are_read_as_they_were),
	cmocka_unit_test(what_is_frequent_takes_little),
};

TEST_FILE(tests);
