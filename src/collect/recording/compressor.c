/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/compressor.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/recording/zstd_block.h"
#include "perfdata/perfdata.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct compressor {
	ZSTD_CCtx *stream;
	int level;
	ZSTD_EndDirective end; /* of a chunk */
	uint64_t bytes_in, bytes_out;
	struct {
		struct perf_event_header header;
		uint8_t payload[ZSTD_COMPRESSBOUND(COMPRESSOR_CHUNK_BYTES)];
	} record;
};

_Static_assert(sizeof(((struct compressor *)0)->record) <= PERFDATA_RECORD_MAX,
	       "a chunk fits into a record");
_Static_assert(COMPRESSOR_CHUNK_BYTES + PERFDATA_RECORD_MAX <= COMPRESSOR_UNPACKED_MAX,
	       "a reader has room for a chunk and the rest of the one before");

struct compressor *compressor_new(int level, bool parts, struct err *err)
{
	struct compressor *compressor = xcalloc(1, sizeof(*compressor));

	compressor->level = level;
	compressor->end = parts ? ZSTD_e_end : ZSTD_e_flush;
	compressor->stream = ZSTD_createCCtx();
	if (compressor->stream && !ZSTD_isError(ZSTD_CCtx_setParameter(
					  compressor->stream, ZSTD_c_compressionLevel, level)))
		return compressor;
	compressor_free(compressor);
	err_set(err, "compression of level %d cannot be set up: try a lower one", level);
	return NULL;
}

void compressor_free(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCCtx(compressor->stream);
	free(compressor);
}

const struct perf_event_header *compressor_pack(struct compressor *compressor, const void *bytes,
						size_t size, struct err *err)
{
	struct perf_event_header *header = &compressor->record.header;
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {compressor->record.payload, sizeof(compressor->record.payload), 0};
	size_t left = ZSTD_compressStream2(compressor->stream, &out, &in, compressor->end);

	assert(size <= COMPRESSOR_CHUNK_BYTES);
	if (ZSTD_isError(left)) {
		err_set(err, "compression failed (%s): try a lower level", ZSTD_getErrorName(left));
		return NULL;
	}
	assert(left == 0); /* there was room for the worst case */
	*header = (struct perf_event_header){PERFDATA_RECORD_COMPRESSED, 0,
					     (uint16_t)(sizeof(*header) + out.pos)};
	compressor_count(compressor, size, header->size);
	return header;
}

void compressor_count(struct compressor *compressor, size_t in, size_t out)
{
	compressor->bytes_in += in;
	compressor->bytes_out += out;
}

int compressor_level(const struct compressor *compressor)
{
	return compressor->level;
}

uint32_t compressor_ratio(const struct compressor *compressor)
{
	uint64_t out = compressor->bytes_out;

	return out ? (uint32_t)((compressor->bytes_in + out / 2) / out) : 1;
}

/* --- Records that repeat ---------------------------------------------------------------------- */

/*
 * A record is what stands before its time, the bytes of the time that change, and the rest. If the
 * others change, all begins anew; that is every 17 ms.
 */
enum {
	CHANGING = 3,
	BEFORE = REPEAT_TIME_AT,
	BEHIND = REPEAT_RECORD_BYTES - REPEAT_TIME_AT - CHANGING,
	BLOCK_RECORDS = COMPRESSOR_CHUNK_BYTES / REPEAT_RECORD_BYTES,
	WINDOW_RECORDS = (1 << ZSTD_WINDOW_BITS) / REPEAT_RECORD_BYTES,
	PLACES = 1 << 12, /* of a table of where keys have come last */
	SEQUENCES = 2 * BLOCK_RECORDS,
	/* One that is like another has two sequences at most, and is smaller than a whole one. */
	BYTES_MAX = sizeof(struct perf_event_header) + ZSTD_FRAME_HEADER_BYTES +
		    BLOCK_RECORDS * REPEAT_RECORD_BYTES + ZSTD_BLOCK_EXTRA_BYTES,
};

_Static_assert((int)BYTES_MAX <= (int)PERFDATA_RECORD_MAX, "a block fits into a record");
_Static_assert(CHANGING + 2 * ZSTD_SEQUENCE_BYTES_MAX <= REPEAT_RECORD_BYTES, "see there");

struct repeat_packer {
	struct zstd_codes codes;

	/* By the number of the record, which counts on for ever: */
	uint32_t count;
	uint32_t reach; /* so many records back there may be one like the next */
	uint64_t keys[WINDOW_RECORDS];
	uint32_t last[PLACES];	     /* which had this key */
	uint32_t last_after[PLACES]; /* ... behind one with that of the last */
	uint64_t last_key;
	uint64_t time_above; /* what does not change of the time */

	/* What is being made: a match `distance` records before, behind these literals. */
	uint32_t distance;
	uint16_t literal_count, match;
	uint32_t told; /* distance that the reader knows */

	/* The block: */
	size_t records, literal_bytes, sequence_count;
	uint8_t literals[BLOCK_RECORDS * REPEAT_RECORD_BYTES];
	struct zstd_sequence sequences[SEQUENCES];

	/* The frame: */
	uint8_t *bytes;
	size_t size, capacity, last_block, unpacked;
	bool taken; /* `bytes` have been given away */
};

struct repeat_packer *repeat_packer_new(void)
{
	struct repeat_packer *packer = xcalloc(1, sizeof(*packer));

	zstd_codes_init(&packer->codes);
	return packer;
}

void repeat_packer_free(struct repeat_packer *packer)
{
	if (packer)
		free(packer->bytes);
	free(packer);
}

