/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/zstd_block.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Modes of a block and of the codes in it (RFC 8878, 3.1.1.2.2 and 3.1.1.3.2.1). */
enum { BLOCK_COMPRESSED = 2, LITERALS_RAW = 0, LITERALS_SIZE_20 = 3, CODES_TOLD = 0xa8 };

/*
 * How often symbols are to come, of 32: what is frequent takes less. Which lengths they stand for,
 * and how many more bits tell the rest, is in RFC 8878, 3.1.1.3.2.1.1.
 */
static const uint8_t literals_counts[ZSTD_SYMBOLS] = {
	[0] = 6,  [3] = 16, [25] = 1, [26] = 1, [27] = 1, [28] = 1,
	[29] = 1, [30] = 1, [31] = 1, [32] = 1, [33] = 1, [34] = 1,
};
enum { LITERALS_64 = 25, MATCH_24 = 21, MATCH_37 = 33, MATCH_61 = 39 };
static const uint8_t matches_counts[ZSTD_SYMBOLS] = {
	[MATCH_24] = 7, [MATCH_37] = 7, [MATCH_61] = 18};
static const uint8_t offsets_counts[ZSTD_SYMBOLS] = {
	[0] = 17, [6] = 2,  [7] = 2,  [8] = 2,	[9] = 1,  [10] = 1, [11] = 1,
	[12] = 1, [13] = 1, [14] = 1, [15] = 1, [16] = 1, [17] = 1,
};

static unsigned highest_bit(uint32_t number)
{
	return 31 - (unsigned)__builtin_clz(number);
}

/* --- Bits ---------------------------------------------------------------------------------- */

struct bits {
	uint8_t *at;
	uint64_t kept;
	unsigned count;
};

/* No more than fit beside what is kept: 57 since put_away(). */
static inline void put_bits(struct bits *bits, uint64_t value, unsigned count)
{
	bits->kept |= value << bits->count;
	bits->count += count;
}

/* Writes up to 8 bytes, of which whole ones count. */
static inline void put_away(struct bits *bits)
{
	memcpy(bits->at, &bits->kept, sizeof(bits->kept));
	bits->at += bits->count / 8;
	bits->kept >>= bits->count / 8 * 8;
	bits->count %= 8;
}

static uint8_t *end_bits(struct bits *bits)
{
	put_away(bits);
	return bits->at + (bits->count > 0);
}

/* --- Codes --------------------------------------------------------------------------------- */

/* Behind a symbol that never comes: how many more of these follow. */
static unsigned tell_absent(struct bits *bits, const uint8_t *counts, unsigned symbol)
{
	unsigned absent = 0;

	while (!counts[symbol + absent])
		absent++;
	symbol += absent;
	for (; absent >= 3; absent -= 3) {
		put_bits(bits, 3, 2);
		put_away(bits);
	}
	put_bits(bits, absent, 2);
	return symbol;
}

/* The counts, in the fewest bits that the rest of them may need (RFC 8878, 4.1.1). */
static void tell_counts(struct zstd_code *code, const uint8_t *counts)
{
	uint8_t text[sizeof(code->text) + sizeof(uint64_t)];
	struct bits bits = {text, 0, 0};
	int left = ZSTD_STATES + 1, threshold = ZSTD_STATES;
	unsigned width = ZSTD_STATE_BITS + 1;
	bool absent = false;

	put_bits(&bits, ZSTD_STATE_BITS - 5, 4);
	for (unsigned symbol = 0; left > 1; symbol++) {
		int count, most = 2 * threshold - 1 - left;

		if (absent)
			symbol = tell_absent(&bits, counts, symbol);
		absent = !counts[symbol];
		count = counts[symbol] + 1;
		left -= counts[symbol];
		if (count >= threshold)
			count += most;
		put_bits(&bits, (uint64_t)count, width - (count < most));
		put_away(&bits);
		for (; left < threshold; threshold /= 2)
			width--;
	}
	code->text_bytes = (size_t)(end_bits(&bits) - text);
	assert(code->text_bytes <= sizeof(code->text));
	memcpy(code->text, text, code->text_bytes);
}

