/* SPDX-License-Identifier: GPL-3.0-or-later */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_compressSequences() */
#include "collect/recording/compressor.h"

#include "base/alloc.h"
#include "base/err.h"
#include "perfdata/perfdata.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct compressor {
	ZSTD_CCtx *stream;
	int level;
	ZSTD_EndDirective end; /* at the end of a chunk */
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
	err_set(err, "compression of level %d cannot be set up; try a lower one", level);
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
 * A record consists of the part before its time, the bytes of the time that change, and the rest.
 * When the other bytes of the time change, every 17 ms, no earlier record is like a new one.
 */
enum {
	CHANGING = 3,
	BEFORE = REPEAT_TIME_AT,
	BEHIND = REPEAT_RECORD_BYTES - REPEAT_TIME_AT - CHANGING,
	PLACES = 1 << 12,  /* places of a table of the last records of keys */
	REPEAT_LEVEL = -1, /* times do not compress: they are left as they are */
};

/*
 * The sizes of frames. A frame is one record, which perf unpacks as a whole. No code of a symbol
 * has more than 9 bits (RFC 8878, 3.1.1.3.2.1), and lengths and offsets here at most 38 more. Each
 * record has one or two sequences, or is whole.
 */
enum {
	SEQUENCE_BYTES = 8,
	FRAME_EXTRA_BYTES = 3 << 10, /* headers and tables */
	FRAME_RECORDS = COMPRESSOR_CHUNK_BYTES / (CHANGING + SEQUENCE_BYTES) + 1,
	PAYLOAD_MAX = COMPRESSOR_CHUNK_BYTES + REPEAT_RECORD_BYTES + 2 * SEQUENCE_BYTES +
		      FRAME_EXTRA_BYTES,
};

_Static_assert(sizeof(struct perf_event_header) + PAYLOAD_MAX <= PERFDATA_RECORD_MAX,
	       "a frame fits into a record");
_Static_assert(FRAME_RECORDS *REPEAT_RECORD_BYTES + PERFDATA_RECORD_MAX <= COMPRESSOR_UNPACKED_MAX,
	       "a reader has room for a frame and the rest of the one before");

struct repeat_packer {
	ZSTD_CCtx *stream;

	/* The frame in progress: */
	uint32_t count, first; /* records, and the first that may be like the next */
	uint8_t records[FRAME_RECORDS][REPEAT_RECORD_BYTES];
	uint64_t keys[FRAME_RECORDS];
	size_t literal_bytes, sequence_count;
	ZSTD_Sequence sequences[2 * FRAME_RECORDS], next;
	uint32_t distance; /* distance of the last match, in records */

	uint32_t last[PLACES];	     /* last record of a key */
	uint32_t last_after[PLACES]; /* ... of a key after the last key */
	uint64_t last_key;
	uint64_t time_above; /* the part of the time that does not change */

	/* Completed frames: */
	uint8_t *bytes;
	size_t size, capacity, unpacked;
};

struct repeat_packer *repeat_packer_new(void)
{
	struct repeat_packer *packer = xcalloc(1, sizeof(*packer));

	packer->stream = ZSTD_createCCtx();
	if (!packer->stream || ZSTD_isError(ZSTD_CCtx_setParameter(
				       packer->stream, ZSTD_c_compressionLevel, REPEAT_LEVEL)))
		abort(); /* as base/alloc does if memory is short */
	return packer;
}

void repeat_packer_free(struct repeat_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->stream);
	free(packer->bytes);
	free(packer);
}

static void end_match(struct repeat_packer *packer)
{
	if (!packer->next.matchLength)
		return;
	packer->next.offset = packer->distance * REPEAT_RECORD_BYTES;
	packer->sequences[packer->sequence_count++] = packer->next;
	packer->next = (ZSTD_Sequence){.offset = 0};
}

static void add_literals(struct repeat_packer *packer, unsigned bytes)
{
	packer->next.litLength += bytes;
	packer->literal_bytes += bytes;
}