static void end_match(struct repeat_packer *packer)
{
	bool same = packer->distance == packer->told && packer->literal_count;

	if (!packer->match)
		return;
	packer->sequences[packer->sequence_count++] = (struct zstd_sequence){
		packer->literal_count, packer->match,
		same ? ZSTD_SAME_OFFSET : ZSTD_OFFSET(packer->distance * REPEAT_RECORD_BYTES)};
	packer->told = packer->distance;
	packer->literal_count = packer->match = 0;
}

static void end_block(struct repeat_packer *packer)
{
	struct perf_event_header header = {PERFDATA_RECORD_COMPRESSED, 0, 0};
	uint8_t *record, *end;

	if (!packer->records)
		return;
	end_match(packer);
	array_reserve(&packer->bytes, &packer->capacity, packer->size + BYTES_MAX);
	record = packer->bytes + packer->size;
	end = record + sizeof(header);
	if (!packer->size) {
		zstd_frame_write(end);
		end += ZSTD_FRAME_HEADER_BYTES;
	}
	packer->last_block = (size_t)(end - packer->bytes);
	end += zstd_block_write(end, &packer->codes,
				&(struct zstd_block){packer->literals, packer->literal_bytes,
						     packer->sequences, packer->sequence_count});
	header.size = (uint16_t)(end - record);
	memcpy(record, &header, sizeof(header));
	packer->size += header.size;
	packer->unpacked += packer->records * REPEAT_RECORD_BYTES;
	packer->records = packer->literal_bytes = packer->sequence_count = 0;
	packer->literal_count = 0;
}

static uint32_t *place_of(uint32_t *table, uint64_t key)
{
	return &table[key * 0x9e3779b97f4a7c15 >> 52];
}

static uint32_t *place_after(struct repeat_packer *packer, uint64_t key)
{
	return place_of(packer->last_after, key ^ packer->last_key * 0xd6e8feb86659fd93);
}

/* Nothing that came before looks like it any more where the rest of the time is another one. */
static void note_time(struct repeat_packer *packer, uint64_t time_ns)
{
	uint64_t above = time_ns >> 8 * CHANGING;

	if (packer->time_above != above || packer->taken)
		packer->reach = 0;
	packer->time_above = above;
	if (packer->taken)
		packer->size = packer->unpacked = packer->told = 0;
	packer->taken = false;
}

static void note_record(struct repeat_packer *packer, uint64_t key)
{
	packer->keys[packer->count % WINDOW_RECORDS] = key;
	*place_of(packer->last, key) = packer->count;
	*place_after(packer, key) = packer->count;
	packer->last_key = key;
	packer->count++;
	if (packer->reach < WINDOW_RECORDS - 1)
		packer->reach++;
	if (++packer->records == BLOCK_RECORDS)
		end_block(packer);
}

static bool is_like(const struct repeat_packer *packer, uint32_t distance, uint64_t key)
{
	return distance - 1 < packer->reach &&
	       packer->keys[(packer->count - distance) % WINDOW_RECORDS] == key;
}

/* How many records before there is one like it; 0: none is known. */
static uint32_t find_like(struct repeat_packer *packer, uint64_t key)
{
	uint32_t distance = packer->count - *place_after(packer, key);

	if (is_like(packer, distance, key))
		return distance;
	distance = packer->count - *place_of(packer->last, key);
	return is_like(packer, distance, key) ? distance : 0;
}

/* The part before the time goes on with what the record before has left, or is one of its own. */
static bool repeat_before(struct repeat_packer *packer, uint64_t key)
{
	uint32_t distance = packer->distance;

	if (!is_like(packer, distance, key)) {
		distance = find_like(packer, key);
		if (!distance)
			return false;
		end_match(packer);
		packer->distance = distance;
	}
	packer->match = (uint16_t)(packer->match + BEFORE);
	end_match(packer);
	return true;
}

bool repeat_packer_repeat(struct repeat_packer *packer, uint64_t key, uint64_t time_ns)
{
	note_time(packer, time_ns);
	if (!repeat_before(packer, key))
		return false;
	memcpy(packer->literals + packer->literal_bytes, &time_ns, CHANGING);
	packer->literal_bytes += CHANGING;
	packer->literal_count = CHANGING;
	packer->match = BEHIND;
	note_record(packer, key);
	return true;
}

void repeat_packer_put(struct repeat_packer *packer, uint64_t key,
		       const uint8_t record[REPEAT_RECORD_BYTES])
{
	uint64_t time_ns;

	memcpy(&time_ns, record + REPEAT_TIME_AT, sizeof(time_ns));
	note_time(packer, time_ns);
	end_match(packer);
	memcpy(packer->literals + packer->literal_bytes, record, REPEAT_RECORD_BYTES);
	packer->literal_bytes += REPEAT_RECORD_BYTES;
	packer->literal_count = (uint16_t)(packer->literal_count + REPEAT_RECORD_BYTES);
	note_record(packer, key);
}

size_t repeat_packer_size(const struct repeat_packer *packer)
{
	return packer->taken ? 0 : packer->size + packer->literal_bytes;
}

const void *repeat_packer_take(struct repeat_packer *packer, size_t *size, size_t *unpacked)
{
	if (!packer->taken)
		end_block(packer);
	if (!packer->taken && packer->size)
		zstd_block_make_last(packer->bytes + packer->last_block);
	*size = packer->taken ? 0 : packer->size;
	*unpacked = packer->taken ? 0 : packer->unpacked;
	packer->taken = true;
	return packer->bytes;
}