/* Which symbol each state of the reader stands for (RFC 8878, 4.1.1). */
static void spread(uint8_t of_state[ZSTD_STATES], const uint8_t *counts)
{
	enum { STEP = ZSTD_STATES / 2 + ZSTD_STATES / 8 + 3 };
	unsigned at = 0;

	for (unsigned symbol = 0; symbol < ZSTD_SYMBOLS; symbol++)
		for (unsigned i = 0; i < counts[symbol]; i++) {
			of_state[at] = (uint8_t)symbol;
			at = (at + STEP) % ZSTD_STATES;
		}
}

/*
 * A symbol that has `count` states is followed by any of the 32 states: so many bits tell which as
 * are left over, one less in those of its states that come last (RFC 8878, 4.1.1; as the reader
 * goes backwards, its next state is the one that the writer has been in).
 */
static void make_code(struct zstd_code *code, const uint8_t *counts)
{
	uint8_t of_state[ZSTD_STATES];
	unsigned first[ZSTD_SYMBOLS], total = 0;

	for (unsigned symbol = 0; symbol < ZSTD_SYMBOLS; symbol++) {
		unsigned count = counts[symbol], width;

		first[symbol] = total;
		if (!count)
			continue;
		width = ZSTD_STATE_BITS - (count > 1 ? highest_bit(count - 1) : 0);
		code->symbols[symbol].bits =
			(width << 16) - (count > 1 ? count << width : ZSTD_STATES);
		code->symbols[symbol].next = (int32_t)total - (int32_t)count;
		if (count == 1)
			code->symbols[symbol].next = (int32_t)total - 1;
		total += count;
	}
	assert(total == ZSTD_STATES);
	spread(of_state, counts);
	for (unsigned state = 0; state < ZSTD_STATES; state++)
		code->states[first[of_state[state]]++] = (uint16_t)(ZSTD_STATES + state);
	tell_counts(code, counts);
}

void zstd_codes_init(struct zstd_codes *codes)
{
	*codes = (struct zstd_codes){0};
	make_code(&codes->literals, literals_counts);
	make_code(&codes->matches, matches_counts);
	make_code(&codes->offsets, offsets_counts);
}

/* The state that the last symbol ends in: one of its own, from where the fewest bits lead on. */
static uint32_t last_state(const struct zstd_code *code, unsigned symbol)
{
	uint32_t bits = code->symbols[symbol].bits;
	uint32_t width = (bits + (1 << 15)) >> 16;
	uint32_t state = (width << 16) - bits;

	return code->states[(int32_t)(state >> width) + code->symbols[symbol].next];
}

static inline uint32_t put_symbol(struct bits *bits, const struct zstd_code *code, uint32_t state,
				  unsigned symbol)
{
	uint32_t width = (state + code->symbols[symbol].bits) >> 16;

	put_bits(bits, state & ((1U << width) - 1), width);
	return code->states[(int32_t)(state >> width) + code->symbols[symbol].next];
}

/* --- Sequences ----------------------------------------------------------------------------- */

/* A length or an offset as the format has it: a symbol, and what it leaves open. */
struct part {
	uint32_t symbol, rest, width;
};

static inline struct part literals_part(uint32_t literals)
{
	uint32_t width;

	if (literals < 64)
		return (struct part){literals, 0, 0};
	width = highest_bit(literals);
	return (struct part){LITERALS_64 + width - 6, literals - (1U << width), width};
}

static inline struct part match_part(uint32_t match)
{
	return match == 61   ? (struct part){MATCH_61, 61 - 59, 3}
	       : match == 37 ? (struct part){MATCH_37, 0, 1}
			     : (struct part){MATCH_24, 0, 0};
}