static void end_frame(struct repeat_packer *packer)
{
	struct perf_event_header header = {PERFDATA_RECORD_COMPRESSED, 0, 0};
	size_t unpacked = packer->count * sizeof(packer->records[0]), packed;
	uint8_t *record;

	if (!packer->count)
		return;
	end_match(packer);
	array_reserve(&packer->bytes, &packer->capacity,
		      packer->size + sizeof(header) + PAYLOAD_MAX);
	record = packer->bytes + packer->size;
	packed = ZSTD_compressSequences(packer->stream, record + sizeof(header), PAYLOAD_MAX,
					packer->sequences, packer->sequence_count, packer->records,
					unpacked);
	if (ZSTD_isError(packed))
		abort(); /* memory is short */
	header.size = (uint16_t)(sizeof(header) + packed);
	memcpy(record, &header, sizeof(header));
	packer->size += header.size;
	packer->unpacked += unpacked;
	packer->count = packer->first = 0;
	packer->literal_bytes = packer->sequence_count = 0;
	packer->next = (ZSTD_Sequence){.offset = 0};
}

static uint32_t *place_of(uint32_t *table, uint64_t key)
{
	return &table[key * 0x9e3779b97f4a7c15 >> 52];
}

static uint32_t *place_after(struct repeat_packer *packer, uint64_t key)
{
	return place_of(packer->last_after, key ^ packer->last_key * 0xd6e8feb86659fd93);
}

static void note_time(struct repeat_packer *packer, uint64_t time_ns)
{
	uint64_t above = time_ns >> 8 * CHANGING;

	if (packer->time_above != above)
		packer->first = packer->count;
	packer->time_above = above;
}

static void note_record(struct repeat_packer *packer, uint64_t key)
{
	packer->keys[packer->count] = key;
	*place_of(packer->last, key) = packer->count;
	*place_after(packer, key) = packer->count;
	packer->last_key = key;
	packer->count++;
	if (packer->literal_bytes + packer->sequence_count * SEQUENCE_BYTES >=
	    COMPRESSOR_CHUNK_BYTES)
		end_frame(packer);
}

/* Returns whether record `at` is in this frame and has this key. */
static bool is_like(const struct repeat_packer *packer, uint32_t at, uint64_t key)
{
	return at < packer->count && at >= packer->first && packer->keys[at] == key;
}

/* Matches the part before the time: extends the last match, or begins another. False: none. */
static bool repeat_before(struct repeat_packer *packer, uint64_t key)
{
	uint32_t at = packer->count - packer->distance;

	if (!is_like(packer, at, key)) {
		at = *place_after(packer, key);
		if (!is_like(packer, at, key))
			at = *place_of(packer->last, key);
		if (!is_like(packer, at, key))
			return false;
		end_match(packer);
		packer->distance = packer->count - at;
	}
	packer->next.matchLength += BEFORE;
	end_match(packer);
	return true;
}

bool repeat_packer_repeat(struct repeat_packer *packer, uint64_t key, uint64_t time_ns)
{
	uint8_t *record = packer->records[packer->count];

	note_time(packer, time_ns);
	if (!repeat_before(packer, key))
		return false;
	memcpy(record, packer->records[packer->count - packer->distance], REPEAT_RECORD_BYTES);
	memcpy(record + REPEAT_TIME_AT, &time_ns, sizeof(time_ns));
	add_literals(packer, CHANGING);
	packer->next.matchLength = BEHIND;
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
	memcpy(packer->records[packer->count], record, REPEAT_RECORD_BYTES);
	add_literals(packer, REPEAT_RECORD_BYTES);
	note_record(packer, key);
}

size_t repeat_packer_size(const struct repeat_packer *packer)
{
	return packer->size + packer->literal_bytes;
}

const void *repeat_packer_take(struct repeat_packer *packer, size_t *size, size_t *unpacked)
{
	end_frame(packer);
	*size = packer->size;
	*unpacked = packer->unpacked;
	packer->size = packer->unpacked = 0;
	return packer->bytes;
}
