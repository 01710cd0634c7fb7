/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/compressor.h"

#include "base/alloc.h"
#include "base/err.h"
#include "perfdata/perfdata.h"

#include <assert.h>
#include <stdlib.h>

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

struct compressor *compressor_new(int level, struct err *err)
{
	struct compressor *compressor = xcalloc(1, sizeof(*compressor));

	compressor->level = level;
	compressor->end = ZSTD_e_flush;
	compressor->stream = ZSTD_createCCtx();
	if (compressor->stream && !ZSTD_isError(ZSTD_CCtx_setParameter(
					  compressor->stream, ZSTD_c_compressionLevel, level)))
		return compressor;
	compressor_free(compressor);
	err_set(err, "compression of level %d cannot be set up: try a lower one", level);
	return NULL;
}

void compressor_part(struct compressor *compressor)
{
	compressor->end = ZSTD_e_end;
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