static inline struct part offset_part(uint32_t offset)
{
	uint32_t width = highest_bit(offset);

	return (struct part){width, offset - (1U << width), width};
}

/* The reader begins at the end, so the last one is written first. */
static uint8_t *put_sequences(uint8_t *to, const struct zstd_codes *codes,
			      const struct zstd_block *block)
{
	struct bits bits = {to, 0, 0};
	uint32_t literals_state = 0, match_state = 0, offset_state = 0;

	for (size_t i = block->sequence_count; i-- > 0;) {
		const struct zstd_sequence *sequence = &block->sequences[i];
		struct part literals = literals_part(sequence->literals);
		struct part match = match_part(sequence->match);
		struct part offset = offset_part(sequence->offset);

		if (i + 1 == block->sequence_count) {
			match_state = last_state(&codes->matches, match.symbol);
			offset_state = last_state(&codes->offsets, offset.symbol);
			literals_state = last_state(&codes->literals, literals.symbol);
		} else {
			offset_state =
				put_symbol(&bits, &codes->offsets, offset_state, offset.symbol);
			match_state = put_symbol(&bits, &codes->matches, match_state, match.symbol);
			literals_state = put_symbol(&bits, &codes->literals, literals_state,
						    literals.symbol);
		}
		put_bits(&bits, literals.rest, literals.width);
		put_bits(&bits, match.rest, match.width);
		put_bits(&bits, offset.rest, offset.width);
		put_away(&bits);
	}
	put_bits(&bits, match_state % ZSTD_STATES, ZSTD_STATE_BITS);
	put_bits(&bits, offset_state % ZSTD_STATES, ZSTD_STATE_BITS);
	put_bits(&bits, literals_state % ZSTD_STATES, ZSTD_STATE_BITS);
	put_bits(&bits, 1, 1); /* behind it all is padding */
	return end_bits(&bits);
}

/* --- The block ----------------------------------------------------------------------------- */

static uint8_t *put_bytes(uint8_t *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

static uint8_t *put_number(uint8_t *to, uint32_t number, unsigned bytes)
{
	for (; bytes; bytes--, number >>= 8)
		*to++ = (uint8_t)number;
	return to;
}

static uint8_t *put_code(uint8_t *to, const struct zstd_code *code)
{
	return put_bytes(to, code->text, code->text_bytes);
}

void zstd_frame_write(uint8_t to[ZSTD_FRAME_HEADER_BYTES])
{
	to = put_number(to, 0xfd2fb528, 4);
	*to++ = 0; /* no size, no checksum, no dictionary */
	*to = (ZSTD_WINDOW_BITS - 10) << 3;
}

size_t zstd_block_write(uint8_t *to, const struct zstd_codes *codes, const struct zstd_block *block)
{
	enum { HEADER_BYTES = 3 };
	uint32_t count = (uint32_t)block->sequence_count;
	uint8_t *end = to + HEADER_BYTES;

	end = put_number(
		end, LITERALS_RAW | LITERALS_SIZE_20 << 2 | (uint32_t)block->literal_bytes << 4, 3);
	end = put_bytes(end, block->literals, block->literal_bytes);
	if (count < 128)
		*end++ = (uint8_t)count;
	else
		end = put_bytes(end, (uint8_t[]){(uint8_t)(count >> 8 | 128), (uint8_t)count}, 2);
	if (count) {
		*end++ = CODES_TOLD;
		end = put_code(end, &codes->literals);
		end = put_code(end, &codes->offsets);
		end = put_code(end, &codes->matches);
		end = put_sequences(end, codes, block);
	}
	put_number(to, BLOCK_COMPRESSED << 1 | (uint32_t)(end - to - HEADER_BYTES) << 3,
		   HEADER_BYTES);
	return (size_t)(end - to);
}

void zstd_block_make_last(uint8_t *block)
{
	*block |= 1;
}
