/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes blocks of a zstd frame (RFC 8878) of which somebody else knows already what repeats in
 * them: repeat_packer.h. libzstd would search for that, which takes most of its time; its own way
 * in for those who know is not part of its stable interface. Codes are made for what comes from
 * there: of the lengths that the format has, these are possible.
 */
#ifndef PSCAL_COLLECT_RECORDING_ZSTD_BLOCK_H
#define PSCAL_COLLECT_RECORDING_ZSTD_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Literals that are taken as they are, and then so many bytes of those `offset` before. */
struct zstd_sequence {
	uint16_t literals; /* 0, 3 or at least 64 */
	uint16_t match;	   /* 24, 37 or 61 */
	/*
	 * ZSTD_SAME_OFFSET: that of the sequence before, also if that is in another block of the
	 * frame; there must be literals then. Otherwise it is at least 64 and below 1 << 18, and
	 * ZSTD_OFFSET(it) stands here.
	 */
	uint32_t offset;
};

enum { ZSTD_SAME_OFFSET = 1 };
#define ZSTD_OFFSET(bytes) ((uint32_t)(bytes) + 3)

/* How the parts of sequences are written; the same in all blocks. */
enum { ZSTD_STATE_BITS = 5, ZSTD_STATES = 1 << ZSTD_STATE_BITS, ZSTD_SYMBOLS = 40 };

struct zstd_code {
	struct {
		uint32_t bits; /* a state plus this, by 1 << 16: how many bits of it go out */
		int32_t next;  /* from where in `states` on its next ones are */
	} symbols[ZSTD_SYMBOLS];
	uint16_t states[ZSTD_STATES];
	uint8_t text[ZSTD_SYMBOLS]; /* tells the reader */
	size_t text_bytes;
};

struct zstd_codes {
	struct zstd_code literals, matches, offsets;
};

void zstd_codes_init(struct zstd_codes *codes);

/* The frame header: blocks follow it whose offsets are less than 1 << ZSTD_WINDOW_BITS. */
enum { ZSTD_WINDOW_BITS = 18, ZSTD_FRAME_HEADER_BYTES = 6 };
void zstd_frame_write(uint8_t to[ZSTD_FRAME_HEADER_BYTES]);

/* A block of all literals, in order, and what the sequences repeat. */
struct zstd_block {
	const uint8_t *literals;
	size_t literal_bytes; /* those behind the last sequence included */
	const struct zstd_sequence *sequences;
	size_t sequence_count;
};

enum { ZSTD_SEQUENCE_BYTES_MAX = 8, ZSTD_BLOCK_EXTRA_BYTES = 128 };

/*
 * Returns the size: at most that of the literals, ZSTD_SEQUENCE_BYTES_MAX for each sequence, and
 * ZSTD_BLOCK_EXTRA_BYTES. It may be followed by others.
 */
size_t zstd_block_write(uint8_t *to, const struct zstd_codes *codes,
			const struct zstd_block *block);

/* Says of a block that it is the last one of its frame. */
void zstd_block_make_last(uint8_t *block);

#endif
